"""The model of every report: tables of figures, and how people see their columns.

Builders (`standings_report`, `run_stats`, `compare`, `ratings`, `league`) make a `Report`; `arena.results.formats`
writes it. A table holds each figure once, as it was computed: CSV and JSON have it so, and a `Column` says by its
`kind` how people see it.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from arena.text import counted, half_up

if TYPE_CHECKING:
    import pandas as pd

    from arena.stats.pairs import HeadToHead

Row: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = Sequence[Row]

SIGNIFICANT = 10
"""Significant digits in files: the last ones of a fit depend on the machine and its number of cores."""


# ---------------------------------------------------------------- figures for people


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


def likelihood(value: float) -> str:
    """A likelihood as a percentage; never 0 or 100, for games prove nothing.

    >>> likelihood(0.8183), likelihood(0.99999), likelihood(0.00001)
    ('81.8', '> 99.9', '< 0.1')
    """
    if math.isnan(value):
        return "-"
    return "> 99.9" if value >= 0.9995 else "< 0.1" if value < 0.0005 else percent(value)


def p_value(value: float) -> str:
    """A p-value with three digits.

    >>> p_value(0.624), p_value(1e-5)
    ('0.624', '< 0.001')
    """
    return "< 0.001" if value < 0.001 else number(value, 3)


def ms_text(value: float, digits: int = 2) -> str:
    """Milliseconds with so many significant digits, '-' if there were none.

    >>> ms_text(0.000347), ms_text(1.5), ms_text(1234.5), ms_text(0.0), ms_text(12.34, 3)
    ('0.00035', '1.5', '1234', '-', '12.3')
    """
    if math.isnan(value) or value == 0:
        return "-"
    return f"{value:.0f}" if value >= 10 ** (digits - 1) else f"{value:.{digits}g}"


def elo_text(row: Row) -> str:
    """The rating of a row with elo, flag, elo_bound, wins, losses and games.

    A bound is shown only if it says who is stronger: "> -47" for a bot that has won all would be read as the opposite.

    >>> won = {"elo": float("nan"), "flag": ">", "elo_bound": 319.0, "wins": 4, "losses": 0, "games": 4}
    >>> elo_text({"elo": 12.3, "flag": ""}), elo_text(won), elo_text(won | {"elo_bound": -108.0})
    ('+12', '> +319', 'won all')
    """
    flag = row["flag"]
    if not flag:
        return f"{row['elo']:+z.0f}"
    if flag != "?" and row["elo_bound"] * (1 if flag == ">" else -1) > 0:
        return f"{flag} {row['elo_bound']:+z.0f}"
    return {row["wins"]: "won all", row["losses"]: "lost all"}.get(row["games"], "?") if row["games"] else "?"


MOST_ERROR = 1000
"""A larger error, in Elo, says nothing and is not shown."""


def error_text(error: float) -> str:
    """The 95% error of a rating.

    >>> error_text(29.6), error_text(1500.0), error_text(float("nan"))
    ('30', '-', '-')
    """
    return f"{error:.0f}" if error <= MOST_ERROR else "-"


def rating_text(row: Row) -> str:
    """A rating with its 95% error, if it has one.

    >>> rating_text({"elo": 12.3, "elo_error95": 30.0, "flag": ""})
    '+12 ± 30'
    """
    error = error_text(row["elo_error95"])
    return elo_text(row) + (f" ± {error}" if error != "-" else "")


def difference_text(head: HeadToHead, against: str = "") -> str:
    """An Elo difference with its error and its 95% interval; of a shut-out (`against` a bot) what it does tell.

    >>> from arena.stats.pairs import head_to_head
    >>> difference_text(head_to_head([5, 0, 35, 0, 10]))
    '+34.9 ± 60.4 Elo (95% -25.3 .. +95.5)'
    >>> print(difference_text(head_to_head([0, 0, 0, 0, 2])))
    won all 4 games, which are too few to rate: it could still be up to 216 Elo weaker (95% confident)
    >>> print(difference_text(head_to_head([10, 0, 0, 0, 0])))
    lost all 20 games: at least 183 Elo weaker (95% confident)
    """
    if head.flag:
        record, better, worse = ("won", "stronger", "weaker") if head.flag == ">" else ("lost", "weaker", "stronger")
        games = f"{record} all {counted(head.games, 'game')}" + (f" against {against}" if against else "")
        elo = f"{abs(head.bound):.0f} Elo"
        if head.bound * (1 if head.flag == ">" else -1) > 0:
            return f"{games}: at least {elo} {better} (95% confident)"
        return f"{games}, which are too few to rate: it could still be up to {elo} {worse} (95% confident)"
    error = f" ± {head.elo_error95:.1f}" if head.elo_error95 <= MOST_ERROR else ""
    return f"{head.elo:+z.1f}{error} Elo (95% {head.elo_low:+z.1f} .. {head.elo_high:+z.1f})"


def record_text(row: Row) -> str:
    """Games won, drawn and lost.

    >>> record_text({"wins": 3, "draws": 0, "losses": 1})
    '3-0-1'
    """
    return f"{row['wins']}-{row['draws']}-{row['losses']}"


# ---------------------------------------------------------------- columns

KINDS: dict[str, Callable[[float], str]] = {
    "text": str,
    "number": lambda value: number(value, 2),
    "fine": lambda value: number(value, 4),
    "share": percent,
    "likelihood": likelihood,
    "p": p_value,
    "elo": lambda value: f"{value:+z.1f}",
    "error": lambda value: number(value, 1),
    "ms": lambda value: ms_text(value, 3),
}
"""Kinds of columns: how a fraction is shown. Texts and whole numbers are shown as they are in each of them."""

COLUMN_KINDS: dict[str, str] = {
    **dict.fromkeys(("bot", "opponent", "variant", "against", "card", "ending", "forfeit", "unit", "note"), "text"),
    **dict.fromkeys(("first", "second"), "text"),
    **dict.fromkeys(("score", "score_low", "score_high", "score_first", "score_second", "score_without"), "share"),
    **dict.fromkeys(("share", "played", "said"), "share"),
    **dict.fromkeys(("error95", "adjusted_score", "adjusted_error95"), "share"),
    **dict.fromkeys(("brier", "brier_error95", "bias", "bias_error95"), "fine"),
    **dict.fromkeys(("mean", "mean_against", "difference", "low", "high"), "share"),
    "los": "likelihood",
    "p_value": "p",
    "p_holm": "p",
    **dict.fromkeys(
        ("elo", "elo_low", "elo_high", "elo_bound", "elo_difference", "normalized_elo", "adjusted_elo"), "elo"
    ),
    **dict.fromkeys(("elo_error95", "elo_difference_error95"), "error"),
    **dict.fromkeys(("ms_mean", "ms_p50", "ms_p99", "ms_max", "ms_total"), "ms"),
}
"""The kind of each statistic, by the name of its column; `number` for those that are not here."""
_ONLY_WIDE = ("elo_bound", "flag", "group", "wins", "draws", "losses", "units")
"""Statistics that a terminal shows only with --wide."""


@dataclass(frozen=True)
class Column:
    """A column as people see it.

    kind      one of KINDS; texts are aligned left, and may be a stranger's
    key       the name of its figure in the rows, if that is not the head
    cell      makes the text out of the whole row instead
    measured  a clock measured it: only the terminal shows it, so that equal games give equal files
    more      a terminal shows it only with --wide
    """

    head: str
    kind: str = "number"
    key: str = ""
    cell: Callable[[Row], str] | None = None
    measured: bool = False
    more: bool = False

    @property
    def left(self) -> bool:
        return self.kind == "text"

    def text(self, row: Row) -> str:
        """What people see of a row."""
        if self.cell is not None:
            return self.cell(row)
        value = row[self.key or self.head]
        if value is None or is_missing(value):
            return "-"
        if isinstance(value, str):
            return value
        if isinstance(value, numbers.Integral):
            return str(int(value))
        return "-" if math.isnan(value) else KINDS[self.kind](float(value))


def column_of(name: str, kind: str | None = None) -> Column:
    """The column of a statistic, by its name in the frame.

    >>> column_of("score_low").head, column_of("los").text({"los": 0.75})
    ('score low %', '75.0')
    """
    kind = kind or COLUMN_KINDS.get(name, "number")
    head = name.replace("_", " ") + (" %" if kind in ("share", "likelihood") else "")
    return Column(head, kind, name, more=name in _ONLY_WIDE)


# ---------------------------------------------------------------- tables


@dataclass(frozen=True)
class Table:
    """A table of a report.

    name      its key in JSON and the name of its CSV file
    title     a line that says what it shows, or ""
    columns   what people see of it; none: it is in CSV and JSON only
    figures   its rows as they were computed, for CSV and JSON; None: only people see it
    note      a sentence below it, or ""
    shown     rows for people if they are others than the figures
    keys      names of the figures, for a table that may have no rows
    digits    columns of `figures` with a fixed number of digits
    wide      too wide for a terminal
    lines     how many rows a terminal shows, 0 for all
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    figures: pd.DataFrame | Rows | None = None
    note: str = ""
    shown: Rows | None = None
    keys: tuple[str, ...] = ()
    digits: Mapping[str, int] = field(default_factory=dict)
    wide: bool = False
    lines: int = 0

    @cached_property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """What people see: a text for each column."""
        return tuple([tuple([column.text(row) for column in self.columns]) for row in self.people])

    @property
    def people(self) -> Rows:
        """The rows of which people see the columns."""
        return rows_of(() if self.figures is None else self.figures) if self.shown is None else self.shown

    @property
    def heads(self) -> list[str]:
        return [column.head for column in self.columns]

    @property
    def data(self) -> pd.DataFrame:
        """Its figures as a frame, which is empty if it has none."""
        import pandas as pd  # slow to load

        return self.figures if isinstance(self.figures, pd.DataFrame) else pd.DataFrame(list(self.figures or ()))

    def unmeasured(self) -> Table:
        """The table without the columns that a clock measured."""
        return replace(self, columns=tuple(column for column in self.columns if not column.measured))


