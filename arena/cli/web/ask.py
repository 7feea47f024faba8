"""`arena submit --server` and `arena standings --server`: a league on another machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from arena.cli.league.shared import print_json
from arena.cli.output import print_report
from arena.errors import ArenaError
from arena.text import indented, one_line

DONE, REFUSED = 0, 1


def read_token(file: Path | None) -> str:
    """The token in a file, or in ARENA_TOKEN: on the command line, other users of the machine could read it."""
    if file is not None:
        try:
            token = file.read_text(encoding="utf-8", errors="replace").strip()
        except OSError as error:
            raise ArenaError(f"--token-file: cannot read {file}: {error.strerror}") from error
    else:
        token = os.environ.get("ARENA_TOKEN", "").strip()
    if not token:
        raise click.UsageError("--server needs a token: set ARENA_TOKEN, or give --token-file FILE")
    if not (token.isascii() and token.isprintable()):
        raise ArenaError("the token is not valid: it is one line of ASCII, such as arena_...")
    return token


def submit_to(
    url: str, token_file: Path | None, bot: str, folder: Path | None, called: str | None, again: bool, form: str
) -> int:
    """Submit a bot to a server, wait until it is decided, and show the standings; the exit code."""
    from arena.league.submission import read_submission
    from arena.web.client import Server

    server = Server(url, read_token(token_file))
    submission = read_submission(bot, folder, called)
    if server.plain:
        click.echo(f"Note: the connection to {one_line(url)} is not encrypted, so the token can be read.", err=True)
    progress = server.submit(submission, again)
    name = one_line(f"{progress['bot']} v{progress['version']}")
    click.echo(f"Received: {name}. If you stop waiting, nothing is lost.", err=True)
    progress = server.wait(progress, _say)
    table = server.table(progress)
    if form == "json":
        _print_json(url, {"submission": progress} | table)
    else:
        _show(url, table, form)
    return REFUSED if progress["state"] == "refused" else DONE


def _say(progress: dict[str, Any]) -> None:
    """Say in a line how far a submission has come."""
    name = one_line(f"{progress['bot']} v{progress['version']}")
    state = progress["state"]
    if state in ("pending", "placing") and progress["held"]:
        click.echo(f"{name}: being {'checked' if state == 'pending' else 'placed'}", err=True)
    elif state in ("pending", "placing"):
        waits = indented(progress["waits"]) or one_line(f"{progress.get('ahead')} ahead", 40)
        click.echo(f"{name}: waiting: {waits}", err=True)
    elif state == "refused":
        click.echo(f"{name} is refused: {indented(progress['reason'])}", err=True)
    else:
        click.echo(f"{name} is {'accepted' if state == 'active' else one_line(state)}", err=True)


def show_standings_of(url: str, form: str) -> None:
    """Show the table of the league of a server."""
    from arena.web.client import Server

    table = Server(url).table()
    if form == "json":
        _print_json(url, table)
    else:
        _show(url, table, form)


def _print_json(url: str, values: dict[str, Any]) -> None:
    try:
        print_json(values)
    except (RecursionError, ValueError) as error:
        raise ArenaError(f"{one_line(url, 80)} answers with something other than a table") from error


def _show(url: str, table: dict[str, Any], form: str) -> None:
    from arena.results.league import standing_table
    from arena.results.table import Report

    try:
        lines, name = table["standings"], one_line(str(table["league"]))
        heading = f"{name}: rules {one_line(str(table['settings']['rules']))}; {int(table['games']):,} games"
        report = Report(heading, [standing_table(lines)]) if lines else None
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
        raise ArenaError(f"{one_line(url, 80)} answers with something other than a table") from error
    if report is None:
        click.echo(f"{heading}\n\nNo bot is in the table yet.")
    else:
        print_report(report, form)
