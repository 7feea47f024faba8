"""The model of every report: tables, each as texts for people and as a frame of figures for CSV and JSON.

Builders (`standings_report`, `run_stats`, `compare`, `ratings`, `league`) make a `Report`; `arena.results.formats`
writes it.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from arena.rounding import half_up
from arena.stats.pairs import HeadToHead

if TYPE_CHECKING:
    import pandas as pd

Rows = Sequence[Mapping[str, Any]]

SIGNIFICANT = 10
"""Significant digits in files: the last ones of a fit depend on the machine and its number of cores."""
_TEXTS = (
    "bot",
    "opponent",
    "variant",
    "against",
    "card",
    "ending",
    "forfeit",
    "unit",
    "author",
    "league",
    "what",
    "state",
    "entry",
    "reason",
    "note",
    "last",
    "remark",
    "score% against",
)
_SHARES = ("score", "share", "los", "played")
_MAYBE_SHARES = ("mean", "difference", "low", "high")
_SPARED = ("elo bound", "flag", "group", "losses", "draws", "wins", "units")


@dataclass(frozen=True)
class Column:
    """A column as people see it.

    left       texts are aligned left, figures right
    ours       its cells hold no text of a stranger and no markup
    measured   a clock measured it: only the terminal shows it, so that equal games give equal files
    """

    head: str
    left: bool = False
    ours: bool = False
    measured: bool = False


@dataclass(frozen=True)
class Table:
    """A table of a report.

    name      its key in JSON and the name of its CSV file
    title     a line that says what it shows, or ""
    columns   what people see of it; none: it is in CSV and JSON only
    rows      texts, one for each column
    note      a sentence below it, or ""
    frame     its figures as they were computed, for CSV and JSON, as a frame or as rows; None: only people see it
    digits    columns of `frame` with a fixed number of digits
    wide      too wide for a terminal
    lines     how many rows a terminal shows, 0 for all
    spared    heads of columns that a narrow terminal does not show, the first to go first
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    frame: pd.DataFrame | Rows | None = None
    digits: Mapping[str, int] = field(default_factory=dict)
    wide: bool = False
    lines: int = 0
    spared: tuple[str, ...] = ()

    @property
    def heads(self) -> list[str]:
        return [column.head for column in self.columns]

    @property
    def alignment(self) -> list[str]:
        """`left` or `right` for each column."""
        return ["left" if column.left else "right" for column in self.columns]

    @property
    def data(self) -> pd.DataFrame:
        """Its figures as a frame, of which one without any is empty."""
        import pandas as pd  # slow to load

        return self.frame if isinstance(self.frame, pd.DataFrame) else pd.DataFrame(list(self.frame or ()))

    def unmeasured(self) -> Table:
        """The table without the columns that a clock measured."""
        kept = [at for at, column in enumerate(self.columns) if not column.measured]
        return replace(
            self,
            columns=tuple(self.columns[at] for at in kept),
            rows=tuple(tuple(row[at] for at in kept) for row in self.rows),
        )


class Code(str):
    """A part of a line to be shown letter by letter, such as a command."""


@dataclass(frozen=True)
class Report:
    """What a command shows, in whatever format.

    heading   a line above the tables, or ""
    remarks   sentences below them
    items     lines below these, in parts, that may hold texts of bots: for the terminal and for Markdown
    values    makes what JSON holds
    """

    heading: str
    tables: Sequence[Table]
    remarks: Sequence[str] = ()
    items: Sequence[Sequence[str]] = ()
    values: Callable[[], Mapping[str, Any]] = dict


def table_of(
    name: str,
    title: str,
    frame: pd.DataFrame,
    note: str = "",
    *,
    people: pd.DataFrame | None = None,
    shares: bool = True,
) -> Table:
    """A table of any frame, its figures rounded for people by the names of their columns.

    `people` is what people see instead of the frame; without columns they see nothing. `shares`: columns such as
    mean and difference hold shares of 1, shown in % as scores always are.
    """
    seen = frame if people is None else people
    names = [str(column) for column in seen.columns]
    heads = [(f"{one} %" if _is_share(one, shares) else one).replace("_", " ") for one in names]
    rows = (tuple(_cell(one, row[one], shares) for one in names) for row in seen.to_dict("records"))
    columns = (Column(head, left=head in _TEXTS) for head in heads)
    return Table(name, title, tuple(columns), tuple(rows), note, frame, spared=_SPARED)


def figures(tables: Iterable[Table]) -> dict[str, list[dict[str, Any]]]:
    """The frames of tables for JSON, by name."""
    return {table.name: records(table.frame) for table in tables if table.frame is not None}


