"""Names in a bot's source: what they stand for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

_SET_METHODS = ("union", "intersection", "difference", "symmetric_difference")


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
        """The whole name of what is called; None if it is no name."""
        name = dotted(node)
        if name is None:
            return None
        first, dot, rest = name.partition(".")
        return f"{self._known.get(first, first)}{dot}{rest}"

    def defines(self, name: str) -> bool:
        """Is it a function or class of the module itself?"""
        return name in self._defined or name in self._known


def dotted(node: ast.expr) -> str | None:
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
    """An expression as it is written, at most so long; `...` for one that cannot be, such as one nested too deeply.

    >>> written(ast.parse("[1,  2]", mode="eval").body, 40), written(ast.parse("abcdefgh", mode="eval").body, 6)
    ('[1, 2]', 'abc...')
    """
    try:
        text = ast.unparse(node)
    except (RecursionError, ValueError):  # ValueError: a number of more digits than Python writes
        return "..."
    return text if len(text) <= most else f"{text[: most - 3]}..."


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    """All functions and methods."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node


def own_names(folder: Path) -> set[str]:
    """What can be imported from a bot's folder."""
    try:
        return {
            path.name.partition(".")[0] for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()
        }
    except OSError:
        return set()
