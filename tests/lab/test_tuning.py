"""Tuning finds what is good, repeats, goes on, and confirms by games of its own; what can be tuned."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.game.rules import load_rules
from arena.lab.notebook import load
from arena.lab.tuning import DEFAULT, TuningTask, read_parameters, tune
from tests.cli.conftest import Arena, arena, content  # noqa: F401

optuna = pytest.importorskip("optuna")
distributions = optuna.distributions
PARAMS = ("x:0..1", "n:1..4", "style:a|b")
BOT = """
class Mine:
    def __init__(self, x: float = 0.9, n: int = 1, style: str = "a") -> None:
        self.x = x

    def act(self, view, moves):
        return view.rng.choice(moves) if view.rng.random() < self.x else moves[0]
"""


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BOT)
    monkeypatch.chdir(tmp_path)


@pytest.mark.process
@pytest.mark.usefixtures("here")
def test_all_trials_play_the_same_deals_and_the_confirmation_others() -> None:
    tune(TuningTask("mine.py", PARAMS, seed=1, trials=2, games=2, confirm=2), Path("t"))
    runs = [path.parent for path in Path("t").rglob("games.sqlite")]
    trials = {load(run).seed for run in runs if "trials" in run.parts}
    (last,) = (load(run).seed for run in runs if "confirm" in run.parts)
    assert len(trials) == 1
    assert last not in trials


@pytest.mark.process
@pytest.mark.usefixtures("here")
def test_a_folder_of_another_tuning_is_left_alone() -> None:
    Path("w.toml").write_text("hand_size = 3\n")
    task = TuningTask("mine.py", PARAMS, rules="w.toml", seed=1, trials=1, games=4, confirm=4)
    tune(task, Path("t"))
    with pytest.raises(ArenaError, match=r"a tuning with other settings \(seed, games\)"):
        tune(replace(task, seed=2, games=6), Path("t"))
    assert tune(replace(task, confirm=8), Path("t")).confirmed[DEFAULT].games == 8
    Path("w.toml").write_text("hand_size = 2\n")
    load_rules.cache_clear()
    Path("mine.py").write_text(BOT + "\n")
    with pytest.raises(ArenaError, match=r"a tuning with other settings \(.*sources.*\)") as caught:
        tune(task, Path("t"))
    assert "rules" in str(caught.value)


@pytest.mark.slow
@pytest.mark.process
def test_the_command(arena: Arena) -> None:  # noqa: F811
    Path("mine.py").write_text(BOT)
    words = ["tune", "mine.py", "--param", "x:0..1", "--against", "random", "--trials", 2, "--games", 8, "--confirm", 8]
    found = content(arena(*words, "--seed", 4, "--workers", 1, "--json", "--out", "one", code=None).out)
    again = content(arena(*words, "--seed", 4, "--workers", 2, "--json", "--out", "two", code=None).out)
    assert found == again
    plain = arena(*words, "--out", "one", code=None)
    assert plain.err == "tuning in one, seed 4\n", "nothing is played again"
    assert plain.out.startswith(f"tuned = mine.py:x={found['params']['x']}\n")


# ---------------------------------------------------------------- what can be tuned


@pytest.fixture
def mine(tmp_path: Path) -> str:
    params = 'depth: int = 1, boldness: float = 0.5, style: str = "a", count: int | None = None'
    (tmp_path / "mine.py").write_text(BOT.replace('x: float = 0.9, n: int = 1, style: str = "a"', params))
    return str(tmp_path / "mine.py")


def test_ranges_are_as_the_bot_wants_them(mine: str) -> None:
    assert read_parameters(mine, ["depth:1..6", "boldness:0.1..0.7", "style:a|b", "count:-2..3"]) == {
        "depth": distributions.IntDistribution(1, 6),
        "boldness": distributions.FloatDistribution(0.1, 0.7, step=0.0006),
        "style": distributions.CategoricalDistribution(("a", "b")),
        "count": distributions.IntDistribution(-2, 3),
    }


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ([], "name at least one parameter to tune"),
        (["depth"], "expected NAME:LOW..HIGH"),
        (["depth:0..1e400"], "expected a bound and a larger one"),
        (["depth:1..2", "depth:1..2"], "given twice"),
        (["depth:0.5..2"], "'depth' is a whole number, not '0.5'"),
        (["dpeth:1..2"], "no parameter 'dpeth'; did you mean 'depth'"),
        (["style:a|a"], "expected NAME:LOW..HIGH"),
    ],
)
def test_invalid_parameters_are_rejected(mine: str, params: list[str], said: str) -> None:
    with pytest.raises(ArenaError, match=said):
        read_parameters(mine, params)


def test_bots_without_free_parameters_are_rejected(mine: str, tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="depth is fixed"):
        read_parameters(f"{mine}:depth=3", ["depth:1..6"])
    with pytest.raises(ArenaError, match="is a command"):
        read_parameters(f"cmd:cat {mine}", ["depth:1..6"])
    (tmp_path / "plain.py").write_text("def act(view, moves):\n    return moves[0]\n")
    with pytest.raises(ArenaError, match="which has no parameters"):
        read_parameters(str(tmp_path / "plain.py"), ["depth:1..6"])


def test_without_optuna_the_extra_is_named(mine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ArenaError, match=r"needs optuna; install it with: pip install 'schotten-arena\[tune\]'"):
        read_parameters(mine, ["depth:1..6"])
