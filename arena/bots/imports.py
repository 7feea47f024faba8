"""Which modules a bot's code imports: what the referee has to restore between games depends on that.

Read from the source, so that imports inside functions count too. This prevents accidents; it is not a
protection. A bot that wants to reach a module finds a way, and only a separate process keeps it from doing harm.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable

#: Modules through which a bot changes nothing outside itself (except the state of the global generator).
HARMLESS = frozenset(
    {
        "__future__", "abc", "arena", "array", "bisect", "cmath", "collections", "contextlib",
        "copy", "dataclasses", "enum", "fractions", "functools", "heapq", "itertools", "json",
        "math", "numbers", "operator", "pathlib", "random", "re", "statistics", "string", "struct",
        "textwrap", "time", "types", "typing", "typing_extensions", "zlib",
    }
)  # fmt: skip
UNKNOWN = "?"
_DYNAMIC = {"__import__", "import_module", "exec", "eval"}


def imported_names(sources: Iterable[bytes], own: Iterable[str] = ()) -> frozenset[str]:
    """The top-level names of all modules that sources import, without `own`; `?` for computed imports.

    >>> sorted(imported_names([b"import os.path, helper", b"def f():\\n import random"], ["helper"]))
    ['os', 'random']
    """
    names: set[str] = set()
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                names.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                names.add((node.module or UNKNOWN).partition(".")[0] if not node.level else UNKNOWN)
            elif isinstance(node, ast.Name | ast.Attribute):
                word = node.id if isinstance(node, ast.Name) else node.attr
                if word in _DYNAMIC:
                    names.add(UNKNOWN)
    return frozenset(names.difference(own))


def is_foreign(name: str) -> bool:
    """Is the module from outside the standard library and this program?"""
    return name not in sys.stdlib_module_names and name != "arena"


def may_draw_from(generator: str, names: frozenset[str]) -> bool:
    """May code with these imports draw from the global generator of `random` or `numpy`?

    Yes if it imports that module, or anything foreign, which might draw from it.

    >>> may_draw_from("random", frozenset({"math"})), may_draw_from("random", frozenset({"networkx"}))
    (False, True)
    """
    return generator in names or any(is_foreign(name) for name in names)
