"""`arena league show` and `arena league history`: commands that only read."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.league.shared import league_argument
from arena.cli.league.tables import show_standings
from arena.cli.options import PATH, complete_leagues, output, print_report, whole_option
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
    past_lines,
    version_lines,
)
from arena.results.league import (
    forfeits_table,
    history_table,
    leagues_table,
    log_table,
    opponents_table,
    past_table,
    versions_table,
)
from arena.results.table import Report, Table
from arena.text import indented, utc_text


@click.command()
@click.argument("league", metavar="LEAGUE", required=False, shell_complete=complete_leagues)
@click.argument("bot", required=False)
@click.option(
    "--at", type=whole_option(1), metavar="EVENT", help="Show the table as it was after an event of the history."
)
@click.option(
    "--version", type=whole_option(1), metavar="V", help="With BOT: show this version (default: the active one)."
)
@click.option("--against", metavar="BOT", help="With BOT: show only its games against this opponent.")
@click.option("--files", type=PATH, metavar="DIR", help="With BOT: write its files to DIR.")
@output
def show_command(
    league: str | None,
    bot: str | None,
    at: int | None,
    version: int | None,
    against: str | None,
    files: Path | None,
    form: str,
) -> None:
    """Show the table of LEAGUE, or one BOT. Without LEAGUE, list the leagues in leagues/.

    \b
    arena league show open --at 12
    arena league show open mybot --against greedy

    For BOT, show its versions, its opponents, and the games it lost by forfeit. With --files, also write the submitted
    files; none of them is run.
    """
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
            show_standings(opened, form)


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
    faults = Table("unread", "", unread, files=("name", "reason"))
    print_report(Report("", [leagues_table(lines), faults], remarks), form)


def _show_past(league: League, at: int, form: str) -> None:
    """Print the table as it was after an event."""
    event = events.event_at(league, at)
    table, before = (events.table_at(league, number) for number in (event.id, event.id - 1))
    lines = past_lines(table, before, league.settings.anchor is not None)
    about = {"league": league.name, "event": event.id, "happened": event.happened, "games": event.total}
    heading = f"{league.name} after event {event.id}, {utc_text(event.happened)}: {event.total:,} games"
    remarks = [] if lines else ["No bot was in the table."]
    print_report(Report(heading, [past_table(lines)], remarks, about), form)


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
    about = {"league": league.name, "bot": version.name, "author": version.author, "version": version.number}
    files = [{"version": row["version"]} | file for row in rows for file in row["files"]]
    author = f" by {version.author}" if version.author else ""
    tables = [
        versions_table(rows),
        opponents_table(opponents, f"{version.label} against"),
        forfeits_table(forfeits),
        Table("files", "", files, files=("version", "path", "bytes", "hash")),
    ]
    remarks = []
    if against and not opponents:
        remarks.append(f"{version.label} has not played {against}.")
    if version.retired is not None:
        reason = f": {version.retired_reason}" if version.retired_reason else ""
        remarks.append(f"Retired {utc_text(version.retired)}{reason}")
    if version.reason:
        remarks.append(f"{version.label} {version.state}: {indented(version.reason)}")
    print_report(Report(f"{version.name}{author}", tables, remarks, about), form)


@click.command()
@league_argument
@click.option("--log", "as_log", is_flag=True, help="Show the log: who did what, when, and with what result.")
@click.option("--limit", type=whole_option(0), default=0, metavar="N", help="Show only the last N (default: all).")
@output
def history_command(name: str, as_log: bool, limit: int, form: str) -> None:
    """Show the history of LEAGUE: bots submitted, replaced and retired, and games played.

    \b
    arena league history open
    arena league history open --log --limit 5
    """
    with open_league(name, write=False) as league:
        if as_log:
            entries = [vars(entry) for entry in oversight.entries(league, limit or None)]
            table, heading, remarks = (
                log_table(entries),
                f"{league.name}: log",
                [] if entries else ["The log is empty."],
            )
        else:
            table, heading, remarks = history_table(history_lines(league)[-limit:]), league.name, []
        print_report(Report(heading, [table], remarks, {"league": league.name}), form)
