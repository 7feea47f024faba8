"""Pausing a league: games in hand are finished, then nothing is checked or played until it goes on."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass

from arena.league.oversight import audit
from arena.league.settings import LeagueError
from arena.league.store import League
from arena.text import one_line

_KEY = "paused"
_LONGEST = 400  # characters of a reason that is told: the league may be a stranger's


@dataclass(frozen=True)
class Pause:
    """Since when (seconds since 1970) a league is paused, and why."""

    since: float
    reason: str


def paused(league: League) -> Pause | None:
    """The pause that the league is in; None if it goes on."""
    found = league.one("SELECT value FROM meta WHERE key = ?", _KEY)
    if found is None:
        return None
    try:
        values = json.loads(found)
        return Pause(float(values["since"]), one_line(str(values["reason"]), _LONGEST))
    except (KeyError, RecursionError, TypeError, ValueError) as error:
        raise league.damaged(f"its pause cannot be read: {found[:60]!a}") from error


def pause(league: League, reason: str = "") -> Pause:
    """Pause a league. LeagueError if it is paused already."""
    with league.change():
        old = paused(league)
        if old is not None:
            raise LeagueError(f"{league.name} is paused already{f': {old.reason}' if old.reason else ''}")
        new = Pause(time.time(), reason)
        league.run("INSERT INTO meta (key, value) VALUES (?, ?)", _KEY, json.dumps(asdict(new)))
        audit.record(league, "pause", "paused", detail=reason)
    return new


def go_on(league: League) -> Pause:
    """End a pause; what it was. LeagueError if there is none."""
    with league.change():
        old = paused(league)
        if old is None:
            raise LeagueError(f"{league.name} is not paused")
        league.run("DELETE FROM meta WHERE key = ?", _KEY)
        audit.record(league, "resume", "goes on", detail=f"after {time.time() - old.since:.0f} s")
    return old