class Code(str):
    """A part of a line to be shown letter by letter, such as a command."""


@dataclass(frozen=True)
class Report:
    """What a command shows, in whatever format.

    heading   a line above the tables, or ""
    remarks   sentences below them
    items     lines below these, in parts, that may hold texts of bots: for the terminal and for Markdown
    values    makes what JSON holds
    answer    sentences between the heading and the tables: what the figures say
    """

    heading: str
    tables: Sequence[Table]
    remarks: Sequence[str] = ()
    items: Sequence[Sequence[str]] = ()
    values: Callable[[], Mapping[str, Any]] = dict
    answer: Sequence[str] = ()


def by_variant(reports: Mapping[str, Report]) -> Report:
    """Join the reports of all variants; names and titles of tables begin with the variant.

    JSON has the values of each report under `variants`, by rule set.
    """
    tables = [
        replace(table, name=f"{variant}.{table.name}", title=f"{variant}: {table.title}" if table.title else variant)
        for variant, report in reports.items()
        for table in report.tables
    ]
    remarks = [f"{variant}: {remark}" for variant, report in reports.items() for remark in report.remarks]
    items = [(f"{variant}: ", *item) for variant, report in reports.items() for item in report.items]
    heading = "\n".join(report.heading for report in reports.values())
    values = {variant: report.values for variant, report in reports.items()}
    made = lambda: {"variants": {name: make() for name, make in values.items()}}  # noqa: E731
    return Report(heading, tables, remarks, items, made)


