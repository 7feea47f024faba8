"""A bot's source, read and not run: what it is, and the lines that may explain what its games show.

What is found here is a hint, not a proof: games show that something is true of the bot, the source may tell where.
A source may be written to cost its reader time, memory or stack. So this runs in a process of its own
(`isolated_reader`), and imports nothing that is slow to start.
"""

from __future__ import annotations

import ast
import os
import sys
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.bots.imports import is_foreign
from arena.league.check.source.model import LONGEST, MOST, Hint, HintKind, Nature, Source, to_json
from arena.text import one_line

HOOKS = ("begin", "act", "observe", "end")
_MOST_FILES = 50
_FILE_BYTES, _ALL_BYTES = 256 << 10, 1 << 20
"""What is read of a file, and in all; a syntax tree takes up to a thousand times as much."""
_MOST_LEFT_OUT = 10
_MOST_PARAMETERS, _PARAMETER, _EXPRESSION = 30, 80, 40

# Calls whose results differ between two runs with one seed. A name that ends with a dot stands for a module.
_CLOCKS = (
    "time.",
    "datetime.datetime.now",
    "datetime.datetime.today",
    "datetime.datetime.utcnow",
    "datetime.date.today",
)
_CHANCE = ("os.urandom", "os.getrandom", "uuid.uuid1", "uuid.uuid4", "secrets.", "os.getpid", "random.SystemRandom")
_UNSEEDED = (
    "random.Random",
    "random.seed",
    "numpy.random.default_rng",
    "numpy.random.RandomState",
    "numpy.random.seed",
)
_GLOBAL = ("random.", "numpy.random.")
_ADDRESSES = ("id", "hash")
_ORDERED = ("list", "tuple", "iter", "next", "enumerate", "max", "min", "sum", "map", "filter", "zip", "dict.fromkeys")
_SET_METHODS = ("union", "intersection", "difference", "symmetric_difference")
_THREADS = ("threading", "_thread", "multiprocessing", "concurrent")
_MUTABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_MAKERS = ("list", "dict", "set", "bytearray", "deque", "defaultdict", "Counter", "OrderedDict", "Random", "Rng")

_Found = Iterator[tuple[HintKind, int, str]]
"""Kind, line and text of hints."""


class _Skipped(Exception):
    """A file that is not read; the text says why."""


def read_files(first: Path, wanted: str | None = None) -> Source:
    """Read a bot's file, and what it imports from its folder, each once. `wanted` is the class that the spec names.

    Files that are not valid Python are skipped; what is too large or too deep is named in `left_out`.
    """
    nature, hints, left_out = Nature(""), list[Hint](), list[str]()
    waiting, seen, room = deque([first]), {first}, _ALL_BYTES
    while waiting:
        path = waiting.popleft()
        name = path.relative_to(first.parent)
        try:
            data = _bytes_of(path, first.parent, room)
            room -= len(data)
            tree = ast.parse(data)
            found: list[tuple[HintKind, int, str]] = []
            if path == first:
                nature, found = _nature(tree, wanted)
            found += _hints(path.parent, tree)
            hints += [Hint(kind, str(path), line, one_line(text, LONGEST)) for kind, line, text in found]
        except SyntaxError:
            continue
        except (RecursionError, MemoryError):  # of the parser, too
            left_out.append(f"{name}: nested too deeply, or too large")
            continue
        except (OSError, ValueError, _Skipped) as error:
            left_out.append(f"{name}: {error}")
            continue
        imported = dict.fromkeys(module.partition(".")[0] for _, module in _imports(tree))
        for one in (one for module in imported for one in _files_of(module, first.parent)):
            if one in seen:
                continue
            seen.add(one)
            if len(seen) > _MOST_FILES:
                left_out.append(f"imported files beyond the first {_MOST_FILES}")
                waiting.clear()
                break
            waiting.append(one)
    left_out = [one_line(one, LONGEST) for one in left_out]
    if len(left_out) > _MOST_LEFT_OUT:
        left_out[_MOST_LEFT_OUT:] = [f"{len(left_out) - _MOST_LEFT_OUT} more files"]
    return Source(nature, _bounded(hints, str(first)), tuple(left_out))


