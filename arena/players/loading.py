"""From a text to a bot: finding the file, running it in a namespace of its own, checking parameters.

A bot is named, everywhere in the program, in one of these ways, each with parameters behind a colon if it has
any:

* ``bots/greedy.py``, ``bots/search.py:rollouts=200,depth=2``: a file with one bot in it;
* ``greedy``, ``search:rollouts=200``: a file of the folder ``bots`` here, else one of those that came with
  the program;
* ``package.module:Class``, ``package.module:Class:depth=2``: a class of an installed package;
* ``cmd:./mybot --fast``: a command, for bots in any language (``arena.players.commands``);
* ``mine=bots/greedy.py``: any of these with a name of its own, for the tables.

``find_bot`` looks at the file system only; ``load_bot`` runs the bot's code. A ``BotSpec`` is what travels to
worker processes, and each of them loads the bot for itself. A file is run in a fresh namespace, so two bots
that are both called ``bot.py`` do not meet. While it is run, and during ``__init__``, its folder can be
imported from, and what it imports from there belongs to this bot alone; imports inside of ``act`` find
installed packages only.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import itertools
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.machinery import PathFinder
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, cast

from arena.errors import did_you_mean
from arena.paths import data_folder
from arena.players.bot import Act, Actor, Bot, Param
from arena.players.commands import command_name, find_command, split_spec
from arena.players.faults import BotError, author_traceback
from arena.players.imports import HARMLESS, imported_names, may_draw_from
from arena.players.output import bot_output
from arena.players.params import typed_params

_SPEC = re.compile(r"(?:(?P<name>[^:=/\\]+)=)?(?P<target>.*?)(?::(?P<params>[A-Za-z_]\w*=.*))?", re.DOTALL)
_MODULE = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)")
_PREFIX = "arena_bot_"
_MOST_BYTES = 64 << 20
_numbers = itertools.count(1)


@dataclass(frozen=True)
class BotSpec:
    """A bot that was found, and all a worker needs to load it: plain values, cheap to pickle.

    ``spec`` is the text that named it, ``target`` that text without name and parameters, ``path`` its file,
    ``source_hash`` the SHA-256 of that file. ``params`` are as they were written, not yet typed.

    For a command (``cmd:...``) ``command`` has its words with absolute paths, ``path`` is the first of its own files,
    ``files`` has them all, and the hash covers them and the command.
    """

    name: str
    spec: str
    target: str
    path: str
    source_hash: str
    params: tuple[tuple[str, Param], ...] = ()
    command: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class LoadedBot:
    """A bot whose code has been run and whose parameters are right; ``make`` brings bots to life.

    ``params`` are typed; ``imports`` are the top-level names of all modules that its code imports.
    """

    spec: BotSpec
    params: Mapping[str, Param]
    imports: frozenset[str]
    _entry: Any = field(repr=False)
    _module: ModuleType = field(repr=False)
    _helpers: dict[str, ModuleType] = field(repr=False, default_factory=dict)

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def uses_random(self) -> bool:
        """May it draw from the global generator of ``random``?"""
        return may_draw_from("random", self.imports)

    @property
    def uses_numpy(self) -> bool:
        """May it draw from the global generator of ``numpy.random``?"""
        return may_draw_from("numpy", self.imports)

    @property
    def harmless(self) -> bool:
        """Does it import nothing through which the state of the process can be changed?"""
        return self.imports <= HARMLESS

    def make(self) -> Actor:
        """A new bot. Whatever its ``__init__`` raises passes through."""
        if not isinstance(self._entry, type):
            return _FunctionBot(self._entry, self._module)
        with _own_imports(Path(self.spec.path).parent, self._helpers):
            return cast(Actor, self._entry(**self.params))


class _FunctionBot:
    """A module with a function ``act``; its ``auto_claim`` and ``ask_forced`` count if it has them."""

    def __init__(self, act: Act, module: ModuleType) -> None:
        self.act = act
        self.auto_claim = getattr(module, "auto_claim", True)
        self.ask_forced = getattr(module, "ask_forced", False)


# ---------------------------------------------------------------- finding


@dataclass(frozen=True)
class SpecText:
    """A spec taken apart: name of its own or None, what it names, parameters as texts."""

    name: str | None
    target: str
    params: dict[str, str]


def parse_spec(text: str) -> SpecText:
    """Take a spec apart. ``BotError`` for one that is badly written.

    >>> parse_spec("deep=bots/search.py:rollouts=200,depth=2")
    SpecText(name='deep', target='bots/search.py', params={'rollouts': '200', 'depth': '2'})
    >>> parse_spec("package.module:Class")
    SpecText(name=None, target='package.module:Class', params={})
    >>> parse_spec("fast=cmd:./mybot --depth=3")
    SpecText(name='fast', target='cmd:./mybot --depth=3', params={})
    """
    command = split_spec(text)
    if command is not None:
        return SpecText(*command, {})
    found = _SPEC.fullmatch(text.strip())
    assert found is not None  # everything matches
    target = found["target"].strip()
    if not target:
        raise BotError(
            f"'{text}' names no bot; a bot is a file (bots/greedy.py), a name or package.module:Class"
        )
    params: dict[str, str] = {}
    for part in found["params"].split(",") if found["params"] else ():
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not key:
            raise BotError(
                f"'{part}' in the bot '{text}' is no parameter; write {target}:key=value,key=value"
            )
        if key in params:
            raise BotError(f"parameter '{key}' stands twice in the bot '{text}'")
        params[key] = value
    name = found["name"]
    return SpecText(name.strip() if name else None, target, params)


def display_name(target: str, params: Mapping[str, Param]) -> str:
    """The name in the tables of a bot that was not given one.

    >>> display_name("bots/search.py", {"rollouts": 200}), display_name("package.module:Class", {})
    ('search:rollouts=200', 'Class')
    >>> display_name("cmd:node bots/wire/js/counter.js", {})
    'counter'
    """
    if target.startswith("cmd:"):
        return command_name(target)
    module = _MODULE.fullmatch(target)
    short = module[2] if module else re.split(r"[/\\]", target)[-1].removesuffix(".py")
    options = ",".join(f"{key}={value}" for key, value in params.items())
    return f"{short}:{options}" if options else short


def find_bot(
    text: str,
    params: Mapping[str, Param] | None = None,
    name: str | None = None,
    folder: Path | str | None = None,
) -> BotSpec:
    """Find the bot of a spec without running its code; ``BotError`` if there is none.

    ``params`` and ``name`` add to those in the text (and go before them). Relative paths and bare names are
    looked up from ``folder``, default the working directory.

    >>> find_bot("random").name, find_bot("deep=search:rollouts=50").name
    ('random', 'deep')
    """
    parts = parse_spec(text)
    given: dict[str, Param] = {**parts.params, **dict(sorted((params or {}).items()))}
    here = Path.cwd() if folder is None else Path(folder)
    if parts.target.startswith("cmd:"):
        return _command_spec(name or parts.name, text, parts.target, given, here)
    path = _find_file(parts.target, here)
    source = _read(parts.target, path)
    chosen = name or parts.name or display_name(parts.target, given)
    return BotSpec(
        chosen, text, parts.target, str(path), hashlib.sha256(source).hexdigest(), tuple(given.items())
    )


def _command_spec(
    name: str | None, text: str, target: str, given: Mapping[str, Param], here: Path
) -> BotSpec:
    if given:
        raise BotError(
            f"the bot '{target}' is a command and has no parameters ({', '.join(given)}); write arguments behind it, "
            f"such as {target} --{next(iter(given))}={next(iter(given.values()))}"
        )
    found = find_command(target, here)
    files = tuple(map(str, found.files))
    chosen = name or command_name(target)
    return BotSpec(chosen, text, target, files[0], found.source_hash, (), found.argv, files)


def find_bots(texts: Iterable[str], folder: Path | str | None = None) -> list[BotSpec]:
    """As ``find_bot`` for each text; ``BotError`` also for two bots of one name."""
    specs = [find_bot(text, folder=folder) for text in texts]
    check_names(specs)
    return specs


def check_names(specs: Iterable[BotSpec]) -> None:
    """``BotError`` with the remedy if two bots have the same name."""
    seen: dict[str, BotSpec] = {}
    for spec in specs:
        other = seen.setdefault(spec.name, spec)
        if other is not spec:
            both = f"{other.spec} and {spec.spec}" if other.spec != spec.spec else f"{spec.spec}, twice"
            plain = spec.spec.partition("=")[2] if parse_spec(spec.spec).name else spec.spec
            remedy = f"give one a name of its own: '{_other_name(spec.name)}={plain}'"
            raise BotError(f"two bots are called '{spec.name}' ({both}); {remedy}")


def _other_name(name: str) -> str:
    return f"{re.split('[:=]', name)[0]}2"


def known_bots(folder: Path | str | None = None) -> list[str]:
    """The bare names that can be used: files of ``bots`` here and of the program's own, sorted.

    >>> {"random", "greedy", "counter"} <= set(known_bots())
    True
    """
    here = Path.cwd() if folder is None else Path(folder)
    places = (here / "bots", data_folder("bots"))
    return sorted({path.stem for place in places for path in place.glob("*.py") if path.stem[0] != "_"})


def _find_file(target: str, here: Path) -> Path:
    if "/" in target or "\\" in target or target.endswith(".py"):
        return _existing_file(target, here)
    module = _MODULE.fullmatch(target)
    if module:
        return _module_file(module[1], here)
    for place in (here / "bots", data_folder("bots")):
        path = place / f"{target}.py"
        if path.is_file():
            return path.resolve()
    names = known_bots(here)
    raise BotError(
        f"unknown bot '{target}'{did_you_mean(target, names)} (known by name: {', '.join(names)}; "
        "others by file, such as bots/mine.py, or package.module:Class)"
    )


def _existing_file(target: str, here: Path) -> Path:
    try:
        path = (here / Path(target).expanduser()).resolve()
    except (OSError, RuntimeError) as error:  # links in a circle, a home that is not known
        raise BotError(f"no bot {target}: {error}") from None
    if path.is_file():
        return path
    if path.is_dir():
        files = sorted(one.name for one in path.glob("*.py"))
        choice = ", ".join(files) or "it has none"
        raise BotError(f"the bot {target} is a folder; name one file in it ({choice})")
    near = ""
    if path.parent.is_dir():
        near = did_you_mean(target, [str(Path(target).parent / one.name) for one in path.parent.glob("*.py")])
        where = f"there is no such file in {path.parent}"
    else:
        where = f"there is no folder {path.parent}"
    raise BotError(f"no bot {target}: {where}{near}")


def _module_file(name: str, here: Path) -> Path:
    """The file of a module. Packages on the way are not run, as ``find_spec`` for the whole name would."""
    first, *inner = name.split(".")
    with _first_on_path(here):
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
        raise BotError(f"there is no module {name}; it must be installed, or lie below {here}")
    return Path(found.origin).resolve()


# ---------------------------------------------------------------- loading


def load_bot(spec: BotSpec | str) -> LoadedBot:
    """Run the code of a bot and check its parameters. The bot itself is not made yet (``LoadedBot.make``).

    ``BotError`` shows the author the place in his file if the code raises or is no Python, names what was
    found if there is not exactly one bot, and says so if the file has changed since it was found.
    """
    if isinstance(spec, str):
        spec = find_bot(spec)
    if spec.command:
        raise BotError(
            f"the bot '{spec.target}' is a command: it plays in a process of its own and cannot be loaded into this one"
        )
    path = Path(spec.path)
    module = _MODULE.fullmatch(spec.target)
    helpers: dict[str, ModuleType] = {}
    source = _read_again(spec)
    with bot_output(spec.name):
        if module and "/" not in spec.target:
            entry: type | Callable[..., Any] = _class_of(spec, module[1], module[2])
            home = sys.modules[module[1]]
        else:
            with _own_imports(path.parent, helpers):
                home = _run_file(spec, source)
            entry = _only_bot(spec, home)
    if isinstance(entry, type):
        params = typed_params(spec.target, entry, dict(spec.params))
    elif spec.params:
        names = ", ".join(key for key, _ in spec.params)
        raise BotError(
            f"bot {spec.target} is a function act(view, moves), which has no parameters ({names}); "
            "write a class whose __init__ takes them"
        )
    else:
        params = {}
    imports = imported_names([source, *_sources(helpers)], helpers)
    if module and "/" not in spec.target:
        imports |= {spec.target.partition(".")[0]}
    return LoadedBot(spec, MappingProxyType(params), imports, entry, home, helpers)


def _sources(modules: Mapping[str, ModuleType]) -> list[bytes]:
    paths = [getattr(module, "__file__", None) for module in modules.values()]
    return [Path(path).read_bytes() for path in paths if path is not None and path.endswith(".py")]


def _read(target: str, path: Path) -> bytes:
    """The source of a bot. A file may look larger than all memory and take no place on the disk."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise BotError(
                f"the bot {target} is larger than {_MOST_BYTES >> 20} MiB; put tables and weights into files beside it"
            )
        return path.read_bytes()
    except OSError as error:
        raise BotError(f"cannot read the bot {target}: {error.strerror}: {path}") from None


