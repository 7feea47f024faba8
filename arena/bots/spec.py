"""Find the file of the bot that a spec names.

A bot is named, everywhere in the program, in one of these ways, with parameters after a colon if it has any:

* `bots/greedy.py`, `bots/search.py:rollouts=200,depth=2`: a file with one bot in it;
* `greedy`, `mine`, `search:rollouts=200`: one of those that come with the program, or else a file in
  the folder `bots` here;
* `package.module:Class`, `package.module:Class:depth=2`, `package.module:act`: a class or the function `act` of an
  installed package;
* `cmd:./mybot --fast`: a command, for bots in any language;
* `bots/mybot.py@HEAD~3`, `bots/mybot.py@v1:depth=2`: a file as it was in a commit (`arena.bots.revision`);
* `mine=bots/greedy.py`: any of these under a name of its own, for the tables.

No code of a bot is run here: `find_bot` only looks at the file system.
"""

from __future__ import annotations

import filecmp
import hashlib
import importlib.util
import os
import re
import shlex
import shutil
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib.machinery import PathFinder
from pathlib import Path

from arena.bots.bot import Param
from arena.bots.bundle import Bundle, OwnFiles, is_alone, package_hash, package_home, read_bundle
from arena.bots.faults import BotError
from arena.bots.revision import FileRevision, committed, find_revision, missing_files, same_files, split_revision
from arena.errors import BotWarning, did_you_mean
from arena.paths import data_folder
from arena.text import one_line, quoted

MODULE = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)")
"""A class or the function `act` of a package."""
_SPEC = re.compile(r"(?:(?P<name>[^:=/\\]+)=)?(?P<target>.*?)(?::(?P<params>[A-Za-z_]\w*=.*))?", re.DOTALL)
_NEXT = re.compile(r",(?=\s*[A-Za-z_]\w*\s*=)")
"""The comma before a parameter; any other belongs to a value."""
PREFIX = "cmd:"
#: Where the system's programs are. The sandbox shows these folders to bots that are commands.
SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SYSTEM = tuple(f"{folder}/" for folder in SYSTEM_FOLDERS)
_COMMAND_SPEC = re.compile(r"(?:(?P<name>[^:=/\\]+)=)?\s*cmd:(?P<command>.*)", re.DOTALL)
_INTERPRETER = re.compile(
    r"(sh|bash|dash|python|pypy|node|deno|bun|java|ruby|perl|lua|luajit|php|julia|Rscript|dotnet)[\d.]*"
)
_WORD = re.compile(r"[\w./~ -]*\w[\w./~ -]*")
_SCRIPT = re.compile(r"[\w./~-]+\.(py|js|mjs|cjs|ts|rb|pl|lua|php|jl|R|jar)")
_EXAMPLE = "cmd:./mybot --fast or cmd:node bots/mine.js"
_HASH_DIGITS = 10  # in the name of a version


@dataclass(frozen=True)
class BotSpec:
    """A bot that was found, with all that a worker needs to load it: plain values, cheap to pickle.

    `spec` is the text that named it, `target` the same without name and parameters, `path` its file, `source_hash`
    identifies all files that the bot consists of (`arena.bots.bundle`), and `bundle` has them until they are written to
    the folder `home`, from where it is loaded; without one it is loaded from where its file lies. `params` are as
    written, not yet typed. `revision` is the commit that a bot was read from, `labels` say which it is.

    For a command (`cmd:...`) `command` has its words with absolute paths, `path` is the first of its own files,
    `files` has them all; the hash covers the command as written and what is in these files, not what they load in turn.
    """

    name: str
    spec: str
    target: str
    path: str
    source_hash: str
    params: tuple[tuple[str, Param], ...] = ()
    command: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    home: str = ""
    bundle: Bundle | None = field(default=None, compare=False, repr=False)
    revision: FileRevision | None = field(default=None, compare=False, repr=False)
    labels: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def loaded_from(self) -> Path:
        """Return the file that is run: in `home`, or where it lies."""
        path = Path(self.path)
        return Path(self.home, path.name) if self.home else path

    @property
    def folder(self) -> Path:
        """Return the folder that holds all that is run, unless it is installed: of a package, its own."""
        path = self.loaded_from
        if module := MODULE.fullmatch(self.target):
            home = package_home(path, module[1])
            return path.parent if home == path.parent else home / module[1].partition(".")[0]
        return path.parent

    def placed(self, folder: Path) -> BotSpec:
        """Write the bundle, if there is one, to a folder of bundles, and return the bot as it is loaded from there."""
        if self.bundle is None:
            return self
        path = self.bundle.write(folder) / self.bundle.entry
        return replace(self, home=str(path.parent), bundle=None, revision=None)


