"""The content of a league as plain values: rows for tables and JSON. Times are ISO text in UTC."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

from arena.bots.limits import Isolation
from arena.endings import AFTER
from arena.league import versions
from arena.league.book import SUBMISSION_REFUSED
from arena.league.league_settings import LeagueError, LeagueSettings
from arena.league.rating import Standings, StandingsRow, league_standings
from arena.league.store import League, open_league
from arena.league.submission import check_path
from arena.league.versions import VERSION_COLUMNS, Version
from arena.stats import Score
from arena.text import first_line, utc_iso
from arena.tournament.forfeits import ForfeitSummary, Reasons
from arena.tournament.games import GameResult

_Line = dict[str, Any]


def league_line(folder: Path) -> _Line:
    """Return one league's row in the list of leagues. Raise LeagueError if its database cannot be read."""
    with open_league(folder, write=False) as league:
        table = league_standings(league).rows
        return {
            "rules": league.settings.rules,
            "isolation": league.settings.isolation,
            "bots": len(table),
            "games": league.count_games(),
            "leader": table[0].version.name if table else None,
            "last": utc_iso(league.value("SELECT max(happened) FROM events")),
        }


# ---------------------------------------------------------------- the table


def rating_values(row: StandingsRow | None) -> _Line:
    """Return a rating and its interval; None for what is not known, and for a side without end."""
    names = ("elo", "error95", "plus", "minus")
    values = (None if row is None else getattr(row, name) for name in names)
    return {"elo" if name == "elo" else f"elo_{name}": value for name, value in zip(names, values)}


Places: TypeAlias = Mapping[str, tuple[float | None, int]]
"""The ratings and ranks of a table, by bot."""


def places(table: Sequence[StandingsRow]) -> dict[str, tuple[float | None, int]]:
    """Return the ratings and ranks of a table, by bot."""
    return {row.version.name: (row.elo, row.rank) for row in table}


def table_changes(table: Places, old: Places, anchored: bool) -> dict[str, _Line]:
    """Return for each bot whether it is new, and how much Elo and how many places it has moved.

    Where the mean is 0, all ratings move when a bot comes or goes, which says nothing about the others. So the mean
    change of the bots in both tables is subtracted, unless they are `anchored`.
    """
    moves: dict[str, float] = {}
    for bot, (elo, _) in table.items():
        before = old[bot][0] if bot in old else None
        if elo is not None and before is not None:
            moves[bot] = elo - before
    shift = 0.0 if anchored or not moves else sum(moves.values()) / len(moves)
    return {
        bot: {
            "new": bot not in old,
            "elo_change": moves[bot] - shift if bot in moves else None,
            "rank_change": old[bot][1] - rank if bot in old else None,
        }
        for bot, (_, rank) in table.items()
    }


def table_before(league: League) -> tuple[list[StandingsRow], int | None]:
    """Return the table with which the present one is compared, and the number of its event.

    This is the last event but one that changed the table, or the last one if games have been stored since.
    """
    seen = [e for e in events(league) if e["kind"] != SUBMISSION_REFUSED]
    if league.count_games() == seen[-1]["total"]:
        seen.pop()
    return (table_at(league, seen[-1]["event"]), seen[-1]["event"]) if seen else ([], None)


def describe(settings: LeagueSettings) -> str:
    """Return the settings in one line."""
    clock = settings.clock
    times = [f"{clock.move_ms} ms per decision"] if clock.move_ms else []
    times += [f"a bank of {clock.bank_ms} ms"] if clock.bank_ms else []
    return f"rules {settings.rules}, bots {Isolation(settings.isolation).where}, {' and '.join(times) or 'no clock'}"


# ---------------------------------------------------------------- events


def events(league: League) -> list[_Line]:
    """Return all events, oldest first.

    `games` games were played for an event; `total` is the number of all games up to then.
    """
    names = ("event", "happened", "kind", "bot", "version", "games", "total", "note")
    rows = league.query(
        "SELECT e.event, e.happened, e.kind, b.name, v.number, e.games, e.total, e.note FROM events e"
        " LEFT JOIN versions v ON v.version = e.version LEFT JOIN names b ON b.bot = v.bot ORDER BY e.event"
    )
    return [dict(zip(names, row)) | {"happened": utc_iso(row[1])} for row in rows]


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