def _read_again(spec: BotSpec) -> bytes:
    source = _read(spec.target, Path(spec.path))
    if hashlib.sha256(source).hexdigest() != spec.source_hash:
        raise BotError(
            f"the bot {spec.target} has changed since it was named: {spec.path}; start again with the new one"
        )
    return source


def _run_file(spec: BotSpec, source: bytes) -> ModuleType:
    module = ModuleType(f"{_PREFIX}{next(_numbers)}_{re.sub(r'[^0-9A-Za-z_]', '_', Path(spec.path).stem)}")
    module.__file__ = spec.path
    sys.modules[module.__name__] = module  # dataclasses and pickle look there
    try:
        exec(compile(source, spec.path, "exec", dont_inherit=True), module.__dict__)
    except BaseException as error:
        del sys.modules[module.__name__]
        raise _load_error(spec, error) from None
    return module


def _load_error(spec: BotSpec, error: BaseException) -> BotError:
    what = (
        "is not valid Python" if isinstance(error, SyntaxError) else "raises an exception when it is loaded"
    )
    return BotError(f"the bot {spec.target} {what}:\n{author_traceback(error)}")


def _class_of(spec: BotSpec, module_name: str, class_name: str) -> type:
    with _first_on_path(Path.cwd()):
        try:
            module = importlib.import_module(module_name)
        except BaseException as error:
            raise _load_error(spec, error) from None
    entry = getattr(module, class_name, None)
    bots = [one.__name__ for one in _bot_classes(module)]
    if entry is None:
        near = did_you_mean(class_name, bots) or (f" (bot classes: {', '.join(bots)})" if bots else "")
        raise BotError(f"module {module_name} has no class {class_name}{near}")
    if not isinstance(entry, type) or not callable(getattr(entry, "act", None)):
        raise BotError(f"{spec.target} is no bot: a bot is a class with a method act(view, moves)")
    return entry