@dataclass(frozen=True)
class ParsedSpec:
    """A parsed spec: its own name or None, what it names, parameters as strings."""

    name: str | None
    target: str
    params: dict[str, str]


def parse_spec(text: str) -> ParsedSpec:
    """Parse a spec. `BotError` if it is malformed.

    >>> parse_spec("deep=bots/search.py:rollouts=200,depth=2")
    ParsedSpec(name='deep', target='bots/search.py', params={'rollouts': '200', 'depth': '2'})
    >>> parse_spec("bots/list.py:stones=4,5,6,depth=2").params
    {'stones': '4,5,6', 'depth': '2'}
    >>> parse_spec("package.module:Class")
    ParsedSpec(name=None, target='package.module:Class', params={})
    >>> parse_spec("fast=cmd:./mybot --depth=3")
    ParsedSpec(name='fast', target='cmd:./mybot --depth=3', params={})
    """
    command = _COMMAND_SPEC.fullmatch(text.strip())
    if command is not None:
        name = command["name"]
        return ParsedSpec(name.strip() if name else None, PREFIX + command["command"].strip(), {})
    match = _SPEC.fullmatch(text.strip())
    assert match is not None  # everything matches
    target = match["target"].strip()
    if not target:
        raise BotError(f"'{text}' names no bot; a bot is a file (bots/greedy.py), a name or package.module:Class")
    params: dict[str, str] = {}
    for part in _NEXT.split(match["params"]) if match["params"] else ():
        key, _, value = (piece.strip() for piece in part.partition("="))
        if key in params:
            raise BotError(f"parameter '{key}' is given twice in the bot '{text}'")
        params[key] = value
    name = match["name"]
    return ParsedSpec(name.strip() if name else None, target, params)


def display_name(target: str, params: Mapping[str, Param]) -> str:
    """Return the name in tables of a bot that was given none.

    >>> display_name("bots/search.py", {"rollouts": 200})
    'search:rollouts=200'
    >>> display_name("package.module:Class", {}), display_name("package.module:act", {})
    ('Class', 'module')
    >>> display_name("cmd:node bots/wire/js/counter.js", {})
    'counter'
    """
    if target.startswith(PREFIX):
        return command_name(target)
    module = MODULE.fullmatch(target)
    if module is None:
        short = re.split(r"[/\\]", target)[-1].removesuffix(".py")
    else:
        short = module[1].rpartition(".")[2] if module[2] == "act" else module[2]
    return short + params_text(params)


def params_text(params: Mapping[str, Param]) -> str:
    """Return parameters as they follow the target in a spec.

    >>> params_text({"rollouts": 200, "depth": 2}), params_text({})
    (':rollouts=200,depth=2', '')
    """
    return ":" * bool(params) + ",".join(f"{key}={value}" for key, value in params.items())