def history_lines(league: League) -> list[_Line]:
    """Return a row per event, with the rating of its version and the bot's earlier rating."""
    lines = []
    before: Places = {}
    for event in events(league):
        rows = [] if event["kind"] == SUBMISSION_REFUSED else table_at(league, event["event"])
        mine = next((row for row in rows if row.version.name == event["bot"]), None)
        table, (old, _) = places(rows), before.get(event["bot"] or "", (None, 0))
        moves = table_changes(table, before, league.settings.anchor is not None)
        moved = [(move["elo_change"], bot) for bot, move in moves.items() if move["elo_change"] is not None]
        most = max(moved, key=lambda move: (abs(move[0]), move[1]), default=None)
        lines.append(
            event
            | rating_values(mine)
            | {
                "rank": None if mine is None else mine.rank,
                "elo_before": old,
                "most_moved": None if most is None else most[1],
                "most_moved_by": None if most is None else most[0],
                "note": first_line(event["note"]),
            }
        )
        before = table or before
    return lines


# ---------------------------------------------------------------- a bot


def version_lines(league: League, name: str, table: Standings) -> list[_Line]:
    """Return a row per version of a bot, newest first, with ratings from the present fit."""
    lines = []
    for version in reversed(versions.of_bot(league, name)):
        row = table.row_of(version.id)
        row = row or next((row for row in table.others if row.version.id == version.id), None)
        score = sum(head_to_heads(league, version.id).values(), Score())
        retired = version.retired is not None and version.state == versions.ACTIVE
        lines.append(
            {
                "version": version.number,
                "state": "retired" if retired else version.state,
                "submitted": utc_iso(version.submitted),
                **rating_values(row),
                "games": score.games,
                "score": score.mean,
                "entry": version.entry,
                "hash": version.hash,
                "reason": version.reason,
            }
        )
    return lines


def file_lines(league: League, name: str) -> list[_Line]:
    """Return a row per file of each version of a bot, newest version first."""
    rows = league.query(
        "SELECT v.number, path, length(content), f.hash FROM versions v JOIN names b ON b.bot = v.bot"
        " JOIN version_files p ON p.version = v.version JOIN files f ON f.hash = p.hash"
        " WHERE b.name = ? ORDER BY v.number DESC, path",
        name,
    )
    return [dict(zip(("version", "path", "bytes", "hash"), row)) for row in rows]


def rating_over_time(league: League, name: str) -> list[tuple[int, float, float, float]]:
    """Return the number of games in the league and a bot's rating after each event that changed the table.

    The last two values are the ends of its interval, infinite where there is none or it is not known.
    """
    return league.query(
        "SELECT e.total, r.elo, ifnull(r.elo - r.minus, -9e999), ifnull(r.elo + r.plus, 9e999) FROM ratings r"
        " JOIN events e ON e.event = r.event JOIN versions v ON v.version = r.version"
        " JOIN names b ON b.bot = v.bot WHERE b.name = ? AND r.elo IS NOT NULL ORDER BY e.event",
        name,
    )


def trends(league: League, most: int) -> dict[str, list[float]]:
    """Return each bot's rating after each of the last `most` events that changed the table, without common shifts.

    The median of all moves is taken out: a bot that is rated anew must not move the others, be it the anchor or not.
    """
    tables: dict[int, dict[str, float]] = {}
    for event, bot, elo in league.query(
        "SELECT r.event, b.name, r.elo FROM ratings r JOIN versions v ON v.version = r.version"
        " JOIN names b ON b.bot = v.bot WHERE r.elo IS NOT NULL AND r.event IN"
        " (SELECT DISTINCT event FROM ratings ORDER BY event DESC LIMIT ?) ORDER BY r.event",
        most,
    ):
        tables.setdefault(event, {})[bot] = elo
    by_bot: dict[str, list[float]] = {}
    before: dict[str, float] = {}
    shift = 0.0
    for table in tables.values():
        moves = [elo - before[bot] for bot, elo in table.items() if bot in before]
        shift += median(moves) if moves else 0.0
        for bot, elo in table.items():
            by_bot.setdefault(bot, []).append(elo - shift)
        before = table
    return by_bot


def last_games(league: League, numbers: Sequence[int], most: int) -> list[GameResult]:
    """Return the last games of some versions, those on the latest deals first."""
    marks = ", ".join("?" * len(numbers))
    last = (
        "id IN (SELECT g.id FROM games g JOIN meetings p ON p.pairing = g.pairing"
        f" WHERE p.a IN ({marks}) OR p.b IN ({marks}) ORDER BY g.id DESC LIMIT ?)"
    )
    return list(league.reader().results(last, *numbers, *numbers, most))[::-1]


def last_games_by_opponent(league: League, version: Version, most: int) -> dict[str, list[GameResult]]:
    """Return at most `most` of a version's last games against each opponent, by the opponent's label, latest first."""
    last = (
        "id IN (SELECT id FROM (SELECT g.id, row_number() OVER (PARTITION BY g.pairing ORDER BY g.id DESC) AS place"
        " FROM games g JOIN meetings p ON p.pairing = g.pairing WHERE ? IN (p.a, p.b)) WHERE place <= ?)"
    )
    met: dict[str, list[GameResult]] = {}
    for game in list(league.reader().results(last, version.id, most))[::-1]:
        met.setdefault(game.second if game.first == version.label else game.first, []).append(game)
    return met


