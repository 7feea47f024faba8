"""`arena league play`, `work`, `pause` and `retire`, and `arena serve`: commands that run a league."""

from __future__ import annotations

import logging
import shlex
from importlib.util import find_spec

import click

from arena.bots.isolation.process import require_isolation
from arena.bots.processes import core_count
from arena.cli import options
from arena.cli.league.shared import LeagueProgress, league_argument, show_standings, tell_result
from arena.cli.main import INTERRUPTED
from arena.errors import ArenaError
from arena.league import oversight
from arena.league.match_runner import open_session
from arena.league.placement import SubmissionResult, handle_waiting, play_games
from arena.league.placement import retire as change
from arena.league.rating import standings
from arena.league.store import open_league
from arena.text import counted

play_too = click.option("--play", is_flag=True, help="Play more games while no submission waits, to narrow the errors.")


@click.command()
@league_argument
@click.option(
    "--max-games", type=options.whole(1), metavar="N", help="Stop after N games (default: play until Ctrl-C)."
)
@options.workers
@options.isolation_of_league
@options.trust
@options.output
def play(name: str, max_games: int | None, workers: int | None, isolation: str | None, trust: bool, form: str) -> int:
    """Play the least certain pairings of LEAGUE until Ctrl-C, or N games, and show the table.

    \b
    arena league play open --max-games 1000

    Unfinished submissions are finished first. Several of these commands may run side by side.
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
            open_session(league, "play", cores, isolation, progress.add, progress.say, trust) as session,
        ):
            for result in handle_waiting(session) if session.wait_while_paused() else ():
                told(result)
            played = 0 if session.stopping else play_games(session, max_games, told)
            stopped = session.stopping
        show_standings(league, standings(league), form, {"played": played, "interrupted": stopped})
    left = any(result.interrupted and not result.waits for result in results)
    unfinished = left or (max_games is not None and played < max_games)
    return INTERRUPTED if stopped and unfinished else 0


@click.command()
@league_argument
@play_too
@options.workers
@options.isolation_of_league
@options.trust
def work(
    name: str,
    play: bool,
    workers: int | None,
    isolation: str | None,
    trust: bool,
) -> None:
    """Check and place submissions to LEAGUE as they come, until Ctrl-C. Several of these may run side by side.

    \b
    arena league work open --workers 4

    `arena serve` starts some, each with one core.
    """
    from arena.web.serve import work as work_on

    with open_league(name) as league:

        def told(result: SubmissionResult) -> None:
            progress.end()
            tell_result(league, result)

        with (
            LeagueProgress() as progress,
            open_session(league, "work", workers or 1, isolation, progress.add, progress.say, trust) as session,
        ):
            work_on(session, play, told)


@click.command()
@league_argument
@click.option("--reason", default="", metavar="TEXT", help="The reason, shown to everybody who waits.")
@click.option("--undo", is_flag=True, help="End the pause; waiting commands continue.")
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
            oversight.pause(league, reason)
            click.echo(f"{league.name} is paused. To end the pause: arena league pause {shlex.quote(name)} --undo")


@click.command()
@league_argument
@click.argument("bot")
@click.option("--reason", default="", metavar="TEXT", help="The reason, shown in the history.")
@click.option("--undo", is_flag=True, help="Bring the bot back.")
@options.output
def retire(name: str, bot: str, reason: str, undo: bool, form: str) -> None:
    """Take BOT out of the table of LEAGUE. Its games stay in the history but no longer count.

    \b
    arena league retire open oldbot --reason "replaced by newbot"
    """
    with open_league(name) as league:
        after = change(league, bot, reason, undo)
        click.echo(f"{bot} is {'back' if undo else 'out of the table'}.", err=True)
        if bot == league.settings.anchor:
            scale = (
                f"its rating is {league.settings.anchor_elo:g}" if undo else "without it, the mean of the table is 0"
            )
            click.echo(f"It is the anchor: {scale}, so all ratings have moved.", err=True)
        show_standings(league, after, form)


# ---------------------------------------------------------------- on the web


@click.command()
@league_argument
@click.option("--host", default="127.0.0.1", help="Address to listen on (default: 127.0.0.1, this machine only).")
@click.option("--port", type=options.whole(0, 65535), default=8000, show_default=True, metavar="N")
@click.option(
    "--workers",
    type=options.whole(0, 1024),
    metavar="N",
    help="Processes that check and place bots (default: one fewer than cores; 0: none).",
)
@play_too
@click.option("--secure", is_flag=True, help="Mark cookies as Secure. Use this behind HTTPS.")
@click.option(
    "--uploads",
    type=options.whole(1),
    default=20,
    show_default=True,
    metavar="N",
    help="Uploads per author per hour.",
)
@click.option(
    "--upload-mb", type=options.whole(1, 32), default=8, show_default=True, metavar="N", help="Largest upload, in MiB."
)
@click.option(
    "--bots",
    type=options.whole(1),
    default=5,
    show_default=True,
    metavar="N",
    help="Bots per author, in the table or on their way there.",
)
@click.option(
    "--tables",
    type=options.whole(0, 1000),
    default=8,
    show_default=True,
    metavar="N",
    help="Games that visitors may play against bots at the same time (0: none).",
)
@click.option(
    "--guests/--no-guests",
    default=True,
    help="Let visitors play without signing in, at up to half of the tables (default: yes).",
)
@options.isolation_of_league
def serve(
    name: str,
    host: str,
    port: int,
    workers: int | None,
    play: bool,
    secure: bool,
    uploads: int,
    upload_mb: int,
    bots: int,
    tables: int,
    guests: bool,
    isolation: str | None,
) -> None:
    """Serve LEAGUE on the web: its pages, and uploads by invited authors (arena league people).

    \b
    arena serve open --port 8080 --play

    The commands of arena league can be used at the same time. Stop it with Ctrl-C, which finishes the current games.
    """
    require_web()
    from arena.web.backend import WebSettings
    from arena.web.play_tables import PlayLimits
    from arena.web.serve import serve as run
    from arena.web.uploads import UploadLimits

    with open_league(name) as league:
        folder, level = league.folder, isolation or league.settings.isolation
        if level != "sandbox" and isolation is None:
            raise ArenaError(
                f"{league.name} runs bots at isolation {level}, with the rights of your user account. To let others"
                f" upload bots anyway, give --isolation {level}"
            )
    require_isolation(level)
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    number = max(core_count() - 1, 1) if workers is None else workers  # the server needs a core: clocks are wall time

    def told(port: int) -> None:
        name = f"[{host}]" if ":" in host else host
        by = counted(number, "worker")
        click.echo(f"Serving {folder} at http://{name}:{port}/ with {by}; stop it with Ctrl-C.", err=True)

    words = (["--play"] if play else []) + (["--isolation", isolation] if isolation else [])
    limits = UploadLimits(uploads, upload_mb, bots)
    run(folder, host, port, number, words, WebSettings(limits, PlayLimits(tables, guests), level, secure), told)


def require_web() -> None:
    """Raise ArenaError unless the libraries of the extra `web` are installed."""
    missing = [name for name in ("starlette", "uvicorn", "h11", "python_multipart") if find_spec(name) is None]
    if missing:
        raise ArenaError(
            f"serving a league needs {', '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not installed:"
            " pip install 'schotten-arena[web]'"
        )
