"""Read a bot as it was in a commit, `bots/mybot.py@HEAD~3`, through Git and without a checkout.

Only Git's own commands that read objects are called, without the shell, without the environment's `GIT_*` and without
fetching: no hook, filter or monitor runs, and no file of the working tree changes. What may belong to the bot is
written to a temporary folder, so the rule of bundles (`arena.bots.bundle`) decides there as in a working tree.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from io import BytesIO
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, NoReturn

from arena.bots.bundle import MAX_BOT_BYTES, Bundle, is_alone, read_bundle
from arena.bots.faults import BotError
from arena.errors import did_you_mean
from arena.text import first_line, quoted, utc_iso

_GIT = ("git", "--no-pager", "--literal-pathspecs", "-c", "protocol.allow=never", "-c", "core.fsmonitor=false")
_TARGET = re.compile(r"(?P<path>.*?(?:\.py|/))@(?P<revision>.*)", re.DOTALL)
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_LAST = re.compile(r"last-([1-9]\d{0,3})")
_POINTER = b"version https://git-lfs.github.com/"
_PROGRAM, _LINK, _SUBMODULE = "100755", "120000", "160000"
_MODULES = (".py", ".so", ".pyd")
_MOST_BYTES = 2 * MAX_BOT_BYTES  # also what shares its folder


@dataclass(frozen=True)
class Revision:
    """A commit from which a bot was read."""

    commit: str
    subject: str
    date: str

    @property
    def text(self) -> str:
        """Name the commit in a sentence."""
        return f"{self.commit[:7]} '{first_line(self.subject, 60)}'"


@dataclass(frozen=True)
class FileRevision:
    """The file of a bot and a revision: `path` as in the working tree, `inner` below the `top` of the repository."""

    path: Path
    top: str
    inner: str
    commit: str

    @property
    def bundle(self) -> Bundle:
        """The files of the bot in this commit. BotError if it is not there."""
        return _bundle_at(self.top, self.inner, self.commit)

    @property
    def about(self) -> Revision:
        """The commit."""
        return _about(self.top, self.commit)

    def at(self, commit: str) -> FileRevision:
        """Return the same file in another commit."""
        return FileRevision(self.path, self.top, self.inner, commit)


def split_revision(target: str, here: Path) -> tuple[str, str] | None:
    """Split `PATH@REVISION`; None for what has no revision, such as a file that is there with this name.

    >>> split_revision("bots/mybot.py@HEAD~3", Path()), split_revision("bots/@v1", Path())
    (('bots/mybot.py', 'HEAD~3'), ('bots/', 'v1'))
    >>> split_revision("bots/mybot.py", Path())
    """
    match = _TARGET.fullmatch(target)
    if match is None or os.path.exists(here / os.path.expanduser(target)):
        return None
    return match["path"], match["revision"]


def is_pattern(path: str) -> bool:
    """Return whether a path stands for the bot files in a folder, or for those that match it."""
    return path.endswith("/") or any(sign in path for sign in "*?[")


def is_history(path: str, revision: str, here: Path) -> bool:
    """Return whether a revision stands for several: a range, or `last-8` where no commit has this name."""
    if ".." in revision:
        return True
    return bool(_LAST.fullmatch(revision)) and _commit(_repository(_full(path, here))[0], revision) is None


def find_revision(path: str, revision: str, here: Path) -> FileRevision:
    """Return a file and the commit that a revision means for it. BotError if there is no such repository or commit."""
    if is_pattern(path) or is_history(path, revision, here):
        raise BotError(
            f"{path}@{revision} stands for several bots, but one is wanted here; name one file, and one commit such as"
            " HEAD"
        )
    return _found(path, revision, here)


def _found(path: str, revision: str, here: Path) -> FileRevision:
    full = _full(path, here)
    top, inner = _repository(full)
    commit = _commit(top, revision)
    return FileRevision(full, top, inner, commit) if commit else _unknown(top, path, revision)


def history(path: str, revision: str, here: Path) -> list[FileRevision]:
    """Return the versions that a range or `last-8` stands for: the commits that changed the bot, the oldest first."""
    full = _full(path, here)
    top, inner = _repository(full)
    last = None if ".." in revision else _LAST.fullmatch(revision)
    found = versions(FileRevision(full, top, inner, ""), "HEAD" if last else revision)
    if not (chosen := list(islice(found, int(last[1]) if last else None))):
        raise BotError(f"no commit of {revision} changed {path}; git log -- {path} shows those that did")
    return chosen[::-1]


def versions(file: FileRevision, commits: str) -> Iterator[FileRevision]:
    """Yield the commits that changed the files of a bot, the newest first, along first parents."""
    folders = {os.path.dirname(file.inner)}
    if (real := file.path.resolve()).is_relative_to(file.top):  # where a link leads
        folders.add(real.relative_to(file.top).parent.as_posix())
    places = [] if folders & {"", "."} else sorted(folders)
    listed = _git(file.top, "rev-list", "--first-parent", "--end-of-options", commits, "--", *places)
    if listed.returncode:
        _unknown(file.top, file.inner, commits)
    found = listed.stdout.decode().split()
    for commit, older in zip(found, [*found[1:], f"{found[-1]}^" if found else ""]):
        now = _files_in(file.at(commit))
        if now is not None and now != _files_in(file.at(older)):
            yield file.at(commit)


def same_files(one: Bundle, other: Bundle) -> bool:
    """Return whether two bundles are equal, line ends of Python sources aside."""
    return _plain(one) == _plain(other)


def committed(file: FileRevision, working: Bundle) -> FileRevision | None:
    """Return the last commit's version of a file if its bundle in the working tree is equal to it."""
    last = file.at(_commit(file.top, "HEAD") or "HEAD")
    return last if _files_in(last) == _plain(working) else None


