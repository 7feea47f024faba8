"""What can be tuned, and what is said about what cannot."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.lab.tuning import read_parameters, spec_with

distributions = pytest.importorskip("optuna").distributions
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
    assert read_parameters(bot, ["depth:1..6", "boldness:0.1..0.7", "style:a|b", "count:-2..3"]) == {
        "depth": distributions.IntDistribution(1, 6),
        "boldness": distributions.FloatDistribution(0.1, 0.7, step=0.0006),
        "style": distributions.CategoricalDistribution(("a", "b")),
        "count": distributions.IntDistribution(-2, 3),
    }


def test_parameters_are_added_to_those_of_a_spec() -> None:
    assert spec_with("mine=a/b.py:x=1", {"y": 0.25}) == "a/b.py:x=1,y=0.25"
    assert spec_with("greedy", {}) == "greedy"


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ([], "name at least one parameter to tune"),
        (["depth"], "expected NAME:LOW..HIGH"),
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


def test_without_optuna_the_extra_is_named(bot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ArenaError, match=r"needs optuna; install it with: pip install 'schotten-arena\[tune\]'"):
        read_parameters(bot, ["depth:1..6"])
