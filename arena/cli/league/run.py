"""`arena league play`, `pause` and `retire`: commands that change a league."""

from __future__ import annotations

import shlex

import click

from arena.bots.processes import core_count
from arena.cli.league.shared import LeagueProgress, league_argument, show_standings, tell_result
from arena.cli.main import INTERRUPTED
from arena.cli.options import isolation_of_league, output, trust, whole, workers
from arena.league import oversight
from arena.league.match_runner import open_session
from arena.league.placement import SubmissionResult, handle_waiting, play_games
from arena.league.placement import retire as change
from arena.league.rating import standings
from arena.league.store import open_league
from arena.text import one_line

LONGEST_REASON = 200


@click.command()
@league_argument
@click.option("--max-games", type=whole(1), metavar="N", help="Stop after N games (default: play until Ctrl-C).")
@workers
@isolation_of_league
@trust
@output
def play(name: str, max_games: int | None, workers: int | None, isolation: str | None, trust: bool, form: str) -> int:
    """Play the least certain pairings of LEAGUE until Ctrl-C, or N games, and show the table.

    \b
    arena league play open --max-games 1000

    Unfinished submissions are finished first. Several of these commands may run side by side.
    """
    with open_league(name) as league:
        progress = LeagueProgress()
        cores = workers or core_count()
        results: list[SubmissionResult] = []

        def told(result: SubmissionResult) -> None:
            results.append(result)
            progress.end()
            tell_result(league, result)

        with open_session(league, "play", cores, isolation, progress.add, progress.say, trust) as session:
            for result in handle_waiting(session) if session.wait_while_paused() else ():
                told(result)
            played = 0 if session.stopping else play_games(session, max_games, told)
            stopped = session.stopping
        progress.end()
        show_standings(league, standings(league), form, {"played": played, "interrupted": stopped})
    left = any(result.interrupted and not result.waits for result in results)
    unfinished = left or (max_games is not None and played < max_games)
    return INTERRUPTED if stopped and unfinished else 0


@click.command()
@league_argument
@click.option("--reason", default="", metavar="TEXT", help="Why; shown to everybody who waits.")
@click.option("--undo", is_flag=True, help="End the pause: commands that wait continue.")
def pause(name: str, reason: str, undo: bool) -> None:
    """Pause LEAGUE: games in progress are finished, then everything waits. Bots can still be submitted.

    \b
    arena league pause open --reason "moving to another machine"
    arena league pause open --undo
    """
    with open_league(name) as league:
        if undo:
            oversight.resume(league)
            click.echo(f"{league.name} is no longer paused.")
        else:
            oversight.pause(league, one_line(reason, LONGEST_REASON))
            click.echo(f"{league.name} is paused. To end the pause: arena league pause {shlex.quote(name)} --undo")


@click.command()
@league_argument
@click.argument("bot")
@click.option("--reason", default="", metavar="TEXT", help="Why; shown in the history.")
@click.option("--undo", is_flag=True, help="Bring the bot back.")
@output
def retire(name: str, bot: str, reason: str, undo: bool, form: str) -> None:
    """Take BOT out of the table of LEAGUE. Its games stay in the history but no longer count.

    \b
    arena league retire open oldbot --reason "replaced by newbot"
    """
    with open_league(name) as league:
        after = change(league, bot, reason, undo)
        click.echo(f"{bot} is {'back' if undo else 'out of the table'}.", err=True)
        if bot == league.settings.anchor:
            scale = f"{league.settings.anchor_elo:g} again" if undo else "none: the mean of the table is 0"
            click.echo(f"It is the anchor. Its rating is {scale}, so all ratings have moved.", err=True)
        show_standings(league, after, form)
