"""Tables of a report: rows of plain values, columns that say how they are shown, and what files hold.

Builders (`standings_report`, `run_stats`, `variant_report`, `league`) make a `Report` of `Table`s, which `formats`
turns into text.
"""

from __future__ import annotations

import csv
import io
import math
import numbers
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from arena.endings import ForfeitKind
from arena.errors import ArenaError
from arena.stats.pairs import HeadToHead
from arena.text import counted, half_up, plain_json, spreadsheet_cell
from arena.tournament.forfeits import ForfeitReason, ForfeitSummary
from arena.whole_file import make_folder, whole_file, write_whole

if TYPE_CHECKING:
    import pandas as pd

TableRow: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = Sequence[TableRow]


# ---------------------------------------------------------------- values as text


def number(value: float, digits: int, missing: str = "") -> str:
    """Return a number with fixed digits, without a negative zero; what is not finite is missing.

    >>> number(-0.001, 2), number(12.345, 1), number(float("nan"), 2), number(float("inf"), 2)
    ('0.00', '12.3', '', '')
    """
    return missing if not math.isfinite(value) else f"{value:z.{digits}f}"


def percent(value: float) -> str:
    """Return a share as a percentage with one digit, without its sign; halves are rounded up.

    >>> percent(0.625), percent(207 / 400), percent(193 / 400), percent(float("nan"))
    ('62.5', '51.8', '48.3', '-')
    """
    return number(100 * half_up(value, 3), 1, "-")


def likelihood(value: float) -> str:
    """Return a likelihood as a percentage; never 0 or 100, for games prove nothing.

    >>> likelihood(0.8183), likelihood(0.99999), likelihood(0.00001)
    ('81.8', '> 99.9', '< 0.1')
    """
    if math.isnan(value):
        return "-"
    return "> 99.9" if value >= 0.9995 else "< 0.1" if value < 0.0005 else percent(value)


def chance_text(value: float) -> str:
    """Return a likelihood for a sentence.

    >>> chance_text(0.8183), chance_text(0.99999), chance_text(0.00001)
    ('81.8%', 'over 99.9%', 'under 0.1%')
    """
    return likelihood(value).replace("> ", "over ").replace("< ", "under ") + "%"


def p_value(value: float) -> str:
    """Return a p-value with three digits.

    >>> p_value(0.624), p_value(1e-5)
    ('0.624', '< 0.001')
    """
    return "< 0.001" if value < 0.001 else number(value, 3)


def ms_text(value: float, digits: int = 2) -> str:
    """Return milliseconds with `digits` significant digits, '-' if there were none.

    >>> ms_text(0.000347), ms_text(1.5), ms_text(1234.5), ms_text(0.0), ms_text(12.34, 3)
    ('0.00035', '1.5', '1234', '-', '12.3')
    """
    if math.isnan(value) or value == 0:
        return "-"
    return f"{value:.0f}" if value >= 10 ** (digits - 1) else f"{value:.{digits}g}"


MOST_ERROR = 1000
"""A larger error, in Elo, is meaningless and not shown."""


def side_text(side: float | None) -> str:
    """Return how far the 95% interval of a rating reaches to one side.

    >>> side_text(29.6), side_text(float("inf")), side_text(float("nan")), side_text(None)
    ('30', '∞', '-', '-')
    """
    return "-" if side is None or math.isnan(side) else "∞" if math.isinf(side) else f"{side:.0f}"


def rating_text(elo: float | None, plus: float | None, minus: float | None) -> str:
    """Return a rating with how far its 95% interval reaches up and down, if that is known.

    >>> rating_text(12.3, 30.1, 29.8), rating_text(-674.2, 225.0, float("inf")), rating_text(5.0, None, None)
    ('+12 ± 30', '-674 (+225 -∞)', '+5')
    """
    if elo is None or math.isnan(elo):
        return "-"
    up, down = side_text(plus), side_text(minus)
    sides = "" if "-" in (up, down) else f" ± {up}" if up == down else f" (+{up} -{down})"
    return f"{elo:+z.0f}{sides}"