@lru_cache(maxsize=4096)
def missing_files(file: FileRevision) -> list[str]:
    """Return the files of the bot in the working tree, if it is there, that neither its commit nor the last one has."""
    if not file.path.is_file():
        return []
    missing = {*read_bundle(file.path.resolve()).files} - {*file.bundle.files}
    return sorted(missing - {*(_files_in(file.at("HEAD")) or {})}) if missing else []


def files_in(pattern: str, revision: str, here: Path) -> list[FileRevision]:
    """Return the bot files that a pattern or a folder (`bots/`) stood for in a commit."""
    file = _found(pattern, revision, here)
    parts = Path(file.inner).parts + ("*.py",) * pattern.endswith("/")
    fixed = next((number for number, part in enumerate(parts) if re.search(r"[*?[]", part)), 0)
    folder = "/".join(parts[:fixed])
    names = [os.path.join(folder, entry.path) for entry in _tree(file.top, file.commit, folder)]
    found = [name for name in names if name.endswith(".py") and _fits(name.split("/"), parts)]
    if not found:
        raise BotError(f"{pattern}@{revision}: found no bot file in commit {file.commit[:7]}")
    return [FileRevision(Path(file.top, name), file.top, name, file.commit) for name in found]


def _fits(names: Sequence[str], pattern: Sequence[str]) -> bool:
    if not names or not pattern:
        return not names and not pattern
    if pattern[0] == "**":
        return _fits(names, pattern[1:]) or (names[0][0] != "." and _fits(names[1:], pattern))
    hidden = (names[0][0] == "." and pattern[0][0] != ".") or (len(names) == 1 and names[0][0] == "_")
    return not hidden and fnmatchcase(names[0], pattern[0]) and _fits(names[1:], pattern[1:])


def _plain(bundle: Bundle) -> dict[str, bytes]:
    return {
        path: file.content.replace(b"\r\n", b"\n") if path.endswith(".py") else file.content
        for path, file in bundle.files.items()
    }


def _files_in(file: FileRevision) -> dict[str, bytes] | None:
    """Return the plain files of the bot in a commit, None if it is not there; a link that leads out counts as none."""
    try:
        commit = file.commit if _COMMIT.fullmatch(file.commit) else _commit(file.top, file.commit)
        return None if commit is None else _plain(file.at(commit).bundle)
    except BotError:
        return None


