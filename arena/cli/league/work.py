"""`arena league play`, `work`, `pause` and `retire`, and `arena serve`: commands that run a league."""

from __future__ import annotations

import shlex

import click

from arena.bots.cores import core_count
from arena.cli import options
from arena.cli.group import INTERRUPTED
from arena.cli.league.shared import LeagueProgress, league_argument, league_before, session_in_turn, tell_result
from arena.cli.league.tables import show_standings
from arena.league import oversight
from arena.league.match_runner import open_session
from arena.league.placement import SubmissionResult, handle_waiting, play_more, work_on
from arena.league.placement import retire_version as change
from arena.league.rating import league_standings
from arena.league.store import open_league

play_too = click.option("--play", is_flag=True, help="Play more games while no submission waits, to narrow the errors.")


@click.command("play")
@league_argument
@click.option(
    "--max-games", type=options.whole_option(1), metavar="N", help="Stop after N games (default: play until Ctrl-C)."
)
@options.workers
@options.isolation_of_league
@options.trust
@options.output
def play_league_command(
    name: str, max_games: int | None, workers: int | None, isolation: str | None, trust: bool, form: str
) -> int:
    """Play the least certain pairings of LEAGUE until Ctrl-C, or N games, and show the table.

    \b
    arena league play open --max-games 1000

    Unfinished submissions are finished first. One process plays a league at a time.
    """
    with open_league(name) as league:
        cores = workers or core_count()
        results: list[SubmissionResult] = []

        def told(result: SubmissionResult) -> None:
            results.append(result)
            progress.end()
            tell_result(league, result)

        with (
            LeagueProgress() as progress,
            open_session(league, "league play", cores, isolation, progress.add, progress.say, trust) as session,
        ):
            for result in handle_waiting(session) if session.wait_while_paused() else ():
                told(result)
            played = 0 if session.stopping else play_more(session, max_games, told)
            stopped = session.stopping
        show_standings(league, league_standings(league), form, {"played": played, "interrupted": stopped})
    left = any(result.interrupted and not result.waits for result in results)
    unfinished = left or (max_games is not None and played < max_games)
    return INTERRUPTED if stopped and unfinished else 0


@click.command()
@league_argument
@play_too
@options.workers
@options.isolation_of_league
@options.trust
def work_command(
    name: str,
    play: bool,
    workers: int | None,
    isolation: str | None,
    trust: bool,
) -> None:
    """Check and place submissions to LEAGUE as they come, until Ctrl-C.

    \b
    arena league work open --workers 4

    One process plays a league at a time; if there is one, this command waits until it ends. `arena serve` starts one.
    """
    with open_league(name) as league:

        def told(result: SubmissionResult) -> None:
            progress.end()
            tell_result(league, result)

        with (
            LeagueProgress() as progress,
            session_in_turn(league, "league work", workers or 1, isolation, progress, trust) as session,
        ):
            assert session is not None
            work_on(session, play, told)


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
        after = change(league, bot, reason, undo)
        click.echo(f"{bot} is {'back' if undo else 'out of the table'}.", err=True)
        if bot == league.settings.anchor:
            scale = f"its rating is {league.settings.anchor_elo:g}" if undo else "without it, the table's average is 0"
            click.echo(f"It is the anchor: {scale}, so all ratings have moved.", err=True)
        show_standings(league, after, form)


# ---------------------------------------------------------------- on the web
