"""Read a bot as it was in a commit, `bots/mybot.py@HEAD~3`, through Git and without a checkout.

Only Git's own commands that read objects are called, without the shell, without the environment's `GIT_*` and without
fetching: no hook, filter or monitor runs, and no file of the working tree changes. Which files a bot has follows from
the same rule as for files on disk (`arena.bots.bundle`).
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from errno import ENOENT
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NoReturn

from arena.bots.bundle import Bundle, bundle_in, read_bundle
from arena.bots.faults import BotError
from arena.errors import did_you_mean
from arena.text import first_line, quoted, utc_iso

_GIT = ("git", "--no-pager", "--literal-pathspecs", "-c", "protocol.allow=never", "-c", "core.fsmonitor=false")
_TARGET = re.compile(r"(?P<path>.*?(?:\.py|/))@(?P<revision>.*)", re.DOTALL)
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_LAST = re.compile(r"last-([1-9]\d{0,3})")
_POINTER = b"version https://git-lfs.github.com/"
_MOST_LINKS = 40
_LINK, _SUBMODULE = b"120000", b"160000"


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
    folder = os.path.dirname(file.inner)
    listed = _git(
        file.top, "rev-list", "--first-parent", "--parents", "--end-of-options", commits, "--", *filter(None, [folder])
    )
    if listed.returncode:
        _unknown(file.top, file.inner, commits)
    lines = [line.split() for line in listed.stdout.decode().splitlines()]
    # parents are those that changed the folder; of the oldest, one outside the range or none
    for number, (commit, *_) in enumerate(lines):
        now = _files_in(file.at(commit))
        older = file.at(lines[number + 1][0]) if number + 1 < len(lines) else file.at(f"{commit}^")
        if now is not None and now != _files_in(older):
            yield file.at(commit)


def same_files(one: Bundle, other: Bundle) -> bool:
    """Return whether two bundles are equal, line ends of Python sources aside."""
    return _plain(one) == _plain(other)


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
    files = _CommitFiles(file.top, file.commit, "/".join(parts[:fixed]))
    names = [os.path.relpath(path, file.top) for path in sorted(files.blobs)]
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


def _git(folder: str, *args: str) -> subprocess.CompletedProcess[bytes]:
    """Run Git in a folder. BotError if it is not installed."""
    try:
        return subprocess.run([*_GIT, "-C", folder, *args], capture_output=True, env=_environment(), check=False)
    except FileNotFoundError:
        raise BotError("Git is not installed, and PATH@REVISION is read through it; install git") from None


def _environment() -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return {**kept, "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}


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
    if "dubious ownership" in said:
        raise BotError(
            f"Git refuses to read the repository around {folder}, which belongs to another user; if you trust it:"
            " git config --global --add safe.directory FOLDER"
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
    if is_shallow(top):
        raise BotError(
            f"{path}: there is no revision {quoted(revision)} in this clone, which is shallow; fetch the others:"
            " git fetch --unshallow"
        )
    listed = _git(top, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes")
    names = listed.stdout.decode(errors="replace").split()
    near = did_you_mean(revision, names)
    raise BotError(f"{path}: there is no revision {quoted(revision)}{near or '; git log and git tag list them'}")


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
    """Read the files of the bot in a commit."""
    path = Path(top, inner)
    files = _CommitFiles(top, commit, os.path.dirname(inner))
    try:
        return bundle_in(files, Path(files.realpath(str(path))))
    except OSError:
        raise BotError(_why_missing(files, top, inner, commit)) from None
    finally:
        files.close()


def _why_missing(files: _CommitFiles, top: str, inner: str, commit: str) -> str:
    """Say that there is no such file in a commit, and what it was called then."""
    text = f"there is no {inner} in commit {commit[:7]}"
    listed = _git(
        *(top, "diff-tree", "-r", "-z", "-M", "--no-ext-diff", "--no-textconv", "--diff-filter=R", "--name-status"),
        *(commit, "HEAD"),
    )
    names = os.fsdecode(listed.stdout).split("\0")
    renamed = {new: old for old, new in zip(names[1::3], names[2::3])}
    if inner in renamed:
        return f"{text}; it was called {renamed[inner]} then"
    paths = [os.path.relpath(path, top) for path in files.blobs if path.endswith(".py")]
    return f"{text}{did_you_mean(inner, paths) or f'; git log -- {inner} shows the commits that have it'}"


class _CommitFiles:
    """The files of a commit (`arena.bots.bundle.FileSystem`), under the paths that they have in the working tree."""

    def __init__(self, top: str, commit: str, folder: str) -> None:
        self._top = top
        self._commit = commit
        self.blobs: dict[str, tuple[bytes, str, bytes]] = {}  # mode, hash, size
        self._folders: dict[str, set[str]] = {}
        self._links: set[str] = set()
        self._objects: subprocess.Popen[bytes] | None = None
        if folder:
            self._list(folder + "/")
        if os.path.join(top, folder) not in self._folders:  # perhaps a link
            self._list()

    def _list(self, *folder: str) -> None:
        listed = _git(self._top, "ls-tree", "-r", "-l", "-z", "--full-tree", self._commit, *folder)
        if listed.returncode:
            _unknown(self._top, self._top, self._commit)
        for entry in listed.stdout.split(b"\0")[:-1]:
            about, _, name = entry.partition(b"\t")
            mode, _, digest, size = about.split()
            path = os.path.join(self._top, os.fsdecode(name))
            self.blobs[path] = mode, digest.decode(), size
            if mode == _LINK:
                self._links.add(path)
            while path != self._top:
                inner, path = path, os.path.dirname(path)
                self._folders.setdefault(path, set()).add(os.path.basename(inner))

    def realpath(self, path: str) -> str:
        """Return the path without links of the commit."""
        path = os.path.normpath(path)
        for _ in range(_MOST_LINKS if self._links else 0):
            links = [link for link in self._links if path == link or path.startswith(f"{link}/")]
            if not links:
                break
            to = os.fsdecode(self._content(self.blobs[links[0]][1]))
            path = os.path.normpath(os.path.join(os.path.dirname(links[0]), to) + path.removeprefix(links[0]))
        return path

    def listdir(self, folder: str) -> list[str]:
        """Return the names in a folder."""
        names = self._folders.get(self.realpath(folder))
        if names is None:
            raise FileNotFoundError(ENOENT, os.strerror(ENOENT), folder)
        return sorted(names)

    def isdir(self, path: str) -> bool:
        """Return whether there is a folder. BotError for a submodule."""
        real = self.realpath(path)
        if real in self.blobs and self.blobs[real][0] == _SUBMODULE:
            raise BotError(
                f"{path} is a submodule in commit {self._commit[:7]}, whose files another repository has; to play this"
                " version, put the files into the bot's own"
            )
        return real in self._folders

    def isfile(self, path: str) -> bool:
        """Return whether there is a file."""
        return self.realpath(path) in self.blobs and not self.isdir(path)

    def is_executable(self, path: str) -> bool:
        """Return whether a file may be run as a program."""
        return self.blobs[self.realpath(path)][0] == b"100755"

    def size(self, path: str) -> int:
        """Return the size of a file. BotError if this clone lacks it."""
        if not self.isfile(path):
            raise FileNotFoundError(ENOENT, os.strerror(ENOENT), path)
        size = self.blobs[self.realpath(path)][2]
        if not size.isdigit():
            raise BotError(
                f"{path} of commit {self._commit[:7]} is not in this clone, which is partial; fetch it, for example by"
                f" git checkout {self._commit[:7]} in another worktree"
            )
        return int(size)

    def read(self, path: str, most: int) -> bytes:
        """Return the content of a file. BotError for a pointer of Git LFS."""
        content = self._content(self.blobs[self.realpath(path)][1])
        if content.startswith(_POINTER):
            raise BotError(
                f"{path} of commit {self._commit[:7]} lies in Git LFS, and the commit only points to it; keep what a"
                " bot needs in Git itself to play its older versions"
            )
        return content

    def _content(self, digest: str) -> bytes:
        if self._objects is None:
            self._objects = subprocess.Popen(
                [*_GIT, "-C", self._top, "cat-file", "--batch"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        asked, answers = self._objects.stdin, self._objects.stdout
        assert asked is not None
        assert answers is not None
        asked.write(f"{digest}\n".encode())
        asked.flush()
        _, kind, *size = answers.readline().split()
        if kind != b"blob":
            raise BotError(f"Git cannot read an object of commit {self._commit[:7]}: git fsck says what is damaged")
        return answers.read(int(size[0]) + 1)[:-1]

    def close(self) -> None:
        """End Git."""
        if self._objects is not None:
            self._objects.communicate()
