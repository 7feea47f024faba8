"""`arena run`, `match`, `tournament` and `sprt`: play games and show the result."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from arena.cli.options import (
    CLOCK_OPTIONS,
    HOW_TO_PLAY,
    UNTIL_ERROR,
    WHAT_TO_PLAY,
    WHAT_TO_SHOW,
    Number,
    PlayOptions,
    as_set,
    complete_bots,
    complete_configs,
    gathered,
    isolation,
    out_folder,
    own_deals,
    play_options,
    rules,
    seed,
    whole,
)
from arena.cli.playing import VERDICT_CODES, config_of, play, until_error, with_options
from arena.errors import ArenaError
from arena.lab.tournament import named_config
from arena.results.formats.json import json_text
from arena.results.sprt import sprt_text, sprt_values
from arena.settings import Setting, settings_of
from arena.stats.sprt import SprtResult, SprtTest, sprt_result
from arena.tournament.formats import FORMATS
from arena.tournament.formats.sprt import SprtSettings

_FORMATS = [format_.name for format_ in FORMATS.values() if not format_.two_bots]
_PLAYING = (*WHAT_TO_PLAY, *UNTIL_ERROR, *HOW_TO_PLAY, out_folder, isolation, *WHAT_TO_SHOW)


@click.command()
@click.argument("config", shell_complete=complete_configs)
@play_options(own_deals, *_PLAYING)
def run(config: str, options: PlayOptions) -> int:
    """Play the tournament that CONFIG describes: a TOML file, or the name of one that comes with the program.

    \b
    arena run quick
    arena run mycup.toml --games 200 --workers 4

    Options take precedence over the file. To resume an interrupted run, give the same command again.
    """
    options, until = until_error(options)
    return play(with_options(named_config(config), options), options, until=until)


@click.command()
@click.argument("bot1", shell_complete=complete_bots)
@click.argument("bot2", shell_complete=complete_bots)
@play_options(*_PLAYING)
def match(bot1: str, bot2: str, options: PlayOptions) -> int:
    """Play BOT1 against BOT2, 100 games by default.

    \b
    arena match greedy random
    arena match bots/mine.py:depth=2 greedy --games 1000 --move-ms 50

    A bot is a name (random), a file (bots/mine.py) or package.module:Class. Parameters follow a colon
    (bots/mine.py:depth=2,style=bold); a name for the tables may come first (deep=bots/mine.py:depth=2).
    """
    options, until = until_error(options)
    return play(config_of("match", (bot1, bot2), options, {}), options, named=False, until=until)


def _settings_of_formats() -> dict[str, dict[str, Setting]]:
    """The settings that single formats have: by key, then by format."""
    settings: dict[str, dict[str, Setting]] = {}
    for format_ in _FORMATS:
        for key, setting in settings_of(FORMATS[format_].settings).items():
            settings.setdefault(key, {})[format_] = setting
    return settings


def _type(settings: list[Setting]) -> click.ParamType[Any]:
    """The type of an option of one or more formats; bounds in which they differ are checked with the settings."""
    if settings[0].kind not in ("whole number", "number"):
        return click.STRING
    if len({setting.expected for setting in settings}) == 1:
        return Number(settings[0])
    return whole(min(int(each.least or 0) for each in settings), max(int(each.most or 0) for each in settings))


def _format_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add an option for each setting that a format has of its own."""
    for key, formats in reversed(_settings_of_formats().items()):
        helps = [f"{name}: {setting.help} (default: {setting.usual})" for name, setting in formats.items()]
        option = click.option(
            f"--{key.replace('_', '-')}", type=_type([*formats.values()]), help=f"{'; '.join(helps)}."
        )
        command = option(command)
    return command


@click.command()
@click.argument("bots", nargs=-1, required=True, metavar="BOT...", shell_complete=complete_bots)
@click.option("--format", "format_", type=click.Choice(_FORMATS), default="round-robin", show_default=True)
@_format_options
@play_options(own_deals, *_PLAYING)
def tournament(bots: tuple[str, ...], format_: str, options: PlayOptions, **settings: Any) -> int:
    """Play every BOT against every other, or in another format. In a gauntlet, the first bot plays all the others.

    \b
    arena tournament greedy counter bots/mine.py
    arena tournament bots/*.py --format swiss --rounds 7

    Bots are named as in 'arena match'.
    """
    tables = _format_table(format_, settings)
    options, until = until_error(options)
    return play(config_of(format_, bots, options, tables), options, named=False, until=until)


