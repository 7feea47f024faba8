"""`arena run`, `match`, `tournament` and `sprt`: play games and show the result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from arena.bots.bundle import bots_held
from arena.bots.spec import find_bots
from arena.cli.options import (
    CLOCK,
    HOW_TO_PLAY,
    UNTIL_ERROR,
    UP_TO_DATE,
    WHAT_TO_PLAY,
    WHAT_TO_SHOW,
    Decorator,
    Number,
    PlayOptions,
    complete_bots,
    complete_configs_and_runs,
    deals,
    exclude,
    isolation,
    option_of,
    out_folder,
    own_deals,
    play_options,
    refuse_options,
    rules,
    seed,
    trust,
    whole_option,
    with_options,
)
from arena.cli.playing import config_for, config_of, confirm_bots, play_and_show, resized, with_settings_of
from arena.cli.sprt_change import change_folder, change_of, change_seed, tested_text
from arena.errors import ArenaError
from arena.paths import STDIN, input_name
from arena.results.run_data import asked_config
from arena.settings import Setting, settings_of
from arena.tournament.bot_list import command_field
from arena.tournament.config import named_config
from arena.tournament.folders import run_name
from arena.tournament.formats import FORMATS
from arena.tournament.store.reader import Reader

_FORMATS = [format_.name for format_ in FORMATS.values() if not format_.two_bots]
_PLAYING = (*WHAT_TO_PLAY, deals, *UNTIL_ERROR, *HOW_TO_PLAY, out_folder, isolation, *UP_TO_DATE, *WHAT_TO_SHOW)


def _size_options() -> Iterator[Decorator]:
    """Yield an option for each setting of a single format that says how much is played."""
    for form in FORMATS.values():
        if form.size:
            setting = settings_of(form.settings)[form.size]
            help = f"{setting.help[0].upper()}{setting.help[1:]} ({form.name})."
            yield click.option(option_of(form.size), type=Number(setting), metavar="N", help=help)


@click.command()
@click.argument("config", metavar="CONFIG|RUN", shell_complete=complete_configs_and_runs)
@play_options(own_deals, *_PLAYING)
@with_options(*_size_options())
@trust
def run_command(config: str, options: PlayOptions, trust: bool, **sizes: int | None) -> int:
    """Play the tournament that CONFIG describes, or what is left of RUN.

    \b
    arena run quick
    arena run mycup.toml --games 200 --workers 4
    arena run results/greedy-random-x7ab --games 400
    python make_cup.py | arena run -

    CONFIG is a TOML file, the name of one that comes with the program, or '-' for standard input. RUN is the folder of
    a run, its name in results/, or 'latest': it keeps the settings with which it was last played.

    Options take precedence over these settings. The run is brought up to date: games of new and of changed bots are
    played, all others stay as they are stored, and bots that CONFIG does not name leave the tables. So after an
    interruption, with a changed file or with another size, give the same command again. --dry-run says what would be
    played.

    To play on RUN runs the bots that it names. If you did not create it, the bots are shown and you are asked first.
    """
    from arena.results.sources import run_to_play

    asked = {key: number for key, number in sizes.items() if number is not None}
    stored = run_to_play(config)
    if stored is None:
        refuse_options("is for the folder of a run", "trust")
        settings = named_config(config)
        named = settings.name != input_name(STDIN)
        if not named:  # there is no file whose name it could have
            settings = replace(settings, name=run_name(settings.format, settings.bot_names))
        return play_and_show(with_settings_of(resized(settings, asked), options), options, named)
    refuse_options("is for a new run; leave it out to play on the stored one", "out")
    with Reader(stored.path) as reader:
        settings = asked_config(reader)
        if not (trust or reader.is_own()):
            confirm_bots(stored.path, settings)
    settings = with_settings_of(resized(settings, asked), options, f"settings of {stored.path}")
    return play_and_show(settings, replace(options, out=stored.path))


@click.command()
@click.argument("bot1", shell_complete=complete_bots)
@click.argument("bot2", shell_complete=complete_bots)
@play_options(*_PLAYING)
def match_command(bot1: str, bot2: str, options: PlayOptions) -> int:
    """Play BOT1 against BOT2, 100 games by default.

    \b
    arena match greedy random
    arena match bots/mine.py:depth=2 greedy --games 1000 --move-ms 50

    A bot is a name (random), a file (bots/mine.py) or package.module:Class. Parameters follow a colon
    (bots/mine.py:depth=2,style=bold); a name for the tables may come first (deep=bots/mine.py:depth=2).
    """
    return play_and_show(config_of("match", (bot1, bot2), options, {}), options, named=False)


# ---------------------------------------------------------------- formats with settings of their own


def _settings_of_formats(formats: Sequence[str]) -> dict[str, dict[str, Setting]]:
    """Return the settings that only some formats have, by key, then by format."""
    settings: dict[str, dict[str, Setting]] = {}
    for format_ in formats:
        for key, setting in settings_of(FORMATS[format_].settings).items():
            settings.setdefault(key, {})[format_] = setting
    return settings


def _type(settings: Sequence[Setting]) -> click.ParamType[Any]:
    """Return the type of an option; bounds that differ between formats are checked later, with the settings."""
    if settings[0].kind not in ("whole number", "number"):
        return click.STRING
    if len({setting.expected for setting in settings}) == 1:
        return Number(settings[0])
    return whole_option(min(int(each.least or 0) for each in settings), max(int(each.most or 0) for each in settings))


def _format_options(*formats: str) -> Decorator:
    """Add an option for each setting that one of the formats has of its own."""
    options = []
    for key, settings in _settings_of_formats(formats).items():
        help = "; ".join(
            f"{f'{name}: ' if len(formats) > 1 else ''}{setting.help} (default: {setting.usual})"
            for name, setting in settings.items()
        )
        first = next(iter(settings.values()))
        is_flag, multiple = first.kind == "boolean", first.kind == "strings"
        options.append(
            click.option(
                option_of(key),
                type=None if is_flag else _type([*settings.values()]),
                is_flag=is_flag,
                multiple=multiple,
                default=None,
                metavar="|".join(first.choices) or None,
                help=f"{help[0].upper()}{help[1:]}{'; may be repeated' * multiple}.",
            )
        )
    return with_options(*options)


def _format_table(format_: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table of the format's own settings, in the form of a file."""
    known = _settings_of_formats([*FORMATS])
    given = {key: value for key, value in settings.items() if value not in (None, ())}
    for key in given:
        if format_ not in (formats := known[key]):
            allowed = " or ".join(formats)
            raise ArenaError(f"{option_of(key)} belongs to --format {allowed}, but the format is {format_}")
    table = FORMATS[format_].completed(given)
    return {format_: dict(table)} if table else {}


