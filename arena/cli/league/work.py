"""`arena league work`, `pause` and `retire`: commands that run a league."""

from __future__ import annotations

import math
import shlex

import click

from arena.bots.cores import core_count
from arena.cli import options
from arena.cli.group import INTERRUPTED
from arena.cli.league.shared import LeagueProgress, league_argument, league_before, session_in_turn, tell_result
from arena.cli.league.tables import show_standings
from arena.league import book, oversight
from arena.league.placement import LeagueWork, SubmissionResult
from arena.league.store import open_league

play_too = click.option("--play", is_flag=True, help="Play more games while no submission waits, to narrow the errors.")


@click.command()
@league_argument
@play_too
@click.option(
    "--max-games",
    type=options.whole_option(0),
    metavar="N",
    help="Stop after N more games, which are played while no submission waits (0: stop as soon as none waits).",
)
@options.workers
@options.isolation_of_league
@options.trust
@options.output
def work_command(
    name: str, play: bool, max_games: int | None, workers: int | None, isolation: str | None, trust: bool, form: str
) -> int:
    """Check and place submissions to LEAGUE as they come, until Ctrl-C; then show the table.

    \b
    arena league work open --workers 4
    arena league work open --max-games 1000

    One process plays a league at a time; if there is one, this command waits until it ends. `arena serve` starts one.
    """
    if play and max_games is not None:
        raise click.UsageError("--play goes on until Ctrl-C and --max-games does not; give one of them")
    with open_league(name) as league:
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


@click.command()
@league_argument
@click.option("--reason", default="", metavar="TEXT", help="The reason, shown to everybody who waits.")
@click.option("--undo", is_flag=True, help="End the pause; waiting commands continue.")
def pause_command(name: str, reason: str, undo: bool) -> None:
    """Pause LEAGUE: games in progress are finished, then everything waits. Bots can still be submitted.

    \b
    arena league pause open --reason "moving to another machine"
    arena league pause open --undo
    """
    with open_league(name) as league:
        if undo:
            oversight.resume_league(league)
            click.echo(f"{league.name} is no longer paused.")
        else:
            oversight.pause_league(league, reason)
            click.echo(f"{league.name} is paused. To end the pause: arena league pause {shlex.quote(name)} --undo")


@click.command()
@league_before
@click.argument("bot")
@click.option("--reason", default="", metavar="TEXT", help="The reason, shown in the history.")
@click.option("--undo", is_flag=True, help="Bring the bot back.")
@options.output
def retire_command(name: str, bot: str, reason: str, undo: bool, form: str) -> None:
    """Take BOT out of the table of LEAGUE. Its games stay in the history but no longer count.

    \b
    arena league retire open oldbot --reason "replaced by newbot"
    """
    with open_league(name) as league:
        if undo:
            book.bring_back(league, bot, reason)
        else:
            book.retire(league, bot, reason)
        click.echo(f"{bot} is {'back' if undo else 'out of the table'}.", err=True)
        if bot == league.settings.anchor:
            scale = f"its rating is {league.settings.anchor_elo:g}" if undo else "without it, the table's average is 0"
            click.echo(f"It is the anchor: {scale}, so all ratings have moved.", err=True)
        show_standings(league, form)