def _bounded(hints: list[Hint], first: str) -> tuple[Hint, ...]:
    """The hints in order, at most so many of each kind."""
    counts: Counter[str] = Counter()
    kept: list[Hint] = []
    for one in sorted(hints, key=lambda one: (one.file != first, one.file, one.line)):
        counts[one.kind] += 1
        if counts[one.kind] <= MOST:
            kept.append(one)
    return tuple(kept)


def _bytes_of(path: Path, folder: Path, room: int) -> bytes:
    if not os.path.realpath(path).startswith(f"{os.path.realpath(folder)}{os.sep}"):
        raise _Skipped("it leads out of the bot's folder")
    most = min(_FILE_BYTES, room)
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        whose = "a file" if most == _FILE_BYTES else "all files together"
        size = _FILE_BYTES >> 10 if most == _FILE_BYTES else _ALL_BYTES >> 10
        raise _Skipped(f"more than {size} KiB, the limit for {whose}")
    return data


def _files_of(name: str, folder: Path) -> Iterator[Path]:
    """The files that an import of this name could mean in the bot's folder."""
    if not is_foreign(name):
        return
    for path in (folder / f"{name}.py", folder / name / "__init__.py"):
        if os.path.isfile(path):  # a device or a pipe is not one, nor is a name that is too long
            yield path


def main() -> None:
    """Read the file of the second argument, write one line of JSON. The third is the wanted class, or empty."""
    path, wanted = sys.argv[2:4]
    sys.stdout.write(f"{to_json(read_files(Path(path), wanted or None))}\n")


# ---------------------------------------------------------------- what it is


def _nature(tree: ast.Module, wanted: str | None) -> tuple[Nature, list[tuple[HintKind, int, str]]]:
    """What the one bot of a file is, and all candidates for it."""
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    bots = [node for node in classes.values() if "act" in _methods(node, classes) and node.name[0] != "_"]
    acts = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "act"]
    entries = [(HintKind.ENTRY, node.lineno, f"class {node.name}") for node in bots]
    entries += [(HintKind.ENTRY, node.lineno, "function act") for node in acts]
    chosen = next((node for node in bots if node.name == wanted), bots[0] if bots else None)
    if chosen is None or (acts and wanted is None):
        return Nature("function act" if acts else ""), entries
    methods = _methods(chosen, classes)
    hooks = tuple(name for name in HOOKS if name in methods)
    init = methods.get("__init__")
    return Nature(one_line(f"class {chosen.name}", LONGEST), hooks, _parameters(init) if init else ()), entries