# ---------------------------------------------------------------- Git


def _git(folder: str, *args: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run Git in a folder, without what could make it run a program or look elsewhere. BotError if there is no Git."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    env |= {"GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        return subprocess.run([*_GIT, "-C", folder, *args], input=given, capture_output=True, env=env, check=False)
    except FileNotFoundError:
        raise BotError("Git is not installed, and PATH@REVISION is read through it; install git") from None


def _full(path: str, here: Path) -> Path:
    full = os.path.abspath(here.resolve() / os.path.expanduser(path))
    return Path(full)


def _repository(path: Path) -> tuple[str, str]:
    """Return the top folder of the repository that holds a path, which need not exist, and the path below it."""
    folder = next(place for place in path.parents if place.is_dir())
    top = _top(str(folder))
    for full in (path, folder.resolve() / path.relative_to(folder)):
        if full.is_relative_to(top):
            return top, full.relative_to(top).as_posix()
    raise BotError(f"{path} is not in the repository {top}; name the file by its path there")


@lru_cache(maxsize=256)
def _top(folder: str) -> str:
    found = _git(folder, "rev-parse", "--show-toplevel")
    if not found.returncode:
        return os.path.realpath(os.fsdecode(found.stdout.removesuffix(b"\n")))
    said = found.stderr.decode(errors="replace")
    if refused := re.search(r"safe\.directory .+", said):
        raise BotError(
            f"Git refuses to read the repository around {folder}, which belongs to another user; if you trust it:"
            f" git config --global --add {refused[0]}"
        )
    if "not a git repository" in said or "work tree" in said:
        raise BotError(f"{folder} is in no Git repository, so it has no revisions; make one: git init, git commit")
    raise BotError(f"Git cannot read the repository around {folder}: {first_line(said, 200)}")


def _commit(top: str, revision: str) -> str | None:
    """Return the full hash of a commit; None if there is none."""
    if _COMMIT.fullmatch(revision):
        return revision
    if not revision.isprintable() or not revision:
        return None
    found = _git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    return None if found.returncode else found.stdout.decode().split()[-1]


def _unknown(top: str, path: str, revision: str) -> NoReturn:
    """Raise BotError for a revision that does not exist."""
    if not revision:
        raise BotError(f"'{path}@' names no revision; write a branch, a tag or a commit after the @, such as HEAD")
    if revision == "HEAD":
        raise BotError(f"{path}: nothing is committed in this repository yet; git add and git commit the bot first")
    listed = _git(top, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes")
    remedy = did_you_mean(revision, listed.stdout.decode(errors="replace").split())
    if not remedy:
        shallow = "; this clone is shallow, and git fetch --unshallow fetches the others"
        remedy = shallow if is_shallow(top) else "; git log and git tag list them"
    raise BotError(f"{path}: there is no revision {quoted(revision)}{remedy}")


def is_shallow(top: str) -> bool:
    """Return whether a repository lacks the older commits."""
    return _git(top, "rev-parse", "--is-shallow-repository").stdout.strip() == b"true"


@lru_cache(maxsize=4096)
def _about(top: str, commit: str) -> Revision:
    head, _, message = _git(top, "cat-file", "commit", commit).stdout.partition(b"\n\n")
    lines = dict(line.partition(" ")[::2] for line in reversed(head.decode(errors="replace").splitlines()))
    subject = " ".join(message.strip().partition(b"\n\n")[0].decode(errors="replace").split())
    return Revision(commit, subject, utc_iso(float(lines["committer"].split()[-2])))


@lru_cache(maxsize=4096)
def _bundle_at(top: str, inner: str, commit: str) -> Bundle:
    """Read the files of the bot in a commit, from a folder that holds what may belong to it as in a working tree."""
    with TemporaryDirectory(prefix="arena-") as place:
        root = Path(os.path.realpath(place), *Path(top).parts[1:])
        path = root / inner
        path.parent.mkdir(parents=True)
        try:
            _write(top, commit, os.path.dirname(inner), path.parent, "" if is_alone(path) else path.stem)
        except OSError as error:
            raise BotError(f"cannot write the files of {inner} in commit {commit[:7]}: {error.strerror}") from None
        real = path.resolve()
        if real != path and real.is_relative_to(root):  # a link, perhaps into another folder
            return _bundle_at(top, real.relative_to(root).as_posix(), commit)
        if real != path or not path.is_file():
            raise BotError(_why_missing(top, inner, commit))
        try:
            bundle = read_bundle(path)
        except BotError as error:
            raise BotError(f"in commit {commit[:7]}, {error}".replace(os.path.realpath(place), "")) from None
    for file, content in bundle.files.items():
        if content.content.startswith(_POINTER):
            raise BotError(
                f"{file} of commit {commit[:7]} lies in Git LFS, and the commit only points to it; keep in Git"
                " itself what a bot needs, to play its older versions"
            )
    return bundle


def _write(top: str, commit: str, folder: str, home: Path, stem: str) -> None:
    """Write what may belong to a bot: all files of a folder, or with a stem the modules and what is called like it."""
    entries = [entry for entry in _tree(top, commit, folder) if {"", ".", ".."}.isdisjoint(entry.path.split("/"))]
    if stem and not any(entry.mode == _LINK for entry in entries):
        entries = [entry for entry in entries if entry.path.startswith(stem) or entry.path.endswith(_MODULES)]
    if any(entry.mode == _SUBMODULE for entry in entries):
        raise BotError(
            f"{folder} has a submodule in commit {commit[:7]}, whose files another repository has; put a copy"
        )
    if sum(entry.size for entry in entries) > _MOST_BYTES:
        raise BotError(f"{folder} has more than {_MOST_BYTES >> 20} MiB in commit {commit[:7]}; give the bot its own")
    asked = "".join(f"{entry.digest}\n" for entry in entries).encode()
    answers = BytesIO(_git(top, "cat-file", "--batch", given=asked).stdout)
    links: dict[Path, bytes] = {}
    for entry in entries:
        head = answers.readline().split()
        if head[1:2] != [b"blob"]:
            raise BotError(f"Git has no content of {entry.path} in commit {commit[:7]}; a partial clone can fetch it")
        content, to = answers.read(int(head[2]) + 1)[:-1], home / entry.path
        to.parent.mkdir(parents=True, exist_ok=True)
        if entry.mode == _LINK:
            links[to] = content
        else:
            to.write_bytes(content)
            to.chmod(0o755 if entry.mode == _PROGRAM else 0o644)
    for to, target in links.items():  # at last, so that nothing is written through one
        os.symlink(target, to)


class _Entry(NamedTuple):
    """A file in a commit; its path starts at a folder."""

    mode: str
    digest: str
    size: int
    path: str


def _tree(top: str, commit: str, folder: str) -> list[_Entry]:
    """Return the files of a commit below a folder."""
    listed = _git(top, "ls-tree", "-r", "-l", "-z", "--full-tree", commit, *([f"{folder}/"] if folder else []))
    if listed.returncode:
        _unknown(top, folder or top, commit)
    entries = []
    for line in os.fsdecode(listed.stdout).split("\0")[:-1]:
        about, _, path = line.partition("\t")
        mode, _, digest, size = about.split()
        entries.append(_Entry(mode, digest, int(size) if size.isdigit() else 0, path.removeprefix(f"{folder}/")))
    return entries


def _why_missing(top: str, inner: str, commit: str) -> str:
    """Say that there is no such file in a commit, and what it was called then."""
    text = f"there is no {inner} in commit {commit[:7]}"
    options = ("-r", "-z", "-M", "--no-ext-diff", "--no-textconv", "--diff-filter=R", "--name-status")
    names = os.fsdecode(_git(top, "diff-tree", *options, commit, "HEAD").stdout).split("\0")
    renamed = dict(zip(names[2::3], names[1::3]))
    if inner in renamed:
        return f"{text}; it was called {renamed[inner]} then"
    near = did_you_mean(inner, [entry.path for entry in _tree(top, commit, "") if entry.path.endswith(".py")])
    return f"{text}{near or f'; git log -- {inner} shows the commits that have it'}"