def find_bot(
    text: str, params: Mapping[str, Param] | None = None, name: str | None = None, folder: Path | str | None = None
) -> BotSpec:
    """Find the bot of a spec without running its code; `BotError` if there is none.

    `params` and `name` take precedence over those in the text. Relative paths and bare names are
    looked up from `folder`, default the working directory. A `BotWarning` says if both a bot that comes with the
    program and a file there have a bare name.

    >>> find_bot("random").name, find_bot("deep=search:rollouts=50").name
    ('random', 'deep')
    """
    parts = parse_spec(text)
    given: dict[str, Param] = {**parts.params, **dict(sorted((params or {}).items()))}
    for key, value in given.items():
        if found := _NEXT.search(str(value)):
            cut = str(value)[found.end() :]
            raise BotError(f"bot {parts.target}: in the value of '{key}', ',{cut}' would begin another parameter")
    here = Path.cwd() if folder is None else Path(folder)
    if parts.target.startswith(PREFIX):
        return _command_spec(name or parts.name, text, parts.target, given, here)
    if (at := split_revision(parts.target, here)) is not None:
        file = find_revision(*at, here)
        pinned = f"{at[0]}@{file.commit}{params_text(parts.params)}"
        return _revision_spec(name or parts.name, pinned, parts.target, file, given)
    path = _find_file(parts.target, here)
    if (own := overlooked_file(parts.target, folder)) is not None:
        warnings.warn(
            f"'{parts.target}' means the bot that comes with the program; for the file here, write {own}",
            BotWarning,
            stacklevel=1,  # each of them once in a program, wherever it looks for the bot
        )
    chosen = name or parts.name or display_name(parts.target, given)
    return _file_spec(chosen, text, parts.target, path, given)


def find_target(text: str) -> Path:
    """Return the file that a spec names (of a command, its first) without reading it; `BotError` if there is none."""
    target = parse_spec(text).target
    if (at := split_revision(target, Path.cwd())) is not None:
        file = find_revision(*at, Path.cwd())
        return Path(file.top, file.inner).with_name(file.bundle.entry)
    return find_command(target, Path.cwd())[1][0] if target.startswith(PREFIX) else _find_file(target, Path.cwd())


def _file_spec(name: str, text: str, target: str, path: Path, params: Mapping[str, Param]) -> BotSpec:
    name = checked_name(name, text)
    if not _is_utf8(str(path)):
        raise BotError(f"the path {quoted(str(path))} is not UTF-8 and cannot be stored; rename it")
    if module := MODULE.fullmatch(target):
        with _readable(target, path):
            return BotSpec(name, text, target, str(path), package_hash(path, module[1]), tuple(params.items()))
    with _readable(target, path):
        bundle = read_bundle(path)
    if bundle.unlisted:
        warnings.warn(_unlisted_text(target, path, bundle.unlisted), BotWarning, stacklevel=1)
    return BotSpec(name, text, target, str(path), bundle.hash, tuple(params.items()), bundle=bundle)


def _revision_spec(
    name: str | None, spec: str, target: str, file: FileRevision, params: Mapping[str, Param]
) -> BotSpec:
    """Return the bot in a commit; `spec` names it by the full hash, whatever it was named by."""
    bundle = file.bundle
    if missing := missing_files(file):
        warnings.warn(
            f"{target} plays without {', '.join(missing[:3])}{', ...' * (len(missing) > 3)}, which the working tree has"
            " and the commit lacks; commit what the bot needs",
            BotWarning,
            stacklevel=1,
        )
    name = checked_name(name or version_name(bundle, params), target)
    # messages show its code under a path of its own, for the file may have changed
    path = file.path.parent.with_name(f"{file.path.parent.name}@{file.commit[:7]}") / bundle.entry
    return BotSpec(
        name,
        spec,
        target,
        str(path),
        bundle.hash,
        tuple(params.items()),
        bundle=bundle,
        revision=file,
        labels={**vars(file.about), "named": target},
    )


def version_name(bundle: Bundle, params: Mapping[str, Param]) -> str:
    """Return the name in tables of one of several versions of a bot."""
    return display_name(f"{Path(bundle.entry).stem}@{bundle.hash[:_HASH_DIGITS]}", params)


