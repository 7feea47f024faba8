"""The one process that plays a league: its lock on the folder, and what others see of its work."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Self

from arena.bots.bundle import remove_bundles
from arena.league import oversight, versions
from arena.league.league_settings import LeagueError
from arena.league.oversight import Pause, paused
from arena.league.store import LEAGUE, PLAYING, League
from arena.text import utc_text
from arena.tournament.store.folder_lock import is_in_use, take_lock

_PLAYER = "player"  # a key of the table `meta`
_LOOK_S = 0.5  # between two checks for a pause or a submission


class LeagueBusy(LeagueError):
    """Another process plays the league."""


@dataclass(frozen=True)
class Activity:
    """The work of the process that plays a league.

    `who` is its user, machine and number, `command` what it was started for, `since` when (seconds since 1970).
    `version` is the submission that it checks or places, if any; `fixtures` are the pairings that it plays now, each
    with its two versions and a number of deals.
    """

    who: str
    command: str
    since: float
    version: int | None = None
    fixtures: Sequence[tuple[int, int, int]] = ()


def activity(league: League) -> Activity | None:
    """Return the work of the process that plays the league; None if there is none."""
    text = league.value("SELECT value FROM meta WHERE key = ?", _PLAYER)
    if text is None or not is_in_use(league.folder):
        return None
    return Activity(**json.loads(text))


class LeaguePlayer:
    """This process as the only one that plays a league: a context manager that holds the lock on its folder.

    As of the last `beat`, `pause` is the league's pause (None if it was not paused), and `is_queue` says whether
    submissions waited. `event` is the event under which its
    games are counted, if they are.
    """

    def __init__(self, league: League, command: str) -> None:
        """Take the lock. Raise LeagueBusy, which names the other process, if another one has it."""
        with LEAGUE.guard(league.folder, "write to"):
            lock = take_lock(league.folder)
        if lock is None:
            raise LeagueBusy(_busy_text(league))
        self._lock = lock
        self.league = league
        self.event: int | None = None
        self.look()
        self._activity = Activity(oversight.this_process(), command, time.time())
        self.show()
        remove_bundles(league.folder / PLAYING)  # of a process that was killed

    def show(self, version: int | None = None, fixtures: Sequence[tuple[int, int, int]] = ()) -> None:
        """Let others see what this process works on from now on."""
        self._activity = replace(self._activity, version=version, fixtures=fixtures)
        text = json.dumps(asdict(self._activity))
        with self.league.change():
            self.league.run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", _PLAYER, text)

    def show_fixtures(self, fixtures: Sequence[tuple[int, int, int]]) -> None:
        """Let others see which pairings are played from now on, for the same submission as before."""
        if [*fixtures] != [*self._activity.fixtures]:
            self.show(self._activity.version, fixtures)

    def beat(self) -> None:
        """Check every half second whether the league is paused and whether submissions wait; call this often."""
        if time.monotonic() - self._looked >= _LOOK_S:
            self.look()

    def look(self) -> None:
        """Check whether the league is paused and whether submissions wait."""
        self._looked = time.monotonic()
        self.pause: Pause | None = paused(self.league)
        self.is_queue = bool(versions.waiting(self.league))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._lock.close()


def _busy_text(league: League) -> str:
    other = activity(league)
    who = "another process"
    if other is not None:
        who = f"{other.who}, 'arena {other.command}', since {utc_text(other.since)}"
    return f"{league.name} is being played by {who}. One process plays a league at a time: wait for it, or stop it"
