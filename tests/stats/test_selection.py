"""`--where`: a small language that can name facts and compute with them, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from arena.stats.selection import ExpressionError, evaluate, parse

FACTS = {"turns": np.array([10, 50, 60]), "ending": np.array(["a", "b", "b"]), "rules.hand_size": 6}


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("turns > 20", [0, 1, 1]),
        ("20 < turns <= 50", [0, 1, 0]),
        ("turns > 20 and ending == 'b' and rules.hand_size == 6", [0, 1, 1]),
        ("not (turns / 10 == 5 or turns * 2 - 1 < 20)", [0, 0, 1]),
        ("ending in ['a', 'c']", [1, 0, 0]),
        ("ending not in ('a', 'c')", [0, 1, 1]),
        ("rules.hand_size == 7", [0, 0, 0]),
    ],
)
def test_expressions(text: str, held: list[int]) -> None:
    assert np.asarray(evaluate(parse(text), FACTS, 3), bool).astype(int).tolist() == held


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "turns >",
            "__import__('os')",
            "turns.__class__.__mro__",
            "turns[0]",
            "lambda: 1",
            "turns ** 999",
            "[a for a in b]",
        ),
        *(
            "f'{turns}'",
            "a := 1",
            "turns if 1 else 2",
            "1 << 99",
            "turns, *ending",
            "1j",
            "(" * 300,
            "1+" * 240 + "1; 2",
        ),
    ],
)
def test_nothing_else_is_read(text: str) -> None:
    with pytest.raises(ExpressionError) as found:
        parse(text)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("turn > 1", "unknown name 'turn'; did you mean 'turns'? (for all: arena standings --help)"),
        ("xyz.real > 1", "unknown name 'xyz.real' (for all"),
        ("ending - 1 > 2", "cannot be computed: it needs numbers on both sides"),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as found:
        evaluate(parse(text), FACTS, 3)
    assert message in str(found.value)