def difference_text(head: HeadToHead, against: str = "") -> str:
    """Return an Elo difference with its error and 95% interval, if they are known.

    For a shut-out (`against` a bot), there is only a bound.

    >>> from arena.stats.pairs import head_to_head
    >>> difference_text(head_to_head([5, 0, 35, 0, 10]))
    '+34.9 ± 60.4 Elo (95% -25.3 .. +95.5)'
    >>> print(difference_text(head_to_head([0, 0, 0, 0, 2])))
    won all 4 games, too few games to rate: it could still be up to 216 Elo weaker (95% confident)
    >>> print(difference_text(head_to_head([10, 0, 0, 0, 0])))
    lost all 20 games: at least 183 Elo weaker (95% confident)
    """
    if head.flag:
        record, better, worse = ("won", "stronger", "weaker") if head.flag == ">" else ("lost", "weaker", "stronger")
        games = f"{record} all {counted(head.games, 'game')}" + (f" against {against}" if against else "")
        elo = f"{abs(head.bound):.0f} Elo"
        if head.bound * (1 if head.flag == ">" else -1) > 0:
            return f"{games}: at least {elo} {better} (95% confident)"
        return f"{games}, too few games to rate: it could still be up to {elo} {worse} (95% confident)"
    error = f" ± {head.elo_error95:.1f}" if head.elo_error95 <= MOST_ERROR else ""
    if math.isnan(head.elo_low):
        return f"{head.elo:+z.1f} Elo"
    return f"{head.elo:+z.1f}{error} Elo (95% {head.elo_low:+z.1f} .. {head.elo_high:+z.1f})"


def tally_text(row: TableRow) -> str:
    """Return games won, drawn and lost.

    >>> tally_text({"wins": 3, "draws": 0, "losses": 1})
    '3-0-1'
    """
    return f"{row['wins']}-{row['draws']}-{row['losses']}"


# ---------------------------------------------------------------- columns

_KINDS: dict[str, Callable[[float], str]] = {
    "text": str,
    "name": str,
    "number": lambda value: number(value, 2),
    "share": percent,
    "likelihood": likelihood,
    "p": p_value,
    "elo": lambda value: f"{value:+z.1f}",
    "error": lambda value: number(value, 1),
    "whole elo": lambda value: f"{value:+z.0f}",
    "side": side_text,
    "ms": lambda value: ms_text(value, 3),
}
"""How each kind of column shows a fraction. All kinds show texts and whole numbers as they are."""

ALWAYS, WIDE, MEASURED = "always", "wide", "clock"
"""Where a column is shown: everywhere; on a terminal only with --print wide; only on a terminal with --print wide."""


@dataclass(frozen=True)
class Column:
    """A column as it is shown.

    kind     one of _KINDS; texts are aligned left and may come from strangers; a name, which is typed, is never cut
    key      the name of its value in the rows, if it differs from the head
    cell     makes the text from the whole row instead
    where    ALWAYS, WIDE or MEASURED: what a clock measured is left out of pages, so that equal games give equal pages
    digits   of its value in files; None: as it was computed
    meaning  for readers of files and frames
    """

    head: str
    kind: str = "number"
    key: str = ""
    cell: Callable[[TableRow], str] | None = None
    where: str = ALWAYS
    digits: int | None = None
    meaning: str = ""

    @property
    def left(self) -> bool:
        """Whether the column is aligned left."""
        return self.kind in ("text", "name")

    def text(self, row: TableRow) -> str:
        """Return the cell of a row."""
        if self.cell is not None:
            return self.cell(row)
        value = row[self.key or self.head]
        if isinstance(value, str):
            return value
        if value is None or math.isnan(value):
            return "-"
        return str(int(value)) if isinstance(value, int) else _KINDS[self.kind](value)