def with_versions(specs: Sequence[BotSpec]) -> list[BotSpec]:
    """Name bots in the working tree as their revisions beside them are named; of equal ones each is the first.

    BotError if all are equal.
    """
    files = {spec.revision.path.resolve(): spec.revision for spec in specs if spec.revision is not None}
    named = [
        spec if spec.bundle is None or Path(spec.path) not in files else _as_version(spec, files[Path(spec.path)])
        for spec in specs
    ]
    revisions = [spec for spec in named if spec.revision is not None]
    found: list[BotSpec] = []
    for spec in named:
        others = [*revisions, *found] if spec.revision is None else revisions
        found.append(next((other for other in others if _is_equal(spec, other)), spec))
    if revisions and len(specs) > 1 and all(spec is found[0] for spec in found):
        names = " and ".join(dict.fromkeys(spec.target for spec in specs))
        raise BotError(f"nothing changed: {names} are the same files with the same parameters")
    return found


def _as_version(spec: BotSpec, beside: FileRevision) -> BotSpec:
    """Return a bot in the working tree as a version: the last commit's if it is as committed."""
    params = dict(spec.params)
    name = None if spec.name == display_name(spec.target, params) else spec.name
    assert spec.bundle is not None
    if (last := committed(beside, spec.bundle)) is not None:
        path = spec.target if spec.target.endswith(".py") else spec.path
        pinned = f"{path}@{last.commit}{params_text(parse_spec(spec.spec).params)}"
        return _revision_spec(name, pinned, spec.target, last, params)
    labels = {"commit": "", "subject": "", "date": "", "named": spec.target}
    return replace(spec, name=name or version_name(spec.bundle, params), labels=labels)


def _is_equal(spec: BotSpec, other: BotSpec) -> bool:
    """Return whether two bots have the same files and parameters, and one of them is from a commit."""
    if spec.bundle is None or other.bundle is None or spec.revision is other.revision is None:
        return spec is other
    first, second = ({key: str(value) for key, value in bot.params} for bot in (spec, other))
    return first == second and same_files(spec.bundle, other.bundle)


def _unlisted_text(target: str, path: Path, names: Sequence[str]) -> str:
    """Say which files a bot names and does not have when it plays, and what to do."""
    listed = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    remedy = f"call it {path.stem}_{names[0]}, or give the bot a folder of its own, as {path.stem}/{path.stem}.py"
    if is_alone(path):
        remedy = "Python files belong to a bot if they are imported, *.log and *.md never; import it, or rename it"
    return f"{target} names {listed}, which it does not have when it plays: {remedy}"


def _command_spec(name: str | None, text: str, target: str, given: Mapping[str, Param], here: Path) -> BotSpec:
    if given:
        raise BotError(
            f"the bot '{target}' is a command and has no parameters ({', '.join(given)}); write arguments behind it, "
            f"such as {target} --{next(iter(given))}={next(iter(given.values()))}"
        )
    for word in command_words(target):
        if (at := split_revision(word, here)) is not None and os.path.isfile(here / at[0]):
            raise BotError(
                f"'{target}': a command has no revisions, and {word} is no file; check out the commit elsewhere"
            )
    argv, paths = find_command(target, here)
    files = tuple(map(str, paths))
    chosen = checked_name(name or command_name(target), text)
    if not _is_utf8(" ".join((target, *files))):
        raise BotError(f"the command {quoted(target)} has a path that is not UTF-8 and cannot be stored; rename it")
    return BotSpec(chosen, text, target, files[0], command_hash(target, paths), (), argv, files)


def checked_name(name: str, text: str) -> str:
    """Return the name if it can be shown on one line; `text` is the spec. BotError with a remedy if not.

    >>> checked_name("caf\xe9", "x")
    'caf\xe9'
    """
    if name != one_line(name):
        plain = text.partition("=")[2] if parse_spec(text).name else text
        raise BotError(
            f"the bot's name {quoted(name)} cannot be shown on one line; give it another: {quoted('NAME=' + plain)}"
        )
    return name


def _is_utf8(text: str) -> bool:
    return not any(0xD800 <= ord(sign) < 0xE000 for sign in text)


