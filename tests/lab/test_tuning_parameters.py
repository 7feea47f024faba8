"""What can be tuned, and what is said about what cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.lab.tuning import Choice, Range, read_parameters, spec_with

BOT = """
class Mine:
    def __init__(self, depth: int = 1, boldness: float = 0.5, style: str = "a", count: int | None = None) -> None: ...

    def act(self, view, moves):
        return moves[0]
"""


@pytest.fixture
def bot(tmp_path: Path) -> str:
    (tmp_path / "mine.py").write_text(BOT)
    return str(tmp_path / "mine.py")


def test_ranges_are_as_the_bot_wants_them(bot: str) -> None:
    found = read_parameters(bot, ["depth:1..6", "boldness:0..1", "style:a|b", "count:-2..3"])
    assert found == [
        Range("depth", 1, 6, 1, True),
        Range("boldness", 0, 1, 0.001, False),
        Choice("style", ("a", "b")),
        Range("count", -2, 3, 1, True),
    ]
    assert [str(one) for one in found][:3] == ["depth:1..6", "boldness:0..1", "style:a|b"]


def test_numbers_stand_in_a_spec_without_noise() -> None:
    assert Range("x", 0, 1, 0.001, False).value(0.1 + 0.2) == 0.3
    assert Range("x", 0.5, 2000.5, 1.0, False).value(700.49999) == 700.0
    assert Range("x", 0, 9, 1, True).value(3.0) == 3
    assert spec_with("mine=a/b.py:x=1", {"y": 0.25}) == "a/b.py:x=1,y=0.25"
    assert spec_with("greedy", {}) == "greedy"


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ([], "name at least one parameter to tune"),
        (["depth"], "expected NAME:LOW..HIGH"),
        (["depth:"], "expected NAME:LOW..HIGH"),
        (["depth:3"], "expected NAME:LOW..HIGH"),
        (["depth:6..1"], "expected a bound and a larger one"),
        (["depth:0..1e400"], "expected a bound and a larger one"),
        (["depth:1..2", "depth:1..2"], "given twice"),
        (["depth:0.5..2"], "'depth' is a whole number, not '0.5'"),
        (["dpeth:1..2"], "no parameter 'dpeth'; did you mean 'depth'"),
        (["style:a|a"], "expected NAME:LOW..HIGH"),
        (["style:a|b,c"], "expected NAME:LOW..HIGH"),
        (["boldness:a|b"], "'boldness' is a number, not 'a'"),
    ],
)
def test_what_is_wrong_is_said(bot: str, params: list[str], said: str) -> None:
    with pytest.raises(ArenaError, match=said):
        read_parameters(bot, params)


def test_what_cannot_be_tuned_is_said(bot: str, tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="depth is fixed"):
        read_parameters(f"{bot}:depth=3", ["depth:1..6"])
    with pytest.raises(ArenaError, match="is a command"):
        read_parameters(f"cmd:cat {bot}", ["depth:1..6"])
    (tmp_path / "plain.py").write_text("def act(view, moves):\n    return moves[0]\n")
    with pytest.raises(ArenaError, match="which has no parameters"):
        read_parameters(str(tmp_path / "plain.py"), ["depth:1..6"])
