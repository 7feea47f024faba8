"""Where a bot's source keeps something beyond the end of a game: hints for bots whose games are not independent."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from arena.check.names import dotted, functions, written

_MUTABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_MAKERS = (
    "list",
    "dict",
    "set",
    "bytearray",
    "deque",
    "defaultdict",
    "Counter",
    "OrderedDict",
    "Random",
    "Rng",
)
_CHANGERS = (
    "append", "appendleft", "add", "extend", "insert", "update", "setdefault", "pop", "popleft", "popitem", "remove",
    "discard", "clear", "sort", "reverse", "shuffle", "subtract",
)  # fmt: skip
_CACHES = ("cache", "lru_cache")


def leaks(tree: ast.Module) -> list[tuple[int, str]]:
    """Lines at which something is changed that outlives a game, and what, in words."""
    found = [*_globals(tree), *_caches(tree), *_defaults(tree)]
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            found += _class(node)
    return sorted(set(found))


# ---------------------------------------------------------------- module


def _globals(tree: ast.Module) -> Iterator[tuple[int, str]]:
    mutable = {name for name, value in _assigned(tree.body) if _is_mutable(value)}
    for function in functions(tree):
        shared = {name for node in ast.walk(function) if isinstance(node, ast.Global) for name in node.names}
        local = {name for name, _ in _assigned(list(ast.walk(function)))} | {
            arg.arg for arg in function.args.args
        }
        for line, target in _changes(function):
            name = target.partition(".")[0]
            if name in shared or (name in mutable and name not in local):
                yield line, f"{function.name} changes {name}, which belongs to the module"
        for node in ast.walk(function):
            for name, line in _rebound(node):
                if name in shared:
                    yield line, f"{function.name} changes {name}, which belongs to the module (global)"


def _assigned(nodes: list[ast.stmt] | list[ast.AST]) -> Iterator[tuple[str, ast.expr | None]]:
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield target.id, node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, node.value


def _is_mutable(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call):
        return (dotted(value.func) or "").rpartition(".")[2] in _MAKERS
    return isinstance(value, _MUTABLE)


def _rebound(node: ast.AST) -> Iterator[tuple[str, int]]:
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        targets = [node.target]
    for target in targets:
        if isinstance(target, ast.Name):
            yield target.id, target.lineno


def _changes(function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    """Names (`a`, `self.a`) whose value is changed in place: methods that change, elements, attributes."""
    for node in ast.walk(function):
        name: str | None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = dotted(node.func.value)
            if node.func.attr in _CHANGERS and name is not None:
                yield node.lineno, name
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign | ast.Delete):
            targets = node.targets
        elif isinstance(node, ast.AugAssign):
            targets = [node.target]
        for target in targets:
            if isinstance(target, ast.Subscript) and (name := dotted(target.value)) is not None:
                yield target.lineno, name


def _caches(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for function in functions(tree):
        for decorator in function.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if (dotted(called) or "").rpartition(".")[2] in _CACHES:
                yield (
                    function.lineno,
                    f"{function.name} remembers its results (harmless if they depend on its arguments alone)",
                )


def _defaults(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for function in functions(tree):
        args = function.args
        names = [*args.posonlyargs, *args.args]
        pairs = [
            *zip(names[len(names) - len(args.defaults) :], args.defaults),
            *zip(args.kwonlyargs, args.kw_defaults),
        ]
        changed = {name for _, name in _changes(function)}
        for arg, default in pairs:
            if _is_mutable(default) and arg.arg in changed:
                yield (
                    function.lineno,
                    f"the default of {arg.arg} in {function.name} is made once and then changed",
                )


# ---------------------------------------------------------------- classes


def _class(node: ast.ClassDef) -> Iterator[tuple[int, str]]:
    methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
    of_class = {name for name, _ in _assigned(node.body)}
    set_up = {one.name: one for one in methods}
    fresh = _set_anew("begin", set_up)
    made = {name for one in methods if one.name == "__init__" for name in _own_attributes(one)}
    for method in methods:
        for line, name in _attribute_changes(method) if method.name != "__init__" else ():
            if name not in fresh:
                yield line, f"{method.name} changes self.{name}, which begin does not reset"
        for line, name in _changes(method):
            parts = name.split(".")
            if parts[0] == "self" and len(parts) > 1 and parts[1] in of_class - made - fresh:
                yield (
                    line,
                    f"{method.name} changes {parts[1]}, which belongs to the class {node.name} (all games)",
                )
        for line, name in _class_attributes(method, node.name):
            yield line, f"{method.name} changes {name}, which belongs to the class {node.name} (all games)"


def _set_anew(name: str, methods: dict[str, ast.FunctionDef]) -> set[str]:
    """The attributes that a method sets anew, itself or through others of the object."""
    found: set[str] = set()
    waiting, seen = [name], {name}
    while waiting:
        method = methods.get(waiting.pop())
        if method is None:
            continue
        found.update(_own_attributes(method))
        for node in ast.walk(method):
            called = (dotted(node.func) or "").split(".") if isinstance(node, ast.Call) else [""]
            if called[0] == "self" and len(called) == 3 and called[2] in ("clear", "reset"):
                found.add(called[1])
            if called[0] == "self" and len(called) == 2 and called[1] not in seen:
                seen.add(called[1])
                waiting.append(called[1])
    return found


def _own_attributes(method: ast.FunctionDef) -> Iterator[str]:
    """Attributes of the object that are given a value: `self.a = ...`."""
    for node in ast.walk(method):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = [one for target in node.targets for one in getattr(target, "elts", [target])]
        elif isinstance(node, ast.AnnAssign):
            targets = [node.target]
        for target in targets:
            name = (dotted(target) or "").split(".")
            if name[0] == "self" and len(name) == 2:
                yield name[1]


def _attribute_changes(method: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    for node in ast.walk(method):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = [one for target in node.targets for one in getattr(target, "elts", [target])]
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            targets = [node.target]
        for target in targets:
            name = (dotted(target) or "").split(".")
            if name[0] == "self" and len(name) == 2:
                yield target.lineno, name[1]
    for line, changed in _changes(method):
        parts = changed.split(".")
        if parts[0] == "self" and len(parts) > 1:
            yield line, parts[1]


def _class_attributes(method: ast.FunctionDef, name: str) -> Iterator[tuple[int, str]]:
    """Attributes of the class that are changed by its name, `cls`, `type(self)` or `self.__class__`."""
    starts = (f"{name}.", "cls.", "type(self).", "self.__class__.")
    for node in ast.walk(method):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            targets = [node.target]
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _CHANGERS
        ):
            targets = [node.func.value]
        for target in targets:
            inner = target.value if isinstance(target, ast.Subscript) else target
            text = written(inner, 200)
            for start in starts:
                if text.startswith(start):
                    yield target.lineno, text.removeprefix(start)
