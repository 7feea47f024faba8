"""The files of a run's folder: standings.csv, crosstable.csv, summary.json, timing.csv, games.csv.

Each file is written whole or not at all. Only timing.csv holds what a clock measured: equal games give equal bytes.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from arena.results.formats.csv import csv_text, table_csv
from arena.results.formats.json import json_text
from arena.results.run import RunData
from arena.results.standings import CROSS_COLUMNS, RunStandings
from arena.results.standings_report import DIGITS, has_crosstable, summary
from arena.results.table import Report, number
from arena.results.whole_file import ExportError, write_whole
from arena.text import spreadsheet_cell, utc_iso
from arena.tournament.store.columns import GAME_COLUMNS

STANDINGS, CROSSTABLE, SUMMARY = "standings.csv", "crosstable.csv", "summary.json"
TIMING, GAMES = "timing.csv", "games.csv"
_ROWS_AT_ONCE = 50_000


def export(found: RunStandings, folder: Path | str, games: bool = False) -> list[Path]:
    """Write the files of a run into `folder`; games.csv only if `games`. Returns the paths.

    Raises ExportError if the disk refuses.
    """
    folder = Path(folder)
    texts: dict[str, Iterable[str]] = {STANDINGS: [csv_text(found.rows, DIGITS)]}
    if has_crosstable(found):
        texts[CROSSTABLE] = [csv_text(found.met, DIGITS, CROSS_COLUMNS)]
    texts[SUMMARY] = [json_text(summary(found))]
    texts[TIMING] = [timing_text(found.run)]
    if games:
        texts[GAMES] = _games_text(found.run)
    return [write_whole(folder / name, parts, follow=False) for name, parts in texts.items()]


def make_folder(folder: Path) -> None:
    """Make a folder and those around it. ExportError if that is impossible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ExportError(f"cannot make the folder {folder}: {error.strerror or error}") from error


def write_csv(report: Report, folder: Path) -> list[Path]:
    """The figures of each table as `folder`/NAME.csv; the paths. Raises ExportError if the disk refuses."""
    make_folder(folder)
    return [write_whole(folder / f"{table.name}.csv", [table_csv(table)], follow=False) for table in report.tables]


def timing_text(run: RunData) -> str:
    """What a clock measured, one value per row: subject (bot or session), name, measure, value.

    Times are milliseconds per decision unless the name says otherwise; dates are UTC.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")

    def write(row: Iterable[object]) -> None:
        writer.writerow([spreadsheet_cell(cell) for cell in row])

    write(["subject", "name", "measure", "value"])
    for time in run.times:
        write(["bot", time.bot, "decisions", time.decisions])
        for measure, ms in time.measures().items():
            write(["bot", time.bot, measure, number(ms, 6)])
    for at, session in enumerate(run.sessions, start=1):
        seconds = session.ended - session.started
        rate = session.games / seconds if seconds > 0 else 0.0
        values = {
            "started": utc_iso(session.started),
            "ended": utc_iso(session.ended),
            "seconds": number(seconds, 3),
            "games": str(session.games),
            "games_per_second": number(rate, 1),
        }
        values |= {str(key): str(value) for key, value in sorted(session.info.items())}
        for measure, value in values.items():
            write(["session", at, measure, value])
    return out.getvalue()


def _games_text(run: RunData) -> Iterable[str]:
    import pandas as pd  # slow to load

    games = run.games.filter(list(GAME_COLUMNS))
    for at in range(0, max(len(games), 1), _ROWS_AT_ONCE):
        part = games.iloc[at : at + _ROWS_AT_ONCE].copy()
        for column in part.columns:  # names repeat: each is looked at once
            if not pd.api.types.is_numeric_dtype(part[column].dtype):
                safe = {one: spreadsheet_cell(one) for one in part[column].unique()}
                if any(one is not cell for one, cell in safe.items()):
                    part[column] = part[column].map(safe)
        yield part.to_csv(index=False, header=at == 0, lineterminator="\n", float_format="%g")