def _methods(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> dict[str, ast.FunctionDef]:
    """The methods of a class with those of its bases in the same file; the nearest definition wins."""
    found: dict[str, ast.FunctionDef] = {}
    waiting, seen = [node], set()
    while waiting:
        one = waiting.pop()
        if one.name in seen:  # each class once, however many ways lead to it
            continue
        seen.add(one.name)
        for name, part in {part.name: part for part in one.body if isinstance(part, ast.FunctionDef)}.items():
            found.setdefault(name, part)
        waiting += [
            classes[base.id] for base in reversed(one.bases) if isinstance(base, ast.Name) and base.id in classes
        ]
    return found


def _parameters(init: ast.FunctionDef) -> tuple[str, ...]:
    """The parameters of `__init__` as they are written."""
    args = init.args
    names = [*args.posonlyargs, *args.args]
    defaults: list[ast.expr | None] = [None] * (len(names) - len(args.defaults)) + [*args.defaults]
    pairs: list[tuple[ast.arg, ast.expr | None]] = list(zip(names, defaults))[1:]
    pairs += list(zip(args.kwonlyargs, args.kw_defaults))
    return tuple(_parameter(arg, default) for arg, default in pairs[:_MOST_PARAMETERS])


def _parameter(arg: ast.arg, default: ast.expr | None) -> str:
    text = arg.arg + (f": {written(arg.annotation, _EXPRESSION)}" if arg.annotation else "")
    if default is not None:
        text += f"{' = ' if arg.annotation else '='}{written(default, _EXPRESSION)}"
    return one_line(text, _PARAMETER)


# ---------------------------------------------------------------- what it does


def _hints(folder: Path, tree: ast.Module) -> _Found:
    names = Names(tree)
    yield from _import_hints(folder, tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from _call(node, names)
    yield from _set_orders(tree)
    yield from _lasting(tree)


def _imports(tree: ast.Module) -> Iterator[tuple[ast.stmt, str]]:
    """All imported modules, each with its statement."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node, node.module


def _import_hints(folder: Path, tree: ast.Module) -> _Found:
    """Imports of packages that must be installed, and of threads. What lies in the bot's folder is its own."""
    seen = _own_modules(folder)
    optional = {
        id(one)
        for node in ast.walk(tree)
        if isinstance(node, ast.Try) and any(_catches_imports(handler) for handler in node.handlers)
        for part in node.body
        for one in ast.walk(part)
    }
    for node, module in _imports(tree):
        name = module.partition(".")[0]
        if name in _THREADS:
            yield HintKind.THREADS, node.lineno, module
        elif is_foreign(name) and name not in seen and not (isinstance(node, ast.ImportFrom) and node.level):
            seen.add(name)
            yield HintKind.OPTIONAL_IMPORT if id(node) in optional else HintKind.IMPORT, node.lineno, name


def _own_modules(folder: Path) -> set[str]:
    try:
        with os.scandir(folder) as entries:
            return {entry.name.partition(".")[0] for entry in entries if entry.name.endswith(".py") or entry.is_dir()}
    except OSError:
        return set()


def _catches_imports(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    text = written(handler.type, 1000)
    return any(name in text for name in ("ImportError", "ModuleNotFoundError", "Exception"))


def _call(node: ast.Call, names: Names) -> _Found:
    name = names.full(node.func)
    if name is None:
        return
    call, first = f"{dotted(node.func)}()", node.args[0] if node.args else node
    unseeded = name in _UNSEEDED and not node.args and not node.keywords
    if _is(name, _CLOCKS) and name != "time.sleep":
        yield HintKind.CHANCE, node.lineno, f"{call} reads a clock"
    elif _is(name, _CHANCE) or unseeded or (name in _ADDRESSES and not names.defines(name)):
        yield HintKind.CHANCE, node.lineno, f"{call} differs between processes"
    elif _is(name, _GLOBAL) and name not in _UNSEEDED:
        yield HintKind.GLOBAL_CHANCE, node.lineno, call
    elif name == "print" or name in ("sys.stdout.write", "sys.stderr.write"):
        yield HintKind.PRINT, node.lineno, call
    elif (name in ("open", "io.open", "numpy.load") or name.endswith("Path")) and _is_relative(first):
        yield HintKind.RELATIVE_PATH, node.lineno, f"{dotted(node.func)}({written(first, 60)})"


def _is_relative(path: ast.expr) -> bool:
    return isinstance(path, ast.Constant) and isinstance(path.value, str) and not path.value.startswith(("/", "~"))


def _is(name: str, known: Sequence[str]) -> bool:
    return any(name.startswith(one) if one.endswith(".") else name == one for one in known)


def _set_orders(tree: ast.Module) -> _Found:
    """Where the order of a set's elements matters: it is iterated over, or its first element is taken."""
    known = {
        written(target, 200)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and is_set(node.value)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    }

    def a_set(node: ast.expr) -> bool:
        return is_set(node) or (isinstance(node, ast.Name | ast.Attribute) and written(node, 200) in known)

    for node in ast.walk(tree):
        iterated: ast.expr | None = None
        if isinstance(node, ast.For | ast.comprehension):
            iterated = node.iter
        elif isinstance(node, ast.Call) and dotted(node.func) in _ORDERED and node.args:
            iterated = next((one for one in node.args if a_set(one)), None)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "pop":
            iterated = node.func.value if not node.args else None
        if iterated is not None and a_set(iterated):
            text = f"the iteration order of the set {written(iterated, _EXPRESSION)} differs between processes"
            yield HintKind.CHANCE, iterated.lineno, text


def _lasting(tree: ast.Module) -> _Found:
    """What outlives a game and may be changed: it belongs to the module, to a class, or was made in `__init__`.

    Values are not followed: what is listed may well be a constant table.
    """
    attributes = {
        node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield HintKind.LASTING, node.lineno, f"{', '.join(node.names)} belongs to the module (global)"
        if isinstance(node, ast.Module | ast.ClassDef):
            for name, line, value in _assigned(node.body):
                if isinstance(node, ast.ClassDef) and (name in attributes or _is_mutable(value)):
                    yield HintKind.LASTING, line, f"{name} belongs to the class {node.name}, that is to all games"
                elif isinstance(node, ast.Module) and _is_mutable(value):
                    yield HintKind.LASTING, line, f"{name} belongs to the module"
        if isinstance(node, ast.ClassDef):
            methods = {one.name: list(ast.walk(one)) for one in node.body if isinstance(one, ast.FunctionDef)}
            made = list(_assigned(methods.pop("__init__", [])))
            parts = [part for hook in ("act", "observe", "end") for part in methods.pop(hook, [])]
            changed = {name for name, _, _ in _assigned(parts)}
            others = [part for walked in methods.values() for part in walked]  # begin, and what it may call
            reset = {name for name, _, _ in _assigned(others)}
            changed |= {dotted(one.target) or "" for one in [*parts, *others] if isinstance(one, ast.AugAssign)}
            for name, line, value in made:
                if name.startswith("self.") and name not in reset and (name in changed or _is_mutable(value)):
                    yield HintKind.LASTING, line, f"{name} is set in __init__ and not in begin"


def _assigned(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, int, ast.expr | None]]:
    """Names and attributes (`self.a`) that are given a value, with line and value."""
    for node in nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                elements = getattr(target, "elts", None)
                for one in elements or [target]:
                    if (name := dotted(one)) is not None:
                        yield name, node.lineno, None if elements else node.value


def _is_mutable(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call):
        return (dotted(value.func) or "").rpartition(".")[2] in _MAKERS
    return isinstance(value, _MUTABLE)


# ---------------------------------------------------------------- names and expressions


class Names:
    """What the imported names of a module stand for.

    >>> tree = ast.parse("import numpy as np\\nfrom time import time as now\\nnp.random.rand(); now()")
    >>> [Names(tree).full(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    ['numpy.random.rand', 'time.time']
    """

    def __init__(self, tree: ast.Module) -> None:
        self._known: dict[str, str] = {}
        self._defined: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    local = alias.asname or alias.name.partition(".")[0]
                    self._known[local] = alias.name if alias.asname else local
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    self._known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                self._defined.add(node.name)

    def full(self, node: ast.expr) -> str | None:
        """The full name of what is called; None if it is not a name."""
        name = dotted(node)
        if name is None:
            return None
        first, dot, rest = name.partition(".")
        return f"{self._known.get(first, first)}{dot}{rest}"

    def defines(self, name: str) -> bool:
        """Is it a function or class of the module itself?"""
        return name in self._defined or name in self._known


def dotted(node: ast.AST) -> str | None:
    """`a.b.c` of an expression that is a name with attributes, else None."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def is_set(node: ast.expr) -> bool:
    """Is the expression a set, as far as can be seen?

    >>> [is_set(ast.parse(text, mode="eval").body) for text in ("{1, 2}", "set(a) - b", "a.union(b)", "{1: 2}")]
    [True, True, False, False]
    """
    waiting = [node]
    while waiting:  # no recursion: an author may nest as deeply as he likes
        one = waiting.pop()
        if isinstance(one, ast.Set | ast.SetComp):
            return True
        if isinstance(one, ast.Call):
            if isinstance(one.func, ast.Attribute) and one.func.attr in _SET_METHODS:
                waiting.append(one.func.value)
            elif dotted(one.func) in ("set", "frozenset"):
                return True
        elif isinstance(one, ast.BinOp) and isinstance(one.op, ast.Sub | ast.BitOr | ast.BitAnd | ast.BitXor):
            waiting += [one.left, one.right]
    return False


def written(node: ast.AST, most: int) -> str:
    """An expression as it is written, at most so long; `...` if it cannot be written, for one nested too deeply.

    >>> written(ast.parse("[1,  2]", mode="eval").body, 40), written(ast.parse("abcdefgh", mode="eval").body, 6)
    ('[1, 2]', 'abc...')
    """
    try:
        text = ast.unparse(node)
    except (RecursionError, ValueError):  # ValueError: a number of more digits than Python writes
        return "..."
    return text if len(text) <= most else f"{text[: most - 3]}..."