_MEANINGS: dict[str, dict[str, str]] = {
    "text": {
        "bot": "name of the bot",
        "opponent": "name of the opponent",
        "author": "author of a league's bot, empty if it has none",
        "unit": "what counts as one piece of evidence: 'pairs', or 'games' if there are no pairs",
        "flag": "'' for an estimate; '>' or '<' for a bound only: every game was won, or lost",
        "kind": "kind of forfeit; 'end' for a failure after games, whose results stand",
        "reason": "the most frequent reason, in a line; empty if it is not known",
        "game": "name of the first of these games, as `arena replay` takes it; empty if it is not known",
        **dict.fromkeys(("variant", "against", "card", "ending", "forfeit", "remark"), ""),
    },
    "number": {
        "rank": "rank: by the format in swiss, knockout and series, otherwise by Elo",
        "games": "games played; with an opponent, those between the two",
        "wins": "games won",
        "draws": "games drawn",
        "losses": "games lost",
        "points": "sum of match points: 5 for a game won, otherwise one per stone",
        "points_against": "sum of the opponent's match points",
        "stones": "sum of stones won",
        "mean_turns": "mean length of the bot's games, in turns of both players",
        "forfeits": "games that the bot lost by forfeit, in all and by kind",
        **{kind.column: kind.meaning for kind in ForfeitKind},
        "group": "ratings compare within a group of bots linked by games; usually there is one, number 0",
        "units": "number of these units",
        "units_needed": "more pairs (games) needed for the requested elo_error95; missing if not known",
        "decisions": "decisions that the bot made",
        **dict.fromkeys(("version", "format_points", "end_faults", "buchholz", "point_difference"), ""),
    },
    "share": {
        "score": "mean points per game: 1 won, 1/2 drawn, 0 lost",
        "score_first": "mean points per game in the games that the bot began",
        **dict.fromkeys(("score_low", "score_high", "score_second", "score_without", "share", "played", "error95"), ""),
        **dict.fromkeys(
            ("adjusted_score", "adjusted_error95", "mean", "mean_against", "difference", "low", "high"), ""
        ),
    },
    "likelihood": {"los": "likelihood that the bot is the stronger one, 0..1"},
    "p": {"p_value": "", "p_holm": ""},
    "elo": {
        "elo": "rating in Elo relative to the field's average (0), or to an anchor; empty without games",
        "elo_low": "lower end of the interval; if every game was won, a one-sided 95% bound",
        "elo_high": "upper end of the interval; if every game was lost, a one-sided 95% bound",
        "elo_difference": "rating of the bot minus that of the opponent, Elo",
        "normalized_elo": "the difference in standard deviations of a game, times 800/ln 10",
        **dict.fromkeys(("adjusted_elo", "elo_change", "elo_before", "most_moved_by"), ""),
    },
    "error": {"elo_error95": "the longer side of the rating's 95% interval, clustered by deal; 0 for an anchor"},
    "side": {
        "elo_plus": "how far the interval reaches up; empty without an end, and on fewer than 10 deals",
        "elo_minus": "how far it reaches down, likewise",
        "elo_difference_plus": "how far the 95% interval of that difference reaches up, Elo; infinite without an end",
        "elo_difference_minus": "how far it reaches down",
    },
    "ms": {
        "ms_mean": "mean thinking time per decision, ms",
        "ms_p50": "median of decisions, ms (within 10%)",
        "ms_p99": "99% of decisions take less, ms (within 10%)",
        "ms_max": "longest decision, ms",
        "ms_total": "total thinking time, ms",
    },
}
"""Columns by their kinds, with what those mean that files and frames explain."""
_HEADS = {
    "rank": "#",
    "elo": "Elo",
    "version": "v",
    "score_first": "first%",
    "format_points": "pts",
    **{name: "+" if name.endswith("plus") else "-" for name in _MEANINGS["side"]},
    "buchholz": "Buchholz",
    "point_difference": "points +/-",
    "elo_difference": "Elo difference",
}
_ONLY_WIDE = ("flag", "group", "wins", "draws", "losses", "units")
_DIGITS = {"mean_turns": 3, "format_points": 1}
_DIGITS_OF_KIND = {"share": 4, **dict.fromkeys(("elo", "error", "side"), 2)}

COLUMNS = {
    name: Column(
        _HEADS.get(name, name.replace("_", " ") + ("%" if kind in ("share", "likelihood") else "")),
        kind,
        name,
        where=WIDE if name in _ONLY_WIDE else ALWAYS,
        digits=_DIGITS.get(name, _DIGITS_OF_KIND.get(kind)),
        meaning=meaning,
    )
    for kind, meanings in _MEANINGS.items()
    for name, meaning in meanings.items()
}
"""The columns of results, by their names in files and frames: how they are shown and rounded, and what they mean."""

