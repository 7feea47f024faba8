"""Killed at any moment, and several at once: the league stays whole, and the next command continues."""

from __future__ import annotations

import os
import shutil
import signal
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.bundle import BUNDLES
from arena.cli.main import main
from arena.league import book, versions, views
from arena.league.oversight import activity
from arena.league.placement import LeagueWork
from arena.league.player import LeagueBusy, open_session
from arena.league.rating import league_standings
from arena.league.store import League, create_league, open_league
from arena.league.versions import ACTIVE
from arena.tournament.store.sqlite import is_in_use
from tests.bots.processes.waiting import wait_for
from tests.league.leagues import FIRST, LAST, RANDOM, SECRET, handled, play_more, settings, settle, sound, submission

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="these tests fork")]

PATIENCE_S = 120.0

Make = Callable[..., None]


def forked(work: Callable[[], object]) -> int:
    """Do some work in a process of its own; its number."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc()  # pytest shows it if the test fails
        finally:
            os._exit(code)
    return pid


def ended(pid: int) -> int:
    """How a process ended: its exit code, or minus the signal that killed it."""
    found = status = 0

    def over() -> int:
        nonlocal found, status
        found, status = os.waitpid(pid, os.WNOHANG)
        return found

    if wait_for(over, PATIENCE_S):
        return os.waitstatus_to_exitcode(status)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    raise AssertionError("it hangs")


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Makes leagues with two bots: copies of one that is played once for each kind of placement."""
    made: dict[tuple[tuple[str, int], ...], Path] = {}

    def copy(folder: Path, **changed: int) -> None:
        kind = tuple(sorted(changed.items()))
        if kind not in made:
            made[kind] = tmp_path_factory.mktemp("league")
            with (
                create_league(made[kind], settings(placement=changed), SECRET) as found,
                open_session(found, "test", 1) as session,
            ):
                for name, source in (("first", FIRST), ("last", LAST)):
                    assert settle(session, submission(name, source)).state == ACTIVE
        shutil.copytree(made[kind], folder, dirs_exist_ok=True)

    return copy


def kill_at(found: League, statement: int) -> None:
    """Have this process killed when it comes to its `statement`-th SQL statement."""
    left = statement

    def count(sql: str) -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    found._db.set_trace_callback(count)


def whole(folder: Path) -> None:
    """Nothing contradicts itself, and nothing is left that a living process would have."""
    db = sound(folder)
    assert not is_in_use(folder)
    assert not (folder / BUNDLES).exists()
    db.close()


@pytest.mark.parametrize("statement", [*range(1, 40, 9), 69, 127])
def test_a_killed_submission_is_completed_later(tmp_path: Path, make: Make, statement: int) -> None:
    """At one SQL statement after the other: before, within and after each transaction."""
    make(tmp_path, most_games=12)
    before = sorted(games_of(tmp_path))

    def work() -> None:
        with open_league(tmp_path) as found:
            kill_at(found, statement)
            with open_session(found, "submit", 1) as session:
                settle(session, submission("random", RANDOM))

    how = ended(forked(work))
    assert how in (0, -signal.SIGKILL)
    sound(tmp_path).close()
    stored = sorted(games_of(tmp_path))
    with open_league(tmp_path) as found, open_session(found, "play", 1) as session:
        known = versions.in_state(found, *versions.OPEN)
        outcomes = handled(session)
        assert [o.version.id for o in outcomes] == [v.id for v in known]
        again = book.enqueue(found, submission("random", RANDOM))
        if again.outcome == "new":  # it was killed before it was stored
            assert not known
            handled(session)
        table = league_standings(found)
        assert sorted(p.version.label for p in table.rows) == ["first v1", "last v1", "random v1"]
        mine = table.row_of(again.version.id)
        assert mine is not None
        assert 8 <= mine.score.games <= 20
        assert [e["kind"] for e in views.events(found)] == ["created", *["accepted"] * 3]
    whole(tmp_path)
    after = sorted(games_of(tmp_path))
    assert set(before) <= set(stored) <= set(after)  # nothing that was stored is lost or changed


def games_of(folder: Path) -> list[tuple[int, int, str]]:
    with open_league(folder, write=False) as found:
        return [(key, score, text) for key, score, text in found.query("SELECT id, score, record FROM games")]


def test_a_submission_that_ends_every_process_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with create_league(tmp_path, settings(), SECRET) as found:
        one = book.enqueue(found, submission("mine", FIRST)).version

    def work() -> None:
        with open_league(tmp_path) as found, open_session(found, "play", 1) as session:
            handled(session)

    with monkeypatch.context() as patch:
        patch.setattr(LeagueWork, "_check", lambda work, version: os.kill(os.getpid(), signal.SIGKILL))
        assert [ended(forked(work)) for _ in range(book.MAX_ATTEMPTS)] == [-signal.SIGKILL] * book.MAX_ATTEMPTS
        assert ended(forked(work)) == 0
    with open_league(tmp_path) as found:
        now = versions.get(found, one.id)
    assert (now.state, now.attempts) == (versions.REFUSED, book.MAX_ATTEMPTS)


def test_one_process_plays_and_the_others_wait(tmp_path: Path, make: Make) -> None:
    """Authors submit while a league is played: one process after the other plays, and nothing is lost."""
    make(tmp_path, most_games=40, games=8)

    def submits(name: str) -> Callable[[], None]:
        def work() -> None:
            path = tmp_path / f"{name}.py"
            path.write_text(f"# {name}\n{RANDOM}")
            assert main(["submit", str(path), "--league", str(tmp_path), "--workers", "1"]) == 0

        return work

    with open_league(tmp_path) as found, open_session(found, "league work", 1) as session:
        running = [forked(submits(name)) for name in ("ann", "bob", "cid")]
        assert wait_for(lambda: len(versions.waiting(found)) == 3, PATIENCE_S)
        busy = pytest.raises(LeagueBusy, match=r"^test is being played by .*'arena league work'")
        with open_league(tmp_path) as other, busy, open_session(other, "league work", 1):
            pass
        play_more(session, 20)
    assert [ended(pid) for pid in running] == [0, 0, 0]
    whole(tmp_path)
    with open_league(tmp_path) as found:
        assert {p.version.name for p in league_standings(found).rows} == {"first", "last", "ann", "bob", "cid"}
        assert [e["kind"] for e in views.events(found)].count("accepted") == 5
        assert not activity(found)
