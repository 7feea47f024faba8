"""What only reads leagues: their list, a bot, `arena league history`."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.league.shared import chosen_league
from arena.cli.printing import print_report, refuse_options
from arena.errors import ArenaError
from arena.league import events, oversight
from arena.league.rating import league_standings
from arena.league.store import LEAGUES, League, league_names, open_league
from arena.league.versions import Version
from arena.league.views import (
    chosen_version,
    fetch,
    forfeit_lines,
    history_lines,
    league_line,
    opponent_lines,
    standing_lines,
    version_lines,
)
from arena.results.league import (
    forfeits_table,
    history_table,
    leagues_table,
    log_table,
    opponents_table,
    standing_table,
    versions_table,
)
from arena.results.table import Report
from arena.text import indented, utc_text


def list_leagues() -> None:
    """Print the leagues in leagues/."""
    lines, unread = [], []
    for name in league_names():
        try:
            lines.append({"name": name} | league_line(LEAGUES / name))
        except ArenaError as error:
            unread.append({"name": name, "reason": str(error)})
            click.echo(f"{indented(name)} cannot be read: {indented(str(error))}", err=True)
    remarks = []
    if not lines:
        none = (
            "There are no leagues in leagues/. Create one: arena league create NAME; 'arena league --help' says more."
        )
        remarks.append("No league in leagues/ can be read." if unread else none)
    print_report(Report("", [leagues_table(lines)], remarks), "wide")


def _show_past(league: League, at: int, form: str) -> None:
    """Print the table as it was after an event."""
    event = events.event_at(league, at)
    lines = standing_lines(league, events.table_at(league, event.id), events.table_at(league, event.id - 1), past=True)
    values = {
        "league": league.name,
        "event": event.id,
        "happened": event.happened,
        "games": event.total,
        "standings": lines,
    }
    heading = f"{league.name} after event {event.id}, {utc_text(event.happened)}: {event.total:,} games"
    remarks = [] if lines else ["No bot was in the table."]
    print_report(Report(heading, [standing_table(lines)], remarks, values=lambda: values), form)


def show_bot(folder: Path, named: str, files: Path | None, form: str, to: Path | None = None) -> None:
    """Print the versions of a bot, `mybot` or `mybot@v2`, and the opponents and forfeits of one; write its `files`."""
    with open_league(folder, write=False) as league:
        bot, _, number = named.partition("@v")
        version = chosen_version(league, bot, int(number) if number.isdecimal() else None)
        print_report(_bot_report(league, version), form, to)
        if files is not None:
            for path in fetch(league, version, files):
                click.echo(path, err=True)


def _bot_report(league: League, version: Version) -> Report:
    table, bot = league_standings(league), version.name
    rows = version_lines(league, bot, table)
    opponents = opponent_lines(league, version, table)
    forfeits = forfeit_lines(league, version)
    values = {
        "league": league.name,
        "bot": version.name,
        "author": version.author,
        "version": version.number,
        "versions": rows,
        "opponents": opponents,
        "forfeits": forfeits,
    }
    author = f" by {version.author}" if version.author else ""
    tables = [
        versions_table(rows),
        opponents_table(opponents, f"{version.label} against"),
        forfeits_table(forfeits),
    ]
    remarks = []
    if version.retired is not None:
        reason = f": {version.retired_reason}" if version.retired_reason else ""
        remarks.append(f"Retired {utc_text(version.retired)}{reason}")
    if version.reason:
        remarks.append(f"{version.label} {version.state}: {indented(version.reason)}")
    return Report(f"{version.name}{author}", tables, remarks, values=lambda: values)


def history_command(name: str | None, as_log: bool, limit: int, at: int | None, form: str) -> None:
    """Run `arena league history`."""
    with open_league(chosen_league(name), write=False) as league:
        if at is not None:
            refuse_options("does not go with --at, which shows one table", "as_log", "limit")
            _show_past(league, at, form)
            return
        if as_log:
            entries = [vars(entry) for entry in oversight.entries(league, limit or None)]
            tables, values = [log_table(entries)], {"league": league.name, "entries": entries}
            remarks = [] if entries else ["The log is empty."]
            report = Report(f"{league.name}: log", tables, remarks, values=lambda: values)
        else:
            lines = history_lines(league)[-limit:]
            report = Report(
                league.name, [history_table(lines)], values=lambda: {"league": league.name, "events": lines}
            )
        print_report(report, form)