def find_bots(texts: Iterable[str]) -> list[BotSpec]:
    """Find the bots of several specs; `BotError` if one cannot be found, or if two have the same name."""
    specs = with_versions([find_bot(text) for text in texts])
    specs = [spec for number, spec in enumerate(specs) if not any(spec is other for other in specs[:number])]
    check_names(specs)
    return specs


def check_names(specs: Iterable[BotSpec]) -> None:
    """Raise `BotError` with the remedy if two bots have the same name."""
    seen: dict[str, BotSpec] = {}
    for spec in specs:
        other = seen.setdefault(spec.name, spec)
        if other is not spec:
            both = f"{other.spec} and {spec.spec}" if other.spec != spec.spec else f"{spec.spec}, twice"
            plain = spec.spec.partition("=")[2] if parse_spec(spec.spec).name else spec.spec
            remedy = f"give one a name of its own: '{re.split('[:=]', spec.name)[0]}2={plain}'"
            raise BotError(f"two bots are called '{spec.name}' ({both}); {remedy}")


def known_bots(folder: Path | str | None = None) -> list[str]:
    """Return the bare names that can be used, sorted: files of `bots` here and of the program's own.

    >>> {"random", "greedy", "counter"} <= set(known_bots())
    True
    """
    here = Path.cwd() if folder is None else Path(folder)
    places = (data_folder("bots"), here / "bots")
    return sorted({path.stem for place in places for path in place.glob("*.py") if path.stem[0] != "_"})


def overlooked_file(target: str, folder: Path | str | None = None) -> Path | None:
    """Return a file of this name in `folder` or its `bots`, if the name means a bot that comes with the program.

    A copy of that bot is not overlooked. Without a folder, the path starts at the working directory.
    """
    packaged = data_folder("bots") / f"{target}.py"
    if "/" in target or "\\" in target or not os.path.isfile(packaged):
        return None
    for own in (Path(folder or "", "bots", packaged.name), Path(folder or "", packaged.name)):
        with suppress(OSError):
            if os.path.isfile(own) and not (os.access(own, os.R_OK) and filecmp.cmp(own, packaged, shallow=False)):
                return own
    return None


def _find_file(target: str, here: Path) -> Path:
    if "/" in target or "\\" in target or target.endswith(".py"):
        return _existing_file(target, here)
    module = MODULE.fullmatch(target)
    if module:
        return _module_file(module[1], module[2], here)
    for place in (data_folder("bots"), here / "bots"):  # so that a rung of the ladder is the same bot everywhere
        path = place / f"{target}.py"
        if os.path.isfile(path):  # unlike `Path.is_file` it takes names of any length
            return path.resolve()
    if os.path.isfile(here / target):
        raise _no_python(target)
    if os.path.isdir(here / target):
        return _existing_file(target, here)
    names = known_bots(here)
    if "@" in target:
        raise BotError(
            f"'{target}': a revision goes with the file of a bot, such as bots/mybot.py@HEAD; bots that come with the"
            " program and packages have none"
        )
    raise BotError(
        f"unknown bot '{target}'{did_you_mean(target, names)} (known by name: {', '.join(names)}; "
        "others by file, such as bots/mine.py, or package.module:Class)"
    )


def _existing_file(target: str, here: Path) -> Path:
    try:
        path = (here / Path(target).expanduser()).resolve()
    except (OSError, RuntimeError) as error:  # links in a circle, a home that is not known
        raise BotError(f"no bot {target}: {error}") from None
    if os.path.isfile(path):
        if not target.endswith(".py"):
            raise _no_python(target)
        return path
    if os.path.isdir(path):
        files = sorted(one.name for one in path.glob("*.py"))
        choice = ", ".join(files) or "it has none"
        raise BotError(f"the bot {target} is a folder; name one file in it ({choice})")
    is_known = path.suffix == ".py" and path.stem in known_bots(here)
    known = f"; '{path.stem}' is known by name, without folder and .py" if is_known else ""
    raise BotError(f"no bot {target}: {_why_missing(path)}{known}")


