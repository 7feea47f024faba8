"""What happens to submissions, by real games: checked, placed, replaced, refused; also what broke off."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from arena.bots.bundle import BUNDLES, BundleFile
from arena.league import book, versions, views
from arena.league.player import open_session
from arena.league.rating import league_standings
from arena.league.store import League
from arena.league.submission import Submission
from arena.league.versions import ACTIVE, PLACING, REFUSED, Version
from arena.league.views import rating_values
from tests.league.leagues import (
    FIRST,
    LAST,
    RANDOM,
    handled,
    league,
    names,
    play_more,
    settle,
    sound,
    submission,
    submit,
)


def test_bots_meet_the_table_and_enter_it(found: League) -> None:
    """The first has nobody to play; each then meets all, and stops at the most games or at the error."""
    for name, source in (("first", FIRST), ("last", LAST), ("random", RANDOM)):
        one = submit(found, name, source)
        assert (one.state, one.reason) == (ACTIVE, "")
    assert next(iter(views.head_to_heads(found, 1))) == 2
    for number, least in ((2, 24), (3, 24)):
        scores = {opponent: score.games for opponent, score in views.head_to_heads(found, number).items()}
        assert sum(scores.values()) >= least
        assert all(count % 2 == 0 for count in scores.values())
    table = league_standings(found)
    assert [place.rank for place in table.rows] == [1, 2, 3]
    assert [e["kind"] for e in views.events(found)] == ["created", "accepted", "accepted", "accepted"]
    assert views.events(found)[-1]["total"] == found.count_games()
    stored = views.table_at(found, 4)
    assert [*map(rating_values, stored)] == [*map(rating_values, table.rows)]
    assert not (found.folder / BUNDLES).exists()
    sound(found.folder)


@pytest.mark.slow
def test_workers_make_no_difference(tmp_path: Path) -> None:
    played = []
    for workers in (1, 3):
        with league(tmp_path / str(workers)) as found:
            for name, source in (("first", FIRST), ("last", LAST), ("random", RANDOM)):
                submit(found, name, source, workers)
            played.append(found.query("SELECT id, score, record FROM games ORDER BY id"))
    assert played[0] == played[1]


def test_a_bot_that_forfeits_in_its_placement_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It behaves while it is checked."""
    marker = tmp_path / "marker"
    source = f"""
    from pathlib import Path
    def act(view, moves):
        assert not Path({str(marker)!r}).exists(), "enough"
        return moves[0]
    """
    accept = book.accept

    def accepting(league: League, one: Version) -> bool:
        if one.name == "mine":
            marker.touch()
        return accept(league, one)

    monkeypatch.setattr(book, "accept", accepting)
    with league(tmp_path / "league", placement={"games": 8, "most_games": 60}) as found:
        submit(found, "other", FIRST)
        one = submit(found, "mine", textwrap.dedent(source))
        assert one.state == REFUSED
        assert "forfeited" in one.reason
        assert "enough" in one.reason
        assert names(found) == ["other v1"]


def test_a_bot_that_cannot_be_loaded_any_more_is_retired(tmp_path: Path) -> None:
    """It cannot be loaded any more, and the league goes on without it."""
    marker = tmp_path / "marker"
    marker.write_text("")
    source = f"from pathlib import Path\nassert Path({str(marker)!r}).exists()\n{FIRST}"
    with league(tmp_path / "league") as found:
        for name, text in (("bad", source), ("last", LAST), ("random", RANDOM)):
            assert submit(found, name, text).state == ACTIVE
        marker.unlink()
        with open_session(found, "play", 1) as session:
            assert play_more(session, 8) >= 8
        assert names(found) == ["last v1", "random v1"]
        retired = versions.of_bot(found, "bad")[0]
        assert retired.retired is not None
        assert retired.retired_reason.startswith("it can no longer be loaded")
        assert "AssertionError" in retired.retired_reason
        assert "retired" in [e["kind"] for e in views.events(found)]


@pytest.mark.usefixtures("real_check")
def test_a_command_that_cannot_be_found_is_refused(found: League) -> None:
    """As of a command whose program is not on this machine: it must not stop those who come after it."""
    what = Submission("mine", None, "cmd:nosuchprogram bot.txt", {"bot.txt": BundleFile(b"x")})
    with open_session(found, "submit", 1) as session:
        one = settle(session, what)
    assert one.state == REFUSED
    assert "nosuchprogram" in one.reason


# ---------------------------------------------------------------- broken off


def test_ctrl_c_keeps_games_and_counts_no_attempt(found: League) -> None:
    """What was played is kept, the submission waits, and that is no attempt that died."""
    submit(found, "first", FIRST)
    pressed = []

    with open_session(found, "submit", 1) as session:

        def on_games(number: int) -> None:
            pressed.append(number)
            if found.count_games():  # those of the check do not count
                session.signals.count += 1

        session.on_games = on_games
        one = settle(session, submission("last", LAST))
        one = versions.get(found, one.id)
    assert (one.state, one.attempts) == (PLACING, 0)
    assert found.count_games() > 0
    with open_session(found, "play", 1) as session:
        (outcome,) = handled(session)
    assert outcome.version.state == ACTIVE
    sound(found.folder)
