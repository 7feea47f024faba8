"""The table of a league, from its folder or from a server."""

from __future__ import annotations

import math
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.cli.printing import print_report, report_text
from arena.errors import ArenaError
from arena.league.store import League
from arena.results.formats import PRINT_WIDE
from arena.results.run_standings import standings
from arena.results.sources import league_run
from arena.results.standings_report import standings_report, standings_table
from arena.results.table import COLUMNS, Report
from arena.text import one_line
from arena.web.client import Server


def show_standings(league: League, form: str, **more: Any) -> None:
    """Print the current table; `more` is what JSON has besides."""
    report = standings_report(standings(league_run(league)))
    wide = f"arena standings {shlex.quote(str(league.folder))} {PRINT_WIDE}"
    print_report(replace(report, about={**report.about, **more}), form, wide=wide)


def show_standings_of(url: str, form: str, to: Path | None = None) -> None:
    """Print the table of a server's league. Raise ArenaError if the answer is not a table."""
    answer = Server(url).ask("standings")
    try:
        about = answer["about"]
        rows = [
            {str(name): math.nan if value is None and name in COLUMNS else value for name, value in row.items()}
            for row in answer["tables"]["standings"]
        ]
        heading = f"{one_line(str(about['name']))}: league, rules {one_line(str(about['rules']))},"
        heading += f" {int(about['games_played']):,} games"
        remarks = [one_line(str(note), 1000) for note in answer["notes"]]
        report = Report(heading, [standings_table(rows)], remarks, about)
        report_text(report, form)
    except (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError) as error:
        raise ArenaError(f"{one_line(url, 80)} answers with something other than a table") from error
    print_report(report, form, to)