RATED_COLUMNS = ("elo", "elo_error95", "elo_plus", "elo_minus", "games", "wins", "draws", "losses", "score")
"""The figures of a bot in every table of ratings."""
RATING_COLUMNS = ("rank", "bot", *RATED_COLUMNS, "group")
"""Columns of ratings alone."""
RATING = (replace(COLUMNS["elo"], kind="whole elo"), COLUMNS["elo_plus"], COLUMNS["elo_minus"])
"""A rating and how far its 95% interval reaches up and down."""
TALLY = Column("W-D-L", cell=tally_text, where=WIDE)
SIDES = "+ and - say how far the 95% interval reaches up and down"


def columns_of(names: Sequence[str]) -> list[Column]:
    """Return the columns of statistics by their names; one that is not registered is a plain number.

    >>> [column.head for column in columns_of(["rank", "score_low", "length"])]
    ['#', 'score low%', 'length']
    >>> columns_of(["los"])[0].text({"los": 0.75})
    '75.0'
    """
    return [COLUMNS.get(name) or Column(name.replace("_", " "), key=name) for name in names]


def meanings(names: Sequence[str]) -> dict[str, str]:
    """Return what columns mean, by their names."""
    return {name: COLUMNS[name].meaning for name in names}


# ---------------------------------------------------------------- tables


@dataclass(frozen=True)
class Table:
    """A table of a report.

    name      its key in JSON and the name of its CSV file
    title     one line above it, or ""
    rows      its values by name, as they were computed; None and nan are missing values
    columns   what is shown; without columns it is only in CSV and JSON
    files     the names of the values in CSV and JSON; without names it is only shown
    note      a sentence below it, or ""
    lines     the number of rows on a terminal: None for all
    variant   the variant of a comparison that it is about, or ""
    """

    name: str
    title: str
    rows: Rows
    columns: Sequence[Column] = ()
    files: Sequence[str] = ()
    note: str = ""
    lines: int | None = None
    variant: str = ""

    @cached_property
    def cells(self) -> Sequence[Sequence[str]]:
        """What is shown: the text of each row and column."""
        return [[column.text(row) for column in self.columns] for row in self.rows]

    @property
    def heads(self) -> list[str]:
        """The heads of what is shown."""
        return [column.head for column in self.columns]

    def frame(self) -> pd.DataFrame:
        """Return what files hold as a frame."""
        import pandas as pd  # slow to load

        return pd.DataFrame(list(self.rows), columns=list(self.files))

    def unmeasured(self) -> Table:
        """Return the table without the columns that a clock measured."""
        return replace(self, columns=[column for column in self.columns if column.where != MEASURED])


def table_of(
    name: str,
    title: str,
    frame: pd.DataFrame,
    note: str = "",
    *,
    columns: Sequence[str] | None = None,
    kinds: Mapping[str, str] | None = None,
) -> Table:
    """Return a frame of statistics as a table that shows `columns` (None: all, none: the table is in files only).

    `kinds` has the kinds of columns that mean something else here than in COLUMNS.
    """
    names = [str(column) for column in frame.columns]
    shown = columns_of(names if columns is None else columns)
    for place, column in enumerate(shown):
        if kinds and column.key in kinds:
            shown[place] = replace(column, kind=kinds[column.key], head=column.head.removesuffix("%"))
    return Table(name, title, rows_of(frame), shown, names, note=note)


def rows_of(frame: pd.DataFrame) -> Rows:
    """Return the rows of a frame as plain Python values, with None for pandas' own missing values."""
    return [
        {str(name): None if type(value).__name__ in ("NAType", "NaTType") else value for name, value in row.items()}
        for row in frame.to_dict("records")
    ]


# ---------------------------------------------------------------- reports


