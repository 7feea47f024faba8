"""A bot's source, read and not run: what it is, and the lines that may explain what its games show.

What is found here is a hint and no proof: that something is true of the bot is for games to show, where it does it
is what the source can tell.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arena.check.names import Names, dotted, is_set, own_names
from arena.check.report import Nature
from arena.check.state import leaks
from arena.players.finding import BotSpec
from arena.players.imports import is_foreign

HOOKS = ("begin", "act", "observe", "end")
_MOST_FILES = 50

#: What is not the same in two runs with one seed: calls by the modules they come from, with the remedy's reason.
_CLOCKS = (
    "time.",
    "datetime.datetime.now",
    "datetime.datetime.today",
    "datetime.datetime.utcnow",
    "datetime.date.today",
)
_CHANCE = (
    "os.urandom",
    "os.getrandom",
    "uuid.uuid1",
    "uuid.uuid4",
    "secrets.",
    "os.getpid",
    "random.SystemRandom",
)
_UNSEEDED = (
    "random.Random",
    "random.seed",
    "numpy.random.default_rng",
    "numpy.random.RandomState",
    "numpy.random.seed",
)
_GLOBAL = ("random.", "numpy.random.")
_ADDRESSES = ("id", "hash")
_ORDERED = (
    "list",
    "tuple",
    "iter",
    "next",
    "enumerate",
    "max",
    "min",
    "sum",
    "map",
    "filter",
    "zip",
    "dict.fromkeys",
)


@dataclass(frozen=True)
class Use:
    """A place in the source, and what stands there in words."""

    file: str
    line: int
    text: str


@dataclass(frozen=True)
class Import:
    """A module from outside of the standard library, the arena and the bot's folder.

    ``guarded``: the bot goes on without it (``except ImportError``).
    """

    file: str
    line: int
    name: str
    guarded: bool


@dataclass
class Source:
    """What was read. All lists are in the order of the files and lines."""

    nature: Nature
    entries: list[Use] = field(default_factory=list)
    foreign: list[Import] = field(default_factory=list)
    chance: list[Use] = field(default_factory=list)
    global_chance: list[Use] = field(default_factory=list)
    state: list[Use] = field(default_factory=list)
    prints: list[Use] = field(default_factory=list)
    relative: list[Use] = field(default_factory=list)
    threads: list[Use] = field(default_factory=list)


def read_source(spec: BotSpec) -> Source:
    """Read the files of a bot: its own, and what it imports from its folder. Files that are no Python are left out."""
    if spec.command:
        return Source(Nature("command"))
    wanted = spec.target.rpartition(":")[2] if ":" in spec.target else None
    source = Source(Nature(""))
    for number, (path, tree) in enumerate(_trees(Path(spec.path))):
        if number == 0:
            source.nature, source.entries = _nature(str(path), tree, wanted)
        _read(str(path), tree, source)
    for uses in (source.chance, source.global_chance, source.prints, source.relative):
        uses.sort(key=lambda use: (use.file != spec.path, use.file, use.line))
    source.foreign.sort(key=lambda one: (one.file != spec.path, one.file, one.line))
    return source


def _trees(first: Path) -> Iterator[tuple[Path, ast.Module]]:
    """The bot's file and those of its folder that it imports, each once."""
    waiting, seen = [first], {first}
    while waiting and len(seen) <= _MOST_FILES:
        path = waiting.pop(0)
        try:
            tree = ast.parse(path.read_bytes())
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        yield path, tree
        for name in _imported(tree):
            for found in (first.parent / f"{name}.py", first.parent / name / "__init__.py"):
                if found.is_file() and found not in seen and is_foreign(name):
                    seen.add(found)
                    waiting.append(found)


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


# ---------------------------------------------------------------- what it is


def _nature(file: str, tree: ast.Module, wanted: str | None) -> tuple[Nature, list[Use]]:
    """What the one bot of a file is, and all candidates for it."""
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    bots = [node for node in classes.values() if "act" in _methods(node, classes) and node.name[0] != "_"]
    acts = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "act"]
    entries = [Use(file, node.lineno, f"class {node.name}") for node in bots]
    entries += [Use(file, node.lineno, "function act") for node in acts]
    chosen = next((node for node in bots if node.name == wanted), bots[0] if bots else None)
    if chosen is not None and not (acts and wanted is None):
        methods = _methods(chosen, classes)
        hooks = tuple(name for name in HOOKS if name in methods)
        init = methods.get("__init__")
        return Nature(f"class {chosen.name}", hooks, _parameters(init) if init else ()), entries
    return Nature("function act" if acts else ""), entries


def _methods(
    node: ast.ClassDef, classes: dict[str, ast.ClassDef], depth: int = 0
) -> dict[str, ast.FunctionDef]:
    """The methods of a class with those of its bases in the same file."""
    found: dict[str, ast.FunctionDef] = {}
    for base in reversed(node.bases):
        if isinstance(base, ast.Name) and base.id in classes and depth < 10:
            found |= _methods(classes[base.id], classes, depth + 1)
    return found | {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}


