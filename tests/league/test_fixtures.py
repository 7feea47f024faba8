"""Whom to play next: what tells most, counting what is on its way."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from arena.league import fixtures
from arena.league.rating import Standings, league_standings
from arena.league.store import League
from tests.league.leagues import enter, played, some_points


def labels(table: Standings, pairs: list[tuple[int, int]]) -> list[str]:
    name = {place.version.id: place.version.name for place in table.rows}
    return ["".join(sorted(name[one] for one in pair)) for pair in pairs]


def test_those_who_met_least_come_first(found: League) -> None:
    a, b, c, d = enter(found, "a", "b", "c", "d")
    played(found, [(x, y, some_points(60, 0.5, 3)) for x, y in ((a, b), (a, c), (b, c))])
    played(found, [(a, d, some_points(5, 0.5, 4))])
    table = league_standings(found)
    chosen = labels(table, fixtures.least_certain(table, 6, 10))
    assert all("d" in pair for pair in chosen[:3])
    assert len(set(chosen)) == 6


def test_games_that_are_decided_beforehand_tell_little(found: League) -> None:
    """The weakest is no surer than the others, but nobody in reach can tell."""
    a, b, c, d = enter(found, "a", "b", "c", "d")
    played(found, [(x, d, [2] * 40) for x in (a, b, c)])
    played(found, [(x, y, some_points(8, 0.5, 5)) for x, y in ((a, b), (b, c), (a, c))])
    table = league_standings(found)
    assert set(labels(table, fixtures.least_certain(table, 3, 10))) == {"ab", "bc", "ac"}


def test_bots_without_games_come_first(found: League) -> None:
    a, b, c = enter(found, "a", "b", "c")
    played(found, [(a, b, some_points(5, 0.5))])
    table = league_standings(found)
    assert c.id in fixtures.least_certain(table, 1, 10)[0]
    assert len(fixtures.least_certain(table, 5, 10)) == 2


def test_groups_are_linked_first(found: League) -> None:
    a, b, c, d = enter(found, "a", "b", "c", "d")
    played(found, [(a, b, some_points(20, 0.7)), (c, d, some_points(20, 0.6))])
    table = league_standings(found)
    (one, other), *rest = fixtures.least_certain(table, 3, 10)
    assert {one, other} & {a.id, b.id}
    assert {one, other} & {c.id, d.id}
    assert rest


def test_own_share(found: League) -> None:
    """Among bots that are well known all of the error is one's own; beside one of two that are not, little."""
    a, b, c, d = enter(found, "a", "b", "c", "d")
    played(found, [(x, y, some_points(400, 0.5, 7)) for x, y in ((a, b), (b, c), (a, c))])
    played(found, [(d, x, some_points(10, 0.5, 8)) for x in (a, b, c)])
    assert fixtures.own_share(league_standings(found), d.id, [a.id, b.id, c.id], 60) > 0.85
    e, f = enter(found, "e", "f")
    played(found, [(e, d, some_points(3, 0.5, 2)), (f, e, some_points(400, 0.5, 9))])
    assert fixtures.own_share(league_standings(found), f.id, [e.id], 800) < 0.3
    assert fixtures.own_share(league_standings(found), 999, [a.id], 10) == 1.0


def test_nearest_leaves_out_who_tells_nothing() -> None:
    others = {1: 900.0, 2: 950.0, 3: -800.0, 4: 1200.0}
    assert fixtures.nearest(930, others, 3) == [2, 1, 4]
    assert fixtures.nearest(930, others, 8) == [2, 1, 4]
    assert fixtures.nearest(-3000, others, 8) == [3]


@pytest.mark.parametrize(
    ("error", "target", "played", "needed"), [(80, 40, 100, 400), (30, 20, 10, 23), (20, 20, 7, 7), (10, 20, 8, 2)]
)
def test_games_needed_for_an_error(error: float, target: float, played: int, needed: int) -> None:
    assert fixtures.games_needed(error, target, played) == needed


def test_a_placement_is_given_the_games_that_its_error_needs(found: League, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, c, d = enter(found, "a", "b", "c", "d")
    played(found, [(x, y, some_points(400, 0.5, 7)) for x, y in ((a, b), (b, c), (a, c))])
    played(found, [(d, x, some_points(20, 0.5, 8)) for x in (a, b, c)])
    own = league_standings(found, d).row_of(d.id)
    assert own is not None
    assert own.width is not None
    for share in (0.8, 0.6):
        monkeypatch.setattr(
            found, "settings", replace(found.settings, error=own.width * share, games=40, most_games=1000)
        )
        deals = sum(fixture.deals for fixture in fixtures.for_placement(found, d))
        assert deals == (math.ceil(own.score.games / share**2) - own.score.games) // 2