def table_of(
    name: str,
    title: str,
    frame: pd.DataFrame,
    note: str = "",
    *,
    columns: Sequence[str] | None = None,
    kinds: Mapping[str, str] | None = None,
) -> Table:
    """A table of statistics, of which people see `columns` (None: all, none: the table is in files only).

    `kinds` are those of columns that mean something else here than in COLUMN_KINDS.
    """
    names = [str(column) for column in frame.columns] if columns is None else columns
    shown = tuple(column_of(column, (kinds or {}).get(column)) for column in names)
    return Table(name, title, shown, frame, note)


def table_values(tables: Iterable[Table]) -> dict[str, list[dict[str, Any]]]:
    """The figures of tables for JSON, by name."""
    return {table.name: records(table.figures) for table in tables if table.figures is not None}


def records(figures: pd.DataFrame | Rows, digits: Mapping[str, int] | None = None) -> list[dict[str, Any]]:
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
        for row in rows_of(figures)
    ]


def rows_of(figures: pd.DataFrame | Rows) -> Rows:
    """The rows of a table, with Python's own numbers."""
    if isinstance(figures, Sequence):
        return figures
    return [{str(name): value for name, value in row.items()} for row in figures.to_dict("records")]


# ---------------------------------------------------------------- figures for files


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


def fixed(column: str, value: float, digits: int) -> float:
    """The value of a column that has a fixed number of digits: shares are rounded as in `percent`."""
    return half_up(value, digits) if COLUMN_KINDS.get(column) in ("share", "likelihood") else value


def is_missing(value: Any) -> bool:
    """Whether it is what pandas writes for missing values that are not numbers."""
    return type(value).__name__ in ("NAType", "NaTType")
