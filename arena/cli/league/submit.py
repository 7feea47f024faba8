"""`arena submit`: submit a bot to a league."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import options
from arena.cli.league.shared import LeagueProgress, show_standings, tell_result
from arena.cli.main import INTERRUPTED
from arena.cli.output import output
from arena.cli.web.ask import submit_to
from arena.text import indented, utc_text

if TYPE_CHECKING:
    from arena.league.store import League
    from arena.league.versions import Receipt, Version

DONE, REFUSED = 0, 1


@click.command()
@click.argument("bot", shell_complete=options.complete_bots)
@click.option(
    "--league",
    "name",
    metavar="NAME",
    shell_complete=options.complete_leagues,
    help="A name in leagues/, or the folder of a league.",
)
@click.option("--server", metavar="URL", help="A league on the web, instead of --league.")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="For --server: the file with the token of your invitation (default: $ARENA_TOKEN).",
)
@click.option("--name", "called", metavar="N", help="The bot's name (default: its file's name).")
@click.option("--author", metavar="TEXT", help="The bot's author; later versions must name the same one.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Submit all files of DIR; BOT is a file (or command) in it.",
)
@click.option("--again", is_flag=True, help="Check a refused file once more.")
@options.workers
@options.isolation_of_play
@options.trust
@output
def submit(
    bot: str,
    name: str | None,
    server: str | None,
    token_file: Path | None,
    called: str | None,
    author: str | None,
    folder: Path | None,
    again: bool,
    workers: int | None,
    isolation: str | None,
    trust: bool,
    form: str,
) -> int:
    """Submit BOT to a league: store, check and place it, and show the new standings.

    BOT is a file, with any parameters after a colon (bots/mine.py:depth=2). A file of the same name with different
    content is a new version, which replaces the old one.
    """
    if (name is None) == (server is None):
        raise click.UsageError("give either --league NAME or --server URL")
    if server is not None:
        if author is not None:
            raise click.UsageError("for --server, the author is the one who was invited; leave out --author")
        return submit_to(server, token_file, bot, folder, called, again, form)
    assert name is not None
    from arena.bots.processes.affinity import core_count
    from arena.league import placement, versions
    from arena.league.match_runner import open_session
    from arena.league.oversight import BudgetSpent
    from arena.league.store import open_league
    from arena.league.submission import read_submission

    with open_league(name) as league:
        submission = read_submission(bot, folder, called, author)
        if (known := versions.settled(league, submission, again)) is not None:
            _tell_known(league, known)
            return _show(league, known.version, known.outcome, (), form)
        progress = LeagueProgress()
        cores = workers or core_count()
        with open_session(league, "submit", cores, isolation, progress.add, progress.say, trust) as session:
            try:
                receipt, result = placement.submit(session, submission, again)
            except BudgetSpent as error:
                click.echo(f"{submission.name} is refused: {indented(str(error))}", err=True)
                return REFUSED
            others = [] if session.stopping else placement.handle_waiting(session)
        progress.end()
        click.echo(err=True)
        if result is None:
            _tell_known(league, receipt)
        else:
            tell_result(league, result)
            if folder is None:
                _tell_of_missing_files(bot, result.version.reason)
        for other in others:
            tell_result(league, other)
        now = versions.get(league, receipt.version.id)
        outcome = receipt.outcome if result is None else now.state
        code = _show(league, now, outcome, () if result is None else result.warnings, form)
    if result is not None and result.interrupted and not result.waits:
        return INTERRUPTED
    return code


def _show(league: League, now: Version, outcome: str, warnings: Sequence[str], form: str) -> int:
    """Show what has become of a submission, and the standings; the exit code."""
    from arena.league import versions
    from arena.league.rating import standings

    values = {
        "bot": now.name,
        "version": now.number,
        "hash": now.hash,
        "outcome": outcome,
        "reason": now.reason,
        "warnings": list(warnings),
    }
    show_standings(league, standings(league), form, values)
    return REFUSED if now.state == versions.REFUSED else DONE


def _tell_of_missing_files(bot: str, reason: str) -> None:
    """If a bot was refused because a module or file beside it was not submitted, say how to submit both."""
    from arena.bots.spec import find_bot

    path = Path(find_bot(bot).path)
    for module, file in re.findall(r"No module named '(\w+)'|No such file or directory: '([^'/]+)'", reason):
        name = module or file
        if any((path.parent / one).exists() for one in (f"{name}.py", name)):
            home = shlex.quote(os.path.relpath(path.parent))
            click.echo(
                f"{name} is beside it, but only one file is submitted unless you name its folder:\n"
                f"  arena submit {shlex.quote(path.name)} --folder {home} ...",
                err=True,
            )
            return


def _tell_known(league: League, receipt: Receipt) -> None:
    """Say why nothing is done with a submission."""

    one = receipt.version
    text = {
        "new": f"{one.label} is {one.state}.",
        "back": f"{one.label} is {one.state}.",
        "known": f"{league.name} already has this content, as {one.label}, submitted {utc_text(one.submitted)}.",
        "waiting": f"{one.label} is {one.state} already, in another process.",
        "refused": f"{one.label} was refused {utc_text(one.decided or 0)}: {indented(one.reason)}\n"
        "To have it checked once more: --again",
    }[receipt.outcome]
    click.echo(text, err=True)
