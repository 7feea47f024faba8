"""Load bots: run a bot's file in a namespace of its own and check its parameters.

A `BotSpec` (`arena.bots.spec`) is what travels to worker processes, and each of them loads the bot for
itself. A file is run in a fresh namespace, so two bots called `bot.py` do not clash. It can import from its folder,
and what it imports from there belongs to this bot alone (`OwnModules`):
from source only, because the hash of a bot covers sources, and no bytecode is written beside them.
"""

from __future__ import annotations

import atexit
import builtins
import importlib
import inspect
import itertools
import linecache
import os
import re
import sys
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from importlib import machinery
from pathlib import Path
from tempfile import mkdtemp
from types import CodeType, MappingProxyType, ModuleType
from typing import Any, Literal, Union, cast, get_args, get_origin

from arena.bots.bot import Act, Actor, Bot, Param
from arena.bots.bundle import COMPUTED, imports_of, is_local, package_home, remove_bundles
from arena.bots.compilation import source_text
from arena.bots.faults import BotError, author_traceback
from arena.bots.output import bot_output
from arena.bots.spec import MODULE, BotSpec, find_bot, first_on_path, read_source
from arena.errors import UnfitEngineError, did_you_mean
from arena.paths import data_folder

_PREFIX = "arena_bot_"
_numbers = itertools.count(1)


@dataclass(frozen=True)
class LoadedBot:
    """A bot whose code has been run and whose parameters fit; `make` creates instances.

    `params` are typed; `imports` are the top-level names of all modules that its code imports.
    """

    spec: BotSpec
    params: Mapping[str, Param]
    imports: frozenset[str]
    _entry: Any = field(repr=False)
    _module: ModuleType = field(repr=False)
    _own: AbstractContextManager[None] = field(repr=False)

    @property
    def name(self) -> str:
        """The bot's name in tables."""
        return self.spec.name

    @property
    def uses_random(self) -> bool:
        """Whether its code might draw from the global generator of `random`."""
        return may_draw_from("random", self.imports)

    @property
    def uses_numpy(self) -> bool:
        """Whether its code might draw from the global generator of `numpy.random`."""
        return may_draw_from("numpy", self.imports)

    @property
    def leaves_process_clean(self) -> bool:
        """Whether it imports nothing through which it could change the state of the process."""
        return self.imports <= HARMLESS

    def make(self) -> Actor:
        """Make a new instance. Exceptions of its `__init__` pass through."""
        if not isinstance(self._entry, type):
            return FunctionBot(self._entry, self._module)
        with self._own:
            return cast(Actor, self._entry(**self.params))


class FunctionBot:
    """A function `act` as a bot; `auto_claim` and `ask_forced` of its module count if it has them."""

    def __init__(self, act: Act, module: ModuleType | None) -> None:
        self.act = act
        self.auto_claim = getattr(module, "auto_claim", True)
        self.ask_forced = getattr(module, "ask_forced", False)


def load_bot(spec: BotSpec | str, *, capture: bool = True) -> LoadedBot:
    """Run the code of a bot and check its parameters. The bot itself is made by `LoadedBot.make`.

    What it prints meanwhile goes to the log, unless `capture` is False.

    `BotError` shows the author the line if the code raises or is not valid Python, and lists what was found if there is
    not exactly one bot.
    """
    if isinstance(spec, str):
        spec = find_bot(spec)
    if spec.command:
        raise BotError(
            f"the bot '{spec.target}' is a command: it plays in a process of its own and cannot be loaded into this one"
        )
    spec = run_here(spec)
    source = read_source(spec.target, spec.loaded_from)
    try:
        return _load(spec, source, capture)
    except BotError:
        raise
    except BaseException as error:  # even a look at a bot's class may run code of its metaclass
        raise _load_error(spec, error) from None


def run_here(spec: BotSpec) -> BotSpec:
    """Return a bot as it is run outside of tournaments: from where its file lies, or of a commit, from a copy."""
    return spec if spec.revision is None else spec.placed(_revisions_folder())