def chosen_version(league: League, name: str, number: int | None) -> Version:
    """Return the version of a bot with this number; without a number, the active one, or else the newest.

    Raise LeagueError if there is no such version.
    """
    all_versions = versions.of_bot(league, name)
    if number is None:
        return next((version for version in all_versions if version.state == versions.ACTIVE), all_versions[-1])
    for version in all_versions:
        if version.number == number:
            return version
    known = f"1 to {len(all_versions)}" if len(all_versions) > 1 else "version 1 only"
    raise LeagueError(f"'{name}' has no version {number}; it has {known}")


def head_to_heads(league: League, number: int) -> dict[int, Score]:
    """Return a version's score against each opponent, in the order of the opponents' numbers."""
    # a begins game 0 of a pair and b game 1; `score` has the half points of the bot that began
    rows = league.query(
        "SELECT opponent, sum(points = 2), sum(points = 1), sum(points = 0) FROM (SELECT"
        " CASE WHEN p.a = ?1 THEN p.b ELSE p.a END AS opponent,"
        " CASE WHEN (p.a = ?1) = (g.game = 0) THEN g.score ELSE 2 - g.score END AS points"
        " FROM meetings p CROSS JOIN games g ON g.pairing = p.pairing WHERE ?1 IN (p.a, p.b)) GROUP BY opponent",
        number,
    )
    return {opponent: Score(*counts) for opponent, *counts in rows}


def opponent_lines(league: League, version: Version, table: Standings) -> list[_Line]:
    """Return a row per opponent of a version, with the score and the difference of the ratings."""
    by_id = {v.id: v for v in versions.in_state(league, retired=True)}
    rank = {row.version.id: row.rank for row in table.rows}
    lines: list[tuple[tuple[int, str, int], _Line]] = []
    for opponent, score in head_to_heads(league, version.id).items():
        other = by_id[opponent]
        gap = table.difference(version.id, other.id)
        order = (rank.get(other.id, len(rank) + 1), other.name, -other.number)
        line = {
            "opponent": other.name,
            "opponent_version": other.number,
            **score.columns(),
            "elo_difference": gap and gap.elo,
            "elo_difference_plus": gap and gap.plus,
            "elo_difference_minus": gap and gap.minus,
        }
        lines.append((order, line))
    return [line for _, line in sorted(lines, key=lambda line: line[0])]


def forfeit_lines(league: League, version: Version) -> list[_Line]:
    """Return a row per kind of forfeit of a version, and for its failures after games (`AFTER`), most games first.

    Each has the last of these games as an example.
    """
    reasons, last = Reasons(), dict[str, GameResult]()
    own = "forfeit_by > 0 AND pairing IN (SELECT pairing FROM meetings WHERE ? IN (a, b))"
    for game in league.reader().results(own, version.id):
        reasons.add_game(game)
        if game.forfeit_by == version.label:
            last[str(game.forfeit)] = game
        if version.label in game.failed_after:
            last[AFTER] = game
    return [
        line | {"last": last[line["kind"]].detail or "", "record": last[line["kind"]].record}
        for line in ForfeitSummary(reasons.lines(), {}).values()
        if line["bot"] == version.label
    ]


def forfeits_text(lines: Sequence[_Line]) -> str:
    """Return how many games were forfeited, in all and by kind; "" for none.

    >>> forfeits_text([{"kind": "exception", "games": 2}, {"kind": "timeout", "games": 1}])
    '3 (2 exception, 1 timeout)'
    """
    lost = [line for line in lines if line["kind"] != AFTER]
    kinds = ", ".join(f"{line['games']} {line['kind']}" for line in lost)
    return f"{sum(line['games'] for line in lost)} ({kinds})" if lost else ""


def fetch(league: League, version: Version, to: Path) -> list[Path]:
    """Write a version's files into a folder that is new or empty, so that no link leads out of it; return their paths.

    Raise LeagueError if it holds anything.
    """
    files = versions.files_of(league, version.id)
    for name in files:
        check_path(name)
    try:
        to.mkdir(parents=True, exist_ok=True)
        if any(to.iterdir()):
            raise LeagueError(f"{to} is not empty; choose another folder")
        for name, file in files.items():
            path = to / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.content)
            path.chmod(0o755 if file.executable else 0o644)
    except OSError as error:
        raise LeagueError(f"cannot write {to}: {error.strerror or error}") from error
    return [to / name for name in files]
