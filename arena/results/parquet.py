"""Write games and decisions as Parquet, for pandas, polars and DuckDB. Needs pyarrow, the extra `data`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.whole_file import whole_file

PARQUET = ".parquet"
_ROWS_AT_ONCE = 20_000  # per group: about 40 MB in memory
_FRACTIONS = {"score", "ms", "note_value"}
_TEXTS = {
    *("rules", "first", "second", "ending", "forfeit", "forfeit_by", "detail", "record"),
    *("bot", "opponent", "phase", "moves", "move", "hand", "hand_opponent", "mine", "theirs"),
    *("owners", "modes", "beside", "beside_opponent", "pending", "note_text", "note_numbers"),
}


class ParquetError(ArenaError):
    """Parquet cannot be written or read here."""


def load_pyarrow(path: Path) -> Any:
    """Return the module pyarrow.parquet. Raise ParquetError, with the name of the file, if it is not installed."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise ParquetError(
            f"{path}: Parquet needs pyarrow, which is not installed: pip install 'schotten-arena[data]'"
        ) from None
    return pyarrow.parquet


def write_parquet(rows: Iterator[tuple[Any, ...]], meanings: Mapping[str, str], path: Path) -> int:
    """Write rows with these columns into a file, atomically, and return their number.

    Whole numbers are int64, others float64; None is null. The file holds the meanings as well. Equal rows give equal
    bytes with the same version of pyarrow. Raise ExportError or ParquetError.
    """
    parquet = load_pyarrow(path)
    import pyarrow as pa

    types = {name: pa.string() for name in _TEXTS} | {name: pa.float64() for name in _FRACTIONS}
    schema = pa.schema(
        [pa.field(name, types.get(name, pa.int64()), metadata={"meaning": text}) for name, text in meanings.items()]
    )
    number = 0
    try:
        with whole_file(path) as file, parquet.ParquetWriter(file, schema, compression="zstd") as writer:
            while part := list(islice(rows, _ROWS_AT_ONCE)):
                columns = [pa.array(values, field.type) for values, field in zip(zip(*part), schema)]
                writer.write_table(pa.Table.from_arrays(columns, schema=schema), row_group_size=_ROWS_AT_ONCE)
                number += len(part)
    except UnicodeEncodeError as error:
        raise ParquetError(f"cannot write {path}: {error.object!a} is not valid text") from None
    return number


def read_parquet(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file. Raise ParquetError for a damaged file."""
    parquet = load_pyarrow(path)
    import pyarrow as pa

    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches():
                yield from batch.to_pylist()
    except pa.ArrowException as error:
        raise ParquetError(f"cannot read {path}: {error}") from None
