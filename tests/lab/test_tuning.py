"""Tuning finds what is good, repeats, goes on, and confirms by games of its own; what can be tuned."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from arena.bots.spec import parse_spec
from arena.errors import ArenaError
from arena.game.rng import Rng, derive_seed
from arena.game.rules import load_rules
from arena.lab import tuning
from arena.lab.tuning import DEFAULT, STUDY, TUNED, TuningTask, read_parameters, spec_with, tune
from arena.tournament.forfeits import ForfeitSummary
from tests.cli.conftest import Arena, arena  # noqa: F401

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


class Played:
    """Stands for `run_tournament`: wins fall by chance, more often the nearer x is to 0.3, and with style b."""

    def __init__(self) -> None:
        self.calls: list[tuple[Path, int]] = []
        self.interrupt_at = -1

    def __call__(self, bots: list[dict[str, str]], **given: Any) -> Any:
        if len(self.calls) == self.interrupt_at:
            raise KeyboardInterrupt
        self.calls.append((given["out"], given["seed"]))
        params = parse_spec(bots[0]["spec"]).params
        chance = 0.9 - abs(float(params.get("x", 0.9)) - 0.3) - 0.2 * (params.get("style", "a") == "a")
        rows = []
        for number, other in enumerate(bots[1:]):
            rng = Rng(derive_seed(given["seed"], "games", number))
            for game in range(given["games"]):
                first, second = (TUNED, other["name"]) if game % 2 == 0 else (other["name"], TUNED)
                won = float(rng.random() < chance)
                score = won if first == TUNED else 1 - won
                rows.append((number, game // 2, game % 2, first, second, score, None))
        heads = ["pairing", "deal", "game", "first", "second", "score", "forfeit_by"]
        return SimpleNamespace(games=pd.DataFrame(rows, columns=heads), forfeit_summary=ForfeitSummary((), {}))


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Played:
    (tmp_path / "mine.py").write_text(BOT)
    monkeypatch.chdir(tmp_path)
    found = Played()
    monkeypatch.setattr(tuning, "run_tournament", found)
    return found


def trials(folder: Path) -> list[tuple[dict[str, Any], float, str]]:
    """Return parameters, score and state of all trials but those that were interrupted."""
    study = optuna.load_study(study_name=None, storage=f"sqlite:///{folder / STUDY}")
    return [(one.params, one.value, one.state.name) for one in study.trials if one.state.name != "RUNNING"]


@pytest.mark.soak
def test_it_finds_what_is_good(played: Played) -> None:
    found = tune(TuningTask("mine.py", PARAMS, ("random",), seed=1, trials=16, games=100), Path("t"))
    assert abs(float(found.params["x"]) - 0.3) < 0.2
    assert found.params["style"] == "b"
    assert found.better
    assert list(found.confirmed) == [DEFAULT, "random"]
    assert found.confirmed["random"].games == 400
    stopped = [score for _, score, state in trials(Path("t")) if state == "PRUNED"]
    best = max(score for _, score, state in trials(Path("t")) if state == "COMPLETE")
    assert stopped
    assert max(stopped) < best


def test_all_trials_play_the_same_deals_and_the_confirmation_others(played: Played) -> None:
    tune(TuningTask("mine.py", PARAMS, seed=1, trials=2, games=100, confirm=20), Path("t"))
    in_trials = {seed for place, seed in played.calls if "trials" in place.parts}
    (last,) = (seed for place, seed in played.calls if "confirm" in place.parts)
    assert len(in_trials) == 1
    assert last not in in_trials


@pytest.mark.soak
def test_interruption_and_more_trials_change_nothing(played: Played) -> None:
    task = TuningTask("mine.py", PARAMS, seed=5, trials=7, games=100, confirm=20)
    whole = tune(task, Path("whole"))
    played.interrupt_at = len(played.calls) + 9  # within a trial
    with pytest.raises(KeyboardInterrupt):
        tune(task, Path("parts"))
    played.interrupt_at = -1
    tune(TuningTask("mine.py", PARAMS, trials=5, games=100, confirm=20), Path("parts"))  # the folder knows the seed
    assert tune(task, Path("parts")).values() == whole.values()
    assert trials(Path("parts")) == trials(Path("whole"))


def test_a_study_that_cannot_be_written_is_said_in_a_sentence(played: Played) -> None:
    task = TuningTask("mine.py", PARAMS, seed=1, trials=1, games=4, confirm=4)
    Path("t").mkdir()
    Path("t", STUDY).write_text("no database, and longer than the head of one. " * 5)
    with pytest.raises(ArenaError, match=r"cannot write to t/study.sqlite: file is not a database; choose another"):
        tune(task, Path("t"))
    Path("u", STUDY).mkdir(parents=True)
    with pytest.raises(ArenaError, match=r"cannot write to u/study.sqlite: unable to open database file"):
        tune(task, Path("u"))


def test_a_folder_of_another_tuning_is_left_alone(played: Played) -> None:
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
    found = json.loads(arena(*words, "--seed", 4, "--workers", 1, "--json", "--out", "one", code=None).out)
    again = json.loads(arena(*words, "--seed", 4, "--workers", 2, "--json", "--out", "two", code=None).out)
    assert found == again
    plain = arena(*words, "--out", "one", code=None)
    assert plain.err == "tuning in one, seed 4\n", "nothing is played again"
    assert plain.out.startswith(f"winner    mine.py:x={found['params']['x']}\nagainst   as it was: ")


@pytest.mark.slow
@pytest.mark.process
def test_forfeits_come_first_and_more_games_are_not_advised(arena: Arena) -> None:  # noqa: F811
    Path("dead.py").write_text(BOT.replace("self.x = x", "self.x = x if x == 0.9 else None"))
    words = ("--param", "x:0..0.5", "--trials", 1, "--games", 4, "--confirm", 4, "--seed", 4)
    said = arena("tune", "dead.py", *words, code=1).out
    assert "tuned forfeited all 4 games by exception: " in said.partition("\nwinner")[0]
    assert "; arena replay results/tune-dead/confirm/" in said.partition("\nwinner")[0]
    assert "try more" not in said


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


def test_parameters_are_added_to_those_of_a_spec() -> None:
    assert spec_with("mine=a/b.py:x=1", {"y": 0.25}) == "a/b.py:x=1,y=0.25"
    assert spec_with("greedy", {}) == "greedy"


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
def test_what_is_wrong_is_said(mine: str, params: list[str], said: str) -> None:
    with pytest.raises(ArenaError, match=said):
        read_parameters(mine, params)


def test_what_cannot_be_tuned_is_said(mine: str, tmp_path: Path) -> None:
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
