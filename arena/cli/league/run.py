"""`arena league play` and `arena league retire`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import options
from arena.cli.league.shared import league_argument, progress_of, show_standings, tell_result
from arena.cli.main import INTERRUPTED
from arena.cli.output import output

if TYPE_CHECKING:
    from arena.league.placement import SubmissionResult


@click.command()
@league_argument
@click.option("--games", type=options.whole(1), metavar="N", help="Stop after N games (default: Ctrl-C).")
@options.workers
@options.isolation_of_play
@options.trust
@output
def play(name: str, games: int | None, workers: int | None, isolation: str | None, trust: bool, form: str) -> int:
    """Play the least certain pairings of LEAGUE, until Ctrl-C or for N games, and show the table.

    Unfinished submissions are finished first. Several of these may run side by side.
    """
    return _play(name, games, workers, isolation, trust, form)


def resume(folder: Path, workers: int | None, trust: bool, as_json: bool) -> int:
    """Finish what was submitted to the league in a folder and interrupted; play nothing beyond that."""
    return _play(folder, 0, workers, None, trust, "json" if as_json else "table")


def _play(
    name: str | Path, games: int | None, workers: int | None, isolation: str | None, trust: bool, form: str
) -> int:
    """Finish what waits, then play so many games; show the table."""
    from arena.bots.processes.affinity import core_count
    from arena.league.match_runner import open_session
    from arena.league.placement import handle_waiting
    from arena.league.play import play_games
    from arena.league.rating import standings
    from arena.league.store import open_league

    with open_league(name) as found:
        progress = progress_of(games)
        cores = workers or core_count()
        results: list[SubmissionResult] = []

        def told(result: SubmissionResult) -> None:
            results.append(result)
            progress.end()
            tell_result(found, result)

        with open_session(found, "play", cores, isolation, progress.add, progress.say, trust) as session:
            for result in handle_waiting(session) if session.wait_while_paused() else ():
                told(result)
            played = 0 if session.stopping or games == 0 else play_games(session, games, told, progress.show)
            stopped = session.stopping
        progress.end()
        show_standings(found, standings(found), form, {"played": played, "interrupted": stopped})
    left = any(result.interrupted and not result.waits for result in results)
    unfinished = left or (games is not None and played < games)
    return INTERRUPTED if stopped and unfinished else 0


@click.command()
@league_argument
@click.argument("bot")
@click.option("--reason", default="", help="Why, for the history.")
@click.option("--undo", is_flag=True, help="Bring it back.")
@output
def retire(name: str, bot: str, reason: str, undo: bool, form: str) -> None:
    """Take BOT out of the table of LEAGUE. Its games stay in the history but no longer count."""
    from arena.league.placement import retire as change
    from arena.league.store import open_league

    with open_league(name) as found:
        after = change(found, bot, reason, undo)
        click.echo(f"{bot} is {'back' if undo else 'out of the table'}.", err=True)
        if bot == found.settings.anchor:
            scale = f"{found.settings.anchor_elo:g} again" if undo else "none: the mean of the table is 0"
            click.echo(f"It is the anchor. Its rating is {scale}, so all ratings have moved.", err=True)
        show_standings(found, after, form)
