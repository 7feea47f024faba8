"""Whom to play next: those who have played least, among those near each other."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.league import book, fixtures
from arena.league.fixtures import Fixture
from arena.league.league_settings import LeagueSettings
from arena.league.rating import league_standings
from arena.league.store import League
from arena.stats.pairs import score_of_elo
from tests.league.leagues import FIRST, enter, league, played, some_points, submission


def play(found: League) -> list[Fixture]:
    return fixtures.for_play(league_standings(found), found.settings)


def pairs(chosen: list[Fixture]) -> list[str]:
    return ["".join(sorted((fixture.a.name, fixture.b.name))) for fixture in chosen]


def test_those_who_have_played_least_come_first(found: League) -> None:
    a, b, c, d = enter(found, "a", "b", "c", "d")
    played(found, [(x, y, some_points(60, 0.5, 3)) for x, y in ((a, b), (a, c), (b, c))])
    played(found, [(a, d, some_points(5, 0.5, 4))])
    assert all("d" in pair for pair in pairs(play(found)))


def test_games_that_are_decided_beforehand_tell_little(found: League) -> None:
    """The weakest meets the one that is nearest, although that has played more than the others."""
    a, b, c, d = enter(found, "a", "b", "c", "d")
    played(found, [(a, b, some_points(40, 0.9)), (b, c, some_points(40, 0.9)), (c, d, [2] * 19 + [1])])
    assert pairs(play(found))[0] == "cd"


def test_groups_are_linked_first(found: League) -> None:
    a, b, c, d = enter(found, "a", "b", "c", "d")
    played(found, [(a, b, some_points(20, 0.7)), (c, d, some_points(20, 0.6))])
    assert set(pairs(play(found)[:2])) <= {"ac", "ad", "bc", "bd"}


def test_a_placement_ends_with_the_tables_error(found: League) -> None:
    """Among bots that hardly know each other it is enough to know how far one is from a rival."""
    a, b, c = enter(found, "a", "b", "c")
    played(found, [(a, b, some_points(3, 0.5, 2)), (a, c, some_points(400, 0.5, 9))])
    table = league_standings(found, anchored=False)
    own = table.row_of(c.id)
    assert own is not None
    assert own.width is not None
    assert own.width > found.settings.error
    assert fixtures.for_placement(table, c, settings(found, most_games=5000)) == []
    assert fixtures.for_placement(table, b, settings(found, most_games=5000))


def settings(found: League, **changed: Any) -> LeagueSettings:
    return replace(found.settings, **changed)


def test_the_leader_plays_no_more_than_others(tmp_path: Path) -> None:
    """A league of 24 bots, one of them far ahead of all, and further play."""
    rng = random.Random(5)
    strength = {f"b{number}": rng.gauss(0, 150) for number in range(24)} | {"b3": 600.0}

    def meet(chosen: Sequence[Fixture]) -> None:
        for fixture in chosen:
            chance = score_of_elo(strength[fixture.a.name] - strength[fixture.b.name])
            points = [sum(rng.random() < chance for _ in range(2)) for _ in range(fixture.deals)]
            played(found, [(fixture.a, fixture.b, points)])

    with league(tmp_path, placement={"error": 100, "most_games": 100, "sample": 8, "games": 10}) as found:
        for name in strength:
            one = book.enqueue(found, submission(name, f"# {name}\n{FIRST}")).version
            book.accept(found, one)
            while step := fixtures.for_placement(league_standings(found, one, anchored=False), one, found.settings):
                meet(step)
            book.promote(found, one)
        for _ in range(12):
            meet(play(found))
        rows = league_standings(found).rows
    games = sorted(row.score.games for row in rows)
    assert rows[0].version.name == "b3"
    assert rows[0].score.games < 1.5 * games[len(games) // 2]
    assert games[-1] < 2.5 * games[0]