def _no_python(target: str) -> BotError:
    path = target if "/" in target else f"./{target}"
    return BotError(
        f"{target} is there, but is no Python file (.py); a bot in another language is a command: 'cmd:{path}'"
    )


def _after_file(word: str) -> str:
    """Say what is wrong with a word after a file and a colon."""
    is_class = word[:1].isupper()
    return "one file is one bot, so its class is not named" if is_class else f"a parameter is written {word}=VALUE"


def _module_file(name: str, member: str, here: Path) -> Path:
    """Find the file of a module. Unlike `find_spec` with the whole name, do not run the packages on the way."""
    first, *inner = name.split(".")
    with first_on_path(here):
        try:
            found = importlib.util.find_spec(first)
            for part in inner:
                places = None if found is None else found.submodule_search_locations
                if found is None or places is None:
                    found = None
                    break
                found = PathFinder.find_spec(f"{found.name}.{part}", places)
        except Exception as error:
            raise BotError(f"cannot import {name}: {type(error).__name__}: {error}") from None
    if found is None or found.origin is None or not Path(found.origin).is_file():
        is_file = name.endswith(".py") and (here / name).is_file()
        way = _after_file(member) if is_file else f"it must be installed, or lie below {here}"
        raise BotError(f"there is no module {name}; {way}")
    return Path(os.path.abspath(found.origin))  # a link names the package


def read_source(target: str, path: Path) -> bytes:
    """Read the source of a bot."""
    with _readable(target, path):
        return OwnFiles(target, [str(path.parent)]).content(str(path))


