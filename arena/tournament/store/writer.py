"""Write a run: `results/NAME/` with one SQLite database that holds every game exactly once.

A delivery is committed as one transaction: when `add` returns, its games are stored, even if the process is killed
right after. A second delivery of the same game changes nothing. Only one process at a time may write into a folder.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from arena.tournament.games import ROW_COLUMNS, Chunk, GameId, Pairing, SeriesTask, game_key
from arena.tournament.store.columns import GameColumns
from arena.tournament.store.reader import BotEntry, Reader
from arena.tournament.store.sqlite import RUN_SCHEMA, Connection, StoreError

_INSERT = (
    f"INSERT INTO games ({', '.join(ROW_COLUMNS)}) VALUES ({', '.join('?' * len(ROW_COLUMNS))})"
    " ON CONFLICT (id) DO NOTHING"
)

_LOCK = ".lock"
_SHOWN_LINES = 10  # of the settings that differ


class OtherSettings(StoreError):
    """The folder holds a run with other settings; `keys` are the settings that differ."""

    def __init__(self, folder: Path, lines: Sequence[str]) -> None:
        more = len(lines) - _SHOWN_LINES
        shown = [*lines[:_SHOWN_LINES], *[f"and {more:,} more"] * (more > 0)]
        super().__init__(
            f"{folder} holds a run with other settings; nothing was started.\n  "
            + "\n  ".join(shown)
            + "\nChoose another folder with --out, or start with the settings of that run."
        )
        self.keys = [line.partition(": ")[0] for line in lines]


def insert_games(db: sqlite3.Connection, rows: Sequence[tuple[Any, ...]]) -> int:
    """Insert games within a transaction, keeping those already stored; return the number of new games."""
    return db.executemany(_INSERT, rows).rowcount if rows else 0


class Store(Reader):
    """A run's folder, open for reading and writing. See `open_store`."""

    def __init__(self, folder: Path, lock: Connection, db: Connection) -> None:
        self.folder = folder
        self._columns = None
        self._lock = lock
        self._db = db
        self._bot_numbers = {bot.name: number for number, bot in enumerate(self.bots())}
        self._pairings = self.pairings()
        self._session: int | None = None

    def columns(self) -> GameColumns:
        """Return all games as they are now."""
        return self._read_columns()

    # ------------------------------------------------------------ writing

    def add(self, deliveries: Iterable[tuple[Chunk, Sequence[tuple[Any, ...]]]]) -> int:
        """Store finished chunks in one transaction, each with its rows; return the number of new games.

        The rows of a chunk are the games of its tasks, in complete units. Games already stored are kept: if a game was
        played twice, the first play counts. StoreError if the disk refuses; then nothing of this delivery is stored.
        """
        new, pairings = 0, dict(self._pairings)
        with self._transaction():
            for chunk, rows in deliveries:
                self._add_pairings(chunk, pairings)
                new += insert_games(self._db, self._new_series(chunk, rows))
            self._touch_session(new)
        self._pairings = pairings
        return new

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with RUN_SCHEMA.guard(self.folder, "write to"), self._db.transaction():
            yield

    def _add_pairings(self, chunk: Chunk, known: dict[int, Pairing]) -> None:
        for number in {task.pairing for task in chunk.tasks} - known.keys():
            task = next(task for task in chunk.tasks if task.pairing == number)
            known[number] = Pairing(number, task.round, task.a, task.b)
            self._db.execute(
                "INSERT INTO pairings (pairing, round, a, b) VALUES (?, ?, ?, ?)",
                (number, task.round, self._bot_numbers[task.a], self._bot_numbers[task.b]),
            )

    def _new_series(self, chunk: Chunk, rows: Sequence[tuple[Any, ...]]) -> Sequence[tuple[Any, ...]]:
        """Return the rows without series that are stored already.

        If a clock made a series go differently when it was played again, games of both plays must not be mixed.
        """
        if not isinstance(chunk.tasks[0], SeriesTask):  # a chunk holds either pairs or series
            return rows
        stride = chunk.tasks[0].rule.stride
        tasks = [task for task in chunk.tasks if self._has_deal(task.pairing, task.deal)]
        stored = {(task.pairing, task.deal // stride) for task in tasks}
        identities = map(GameId.from_key, (row[0] for row in rows))
        return [row for row, game in zip(rows, identities) if (game.pairing, game.deal // stride) not in stored]

    def _has_deal(self, pairing: int, deal: int) -> bool:
        key = game_key(pairing, deal, 0)
        return self._db.execute("SELECT 1 FROM games WHERE id BETWEEN ? AND ?", (key, key + 1)).fetchone() is not None

    def drop_from(self, deal: int) -> int:
        """Remove the games on `deal` and all later deals; return their number."""
        with self._transaction():
            dropped = self._db.execute("DELETE FROM games WHERE id >= ?", (game_key(0, deal, 0),)).rowcount
            self._touch_session(-dropped)
        return dropped

    # ------------------------------------------------------------ sessions

    def grow(self, config: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        """Write the settings of a run that is extended; see `arena.tournament.growth.grown`."""
        with self._transaction():
            for key, values in (("config", config), ("settings", settings)):
                self._db.execute("UPDATE meta SET value = ? WHERE key = ?", (_canonical(values), key))

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


def open_store(
    folder: Path | str,
    config: Mapping[str, Any],
    bots: Sequence[BotEntry],
    settings: Mapping[str, Any] | None = None,
) -> Store:
    """Open the folder of a run for writing, making it if it does not exist.

    `config` is what determines the results (`TournamentConfig.canonical()`). A folder that holds a run with another
    one, or with bots whose source has changed, is refused with the differences; a run without games (perhaps its bot
    could not be loaded) is replaced. `settings` is the whole config, kept for resuming. StoreError if another process
    writes there, or if the folder or the database cannot be used.
    """
    folder = Path(folder)
    with RUN_SCHEMA.guard(folder, "write to"):
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as opened:
            lock = opened.enter_context(closing(_take_lock(folder)))
            db = opened.enter_context(closing(RUN_SCHEMA.open_writer(folder)))
            if not RUN_SCHEMA.has_tables(db, folder):
                with db.transaction():
                    RUN_SCHEMA.make_tables(db)
            _begin(db, folder, config, bots, settings)
            store = Store(folder, lock, db)
            opened.pop_all()  # from now on the store closes them
            return store


def reopen_store(folder: Path | str, bots: Sequence[BotEntry] | None = None) -> Store:
    """Open an existing run to resume it; `bots` are those loaded now, to refuse any that have changed."""
    with Reader(folder) as reader:  # a clear error before a lock file is made in a folder without a run
        config, settings, stored = reader.config(), reader.settings(), reader.bots()
    return open_store(folder, config, stored if bots is None else bots, settings)


def _begin(
    db: Connection,
    folder: Path,
    config: Mapping[str, Any],
    bots: Sequence[BotEntry],
    settings: Mapping[str, Any] | None,
) -> None:
    """Write the settings into a database without games, or compare them with the settings of its run."""
    asked = json.loads(json.dumps(config))
    stored = db.execute("SELECT value FROM meta WHERE key = 'config'").fetchone()
    if stored is None or db.execute("SELECT 1 FROM games LIMIT 1").fetchone() is None:
        with db.transaction():
            for table in ("meta", "sessions", "pairings", "bots"):  # of a run that ended before its first game
                db.execute(f"DELETE FROM {table}")
            texts = {"config": asked, "settings": config if settings is None else settings}
            db.executemany(
                "INSERT INTO meta (key, value) VALUES (?, ?)", [(k, _canonical(v)) for k, v in texts.items()]
            )
            db.executemany(
                "INSERT INTO bots (bot, name, spec, source, params) VALUES (?, ?, ?, ?, ?)",
                [(n, bot.name, bot.spec, bot.source, _canonical(bot.params)) for n, bot in enumerate(bots)],
            )
        return
    lines = setting_differences(json.loads(stored[0]), asked)
    sources = dict(db.execute("SELECT name, source FROM bots"))
    for bot in bots:
        if bot.name in sources and sources[bot.name] != bot.source:
            lines.append(f"bot {bot.name}: its source has changed since the run began")
    if lines:
        raise OtherSettings(folder, lines)


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def setting_differences(there: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """Return the differences of two configs, one line each.

    >>> setting_differences({"seed": 7, "clock": {"move_ms": 5}}, {"seed": 8, "clock": {"move_ms": 5}})
    ['seed: 7 there, 8 asked for']
    """
    old, new = _flat(there), _flat(asked)
    nothing = "nothing"
    return [
        f"{key}: {json.dumps(old[key]) if key in old else nothing} there,"
        f" {json.dumps(new[key]) if key in new else nothing} asked for"
        for key in sorted(old.keys() | new.keys())
        if key not in old or key not in new or old[key] != new[key]
    ]


def _flat(value: Any, prefix: str = "") -> dict[str, Any]:
    if isinstance(value, Mapping) and value:
        parts = (_flat(v, f"{prefix}.{k}" if prefix else str(k)) for k, v in value.items())
        return {key: leaf for part in parts for key, leaf in part.items()}
    if isinstance(value, list) and value and all(isinstance(v, Mapping) for v in value):
        named = [(v.get("name", at), v) for at, v in enumerate(value)]
        out: dict[str, Any] = {f"{prefix} in order": [name for name, _ in named]}
        for name, v in named:
            out |= _flat({k: w for k, w in v.items() if k != "name"}, f"{prefix}.{name}")
        return out
    return {prefix: value}


# ---------------------------------------------------------------- one writer at a time


def _take_lock(folder: Path) -> Connection:
    """Lock the folder until the process ends, however it ends. StoreError if another process writes there.

    The lock is SQLite's exclusive lock on an empty file: the system releases it when the process dies, forked
    children do not hold it, and it works on every system.
    """
    lock = sqlite3.connect(folder / _LOCK, factory=Connection, isolation_level=None, timeout=0, check_same_thread=False)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        lock.close()
        if not _is_locked(error):
            raise
        raise StoreError(
            f"another process is playing the run in {folder}. Wait for it, stop it, or choose another folder with --out"
        ) from error
    except BaseException:
        lock.close()
        raise
    return lock


def is_in_use(folder: Path) -> bool:
    """Return whether a process is writing into the folder of a run."""
    if not (folder / _LOCK).exists():
        return False
    try:
        with closing(sqlite3.connect(f"{(folder / _LOCK).resolve().as_uri()}?mode=ro", uri=True, timeout=0)) as lock:
            lock.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.Error as error:
        return _is_locked(error)
    return False


def _is_locked(error: sqlite3.Error) -> bool:
    return error.sqlite_errorname.startswith("SQLITE_BUSY")
