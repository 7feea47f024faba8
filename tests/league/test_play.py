"""Games beyond placement, by real play."""

from __future__ import annotations

import pytest

from arena.league import book, fixtures, versions, views
from arena.league.league_settings import LeagueError
from arena.league.player import open_session
from arena.league.rating import league_standings
from arena.league.store import League
from arena.league.versions import ACTIVE
from tests.league.leagues import FIRST, LAST, RANDOM, enter, names, play_more, row, sound, submission, submit


def test_play_stores_the_games_asked_for(found: League) -> None:
    for name, source in (("first", FIRST), ("last", LAST), ("random", RANDOM)):
        submit(found, name, source)
    before, errors = found.count_games(), sum(p.width or 0 for p in league_standings(found).rows)
    with open_session(found, "play", 2) as session:
        stored = play_more(session, 39)
    assert stored == found.count_games() - before
    assert 39 <= stored <= 40
    assert sum(p.width or 0 for p in league_standings(found).rows) < errors
    last = views.events(found)[-1]
    assert (last["kind"], last["games"], last["total"]) == ("played", stored, found.count_games())
    assert [line.elo for line in views.table_at(found, last["event"])] == [p.elo for p in league_standings(found).rows]
    sound(found.folder)


def test_play_needs_two_bots(found: League) -> None:
    for number in ("no bot", "one bot"):
        with (
            open_session(found, "play", 1) as session,
            pytest.raises(LeagueError, match=f"test has {number} in the table"),
        ):
            play_more(session, 10)
        submit(found, "first", FIRST)


def test_play_goes_on_until_it_is_stopped(found: League) -> None:
    enter(found, "a", "b")
    with open_session(found, "play", 1) as session:

        def on_games(number: int) -> None:
            if found.count_games() >= 60:
                session.signals.count += 1

        session.on_games = on_games
        stored = play_more(session)
    assert 60 <= stored == found.count_games() < 200
    assert views.events(found)[-1]["games"] == stored
    sound(found.folder)


def test_play_gives_way_to_a_submission(found: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in the middle of a long stretch: it is placed before the stretch would have ended."""
    a, b = enter(found, "a", "b")
    monkeypatch.setattr("arena.league.player._LOOK_S", 0.0)
    monkeypatch.setattr(fixtures, "for_play", lambda *args: [fixtures.Fixture(a, b, 20_000)])
    with open_session(found, "play", 1) as session:

        def on_games(number: int) -> None:
            if not versions.in_state(found)[2:]:
                book.enqueue(found, submission("late", LAST))
            if versions.in_state(found, ACTIVE)[2:]:
                session.signals.count += 1

        session.on_games = on_games
        assert 0 < play_more(session) < 30_000
    assert names(found) == ["a v1", "b v1", "late v1"]


def test_a_bot_that_forfeits_most_games_is_suspended(found: League) -> None:
    a, b, *_ = enter(found, "a", "b", "c")
    with open_session(found, "play", 1) as session:
        tasks = fixtures.deal_units(found, [fixtures.Fixture(a, b, 24)])
        found.insert_games([row(task, game, 2 - 2 * game, 1, 2 - game) for task in tasks for game in (0, 1)])
        play_more(session, 8)
    (bot,) = versions.of_bot(found, "b")
    assert bot.retired_reason.startswith("suspended: it forfeited 3")
    assert versions.of_bot(found, "a")[0].retired is None
