"""Tables of our databases: what each column holds, and how a row shows that it is the one that was written.

Every row has a checksum, and `totals` has the number of rows of each table and the sum of their checksums. So a value
that has changed is noticed, and so is a row that is missing. Databases of format 1 have neither; what they hold is
checked by type and bounds only, as is everything else.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress, pairwise
from typing import Any
from zlib import crc32

SUM_MASK = (1 << 62) - 1  # sums stay integers to SQLite
LARGEST = 1 << 62
_LAST_SECOND = 253_402_300_799.0  # of the year 9999
_LONGEST_TIME = 1e12

TOTALS = "totals"
TOTALS_TABLE = f"""CREATE TABLE {TOTALS} (
    what TEXT PRIMARY KEY, rows INTEGER NOT NULL, total INTEGER NOT NULL, checksum INTEGER) WITHOUT ROWID"""


class Damage(Exception):
    """A row is not what was written; the text names the place."""


@dataclass(frozen=True)
class Table:
    """A table. `columns` are its columns and their kinds, those of the key first.

    Kinds are `whole`, `real`, `time` (seconds since 1970), `text`, `json` (a table), `bytes`; with `?` also NULL.
    `sql` makes it, with `{checksum}` where the column of that name goes from format 2 on. `refers` names the table
    whose first column a column must occur in. `since` is the first format that has the table.
    """

    name: str
    columns: Mapping[str, str]
    sql: str
    key: int = 1
    refers: Mapping[str, str] = field(default_factory=dict)
    since: int = 1

    def statement(self, sealed: bool) -> str:
        """What makes the table, with or without checksums."""
        return self.sql.format(checksum=", checksum INTEGER" if sealed else "")

    @property
    def sealed_columns(self) -> list[str]:
        """The columns that the checksum is made from: bytes have a hash of their own."""
        return [name for name, kind in self.columns.items() if kind != "bytes"]

    def place(self, row: tuple[Any, ...]) -> str:
        """What a message calls a row."""
        return f"{self.name} {'/'.join(ascii(part)[:40] for part in row[: self.key])}"


def row_checksum(*values: object) -> int:
    """CRC-32 of the name of a table and the values of a row, written as a Python tuple in ASCII.

    >>> row_checksum("bots", 0, "greedy", None, 1.5)
    791030749
    """
    return crc32(ascii(values).encode("ascii"))


def read_rows(db: sqlite3.Connection, table: Table, sealed: bool, where: str = "", *args: object) -> list[Any]:
    """The rows of a table (or of those `where` something holds), ordered by key, each checked. Raises Damage.

    To be called in a transaction if others write: without `where` the number of rows is compared with the total.
    """
    columns = ", ".join([*table.columns, *["checksum"] * sealed])
    found = db.execute(f"SELECT {columns} FROM {table.name} NOT INDEXED {where}", args).fetchall()
    rows = [row[: len(table.columns)] for row in found]
    whole = set(table.columns.values()) == {"whole"}
    whole = whole and all(_are_whole(column) for column in zip(*rows))  # as pairings are, which are many
    if not whole:
        for row in rows:
            _check_types(table, row)
    if sealed:
        name, kinds = table.name, table.columns.values()
        bare = [tuple(compress(row, [kind != "bytes" for kind in kinds])) for row in rows] if "bytes" in kinds else rows
        text = f"({name!a}, {', '.join(['%d'] * len(bare[0]))})".encode("ascii") if whole and rows else b""
        for row, values in zip(found, bare):
            if row[-1] != crc32(text % values if text else ascii((name, *values)).encode("ascii")):
                raise Damage(f"{table.place(row)} is not as it was written")
        if not where:
            check_total(db, table.name, len(found), sum(row[-1] for row in found))
    rows.sort(key=lambda row: row[: table.key])
    for one, two in pairwise(rows):
        if one[: table.key] == two[: table.key]:
            raise Damage(f"{table.place(one)} is there twice")
    return rows


def _are_whole(column: Sequence[Any]) -> bool:
    """Are all values whole numbers as every kind of column for them takes them?"""
    return set(map(type, column)) == {int} and min(column) >= 0 and max(column) <= LARGEST


def stored_total(db: sqlite3.Connection, table: str) -> tuple[int, int]:
    """Number of rows of a table, and the sum of their checksums. Raises Damage."""
    sql = f"SELECT rows, total, checksum FROM {TOTALS} WHERE what = ?"
    for rows, total, checksum in db.execute(sql, (table,)):
        if checksum == row_checksum(TOTALS, table, rows, total) and type(rows) is type(total) is int:
            return rows, total
    raise Damage(f"the number of {table} is not as it was written")


def check_total(db: sqlite3.Connection, table: str, rows: int, total: int) -> None:
    """Damage unless so many rows with this sum of checksums are all that were stored."""
    stored, wanted = stored_total(db, table)
    if stored != rows:
        raise Damage(f"{stored} {table} were stored, {rows} are there")
    if total & SUM_MASK != wanted:
        raise Damage(f"{table} are not those that were stored")


def _check_types(table: Table, row: tuple[Any, ...]) -> None:
    for (name, kind), value in zip(table.columns.items(), row):
        if value is None and kind.endswith("?"):
            continue
        if not _KINDS[kind.removesuffix("?")](value):
            raise Damage(f"{table.place(row)}: {name} cannot be {_shown(value)}")


def _shown(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _is_json(value: object) -> bool:
    try:
        return type(value) is str and type(json.loads(value)) is dict
    except (ValueError, RecursionError):
        return False


_KINDS: dict[str, Callable[[Any], bool]] = {
    "whole": lambda value: type(value) is int and 0 <= value <= LARGEST,
    "real": lambda value: type(value) is float and math.isfinite(value) and abs(value) < _LONGEST_TIME,
    "time": lambda value: type(value) is float and 0 <= value <= _LAST_SECOND,
    "text": lambda value: type(value) is str,
    "json": _is_json,
    "bytes": lambda value: type(value) is bytes,
}


def check_references(rows: Mapping[str, list[Any]], tables: Mapping[str, Table]) -> None:
    """Damage if a row refers to another one that is not there."""
    keys = {name: {row[0] for row in found} for name, found in rows.items()}
    for name, found in rows.items():
        columns = list(tables[name].columns)
        for column, other in tables[name].refers.items():
            at = columns.index(column)
            for row in found:
                if row[at] is not None and row[at] not in keys[other]:
                    raise Damage(f"{tables[name].place(row)}: there is no {column} {_shown(row[at])} in {other}")


# ---------------------------------------------------------------- keeping checksums


def keep_checksums(db: sqlite3.Connection, tables: tuple[Table, ...]) -> None:
    """Have this connection set checksums and totals whenever it changes a row of one of these tables."""
    db.create_function("row_checksum", -1, row_checksum, deterministic=True)
    for table in tables:
        for when, body in _triggers(table).items():
            # of the connection, not of the file: nothing that is stored is ever run
            name = f"{table.name}_{when.split()[0].lower()}"
            db.execute(f"CREATE TEMP TRIGGER {name} AFTER {when} ON main.{table.name} BEGIN {body} END")
    db.execute(
        f"CREATE TEMP TRIGGER {TOTALS}_update AFTER UPDATE OF rows, total ON main.{TOTALS} BEGIN"
        f" UPDATE {TOTALS} SET checksum = row_checksum('{TOTALS}', what, rows, total) WHERE what = new.what; END"
    )


def _triggers(table: Table) -> dict[str, str]:
    """What is done after each kind of change."""
    name, columns = table.name, ", ".join(table.sealed_columns)
    here = " AND ".join(f"{key} = new.{key}" for key in list(table.columns)[: table.key])
    seal = f"UPDATE {name} SET checksum = row_checksum('{name}', {columns}) WHERE {here};"
    add = f"(total + (SELECT checksum FROM {name} WHERE {here})) & {SUM_MASK}"
    drop = f"(total - old.checksum) & {SUM_MASK}"
    total, where = f"UPDATE {TOTALS} SET", f"WHERE what = '{name}';"
    return {
        "INSERT": f"{seal} {total} rows = rows + 1, total = {add} {where}",
        f"UPDATE OF {columns}": f"{total} total = {drop} {where} {seal} {total} total = {add} {where}",
        "DELETE": f"{total} rows = rows - 1, total = {drop} {where}",
    }


def begin_totals(db: sqlite3.Connection, names: list[str]) -> None:
    """Totals of tables without rows."""
    db.executemany(
        f"INSERT INTO {TOTALS} VALUES (?, 0, 0, ?)", [(name, row_checksum(TOTALS, name, 0, 0)) for name in names]
    )
