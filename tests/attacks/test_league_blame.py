"""A bot in the table that kills the commands of a league: it is named, singled out and suspended, and nobody else."""

from __future__ import annotations

import os
import signal
import sys
from functools import partial
from pathlib import Path

import pytest

from arena.league import admission, events, games, versions
from arena.league.match_runner import open_session
from arena.league.play import play_games
from arena.league.store import create_league, open_league
from arena.tournament.runner import supervisor
from tests.league.leagues import FIRST, LAST, MIDDLE, enter, settings, submission
from tests.league.leagues import settled as settled_in
from tests.league.test_crash import ended, forked

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(os.name != "posix", reason="processes are forked"),
]

KILLS = """
import os, signal
def act(view, moves):
    os.kill(os.getppid(), signal.SIGKILL)
    return moves[0]
"""
KILLS_IN_COMPANY = """
import os, signal
def act(view, moves):
    own, parent = os.getcwd(), os.getppid()
    with open(f"/proc/{parent}/task/{parent}/children") as file:
        homes = {os.readlink(f"/proc/{pid}/cwd") for pid in file.read().split()}
    if {os.path.dirname(own)} & {os.path.dirname(home) for home in homes - {own}}:  # another bot of the league's
        os.kill(parent, signal.SIGKILL)
    return moves[0]
"""
ATTEMPTS = 12


def league_with_a_killer(folder: Path) -> None:
    with create_league(folder, settings()) as made:
        enter(made, "ann", source=FIRST)
        enter(made, "bob", source=LAST)
        enter(made, "kim", source=KILLS)


def bots(folder: Path) -> dict[str, tuple[str, bool]]:
    with open_league(folder) as found:
        return {one.name: (one.state, one.retired is not None) for one in versions.in_state(found, retired=True)}


def notes(folder: Path) -> str:
    with open_league(folder) as found:
        return "\n".join(f"{one.kind} {one.bot}: {one.note}" for one in events.events(found))


@pytest.mark.slow
def test_who_kills_the_command_is_suspended(tmp_path: Path) -> None:
    league_with_a_killer(tmp_path / "it")

    def work() -> None:
        with open_league(tmp_path / "it") as found, open_session(found, "play", 1) as session:
            play_games(session, 8)

    codes = []
    while len(codes) < ATTEMPTS and 0 not in codes:
        codes.append(ended(forked(work)))
    assert codes[-1] == 0, codes
    assert bots(tmp_path / "it") == {"ann": ("active", False), "bob": ("active", False), "kim": ("active", True)}
    told = notes(tmp_path / "it")
    assert "retired kim: suspended: the league's process was killed 4 times while it played alone" in told
    assert "killed: process 4 (play), at work: ann v1, bob v1, kim v1" in told


@pytest.mark.slow
def test_deaths_from_outside_suspend_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two kills by an operator, and a third one while the bot at work was tried for them, suspended it."""
    with create_league(tmp_path / "it", settings()) as made:
        enter(made, "ann", source=FIRST)
        enter(made, "bob", source=LAST)

    def killed_in(what: str) -> None:
        """A process that is killed from outside at that moment."""

        def dies(*args: object) -> None:
            os.kill(os.getpid(), signal.SIGKILL)

        for module, name in ((games, "store_rows"), (admission, "trial"), (admission, "control")):
            if name == what:
                monkeypatch.setattr(module, name, dies, raising=False)
        with open_league(tmp_path / "it") as found, open_session(found, "play", 1) as session:
            play_games(session, 8)

    deadly = ["store_rows", "store_rows", "trial", "trial", "trial", "control", "trial"]
    assert [ended(forked(partial(killed_in, what))) for what in deadly] == [-signal.SIGKILL] * len(deadly)
    assert ended(forked(partial(killed_in, ""))) == 0
    assert bots(tmp_path / "it") == {"ann": ("active", False), "bob": ("active", False)}


def test_a_submission_is_not_refused_for_the_deaths_of_its_opponents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admission, "check", lambda runner, one: admission.Admission(True))
    league_with_a_killer(tmp_path / "it")

    def work() -> None:
        with open_league(tmp_path / "it") as found, open_session(found, "submit", 1) as session:
            settled_in(session, submission("zoe", MIDDLE))

    codes = []
    while len(codes) < ATTEMPTS and 0 not in codes:
        codes.append(ended(forked(work)))
    assert codes[-1] == 0, codes
    assert bots(tmp_path / "it") == {
        "ann": ("active", False),
        "bob": ("active", False),
        "kim": ("active", True),
        "zoe": ("active", False),
    }


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.slow
def test_a_league_goes_on_where_it_cannot_be_told_who_kills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker of two bots dies, but with neither of them alone: an error ended the play of all others."""
    monkeypatch.setattr(supervisor, "MOST_DEATHS", 2)  # to be quicker
    with create_league(tmp_path / "it", settings(isolation="process")) as found:
        enter(found, "ann", source=FIRST)
        enter(found, "kim", source=KILLS_IN_COMPANY)
        with open_session(found, "play", 1) as session:
            assert play_games(session, 8) == 0
        enter(found, "bob", source=LAST)
        with open_session(found, "play", 1) as session:
            assert play_games(session, 8) == 8
        told = [one.note for one in events.events(found) if one.kind == events.NOTICED]
    assert told[0].startswith("skipped: ann v1 and kim v1 do not play each other any more: workers keep dying")
    assert bots(tmp_path / "it") == dict.fromkeys(("ann", "kim", "bob"), ("active", False))
