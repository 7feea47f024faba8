"""Write a run: `results/NAME/` with one SQLite database that holds every game exactly once.

A delivery is committed as one transaction: when `add` returns, its games are stored, even if the process is killed
right after. A second delivery of the same game changes nothing. Only one process at a time may write into a folder.
Bots and pairings are only ever added: a run that is brought up to date keeps the games that it does not show.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.tournament.games import ROW_COLUMNS, Task
from arena.tournament.store.columns import GameColumns, StoredPairing
from arena.tournament.store.reader import BotEntry, Reader
from arena.tournament.store.sqlite import RUN_SCHEMA, Connection, StoreError, take_lock

_INSERT = (
    f"INSERT INTO games ({', '.join(ROW_COLUMNS)}) VALUES ({', '.join('?' * len(ROW_COLUMNS))})"
    " ON CONFLICT (id) DO NOTHING"
)


def insert_games(db: sqlite3.Connection, rows: Sequence[tuple[Any, ...]]) -> int:
    """Insert games within a transaction, keeping those already stored; return the number of new games."""
    return db.executemany(_INSERT, rows).rowcount if rows else 0


@dataclass(frozen=True)
class Wanted:
    """What the tables of a run are to show.

    config    what determines the results (`TournamentConfig.canonical`), shown with the tables
    settings  all settings, from which the run can be resumed
    shape     what every game depends on (`TournamentConfig.shape`)
    field     the bots in seed order, by their numbers in the store; those that are new have the next numbers
    new       the bots that are new in the store
    pairings  the pairings of the schedule that are known; all others are hidden
    deals     the number of deals whose games are shown
    left_out  why bots that the settings name do not play, by name
    """

    config: Mapping[str, Any]
    settings: Mapping[str, Any]
    shape: Mapping[str, Any]
    field: Sequence[int]
    new: Sequence[BotEntry]
    pairings: Sequence[StoredPairing]
    deals: int
    left_out: Mapping[str, str]


class Store(Reader):
    """A run's folder, open for reading and writing. See `open_store`."""

    def __init__(self, folder: Path, lock: Connection, db: Connection) -> None:
        super().__init__(folder, db=db)
        self._lock = lock
        self._field: dict[str, int] = {}
        self._keys: dict[tuple[int, int, int], int] = {}  # of the pairings that are shown: round, bots -> number here
        self._session: int | None = None

    def columns(self) -> GameColumns:
        """Return all games as they are now."""
        return self._read_columns()

    # ------------------------------------------------------------ what is shown

    def bring_up(self, wanted: Wanted) -> None:
        """Let the tables show what is `wanted` from now on."""
        first_new = max(self.entries(), default=-1) + 1
        texts = {key: _canonical(getattr(wanted, key)) for key in ("config", "settings", "shape", "left_out")}
        with self._transaction():
            self._db.executemany(
                "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)",
                [*texts.items(), ("deals", str(wanted.deals))],
            )
            self._db.executemany(
                "INSERT INTO bots (bot, name, spec, source, params, isolation) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (number, bot.name, bot.spec, bot.source, _canonical(bot.params), bot.isolation)
                    for number, bot in enumerate(wanted.new, first_new)
                ],
            )
            self._db.execute("UPDATE bots SET place = NULL WHERE place IS NOT NULL")
            self._db.executemany(
                "UPDATE bots SET place = ? WHERE bot = ?", [(place, bot) for place, bot in enumerate(wanted.field)]
            )
            self._db.executemany(
                "UPDATE bots SET spec = ? WHERE bot = ?",
                [(bot["spec"], number) for bot, number in zip(wanted.config["bots"], wanted.field)],
            )
            self.show_pairings(wanted.pairings)
        self._field = {bot["name"]: number for bot, number in zip(wanted.config["bots"], wanted.field)}

    def show_pairings(self, pairings: Sequence[StoredPairing]) -> None:
        """Let the tables show these pairings from now on, by their numbers in the schedule, and no others."""
        stored = self.stored_pairings()
        places = {known[1:]: pairing for pairing, known in stored.items()}
        new = [pairing for pairing in pairings if pairing[1:] not in places]
        places |= {pairing[1:]: place for place, pairing in enumerate(new, max(stored, default=-1) + 1)}
        numbers: dict[int, int | None] = dict.fromkeys(stored)
        numbers |= {places[pairing[1:]]: pairing.number for pairing in pairings}
        changed = [(numbers[pairing], pairing) for pairing, it in stored.items() if it.number != numbers[pairing]]
        with self._transaction():
            self._db.executemany(
                "INSERT INTO pairings (pairing, number, round, a, b, seed, design) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(places[pairing[1:]], *pairing) for pairing in new],
            )
            self._db.executemany("UPDATE pairings SET number = ? WHERE pairing = ?", changed)
        self._keys = {(pairing.round, pairing.a, pairing.b): places[pairing[1:]] for pairing in pairings}

    def show(self, deals: int) -> None:
        """Let the tables show the games on the first `deals` deals from now on."""
        with self._transaction():
            self._db.execute("UPDATE meta SET value = ? WHERE key = 'deals'", (str(deals),))

    def walk_over(self, bot: str, number: int) -> None:
        """Let the opponents of a bot win its pairings from this number on; games of these are not shown."""
        walkovers = self.walkovers() | {bot: number}
        with self._transaction():
            self._db.execute("INSERT OR REPLACE INTO meta VALUES ('walkovers', ?)", (_canonical(walkovers),))
            self._db.execute(
                "UPDATE pairings SET number = NULL WHERE number >= ? AND ? IN (a, b)", (number, self._field[bot])
            )

    def numbered(self, task: Task) -> Task:
        """Return a unit of the schedule with the number of its pairing here; the pairing must be shown."""
        pairing = self._keys[task.round, self._field[task.a], self._field[task.b]]
        return task if pairing == task.pairing else task._replace(pairing=pairing)

    # ------------------------------------------------------------ writing

    def add(self, deliveries: Iterable[Sequence[tuple[Any, ...]]]) -> int:
        """Store the rows of complete units in one transaction; return the number of new games.

        Games already stored are kept: if a game was played twice, the first play counts. StoreError if the disk
        refuses; then nothing of these deliveries is stored.
        """
        with self._transaction():
            new = sum(insert_games(self._db, rows) for rows in deliveries)
            self._touch_session(new)
        return new

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with RUN_SCHEMA.guard(self.folder, "write to"), self._db.transaction():
            yield

    # ------------------------------------------------------------ sessions

    def begin_session(self, info: Mapping[str, Any]) -> None:
        """Record the start of a session, with remarks such as the number of workers."""
        now = time.time()
        with RUN_SCHEMA.guard(self.folder, "write to"):
            self._session = self._db.execute(
                "INSERT INTO sessions (started, ended, games, info) VALUES (?, ?, 0, ?)",
                (now, now, json.dumps(info, sort_keys=True)),
            ).lastrowid

    def _touch_session(self, games: int) -> None:
        if self._session is not None:
            self._db.execute(
                "UPDATE sessions SET ended = ?, games = games + ? WHERE session = ?",
                (time.time(), games, self._session),
            )

    def close(self) -> None:
        """Fold the log into the database file and let other processes write into the folder."""
        with RUN_SCHEMA.guard(self.folder, "write to"):
            self._db.close()
            self._lock.close()


# ---------------------------------------------------------------- opening


def open_store(folder: Path | str) -> Store:
    """Open the folder of a run for writing, making it if it does not exist; `Store.bring_up` says what it shows.

    StoreError if another process writes there, or if the folder or the database cannot be used.
    """
    folder = Path(folder)
    with RUN_SCHEMA.guard(folder, "write to"):
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as opened:
            lock = take_lock(folder)
            if lock is None:
                raise StoreError(
                    f"another process is playing the run in {folder}. Wait for it, stop it, or choose another folder"
                    " with --out"
                )
            opened.enter_context(closing(lock))
            db = opened.enter_context(closing(RUN_SCHEMA.open_writer(folder)))
            if not RUN_SCHEMA.has_tables(db, folder):
                with db.transaction():
                    RUN_SCHEMA.make_tables(db)
            store = Store(folder, lock, db)
            opened.pop_all()  # from now on the store closes them
            return store


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
