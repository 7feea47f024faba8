"""Evaluate what users write about games: `turns > 50 and ending == 'stalemate'`.

An expression is read as Python, and may have names of facts, numbers, texts in quotes, lists, comparisons, `and`, `or`,
`not`, `in` and + - * /. simpleeval evaluates it row by row with plain Python values. It cannot call anything, and a
name with a dot is like any other name.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from itertools import repeat
from typing import Any

from simpleeval import DEFAULT_OPERATORS, EvalWithCompoundTypes, InvalidExpression

from arena.errors import ArenaError, did_you_mean
from arena.text import quoted

_LONGEST = 500


class ExpressionError(ArenaError):
    """An expression that cannot be read, or names what is not there."""


def _divided(left: Any, right: Any) -> Any:
    """Divide; the result is not a number where the divisor is 0."""
    try:
        return left / right
    except ZeroDivisionError:
        return math.nan


_COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn)
_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    **{kind: DEFAULT_OPERATORS[kind] for kind in (ast.Add, ast.Sub, ast.Mult, ast.Not, ast.USub, *_COMPARISONS)},
    ast.Div: _divided,
}
_ALLOWED = (
    *_OPERATORS,
    *(ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.BinOp, ast.Compare),
    *(ast.List, ast.Tuple, ast.Name, ast.Load, ast.Constant),
)


class _DottedNames(ast.NodeTransformer):
    """Turn `note.depth` into one name."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name):
            return ast.copy_location(ast.Name(f"{node.value.id}.{node.attr}", ast.Load()), node)
        return node


def parse(text: str) -> ast.expr:
    """Return the tree of an expression. ExpressionError if it is not one, or contains what is not allowed."""
    if len(text) > _LONGEST:
        raise ExpressionError(f"an expression has at most {_LONGEST} characters, not {len(text)}")
    text = text.strip()
    try:
        tree: ast.expr = _DottedNames().visit(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(
            f"{quoted(text)} is not an expression; an example: turns > 50 and ending == 'stalemate'"
        ) from None
    for node in ast.walk(tree):
        is_fine = isinstance(node, _ALLOWED)
        if isinstance(node, ast.Constant):
            is_fine = isinstance(node.value, str | int | float)
        if not is_fine:
            raise ExpressionError(
                f"{quoted(ast.get_source_segment(text, node) or text)} is not allowed; an expression has"
                " names, numbers, texts in quotes, lists, comparisons, and, or, not, in, + - * /"
            )
    return tree


def names_of(tree: ast.expr) -> set[str]:
    """Return the names of facts in an expression."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def evaluate_rows(text: str, facts: Mapping[str, Any], rows: int) -> list[Any]:
    """Evaluate an expression for each of `rows`; `facts` are arrays, or single values, by name.

    ExpressionError for a name that is not among them, or an operation that a fact does not have.
    """
    tree = parse(text)
    names = sorted(names_of(tree))
    for name in names:
        if name not in facts:
            raise ExpressionError(f"unknown name '{name}'{did_you_mean(name, facts)} (for all: arena standings --help)")
    evaluator = EvalWithCompoundTypes(operators=_OPERATORS, functions={})

    def join(node: ast.BoolOp) -> bool:
        held = [bool(evaluator.eval(text, part)) for part in node.values]  # all of them: a fault is found in any row
        return all(held) if isinstance(node.op, ast.And) else any(held)

    evaluator.nodes[ast.BoolOp] = join
    columns = [facts[name].tolist() if hasattr(facts[name], "tolist") else repeat(facts[name]) for name in names]
    values = []
    try:
        for _, *row in zip(range(rows), *columns):
            evaluator.names = dict(zip(names, row))
            values.append(evaluator.eval(text, tree))
    except (TypeError, ValueError, ArithmeticError, RecursionError, InvalidExpression):
        raise ExpressionError(
            f"{quoted(text)} cannot be computed: operators need numbers or texts on both sides, and 'in' needs a list"
        ) from None
    return values


def holds(text: str, facts: Mapping[str, Any], rows: int) -> list[bool]:
    """Evaluate a condition for each of `rows`; `facts` as for `evaluate`. ExpressionError if it is not a condition."""
    held = evaluate_rows(text, facts, rows)
    if not all(isinstance(value, bool) for value in held):
        raise ExpressionError(f"{quoted(text)} is not a condition; an example: turns > 50")
    return held
