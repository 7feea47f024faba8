"""`arena serve`: a league on the web."""

from __future__ import annotations

import logging

import click

from arena.bots.cores import core_count
from arena.bots.forks import command_of
from arena.bots.isolation.process import require_isolation
from arena.cli import options
from arena.cli.league.shared import league_argument
from arena.cli.league.work import play_too
from arena.errors import ArenaError
from arena.league.store import open_league
from arena.text import counted
from arena.web.backend import WebSettings
from arena.web.play_tables import PlayLimits
from arena.web.server import serve as run


@click.command()
@league_argument
@click.option("--host", default="127.0.0.1", help="Address to listen on (default: 127.0.0.1, this machine only).")
@click.option("--port", type=options.whole_option(0, 65535), default=8000, show_default=True, metavar="N")
@click.option(
    "--workers",
    type=options.whole_option(0, 1024),
    metavar="N",
    help="Games played at the same time (default: one fewer than cores; 0: only serve, play nothing).",
)
@play_too
@click.option("--secure", is_flag=True, help="Mark cookies as Secure. Use this behind HTTPS.")
@click.option(
    "--upload-mb",
    type=options.whole_option(1, 32),
    default=8,
    show_default=True,
    metavar="N",
    help="Largest upload, in MiB.",
)
@click.option(
    "--tables",
    type=options.whole_option(0, 1000),
    default=8,
    show_default=True,
    metavar="N",
    help="Games that visitors may play against bots at the same time (0: none).",
)
@click.option(
    "--guests",
    type=options.whole_option(0, 1000),
    default=2,
    show_default=True,
    metavar="N",
    help="Visitors of one address who may play at the same time without signing in, at up to half of the tables"
    " (0: only authors play).",
)
@options.isolation_of_league
def serve_command(
    name: str,
    host: str,
    port: int,
    workers: int | None,
    play: bool,
    secure: bool,
    upload_mb: int,
    tables: int,
    guests: int,
    isolation: str | None,
) -> None:
    """Serve LEAGUE on the web: its pages, and uploads by invited authors (arena league people).

    \b
    arena serve open --port 8080 --play

    It also plays the league, unless another process does. All commands but arena league work can be used at
    the same time. Stop it with Ctrl-C, which finishes the current games.
    """
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
    words = ["league", "work", str(folder.resolve()), "--workers", str(number), *words]
    command = command_of("arena.cli.main", *words) if number else None
    run(folder, host, port, command, WebSettings(upload_mb, PlayLimits(tables, guests), level, secure), told)
