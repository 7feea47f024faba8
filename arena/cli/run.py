"""`arena run`, `match`, `tournament` and `sprt`: play games and show the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import click

from arena.bots.bundle import bots_held
from arena.bots.spec import find_bots
from arena.cli.options import (
    PlayOptions,
    format_settings,
    option_of,
)
from arena.cli.playing import config_for, config_of, confirm_bots, play_and_show, with_settings_of
from arena.cli.printing import refuse_options
from arena.cli.sprt_change import change_folder, change_of, change_seed, tested_text
from arena.errors import ArenaError
from arena.paths import STDIN, input_name
from arena.results.run_data import asked_config
from arena.tournament.bot_list import command_field
from arena.tournament.config import named_config
from arena.tournament.folders import run_name
from arena.tournament.formats import FORMATS
from arena.tournament.store.reader import Reader


def run_command(config: str, options: PlayOptions, trust: bool) -> int:
    """Run `arena run`."""
    from arena.results.sources import run_to_play

    stored = run_to_play(config)
    if stored is None:
        refuse_options("is for the folder of a run", "trust")
        settings = named_config(config)
        named = settings.name != input_name(STDIN)
        if not named:  # there is no file whose name it could have
            settings = replace(settings, name=run_name(settings.format, settings.bot_names))
        return play_and_show(with_settings_of(settings, options), options, named)
    refuse_options("is for a new run; leave it out to play on the stored one", "out")
    with Reader(stored.path) as reader:
        settings = asked_config(reader)
        if not (trust or reader.is_own()):
            confirm_bots(stored.path, settings)
    settings = with_settings_of(settings, options, f"settings of {stored.path}")
    return play_and_show(settings, replace(options, out=stored.path))


def match_command(bot1: str, bot2: str, options: PlayOptions) -> int:
    """Run `arena match`."""
    return play_and_show(config_of("match", (bot1, bot2), options, {}), options, named=False)


# ---------------------------------------------------------------- formats with settings of their own


def _format_table(format_: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table of the format's own settings, in the form of a file."""
    given = {key: value for key, value in settings.items() if value not in (None, ())}
    for key in given:
        if format_ not in (formats := format_settings(key)):
            allowed = " or ".join(formats)
            raise ArenaError(f"{option_of(key)} belongs to --format {allowed}, but the format is {format_}")
    table = FORMATS[format_].completed(given)
    return {format_: dict(table)} if table else {}


def tournament_command(
    bots: tuple[str, ...], format_: str, exclude: tuple[str, ...], options: PlayOptions, **settings: Any
) -> int:
    """Run `arena tournament`."""
    field = command_field(bots, exclude)
    tables = _format_table(format_, settings) | {"bots": [bot.table() for bot in field]}
    name = run_name(format_, [bot.name for bot in field])
    return play_and_show(config_of(format_, (), options, tables, name), options, named=False)


def sprt_command(bot1: str, bot2: str | None, options: PlayOptions, **settings: Any) -> int:
    """Run `arena sprt`."""
    tables = _format_table("sprt", settings)
    with bots_held():
        bots, line = change_of(bot1) if bot2 is None else (find_bots((bot1, bot2)), "")
        if not all(bot.labels for bot in bots):
            return play_and_show(config_for("sprt", bots, options, tables), options, named=False)
        options = replace(options, seed=change_seed(bots) if options.seed is None else options.seed)
        config = config_for("sprt", bots, options, tables)
        if line:
            click.echo(f"{line}: {tested_text(bots, config.canonical()['sprt'])}.", err=True)
        return play_and_show(config, replace(options, out=options.out or change_folder(config)), named=False)