def _parameters(init: ast.FunctionDef) -> tuple[str, ...]:
    """The parameters of ``__init__`` as they are written."""
    args = init.args
    names = [*args.posonlyargs, *args.args]
    defaults: list[ast.expr | None] = [None] * (len(names) - len(args.defaults)) + [*args.defaults]
    pairs: list[tuple[ast.arg, ast.expr | None]] = list(zip(names, defaults))[1:]
    pairs += list(zip(args.kwonlyargs, args.kw_defaults))
    return tuple(_parameter(arg, default) for arg, default in pairs)


def _parameter(arg: ast.arg, default: ast.expr | None) -> str:
    text = arg.arg + (f": {ast.unparse(arg.annotation)}" if arg.annotation else "")
    if default is None:
        return text
    return f"{text} = {ast.unparse(default)}" if arg.annotation else f"{text}={ast.unparse(default)}"


# ---------------------------------------------------------------- what it does


def _read(file: str, tree: ast.Module, source: Source) -> None:
    names = Names(tree)
    source.foreign += _foreign(file, tree)
    source.threads += [Use(file, line, name) for name, line in _threads(tree)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            _read_call(file, node, names, source)
    for line, text in _set_orders(tree):
        source.chance.append(Use(file, line, text))
    source.state += [Use(file, line, text) for line, text in leaks(tree)]


def _read_call(file: str, node: ast.Call, names: Names, source: Source) -> None:
    name = names.full(node.func)
    if name is None:
        return
    use = Use(file, node.lineno, f"{dotted(node.func)}()")
    if _is(name, _CLOCKS) and name != "time.sleep":
        source.chance.append(Use(file, node.lineno, f"{use.text} reads a clock"))
    elif (
        _is(name, _CHANCE)
        or (name in _UNSEEDED and not node.args and not node.keywords)
        or (name in _ADDRESSES and not names.defines(name))
    ):
        source.chance.append(Use(file, node.lineno, f"{use.text} is different in each process"))
    elif _is(name, _GLOBAL) and name not in _UNSEEDED:
        source.global_chance.append(use)
    elif name == "print" or name in ("sys.stdout.write", "sys.stderr.write"):
        source.prints.append(use)
    elif (name in ("open", "io.open", "pathlib.Path", "numpy.load") or name.endswith("Path")) and node.args:
        text = node.args[0]
        if (
            isinstance(text, ast.Constant)
            and isinstance(text.value, str)
            and not text.value.startswith(("/", "~"))
        ):
            source.relative.append(Use(file, node.lineno, f"{dotted(node.func)}({text.value!r})"))


def _is(name: str, known: Sequence[str]) -> bool:
    return any(name.startswith(one) if one.endswith(".") else name == one for one in known)


def _foreign(file: str, tree: ast.Module) -> Iterator[Import]:
    """Imports that have to be installed. What lies in the bot's folder is its own."""
    own = own_names(Path(file).parent)
    guarded = {
        id(one)
        for node in ast.walk(tree)
        if isinstance(node, ast.Try) and any(_catches_imports(handler) for handler in node.handlers)
        for part in node.body
        for one in ast.walk(part)
    }
    seen: set[str] = set()
    for node in ast.walk(tree):
        names: list[str] = []
        line = 0
        if isinstance(node, ast.Import):
            names, line = [alias.name for alias in node.names], node.lineno
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names, line = [node.module], node.lineno
        for name in (one.partition(".")[0] for one in names):
            if is_foreign(name) and name not in own and name not in seen:
                seen.add(name)
                yield Import(file, line, name, id(node) in guarded)


def _catches_imports(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or any(
        name in ast.unparse(handler.type) for name in ("ImportError", "ModuleNotFoundError", "Exception")
    )


def _threads(tree: ast.Module) -> Iterator[tuple[str, int]]:
    wanted = ("threading", "_thread", "multiprocessing", "concurrent")
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((a.name, node.lineno) for a in node.names if a.name.partition(".")[0] in wanted)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in wanted:
            yield node.module or "", node.lineno


def _set_orders(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Where the order of a set's elements matters: it is gone through, or its first element is taken."""
    known = {
        ast.unparse(target)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and is_set(node.value)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    }

    def a_set(node: ast.expr) -> bool:
        return is_set(node) or (isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) in known)

    for node in ast.walk(tree):
        gone_through: ast.expr | None = None
        if isinstance(node, ast.For | ast.comprehension):
            gone_through = node.iter
        elif isinstance(node, ast.Call) and dotted(node.func) in _ORDERED and node.args:
            gone_through = next((one for one in node.args if a_set(one)), None)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "pop":
            gone_through = node.func.value if not node.args else None
        if gone_through is not None and a_set(gone_through):
            yield (
                gone_through.lineno,
                f"the order of the set {_short(gone_through)} is another in each process",
            )


def _short(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 40 else f"{text[:37]}..."
