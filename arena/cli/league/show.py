"""What only reads leagues: their list, a bot, `arena league history`."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from arena.cli.printing import print_report
from arena.errors import ArenaError
from arena.league import oversight
from arena.league.rating import league_standings
from arena.league.store import LEAGUES, League, league_names, open_league, sole_league
from arena.league.versions import Version
from arena.league.views import (
    chosen_version,
    fetch,
    file_lines,
    forfeit_lines,
    history_lines,
    league_line,
    opponent_lines,
    version_lines,
)
from arena.results.formats import PRINT_WIDE
from arena.results.league import (
    forfeits_table,
    history_table,
    leagues_table,
    log_table,
    opponents_table,
    versions_table,
)
from arena.results.run_standings import standings
from arena.results.sources import league_run
from arena.results.standings_report import standings_report
from arena.results.table import Report, Table
from arena.text import indented, utc_text


def chosen_league(given: str | tuple[str, ...] | None) -> str:
    """Return the league that was named, or the only one there is."""
    names = (given,) if isinstance(given, str) else given or ()
    if len(names) > 1:
        raise click.UsageError(f"got unexpected extra argument ({names[1]})")
    return names[0] if names else str(sole_league(click.get_current_context().command_path))


def list_leagues() -> None:
    """Print the leagues in leagues/."""
    lines, unread = [], 0
    for name in league_names():
        try:
            lines.append({"name": name} | league_line(LEAGUES / name))
        except ArenaError as error:
            unread += 1
            click.echo(f"{indented(name)} cannot be read: {indented(str(error))}", err=True)
    remarks = []
    if not lines:
        none = (
            "There are no leagues in leagues/. Create one: arena league create NAME; 'arena league --help' says more."
        )
        remarks.append("No league in leagues/ can be read." if unread else none)
    print_report(Report("", [leagues_table(lines)], remarks), "wide")


def show_standings(league: League, form: str, **more: Any) -> None:
    """Print the current table; `more` is what JSON has besides."""
    report = standings_report(standings(league_run(league)))
    wide = f"arena standings {shlex.quote(str(league.folder))} {PRINT_WIDE}"
    print_report(replace(report, about={**report.about, **more}), form, wide=wide)


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
    about = {"league": league.name, "bot": version.name, "author": version.author, "version": version.number}
    author = f" by {version.author}" if version.author else ""
    tables = [
        versions_table(rows),
        opponents_table(opponents, f"{version.label} against"),
        forfeits_table(forfeits),
        Table("files", "", file_lines(league, bot), files=("version", "path", "bytes", "hash")),
    ]
    remarks = []
    if version.retired is not None:
        reason = f": {version.retired_reason}" if version.retired_reason else ""
        remarks.append(f"Retired {utc_text(version.retired)}{reason}")
    if version.reason:
        remarks.append(f"{version.label} {version.state}: {indented(version.reason)}")
    return Report(f"{version.name}{author}", tables, remarks, about)


def history_command(name: str | None, as_log: bool, limit: int, form: str) -> None:
    """Run `arena league history`."""
    with open_league(chosen_league(name), write=False) as league:
        if as_log:
            entries = oversight.entries(league, limit or None)
            table, heading, remarks = (
                log_table(entries),
                f"{league.name}: log",
                [] if entries else ["The log is empty."],
            )
        else:
            table, heading, remarks = history_table(history_lines(league)[-limit:]), league.name, []
        print_report(Report(heading, [table], remarks, {"league": league.name}), form)