@click.command()
@click.argument("bots", nargs=-1, required=True, metavar="BOT...", shell_complete=complete_bots)
@click.option("--format", "format_", type=click.Choice(_FORMATS), default="round-robin", show_default=True)
@_format_options(*_FORMATS)
@exclude
@play_options(own_deals, *_PLAYING)
def tournament_command(
    bots: tuple[str, ...], format_: str, exclude: tuple[str, ...], options: PlayOptions, **settings: Any
) -> int:
    """Play every BOT against every other, or in another format. In a gauntlet, the first bot plays all the others.

    \b
    arena tournament greedy counter bots/mine.py
    arena tournament bots/*.py --format gauntlet --hero greedy --hero odds
    arena tournament bots/*.py --format swiss --rounds 7
    arena tournament class/ --exclude 'class/helper*.py'

    Bots are named as in 'arena match'. A folder stands for the bot files in it, and a pattern such as 'group*/*.py' for
    all files that match: without those whose names begin with _ or a dot.
    With --out, the run in that folder is brought up to date as by 'arena run'.
    """
    field = command_field(bots, exclude)
    tables = _format_table(format_, settings) | {"bots": [bot.table() for bot in field]}
    name = run_name(format_, [bot.name for bot in field])
    return play_and_show(config_of(format_, (), options, tables, name), options, named=False)


@click.command()
@click.argument("bot1", shell_complete=complete_bots)
@click.argument("bot2", required=False, shell_complete=complete_bots)
@_format_options("sprt")
@play_options(rules, seed, *CLOCK, *HOW_TO_PLAY, out_folder, isolation, *UP_TO_DATE, *WHAT_TO_SHOW)
def sprt_command(bot1: str, bot2: str | None, options: PlayOptions, **settings: Any) -> int:
    """Play pairs of games until it is clear whether BOT1 is stronger than BOT2 (a sequential test, SPRT).

    \b
    arena sprt bots/mybot.py
    arena sprt bots/mybot.py bots/mybot.py@v1 --elo0 0 --elo1 10

    BOT1 alone is tested against the last commit's version of it; if nothing has changed since, and for a BOT@REVISION,
    against the version before. Between two versions, the seed follows from both, so each new version plays other
    deals, and asked again unchanged, the command shows the stored verdict.

    Pairs are tested in the order of the schedule, so verdict and length do not depend on the number of workers. To
    continue an interrupted test, give the same command again or use 'arena run DIR'.

    \b
    Exit codes, for scripts and CI:
      0    H1 accepted: BOT1 is shown to be stronger than --elo0
      3    H0 accepted: BOT1 is not shown to be stronger by --elo1
      4    undecided: --max-pairs played
      1    a bot forfeited every game, or with --strict any
      2    wrong use, or an error
      130  interrupted
    """
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
