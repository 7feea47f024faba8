"""Bots ranked over rule sets by votes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from arena.stats.voting import margins, schulze, votes

ORACLES = json.loads((Path(__file__).parents[1] / "data" / "statistics_oracles.json").read_text())["votes"]


@pytest.mark.parametrize("name", sorted(ORACLES))
def test_schulze_as_openspiel(name: str) -> None:
    ballots = ORACLES[name]["ballots"]
    names = sorted(ballots[0])
    scores = np.array([[-ballot.index(bot) for bot in names] for ballot in ballots], dtype=float)
    place = schulze(margins(scores))
    assert [names[bot] for bot in np.argsort(place, kind="stable")] == ORACLES[name]["schulze"]


def test_a_clear_first_place_is_sure_and_the_same_again() -> None:
    draw = np.random.default_rng(1)
    games = np.full((3, 4, 60), 4.0)
    points = draw.binomial(4, np.array([0.8, 0.5, 0.5, 0.2])[:, None], (3, 4, 60)).astype(float)
    ranked = votes(("a", "b", "c", "d"), points, games)
    assert [vote.bot for vote in ranked][::3] == ["a", "d"]
    first, last = ranked[0], ranked[-1]
    assert (first.place, first.place_low, first.place_high) == (1, 1, 1)
    assert (last.place_low, last.place_high) == (4, 4)
    assert ranked == votes(("a", "b", "c", "d"), points, games)


def test_few_deals_show_no_range_of_places() -> None:
    games = np.full((2, 3, 12), 2.0)
    points = games * np.array([0.9, 0.5, 0.1])[:, None]
    enough = votes(("a", "b", "c"), points, games)
    games[1, :, :3] = points[1, :, :3] = 0  # 9 deals in one rule set
    few = votes(("a", "b", "c"), points, games)
    assert [vote.place for vote in few] == [vote.place for vote in enough] == [1, 2, 3]
    assert [(vote.place_low, vote.place_high) for vote in enough] == [(1, 1), (2, 2), (3, 3)]
    assert np.isnan([(vote.place_low, vote.place_high) for vote in few]).all()
