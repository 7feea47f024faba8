"""`arena serve` and `arena league work`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import click

from arena.cli import options
from arena.cli.league.shared import LeagueProgress, league_argument, tell_result
from arena.cli.web import require_web
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.league.placement import SubmissionResult


@click.command()
@league_argument
@click.option("--host", default="127.0.0.1", help="Address to listen on (default: this machine only).")
@click.option("--port", type=options.whole(0, 65535), default=8000, show_default=True, metavar="N")
@click.option(
    "--workers",
    type=options.whole(0, 1024),
    metavar="N",
    help="Processes that check and place bots (default: one fewer than cores; 0: none).",
)
@click.option("--play", is_flag=True, help="Play more games while no submission waits, to narrow the errors.")
@click.option("--secure", is_flag=True, help="Browsers reach it by HTTPS: send cookies by nothing else.")
@click.option(
    "--uploads",
    type=options.whole(1),
    default=20,
    show_default=True,
    metavar="N",
    help="Uploads per author in an hour.",
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
    help="Bots of an author in the table or on their way there.",
)
@click.option(
    "--tables",
    type=options.whole(0, 1000),
    default=8,
    show_default=True,
    metavar="N",
    help="Games of people against bots at a time; 0: none.",
)
@click.option("--guests", is_flag=True, help="Let people play who are not signed in, at half of the tables.")
@options.where_to_play
@options.isolation_of_play
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
    executor: str | None,
    scheduler: str | None,
    isolation: str | None,
) -> None:
    """Serve LEAGUE on the web: its pages, and uploads by authors that were invited (arena league invite).

    The commands of arena league can be used on it at the same time. Stop it with Ctrl-C: games in hand are finished.
    """
    require_web()
    options.executor_of(executor, scheduler)  # said here, not by a worker
    from arena.bots.isolation.process import require_isolation
    from arena.bots.processes.affinity import core_count
    from arena.league.store import open_league
    from arena.web.playing.tables import PlayLimits
    from arena.web.queue import Limits
    from arena.web.serve import serve as run
    from arena.web.state import WebSettings

    with open_league(name) as found:
        folder, level = found.folder, isolation or found.settings.isolation
        if level != "sandbox" and isolation is None:
            raise ArenaError(
                f"{found.name} plays its bots at isolation {level}, where they can do what you can. To let others"
                f" upload bots to it all the same: --isolation {level}"
            )
    require_isolation(level)
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    number = max(core_count() - 1, 1) if workers is None else workers  # the server needs a core: clocks are wall time

    def told(port: int) -> None:
        at = f"[{host}]" if ":" in host else host
        by = f"{number} worker{'' if number == 1 else 's'}"
        click.echo(f"Serving {folder} at http://{at}:{port}/ with {by}; Ctrl-C stops it.", err=True)

    words = ["--play"] if play else []
    for option, value in (("isolation", isolation), ("executor", executor), ("scheduler", scheduler)):
        words += [f"--{option}", value] if value else []
    limits = Limits(uploads, upload_mb, bots)
    run(folder, host, port, number, words, WebSettings(limits, PlayLimits(tables, guests), level, secure), told)


@click.command()
@league_argument
@click.option("--play", is_flag=True, help="Play more games while no submission waits, to narrow the errors.")
@options.workers
@options.where_to_play
@options.isolation_of_play
@options.trust
def work(
    name: str,
    play: bool,
    workers: int | None,
    executor: str | None,
    scheduler: str | None,
    isolation: str | None,
    trust: bool,
) -> None:
    """Check and place what is submitted to LEAGUE as it comes, until Ctrl-C. Several may run side by side.

    `arena serve` starts some of these, with a core each.
    """
    from arena.league.match_runner import open_session
    from arena.league.store import open_league
    from arena.web.work import work as go_on

    with open_league(name) as found:
        progress = LeagueProgress()

        def told(result: SubmissionResult) -> None:
            tell_result(found, result)

        with open_session(
            found,
            "work",
            workers or 1,
            isolation,
            progress.add,
            progress.say,
            trust,
            *options.executor_of(executor, scheduler),
        ) as session:
            go_on(session, play, told)
        progress.end()
