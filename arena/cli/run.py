"""`arena run`, `match`, `tournament` and `sprt`: play games and show the result."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import click

from arena.bots.bundle import bots_held
from arena.bots.faults import BotError
from arena.bots.revision import find_revision, is_shallow, same_files, split_revision, versions
from arena.bots.spec import BotSpec, find_bot, find_bots, params_text, parse_spec, with_versions
from arena.cli.options import PlayOptions, format_settings, option_of
from arena.cli.playing import config_of, confirm_bots, play_and_show, with_settings_of
from arena.cli.printing import refuse_options
from arena.errors import ArenaError
from arena.paths import RESULTS, STDIN, input_name
from arena.results.run_data import asked_config
from arena.text import one_line
from arena.tournament.bot_list import command_field
from arena.tournament.config import TournamentConfig, named_config
from arena.tournament.folders import marked_folder, run_name, stored_run
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
    return play_and_show(config_of("match", find_bots((bot1, bot2)), options, {}), options, named=False)


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
            return play_and_show(config_of("sprt", bots, options, tables), options, named=False)
        options = replace(options, seed=change_seed(bots) if options.seed is None else options.seed)
        config = config_of("sprt", bots, options, tables)
        if line:
            click.echo(f"{line}: {tested_text(bots, config.canonical()['sprt'])}.", err=True)
        return play_and_show(config, replace(options, out=options.out or change_folder(config)), named=False)


# ---------------------------------------------------------------- two versions of one bot


_SEEDS = 10**8


def change_of(text: str) -> tuple[list[BotSpec], str]:
    """Return a bot and the version before it, which takes the same parameters, and a line that says which these are.

    A bot that is not as committed is tested against the last commit's version. ArenaError if there is none before it.
    """
    spec, parts, here = find_bot(text), parse_spec(text), Path.cwd()
    if spec.bundle is None or not (spec.revision or parts.target.endswith(".py")):
        raise BotError(f"{parts.target} has no versions; name two bots, or the file of one")
    path, _ = split_revision(parts.target, here) or (parts.target, "")
    file = spec.revision or find_revision(path, "HEAD", here)
    older = versions(file, file.commit)
    if (last := next(older, None)) is None:
        raise ArenaError(
            f"{path} is in no commit yet, so there is nothing to compare it with; commit it, then change it"
        )
    options = params_text(parts.params)
    stem = one_line(Path(path).stem)
    if same_files(spec.bundle, file.bundle):
        before = next(older, None)
        if before is None:
            why = "this clone is shallow: git fetch --unshallow" if is_shallow(file.top) else "change it, and ask again"
            raise ArenaError(f"{path} is as committed in {last.about.text}, and there is no version before it; {why}")
        spec = find_bot(f"{path}@{last.commit}{options}", name=parts.name)
        line = f"{stem}@{last.about.text}, against {stem}@{before.about.text}"
    else:
        before = last
        line = f"{stem}, changed since {before.about.text}, against {stem}@{before.commit[:7]}"
    return with_versions([spec, find_bot(f"{path}@{before.commit}{options}")]), line


def change_seed(bots: Sequence[BotSpec]) -> int:
    """Return the seed of a test: the same for the same two bots, another one for each new version."""
    text = json.dumps([[bot.source_hash, {key: str(value) for key, value in bot.params}] for bot in bots])
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) % _SEEDS


def change_folder(config: TournamentConfig) -> Path:
    """Return the folder of the test of two versions, wherever they are read from."""
    settings = config.canonical()
    bots = [{key: value for key, value in bot.items() if key != "spec"} for bot in settings["bots"]]
    return marked_folder(config.name, settings | {"bots": bots}, config)


def tested_text(bots: Sequence[BotSpec], test: Mapping[str, Any]) -> str:
    """Say how many versions were tested against the same one, and how likely one of `count` equal ones passes.

    `test` are the settings of the test.
    """
    tested = {bots[0].source_hash}
    for folder in RESULTS.glob("sprt-*"):
        if (reader := stored_run(folder)) is not None:
            with reader:
                stored = reader.bots()
                if reader.config()["format"] == "sprt" and stored[1].source == bots[1].source_hash:
                    tested.add(stored[0].source)
    count = len(tested)
    said = "the first version tested against it" if count == 1 else f"{count} versions tested against it so far"
    if test["elo0"] < 0:  # then equal ones shall pass
        return said
    equal = "an equal one" if count == 1 else f"one of {count} equal ones"
    return f"{said}; {equal} passes with a chance of {100 * (1 - (1 - test['alpha']) ** count):.0f}%"