@dataclass(frozen=True)
class Report:
    """What a command prints, in any format.

    heading   a line above the tables, or ""
    remarks   sentences below them
    about     plain values that say what the tables are about, for JSON
    answer    sentences between the heading and the tables: the conclusion from the figures
    forfeits  who forfeited games that the report is about, by variant ("" where there are none)
    next      what to do next, with a command that works, or ""
    """

    heading: str
    tables: Sequence[Table]
    remarks: Sequence[str] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    answer: Sequence[str] = ()
    forfeits: Mapping[str, ForfeitSummary] = field(default_factory=dict)
    next: str = ""

    @property
    def stored(self) -> list[Table]:
        """The tables of files and JSON, with that of the forfeits; those of all variants in one."""
        tables = [table for table in self.tables if table.files]
        tables += [
            Table("forfeits", "", forfeits.values(), files=ForfeitReason._fields, variant=variant)
            for variant, forfeits in self.forfeits.items()
        ]
        found: dict[str, list[Table]] = {}
        for table in tables:
            found.setdefault(table.name, []).append(table)
        return [_of_variants(parts) if parts[0].variant else parts[0] for parts in found.values()]


def _of_variants(tables: Sequence[Table]) -> Table:
    """Return the tables of all variants as one, with the variant in the first column."""
    files = dict.fromkeys(["variant", *(name for table in tables for name in table.files)])
    missing = dict.fromkeys(files)
    rows = [missing | dict(row) | {"variant": table.variant} for table in tables for row in table.rows]
    return replace(tables[0], rows=rows, files=tuple(files))


def by_variant(reports: Mapping[str, Report]) -> Report:
    """Join the reports of all variants; titles of tables and sentences begin with the variant.

    In files and JSON a table has the rows of all variants. What has no variants, "" alone, is as it was.
    """
    if "" in reports:
        return reports[""]
    tables = [
        replace(table, variant=variant, title=f"{variant}: {table.title}" if table.title else variant)
        for variant, report in reports.items()
        for table in report.tables
    ]
    remarks = [f"{variant}: {remark}" for variant, report in reports.items() for remark in report.remarks]
    heading = "\n".join(report.heading for report in reports.values())
    about = {"variants": {variant: report.about for variant, report in reports.items()}}
    forfeits = {variant: summary for variant, report in reports.items() for summary in report.forfeits.values()}
    answer = [f"{variant}: {line}" for variant, report in reports.items() for line in report.answer]
    return Report(heading, tables, remarks, about, answer, forfeits)


# ---------------------------------------------------------------- files: the same values with the same digits


SIGNIFICANT = 10
"""Significant digits in files: the last ones of a fit depend on the machine and its number of cores."""
WORKBOOK = ".xlsx"
_MOST_ROWS = 1_048_576  # that a sheet can hold
_LONGEST_SHEET = 31
_LARGEST = 10**15  # Excel would round a larger number, such as the seed of a deal
_NOT_IN_SHEETS = re.compile(r"[\[\]:*?/\\']")
_MADE = datetime(2000, 1, 1)  # equal tables give equal bytes


def json_text(values: Mapping[str, Any]) -> str:
    """Return JSON with a line end, and null for what is not known; never NaN, which JSON does not have."""
    return plain_json(_finite(values)) + "\n"


def _finite(value: Any) -> Any:
    """Replace numbers that are not finite with None.

    >>> _finite({"elo": [float("nan"), 1.5]})
    {'elo': [None, 1.5]}
    """
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def report_values(report: Report) -> dict[str, Any]:
    """Return what JSON has of a report: what it is about, the rows of its tables by their names, and its sentences."""
    tables = {table.name: records(table) for table in report.stored}
    return {"about": dict(report.about), "tables": tables, "notes": [*report.answer, *report.remarks]}


def records(table: Table) -> list[dict[str, Any]]:
    """Return the rows of a table for JSON.

    >>> records(Table("t", "", [{"elo": float("nan"), "score": 1 / 3, "h": 1 / 3}], files=["elo", "score", "h"]))
    [{'elo': None, 'score': 0.3333, 'h': 0.3333333333}]
    """
    return [{name: file_value(name, row[name]) for name in table.files} for row in table.rows]


def file_value(name: str, value: Any) -> Any:
    """Return a value as all files have it: with the digits of its column, None for what is not known or infinite."""
    digits = _digits(name)
    if digits is None or value is None or not math.isfinite(value):
        return plain(value)
    return (half_up(value, digits) if COLUMNS[name].kind == "share" else round(value, digits)) + 0.0


