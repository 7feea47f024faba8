"""What is let into a league: the check of a submission, and submissions that are written to do harm."""

from __future__ import annotations

import os
import shutil
import signal
import textwrap
from pathlib import Path
from typing import Any

import pytest

from arena.bots.bundle import BundleFile
from arena.bots.isolation import process as processes
from arena.league import book, placement, versions, views
from arena.league.league_settings import LeagueError
from arena.league.player import open_session
from arena.league.store import League
from arena.league.submission import named_bot, placed_bot, read_submission, submission_of
from arena.league.versions import PENDING, REFUSED
from arena.tournament.inspection import check_bot
from tests.league.leagues import BROKEN, FIRST, RAISES, enter, handled, names, settled, submission, submit


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (BROKEN, "mine.py"),
        (RAISES, "forfeit by exception: ValueError: no idea (mine.py, line 2) (base, "),
    ],
)
@pytest.mark.usefixtures("real_check")
def test_broken_bots_are_refused(found: League, source: str, reason: str) -> None:
    enter(found, "other")
    one = submit(found, "mine", source)
    assert one.state == REFUSED
    assert reason in one.reason
    assert str(found.folder) not in one.reason  # names its file as the author does
    assert names(found) == ["other v1"]
    assert found.count_games() == 0
    assert views.events(found)[-1]["kind"] == "refused"


@pytest.mark.usefixtures("real_check")
def test_warnings_do_not_refuse_a_bot(found: League) -> None:
    source = """
    import os
    def act(view, moves):
        return moves[os.urandom(1)[0] % len(moves)]
    """
    with open_session(found, "submit", 1) as session:
        outcome = settled(session, submission("mine", textwrap.dedent(source)))
    assert outcome.standings
    (warning,) = outcome.warnings
    assert "other decisions" in warning
    assert str(found.folder) not in warning


@pytest.mark.usefixtures("real_check")
def test_ctrl_c_ends_a_check_and_the_next_process_does_it_again(found: League, monkeypatch: pytest.MonkeyPatch) -> None:
    def pressing(*args: Any, **options: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return check_bot(*args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(placement, "check_bot", pressing)
        one = submit(found, "mine", FIRST)
    assert one.state == PENDING
    assert not processes.own_children()
    with open_session(found, "play", 1) as session:
        (outcome,) = handled(session)
    assert outcome.standings


# ---------------------------------------------------------------- what is written to do harm


@pytest.mark.parametrize("path", ["~/notes.py", "a=b.py", "search", "m.n:C"])
def test_an_entry_names_a_stored_file_and_nothing_else(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "notes.py").write_text("secret")
    monkeypatch.setenv("HOME", str(home))
    files = {"mine.py": BundleFile(b"its own")}
    assert placed_bot("mine.py", files, tmp_path / "bots", "mine v1").loaded_from.read_text() == "its own"
    for entry in (path, "other.py"):
        with pytest.raises(LeagueError, match="the submission has no file"):
            placed_bot(entry, files, tmp_path / "bots", "mine v1")
    with pytest.raises(LeagueError, match=r"is not a Python file|must be printable|has no file"):
        submission_of({**files, path: BundleFile(b"")}, named_bot(path))


def test_long_and_deep_paths_are_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FIRST)
    deep = tmp_path.joinpath(*["d"] * 17)
    deep.mkdir(parents=True)
    (deep / "x.txt").write_text("x")
    with pytest.raises(LeagueError, match="folders nested more than 16 deep"):
        read_submission("mine.py", tmp_path)
    shutil.rmtree(tmp_path / "d")
    (tmp_path / "long").mkdir()
    (tmp_path / "long" / ("x" * 197)).write_text("x")
    with pytest.raises(LeagueError, match="too long: at most 200 bytes"):
        read_submission("mine.py", tmp_path)


def test_what_waits_can_be_withdrawn(found: League) -> None:
    book.enqueue(found, submission("mine", FIRST))
    book.retire(found, "mine", "on its author's word")
    one = versions.of_bot(found, "mine")[0]
    assert (one.state, one.reason, one.retired) == (REFUSED, "on its author's word", None)
