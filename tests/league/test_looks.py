"""The league looks again: what bots do that behaved in their checks."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from arena.game.record import parse_record
from arena.league import events, games, looks, play, versions
from arena.league.match_runner import open_session
from arena.league.oversight import audit
from arena.league.store import League
from arena.league.verification import verify_league
from tests.league.leagues import FIRST, LAST, RANDOM, enter, league, submit

WAVERS = "import os\n\ndef act(view, moves):\n    return moves[os.urandom(1)[0] % len(moves)]\n"
SLOWS = """
import time

class Slows:
    asked = 0
    def act(self, view, moves):
        Slows.asked += 1
        if Slows.asked > 300:
            time.sleep(0.021)
        return moves[0]
"""
HOGS = """
KEPT = []

def act(view, moves):
    KEPT.append(bytearray(1 << 20))
    return moves[0]
"""
WRITES_LATER = """
class Writes:
    asked = 0
    def act(self, view, moves):
        self.asked += 1
        if self.asked > 400:
            try:
                open("/dev/shm/none/1", "w")
            except OSError:
                pass
        return moves[0]
"""
GIVES_UP = """
class GivesUp:
    games = 0
    def begin(self, setup):
        GivesUp.games += 1
    def act(self, view, moves):
        if GivesUp.games > 10:
            raise ValueError("no more")
        return moves[0]
"""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look on a busy machine comes to its last deal, too."""
    monkeypatch.setattr(looks, "LOOK_S", 120.0)


def looked(found: League, name: str, isolation: str | None = None) -> list[looks.Remark]:
    one = next(one for one in versions.in_state(found, versions.ACTIVE) if one.name == name)
    with open_session(found, "play", 1, isolation) as session:
        return looks.look_again(session, one, random.Random(1))


@pytest.mark.slow
def test_a_bot_that_never_plays_the_same_game_twice(tmp_path: Path) -> None:
    with league(tmp_path / "a") as found:
        submit(found, "one", FIRST)
        submit(found, "wavers", WAVERS)
        submit(found, "dice", RANDOM)
        total = games.count(found)
        (remark,) = looked(found, "wavers")
        assert remark.kind == looks.UNSTEADY
        assert "again: decision" in remark.text
        assert looked(found, "dice") == looked(found, "one") == []
        assert looked(found, "wavers")  # the history tells of it once, the log each time
        assert [e.note for e in events.events(found) if e.kind == events.NOTICED] == [f"unsteady: {remark.text}"]
        told = [(e.subject, e.outcome) for e in audit.entries(found) if e.what == "look"]
        assert told == [
            ("wavers v1", "noticed"),
            ("dice v1", "as before"),
            ("one v1", "as before"),
            ("wavers v1", "noticed"),
        ]
        assert games.count(found) == total  # what is played for a look does not count
        assert verify_league(found).sound


@pytest.mark.slow
def test_a_bot_that_became_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looks, "RECENT", 5)
    with league(tmp_path / "a") as found:
        enter(found, "one", source=LAST)
        submit(found, "slows", SLOWS)
        with open_session(found, "play", 1) as session:
            play.play_games(session, 20)
        assert "slow" in {remark.kind for remark in looked(found, "slows")}
        assert not looked(found, "one")


@pytest.mark.process
@pytest.mark.slow
def test_a_bot_that_takes_more_and_more_memory(tmp_path: Path) -> None:
    with league(tmp_path / "a") as found:
        enter(found, "one")
        enter(found, "hogs", source=HOGS)
        (remark,) = looked(found, "hogs", "process")
        assert remark.kind == looks.HOG
        assert "grows by" in remark.text
        assert looked(found, "one", "process") == []


@pytest.mark.process
@pytest.mark.slow
def test_a_bot_that_writes_after_its_check_only(tmp_path: Path) -> None:
    """Nothing can be written, so it lost nothing by trying, and nobody was told."""
    with league(tmp_path / "a") as found:
        enter(found, "one", source="import tempfile\n" + LAST)
        enter(found, "writes", source=WRITES_LATER)
        (remark,) = looked(found, "writes", "process")
        assert remark.kind == looks.TRIES
        assert remark.text.startswith("writes.py:9: writes to the file system: open(/dev/shm/none/1")
        assert looked(found, "one", "process") == []


def test_a_bot_that_forfeits_most_games_is_suspended(tmp_path: Path) -> None:
    with league(tmp_path / "a") as found:
        enter(found, "one", "two")
        enter(found, "gives_up", source=GIVES_UP)
        with open_session(found, "play", 1) as session:
            play.play_games(session, 150)
        (one,) = versions.of_bot(found, "gives_up")
        assert one.retired is not None
        assert one.retired_reason.startswith("suspended: it forfeited ")
        assert "by exception: in act: Traceback" in one.retired_reason
        assert [e.note for e in events.events(found) if e.kind == events.RETIRED] == [one.retired_reason]
        assert games.forfeits(found)[0].games < 80
        assert {one.name for one in versions.in_state(found, versions.ACTIVE)} == {"one", "two"}


def test_looks_take_their_share_of_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with league(tmp_path / "a", watch=0.5) as found:
        enter(found, "one", "two")
        monkeypatch.setattr(looks, "_FIRST_COST_S", 0.0)
        with open_session(found, "play", 1) as session:
            play.play_games(session, 60)
        assert [e for e in audit.entries(found) if e.what == "look"]
    with league(tmp_path / "b", watch=0) as found, open_session(found, "play", 1) as session:
        assert not looks.Watch(session).is_due()


def test_the_first_decision_that_differs() -> None:
    head = "schotten/1 base 1:0 11; "
    one = parse_record(f"{head}r1@1,p3@1,b3@2; * 0-0")
    two = parse_record(f"{head}r1@1,p3@1,b3@3; * 0-0")
    short = parse_record(f"{head}r1@1; * 0-0")
    assert looks.difference(one, two) == (3, one.deal.starter, "b3@2", "b3@3")
    assert looks.difference(one, short) is looks.difference(one, one) is None
