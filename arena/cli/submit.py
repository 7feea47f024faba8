"""`arena submit`: a bot into a league."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import options
from arena.cli.output import chosen, output
from arena.text import indented

if TYPE_CHECKING:
    from arena.league.placement import SubmissionResult
    from arena.league.store import League

DONE, REFUSED, INTERRUPTED = 0, 1, 130


@click.command()
@click.argument("bot", shell_complete=options.complete_bots)
@click.option("--league", "name", required=True, metavar="NAME", shell_complete=options.complete_leagues,
              help="A name in leagues/, or the folder of a league.")  # fmt: skip
@click.option("--name", "called", metavar="N", help="The bot's name (default: that of its file).")
@click.option("--author", metavar="TEXT", help="Who it is from; later versions must say the same.")
@click.option("--folder", type=click.Path(path_type=Path), metavar="DIR",
              help="Submit all files of DIR; BOT is a file (or command) in it.")  # fmt: skip
@click.option("--again", is_flag=True, help="Check a file once more that was refused.")
@options.workers
@options.isolation_of_play
@output
def submit(
    bot: str,
    name: str,
    called: str | None,
    author: str | None,
    folder: Path | None,
    again: bool,
    workers: int | None,
    isolation: str | None,
    format_: str | None,
    as_json: bool,
) -> int:
    """Submit BOT to a league: it is stored, checked, placed by games, and the new standing is shown.

    BOT is a file, with parameters behind a colon if it has any (bots/mine.py:depth=2). A file of the same name
    and another content is a new version, which takes the place of the old one.
    """
    from arena.cli.league import Teller, _one_core, show_standing

    form = chosen(format_, as_json)
    _one_core()
    from arena.league import placement, versions
    from arena.league.match_runner import open_session
    from arena.league.rating import standings
    from arena.league.store import open_league
    from arena.league.submission import read_submission
    from arena.processes.affinity import core_count

    with open_league(name) as league:
        submission = read_submission(bot, folder, called, author)
        tell = Teller()
        with open_session(league, "submit", workers or core_count(), isolation, tell) as session:
            sent = versions.submit(league, session.process.number, submission, again)
            one = sent.version
            own = (
                versions.claim(league, session.process.number, one.id) if one.state in versions.OPEN else None
            )
            outcome = None
            if own is not None:
                outcome = placement.handle_submission(session, own, tell.say)
            others = [] if session.stopping else placement.handle_waiting(session, tell.say)
        tell.end()
        click.echo(err=True)
        if outcome is not None:
            tell_outcome(league, outcome)
            if folder is None:
                _tell_of_helpers(bot, outcome.version.reason)
        else:
            _tell_known(league, sent)
        for other in others:
            tell_outcome(league, other)
        now = versions.get(league, one.id)
        values = {
            "bot": now.name,
            "version": now.number,
            "hash": now.hash,
            "outcome": sent.outcome if outcome is None else now.state,
            "reason": now.reason,
            "warnings": [] if outcome is None else list(outcome.warnings),
        }
        show_standing(league, standings(league), form, values)
    if outcome is not None and outcome.interrupted:
        return INTERRUPTED
    return REFUSED if now.state == versions.REFUSED else DONE


def tell_outcome(league: League, outcome: SubmissionResult) -> None:
    """Say on stderr what has become of a submission."""
    from arena.league.games import forfeits

    one = outcome.version
    for warning in outcome.warnings:
        click.echo(f"{one.label}: {indented(warning)}", err=True)
    if outcome.interrupted:
        text = (
            f"Interrupted: {one.label} is {one.state}, {outcome.games} games are stored. Go on with:\n"
            f"  arena league play {shlex.quote(str(league.folder))}"
        )
    elif not outcome.accepted:
        text = f"{one.label} is refused: {indented(one.reason)}"
    else:
        place = outcome.standing.row_of(one.id) if outcome.standing else None
        text = f"{one.label} is accepted"
        if place is not None and place.elo is not None:
            error = "" if place.error is None else f" ± {place.error:.0f}"
            text += f": {place.elo:+z.0f}{error} Elo after {place.games} games, place {place.rank}"
            settings = league.settings
            if (
                place.error is not None
                and place.error > settings.error
                and place.games >= settings.most_games
            ):
                text += f" (less sure than ±{settings.error:g}, but {settings.most_games} games are the most)"
        lost = sum(fault.games for fault in forfeits(league, [one.id]))
        if lost:
            text += (
                f". It has forfeited {lost} of them: arena league show {shlex.quote(league.name)} {one.name}"
            )
        if outcome.replaced is not None and outcome.replaced.id != one.id:
            text += f". It replaces v{outcome.replaced.number}"
    click.echo(text, err=True)


def _tell_of_helpers(bot: str, reason: str) -> None:
    """If a bot was refused for want of a module or a file that lies beside it here: how to submit both."""
    from arena.players.spec import find_bot

    path = Path(find_bot(bot).path)
    for module, file in re.findall(r"No module named '(\w+)'|No such file or directory: '([^'/]+)'", reason):
        name = module or file
        if any((path.parent / one).exists() for one in (f"{name}.py", name)):
            home = shlex.quote(os.path.relpath(path.parent))
            click.echo(
                f"{name} lies beside it, and a submission is one file unless you give its folder:\n"
                f"  arena submit {shlex.quote(path.name)} --folder {home} ...",
                err=True,
            )
            return


def _tell_known(league: League, sent: object) -> None:
    from arena.league.versions import Receipt, date

    assert isinstance(sent, Receipt)
    one = sent.version
    text = {
        "known": f"This content is in {league.name} already, as {one.label}, submitted {date(one.submitted)}.",
        "waiting": f"{one.label} is {one.state} already, by another process.",
        "refused": f"{one.label} was refused {date(one.decided or 0)}: {indented(one.reason)}\n"
        "To have it checked once more: --again",
    }[sent.outcome]
    click.echo(text, err=True)