@cache
def _revisions_folder() -> Path:
    """Make the folder of the bots that this process has loaded from commits; it is removed at the end."""
    folder = Path(mkdtemp(prefix="arena-"))
    atexit.register(remove_bundles, folder)
    return folder


def _load(spec: BotSpec, source: bytes, capture: bool) -> LoadedBot:
    path = Path(spec.path)
    module = MODULE.fullmatch(spec.target)
    own = OwnModules(spec.loaded_from.parent, path.parent)
    with bot_output(spec.name) if capture else nullcontext():
        if module:
            entry: type | Callable[..., Any] = _member_of(spec, module[1], module[2])
            home = sys.modules[module[1]]
        else:
            with own:
                home = _run_file(spec, source, own.namespace)
            entry = _only_bot(spec, home)
    if isinstance(entry, type):
        params = typed_params(spec.target, entry, dict(spec.params))
        if params and not module and path.parent == data_folder("bots"):
            try:  # else it would forfeit each game for them
                entry(**params)
            except ValueError as error:
                raise BotError(f"bot {spec.target}: {error}") from None
    elif spec.params:
        names = ", ".join(key for key, _ in spec.params)
        raise BotError(
            f"bot {spec.target} is a function act(view, moves), which has no parameters ({names}); "
            "write a class whose __init__ takes them"
        )
    else:
        params = {}
    imports = imported_names([source, *_sources(own.modules)], own.modules)
    if module:
        imports |= {spec.target.partition(".")[0]}
    return LoadedBot(spec, MappingProxyType(params), imports, entry, home, nullcontext() if module else own)


def _sources(modules: Mapping[str, ModuleType]) -> list[bytes]:
    paths = [getattr(module, "__file__", None) for module in modules.values()]
    return [Path(path).read_bytes() for path in paths if path is not None and path.endswith(".py")]


def _run_file(spec: BotSpec, source: bytes, namespace: dict[str, Any]) -> ModuleType:
    module = ModuleType(f"{_PREFIX}{next(_numbers)}_{re.sub(r'[^0-9A-Za-z_]', '_', Path(spec.path).stem)}")
    module.__file__ = str(spec.loaded_from)
    module.__dict__["__builtins__"] = namespace
    sys.modules[module.__name__] = module  # dataclasses and pickle look there
    try:
        exec(compile_as(source, spec.path), module.__dict__)
    except BaseException as error:
        del sys.modules[module.__name__]
        raise _load_error(spec, error) from None
    return module


def _load_error(spec: BotSpec, error: BaseException) -> BotError:
    text = author_traceback(error)
    if issubclass(type(error), UnfitEngineError):  # not the bot's fault
        return BotError(f"the bot {spec.target} cannot be loaded: {text.splitlines()[-1].partition(': ')[2]}")
    what = "raises an exception when it is loaded"
    if issubclass(type(error), SyntaxError):
        what = f"is not valid Python {sys.version_info.major}.{sys.version_info.minor}"
    elif issubclass(type(error), MemoryError):
        what = "needs more memory to be loaded than its process may use"
    elif issubclass(type(error), ImportError) and "relative import" in text.splitlines()[-1]:
        found = re.search(r"from \.+([\w.]*) (import .+)", text)
        write = f"from {found[1]} {found[2]}".replace("from  ", "") if found else "import helper"
        what += f"; its file is not part of a package, so write '{write}'"
    return BotError(f"the bot {spec.target} {what}:\n{text}")


def _member_of(spec: BotSpec, module_name: str, name: str) -> type | Callable[..., Any]:
    with first_on_path(package_home(Path(spec.path), module_name)):
        try:
            module = importlib.import_module(module_name)
        except BaseException as error:
            raise _load_error(spec, error) from None
    entry = getattr(module, name, None)
    bots = [one.__name__ for one in _bot_classes(module)]
    if entry is None:
        near = did_you_mean(name, bots) or (f" (bot classes: {', '.join(bots)})" if bots else "")
        raise BotError(f"module {module_name} has no {name}{near}")
    is_class = isinstance(entry, type) and callable(getattr(entry, "act", None))
    if not is_class and (name != "act" or not callable(entry)):
        raise BotError(
            f"{spec.target} is not a bot: a bot is a class with a method act(view, moves), or a function called act"
        )
    return cast("type | Callable[..., Any]", entry)


