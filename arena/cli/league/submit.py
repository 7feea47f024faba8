"""`arena submit`: submit a bot to a league."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import click

from arena.bots.cores import core_count
from arena.cli.group import INTERRUPTED
from arena.cli.league.show import show_standings
from arena.cli.league.work import LeagueProgress, session_in_turn, tell_result
from arena.cli.printing import echo_json, refuse_options
from arena.errors import ArenaError
from arena.league import book, oversight, versions
from arena.league.oversight import BudgetSpent
from arena.league.placement import LeagueWork, SubmissionResult
from arena.league.player import checked_level
from arena.league.store import League, open_league, sole_league
from arena.league.submission import check_syntax, read_submission
from arena.league.versions import Version
from arena.text import indented, one_line, utc_text
from arena.web.client import Server

_DONE, _REFUSED = 0, 1


def submit_command(
    bot: str,
    name: str | None,
    server: str | None,
    author: str | None,
    folder: Path | None,
    again: bool,
    workers: int | None,
    isolation: str | None,
    trust: bool,
    form: str,
) -> int:
    """Run `arena submit`."""
    if server is not None:
        refuse_options("does not go with --server, where the invitation says whose bot it is", "author")
        refuse_options("does not go with --server, which plays the games", "name", "workers", "isolation", "trust")
        return submit_to(server, bot, folder, again, form)
    with open_league(name or sole_league(f"arena submit {shlex.quote(bot)} --league")) as league:
        submission = read_submission(bot, folder, author)
        check_syntax(submission)
        checked_level(league, isolation, trust)
        try:
            receipt = book.enqueue(league, submission, again)
        except BudgetSpent as error:
            click.echo(f"{submission.name} is refused: {indented(str(error))}", err=True)
            return _REFUSED
        own = receipt.version
        results = _settled(league, own, workers or core_count(), isolation, trust) if own.state in versions.OPEN else {}
        result = results.pop(own.id, None)
        now = versions.get(league, own.id)
        click.echo(err=True)
        if result is None:
            _tell_known(league, receipt.outcome, now)
        else:
            tell_result(league, result)
        for other in results.values():
            tell_result(league, other)
        outcome = receipt.outcome if own.state not in versions.OPEN else now.state
        told = {"bot": now.name, "version": now.number, "hash": now.hash, "outcome": outcome, "reason": now.reason}
        warnings = [] if result is None else [*result.warnings]
        show_standings(league, form, submission={**told, "warnings": warnings})
    if result is not None and result.interrupted and not result.waits:
        return INTERRUPTED
    return _REFUSED if now.state == versions.REFUSED else _DONE


def _settled(
    league: League, own: Version, workers: int, isolation: str | None, trust: bool
) -> dict[int, SubmissionResult]:
    """Work off the queue, or wait until another process has decided a submission; return how far each has come."""

    def is_over() -> bool:
        return versions.get(league, own.id).state not in versions.OPEN or bool(oversight.paused(league))

    with (
        LeagueProgress() as progress,
        session_in_turn(league, "submit", workers, isolation, progress, trust, is_over) as session,
    ):
        results = dict[int, SubmissionResult]()
        if session is not None:
            LeagueWork(session, lambda result: results.update({result.version.id: result})).handle_waiting()
    now = versions.get(league, own.id)
    if own.id not in results and now.state in versions.OPEN:
        results[own.id] = SubmissionResult(now, waits=oversight.paused(league))
    return results


def _tell_known(league: League, outcome: str, version: Version) -> None:
    """Print the state of a submission for which this process had nothing to do."""
    if outcome == "known":
        text = f"{league.name} already has this content: {version.label}, submitted {utc_text(version.submitted)}."
    elif version.state != versions.REFUSED:
        text = f"{version.label} is {version.state}."
    else:
        text = f"{version.label} was refused {utc_text(version.decided or 0)}: {indented(version.reason)}\n"
        text += "To check it again: --again"
    click.echo(text, err=True)


# ---------------------------------------------------------------- a league on a server


def read_token() -> str:
    """Return the token from ARENA_TOKEN; raise an error if it is missing or invalid.

    It is not an option, because other users of the machine can read the command line.
    """
    token = os.environ.get("ARENA_TOKEN", "").strip()
    if not token:
        raise click.UsageError(
            "--server needs the token of your invitation in ARENA_TOKEN: export ARENA_TOKEN=arena_..."
        )
    if not (token.isascii() and token.isprintable()):
        raise ArenaError("the token is not valid: expected one line of ASCII, such as arena_...")
    return token


def submit_to(url: str, bot: str, folder: Path | None, again: bool, form: str) -> int:
    """Submit a bot to a server, wait until it is decided and print the outcome; return the exit code."""
    server = Server(url, read_token())
    submission = read_submission(bot, folder)
    if server.plain:
        click.echo(f"Note: the connection to {one_line(url)} is not encrypted, so others can read the token.", err=True)
    progress = server.submit(submission, again)
    name = one_line(f"{progress['bot']} v{progress['version']}")
    click.echo(f"Received: {name}. You can stop waiting; nothing is lost.", err=True)
    progress = server.wait(progress, _say)
    if form == "json":
        echo_json({"submission": progress})
    return _REFUSED if progress["state"] == "refused" else _DONE


def _say(progress: dict[str, Any]) -> None:
    """Print the state of a submission on one line."""
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
        click.echo(f"{name} is {one_line(progress['outcome'])}", err=True)
