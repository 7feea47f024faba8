"""Read a run: settings, games in schedule order, sums for standings. Works while the run is being played.

A run may hold more games than its settings ask for: of bots that have left or have changed, on more deals. A reader
yields those that the settings ask for, and nothing else selects from the table `games`; only `columns_of` also reads
others.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, Self

from arena.endings import ForfeitKind
from arena.stats.frames import GameArrays
from arena.tournament.forfeits import ForfeitReason, Reasons
from arena.tournament.games import (
    DEAL_BITS,
    PAIRING_BITS,
    ROW_COLUMNS,
    GameId,
    GameResult,
    Pairing,
    Row,
    ScheduleProgress,
    game_key,
    game_name,
)
from arena.tournament.store.columns import GameColumns, StoredPairing, read_columns
from arena.tournament.store.sqlite import DATABASE, RUN_SCHEMA, Connection, Database, StoreError

SELECT_GAMES = f"SELECT {', '.join(ROW_COLUMNS)} FROM games"
SHOWN_GAMES = "id < ? AND pairing IN (SELECT pairing FROM pairings WHERE number IS NOT NULL)"
"""The condition, in SQL, for games that the tables show; its argument is the first identity beyond their deals."""


@dataclass(frozen=True)
class BotEntry:
    """A bot as a run stores it: name in the tables, spec, hash of its source, parameters, level of isolation."""

    name: str
    spec: str
    source: str
    params: dict[str, Any] = field(default_factory=dict)
    isolation: str = "none"

    @property
    def identity(self) -> tuple[str, str, str, str]:
        """Return what distinguishes it from other bots and from its own versions; the place of its file does not."""
        return self.name, self.source, json.dumps(self.params, sort_keys=True), self.isolation


class WorkSession(NamedTuple):
    """One session of play: its start and end (seconds since 1970), games stored, remarks (workers, scheduler)."""

    started: float
    ended: float
    games: int
    info: dict[str, Any]


class Reader:
    """A run's folder, open for reading, or the games of a league. Use as a context manager, or call `close`."""

    def __init__(
        self, folder: Path | str, kind: Database = RUN_SCHEMA, db: Connection | None = None, hidden: bool = False
    ) -> None:
        """Open the database; StoreError if the folder holds no run, or its database cannot be read.

        A league has opened its database already: `kind` and `db`. With `hidden`, games that no table shows are yielded
        as well.
        """
        self.folder = Path(folder)
        self._kind = kind
        self._hidden = hidden
        if db is None:
            if not (self.folder / DATABASE).is_file():
                raise StoreError(f"there is no run in {self.folder}: it holds no {DATABASE}")
            with kind.guard(self.folder, "read"):
                db = kind.open_reader(self.folder)
        self._db: Connection = db
        self._columns: GameColumns | None = None
        self._sides: dict[int, Pairing] = {}
        self._sides_at: tuple[int, int] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    def _query(self, sql: str, *args: object) -> list[Any]:
        with self._kind.guard(self.folder, "read"):
            return self._db.execute(sql, args).fetchall()

    # ------------------------------------------------------------ the run

    def _table(self, key: str) -> dict[str, Any]:
        values = self._query("SELECT value FROM meta WHERE key = ?", key)
        if not values:
            raise StoreError(f"the run in {self.folder} was never begun: its database holds no {key}")
        return self._parsed(values[0][0])

    def _parsed(self, text: str) -> dict[str, Any]:
        try:
            return dict(json.loads(text))
        except (ValueError, TypeError, RecursionError) as error:
            raise self._kind.damaged(self.folder, "its settings cannot be read") from error

    @property
    def is_begun(self) -> bool:
        """Return whether the run has settings."""
        return bool(self._query("SELECT 1 FROM meta WHERE key = 'config'"))

    def config(self) -> dict[str, Any]:
        """Return the settings that determine the results. StoreError if they name others than the table of bots."""
        with self._kind.guard(self.folder, "read"), self._db.snapshot():
            config, names = self._table("config"), [bot.name for bot in self.bots()]
        try:
            if [bot["name"] for bot in config["bots"]] == names:
                return config
        except (KeyError, TypeError):
            pass
        raise self._kind.damaged(self.folder, "its settings do not name the bots of its table")

    def shape(self) -> dict[str, Any]:
        """Return what every game of the run depends on (`TournamentConfig.shape`)."""
        return self._table("shape")

    def settings(self) -> dict[str, Any]:
        """Return all settings of the run, as given when it was last brought up to date."""
        return self._table("settings")

    def left_out(self) -> dict[str, str]:
        """Return why bots that the settings name do not play, by name: they cannot be loaded."""
        return self._table("left_out")

    def deal_count(self) -> int:
        """Return the number of deals, from 0 on, whose games are shown."""
        values = self._query("SELECT value FROM meta WHERE key = 'deals'")
        return int(values[0][0]) if values else 0

    def is_own(self) -> bool:
        """Return whether the run or the league belongs to this user; where files have no owner, all do."""
        with self._kind.guard(self.folder, "read"):
            return not hasattr(os, "getuid") or (self.folder / self._kind.file).stat().st_uid == os.getuid()

    def bots(self) -> list[BotEntry]:
        """Return the bots of the field in seed order."""
        return [entry for _, entry in self._entries("WHERE place IS NOT NULL ORDER BY place")]

    def entries(self) -> dict[int, BotEntry]:
        """Return all bots that ever were in the field, each version by its number, in the order in which they came."""
        return dict(self._entries("ORDER BY bot"))

    def field_numbers(self) -> list[int]:
        """Return the bots of the field in seed order, by their numbers among all `entries`."""
        return [number for number, _ in self._entries("WHERE place IS NOT NULL ORDER BY place")]

    def _entries(self, which: str) -> list[tuple[int, BotEntry]]:
        rows = self._query(f"SELECT bot, name, spec, source, params, isolation FROM bots {which}")
        if not all(isinstance(value, str) for row in rows for value in row[1:]):
            raise self._kind.damaged(self.folder, "its bots cannot be read")
        return [
            (number, BotEntry(name, spec, source, self._parsed(params), isolation))
            for number, name, spec, source, params, isolation in rows
        ]

    def stored_pairings(self) -> dict[int, StoredPairing]:
        """Return all pairings, also those that the settings do not ask for any more, by their numbers here."""
        rows = self._query("SELECT pairing, number, round, a, b, seed, design FROM pairings")
        return {pairing: StoredPairing._make(values) for pairing, *values in rows}

    def pairings(self) -> dict[int, Pairing]:
        """Return the pairings of the schedule by their numbers in the table `games`."""
        names = dict(self._query("SELECT bot, name FROM bots"))
        which = "coalesce(number, pairing)" if self._hidden else "number"
        rows = self._query(f"SELECT pairing, {which} AS shown, round, a, b FROM pairings WHERE shown IS NOT NULL")
        try:
            return {pairing: Pairing(number, round_, names[a], names[b]) for pairing, number, round_, a, b in rows}
        except KeyError:
            raise self._kind.damaged(self.folder, "a pairing names a bot that does not exist") from None

    def sessions(self) -> list[WorkSession]:
        """Return the sessions, oldest first."""
        rows = self._query("SELECT started, ended, games, info FROM sessions ORDER BY session")
        return [WorkSession(started, ended, games, self._parsed(info)) for started, ended, games, info in rows]

    # ------------------------------------------------------------ single games

    @property
    def _stop(self) -> int:
        """Return the first identity beyond the deals that are shown."""
        return game_key(0, min(self.deal_count(), 1 << DEAL_BITS), 0)

    def count(self, forfeited: bool = False) -> int:
        """Return the number of games, or of those that were forfeited."""
        where = "AND forfeit > 0" if forfeited else ""
        return int(self._query(f"SELECT count(*) FROM games WHERE {SHOWN_GAMES} {where}", self._stop)[0][0])

    def count_all(self) -> int:
        """Return the number of games stored, also of those that the settings do not ask for."""
        return int(self._query("SELECT count(*) FROM games")[0][0])

    def rows(self, where: str = "", *args: object) -> Iterator[Row]:
        """Yield the rows in schedule order; `where` is a further condition in SQL, with its `args`."""
        stop, more = self._stop, f"AND ({where})" if where else ""

        def selected() -> Iterator[Row]:
            shown = "id < ?" if self._hidden else SHOWN_GAMES
            sql = f"{SELECT_GAMES} WHERE {shown} {more} ORDER BY id"
            yield from map(Row._make, self._db.execute(sql, (stop, *args)))

        pairings = self._known_pairings()
        for _, games in groupby(self._kind.in_batches(self.folder, selected()), lambda row: row.id >> PAIRING_BITS + 1):
            # pairings have come to the store in another order than that of the schedule
            yield from sorted(games, key=lambda row: _place_of(row.id, pairings))

    def results(self, where: str = "", *args: object) -> Iterator[GameResult]:
        """Yield the games in schedule order; `where` as in `rows`."""
        for row in self.rows(where, *args):
            yield self.readable(row)

    def result(self, first: str, second: str, deal: int) -> GameResult:
        """Return the game of two bots on a deal that `first` begins; StoreError if it does not exist."""
        for stored, (_, _, a, b) in self._known_pairings().items():
            if {a, b} == {first, second} and deal < 1 << DEAL_BITS:
                for game in self.results("id = ?", game_key(stored, deal, int(first != a))):
                    return game
        name = game_name(first, second, deal)
        raise StoreError(f"there is no game {name} in {self.folder}; its deals are 0 to {self.deal_count() - 1}")

    def _known_pairings(self) -> dict[int, Pairing]:
        """Return `pairings`, of which there may be half a million, read again only if the database has changed."""
        changes = self._query("PRAGMA data_version")[0][0], self._db.total_changes
        if changes != self._sides_at:
            self._sides, self._sides_at = self.pairings(), changes
        return self._sides

    def readable(self, row: Row) -> GameResult:
        """Return the readable form of a row. StoreError for a row that this program cannot have written."""
        identity = GameId.from_key(row.id)
        if identity.pairing not in self._sides:
            self._known_pairings()
        try:
            if not isinstance(row.record, str):
                raise TypeError("the record is not text")
            pairing = self._sides[identity.pairing]
            if pairing.number != identity.pairing:
                row = row._replace(id=game_key(pairing.number, identity.deal, identity.game))
            return GameResult.from_row(row, pairing.a, pairing.b, pairing.round)
        except (IndexError, KeyError, TypeError) as error:
            raise self._kind.damaged(self.folder, f"game {identity} cannot be read") from error

    def faults(self) -> list[str]:
        """Return what is wrong with the database, apart from the games themselves."""
        faults = self._kind.faults(self._db, self.folder)
        if faults:
            return faults
        (orphans,) = self._query("SELECT count(*) FROM games WHERE pairing NOT IN (SELECT pairing FROM pairings)")[0]
        if orphans:
            return [f"{orphans:,} games belong to no pairing"]
        stored, sessions = self.count_all(), self.sessions()
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

    def _read_columns(self, thinking: bool = True) -> GameColumns:
        with self._kind.guard(self.folder, "read"), self._db.snapshot():
            names = [bot.name for bot in self.bots()]
            places = dict(self._query("SELECT bot, place FROM bots"))
            return read_columns(self._db, names, places, self.stored_pairings(), self._stop, thinking)

    def columns_of(
        self,
        bots: Mapping[int, str],
        numbers: Mapping[int, int | None],
        deals: int | None = None,
        thinking: bool = True,
    ) -> GameColumns:
        """Return the games of some pairings on the first `deals` (default: those that are shown), also of hidden ones.

        `bots` has the names to give to their bots, `numbers` those to give to the pairings, by their numbers here.
        `thinking` as in `read_columns`.
        """
        stop = self._stop if deals is None else game_key(0, min(deals, 1 << DEAL_BITS), 0)
        with self._kind.guard(self.folder, "read"), self._db.snapshot():
            places = {bot: place for place, bot in enumerate(bots)}
            pairings = {
                pairing: known._replace(number=numbers.get(pairing))
                for pairing, known in self.stored_pairings().items()
            }
            return read_columns(self._db, list(bots.values()), places, pairings, stop, thinking)

    def arrays_of(self, bots: Mapping[int, str]) -> GameArrays:
        """Return the games between some bots for ratings, also of pairings that no table shows.

        `bots` has the names to give to the bots, by their numbers here.
        """
        pairings = self.stored_pairings().items()
        shown = {pairing: pairing for pairing, known in pairings if {known.a, known.b} <= bots.keys()}
        return self.columns_of(bots, shown, thinking=False).games()

    def progress(self) -> ScheduleProgress:
        """Return what has been played, for `Schedule.tasks`."""
        columns = self._read_columns(thinking=False) if self._columns is None else self._columns
        return replace(columns.progress(), walkovers=self.walkovers())

    def walkovers(self) -> dict[str, int]:
        """Return the bots whose opponents win without playing, each with the number of the first such pairing."""
        values = self._query("SELECT value FROM meta WHERE key = 'walkovers'")
        return self._parsed(values[0][0]) if values else {}

    def has_silent(self) -> bool:
        """Return whether a game was lost because no answer came, also one that no table shows."""
        sql = "SELECT 1 FROM games WHERE forfeit = ? AND forfeit > 0 LIMIT 1"
        return bool(self._query(sql, ForfeitKind.TIMEOUT.code))

    def seconds_by_pairing(self) -> dict[int, float]:
        """Return the mean duration of a game of each stored pairing."""
        return dict(self._query("SELECT pairing, avg(us) / 1e6 FROM games GROUP BY pairing"))

    def pair_scores_from(self, deal: int) -> list[int]:
        """Return the half points, 0..4, of the first bot of the field in each pair of a run with one pairing.

        The pairs are on the deals from `deal` on, up to the first that is missing.
        """
        points = "sum(CASE game WHEN 0 THEN score ELSE 2 - score END)"
        sql = f"SELECT deal, {points}, count(*) FROM games WHERE {SHOWN_GAMES} AND id >= ? GROUP BY deal ORDER BY deal"
        first = self.bots()[0].name
        is_first = all(pairing.a == first for pairing in self._known_pairings().values())
        scores: list[int] = []
        for number, score, games in self._query(sql, self._stop, game_key(0, deal, 0)):
            if games < 2 or number != deal + len(scores):
                break
            scores.append(score if is_first else 4 - score)
        return scores

    def forfeit_reasons(self, where: str = "1", *args: object) -> list[ForfeitReason]:
        """Return why each bot forfeited games or failed after them (`AFTER`), the most frequent reason first.

        `where` as in `rows`.
        """
        reasons = Reasons()
        for game in self.results(f"forfeit_by > 0 AND ({where})", *args):
            reasons.add_game(game)
        return reasons.lines()


def _place_of(key: int, pairings: Mapping[int, Pairing]) -> tuple[int, int]:
    """Return the place of a game among those on its deal: the number of its pairing in the schedule, then its own."""
    known = pairings.get(key >> 1 & (1 << PAIRING_BITS) - 1)
    return 0 if known is None else known.number, key & 1
