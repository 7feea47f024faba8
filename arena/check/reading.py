"""A bot's source, read and not run: what it is, and the lines that may explain what its games show.

What is found here is a hint and no proof: that something is true of the bot is for games to show, where it does it
is what the source can tell. A source may be written to be hard on its reader, by time, memory or depth. So this runs in
a process of its own (`apart`), and imports nothing that is slow to start.
"""

from __future__ import annotations

import ast
import os
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arena.check.names import Names, dotted, is_set, own_names, written
from arena.check.report import Nature
from arena.check.source import LONGEST, MOST, Import, Source, Use, to_json
from arena.check.state import leaks
from arena.players.imports import is_foreign
from arena.text import one_line

HOOKS = ("begin", "act", "observe", "end")
_MOST_FILES = 50
_FILE_BYTES, _ALL_BYTES = 256 << 10, 1 << 20
"""What is read of a file, and in all; a syntax tree takes up to a thousand times as much."""
_MOST_LEFT_OUT = 10
_MOST_PARAMETERS, _PARAMETER, _EXPRESSION = 30, 80, 40

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


class _TooLarge(Exception):
    """More than is read; the text says of what."""


@dataclass
class _Found:
    """What was found until now."""

    nature: Nature = field(default_factory=lambda: Nature(""))
    entries: list[Use] = field(default_factory=list)
    foreign: list[Import] = field(default_factory=list)
    chance: list[Use] = field(default_factory=list)
    global_chance: list[Use] = field(default_factory=list)
    state: list[Use] = field(default_factory=list)
    prints: list[Use] = field(default_factory=list)
    relative: list[Use] = field(default_factory=list)
    threads: list[Use] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def read_files(first: Path, wanted: str | None = None) -> Source:
    """Read a bot's file, and what it imports from its folder, each once. `wanted` is the class that is named.

    Files that are no Python are left out; what is too large or too deep is named in `left_out`.
    """
    found = _Found()
    waiting, seen, room = deque([first]), {first}, _ALL_BYTES
    while waiting:
        path = waiting.popleft()
        try:
            data = _bytes_of(path, first.parent, room)
            room -= len(data)
            names = _read_file(path, ast.parse(data), found, wanted if path == first else None, path == first)
        except SyntaxError:
            continue
        except (RecursionError, MemoryError):  # of the parser, too
            found.left_out.append(f"{path.relative_to(first.parent)}: it is nested too deeply, or too large")
            continue
        except (OSError, ValueError, _TooLarge) as error:
            found.left_out.append(f"{path.relative_to(first.parent)}: {error}")
            continue
        for one in (one for name in names for one in _files_of(name, first.parent)):
            if one in seen:
                continue
            seen.add(one)
            if len(seen) > _MOST_FILES:
                found.left_out.append(f"imported files beyond the first {_MOST_FILES}")
                waiting.clear()
                break
            waiting.append(one)
    return _source(found, str(first))


def _bytes_of(path: Path, folder: Path, room: int) -> bytes:
    if not os.path.realpath(path).startswith(f"{os.path.realpath(folder)}{os.sep}"):
        raise _TooLarge("it leads out of the bot's folder")
    most = min(_FILE_BYTES, room)
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        whose = "a file" if most == _FILE_BYTES else "all files together"
        size = _FILE_BYTES >> 10 if most == _FILE_BYTES else _ALL_BYTES >> 10
        raise _TooLarge(f"more than {size} KiB, which is the most that is read of {whose}")
    return data


def _files_of(name: str, folder: Path) -> Iterator[Path]:
    """The files that an import of this name could mean in the bot's folder."""
    if not is_foreign(name):
        return
    for path in (folder / f"{name}.py", folder / name / "__init__.py"):
        if os.path.isfile(path):  # a device or a pipe is none, nor is what has too long a name
            yield path


