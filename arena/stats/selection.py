"""Which games to rate, in the words of a user: `turns > 50 and ending == 'stalemate'`.

An expression is read as Python is, and may have names of facts, numbers, texts in quotes, comparisons, `and`, `or`,
`not`, `in` with a list, and + - * /. Nothing in it is called, and a name with a dot is a name like others.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

from arena.errors import ArenaError, did_you_mean
from arena.stats.frames import Bools
from arena.text import quoted

LONGEST = 500
_OPERATIONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: np.true_divide,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda value, listed: np.isin(value, listed),
    ast.NotIn: lambda value, listed: ~np.isin(value, listed),
}


class ExpressionError(ArenaError):
    """An expression that cannot be read, or names what is not there."""


def parse(text: str) -> ast.expr:
    """The tree of an expression. ExpressionError if it is none, or has more in it than it may."""
    if len(text) > LONGEST:
        raise ExpressionError(f"an expression has at most {LONGEST} characters, not {len(text)}")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(
            f"{quoted(text)} is not an expression; an example: turns > 50 and ending == 'stalemate'"
        ) from None
    _check(tree, text)
    return tree


def _check(tree: ast.expr, text: str) -> None:
    fine, parts = False, list[ast.expr]()
    match tree:
        case ast.BoolOp(values=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
            fine = True
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=part):
            fine, parts = True, [part]
        case ast.BinOp(left=left, op=op, right=right):
            fine, parts = type(op) in _OPERATIONS, [left, right]
        case ast.Compare(ops=ops, left=left, comparators=rest):
            fine, parts = all(type(op) in _OPERATIONS for op in ops), [left, *rest]
        case ast.Name() | ast.Attribute(value=ast.Name()):
            fine, parts = True, []
        case ast.Constant(value=value):
            fine, parts = isinstance(value, str | int | float | bool), []
    if not fine:
        raise ExpressionError(
            f"{quoted(ast.get_source_segment(text.strip(), tree) or text)} cannot stand in an expression:"
            " names, numbers, texts in quotes, comparisons, and, or, not, in, + - * / can"
        )
    for part in parts:
        _check(part, text)


def names_of(tree: ast.expr) -> set[str]:
    """The names of facts in an expression."""
    dotted = {node: f"{node.value.id}.{node.attr}" for node in ast.walk(tree) if _is_dotted(node)}  # type: ignore[attr-defined]
    inner = {node.value for node in dotted}  # type: ignore[attr-defined]
    plain = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node not in inner}
    return plain | set(dotted.values())


def _is_dotted(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)


def evaluate(tree: ast.expr, facts: Mapping[str, Any], rows: int) -> Any:
    """What an expression is for each of `rows`; `facts` are columns or single values by name.

    ExpressionError for a name that is not among them, or an operation that a fact does not have.
    """
    for name in sorted(names_of(tree)):
        if name not in facts:
            raise ExpressionError(f"unknown name '{name}'{did_you_mean(name, facts)} (for all: arena standings --help)")
    try:
        with np.errstate(all="ignore"):
            return np.broadcast_to(_value(tree, facts), (rows,))
    except (TypeError, ValueError, ArithmeticError):
        raise ExpressionError(
            f"{quoted(ast.unparse(tree))} cannot be computed: it needs numbers on both sides, or texts on both"
        ) from None


def _value(tree: ast.expr, facts: Mapping[str, Any]) -> Any:
    match tree:
        case ast.BoolOp(op=op, values=parts):
            join = np.logical_and if isinstance(op, ast.And) else np.logical_or
            return reduce(join, [np.asarray(_value(part, facts), bool) for part in parts])
        case ast.UnaryOp(op=ast.Not(), operand=part):
            return ~np.asarray(_value(part, facts), bool)
        case ast.UnaryOp(operand=part):
            return -_value(part, facts)
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATIONS[type(op)](_value(left, facts), _value(right, facts))
        case ast.Compare(left=left, ops=ops, comparators=rest):
            sides = [_value(part, facts) for part in (left, *rest)]
            held = [_OPERATIONS[type(op)](*pair) for op, pair in zip(ops, pairwise(sides))]
            return reduce(np.logical_and, [np.asarray(part, bool) for part in held])
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [_value(part, facts) for part in parts]
        case ast.Name(id=name):
            return facts[name]
        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
            return facts[f"{name}.{attribute}"]
        case ast.Constant(value=value):
            return value
    raise AssertionError(f"{ast.dump(tree)} was checked")


def holds(text: str, facts: Mapping[str, Any], rows: int) -> Bools:
    """Whether a condition holds for each of `rows`, with `facts` as for `evaluate`. ExpressionError if it is none."""
    held = evaluate(parse(text), facts, rows)
    if held.dtype != bool:
        raise ExpressionError(f"{quoted(text)} is not a condition; an example: turns > 50")
    return np.asarray(held)
