"""The events of a league, and the standings after each of them."""

from __future__ import annotations

import time
from dataclasses import astuple, dataclass

from arena.league.league_settings import LeagueError
from arena.league.rating import Standings, StandingsRow, league_standings
from arena.league.store import League
from arena.league.versions import VERSION_COLUMNS, Version
from arena.stats import Score

CREATED, ACCEPTED, BACK, SUBMISSION_REFUSED, RETIRED, RETURNED, PLAYED = (
    "created",
    "accepted",
    "back",
    "refused",
    "retired",
    "returned",
    "played",
)


@dataclass(frozen=True)
class LeagueEvent:
    """An event of a league.

    `games` games were played for it; `total` is the number of all games up to then. `version` is the version's number
    in the database; users see `bot` and `number`.
    """

    id: int
    happened: float
    kind: str
    version: int | None
    bot: str | None
    number: int | None
    games: int
    total: int
    note: str


def events(league: League) -> list[LeagueEvent]:
    """Return all events, oldest first."""
    rows = league.query(
        "SELECT e.event, e.happened, e.kind, e.version, b.name, v.number, e.games, e.total, e.note FROM events e"
        " LEFT JOIN versions v ON v.version = e.version LEFT JOIN names b ON b.bot = v.bot ORDER BY e.event"
    )
    return [LeagueEvent(*row) for row in rows]


def event_at(league: League, number: int) -> LeagueEvent:
    """Return an event by its number. Raise LeagueError if there is none."""
    known = events(league)
    for event in known:
        if event.id == number:
            return event
    raise LeagueError(f"--at {number}: no such event; events are numbered from 1 to {known[-1].id}")


def table_at(league: League, event: int) -> list[StandingsRow]:
    """Return the table as it stood after an event, best first, whether or not the event changed it."""
    rows = league.query(
        f"SELECT r.rank, r.elo, r.minus, r.plus, r.wins, r.draws, r.losses, {VERSION_COLUMNS} FROM ratings r"
        " JOIN versions v ON v.version = r.version JOIN names b ON b.bot = v.bot"
        " WHERE r.event = (SELECT max(event) FROM ratings WHERE event <= ?) ORDER BY r.rank",
        event,
    )
    return [
        StandingsRow(rank, Version(*version), Score(wins, draws, losses), elo, minus, plus)
        for rank, elo, minus, plus, wins, draws, losses, *version in rows
    ]


def add_event(league: League, kind: str, version: Version | None, games: int = 0, note: str = "") -> int:
    """Add an event that leaves the table as it is, within a change; return its number."""
    return league.insert(
        "INSERT INTO events (happened, kind, version, games, total, note) VALUES (?, ?, ?, ?, ?, ?)",
        time.time(),
        kind,
        None if version is None else version.id,
        games,
        league.count_games(),
        note,
    )


def publish(league: League, kind: str, version: Version, games: int = 0, note: str = "") -> Standings:
    """Store what has changed within a change as an event with the resulting standings, and return these."""
    return _store(league, add_event(league, kind, version, games, note))


def publish_play(league: League, event: int | None, games: int) -> tuple[int, Standings]:
    """Store the standings after that number of `games` of play; return the number of their event, and the standings.

    If `event`, under which earlier games were counted, is still the last one, it is used again.
    """
    with league.change():
        if event is None or event != league.value("SELECT max(event) FROM events"):
            event = add_event(league, PLAYED, None, games)
        else:
            put = "UPDATE events SET games = games + ?, total = ?, happened = ? WHERE event = ?"
            league.run(put, games, league.count_games(), time.time(), event)
            league.run("DELETE FROM ratings WHERE event = ?", event)
        return event, _store(league, event)


def _store(league: League, event: int) -> Standings:
    table = league_standings(league)
    league.run_many(
        "INSERT INTO ratings (event, version, rank, elo, minus, plus, games, wins, draws, losses)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(event, p.version.id, p.rank, p.elo, p.minus, p.plus, p.score.games, *astuple(p.score)) for p in table.rows],
    )
    return table
