"""Deals, games exactly once, and what they add up to."""

from __future__ import annotations

from arena.league import book, fixtures, views
from arena.league.fixtures import Fixture
from arena.league.store import League
from arena.stats import Score
from arena.tournament.games import PairTask, deal_seed
from tests.league.leagues import SECRET, enter, played, row, sound


def test_deals_follow_from_the_secret_and_the_versions(found: League) -> None:
    a, b, c = enter(found, "a", "b", "c")
    tasks = fixtures.deal_units(found, [Fixture(b, a, 2), Fixture(b, c, 1)])
    assert tasks == [
        PairTask(1, 0, "a v1", "b v1"),
        PairTask(2, 1, "b v1", "c v1"),
        PairTask(1, 2, "a v1", "b v1"),
    ]
    seeds = [seed for (seed,) in found.query("SELECT seed FROM pairings ORDER BY pairing")]
    assert seeds == [deal_seed(int(SECRET, 16), True, *names) for names in (("a v1", "b v1"), ("b v1", "c v1"))]
    assert fixtures.deal_units(found, [Fixture(b, a, 2), Fixture(b, c, 1)]) == tasks  # nothing was played
    found.insert_games([row(tasks[1], 0, 2), row(tasks[1], 1, 0)])
    assert [task.deal for task in fixtures.deal_units(found, [Fixture(a, b, 2)])] == [2, 3]


def test_a_game_is_stored_once(found: League) -> None:
    a, b = enter(found, "a", "b")
    (task,) = fixtures.deal_units(found, [Fixture(a, b, 1)])
    rows = [row(task, 0, 2), row(task, 1, 0)]
    assert found.insert_games(rows) == 2
    assert found.insert_games([row(task, 0, 0), rows[1]]) == 0
    assert found.query("SELECT score FROM games ORDER BY id") == [(2,), (0,)]
    sound(found.folder)


def test_scores(found: League) -> None:
    a, b, c = enter(found, "a", "b", "c")
    played(found, [(a, b, [2, 2, 1]), (c, a, [2]), (b, a, [0])])
    assert views.head_to_heads(found, a.id) == {b.id: Score(7, 0, 1), c.id: Score(0, 0, 2)}
    assert views.head_to_heads(found, b.id) == {a.id: Score(1, 0, 7)}
    assert found.count_games() == 10


def test_forfeits(found: League) -> None:
    a, b = enter(found, "a", "b")
    one, two = fixtures.deal_units(found, [Fixture(a, b, 2)])
    # b begins game 1: it forfeits as the first there, and as the second in game 0
    rows = [row(one, 0, 2, 3, 2), row(one, 1, 0, 3, 1), row(two, 0, 0, 1, 1), row(two, 1, 0)]
    found.insert_games(rows)
    figures = ("bot", "kind", "games", "last", "record")
    assert [tuple(line[key] for key in figures) for one in (a, b) for line in views.forfeit_lines(found, one)] == [
        ("a v1", "illegal move", 1, "why", "record 1/0"),
        ("b v1", "timeout", 2, "why", "record 0/1"),
    ]
    assert views.forfeits_text(views.forfeit_lines(found, b)) == "2 (2 timeout)"


def test_a_reader_yields_the_games_that_count(found: League) -> None:
    a, b, c = enter(found, "a", "b", "c")
    played(found, [(a, b, [2, 1]), (b, c, [0])])
    book.retire(found, "c")
    assert [bot.name for bot in found.reader(hidden=False).bots()] == ["a v1", "b v1"]
    assert [game.name for game in found.reader(hidden=False).results()] == [
        f"{first} v1/{second} v1/{deal}" for deal in (0, 1) for first, second in ("ab", "ba")
    ]
    assert found.reader().result("c v1", "b v1", 2).winner == "c v1"
    games = found.reader().arrays_of({b.id: "b", c.id: "c"})
    assert (games.bots, games.score.tolist()) == (("b", "c"), [0, 1])