def _digits(name: str) -> int | None:
    return COLUMNS[name].digits if name in COLUMNS else None


def plain(value: Any) -> Any:
    """Return a value for JSON: None for what is not known, else a Python number (SIGNIFICANT digits) or text.

    >>> import numpy as np
    >>> plain(float("nan")), plain(np.int64(3)), plain(np.float64(0.5)), plain("a")
    (None, 3, 0.5, 'a')
    """
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [*map(plain, value)]
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(f"{float(value):.{SIGNIFICANT}g}") + 0.0 if math.isfinite(value) else None
    return str(value)


# ---------------------------------------------------------------- CSV


def table_csv(table: Table) -> str:
    """Return a table as CSV.

    >>> rows = [{"bot": "a", "elo": 3.14159}, {"bot": "b", "elo": -0.0}]
    >>> print(table_csv(Table("t", "", rows, files=["bot", "elo"])), end="")
    bot,elo
    a,3.14
    b,0.00
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([spreadsheet_cell(name) for name in table.files])
    writer.writerows([_cell(name, row[name]) for name in table.files] for row in table.rows)
    return out.getvalue()


def _cell(name: str, value: Any) -> Any:
    value, digits = file_value(name, value), _digits(name)
    if isinstance(value, float):
        return f"{value:.{SIGNIFICANT}g}" if digits is None else f"{value:.{digits}f}"
    if isinstance(value, list):
        value = " ".join(map(str, value))
    return "" if value is None else spreadsheet_cell(value)


def write_tables(report: Report, folder: Path) -> list[Path]:
    """Write each table as `folder`/NAME.csv and return the paths. Raise ExportError if the disk refuses."""
    make_folder(folder)
    paths = {folder / f"{table.name}.csv": table for table in report.stored}
    return [write_whole(path, [table_csv(table)], follow=False) for path, table in paths.items()]


# ---------------------------------------------------------------- Excel


def write_workbook(tables: Mapping[str, Table], path: Path) -> int:
    """Write tables as the sheets of an Excel workbook, by their names, and return how many.

    ArenaError if xlsxwriter is not installed, or if a table is too long for a sheet.
    """
    xlsxwriter = load_xlsxwriter(path)
    for name, table in tables.items():
        require_room(path, name, len(table.rows))
    names = [_NOT_IN_SHEETS.sub(" ", name)[:_LONGEST_SHEET].strip() for name in tables]
    # row by row, so that a million games need no memory
    with whole_file(path) as file, xlsxwriter.Workbook(file, {"constant_memory": True}) as book:
        book.set_properties({"created": _MADE})
        head = book.add_format({"bold": True})
        for name, table in zip(names, tables.values()):
            taken = {sheet.name.lower() for sheet in book.worksheets()}
            sheet = book.add_worksheet(name if name.lower() not in taken else None)
            sheet.freeze_panes(1, 1)
            for column, key in enumerate(table.files):
                sheet.set_column(column, column, max(len(key) + 2, 12))
                sheet.write_string(0, column, key, head)
            for place, row in enumerate(table.rows, start=1):
                for column, key in enumerate(table.files):
                    _write_cell(sheet, place, column, file_value(key, row[key]))
    return len(names)


def require_room(path: Path, name: str, rows: int) -> None:
    """Raise ArenaError if a table is too long for a sheet."""
    if rows >= _MOST_ROWS:
        raise ArenaError(
            f"{path}: a sheet holds {_MOST_ROWS - 1:,} rows, but {name} has {rows:,}; "
            "write them as CSV (--all) or Parquet (--records games.parquet)"
        )


def _write_cell(sheet: Any, row: int, column: int, value: Any) -> None:
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, int | float) and abs(value) <= _LARGEST:
        sheet.write_number(row, column, value)
    elif value is not None:
        sheet.write_string(row, column, str(value))  # never a formula or a link


def load_xlsxwriter(path: Path) -> Any:
    """Return the module xlsxwriter. Raise ArenaError, with the name of the file, if it is not installed."""
    try:
        import xlsxwriter
    except ImportError:
        raise ArenaError(
            f"{path}: a workbook needs xlsxwriter, which is not installed: pip install 'schotten-arena[data]'"
        ) from None
    return xlsxwriter