def _bot_classes(module: ModuleType) -> list[type]:
    return [
        one
        for name, one in vars(module).items()
        if isinstance(one, type)
        and one.__module__ == module.__name__
        and name == one.__name__
        and not name.startswith("_")
        and not inspect.isabstract(one)
        and callable(getattr(one, "act", None))
        and (not issubclass(one, Bot) or one.act is not Bot.act)
    ]


def _only_bot(spec: BotSpec, module: ModuleType) -> type | Callable[..., Any]:
    """The one bot class, or the one function ``act``, of a file."""
    entries: list[Any] = list(_bot_classes(module))
    function = vars(module).get("act")
    if callable(function) and not isinstance(function, type):
        entries.append(function)
    if len(entries) == 1:
        return cast("type | Callable[..., Any]", entries[0])
    found = [f"class {one.__name__}" if isinstance(one, type) else "function act" for one in entries]
    del sys.modules[module.__name__]
    if found:
        raise BotError(
            f"the bot {spec.target} holds {len(found)} bots: {', '.join(found)}; one file is one bot. Move "
            "the others to files of their own, or begin the names of mere helpers with an underscore"
        )
    own = [
        f"{'class' if isinstance(one, type) else 'function'} {name}"
        for name, one in vars(module).items()
        if getattr(one, "__module__", None) == module.__name__
        and (isinstance(one, type) or inspect.isfunction(one))
    ]
    raise BotError(
        f"the bot {spec.target} holds no bot: it needs one class with a method act(view, moves), or one "
        f"function act(view, moves); found {', '.join(own) or 'neither classes nor functions'}"
    )


