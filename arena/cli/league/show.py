"""`arena league show` and `arena league history`: commands that only read."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.league.shared import chosen_league
from arena.cli.league.tables import show_standings
from arena.cli.printing import print_report
from arena.errors import ArenaError
from arena.league import events, oversight, versions
from arena.league.rating import league_standings
from arena.league.store import LEAGUES, League, league_names, open_league
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


def show_command(
    league: str | None,
    bot: str | None,
    at: int | None,
    version: int | None,
    against: str | None,
    files: Path | None,
    form: str,
) -> None:
    """Run `arena league show`."""
    if bot is None and (version is not None or against is not None or files is not None):
        raise click.UsageError("--version, --against and --files are for one bot; name it after LEAGUE")
    if at is not None and (league is None or bot is not None):
        raise click.UsageError("--at is for the table of a league; give LEAGUE and no BOT")
    if league is None:
        _list_leagues(form)
        return
    with open_league(league, write=False) as opened:
        if bot is not None:
            _show_bot(opened, bot, version, against, form)
            if files is not None:
                for path in fetch(opened, chosen_version(opened, bot, version), files):
                    click.echo(path, err=True)
        elif at is not None:
            _show_past(opened, at, form)
        else:
            show_standings(opened, league_standings(opened), form)


def _list_leagues(form: str) -> None:
    lines, unread = [], []
    for name in league_names():
        try:
            lines.append({"name": name} | league_line(LEAGUES / name))
        except ArenaError as error:
            unread.append({"name": name, "reason": str(error)})
            click.echo(f"{indented(name)} cannot be read: {indented(str(error))}", err=True)
    remarks = []
    if not lines:
        none = "There are no leagues in leagues/. Create one: arena league create NAME"
        remarks.append("No league in leagues/ can be read." if unread else none)
    print_report(Report("", [leagues_table(lines)], remarks, values=lambda: {"leagues": lines, "unread": unread}), form)


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


def _show_bot(league: League, bot: str, number: int | None, against: str | None, form: str) -> None:
    """Print the versions of a bot, the opponents of one version, and the games it forfeited."""
    table = league_standings(league)
    version = chosen_version(league, bot, number)
    rows = version_lines(league, bot, table)
    opponents = opponent_lines(league, version, table)
    if against is not None:
        other = versions.of_bot(league, against)[0].name
        opponents = [line for line in opponents if line["opponent"] == other]
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
    if against and not opponents:
        remarks.append(f"{version.label} has not played {against}.")
    if version.retired is not None:
        reason = f": {version.retired_reason}" if version.retired_reason else ""
        remarks.append(f"Retired {utc_text(version.retired)}{reason}")
    if version.reason:
        remarks.append(f"{version.label} {version.state}: {indented(version.reason)}")
    print_report(Report(f"{version.name}{author}", tables, remarks, values=lambda: values), form)


def history_command(name: str | None, as_log: bool, limit: int, form: str) -> None:
    """Run `arena league history`."""
    with open_league(chosen_league(name), write=False) as league:
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
