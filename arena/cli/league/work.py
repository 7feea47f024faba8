"""`arena league work`, `pause` and `retire`: commands that run a league."""

from __future__ import annotations

import math
import shlex

import click

from arena.bots.cores import core_count
from arena.cli.group import INTERRUPTED
from arena.cli.league.shared import LeagueProgress, chosen_league, session_in_turn, tell_result
from arena.cli.league.show import show_standings
from arena.cli.printing import refuse_options
from arena.league import book, oversight
from arena.league.placement import LeagueWork, SubmissionResult
from arena.league.store import open_league


def work_command(
    name: str | None,
    play: bool,
    max_games: int | None,
    workers: int | None,
    isolation: str | None,
    trust: bool,
    form: str,
) -> int:
    """Run `arena league work`."""
    if play and max_games is not None:
        raise click.UsageError("--play goes on until Ctrl-C and --max-games does not; give one of them")
    with open_league(chosen_league(name)) as league:
        left = False

        def on_result(result: SubmissionResult) -> None:
            nonlocal left
            left = result.interrupted and not result.waits
            progress.end()
            tell_result(league, result)

        cores = workers or (1 if max_games is None else core_count())
        with (
            LeagueProgress() as progress,
            session_in_turn(league, "league work", cores, isolation, progress, trust) as session,
        ):
            assert session is not None
            games = math.inf if play else max_games or 0
            played = LeagueWork(session, on_result).go_on(games, waits=max_games is None)
            stopped = session.signals.stopping
        show_standings(league, form, played=played, interrupted=stopped)
    return INTERRUPTED if stopped and max_games is not None and (left or played < max_games) else 0


def pause_command(name: str | None, reason: str, undo: bool) -> None:
    """Run `arena league pause`."""
    name = chosen_league(name)
    if undo:
        refuse_options("is for a pause, not for its end", "reason")
    with open_league(name) as league:
        if undo:
            oversight.resume_league(league)
            click.echo(f"{league.name} is no longer paused.")
        else:
            oversight.pause_league(league, reason)
            click.echo(f"{league.name} is paused. To end the pause: arena league pause {shlex.quote(name)} --undo")


def retire_command(name: tuple[str, ...], bot: str, reason: str, undo: bool) -> None:
    """Run `arena league retire`."""
    with open_league(chosen_league(name)) as league:
        if undo:
            book.bring_back(league, bot, reason)
        else:
            book.retire(league, bot, reason)
        click.echo(f"{bot} is {'back' if undo else 'out of the table'}.", err=True)
        if bot == league.settings.anchor:
            scale = f"its rating is {league.settings.anchor_elo:g}" if undo else "without it, the table's average is 0"
            click.echo(f"It is the anchor: {scale}, so all ratings have moved.", err=True)
        show_standings(league, "table")
