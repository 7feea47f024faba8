"""What is said of figures: who leads, whether that is shown, and commands that work."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.results.run_data import read_run
from arena.results.run_standings import RunStandings, standings
from arena.results.words import findings, next_command
from arena.stats.ratings import Difference
from tests.results.synthetic import store_run


def led_by(folder: Path, elo: float, error: float, units: int = 5, **settings: Any) -> RunStandings:
    """Return the standings of a run in which a leads b by `elo`."""
    run = store_run(folder, {"bots": ["greedy", "random"], "games": 10, **settings}, units=units)
    rows = [{"bot": bot, "games": 9, "losses": 2, "forfeits": 0} for bot in "ab"]
    lead = Difference(elo, error, error)
    return replace(standings(read_run(run)), rows=rows, lead=lead, head_to_head=None)


@pytest.mark.parametrize(
    ("gap", "error", "said", "advised"),
    [
        (50.0, 20.0, "Shown (95%): b is 50 ± 20 Elo behind a.", "--bot a --lost"),
        (20.0, 40.0, "Not shown (95%): b is 20 ± 40 Elo behind a.", "--games 82"),
        (0.1, 40.0, "Not shown (95%): b is 0 ± 40 Elo behind a.", "than is practical."),
        (0.0, 40.0, "Not shown (95%): a is placed ahead of b, but not by the ratings.", ""),
        (math.nan, math.nan, "There are too few deals to show that a is ahead of b: play more games.", ""),
    ],
)
def test_whether_the_first_place_is_shown(tmp_path: Path, gap: float, error: float, said: str, advised: str) -> None:
    found = led_by(tmp_path / "run", gap, error)
    assert findings(found) == [said]
    assert next_command(found).endswith(advised)
    assert bool(next_command(found)) == bool(advised)


@pytest.mark.parametrize("settings", [{"format": "swiss"}, {"format": "knockout"}, {"deals": ["1:2", "1:3"]}])
def test_a_run_that_cannot_grow_by_games_is_not_told_to(tmp_path: Path, settings: dict[str, Any]) -> None:
    assert next_command(led_by(tmp_path / "run", 20.0, 40.0, games=4, **settings)) == ""


@pytest.mark.parametrize(
    ("units", "advised"), [(5, ""), (2, "the same 'arena compare' again plays what is left, 6 games")]
)
def test_a_variant_is_not_told_to_grow_alone(tmp_path: Path, units: int, advised: str) -> None:
    assert advised in next_command(led_by(tmp_path / "run", 20.0, 40.0, units=units), is_variant=True)
