"""Writing a run: `results/NAME/` with one SQLite database that holds every game exactly once.

A chunk of results is committed as one transaction; what `add` returned from is stored, also if the process
is killed the moment after. The same game delivered again changes nothing. One run at a time may write into
a folder.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import IO, Any

from arena.endings import ForfeitKind
from arena.tournament.match.results import CLOCKED, COLUMNS, Row
from arena.tournament.match.tasks import PAIRING_BITS, Chunk, GameId, PairTask, SeriesTask, Task
from arena.tournament.store.blocks import GAMES_IN_BLOCK, drop_blocks, insert_block
from arena.tournament.store.figures import Figures, figures_of
from arena.tournament.store.games import drop_games, store_games
from arena.tournament.store.ownership import MARK, mark_of, run_text
from arena.tournament.store.reader import BotEntry, Reader
from arena.tournament.store.schema import RUN, StoreError
from arena.tournament.store.sqlite import Connection

_SELECT = f"SELECT {', '.join(COLUMNS)} FROM games WHERE id = ?"
_SHIFT = PAIRING_BITS + 1
# A traceback may name addresses in memory, so the detail is no part of what must agree.
_COMPARED = tuple(at for at, name in enumerate(COLUMNS) if name not in CLOCKED and name != "detail")
_BY_CHANCE = tuple(kind.code for kind in ForfeitKind if kind.by_chance)

_SHOWN_LINES = 10  # of the settings that differ
_LOCK = ".lock"
_open: dict[Path, Store] = {}  # by this process, which a lock of the system does not keep out


class OtherSettings(StoreError):
    """The folder holds a run with other settings; `keys` are those that differ."""

    def __init__(self, folder: Path, lines: Sequence[str]) -> None:
        more = len(lines) - _SHOWN_LINES
        shown = [*lines[:_SHOWN_LINES], *[f"and {more:,} more"] * (more > 0)]
        super().__init__(
            f"{folder} holds a run with other settings; nothing was started.\n  "
            + "\n  ".join(shown)
            + "\nChoose another folder with --out, or start with the settings of that run."
        )
        self.keys = [line.partition(": ")[0] for line in lines]


class ConflictingResults(RuntimeError):
    """Two plays of one game differ: a fault of this program, or a bot that makes its own randomness."""


class Store(Reader):
    """A run's folder, open for writing; everything a Reader can is there too. See `open_store`."""

    def __init__(self, folder: Path, lock: IO[str], db: Connection, clocked: bool) -> None:
        self.folder = folder
        self._figures = None
        self._owner = os.getpid()
        self._lock = lock
        self._db = db
        self._clocked = clocked
        self._places = {bot.name: at for at, bot in enumerate(self.bots())}
        self._known = {number: tuple(pairing) for number, pairing in self.pairings().items()}
        self._session: int | None = None
        self._unblocked: list[tuple[Any, ...]] = []

    def figures(self) -> Figures:
        """The numbers of all games as they are now."""
        self._figures = None
        try:
            return super().figures()
        finally:
            self._figures = None

    def _figures_from(self, deal: int) -> Figures:
        with self._snapshot():  # a running test asks again and again
            pairings, names = self.pairings(), [bot.name for bot in self.bots()]
            return figures_of(self._db, names, pairings, deal << _SHIFT)

    def claim(self) -> None:
        """Note that this user has begun the run, or takes it over as it is."""
        mark = mark_of(run_text(self.meta(), self.bots()))
        if mark is not None:
            with RUN.guard(self.folder, "write to"):
                self._db.execute("DELETE FROM meta WHERE key = ?", (MARK,))
                self._db.execute("INSERT INTO meta (key, value) VALUES (?, ?)", (MARK, mark))

    # ------------------------------------------------------------ writing

    def add(self, chunk: Chunk, rows: Sequence[Row]) -> int:
        """Store the rows of a finished chunk; returns how many were new.

        `rows` are the games of `chunk.tasks` in their order, units complete (ValueError if not). A game
        that is stored already is left as it is; ConflictingResults if it was played differently and no
        clock explains that. StoreError if the disk refuses; then nothing of this delivery is stored.
        """
        return self.add_many([(chunk, rows)])

    def add_many(self, deliveries: Iterable[tuple[Chunk, Sequence[Row]]]) -> int:
        """As `add`, for several chunks in one transaction."""
        deliveries = list(deliveries)
        for chunk, rows in deliveries:
            _check_units(chunk, rows)
        kept: list[tuple[Any, ...]] = []
        new, pairings = 0, dict(self._known)
        with self._transaction():
            for chunk, rows in deliveries:
                self._add_pairings(chunk, pairings)
                new += self._insert(chunk, rows, kept)
            self._touch_session(new)
        self._known = pairings
        self._gather(kept)
        return new

    def adopt(self, tasks: Sequence[Task], rows: Sequence[Row]) -> None:
        """Store games of another run, whole units; none of them is there yet."""
        kept: list[tuple[Any, ...]] = []
        with self._transaction():
            self._add_pairings(Chunk(0, tuple(tasks)), self._known)
            self._touch_session(store_games(self._db, rows, self._db.sealed, kept))
        self._gather(kept)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with RUN.guard(self.folder, "write to"), self._db.transaction():
            yield

    def _gather(self, rows: Sequence[tuple[Any, ...]], at_least: int | None = None) -> None:
        """Make a block of the games that are in none, once they are so many."""
        if self._db.has_blocks:
            self._unblocked += rows
            if len(self._unblocked) >= (at_least or GAMES_IN_BLOCK):
                with self._transaction():
                    insert_block(self._db, self._unblocked)
                self._unblocked = []

    def _add_pairings(self, chunk: Chunk, known: dict[int, tuple[Any, ...]]) -> None:
        numbers, _, ones, twos, rounds, *_ = zip(*chunk.tasks)  # column by column: chunks are long
        for pairing in dict.fromkeys(zip(numbers, rounds, ones, twos)):
            number, round_, a, b = pairing
            have = known.get(number)
            if have is None:
                self._db.execute(
                    "INSERT INTO pairings (pairing, round, a, b) VALUES (?, ?, ?, ?)",
                    (number, round_, self._places[a], self._places[b]),
                )
                known[number] = pairing
            elif have != pairing:
                raise ConflictingResults(f"pairing {have} in the store is {pairing} in a delivery")

    def _insert(self, chunk: Chunk, rows: Sequence[Row], kept: list[tuple[Any, ...]]) -> int:
        if any(type(task) is SeriesTask for task in chunk.tasks):
            rows = self._new_series(chunk, rows)
        new = store_games(self._db, rows, self._db.sealed, kept)
        if new != len(rows):
            for row in rows:
                self._compare(row)
        return new

    def _new_series(self, chunk: Chunk, rows: Sequence[Row]) -> list[Row]:
        """The rows without those of series that are stored already.

        A series that was played again and went otherwise (a clock) must not leave games of both courses.
        """
        fresh: list[Row] = []
        for task, part in _series_parts(chunk, rows):
            if self._db.execute("SELECT 1 FROM games WHERE id = ?", (part[0][0],)).fetchone() is None:
                fresh += part
            elif not self._excused(task, part):
                for row in part:
                    self._compare(row)
        return fresh

    def _excused(self, task: SeriesTask, part: Sequence[Row]) -> bool:
        """Could a clock have changed the course of the series?"""
        stored = self._db.execute(
            "SELECT forfeit FROM games WHERE pairing = ? AND id BETWEEN ? AND ? AND forfeit > 0",
            (task.pairing, task.deal << _SHIFT, (task.deal + task.rule.stride << _SHIFT) - 1),
        )
        return self._clocked or any(kind in _BY_CHANCE for (kind,) in chain(stored, ((r[3],) for r in part)))

    def _compare(self, row: Row) -> None:
        stored = self._db.execute(_SELECT, (row[0],)).fetchone()
        differ = [] if stored is None else [COLUMNS[at] for at in _COMPARED if stored[at] != row[at]]
        if stored is not None and not differ:
            return
        if self._clocked or row[3] in _BY_CHANCE or (stored is not None and stored[3] in _BY_CHANCE):
            return  # what a clock or the system decided may differ; the first delivery holds
        what = "is missing in the stored series" if stored is None else f"differs in {', '.join(differ)}"
        raise ConflictingResults(
            f"game {GameId.from_key(row[0])} was played twice and {what}: results must depend on the seed"
            " only. A bot that draws from a generator of its own instead of view.rng would do this"
        )

    def drop_from(self, deal: int) -> int:
        """Remove the games on `deal` and all later deals; returns how many there were."""
        first = deal << _SHIFT
        with self._transaction():
            dropped = drop_games(self._db, first, self._db.sealed)
            if self._db.has_blocks:
                drop_blocks(self._db, first)
            self._touch_session(-dropped)
        self._unblocked = [row for row in self._unblocked if row[0] < first]
        return dropped

    # ------------------------------------------------------------ sessions

    def grow(self, config: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        """Write the settings of a run that goes on to more games; see `config.tournament.grown`."""
        ours = self.is_ours()
        with self._transaction():
            for key, values in (("config", config), ("settings", settings)):
                self._db.execute("UPDATE meta SET value = ? WHERE key = ?", (_canonical(values), key))
        if ours:
            self.claim()

    def begin_session(self, info: Mapping[str, Any]) -> None:
        """Note that work starts now, with remarks such as the number of workers."""
        now = time.time()
        with RUN.guard(self.folder, "write to"):
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
        """Fold the log into the database file and give the folder free."""
        if _open.get(self.folder.resolve()) is not self:
            return
        try:
            with suppress(StoreError):  # a full disk, say: they are read from their rows
                if self._unblocked and self._db.execute("SELECT 1 FROM blocks LIMIT 1").fetchone():
                    self._gather([], 1)
            with RUN.guard(self.folder, "write to"):
                self._db.close()
        finally:
            del _open[self.folder.resolve()]
            if self._owner == os.getpid():
                with suppress(OSError):  # Windows keeps it while it is open
                    (self.folder / _LOCK).unlink()
            self._lock.close()


def _check_units(chunk: Chunk, rows: Sequence[Row]) -> None:
    """ValueError unless `rows` are the games of the chunk's units, all of them, in order."""
    if any(type(task) is SeriesTask for task in chunk.tasks):
        for _ in _series_parts(chunk, rows):
            pass
        return
    expected = [
        task.deal << _SHIFT | task.pairing << 1 | game
        for task in chunk.tasks
        if isinstance(task, PairTask)
        for game in task.games
    ]
    if [row[0] for row in rows] != expected:
        raise ValueError(f"{len(rows)} games delivered are not the {len(expected)} of chunk {chunk.number}")


def _series_parts(chunk: Chunk, rows: Sequence[Row]) -> Iterator[tuple[SeriesTask, list[Row]]]:
    """Cut the rows of a chunk of series into its series."""
    at = 0
    for task in chunk.tasks:
        if not isinstance(task, SeriesTask):
            raise ValueError("a chunk holds either pairs or series, not both")
        part: list[Row] = []
        while at < len(rows) and len(part) < task.rule.stride:
            identity = GameId.from_key(rows[at][0])
            if (identity.pairing, identity.deal) != (task.pairing, task.deal + len(part)):
                break
            part.append(rows[at])
            at += 1
        if not part:
            raise ValueError(f"a delivery lacks the series of pairing {task.pairing} on deal {task.deal}")
        yield task, part
    if at != len(rows):
        raise ValueError(f"a delivery holds game {GameId.from_key(rows[at][0])}, which its chunk does not")


# ---------------------------------------------------------------- opening


def open_store(
    folder: Path | str,
    config: Mapping[str, Any],
    bots: Sequence[BotEntry],
    settings: Mapping[str, Any] | None = None,
    clocked: bool = False,
    ours: bool = True,
) -> Store:
    """Open the folder of a run for writing; made if it is not there.

    `config` is what determines the results (`TournamentConfig.canonical()`): a folder that holds a run with
    another one, or with bots whose source has changed, is refused with the differences, unless that run has no
    games yet (its bot could not be loaded, say): then this one takes its place. `settings` is the
    whole config, kept for resuming. `clocked` says that a clock may decide games, so two plays of one game
    may differ. `ours`: a new run is marked as begun by this user. StoreError for all of: another run writes
    there, read-only, not a database, written by a newer version.
    """
    folder = Path(folder)
    return _open_for_writing(folder, clocked, lambda db: _begin(db, folder, config, bots, settings), ours)


def reopen_store(folder: Path | str, bots: Sequence[BotEntry] | None = None, clocked: bool = False) -> Store:
    """Open an existing run to go on with it; `bots` as loaded now, to refuse those that have changed."""
    folder = Path(folder)
    with Reader(folder) as reader:  # a clear error before a lock file is made in a folder without a run
        config, settings, stored = reader.config(), reader.settings(), reader.bots()
    checked = stored if bots is None else bots
    return _open_for_writing(folder, clocked, lambda db: _begin(db, folder, config, checked, settings))


def _open_for_writing(folder: Path, clocked: bool, begin: Callable[[Connection], bool], ours: bool = True) -> Store:
    with RUN.guard(folder, "write to"):
        folder.mkdir(parents=True, exist_ok=True)
        RUN.check_files(folder, write=True)
        lock = _take_lock(folder)
        try:
            db = RUN.open_writer(folder)
            try:
                if RUN.is_empty(db, folder):
                    db.execute("BEGIN IMMEDIATE")
                    RUN.make_tables(db)
                    db.execute("COMMIT")
                is_new = begin(db)
                store = Store(folder, lock, db, clocked)
                if is_new and ours:
                    store.claim()
            except BaseException:
                db.close()
                raise
        except BaseException:
            lock.close()
            raise
    _open[folder.resolve()] = store
    return store


def _begin(
    db: Connection,
    folder: Path,
    config: Mapping[str, Any],
    bots: Sequence[BotEntry],
    settings: Mapping[str, Any] | None,
) -> bool:
    """Write the settings into a database without games, or compare them with those of an old one. Was it new?"""
    asked = json.loads(json.dumps(config))
    found = db.execute("SELECT value FROM meta WHERE key = 'config'").fetchone()
    if found is None or db.execute("SELECT 1 FROM games LIMIT 1").fetchone() is None:
        db.execute("BEGIN IMMEDIATE")
        for table in ("meta", "sessions", "pairings", "bots"):  # of a run that ended before its first game
            db.execute(f"DELETE FROM {table}")
        texts = {"config": asked, "settings": config if settings is None else settings}
        db.executemany("INSERT INTO meta (key, value) VALUES (?, ?)", [(k, _canonical(v)) for k, v in texts.items()])
        db.executemany(
            "INSERT INTO bots (bot, name, spec, source, params) VALUES (?, ?, ?, ?, ?)",
            [(at, b.name, b.spec, b.source, _canonical(b.params)) for at, b in enumerate(bots)],
        )
        db.execute("COMMIT")
        return True
    lines = differences(json.loads(found[0]), asked)
    sources = dict(db.execute("SELECT name, source FROM bots"))
    for bot in bots:
        if bot.name in sources and sources[bot.name] != bot.source:
            lines.append(f"bot {bot.name}: its source has changed since the run began")
    if lines:
        raise OtherSettings(folder, lines)
    return False


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def differences(there: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """Line by line where two configs differ.

    >>> differences({"seed": 7, "clock": {"move_ms": 5}}, {"seed": 8, "clock": {"move_ms": 5}})
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


def is_in_use(folder: Path) -> bool:
    """Is a process at work on a run?"""
    if folder.resolve() in _open:  # closing a second handle would give its lock away
        return True
    path = folder / ".lock"
    try:
        number = path.read_text("ascii", "replace")[:100].strip().removeprefix("process ")
    except OSError:
        return False
    if not number.isdecimal() or not _is_process(int(number[:18])):
        return False
    try:
        with open(path, "r+", encoding="ascii") as lock:
            _lock_file(lock)  # who has died has let go of it, whoever has its number now
    except OSError:
        return True
    return False


def _is_process(number: int) -> bool:
    if sys.platform == "win32":  # there is no harmless signal; the lock tells
        return True
    try:
        os.kill(number, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def _is_same(path: Path, file: IO[str]) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def _take_lock(folder: Path) -> IO[str]:
    """Lock the folder until the process ends, however it ends. StoreError if another run has it."""
    if folder.resolve() in _open:
        raise StoreError(f"this program is already writing into {folder}")
    path = folder / _LOCK
    lock = open(path, "a+", encoding="ascii")  # noqa: SIM115  closed by the store
    try:
        _lock_file(lock)
        if not _is_same(path, lock):  # whoever had it has removed it in the meantime
            lock.close()
            return _take_lock(folder)
    except OSError as error:
        lock.seek(0)
        who = lock.read(100).strip()
        lock.close()
        raise StoreError(
            f"another run is writing into {folder}{f' ({who})' if who else ''}. Wait for it, stop it,"
            " or choose another folder with --out"
        ) from error
    lock.truncate(0)
    lock.write(f"process {os.getpid()}\n")
    lock.flush()
    return lock


if sys.platform == "win32":
    import msvcrt

    def _lock_file(file: IO[str]) -> None:
        # far behind the text, which others may read while the lock is held
        file.seek(1 << 20)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock_file(file: IO[str]) -> None:
        # lockf, not flock: workers forked from this process must not hold the lock when it has died
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