def _bot_classes(module: ModuleType) -> list[type]:
    return [
        member
        for name, member in vars(module).items()
        if isinstance(member, type)
        and member.__module__ == module.__name__
        and name == member.__name__
        and not name.startswith("_")
        and not inspect.isabstract(member)
        and not getattr(member, "_is_protocol", False)
        and callable(getattr(member, "act", None))
        and (not issubclass(member, Bot) or member.act is not Bot.act)
    ]


def _only_bot(spec: BotSpec, module: ModuleType) -> type | Callable[..., Any]:
    """Return the one bot class, or the one function `act`, of a file."""
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
        if getattr(one, "__module__", None) == module.__name__ and (isinstance(one, type) or inspect.isfunction(one))
    ]
    wire = ""
    if {"sys", "json"} <= {name for name, one in vars(module).items() if inspect.ismodule(one)}:
        wire = f". If it speaks the wire protocol, name what runs it: 'cmd:python3 {spec.target}'"
    raise BotError(
        f"the bot {spec.target} holds no bot: it needs one class with a method act(view, moves), or one "
        f"function act(view, moves); found {', '.join(own) or 'neither classes nor functions'}{wire}"
    )


# ---------------------------------------------------------------- modules beside a bot


_LOADED = machinery.ExtensionFileLoader, machinery.EXTENSION_SUFFIXES


