"""Rows out of the pages of an SQLite file that SQLite can no longer read.

Every page that is, or may be, a leaf of a table is read by itself, without the pages that lead to it; those of the log
(`-wal`) too. What comes out may be old or wrong: checksums tell. The format: https://www.sqlite.org/fileformat.html
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

Value = int | float | str | bytes | None

_USUAL_PAGE = 16384
_INTERIOR_INDEX, _INTERIOR_TABLE, _LEAF_INDEX, _LEAF_TABLE = 2, 5, 10, 13
_LARGEST = 64 << 20
_WAL_HEADER, _FRAME_HEADER = 32, 24


def carved_rows(database: Path) -> Iterator[list[Value]]:
    """The rows in a database's file and its log, newest pages of the log last, each as its stored values.

    The number of a row stands in the place of a first value that is NULL, as it does for an INTEGER PRIMARY KEY.
    """
    data = database.read_bytes()
    size = int.from_bytes(data[16:18], "big")
    if size & (size - 1) or size < 512:
        size = _USUAL_PAGE
    pages = [data[at : at + size] for at in range(0, len(data), size)]
    log = database.with_name(f"{database.name}-wal")
    if log.is_file():
        frames = log.read_bytes()[_WAL_HEADER:]
        pages += [
            frames[at + _FRAME_HEADER : at + _FRAME_HEADER + size] for at in range(0, len(frames), size + _FRAME_HEADER)
        ]
    for number, page in enumerate(pages):
        yield from _rows_of(page, 100 if number == 0 else 0, pages)


def _rows_of(page: bytes, start: int, pages: list[bytes]) -> Iterator[list[Value]]:
    kind = page[start] if start < len(page) else 0
    if kind in (_INTERIOR_INDEX, _INTERIOR_TABLE) or len(page) < start + 8:
        return
    cells = int.from_bytes(page[start + 3 : start + 5], "big")
    for at in range(start + 8, min(start + 8 + 2 * cells, len(page) - 1), 2):
        place = int.from_bytes(page[at : at + 2], "big")
        try:
            yield _row(page, place, kind == _LEAF_INDEX, pages)
        except (IndexError, ValueError, struct.error):  # no row, or no longer
            continue


def _row(page: bytes, at: int, indexed: bool, pages: list[bytes]) -> list[Value]:
    """The values of a cell. IndexError, ValueError or struct.error if it is none."""
    length, at = _varint(page, at)
    number = 0
    if not indexed:
        number, at = _varint(page, at)
    payload = _payload(page, at, length, indexed, pages)
    end, at = _varint(payload, 0)
    values: list[Value] = []
    place = end
    while at < end:
        kind, at = _varint(payload, at)
        value, place = _value(payload, place, kind)
        values.append(value)
    if place != length:
        raise ValueError("not a row")
    if values and values[0] is None and not indexed:
        values[0] = number
    return values


def _payload(page: bytes, at: int, length: int, indexed: bool, pages: list[bytes]) -> bytes:
    """The bytes of a row, which may go on in other pages."""
    usable = len(page)
    most = (usable - 12) * 64 // 255 - 23 if indexed else usable - 35
    if length <= most:
        return page[at : at + length]
    if length > _LARGEST:
        raise ValueError("not a row")
    least = (usable - 12) * 32 // 255 - 23
    here = least + (length - least) % (usable - 4)
    here = here if here <= most else least
    parts, left = [page[at : at + here]], length - here
    following = int.from_bytes(page[at + here : at + here + 4], "big")
    while left > 0 and following:
        more = pages[following - 1]
        parts.append(more[4 : 4 + min(left, usable - 4)])
        left -= usable - 4
        following = int.from_bytes(more[:4], "big")
    return b"".join(parts)


def _value(data: bytes, at: int, kind: int) -> tuple[Value, int]:
    """A value of one of SQLite's serial types, and where the next one begins."""
    if kind in (0, 8, 9):
        return (None if kind == 0 else kind - 8), at
    size = (kind - 12) // 2 if kind >= 12 else (0, 1, 2, 3, 4, 6, 8, 8)[kind] if kind < 8 else -1
    part = data[at : at + size]
    if size < 0 or len(part) != size:
        raise ValueError("not a row")
    if kind >= 12:
        return (part.decode() if kind % 2 else part), at + size
    return (struct.unpack(">d", part)[0] if kind == 7 else int.from_bytes(part, "big", signed=True)), at + size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where the next one begins."""
    value = 0
    for _ in range(8):
        value = value << 7 | data[at] & 0x7F
        at += 1
        if data[at - 1] < 0x80:
            return value, at
    return value << 8 | data[at], at + 1
