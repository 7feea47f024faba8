"""The commands of `arena league` that only read: standings, history, show, export and fetch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import options
from arena.cli.league.shared import league_argument, print_json, show_standings
from arena.cli.output import output, print_report
from arena.text import indented, utc_text

if TYPE_CHECKING:
    from arena.league.store import League


@click.command()
@league_argument
@click.option("--at", metavar="WHEN", help="The table after an event (its number) or at a date (UTC).")
@click.option("--history", type=options.whole(1), metavar="N", help="Ratings after each of the last N events.")
@output
def standings(name: str, at: str | None, history: int | None, form: str) -> None:
    """Show the table of LEAGUE and what the last event changed. Works while games are played."""
    if at is not None and history is not None:
        raise click.UsageError("--at and --history were both given; choose one")
    from arena.league.rating import standings
    from arena.league.store import open_league

    with open_league(name, write=False) as found:
        if at is not None:
            _show_past(found, at, form)
        elif history is not None:
            _show_history(found, history, form)
        else:
            show_standings(found, standings(found), form)


def _show_past(found: League, at: str, form: str) -> None:
    from arena.league import events
    from arena.league.views import standing_lines
    from arena.results.league import standing_table
    from arena.results.table import Report

    event = events.event_at(found, at)
    table = events.table_at(found, event.id)
    lines = standing_lines(found, table, events.table_at(found, event.id - 1), past=True)
    if form == "json":
        print_json(
            {
                "league": found.name,
                "event": event.id,
                "happened": event.happened,
                "games": event.total,
                "standings": lines,
            }
        )
        return
    heading = f"{found.name} after event {event.id}, {utc_text(event.happened)}: {event.total:,} games"
    if lines:
        print_report(Report(heading, [standing_table(lines)]), form)
    else:
        click.echo(f"{heading}\n\nNo bot was in the table.")


def _show_history(found: League, last: int, form: str) -> None:
    from arena.league.views import rating_history
    from arena.results.league import rating_history_table
    from arena.results.table import Report

    shown, lines = rating_history(found, last)
    numbers = [event.id for event in shown]
    if form == "json":
        print_json({"league": found.name, "events": [vars(event) for event in shown], "ratings": lines})
    elif not lines:
        click.echo(f"{found.name}: no bot was in the table yet")
    else:
        heading = f"{found.name}: Elo after each of the last {len(numbers)} events"
        table = rating_history_table(numbers, lines)
        print_report(Report(heading, [table]), form)


@click.command()
@league_argument
@output
def history(name: str, form: str) -> None:
    """Show what has happened in LEAGUE: bots submitted, replaced and retired, games played, and the ratings."""
    from arena.league.store import open_league
    from arena.league.views import history_lines
    from arena.results.league import history_table
    from arena.results.table import Report

    with open_league(name, write=False) as found:
        lines = history_lines(found)
        if form == "json":
            print_json({"league": found.name, "events": lines})
        else:
            print_report(Report(found.name, [history_table(lines)]), form)


@click.command()
@league_argument
@click.argument("bot")
@click.option("--version", "number", type=options.whole(1), metavar="V", help="Default: the active one.")
@click.option("--against", metavar="OTHER", help="Only games against this bot.")
@output
def show(name: str, bot: str, number: int | None, against: str | None, form: str) -> None:
    """Show BOT: its versions, the opponents of the active one, and the games it forfeited."""
    from arena.league import versions, views
    from arena.league.rating import standings
    from arena.league.store import open_league
    from arena.results.league import forfeits_table, opponents_table, versions_table
    from arena.results.table import Report

    with open_league(name, write=False) as found:
        table = standings(found)
        one = views.chosen_version(found, bot, number)
        rows = views.version_lines(found, bot, table)
        opponents = views.opponent_lines(found, one, table)
        if against is not None:
            other = versions.of_bot(found, against)[0].name
            opponents = [line for line in opponents if line["opponent"] == other]
        faults = views.forfeit_lines(found, one)
        if form == "json":
            print_json(
                {
                    "league": found.name,
                    "bot": one.name,
                    "author": one.author,
                    "version": one.number,
                    "versions": rows,
                    "opponents": opponents,
                    "forfeits": faults,
                }
            )
            return
        author = f" by {one.author}" if one.author else ""
        tables = [versions_table(rows), opponents_table(opponents, f"{one.label} against"), forfeits_table(faults)]
        remarks = [f"{against} was never met by {one.label}."] if against and not opponents else []
        if one.retired is not None:
            remarks.append(f"Retired {utc_text(one.retired)}{f': {one.retired_reason}' * bool(one.retired_reason)}")
        if one.reason:
            remarks.append(f"{one.label} {one.state}: {indented(one.reason)}")
        print_report(Report(f"{one.name}{author}", tables, remarks), form)


@click.command()
@league_argument
@click.option("--to", type=click.Path(path_type=Path), metavar="FILE.csv", help="Default: the terminal.")
def export(name: str, to: Path | None) -> None:
    """Write all games of LEAGUE with their records as CSV, which 'arena ratings' reads."""
    import io
    import sys

    from arena.league.store import open_league
    from arena.league.views import export_games
    from arena.results.whole_file import write_whole

    with open_league(name, write=False) as found:
        if to is None:
            export_games(found, sys.stdout)
            return
        text = io.StringIO()
        number = export_games(found, text)
        write_whole(to, [text.getvalue()])
        click.echo(f"{number:,} games in {to}", err=True)


@click.command()
@league_argument
@click.argument("bot")
@click.option("--version", "number", type=options.whole(1), metavar="V", help="Default: the active one.")
@click.option("--to", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Where to write them.")
def fetch(name: str, bot: str, number: int | None, to: Path) -> None:
    """Write the files of BOT into a folder as they were submitted. None of them is run."""
    from arena.league.store import open_league
    from arena.league.views import chosen_version
    from arena.league.views import fetch as write

    with open_league(name, write=False) as found:
        one = chosen_version(found, bot, number)
        for path in write(found, one, to):
            click.echo(path)