# ---------------------------------------------------------------- imports


@contextmanager
def _first_on_path(folder: Path) -> Iterator[None]:
    entry = str(folder)
    sys.path.insert(0, entry)
    try:
        yield
    finally:
        if entry in sys.path:
            sys.path.remove(entry)


@contextmanager
def _own_imports(folder: Path, helpers: dict[str, ModuleType]) -> Iterator[None]:
    """Let a bot import from its folder; what comes from there is kept in ``helpers``, out of others' sight.

    Modules of the standard library are found before those of the folder: a bot in a file ``random.py`` takes
    nobody's ``random``.
    """
    entry = str(folder)
    own = _importable(folder)
    covered = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] in own}
    sys.modules.update(helpers)
    library = [at for at, one in enumerate(sys.path) if one.endswith(("site-packages", "dist-packages"))]
    sys.path.insert(library[0] if library else len(sys.path), entry)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        if entry in sys.path:
            sys.path.remove(entry)
        for name in list(sys.modules):
            if name.partition(".")[0] in own:
                helpers[name] = sys.modules.pop(name)
        sys.modules.update(covered)


def _importable(folder: Path) -> set[str]:
    """The names that can be imported from a folder, without those of the standard library and ours."""
    names = {path.name.partition(".")[0] for path in folder.iterdir() if _is_module(path)}
    return {name for name in names if name not in sys.stdlib_module_names and name != "arena"}


def _is_module(path: Path) -> bool:
    if path.is_dir():  # with or without an __init__.py
        return path.name.isidentifier()
    return path.suffix in (".py", ".so", ".pyd")
