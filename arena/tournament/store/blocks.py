"""Blocks: the figures of some thousand games in one row, for who reads all games of a large run.

A block holds the numbers of games column by column, each column as unsigned integers of the fewest bytes that hold
it: a byte for how many they are, then the integers, little-endian. Identities are sorted, and each is stored as the
distance from the one before. The lengths of the histograms and the histograms follow; all of it is compressed with
zlib. A block says the same as the rows of its games, which are what counts: a run without blocks is whole, only slower
to read.
"""

from __future__ import annotations

import sqlite3
import sys
import zlib
from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from arena.tournament.match.results import COLUMNS
from arena.tournament.store.games import NUMBERS, Batch, Histograms, check_figures, most_of, row_figures
from arena.tournament.store.tables import SUM_MASK, Damage, Table, check_total, read_rows, stored_total

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

GAMES_IN_BLOCK = 4096
"""So many games make a block. Fewer are read from their rows."""
BLOCKS = Table(
    "blocks",
    {"block": "whole", "last": "whole", "games": "whole", "total": "whole", "crc": "whole", "data": "bytes"},
    """CREATE TABLE blocks (
    block INTEGER PRIMARY KEY, last INTEGER NOT NULL, games INTEGER NOT NULL, total INTEGER NOT NULL,
    crc INTEGER NOT NULL, data BLOB NOT NULL{checksum})""",
    since=3,
)
"""`last` is the greatest identity, `total` the sum of the checksums of the rows, `crc` the CRC-32 of `data`."""

_NUMBERS = [COLUMNS.index(name) for name in NUMBERS]
_HISTOGRAMS = [COLUMNS.index(name) for name in ("hist_first", "hist_second")]
_LONGEST = 64 << 20  # bytes of a block that is not compressed
_AT_ONCE = 500


# ---------------------------------------------------------------- writing


def insert_block(db: sqlite3.Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    """Make a block of rows with checksums, within a transaction."""
    rows = sorted(rows, key=itemgetter(0))
    data = pack(rows)
    total = sum(row[-1] for row in rows) & SUM_MASK
    db.execute(
        "INSERT INTO blocks (last, games, total, crc, data) VALUES (?, ?, ?, ?, ?)",
        (rows[-1][0], len(rows), total, zlib.crc32(data), data),
    )


def drop_blocks(db: sqlite3.Connection, first: int) -> None:
    """Remove the blocks with games from the identity `first` on; others of their games are read from their rows."""
    db.execute("DELETE FROM blocks WHERE last >= ?", (first,))


def pack(rows: Sequence[tuple[Any, ...]]) -> bytes:
    """The figures of rows, which are sorted by identity."""
    columns = list(zip(*rows))
    ids = columns[0]
    numbers = [(ids[0], *(two - one for one, two in pairwise(ids))), *(columns[at] for at in _NUMBERS[1:])]
    texts = [columns[at] for at in _HISTOGRAMS]
    parts = [part for column in (*numbers, *(tuple(map(len, one)) for one in texts)) for part in _integers(column)]
    return zlib.compress(b"".join([*parts, *texts[0], *texts[1]]), 1)


def _integers(values: Sequence[int]) -> tuple[bytes, bytes]:
    """How many bytes each has, and the values."""
    for code in "BHIQ":
        try:
            packed = array(code, values)
        except OverflowError:
            continue
        if sys.byteorder == "big":
            packed.byteswap()
        return bytes([packed.itemsize]), packed.tobytes()
    raise ValueError("a number of a game is too large")


# ---------------------------------------------------------------- reading


def unpack(data: bytes, games: int) -> tuple[dict[str, npt.NDArray[np.int64]], Histograms, Histograms]:
    """Figures of so many games. ValueError or zlib.error if it is no block of so many."""
    import numpy as np

    raw = zlib.decompressobj().decompress(data, _LONGEST)
    place, columns = 0, []
    for _ in range(len(NUMBERS) + 2):
        size = raw[place] if place < len(raw) else 0
        end = place + 1 + size * games
        if size not in (1, 2, 4, 8) or end > len(raw) or games < 1:
            raise ValueError("not a block")
        columns.append(np.frombuffer(raw, f"<u{size}", games, place + 1).astype(np.int64))
        place = end
    *numbers, first, second = columns
    numbers[0] = np.cumsum(numbers[0])
    middle = place + int(first.sum())
    if (first & 1).any() or (second & 1).any() or min(first.min(), second.min()) < 0:
        raise ValueError("not a block")
    if middle > len(raw) or middle + int(second.sum()) != len(raw):
        raise ValueError("not a block")
    found = dict(zip(NUMBERS, numbers))
    if any(int(column.min()) < 0 or int(column.max()) > most_of(name) for name, column in found.items()):
        raise ValueError("not a block")
    return found, Histograms(first, raw[place:middle]), Histograms(second, raw[middle:])


def block_figures(db: sqlite3.Connection) -> Iterator[Batch]:
    """The figures of all games: those of blocks, then those of games in none, from their rows. Raises Damage.

    To be called in a transaction if others write: all games are compared with their total.
    """
    import numpy as np

    ids, number, total = [np.empty(0, np.int64)], 0, 0
    for block, _, games, one_total, crc, data in read_rows(db, BLOCKS, True):
        if zlib.crc32(data) != crc:
            raise Damage(f"block {block} is not as it was written")
        try:
            numbers, first, second = unpack(data, games)
        except (ValueError, zlib.error) as error:
            raise Damage(f"block {block} holds no games") from error
        check_figures(numbers)
        ids.append(numbers["id"])
        number, total = number + games, total + one_total
        yield Batch(numbers, first, second, one_total)
    known = np.sort(np.concatenate(ids))
    if (known[1:] == known[:-1]).any():
        raise Damage("a game is in two blocks")
    if (number, total & SUM_MASK) != stored_total(db, "games"):
        for batch in _others(db, known):
            number, total = number + len(batch.numbers["id"]), total + batch.total
            yield batch
        check_total(db, "games", number, total)


def _others(db: sqlite3.Connection, known: npt.NDArray[np.int64]) -> Iterator[Batch]:
    """The games that are in no block."""
    import numpy as np

    try:
        there = np.frombuffer(array("q", map(itemgetter(0), db.execute("SELECT id FROM games NOT INDEXED"))), np.int64)
    except (TypeError, OverflowError) as error:
        raise Damage("a game has no number") from error
    missing = np.setdiff1d(there, known).tolist()
    if not len(known):
        yield from row_figures(db, True, "")
        return
    for part in (missing[at : at + _AT_ONCE] for at in range(0, len(missing), _AT_ONCE)):
        yield from row_figures(db, True, f"WHERE id IN ({', '.join('?' * len(part))})", *part)
