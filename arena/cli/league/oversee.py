"""The commands for those who look after a league that runs by itself: pause, resume, log, budget, verify."""

from __future__ import annotations

import shlex
from typing import Any

import click

from arena.cli import options
from arena.cli.league.shared import league_argument, print_json
from arena.cli.output import output, print_report
from arena.text import indented, one_line

LONGEST_REASON = 200
FAULTS = 1


@click.command()
@league_argument
@click.option("--reason", default="", help="Why, for those who wait.")
def pause(name: str, reason: str) -> None:
    """Pause LEAGUE: games in hand are finished, then everybody waits. Bots can still be submitted."""
    from arena.league.oversight import pause as pauses
    from arena.league.store import open_league

    with open_league(name) as found:
        pauses.pause(found, one_line(reason, LONGEST_REASON))
        click.echo(f"{found.name} is paused. Resume it with: arena league resume {shlex.quote(name)}")


@click.command()
@league_argument
def resume(name: str) -> None:
    """Resume LEAGUE after a pause: commands that wait continue."""
    from arena.league.oversight import pause as pauses
    from arena.league.store import open_league

    with open_league(name) as found:
        pauses.go_on(found)
        click.echo(f"{found.name} goes on.")


@click.command("log")
@league_argument
@click.option("--last", type=options.whole(1), metavar="N", help="Only the last N entries.")
@output
def log(name: str, last: int | None, form: str) -> None:
    """Show the audit log of LEAGUE: who did what, when, and what came of it."""
    from arena.league.oversight import audit
    from arena.league.store import open_league
    from arena.results.league import log_table
    from arena.results.table import Report

    with open_league(name, write=False) as found:
        lines = [vars(entry) for entry in audit.entries(found, last)]
        if form == "json":
            print_json({"league": found.name, "entries": lines})
        elif not lines:
            click.echo(f"{found.name} has no audit log yet: nothing has happened since this program keeps one.")
        else:
            print_report(Report(f"{found.name}: log", [log_table(lines)]), form)


_LIMIT = options.whole(0)


@click.command()
@league_argument
@click.option("--submissions", type=_LIMIT, metavar="N", help="New contents an author may submit in 24 hours.")
@click.option("--author-mb", type=_LIMIT, metavar="N", help="MiB that the files of an author's bots may take.")
@click.option("--disk-mb", type=_LIMIT, metavar="N", help="MiB that the league's folder may take.")
@output
def budget(name: str, form: str, **given: int | None) -> None:
    """Show what authors have used of LEAGUE and what they may use; options change that (0: no limit)."""
    from arena.league.oversight import budget as budgets
    from arena.league.store import open_league
    from arena.results.league import budget_table
    from arena.results.table import Report

    new = {key: value or None for key, value in given.items() if value is not None}
    with open_league(name, write=bool(new)) as found:
        bounds = budgets.change(found, new) if new else budgets.limits(found)
        limits = {key: getattr(bounds, key) for key in budgets.LIMITS}
        lines: list[dict[str, Any]] = [vars(use) for use in budgets.uses(found)]
        folder = budgets.folder_bytes(found.folder)
        if form == "json":
            print_json({"league": found.name, "limits": limits, "folder_bytes": folder, "authors": lines})
            return
        told = ", ".join(f"{key} {'no limit' if value is None else value}" for key, value in limits.items())
        remarks = [f"Limits: {told}.", f"The league's folder takes {folder / (1 << 20):.1f} MiB."]
        tables = [budget_table(lines)] if lines else []
        print_report(Report(f"{found.name}: used in the last 24 hours", tables, remarks), form)


@click.command()
@league_argument
@click.option("--games", type=options.whole(0), metavar="N", help="Replay N games, drawn at random (default: all).")
@output
def verify(name: str, games: int | None, form: str) -> int:
    """Check LEAGUE for damage: database, files, games, tables, audit log. Exit code 1 if something is wrong."""
    from arena.league.settings import LeagueError
    from arena.league.store import league_folder, open_league
    from arena.league.verification import Verification, note, verify_league

    league_folder(name)
    try:
        with open_league(name, write=False) as found:
            report = verify_league(found, games)
    except LeagueError as error:  # so damaged that it cannot even be opened
        report = Verification(name, faults=[one_line(str(error))])
    note(name, report)
    if form == "json":
        print_json(vars(report) | {"sound": report.sound})
        return 0 if report.sound else FAULTS
    for fault in report.faults:
        click.echo(indented(fault))
    checked = f"{report.games:,} games, of which {report.replayed:,} were replayed, {report.files} files"
    checked += f" of {report.versions} versions, {report.events} events, {report.entries} entries of the log"
    click.echo(f"{report.league}: {checked}: {'sound' if report.sound else f'{len(report.faults)} faults'}.")
    return 0 if report.sound else FAULTS
