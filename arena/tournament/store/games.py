"""The table of games of runs and leagues: its checksums, and reading it with every value checked.

The checksum of a game is the CRC-32 of its numbers as little-endian integers of 64 bits (`NUMBERS`, then `text_crc`
and the length of `hist_first`), followed by both histograms. `text_crc` is that of the record and, after a zero
byte, of the detail: so figures are checked without reading the records.
"""

from __future__ import annotations

import sqlite3
import struct
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn
from zlib import crc32

from arena.endings import ENDINGS, FORFEITS
from arena.tournament.match.results import COLUMNS, Row
from arena.tournament.match.tasks import GameId
from arena.tournament.store.tables import LARGEST, SUM_MASK, TOTALS, Damage, check_total, stored_total

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

NUMBERS = tuple(name for name in COLUMNS if name not in ("hist_first", "hist_second", "record", "detail"))
_PACK = struct.Struct(f"<{len(NUMBERS) + 2}q").pack
_WIDTH = 8 * (len(NUMBERS) + 2)
_FIRST, _SECOND, _US, _RECORD, _DETAIL = map(COLUMNS.index, ("hist_first", "hist_second", "us", "record", "detail"))
_SEALS = ("text_crc", "checksum")
_BATCH, _BATCH_OF_TEXTS = 20_000, 2_000
_LONGEST_US = 10**12
_MOST = {
    "id": LARGEST,
    "score": 2,
    "ending": len(ENDINGS) - 1,
    "forfeit": len(FORFEITS),
    "forfeit_by": 3,
    "stones_first": 9,
    "stones_second": 9,
    "turns": 10**6,
    "plies": 10**6,
    "decisions_first": 10**6,
    "decisions_second": 10**6,
}
"""The largest value of a column; those that are not named are times."""

INSERT = (
    f"INSERT INTO games ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))}) ON CONFLICT (id) DO NOTHING"
)
INSERT_SEALED = INSERT.replace(") VALUES (", ", text_crc, checksum) VALUES (?, ?, ")


def text_crc(record: str, detail: str | None) -> int:
    """The checksum of the texts of a game."""
    if detail is None:
        return crc32(record.encode())
    return crc32(detail.encode("utf-8", "surrogatepass"), crc32(record.encode() + b"\0"))


