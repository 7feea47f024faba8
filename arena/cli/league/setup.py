"""`arena league create`."""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from arena.bots.isolation.process import require_isolation
from arena.cli.options import BANK_MS, ISOLATION, rules
from arena.errors import ArenaError
from arena.league import oversight
from arena.league.settings import load_settings, merged
from arena.league.store import LEAGUES, create_league
from arena.league.views import describe


@click.command()
@click.argument("name")
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE.toml", help="Settings of the league.")
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of the file, such as placement.error=30."
)
@rules
@click.option("--isolation", type=ISOLATION, help="Where bots run (default: sandbox).")
@click.option(
    "--move-ms", type=BANK_MS, metavar="MS", help="Time per decision, in milliseconds (default: 1000; 0: no limit)."
)
@click.option("--bank-ms", type=BANK_MS, metavar="MS", help="Extra time per game, in milliseconds.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder of the league (default: leagues/NAME).",
)
def create(
    name: str,
    config: Path | None,
    settings: tuple[str, ...],
    rules: str | None,
    isolation: str | None,
    move_ms: int | None,
    bank_ms: int | None,
    out: Path | None,
) -> None:
    """Create the league NAME. Its settings cannot be changed later; options take precedence over the file.

    \b
    arena league create open --rules tactical --set placement.error=30
    arena league create open --config open.toml

    To start a file from an example: arena config leagues/open > open.toml
    """
    clock = {key: ms for key, ms in (("move_ms", move_ms), ("bank_ms", bank_ms)) if ms is not None}
    options: dict[str, Any] = {"rules": rules, "isolation": isolation, "clock": clock or None}
    given = {key: value for key, value in options.items() if value is not None}
    checked = load_settings(config, name, merged(given, read_settings(settings)))
    require_isolation(checked.isolation)
    folder = LEAGUES / checked.name if out is None else out
    with create_league(folder, checked) as league:
        oversight.record(league, "create", "created", detail=describe(checked))
    click.echo(f"Created the league {checked.name} in {folder}: {describe(checked)}.")
    submit_to = checked.name if out is None else str(folder)
    click.echo(f"Submit a bot: arena submit bots/mine.py --league {shlex.quote(submit_to)}")


def read_settings(texts: Sequence[str]) -> dict[str, Any]:
    """Settings such as a TOML file gives them, from texts KEY=VALUE; a string needs no quotes.

    >>> read_settings(["placement.error=30", "rating.anchor=greedy"])
    {'placement': {'error': 30}, 'rating': {'anchor': 'greedy'}}
    """
    settings: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        for line in (text, f"{key}={json.dumps(value.strip())}"):
            try:
                table = tomllib.loads(line)
                break
            except tomllib.TOMLDecodeError:
                table = {}
        if not table or not equals:
            raise ArenaError(f"--set {text}: expected KEY=VALUE, such as placement.error=30")
        settings = merged(settings, table)
    return settings
