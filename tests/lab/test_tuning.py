"""Tuning finds what is good, repeats, resumes, and confirms by games of its own."""

from __future__ import annotations

import json
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
from arena.lab.tuning import DEFAULT, STUDY, TUNED, TuningTask, tune
from tests.cli.conftest import Arena, arena  # noqa: F401

optuna = pytest.importorskip("optuna")
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
        return SimpleNamespace(games=pd.DataFrame(rows, columns=heads))


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
    return [(one.params, one.value, one.state.name) for one in study.trials if one.state.name != "FAIL"]


@pytest.mark.slow
def test_it_finds_what_is_good(played: Played) -> None:
    found = tune(TuningTask("mine.py", PARAMS, ("random",), seed=1, trials=25, games=100), Path("t"))
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
    tune(TuningTask("mine.py", PARAMS, seed=1, trials=3, games=100, confirm=20), Path("t"))
    first, second = ({seed for place, seed in played.calls if place.name == start} for start in ("0", "50"))
    (last,) = (seed for place, seed in played.calls if "confirm" in place.parts)
    assert len(first) == len(second) == 1
    assert len(first | second | {last}) == 3


@pytest.mark.slow
def test_interruption_and_more_trials_change_nothing(played: Played) -> None:
    task = TuningTask("mine.py", PARAMS, seed=5, trials=11, games=100, confirm=20)
    whole = tune(task, Path("whole"))
    played.interrupt_at = len(played.calls) + 13  # within a trial
    with pytest.raises(KeyboardInterrupt):
        tune(task, Path("parts"))
    played.interrupt_at = -1
    tune(TuningTask("mine.py", PARAMS, trials=9, games=100, confirm=20), Path("parts"))  # the folder knows the seed
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
    tune(TuningTask("mine.py", PARAMS, seed=1, trials=1, games=4, confirm=4), Path("t"))
    with pytest.raises(ArenaError, match=r"a tuning with other settings \(seed, games\)"):
        tune(TuningTask("mine.py", PARAMS, seed=2, trials=1, games=6, confirm=4), Path("t"))
    Path("w.toml").write_text("hand_size = 3\n")
    ruled = TuningTask("mine.py", PARAMS, rules="w.toml", seed=1, trials=1, games=4, confirm=4)
    tune(ruled, Path("ruled"))
    Path("w.toml").write_text("hand_size = 2\n")
    load_rules.cache_clear()
    with pytest.raises(ArenaError, match=r"a tuning with other settings \(rules\)"):
        tune(ruled, Path("ruled"))
    Path("mine.py").write_text(BOT + "\n")
    with pytest.raises(ArenaError, match=r"a tuning with other settings \(sources\)"):
        tune(TuningTask("mine.py", PARAMS, seed=1, trials=1, games=4, confirm=4), Path("t"))


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
    said = arena("tune", "dead.py", *words, code=3).out
    assert said.startswith(
        "The winner forfeited 4 of 4 games of the confirmation: arena replay results/tune-dead/confirm/"
    )
    assert "try more" not in said
