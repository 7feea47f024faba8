"""`arena run`, `match`, `tournament` and `resume`: play games and show the standings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from arena.cli import options
from arena.cli.playing import from_options, play, until_error, with_options
from arena.cli.trust import require_trust
from arena.errors import ArenaError
from arena.settings import Setting, settings_of
from arena.tournament.formats import FORMATS

_FORMATS = [one.name for one in FORMATS.values() if not one.two_bots]


@click.command()
@click.argument("config", shell_complete=options.complete_configs)
@options.own_deals
@options.what_to_play
@options.until_error
@options.how_to_play
@options.where
@options.what_to_show
def run(config: str, out: Path | None, as_json: bool, strict: bool, **given: Any) -> int:
    """Play the tournament that CONFIG describes: a TOML file, or the name of one that comes with the program.

    Options take precedence over the file. The same command resumes a run that was interrupted.
    """
    from arena.lab.tournament import named_config

    until = until_error(given.pop("error"), given.pop("errors_of"), given)
    return play(with_options(named_config(config), given), out, as_json, strict, until=until)


@click.command()
@click.argument("a", shell_complete=options.complete_bots)
@click.argument("b", shell_complete=options.complete_bots)
@options.what_to_play
@options.until_error
@options.how_to_play
@options.where
@options.what_to_show
def match(a: str, b: str, out: Path | None, as_json: bool, strict: bool, **given: Any) -> int:
    """Play bot A against bot B, 100 games by default.

    A bot is a name (random), a file (bots/mine.py) or package.module:Class, with parameters after a colon
    (bots/mine.py:depth=2) and, if you like, a name for the tables in front (deep=bots/mine.py:depth=2).
    """
    until = until_error(given.pop("error"), given.pop("errors_of"), given)
    return play(from_options("match", (a, b), given, {}), out, as_json, strict, named=False, until=until)


def _settings_of_formats() -> dict[str, dict[str, Setting]]:
    """The settings that single formats have: by key, then by format."""
    found: dict[str, dict[str, Setting]] = {}
    for format_ in _FORMATS:
        for key, one in settings_of(FORMATS[format_].settings).items():
            found.setdefault(key, {})[format_] = one
    return found


def _type(settings: list[Setting]) -> click.ParamType[Any]:
    """What an option takes; where formats differ in the bounds, whoever reads the settings checks them."""
    if settings[0].kind not in ("whole number", "number"):
        return click.STRING
    if len({one.expected for one in settings}) == 1:
        return options.Number(lambda: settings[0])
    return options.whole(min(int(one.least or 0) for one in settings), max(int(one.most or 0) for one in settings))


def _format_options(command: Callable[..., int]) -> Callable[..., int]:
    """An option for each of these settings; whoever reads the settings checks the values."""
    for key, formats in reversed(_settings_of_formats().items()):
        helps = [f"{name}: {one.help} (default: {one.usual})" for name, one in formats.items()]
        option = click.option(
            f"--{key.replace('_', '-')}", type=_type(list(formats.values())), help=f"{'; '.join(helps)}."
        )
        command = option(command)
    return command


@click.command()
@click.argument("bots", nargs=-1, required=True, metavar="BOT...", shell_complete=options.complete_bots)
@click.option("--format", "format_", type=click.Choice(_FORMATS), default="round-robin", show_default=True)
@_format_options
@options.own_deals
@options.what_to_play
@options.until_error
@options.how_to_play
@options.where
@options.what_to_show
def tournament(bots: tuple[str, ...], format_: str, out: Path | None, as_json: bool, strict: bool, **given: Any) -> int:
    """Play every BOT against every other, or another format; in a gauntlet the first plays all the others.

    Bots are named as in 'arena match'.
    """
    tables = _format_table(format_, given)
    until = until_error(given.pop("error"), given.pop("errors_of"), given)
    return play(from_options(format_, bots, given, tables), out, as_json, strict, named=False, until=until)


def _format_table(format_: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The table of the format's own settings, as a file would have it."""
    known = _settings_of_formats()
    options = {key: given[key] for key in known if given[key] is not None}
    for key in options:
        if format_ not in (formats := known[key]):
            raise ArenaError(
                f"--{key.replace('_', '-')} belongs to --format {' or '.join(formats)}, but the format is {format_}"
            )
    table = FORMATS[format_].completed(options)
    return {format_: dict(table)} if table else {}


def _growth_options(command: Callable[..., int]) -> Callable[..., int]:
    """An option for each setting of a single format that a stored run may be given more of."""
    for form in reversed(FORMATS.values()):
        if form.grows is not None and not form.grows.common:
            setting = settings_of(form.settings)[form.grows.key]
            command = click.option(
                f"--{form.grows.key.replace('_', '-')}",
                type=_type([setting]),
                metavar="N",
                help=f"Continue to N {form.grows.noun} ({form.name}).",
            )(command)
    return command


@click.command()
@click.argument("folder", shell_complete=options.complete_runs)
@click.option("--games", type=options.GAMES, metavar="N", help="Continue to N games per pairing.")
@options.until_error
@_growth_options
@options.trust
@options.how_to_play
@options.what_to_show
def resume(
    folder: str, error: float | None, errors_of: tuple[str, ...], as_json: bool, strict: bool, trust: bool, **given: Any
) -> int:
    """Resume the run in FOLDER (a path, or a name in results/) with the settings it was started with.

    An interrupted run is played to its end. With a number, a finished run is extended, too: the result is that of a
    run that asked for so many from the start. With --error it is extended in whole pairs; the exit code is 1 if the
    errors are still larger at the end. In a comparison all variants are resumed; in a league, interrupted submissions
    are finished.

    Resuming runs the bots that the folder names. If somebody else has written it, they are shown, and you are asked.
    """
    from arena.results.reading.run import stored_config
    from arena.results.sources import FILE, LEAGUE, find
    from arena.tournament.config.tournament import all_growth, grown
    from arena.tournament.store.folders import COMPARISON
    from arena.tournament.store.reader import Reader

    asked = {key: number for key in all_growth() if (number := given.pop(key)) is not None}
    until = until_error(error, errors_of, asked)
    kind, place = find(folder)
    if kind == FILE:
        raise ArenaError(f"{folder} is a file of records; only the folder of a run can be resumed")
    if kind == LEAGUE:
        from arena.cli.league.run import resume as resume_league

        if asked or until is not None:
            raise ArenaError(f"a league has no end; play more of its games with: arena league play {folder} --games N")
        return resume_league(place, given["workers"], trust, as_json)
    if kind == COMPARISON:
        from arena.cli.compare import resume as resume_comparison

        return resume_comparison(place, asked, until, given, as_json, trust)
    with Reader(place) as reader:
        settings = stored_config(reader)
        ours = reader.is_ours()
    if not ours and require_trust(place, settings, trust):
        from arena.tournament.store.writer import reopen_store

        with reopen_store(place) as store:
            store.claim()
    if until is not None:
        until.check(settings)
    source = f"settings of {place}"
    settings = with_options(grown(settings, asked, source), given, source)
    return play(settings, place, as_json, strict, resume=True, until=until)
