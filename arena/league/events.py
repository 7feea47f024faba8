"""What has happened in a league, and the standing after each event."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from arena.league.rating import Standings, standings
from arena.league.settings import LeagueError
from arena.league.store import League
from arena.league.versions import Version

CREATED, ACCEPTED, BACK, REFUSED, RETIRED, RETURNED, PLAYED = (
    "created", "accepted", "back", "refused", "retired", "returned", "played",
)  # fmt: skip
_TRIES = 5


@dataclass(frozen=True)
class LeagueEvent:
    """Something that happened. `games` were played for it, `total` had been played in all by then; `version` is
    its number in the database, `bot` and `number` tell it for people."""

    id: int
    happened: float
    kind: str
    version: int | None
    bot: str | None
    number: int | None
    games: int
    total: int
    note: str


@dataclass(frozen=True)
class StoredRow:
    """A line of the table as it was after an event."""

    version: int
    bot: str
    number: int
    rank: int
    elo: float | None
    error: float | None
    games: int
    wins: int
    draws: int
    losses: int


def events(league: League) -> list[LeagueEvent]:
    """All events, oldest first."""
    rows = league.query(
        "SELECT e.event, e.happened, e.kind, e.version, b.name, v.number, e.games, e.total, e.note FROM events e"
        " LEFT JOIN versions v ON v.version = e.version LEFT JOIN bots b ON b.bot = v.bot ORDER BY e.event"
    )
    return [LeagueEvent(*row) for row in rows]


def table_at(league: League, event: int) -> list[StoredRow]:
    """The table as it was after an event (which need not have changed it), best first."""
    last = league.one("SELECT max(event) FROM ratings WHERE event <= ?", event)
    rows = league.query(
        "SELECT r.version, b.name, v.number, r.rank, r.elo, r.error, r.games, r.wins, r.draws, r.losses"
        " FROM ratings r JOIN versions v ON v.version = r.version JOIN bots b ON b.bot = v.bot"
        " WHERE r.event = ? ORDER BY r.rank",
        last,
    )
    return [StoredRow(*row) for row in rows]


def publish(
    league: League,
    kind: str,
    change: Callable[[], object],
    version: Version | None = None,
    *,
    candidate: Version | None = None,
    games: int = 0,
    process: int | None = None,
    note: str = "",
) -> Standings:
    """Make a change, and store it with the standing that follows from it as one event.

    `change` is called within the transaction; if it returns False nothing happens. `candidate` is the version
    that will be in the table then. The standing is worked out before the transaction, so that others can write
    meanwhile; if one of them has changed the table it is worked out anew.
    """
    for attempt in range(_TRIES):
        stamp = league.one("SELECT max(event) FROM events")
        locked = attempt == _TRIES - 1
        early = not locked and kind not in (RETIRED, RETURNED)
        found = standings(league, candidate) if early else None
        with league.change():
            if not locked and league.one("SELECT max(event) FROM events") != stamp:
                continue
            if change() is False:
                break
            if found is None:
                found = standings(league)
            number = _event(league, kind, version, games, process, note, found.total)
            _store(league, number, found)
            return found
    return standings(league)


def note_play(league: League, event: int | None, fresh: int, process: int) -> tuple[int, Standings]:
    """Store the standing after `fresh` more games of play: in `event`, which was begun for those before, if it
    is still the last one, or in that of others who are playing as well; else in a new one. The event's number."""
    for attempt in range(_TRIES):
        stamp = league.one("SELECT max(event) FROM events")
        found = standings(league)
        with league.change():
            if league.one("SELECT max(event) FROM events") != stamp:
                if attempt < _TRIES - 1:
                    continue
                found = standings(league)
            if event != stamp and _is_play(league, stamp):
                event = int(stamp)
            if event is None or event != stamp:
                event = _event(league, PLAYED, None, fresh, process, "", found.total)
            else:
                league.run(
                    "UPDATE events SET games = games + ?, total = ?, happened = ? WHERE event = ?",
                    fresh, found.total, time.time(), event,
                )  # fmt: skip
                league.run("DELETE FROM ratings WHERE event = ?", event)
            _store(league, event, found)
            return event, found
    raise AssertionError("the last try writes")


def _is_play(league: League, event: int) -> bool:
    """Are the games of this event still being played?"""
    return bool(
        league.one(
            "SELECT 1 FROM events e JOIN processes p ON p.process = e.process"
            " WHERE e.event = ? AND e.kind = ? AND p.ended IS NULL",
            event, PLAYED,
        )
    )  # fmt: skip


def _event(
    league: League, kind: str, version: Version | None, games: int, process: int | None, note: str, total: int
) -> int:
    return league.insert(
        "INSERT INTO events (happened, kind, version, process, games, total, note) VALUES (?, ?, ?, ?, ?, ?, ?)",
        time.time(), kind, None if version is None else version.id, process, games, total, note,
    )  # fmt: skip


def _store(league: League, event: int, found: Standings) -> None:
    league.run_many(
        "INSERT INTO ratings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (event, p.version.id, p.rank, p.elo, p.error, p.games, p.wins, p.draws, p.losses)
            for p in found.rows
        ],
    )


# ---------------------------------------------------------------- looking back


def event_at(league: League, text: str) -> LeagueEvent:
    """The event in force at a time: its number (`12`), a date (`2026-05-01`: the end of that day) or a date with
    a time (`2026-05-01T18:00`), in UTC. LeagueError for what is none of these, or before the league began."""
    found = events(league)
    if text.isascii() and text.isdigit():
        for event in found:
            if event.id == int(text):
                return event
        raise LeagueError(f"--at {text}: there is no such event; they run from 1 to {found[-1].id}")
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise LeagueError(
            f"--at {text}: expected the number of an event (see arena league history), a date such as"
            " 2026-05-01, or with a time, 2026-05-01T18:00"
        ) from None
    seconds = when.replace(tzinfo=when.tzinfo or UTC).timestamp()
    if "T" not in text and " " not in text.strip():
        seconds += 24 * 3600
    before = [event for event in found if event.happened < seconds]
    if not before:
        raise LeagueError(f"--at {text}: the league was created later")
    return before[-1]