def _imported(tree: ast.Module) -> list[str]:
    names: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(dict.fromkeys(alias.name.partition(".")[0] for alias in node.names))
        elif isinstance(node, ast.ImportFrom) and node.module:
            names[node.module.partition(".")[0]] = None
    return list(names)


def _source(found: _Found, first: str) -> Source:
    """What was found, bounded, and the bot's own file before the others."""
    uses = {
        name: tuple(_fit(use) for use in sorted(getattr(found, name), key=lambda one: _order(one, first))[:MOST])
        for name in ("chance", "global_chance", "prints", "relative")
    }
    uses |= {
        name: tuple(map(_fit, getattr(found, name)[:MOST])) for name in ("entries", "state", "threads")
    }
    foreign = sorted(found.foreign, key=lambda one: _order(one, first))[:MOST]
    left_out = [one_line(one, LONGEST) for one in found.left_out]
    if len(left_out) > _MOST_LEFT_OUT:
        left_out[_MOST_LEFT_OUT:] = [f"{len(left_out) - _MOST_LEFT_OUT} more files"]
    return Source(
        found.nature,
        foreign=tuple(Import(one.file, one.line, one_line(one.name, LONGEST), one.guarded) for one in foreign),
        left_out=tuple(left_out),
        **uses,
    )


def _fit(use: Use) -> Use:
    return Use(use.file, use.line, one_line(use.text, LONGEST))


def _order(one: Use | Import, first: str) -> tuple[bool, str, int]:
    return one.file != first, one.file, one.line


def main() -> None:
    """Read the file of the second argument, write one line of JSON. The third is the class that is wanted, if any."""
    path, wanted = sys.argv[2:4]
    sys.stdout.write(f"{to_json(read_files(Path(path), wanted or None))}\n")


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
        parameters = _parameters(init)[:_MOST_PARAMETERS] if init else ()
        return Nature(one_line(f"class {chosen.name}", LONGEST), hooks, parameters), entries
    return Nature("function act" if acts else ""), entries


def _methods(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> dict[str, ast.FunctionDef]:
    """The methods of a class with those of its bases in the same file; what is nearer goes first."""
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
    return tuple(_parameter(arg, default) for arg, default in pairs)


def _parameter(arg: ast.arg, default: ast.expr | None) -> str:
    text = arg.arg + (f": {written(arg.annotation, _EXPRESSION)}" if arg.annotation else "")
    if default is not None:
        text += f"{' = ' if arg.annotation else '='}{written(default, _EXPRESSION)}"
    return one_line(text, _PARAMETER)


# ---------------------------------------------------------------- what it does


def _read_file(path: Path, tree: ast.Module, found: _Found, wanted: str | None, is_first: bool) -> list[str]:
    """Read a file; what it imports."""
    if is_first:
        found.nature, found.entries = _nature(str(path), tree, wanted)
    _read(str(path), tree, found)
    return _imported(tree)


def _read(file: str, tree: ast.Module, source: _Found) -> None:
    names = Names(tree)
    source.foreign += _foreign(file, tree)
    source.threads += [Use(file, line, name) for name, line in _threads(tree)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            _read_call(file, node, names, source)
    for line, text in _set_orders(tree):
        source.chance.append(Use(file, line, text))
    source.state += [Use(file, line, text) for line, text in leaks(tree)]


def _read_call(file: str, node: ast.Call, names: Names, source: _Found) -> None:
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
            source.relative.append(Use(file, node.lineno, f"{dotted(node.func)}({written(text, 60)})"))


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
    if handler.type is None:
        return True
    text = written(handler.type, 1000)
    return any(name in text for name in ("ImportError", "ModuleNotFoundError", "Exception"))


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
        written(target, 200)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and is_set(node.value)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    }

    def a_set(node: ast.expr) -> bool:
        return is_set(node) or (isinstance(node, ast.Name | ast.Attribute) and written(node, 200) in known)

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
                f"the order of the set {written(gone_through, _EXPRESSION)} is another in each process",
            )

