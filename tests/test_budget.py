"""No part of the project grows without a decision: its lines of code and its tokens stay within `budget.toml`."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
BUDGET = ROOT / "tests" / "budget.toml"
PYTHON = ("arena", "bots", "examples", "tests", "tools", "benchmarks")
PAGES = {".js": "scripts", ".css": "styles", ".html": "templates"}
PACKING = 0.03
"""Lines may fall by this share more than tokens; beyond that, code was packed and not removed."""
_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


class Size(NamedTuple):
    """Lines and tokens of code: no blank lines, comments or docstrings."""

    lines: int
    tokens: int


def python_size(source: str) -> Size:
    """Measure Python code; a text that stands as a statement of its own (a docstring) is not code.

    >>> python_size('"Say hello."\\n\\nprint(  # a comment\\n    "hello"\\n)\\n')
    Size(lines=3, tokens=4)
    """
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            docstrings.update(range(node.lineno, (node.end_lineno or 0) + 1))
    lines: set[int] = set()
    tokens = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _LAYOUT and token.start[0] not in docstrings:
            lines.update(range(token.start[0], token.end[0] + 1))
            tokens += 1
    return Size(len(lines - docstrings), tokens)


def page_size(source: str) -> Size:
    """Measure a script, a style sheet or a template; lines that only hold a comment are not code.

    >>> page_size("// why\\nlet x = 1;\\n\\n")
    Size(lines=1, tokens=5)
    """
    code = re.sub(r"/\*.*?\*/|\{#.*?#\}|<!--.*?-->|^\s*//.*?$", "", source, flags=re.DOTALL | re.MULTILINE)
    return Size(sum(bool(line.strip()) for line in code.splitlines()), len(re.findall(r"\w+|[^\w\s]", code)))


def parts() -> Iterator[tuple[str, Size]]:
    """Yield the name of the part that each file belongs to, and its size."""
    for folder in PYTHON:
        for path in (ROOT / folder).rglob("*.py"):
            inner = path.relative_to(ROOT).parts
            if "_data" not in inner and inner[:2] != ("tests", "data"):
                room = ("arena/" + inner[1] if len(inner) > 2 else "arena") if folder == "arena" else folder
                yield room, python_size(path.read_text(encoding="utf-8"))
    for folder in ("static", "templates"):  # elsewhere, Cython leaves pages of its own
        for path in (ROOT / "arena").rglob(f"{folder}/*"):
            yield PAGES[path.suffix], page_size(path.read_text(encoding="utf-8"))


def sizes() -> dict[str, Size]:
    """Return the size of each part."""
    lines, tokens = Counter[str](), Counter[str]()
    for part, size in parts():
        lines[part] += size.lines
        tokens[part] += size.tokens
    return {part: Size(lines[part], tokens[part]) for part in sorted(lines)}


def test_every_part_stays_within_its_budget() -> None:
    budget = tomllib.loads(BUDGET.read_text())
    now = sizes()
    assert now.keys() == budget["at_most"].keys(), "a new part needs a budget, and a part that is gone has none"
    over = {part: size for part, size in now.items() if any(a > b for a, b in zip(size, budget["at_most"][part]))}
    assert not over, f"over the budget: {over}. Remove code, or raise the number and give the reason in the commit"


def test_lines_fall_with_code_and_not_by_packing() -> None:
    first = tomllib.loads(BUDGET.read_text())["first"]
    now = sizes()
    packed = {
        part: f"lines at {lines:.3f}, tokens at {tokens:.3f} of what they were"
        for part, was in first.items()
        if part in now
        for lines, tokens in [[a / b for a, b in zip(now[part], was)]]
        if lines < tokens - PACKING
    }
    assert not packed


def test_the_count_of_a_file_with_all_kinds_of_lines() -> None:
    source = '"""About."""\n\nX = 1  # why\n\n\ndef f() -> str:\n    """Return."""\n    return """a\n    b"""\n'
    assert python_size(source) == Size(4, 12)
    assert page_size("/* a\nb */\n<p>{# why #}</p>\n") == Size(1, 7)
