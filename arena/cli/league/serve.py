"""`arena serve`: a league on the web."""

from __future__ import annotations

import logging

import click

from arena.bots.cores import core_count
from arena.bots.isolation.process import require_isolation
from arena.bots.processes import command_of
from arena.cli.league.show import chosen_league
from arena.cli.printing import refuse_options
from arena.errors import ArenaError
from arena.league.store import open_league
from arena.text import counted
from arena.web.backend import WebSettings
from arena.web.server import serve as run
from arena.web.web_games import PlayLimits


def serve_command(
    name: str | None,
    host: str,
    port: int,
    workers: int | None,
    play: bool,
    secure: bool,
    upload_mb: int,
    games: int,
    guests: int,
    isolation: str | None,
) -> None:
    """Run `arena serve`."""
    with open_league(chosen_league(name)) as league:
        folder, level = league.folder, isolation or league.settings.isolation
        if level != "sandbox" and isolation is None:
            raise ArenaError(
                f"{league.name} runs bots at isolation {level}, with the rights of your user account. To let others"
                f" upload bots anyway, give --isolation {level}"
            )
    require_isolation(level)
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    if workers == 0:
        refuse_options("needs workers, and there are none (--workers 0)", "play")
    if games == 0:
        refuse_options("needs games, and there are none (--games 0)", "guests")
    number = max(core_count() - 1, 1) if workers is None else workers  # the server needs a core: clocks are wall time

    def on_start(port: int) -> None:
        name = f"[{host}]" if ":" in host else host
        by = counted(number, "worker")
        click.echo(f"Serving {folder} at http://{name}:{port}/ with {by}; stop it with Ctrl-C.", err=True)

    words = (["--play"] if play else []) + (["--isolation", isolation] if isolation else [])
    words = ["league", "work", str(folder.resolve()), "--workers", str(number), *words]
    command = command_of("arena.cli.main", *words) if number else None
    run(folder, host, port, command, WebSettings(upload_mb, PlayLimits(games, guests), level, secure), on_start)