def sealed_rows(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """The rows with `text_crc` and `checksum`."""
    for row in rows:
        text = text_crc(row[_RECORD], row[_DETAIL])
        first = row[_FIRST]
        numbers = crc32(_PACK(*row[:_FIRST], row[_US], text, len(first)))
        yield (*row, text, crc32(row[_SECOND], crc32(first, numbers)))


def insert_games(db: sqlite3.Connection, rows: Sequence[Row], sealed: bool, kept: list[Any] | None = None) -> int:
    """Insert games within a transaction, leaving those already there as they are; how many were new.

    New rows with checksums are added to `kept`.
    """
    if not sealed:
        return db.executemany(INSERT, rows).rowcount if rows else 0
    new = list(sealed_rows(rows))
    stored = db.executemany(INSERT_SEALED, new).rowcount if new else 0
    if stored != len(new):  # which were there before? their checksums are the ones that stay
        raise _Repeated
    _add_total(db, stored, sum(row[-1] for row in new))
    if kept is not None:
        kept += new
    return stored


class _Repeated(Exception):
    """Some of the games were there already."""


def store_games(db: sqlite3.Connection, rows: Sequence[Row], sealed: bool, kept: list[Any] | None = None) -> int:
    """As `insert_games`, also if some of the games are there already."""
    if not rows:
        return 0
    db.execute("SAVEPOINT games")
    try:
        new = insert_games(db, rows, sealed, kept)
    except _Repeated:
        db.execute("ROLLBACK TO games")
        there = {row[0] for row in rows if db.execute("SELECT 1 FROM games WHERE id = ?", (row[0],)).fetchone()}
        fresh = {row[0]: row for row in reversed(rows) if row[0] not in there}
        new = insert_games(db, list(fresh.values()), sealed, kept)
    db.execute("RELEASE games")
    return new


def drop_games(db: sqlite3.Connection, first: int, sealed: bool) -> int:
    """Remove the games from the identity `first` on, within a transaction; how many there were."""
    total = 0
    if sealed:
        total = sum(one for (one,) in db.execute("SELECT checksum FROM games WHERE id >= ?", (first,)))
    dropped = db.execute("DELETE FROM games WHERE id >= ?", (first,)).rowcount
    if sealed:
        _add_total(db, -dropped, -total)
    return dropped


def _add_total(db: sqlite3.Connection, rows: int, total: int) -> None:
    db.execute(
        f"UPDATE {TOTALS} SET rows = rows + ?, total = (total + ?) & {SUM_MASK} WHERE what = 'games'",
        (rows, total & SUM_MASK),
    )


# ---------------------------------------------------------------- figures


class Batch(NamedTuple):
    """Some thousand games: numbers by column, int64; histograms of both bots; the sum of the rows' checksums."""

    numbers: dict[str, npt.NDArray[np.int64]]
    first: Histograms
    second: Histograms
    total: int


class Histograms(NamedTuple):
    """Histograms of some games: how many bytes each has, and all of them together."""

    lengths: npt.NDArray[np.int64]
    data: bytes


def read_figures(db: sqlite3.Connection, sealed: bool, start: int = 0) -> Iterator[Batch]:
    """The numbers of all games from the identity `start` on, in order of identity, each checked. Raises Damage.

    To be called in a transaction if others write: all games are compared with their total.
    """
    number, total = 0, 0
    for batch in row_figures(db, sealed, "WHERE id >= ?", start):
        number += len(batch.numbers["id"])
        total += batch.total
        yield batch
    if sealed and start == 0:
        check_total(db, "games", number, total)


def row_figures(db: sqlite3.Connection, sealed: bool, where: str, *args: object) -> Iterator[Batch]:
    """The numbers of the games where something holds, in order of identity, each checked."""
    import numpy as np  # 0.1 s, which commands that play need not spend before they have begun

    columns = (*NUMBERS, "hist_first", "hist_second", *_SEALS * sealed)
    cursor = db.execute(f"SELECT {', '.join(columns)} FROM games NOT INDEXED {where} ORDER BY id", args)
    last = -1
    while rows := cursor.fetchmany(_BATCH):
        values: dict[str, Any] = dict(zip(columns, zip(*rows)))
        numbers = {name: _numbers(values, name) for name in NUMBERS}
        both = []
        for side in ("hist_first", "hist_second"):
            texts = values[side]
            if set(map(type, texts)) != {bytes}:
                _raise_first(values, side, _is_histogram)
            both.append(Histograms(np.fromiter(map(len, texts), np.int64, len(texts)), b"".join(texts)))
            if (both[-1].lengths & 1).any():
                _raise_first(values, side, _is_histogram)
        check_figures(numbers, last)
        last = int(numbers["id"][-1])
        first, second = both
        yield Batch(numbers, first, second, _check(numbers, values, first.lengths) if sealed else 0)


def check_figures(numbers: dict[str, npt.NDArray[np.int64]], last: int = -1) -> None:
    """Damage unless the identities grow, from the one before them on, and each forfeit has one culprit."""
    ids = numbers["id"]
    if ids[0] <= last or not (ids[1:] > ids[:-1]).all():
        raise Damage(f"the games after {GameId.from_key(max(last, 0))} are out of order")
    contrary = (numbers["forfeit"] > 0) & ((numbers["forfeit_by"] == 0) | (numbers["forfeit_by"] == 3))
    if contrary.any():
        raise Damage(_contrary(int(ids[int(contrary.argmax())])))


def most_of(name: str) -> int:
    """The largest value of a column."""
    return _MOST.get(name, _LONGEST_US)


def _numbers(values: dict[str, Any], name: str) -> npt.NDArray[np.int64]:
    """A column, if all its values are whole numbers within its bounds."""
    import numpy as np

    most = most_of(name)
    try:  # array takes whole numbers only; numpy would cut off fractions
        column = np.frombuffer(array("q", values[name]), dtype=np.int64)
    except (TypeError, OverflowError):
        column = np.full(len(values[name]), -1, dtype=np.int64)
    if int(column.min()) < 0 or int(column.max()) > most:
        _raise_first(values, name, lambda value: type(value) is int and 0 <= value <= most)
    return column


def _is_histogram(value: object) -> bool:
    return type(value) is bytes and not len(value) & 1


def _raise_first(values: dict[str, Any], name: str, is_sound: Callable[[Any], bool]) -> NoReturn:
    at, value = next((at, value) for at, value in enumerate(values[name]) if not is_sound(value))
    raise Damage(f"game {_which(values['id'][at])}: {name} cannot be {ascii(value)[:60]}")


def _which(key: object) -> str:
    return str(GameId.from_key(key)) if type(key) is int and key >= 0 else ascii(key)[:40]


def _contrary(key: int) -> str:
    return f"game {_which(key)} was forfeited by nobody, or by both"


def _check(numbers: dict[str, npt.NDArray[np.int64]], values: dict[str, Any], lengths: npt.NDArray[np.int64]) -> int:
    """The sum of the checksums of some games, if all agree with their numbers."""
    import numpy as np

    try:
        text, stored = (array("q", values[name]) for name in ("text_crc", "checksum"))
    except (TypeError, OverflowError):
        text, stored = array("q", bytes(8 * len(values["id"]))), array("q", [-1] * len(values["id"]))
    first, second = values["hist_first"], values["hist_second"]
    columns = [*numbers.values(), np.frombuffer(text, dtype=np.int64), lengths]
    packed = memoryview(np.stack(columns, axis=1).astype("<i8", copy=False).tobytes())
    found = [
        crc32(two, crc32(one, crc32(packed[at : at + _WIDTH])))
        for at, one, two in zip(range(0, len(packed), _WIDTH), first, second)
    ]
    if array("q", found) != stored:
        at = next(at for at, (one, two) in enumerate(zip(found, stored)) if one != two)
        raise Damage(f"game {GameId.from_key(int(numbers['id'][at]))} is not as it was stored")
    return sum(found)


# ---------------------------------------------------------------- whole rows


def read_games(db: sqlite3.Connection, sealed: bool, where: str = "", *args: object) -> Iterator[Row]:
    """Whole rows in order of identity, each checked; all, or those `where` something holds. Raises Damage."""
    for row, fault in judged_games(db, sealed, where, *args):
        if fault is not None:
            raise Damage(fault)
        yield row


def judged_games(
    db: sqlite3.Connection, sealed: bool, where: str = "", *args: object
) -> Iterator[tuple[Row, str | None]]:
    """As `read_games`, each row with what is wrong with it, or None. A row with a fault may hold anything.

    Raises Damage where it cannot go on, and at last if all games were asked for and some are missing.
    """
    stored = stored_total(db, "games") if sealed and not where else None
    columns = (*COLUMNS, *_SEALS * sealed)
    cursor = db.execute(f"SELECT {', '.join(columns)} FROM games NOT INDEXED {where} ORDER BY id", args)
    last, number, total, faults = -1, 0, 0, 0
    while rows := cursor.fetchmany(_BATCH_OF_TEXTS):
        for found in rows:
            fault = row_fault(found, sealed)
            if type(found[0]) is not int or found[0] <= last:  # else a table could go on for ever
                raise Damage(f"the games after {GameId.from_key(last)} are out of order")
            last = found[0]
            number += 1
            total += found[-1] if sealed and fault is None else 0
            faults += fault is not None
            yield found[: len(COLUMNS)], fault
    if stored is not None and stored == stored_total(db, "games"):  # nobody has written meanwhile
        check_total(db, "games", number, stored[1] if faults else total)


def row_fault(found: tuple[Any, ...], sealed: bool) -> str | None:
    """What is wrong with a row of the table: types, bounds, or its checksums. None if nothing is."""
    row = found[: len(COLUMNS)]
    for name, value in zip(COLUMNS, row):
        if name in ("hist_first", "hist_second"):
            sound = _is_histogram(value)
        elif name in ("record", "detail"):
            sound = type(value) is str or (name == "detail" and value is None)
        else:
            sound = type(value) is int and 0 <= value <= most_of(name)
        if not sound:
            return f"game {_which(row[0])}: {name} cannot be {ascii(value)[:60]}"
    if row[3] > 0 and row[4] not in (1, 2):
        return _contrary(row[0])
    if sealed and next(sealed_rows([row]))[len(COLUMNS) :] != found[len(COLUMNS) :]:
        return f"game {_which(row[0])} is not as it was stored"
    return None
