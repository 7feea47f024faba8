"""Leases: what a process of a league works on is its own for half a minute at a time.

A session is one command that plays in a league; submissions and deals that it holds keep others from doing the same
work. It renews its lease every few seconds. A process that was killed renews nothing, so what it held is free for
others once the lease has expired. Nothing goes wrong if a living process loses its lease: deals are never reserved
twice, and a submission that two processes work on is decided once.
"""

from __future__ import annotations

import contextlib
import shutil
import time
from typing import Self

from arena.league.oversight import Pause, paused
from arena.league.store import PLAYING, League

LEASE_S = 30.0
RENEW_S = 5.0
LOOK_S = 0.5  # between two looks at whether the league is paused


class Lease:
    """This process's session in a league; a context manager.

    `number` is the session's, and `pause` the pause that the league is in, as of the last `beat`.
    """

    def __init__(self, league: League, doing: str) -> None:
        """Begin a session, and release what sessions with expired leases hold."""
        self.league = league
        release_expired(league)
        now = time.time()
        with league.change():
            self.number = league.insert(
                "INSERT INTO sessions (doing, started, lease) VALUES (?, ?, ?)", doing, now, now + LEASE_S
            )
        self.pause: Pause | None = paused(league)
        self._looked = self._renewed = time.monotonic()

    def beat(self) -> None:
        """Renew the lease every few seconds, and look whether the league is paused; call it often."""
        now = time.monotonic()
        if now - self._looked >= LOOK_S:
            self.look()
        if now - self._renewed >= RENEW_S:
            self._renewed = now
            lease = time.time() + LEASE_S
            with self.league.change():
                self.league.run("UPDATE sessions SET lease = ?, ended = NULL WHERE session = ?", lease, self.number)
            release_expired(self.league)

    def look(self) -> None:
        """Look whether the league is paused."""
        self._looked = time.monotonic()
        self.pause = paused(self.league)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        with self.league.change():
            _release(self.league, self.number)


def release_expired(league: League) -> int:
    """Release what sessions with expired leases hold, and remove the files they have left; how many there were."""
    expired = "SELECT session FROM sessions WHERE ended IS NULL AND lease <= ?"
    sessions = league.query(expired, time.time())
    if sessions:
        with league.change():
            sessions = league.query(expired, time.time())  # one may have been renewed
            for (session,) in sessions:
                _release(league, session)
    _sweep(league)
    return len(sessions)


def _release(league: League, session: int) -> None:
    """Release everything that a session holds."""
    now = time.time()
    league.run("UPDATE versions SET holder = NULL WHERE holder = ?", session)
    league.run("DELETE FROM reserved WHERE lineup IN (SELECT lineup FROM lineups WHERE session = ?)", session)
    league.run("UPDATE lineups SET ended = ? WHERE session = ? AND ended IS NULL", now, session)
    league.run("UPDATE sessions SET ended = ? WHERE session = ?", now, session)


def _sweep(league: League) -> None:
    """Remove the unpacked files of runners that have ended. Their folders are named after their first lineups."""
    folder = league.folder / PLAYING
    if folder.is_symlink() or not folder.is_dir():
        return
    paths = list(folder.iterdir())
    playing = {str(lineup) for (lineup,) in league.query("SELECT lineup FROM lineups WHERE ended IS NULL")}
    for path in paths:
        if path.name not in playing:
            shutil.rmtree(path, ignore_errors=True)
    with contextlib.suppress(OSError):  # other processes have folders there
        folder.rmdir()