class OwnModules:
    """The modules in the folder of a bot, which its own code can import anywhere, and all code while this is entered.

    They are sources or compiled extensions; `modules` are those that were imported, and nobody else finds them. The
    standard library comes before the folder: a bot in a file `random.py` does not shadow `random`. Messages show the
    path `shown_as` in place of `folder`.
    """

    def __init__(self, folder: Path, shown_as: Path) -> None:
        self.namespace = {**vars(builtins), "__import__": self._import}
        self.modules: dict[str, ModuleType] = {}
        self.paths = str(folder), str(shown_as)
        self._names = _importable(folder)
        self._covered: dict[str, ModuleType] = {}
        self._inside = 0

    def __enter__(self) -> None:
        """Show the modules to all code, until the last one leaves who has entered."""
        self._inside += 1
        if self._inside == 1:
            self._covered = self._taken()
            sys.modules.update(self.modules)
            sys.meta_path.insert(0, self)

    def __exit__(self, *error: object) -> None:
        self._inside -= 1
        if not self._inside:
            self.modules.update(self._taken())
            sys.modules.update(self._covered)
            sys.meta_path.remove(self)

    def _taken(self) -> dict[str, ModuleType]:
        return {name: sys.modules.pop(name) for name in list(sys.modules) if self._covers(name)}

    def _covers(self, name: str) -> bool:
        return name.partition(".")[0] in self._names

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: object = None
    ) -> machinery.ModuleSpec | None:
        """Find a module, for the import system; `path` has the folders of the package around it."""
        for folder in (path or self.paths[:1]) if self._covers(name) else ():
            found = machinery.FileFinder(folder, _LOADED, (_SourceLoader, machinery.SOURCE_SUFFIXES)).find_spec(name)
            if found is None:
                continue
            if isinstance(found.loader, _SourceLoader):
                found.loader.own = self
            # a folder without __init__.py comes after what is installed
            other = machinery.PathFinder.find_spec(name, path) if found.loader is None else None
            return found if other is None or other.loader is None else other
        return None

    def _import(self, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        """Do what the import statements in the bot's code ask for."""
        known = self.modules.get(name)
        if known is not None and not level and "." not in name and all(hasattr(known, one) for one in fromlist or ()):
            return known  # a search may do this at each node
        with self if level or self._covers(name) else nullcontext():
            return builtins.__import__(name, globals, locals, fromlist, level)


class _SourceLoader(machinery.SourceFileLoader):
    own: OwnModules

    def create_module(self, spec: machinery.ModuleSpec) -> ModuleType:
        module = ModuleType(spec.name)
        module.__dict__["__builtins__"] = self.own.namespace
        return module

    def source_to_code(self, data: Any, path: Any, **options: Any) -> CodeType:  # type: ignore[override]
        """Compile a source, which must be UTF-8."""
        folder, shown_as = self.own.paths
        return compile_as(data, shown_as + path.removeprefix(folder))

    def path_stats(self, path: str) -> Any:
        """Refuse what the import system needs for reading and writing bytecode."""
        raise OSError


def compile_as(source: bytes, path: str) -> CodeType:
    """Compile a source for its run; messages show it under a path, where another file or none may be."""
    text = source_text(source, path)
    code = compile(text, path, "exec", dont_inherit=True)
    linecache.cache[path] = len(source), None, text.splitlines(keepends=True), path
    return code


def _importable(folder: Path) -> set[str]:
    """Return the names that can be imported from a folder, without the standard library's and ours."""
    with os.scandir(folder) as entries:
        names = {
            entry.name.partition(".")[0]
            for entry in entries  # folders with or without an __init__.py
            if (entry.is_dir() if entry.name.isidentifier() else entry.name.endswith((".py", ".so", ".pyd")))
        }
    return set(filter(is_local, names))


# ---------------------------------------------------------------- what a bot imports


#: Modules through which a bot changes nothing outside itself (except the state of the global generator).
HARMLESS = frozenset(
    {
        "__future__", "abc", "arena", "array", "bisect", "cmath", "collections", "contextlib",
        "copy", "dataclasses", "enum", "fractions", "functools", "heapq", "itertools", "json",
        "math", "numbers", "operator", "pathlib", "random", "re", "statistics", "string", "struct",
        "textwrap", "time", "types", "typing", "typing_extensions", "zlib",
    }
)  # fmt: skip


def imported_names(sources: Iterable[bytes], own: Iterable[str] = ()) -> frozenset[str]:
    """Return the top-level names of all modules that sources import, without `own`; `?` for computed imports.

    >>> sorted(imported_names([b"import os.path, helper", b"def f():\\n import random"], ["helper"]))
    ['os', 'random']
    """
    imports = {one for source in sources for one in imports_of(source)}
    return frozenset({(COMPUTED[1] if level else name.partition(".")[0]) for level, name in imports}.difference(own))


def may_draw_from(generator: str, names: frozenset[str]) -> bool:
    """Return whether code with these imports may draw from the global generator of `random` or `numpy`.

    True if it imports that module, or anything foreign, which might draw from it.

    >>> may_draw_from("random", frozenset({"math"})), may_draw_from("random", frozenset({"networkx"}))
    (False, True)
    """
    return generator in names or not names <= {*sys.stdlib_module_names, "arena"}


_TRUE = ("true", "yes", "on", "1")
_FALSE = ("false", "no", "off", "0")
_SIMPLE = (int, float, bool, str)
_ANY = inspect.Parameter.empty
_WANTED = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}


def typed_params(bot: str, make: Callable[..., object], given: Mapping[str, Param]) -> dict[str, Param]:
    """Convert parameters to the types that the signature of `make` asks for.

    Strings are converted (`"200"` for an int); other values must fit as they are, and an int fits a float.
    `BotError` names the `bot` and the parameter that is unknown, missing or does not fit.

    >>> def make(rollouts: int, weight: float = 1.0, greedy: bool = False, book: str | None = None): ...
    >>> typed_params("bots/my.py", make, {"rollouts": "200", "weight": 2, "greedy": "yes", "book": "none"})
    {'rollouts': 200, 'weight': 2.0, 'greedy': True, 'book': None}
    >>> typed_params("bots/my.py", make, {"rolouts": "200"})
    Traceback (most recent call last):
    arena.bots.faults.BotError: bot bots/my.py has no parameter 'rolouts'; did you mean 'rollouts'? \
(it has rollouts: int, weight: float = 1.0, greedy: bool = False, book: str | None = None)
    """
    signature = _signature(make)
    known = {name: one for name, one in signature.items() if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)}
    takes_all = any(one.kind is one.VAR_KEYWORD for one in signature.values())
    values: dict[str, Param] = {}
    for name, value in given.items():
        if name in known:
            values[name] = _fit(bot, name, _wanted(known[name]), value)
        elif takes_all:
            values[name] = _guess(value) if isinstance(value, str) else value
        else:
            has = f"it has {', '.join(map(str, known.values()))}" if known else "it has none"
            raise BotError(f"bot {bot} has no parameter '{name}'{did_you_mean(name, known)} ({has})")
    for name, one in known.items():
        if one.default is _ANY and name not in values:
            raise BotError(f"bot {bot} needs its parameter '{name}'; give it as {bot}:{name}=...")
    return values


