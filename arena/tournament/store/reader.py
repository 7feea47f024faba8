"""Read a run: settings, games in schedule order, sums for standings. Works while the run is being played."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Self

from arena.tournament.forfeits import ForfeitReason, Reasons
from arena.tournament.games import ROW_COLUMNS, GameId, GameResult, Pairing, Row, ScheduleProgress
from arena.tournament.store.columns import GameColumns, read_columns
from arena.tournament.store.sqlite import DATABASE, RUN_SCHEMA, Connection, StoreError

SELECT_GAMES = f"SELECT {', '.join(ROW_COLUMNS)} FROM games"


@dataclass(frozen=True)
class BotEntry:
    """A bot as a run stores it: name in the tables, spec, hash of its source, parameters."""

    name: str
    spec: str
    source: str
    params: dict[str, Any] = field(default_factory=dict)


class WorkSession(NamedTuple):
    """One session of play: its start and end (seconds since 1970), games stored, remarks (workers, executor)."""

    started: float
    ended: float
    games: int
    info: dict[str, Any]


def is_own_file(path: Path) -> bool:
    """Return whether a file belongs to the user of this process; where files have no owner, all do."""
    return not hasattr(os, "getuid") or path.stat().st_uid == os.getuid()


class Reader:
    """A run's folder, open for reading. Use as a context manager, or call `close`."""

    def __init__(self, folder: Path | str) -> None:
        """Open the database; StoreError if the folder holds no run, or its database cannot be read."""
        self.folder = Path(folder)
        if not (self.folder / DATABASE).is_file():
            raise StoreError(f"there is no run in {self.folder}: it holds no {DATABASE}")
        with RUN_SCHEMA.guard(self.folder, "read"):
            self._db: Connection = RUN_SCHEMA.open_reader(self.folder)
        self._columns: GameColumns | None = None
        self._pairings: dict[int, Pairing] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    def _query(self, sql: str) -> list[Any]:
        with RUN_SCHEMA.guard(self.folder, "read"):
            return self._db.execute(sql).fetchall()

    # ------------------------------------------------------------ the run

    def _table(self, key: str) -> dict[str, Any]:
        values = self._query(f"SELECT value FROM meta WHERE key = '{key}'")
        if not values:
            raise StoreError(f"the run in {self.folder} was never begun: its database holds no {key}")
        return self._parsed(values[0][0])

    def _parsed(self, text: str) -> dict[str, Any]:
        try:
            return dict(json.loads(text))
        except (ValueError, TypeError, RecursionError) as error:
            raise RUN_SCHEMA.damaged(self.folder, "its settings cannot be read") from error

    def config(self) -> dict[str, Any]:
        """Return the settings that determine the results."""
        return self._table("config")

    def settings(self) -> dict[str, Any]:
        """Return all settings of the run, as given when it was begun."""
        return self._table("settings")

    def is_own(self) -> bool:
        """Return whether the run belongs to this user."""
        with RUN_SCHEMA.guard(self.folder, "read"):
            return is_own_file(self.folder / DATABASE)

    def bots(self) -> list[BotEntry]:
        """Return the bots in seed order."""
        rows = self._query("SELECT name, spec, source, params FROM bots ORDER BY bot")
        if not all(isinstance(value, str) for row in rows for value in row):
            raise RUN_SCHEMA.damaged(self.folder, "its bots cannot be read")
        return [BotEntry(name, spec, source, self._parsed(params)) for name, spec, source, params in rows]

    def pairings(self) -> dict[int, Pairing]:
        """Return the pairings that have games, by number."""
        names = dict(self._query("SELECT bot, name FROM bots"))
        rows = self._query("SELECT pairing, round, a, b FROM pairings")
        try:
            return {number: Pairing(number, round_, names[a], names[b]) for number, round_, a, b in rows}
        except KeyError:
            raise RUN_SCHEMA.damaged(self.folder, "a pairing names a bot that does not exist") from None

    def sessions(self) -> list[WorkSession]:
        """Return the sessions, oldest first."""
        rows = self._query("SELECT started, ended, games, info FROM sessions ORDER BY session")
        return [WorkSession(started, ended, games, self._parsed(info)) for started, ended, games, info in rows]

    # ------------------------------------------------------------ single games

    def count(self, forfeited: bool = False) -> int:
        """Return the number of games stored, or of those that were forfeited."""
        where = "WHERE forfeit > 0" if forfeited else ""
        return int(self._query(f"SELECT count(*) FROM games {where}")[0][0])

    def last_deal(self) -> int:
        """Return the greatest deal of a stored game, -1 without games."""
        (key,) = self._query("SELECT max(id) FROM games")[0]
        return -1 if key is None else GameId.from_key(key).deal

    def rows(self, where: str = "", *args: object) -> Iterator[Row]:
        """Yield the stored rows in schedule order."""

        def selected() -> Iterator[Row]:
            yield from map(Row._make, self._db.execute(f"{SELECT_GAMES} {where} ORDER BY id", args))

        return RUN_SCHEMA.in_batches(self.folder, selected())

    def results(self, where: str = "", *args: object) -> Iterator[GameResult]:
        """Yield the games in schedule order."""
        for row in self.rows(where, *args):
            yield self.readable(row)

    def result(self, identity: GameId) -> GameResult:
        """Return a game; StoreError if it does not exist."""
        for game in self.results("WHERE id = ?", identity.key):
            return game
        low, high = self._query("SELECT min(id), max(id) FROM games")[0]
        there = "it holds no games yet"
        if low is not None:
            there = f"its games run from {GameId.from_key(low)} to {GameId.from_key(high)}"
        raise StoreError(f"there is no game {identity} in {self.folder}; {there}")

    def readable(self, row: Row) -> GameResult:
        """Return the readable form of a row. StoreError for a row that this program cannot have written."""
        identity = GameId.from_key(row.id)
        if identity.pairing not in self._pairings:  # read once: there may be half a million pairings
            self._pairings = self.pairings()
        try:
            if not isinstance(row.record, str):
                raise TypeError("the record is not text")
            pairing = self._pairings[identity.pairing]
            return GameResult.from_row(row, pairing.a, pairing.b, pairing.round)
        except (IndexError, KeyError, TypeError) as error:
            raise RUN_SCHEMA.damaged(self.folder, f"game {identity} cannot be read") from error

    def faults(self) -> list[str]:
        """Return what is wrong with the database, apart from the games themselves."""
        faults = RUN_SCHEMA.faults(self._db, self.folder)
        if faults:
            return faults
        stored, sessions = self.count(), self.sessions()
        added = sum(session.games for session in sessions)
        if sessions and added != stored:
            return [f"{added:,} games were stored, but there are {stored:,}"]
        return []

    # ------------------------------------------------------------ all games

    def columns(self) -> GameColumns:
        """Return all games in schedule order with GAME_COLUMNS and CLOCK_COLUMNS; a Reader reads them once."""
        if self._columns is None:
            self._columns = self._read_columns()
        return self._columns

    def _read_columns(self, deal: int = 0) -> GameColumns:
        with RUN_SCHEMA.guard(self.folder, "read"), self._db.snapshot():
            pairings, names = self.pairings(), [bot.name for bot in self.bots()]
            return read_columns(self._db, names, pairings, GameId(0, deal, 0).key)

    def progress(self) -> ScheduleProgress:
        """Return what has been played, for `Schedule.tasks`."""
        return self.columns().progress()

    def pair_scores_from(self, deal: int) -> list[int]:
        """Return the half points, 0..4, of bot `a` in each pair of a run with one pairing.

        The pairs are on the deals from `deal` on, up to the first that is missing.
        """
        scores: list[int] = []
        deals, points = self._read_columns(deal).pairs()
        for number, score in zip(deals.tolist(), points.tolist()):
            if number != deal + len(scores):
                break
            scores.append(score)
        return scores

    def forfeit_reasons(self) -> list[ForfeitReason]:
        """Return why each bot forfeited games or failed after them (`AFTER`), the most frequent reason first."""
        reasons = Reasons()
        for game in self.results("WHERE forfeit_by > 0"):
            reasons.add_game(game)
        return reasons.lines()