@contextmanager
def _readable(target: str, path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BotError(f"cannot read the bot {target}: {error.strerror}: {path}") from None


@contextmanager
def first_on_path(folder: Path) -> Iterator[None]:
    """Find modules in a folder before all others."""
    entry = str(folder)
    sys.path.insert(0, entry)
    try:
        yield
    finally:
        if entry in sys.path:
            sys.path.remove(entry)


# ---------------------------------------------------------------- commands


def command_words(target: str) -> list[str]:
    """Split a command into words; `BotError` if there are none or a quote is unclosed.

    >>> command_words("cmd:./mybot --name 'two words' a=b,c:d")
    ['./mybot', '--name', 'two words', 'a=b,c:d']
    """
    try:
        words = shlex.split(target.removeprefix(PREFIX))
    except ValueError as error:
        raise BotError(f"the command of the bot '{target}' cannot be read: {error}".replace("No ", "no ")) from None
    if not words or not words[0]:
        raise BotError(f"the bot '{target}' names no program; write {_EXAMPLE}")
    if "\0" in target:
        raise BotError(f"the command of the bot {target!r} holds a NUL; no program can be given one")
    return words


def command_name(target: str) -> str:
    """Return the name in tables of a command that was given none: the first word that is not an interpreter.

    >>> command_name("cmd:node bots/wire/js/counter.js"), command_name("cmd:./mybot --fast"), command_name("cmd:mybot")
    ('counter', 'mybot', 'mybot')
    >>> command_name("cmd:sh -c 'exit; #'"), command_name("cmd:python3 -m mybot")
    ('sh', 'mybot')
    """
    try:
        words = command_words(target)
    except BotError:  # `find_command` says so
        return target
    stems = [Path(word).stem for word in words if _WORD.fullmatch(word) and not word.startswith(("-", *_SYSTEM))]
    return next((stem for stem in stems if not _INTERPRETER.fullmatch(stem)), Path(words[0]).stem)


def find_command(target: str, here: Path) -> tuple[tuple[str, ...], tuple[Path, ...]]:
    """Return the words of a command with absolute paths, and its own files; `BotError` if there is no program.

    Its own files are those that it names and that are not programs of the system, or else the program. Relative paths
    start at the folder `here`.
    """
    words = command_words(target)
    program = _program(words[0], target, here)
    argv, own = [str(program)], []
    for word in words[1:]:
        path = _absolute(here / os.path.expanduser(word))
        is_file = not word.startswith("-") and os.path.isfile(path)
        argv.append(str(path) if is_file else word)
        own += [path] * (is_file and not _is_system(path))
    if not own:
        script = next((word for word in words[1:] if not word.startswith("-")), "")
        if _INTERPRETER.fullmatch(Path(words[0]).name) and _SCRIPT.fullmatch(script):
            missing = _why_missing(here / os.path.expanduser(script))
            raise BotError(f"no file {script} for the bot '{target}': {missing}")
    if not _is_system(program) and "/" in words[0]:
        # the folder of a script is its bot's, and not that of the environment whose Python runs it
        own.insert(len(own) if _INTERPRETER.fullmatch(program.name) else 0, program)
    for word in words[1:] if not own else ():
        if word[:1] not in "-/" and all(os.path.exists(here / os.path.expanduser(part)) for part in word.split(":")):
            raise BotError(
                f"the command of the bot '{target}' names the folder {word}, but only files are looked for; "
                "write it into a script beside the bot: cmd:./run.sh"
            )
    files = tuple(dict.fromkeys(own)) or (program,)
    return tuple(argv), files


def _program(word: str, target: str, here: Path) -> Path:
    on_path = shutil.which(word) if "/" not in word else None
    plain = Path(on_path) if on_path else here / os.path.expanduser(word)
    # a link to an interpreter names its environment, in which it finds packages
    path = Path(os.path.abspath(plain)) if _INTERPRETER.fullmatch(plain.name) else _absolute(plain)
    if os.path.isdir(path):  # unlike `Path.is_dir` it takes names of any length
        raise BotError(f"the program of the bot '{target}' is a folder: {path}; name the program in it")
    if not os.path.isfile(path):
        why = _why_missing(path)
        if "/" not in word:
            why = f"it is neither on PATH nor a file in {here}"
        raise BotError(f"no program {word} for the bot '{target}': {why}")
    if not os.access(path, os.X_OK):
        raise BotError(
            f"the program of the bot '{target}' is not executable; chmod +x {path}, or name what runs it "
            f"(python3, sh, node ...): cmd:PROGRAM {word}"
        )
    return path


def _why_missing(path: Path) -> str:
    if not os.path.isdir(path.parent):
        return f"there is no folder {path.parent}"
    file, colon, word = path.name.rpartition(".py:")
    if colon and (path.parent / f"{file}.py").is_file():
        return _after_file(word)
    names = sorted(entry.name for entry in path.parent.iterdir() if entry.is_file())
    return f"there is no such file in {path.parent}{did_you_mean(path.name, names)}"


def _absolute(path: Path) -> Path:
    """Resolve links unless they lead to the system: the Python of a virtual environment stays in it."""
    plain = Path(os.path.abspath(path))
    real = Path(os.path.realpath(path))
    return plain if _is_system(real) else real


def _is_system(path: Path) -> bool:
    return str(path).startswith(_SYSTEM) or os.path.realpath(path).startswith(_SYSTEM)


def command_hash(target: str, files: Iterable[Path]) -> str:
    """Return the SHA-256 over the hashes of the command as written and of each file."""
    total = hashlib.sha256(hashlib.sha256(target.encode("utf-8", "surrogateescape")).digest())
    paths = [*files]
    reader = OwnFiles(target, [*map(str, paths), *SYSTEM_FOLDERS])
    for path in paths:
        try:
            total.update(hashlib.sha256(reader.content(str(path))).digest())
        except OSError as error:
            raise BotError(f"cannot read {path} of the bot '{target}': {error.strerror}") from None
    return total.hexdigest()


def check_unchanged(target: str, files: Iterable[str], source_hash: str) -> None:
    """Raise `BotError` if a file of a command has changed since the command was found."""
    if command_hash(target, map(Path, files)) != source_hash:
        raise BotError(f"a file of the bot '{target}' has changed since it was named; start again with the new one")