def _signature(make: Callable[..., object]) -> dict[str, inspect.Parameter]:
    try:
        found = dict(inspect.signature(make).parameters)
    except (TypeError, ValueError):  # some classes written in C have none
        return {}
    try:
        hints = typing.get_type_hints(make.__init__ if isinstance(make, type) else make)  # type: ignore[misc]
    except Exception:  # annotations that do not exist at run time: use the types of the defaults
        hints = {}
    return {name: one.replace(annotation=hints.get(name, one.annotation)) for name, one in found.items()}


def _wanted(parameter: inspect.Parameter) -> Any:
    """Return the type of a parameter: its annotation, else the type of its default, else anything."""
    wanted = parameter.annotation
    if wanted is _ANY or isinstance(wanted, str):
        default = parameter.default
        return _ANY if default is _ANY or default is None else type(default)
    return wanted


def _fit(bot: str, name: str, wanted: Any, value: Param) -> Param:
    if wanted is _ANY or wanted is Any or wanted is object:
        return _guess(value) if isinstance(value, str) else value
    choices = _alternatives(wanted)
    # a string fits str last: "7" for int | str is a number
    for choice in sorted(choices, key=lambda one: one is str):
        found = _try(choice, value)
        if found is not _ANY:
            return typing.cast(Param, found)
    words = " or ".join(dict.fromkeys(_described(choice) for choice in choices))
    literals = [str(word) for one in choices if get_origin(one) is Literal for word in get_args(one)]
    near = did_you_mean(str(value), literals)
    raise BotError(f"bot {bot}: parameter '{name}' is {words}, not {value!r}{near}")


def _alternatives(wanted: Any) -> tuple[Any, ...]:
    if get_origin(wanted) in (Union, types.UnionType):
        return tuple(one for part in get_args(wanted) for one in _alternatives(part))
    return (wanted,)


def _described(choice: Any) -> str:
    if get_origin(choice) is Literal:
        return f"one of {', '.join(map(str, get_args(choice)))}"
    if choice is type(None):
        return "none"
    return _WANTED.get(choice, f"of type {getattr(choice, '__name__', choice)}, which cannot be given from outside")


def _try(choice: Any, value: Param) -> object:
    """Convert a value to a type; return `_ANY` if it does not fit."""
    if get_origin(choice) is Literal:
        return next((one for one in get_args(choice) if str(one) == str(value)), _ANY)
    if choice is type(None):
        return None if value is None or str(value).lower() == "none" else _ANY
    if isinstance(value, str):
        return _read(choice, value)
    if choice is float and type(value) is int:
        return float(value)
    return value if choice in _SIMPLE and type(value) is choice else _ANY


def _read(choice: Any, text: str) -> object:
    try:
        if choice is bool:
            word = text.strip().lower()
            return True if word in _TRUE else False if word in _FALSE else _ANY
        found = choice(text) if choice in (int, float, str) else _ANY
        return found if found == found else _ANY  # nan is not a number
    except ValueError:
        return _ANY


def _guess(text: str) -> Param:
    """Guess the value of a string whose type is not known.

    >>> _guess("7"), _guess("0.5"), _guess("true"), _guess("none"), _guess("book.txt")
    (7, 0.5, True, None, 'book.txt')
    """
    for kind in (int, float):
        found = _read(kind, text)
        if found is not _ANY:
            return typing.cast(Param, found)
    return {"true": True, "false": False, "none": None}.get(text.lower(), text)
