"""Tuning finds what is good, repeats, resumes, and confirms by games of its own."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from arena.bots.spec import parse_spec
from arena.game.rng import Rng, derive_seed
from arena.lab import tuning
from arena.lab.tuning import DEFAULT, TUNED, Choice, Proposals, Range, Task, TuneError, result_values, tune
from tests.cli.conftest import Arena, arena  # noqa: F401

pytest.importorskip("optuna")
SPACE = (Range("x", 0, 1, 0.001, False), Range("n", 1, 4, 1, True), Choice("style", ("a", "b")))
BOT = """
class Noisy:
    '''Plays at random with a chance, else the first move.'''
    def __init__(self, noise: float = 0.9) -> None:
        self.noise = noise

    def act(self, view, moves):
        return view.rng.choice(moves) if view.rng.random() < self.noise else moves[0]
"""


class Played:
    """Stands for `run_tournament`: wins fall by chance, more often the nearer x is to 0.3, and with style b."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int, int]] = []

    def __call__(self, bots: list[dict[str, str]], **given: Any) -> Any:
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
        self.calls.append((Path(given["out"]).as_posix(), given["games"], given["seed"]))
        heads = ["pairing", "deal", "game", "first", "second", "score", "forfeit_by"]
        return SimpleNamespace(games=pd.DataFrame(rows, columns=heads))


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Played:
    found = Played()
    monkeypatch.setattr(tuning, "run_tournament", found)
    return found


def test_it_finds_what_is_good(played: Played, tmp_path: Path) -> None:
    found = tune(Task("greedy", SPACE, ("random",), seed=1, trials=30, games=60), tmp_path / "t")
    assert abs(float(found.winner.params["x"]) - 0.3) < 0.2
    assert found.winner.params["style"] == "b"
    assert found.better
    assert list(found.confirmed) == [DEFAULT, "random"]
    assert found.confirmed["random"].games == 400
    stored = json.loads((tmp_path / "t" / "tune.json").read_text())
    assert stored["result"] == json.loads(json.dumps(result_values(found)))


def test_stages_play_deals_of_their_own(played: Played, tmp_path: Path) -> None:
    tune(Task("greedy", SPACE, seed=1, trials=6, games=10, confirm=20), tmp_path)
    seeds = {place.split("/")[-2 if "confirm" not in place else -1]: set() for place, _, _ in played.calls}  # type: ignore[var-annotated]
    for place, _, seed in played.calls:
        seeds[place.split("/")[-2 if "confirm" not in place else -1]].add(seed)
    assert len(seeds["trials"]) == 1  # the same deals for all
    assert len(seeds["race"]) == 2
    assert not seeds["trials"] & seeds["race"]
    assert not (seeds["trials"] | seeds["race"]) & seeds["confirm"]


def test_equal_proposals_are_played_once(played: Played, tmp_path: Path) -> None:
    found = tune(Task("greedy", (Choice("style", ("a", "b")),), seed=1, trials=9, games=10), tmp_path)
    assert len(found.trials) == 2
    assert sum("trials" in place for place, _, _ in played.calls) == 2


def test_proposals_follow_from_seed_and_results_alone() -> None:
    def ask(count: int, known: int = 0) -> list[dict[str, Any]]:
        """Proposals with scores; the first `known` are only told, as after an interruption."""
        proposals = Proposals(SPACE, 5)
        made = []
        for at in range(count):
            params = whole[at] if at < known else proposals.ask()
            proposals.tell(params, 1 - abs(float(params["x"]) - 0.5))
            made.append(dict(params))
        return made

    whole: list[dict[str, Any]] = []
    whole = ask(14)
    assert ask(14) == whole
    assert ask(14, known=11) == whole
    assert all(1 <= one["n"] <= 4 and 0 <= one["x"] <= 1 and one["style"] in ("a", "b") for one in whole)


def test_a_folder_of_another_tuning_is_left_alone(played: Played, tmp_path: Path) -> None:
    task = Task("greedy", SPACE, seed=1, trials=2, games=4, confirm=4)
    tune(task, tmp_path / "t")
    tune(task, tmp_path / "t")  # the same again
    with pytest.raises(TuneError, match=r"a tuning with other settings \(seed, trials\)"):
        tune(Task("greedy", SPACE, seed=2, trials=3, games=4, confirm=4), tmp_path / "t")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "precious.txt").write_text("x")
    with pytest.raises(TuneError, match="is not empty"):
        tune(task, tmp_path / "other")
    (tmp_path / "t" / "tune.json").write_text("[]")
    with pytest.raises(TuneError, match="cannot read"):
        tune(task, tmp_path / "t")


@pytest.mark.slow
@pytest.mark.process
def test_the_command_resumes_with_the_same_result(arena: Arena, tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "noisy.py").write_text(BOT)
    words = [
        "tune",
        "noisy.py",
        "--param",
        "noise:0..1",
        "--against",
        "random",
        "--trials",
        3,
        "--games",
        8,
        "--confirm",
        8,
        "--seed",
        4,
        "--json",
    ]
    once = json.loads(arena(*words, "--workers", 1, "--out", "one", code=None).out)
    arena(*words, "--workers", 2, "--out", "two", code=None)
    first, second = (json.loads((tmp_path / name / "tune.json").read_text()) for name in ("one", "two"))
    assert first == second
    (tmp_path / "two" / "tune.json").write_text(json.dumps({k: v for k, v in second.items() if k != "result"}))
    for place in ("confirm", "race/1-000", "race/1-001", "race/1-002", "trials/002"):
        for file in (tmp_path / "two" / place).glob("*"):
            file.unlink()
    again = json.loads(arena(*words, "--workers", 2, "--out", "two", code=None).out)
    assert again == once == first["result"]
    plain = [one for one in words if one not in ("--json", "--seed", 4)]  # the folder knows its seed
    assert "noise=" in arena(*plain, "--out", "two", code=None).out
