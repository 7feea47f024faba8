"""The table of a league, from its folder or from a server."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from arena.cli.printing import print_report, report_text
from arena.errors import ArenaError
from arena.league.rating import Standings, league_standings
from arena.league.store import League, open_league
from arena.league.views import (
    describe,
    standing_forfeits,
    standing_lines,
    standing_remarks,
    standing_values,
    table_before,
)
from arena.results.forfeit_lines import alerts_and_items
from arena.results.formats import PRINT_WIDE
from arena.results.league import standing_table
from arena.results.table import Report
from arena.text import counted, one_line
from arena.web.client import Server

NO_BOT = "No bot is in the table yet."


def show_league(folder: Path, form: str, to: Path | None = None) -> None:
    """Print the table of the league in a folder; with `to`, also write it there as CSV."""
    with open_league(folder, write=False) as league:
        show_standings(league, league_standings(league), form, to=to)


def show_standings(
    league: League, table: Standings, form: str, more: dict[str, Any] | None = None, to: Path | None = None
) -> None:
    """Print the current table; `more` is added to the JSON; with `to`, also write it there as CSV."""
    before, since = table_before(league, table)
    lines = standing_lines(league, table.rows, before)
    heading = f"{league.name}: {describe(league.settings)}; {counted(len(lines), 'bot')}, {table.total:,} games"
    remarks = standing_remarks(league, table, None if since is None else since.id) if lines else [NO_BOT]
    values = lambda: (more or {}) | standing_values(league, table, private=True)  # noqa: E731
    wide = f"arena standings {shlex.quote(str(league.folder))} {PRINT_WIDE}"
    alerts, items = alerts_and_items(standing_forfeits(league, table.rows))
    print_report(Report(heading, [standing_table(lines)], remarks, items, values, alerts=alerts), form, to, wide)


def show_standings_of(url: str, form: str, to: Path | None = None) -> None:
    """Print the table of a server's league. Raise ArenaError if the answer is not a table."""
    table = Server(url).ask("standings")
    try:
        lines, name = table["standings"], one_line(str(table["league"]))
        heading = f"{name}: rules {one_line(str(table['settings']['rules']))}; {int(table['games']):,} games"
        report = Report(heading, [standing_table(lines)], [] if lines else [NO_BOT], values=lambda: table)
        report_text(report, form)
    except (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError) as error:
        raise ArenaError(f"{one_line(url, 80)} answers with something other than a table") from error
    print_report(report, form, to)