def _format_table(format_: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The table of the format's own settings, as a file would have it."""
    known = _settings_of_formats()
    given = {key: value for key, value in settings.items() if value is not None}
    for key in given:
        if format_ not in (formats := known[key]):
            raise ArenaError(
                f"--{key.replace('_', '-')} belongs to --format {' or '.join(formats)}, but the format is {format_}"
            )
    table = FORMATS[format_].completed(given)
    return {format_: dict(table)} if table else {}


# ---------------------------------------------------------------- sequential tests

_CELLS = {"pentanomial": ("LL", "LD+DL", "LW+DD+WL", "DW+WD", "WW"), "trinomial": ("L", "D", "W")}


@dataclass(frozen=True)
class Hypotheses:
    """The test as the command line gives it; None for an option that was not given."""

    elo0: float | None
    elo1: float | None
    alpha: float | None
    beta: float | None
    model: str | None

    @property
    def given(self) -> dict[str, float | str]:
        return {key: value for key, value in vars(self).items() if value is not None}


def _n(name: str) -> Number:
    """A number with the bounds of a setting of the test."""
    return as_set(SprtSettings, name)


@click.command()
@click.argument("bots", nargs=-1, metavar="BOT1 BOT2", shell_complete=complete_bots)
@gathered(
    Hypotheses,
    "hypotheses",
    click.option("--elo0", type=_n("elo0"), metavar="E", help="H0: BOT1 is E Elo stronger (default: 0)."),
    click.option("--elo1", type=_n("elo1"), metavar="E", help="H1: BOT1 is E Elo stronger (default: 10)."),
    click.option("--alpha", type=_n("alpha"), metavar="P", help="Chance to accept H1 if H0 is true (default: 0.05)."),
    click.option("--beta", type=_n("beta"), metavar="P", help="Chance to accept H0 if H1 is true (default: 0.05)."),
    click.option("--model", metavar="logistic|normalized", help="Elo model of --elo0 and --elo1 (default: logistic)."),
)
@click.option(
    "--max-pairs", type=_n("max_pairs"), metavar="N", help="Give up after this many pairs (default: 1000000)."
)
@click.option("--pentanomial", metavar="LL,LD,S,WD,WW", help="Play nothing: test these counts of pairs.")
@click.option("--trinomial", metavar="L,D,W", help="Play nothing: test these counts of independent games.")
@play_options(rules, seed, *CLOCK_OPTIONS, *HOW_TO_PLAY, out_folder, isolation, *WHAT_TO_SHOW)
def sprt(
    bots: tuple[str, ...],
    hypotheses: Hypotheses,
    max_pairs: int | None,
    pentanomial: str | None,
    trinomial: str | None,
    options: PlayOptions,
) -> int:
    """Play pairs of games until it is clear whether BOT1 is stronger than BOT2 (a sequential test, SPRT).

    \b
    arena sprt bots/new.py bots/old.py --elo0 0 --elo1 10
    arena sprt --pentanomial 120,0,500,0,180

    Pairs are tested in the order of the schedule, so verdict and length do not depend on the number of workers. To
    resume an interrupted test, give the same command again or use 'arena resume DIR'.

    With --pentanomial or --trinomial, nothing is played: the test is run on counts, as BOT1 sees them. Five counts are
    for pairs (two games on one deal with the seats swapped), three for games on different deals.

    \b
    Exit codes, for scripts and CI:
      0    H1 accepted: BOT1 is shown to be stronger than --elo0
      3    H0 accepted: BOT1 is not shown to be stronger by --elo1
      4    undecided: --max-pairs played, or the counts cross no bound
      1    games were lost by forfeit, with --strict
      2    wrong use, or an error
      130  interrupted
    """
    if pentanomial is not None or trinomial is not None:
        played = [key for key, value in vars(options).items() if value not in (None, (), False)]
        played += [] if max_pairs is None else ["max_pairs"]
        result = _from_counts(bots, pentanomial, trinomial, hypotheses, played)
        click.echo(json_text(sprt_values(result)) if options.as_json else sprt_text(result), nl=False)
        return VERDICT_CODES[result.verdict]
    if len(bots) != 2:
        raise ArenaError(
            f"expected two bots, found {len(bots)}{': ' + ', '.join(bots) if bots else ''}"
            " (or counts: --pentanomial LL,LD,S,WD,WW or --trinomial L,D,W)"
        )
    table: Mapping[str, object] = hypotheses.given | ({} if max_pairs is None else {"max_pairs": max_pairs})
    return play(config_of("sprt", bots, options, {"sprt": table}), options, named=False)


def parse_counts(option: str, text: str) -> list[float]:
    """The counts in a text such as 120,0,500,0,180: five for pentanomial, three for trinomial. ArenaError if wrong."""
    names = _CELLS[option]
    parts = [part.strip() for part in text.split(",")]
    expected = f"expected {len(names)} counts: {', '.join(names)}"
    if len(parts) != len(names):
        raise ArenaError(f"--{option} {text}: {len(parts)} given, {expected}")
    counts = []
    for name, part in zip(names, parts):
        if not re.fullmatch(r"\+?[0-9]{1,15}", part):
            raise ArenaError(f"--{option} {text}: '{part}' for {name} is not a whole number from 0 up; {expected}")
        counts.append(float(part))
    return counts


def _from_counts(
    bots: Sequence[str],
    pentanomial: str | None,
    trinomial: str | None,
    hypotheses: Hypotheses,
    played: Sequence[str],
) -> SprtResult:
    """The test of given counts; ArenaError if bots or options for playing (`played`) were given with them."""
    if pentanomial is not None and trinomial is not None:
        raise ArenaError("--pentanomial and --trinomial were both given; give one of them")
    if bots:
        raise ArenaError(f"bots ({', '.join(bots)}) and counts were given; either play or test counts")
    names = [f"--{key.replace('_', '-')}" for key in played if key not in ("as_json", "strict")]
    if names:
        raise ArenaError(f"{', '.join(names)}: cannot be used with counts, since nothing is played")
    counts = parse_counts("pentanomial", pentanomial) if pentanomial is not None else []
    if trinomial is not None:
        counts = parse_counts("trinomial", trinomial)
    return sprt_result(SprtTest(**{"elo0": 0.0, "elo1": 10.0, **hypotheses.given}), counts)  # type: ignore[arg-type]
