"""What `arena submit` and `arena standings` do with --server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena.cli.league.shared import print_json
from arena.cli.output import print_report
from arena.errors import ArenaError
from arena.text import indented, one_line

DONE, REFUSED = 0, 1


def submit_to(
    url: str, token: str | None, bot: str, folder: Path | None, called: str | None, again: bool, form: str
) -> int:
    """Submit a bot to a server, wait until it is decided, and show the standings; the exit code."""
    from arena.league.submission import read_submission
    from arena.web.client import Server

    if token is None:
        raise click.UsageError("--server needs --token, or the environment variable ARENA_TOKEN")
    server = Server(url, token.strip())
    submission = read_submission(bot, folder, called)
    if server.plain:
        click.echo(f"Note: {one_line(url)} is not encrypted: others on the way can read the token.", err=True)
    told = server.submit(submission, again)
    click.echo(f"Received: {told['bot']} v{told['version']}. Whoever stops waiting loses nothing.", err=True)
    told = server.wait(told, _say)
    found = server.table(told)
    if form == "json":
        print_json({"submission": told} | found)
    else:
        _show(url, found, form)
    return REFUSED if told["state"] == "refused" else DONE


def _say(told: dict[str, Any]) -> None:
    """Where a submission is, in a line."""
    name = one_line(f"{told['bot']} v{told['version']}")
    state = told["state"]
    if state in ("pending", "placing"):
        doing = {"pending": "being checked", "placing": "being placed"}[state]
        waits = indented(told["waits"]) if told.get("waits") else f"{told['ahead']} ahead"
        text = doing if told["held"] else f"waiting: {waits}"
    elif state == "refused":
        text = f"is refused: {indented(told['reason'])}"
    else:
        text = "is accepted" if state == "active" else f"is {one_line(state)}"
    click.echo(f"{name} {text}" if state not in ("pending", "placing") else f"{name}: {text}", err=True)


def show_standings_of(url: str, form: str) -> None:
    """Show the table of the league of a server."""
    from arena.web.client import Server

    found = Server(url).table()
    if form == "json":
        print_json(found)
    else:
        _show(url, found, form)


def _show(url: str, found: dict[str, Any], form: str) -> None:
    from arena.results.league import standing_table
    from arena.results.table import Report

    try:
        lines, name = found["standings"], str(found["league"])
        heading = f"{one_line(name)}: rules {one_line(str(found['settings']['rules']))}; {int(found['games']):,} games"
        if not lines:
            click.echo(f"{heading}\n\nNo bot is in the table yet.")
            return
        table = standing_table(lines)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ArenaError(f"{one_line(url, 80)} answers with something other than a table") from error
    print_report(Report(heading, [table]), form)