def records(frame: pd.DataFrame | Rows, digits: Mapping[str, int] | None = None) -> list[dict[str, Any]]:
    """The rows of a table for JSON; `digits` of the columns that have a fixed number of them.

    >>> records([{"bot": "a", "elo": float("nan"), "score": 1 / 3}], {"score": 2})
    [{'bot': 'a', 'elo': None, 'score': 0.33}]
    """
    places = digits or {}
    return [
        {
            name: rounded(fixed(name, float(value), places[name]), places[name]) if name in places else plain(value)
            for name, value in row.items()
        }
        for row in rows_of(frame)
    ]


def rows_of(frame: pd.DataFrame | Rows) -> Rows:
    """The rows of a frame, with Python's own numbers."""
    if isinstance(frame, Sequence):
        return frame
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


# ---------------------------------------------------------------- figures


def plain(value: Any) -> Any:
    """A value for JSON: None for what is not known, Python's own numbers (SIGNIFICANT digits) and texts for the rest.

    >>> import numpy as np
    >>> plain(float("nan")), plain(np.int64(3)), plain(np.float64(0.5)), plain("a")
    (None, 3, 0.5, 'a')
    """
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(f"{float(value):.{SIGNIFICANT}g}") + 0.0 if math.isfinite(value) else None
    return None if is_missing(value) else str(value)


def rounded(value: float, digits: int) -> float | None:
    """A number for JSON with so many digits, None for nan and what is infinite."""
    return round(value, digits) + 0.0 if math.isfinite(value) else None


def number(value: float, digits: int, missing: str = "") -> str:
    """A number with fixed digits, without a negative zero.

    >>> number(-0.001, 2), number(12.345, 1), number(float("nan"), 2)
    ('0.00', '12.3', '')
    """
    return missing if math.isnan(value) else f"{value:z.{digits}f}"


def percent(value: float) -> str:
    """A share as a percentage with one digit, without its sign; halves are rounded up.

    >>> percent(0.625), percent(207 / 400), percent(193 / 400), percent(float("nan"))
    ('62.5', '51.8', '48.3', '-')
    """
    return number(100 * half_up(value, 3), 1, "-")


def fixed(column: str, value: float, digits: int) -> float:
    """The value of a column that has a fixed number of digits: shares are rounded as in `percent`."""
    return half_up(value, digits) if _is_share(column, False) else value


def likelihood(value: float) -> str:
    """A likelihood as a percentage; never 0 or 100, for games prove nothing.

    >>> likelihood(0.8183), likelihood(0.99999), likelihood(0.00001)
    ('81.8', '> 99.9', '< 0.1')
    """
    if math.isnan(value):
        return "-"
    return "> 99.9" if value >= 0.9995 else "< 0.1" if value < 0.0005 else percent(value)


def difference_text(head: HeadToHead) -> str:
    """An Elo difference with its error and its 95 % interval, or the bound of a shut-out.

    >>> from arena.stats.pairs import head_to_head
    >>> difference_text(head_to_head([5, 0, 35, 0, 10])), difference_text(head_to_head([1, 0, 0, 0, 0]))
    ('+34.9 ± 60.4 Elo (95 % -25.3 .. +95.5)', '< +511.5 Elo (95 %)')
    """
    if head.flag:
        return f"{head.flag} {head.bound:+z.1f} Elo (95 %)"
    return f"{head.elo:+z.1f} ± {head.elo_error95:.1f} Elo (95 % {head.elo_low:+z.1f} .. {head.elo_high:+z.1f})"


def elo_text(elo: float, flag: str = "") -> str:
    """A rating with its flag.

    >>> elo_text(12.3), elo_text(300.0, ">"), elo_text(float("nan"))
    ('+12', '> +300', '?')
    """
    if math.isnan(elo) or flag == "?":
        return "?"
    return f"{flag} {elo:+z.0f}".lstrip()


def is_missing(value: Any) -> bool:
    """Is it what pandas writes for missing values that are no numbers?"""
    return type(value).__name__ in ("NAType", "NaTType")


def _is_share(column: str, shares: bool) -> bool:
    word = column.split("_")[0]
    return word in _SHARES or (shares and word in _MAYBE_SHARES)


def _cell(column: str, value: Any, shares: bool) -> str:
    if value is None or is_missing(value):
        return "-"
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Integral):
        return str(int(value))
    value = float(value)
    if math.isnan(value):
        return "-"
    if column.startswith("p_"):
        return "< 0.001" if value < 0.001 else number(value, 3)
    if column == "los":
        return likelihood(value)
    if _is_share(column, shares):
        return percent(value)
    if column.startswith(("elo", "nash_elo", "normalized")):
        return number(value, 1) if "error" in column else f"{value:+z.1f}"
    if column.startswith("ms"):
        return "-" if value == 0 else f"{value:.3g}" if value < 100 else f"{value:.0f}"
    return number(value, 2)
