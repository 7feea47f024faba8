"""`arena sprt`: play two bots until it is clear which is stronger, or test counts of results."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli import options
from arena.cli.playing import VERDICT_CODES, from_options, play
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.stats.sprt import SprtResult

_CELLS = {"pentanomial": ("LL", "LD+DL", "LW+DD+WL", "DW+WD", "WW"), "trinomial": ("L", "D", "W")}
_HYPOTHESES = ("elo0", "elo1", "alpha", "beta", "model", "max_pairs")


def _n(name: str) -> options.Number:
    """A number with the bounds of a setting of the test."""
    return options.as_set("arena.tournament.formats.sprt:SprtSettings", name)


@click.command(context_settings={"show_default": True})
@click.argument("bots", nargs=-1, metavar="A B", shell_complete=options.complete_bots)
@click.option("--elo0", type=_n("elo0"), metavar="E", help="H0: A is this much stronger.  [default: 0]")
@click.option("--elo1", type=_n("elo1"), metavar="E", help="H1: A is this much stronger.  [default: 10]")
@click.option(
    "--alpha", type=_n("alpha"), metavar="P", help="Probability of accepting H1 if H0 holds.  [default: 0.05]"
)
@click.option("--beta", type=_n("beta"), metavar="P", help="Probability of accepting H0 if H1 holds.  [default: 0.05]")
@click.option("--model", metavar="logistic|normalized", help="The Elo model of --elo0 and --elo1.  [default: logistic]")
@click.option(
    "--max-pairs", type=_n("max_pairs"), metavar="N", help="Give up after this many pairs.  [default: 1000000]"
)
@click.option("--pentanomial", metavar="LL,LD,S,WD,WW", help="Test these counts of pairs; play nothing.")
@click.option("--trinomial", metavar="L,D,W", help="Test these counts of independent games; play nothing.")
@click.option("--rules", metavar="R", shell_complete=options.complete_rules, help="Rule set, such as base.")
@click.option("--seed", type=options.SEED, metavar="S", help="Default: drawn at random, and shown.")
@click.option("--move-ms", type=options.MOVE_MS, metavar="MS", help="Time for each decision.")
@click.option("--bank-ms", type=options.BANK_MS, metavar="MS", help="Extra time for the whole game.")
@options.how_to_play
@options.where
@options.what_to_show
def sprt(
    bots: tuple[str, ...],
    pentanomial: str | None,
    trinomial: str | None,
    out: Path | None,
    as_json: bool,
    strict: bool,
    **given: Any,
) -> int:
    """Is bot A stronger than bot B? Play pairs until that is clear (a sequential test, SPRT).

    The test reads the pairs in the order of the schedule, so its verdict and its length do not depend on the number
    of workers. Resume an interrupted test with 'arena resume DIR' or with the same command.

    With --pentanomial or --trinomial nothing is played: the test is run on counts, as A sees them. Five counts are
    for pairs (two games on one deal with the seats swapped), three for games on different deals.

    \b
    Exit codes, for scripts and CI:
      0    H1 accepted: A is shown to be stronger than --elo0
      3    H0 accepted: A is not shown to be stronger by --elo1
      4    undecided: --max-pairs played, or the counts cross no bound
      1    games were lost by forfeit, with --strict
      2    wrong use, or an error
      130  interrupted
    """
    if pentanomial is not None or trinomial is not None:
        result = _from_counts(bots, pentanomial, trinomial, out, given)
        _show_counts(result, as_json)
        return VERDICT_CODES[result.verdict]
    if len(bots) != 2:
        raise ArenaError(
            f"expected two bots, found {len(bots)}{': ' + ', '.join(bots) if bots else ''}"
            " (or counts: --pentanomial LL,LD,S,WD,WW or --trinomial L,D,W)"
        )
    hypotheses = {key: given[key] for key in _HYPOTHESES if given[key] is not None}
    config = from_options("sprt", bots, given, {"sprt": hypotheses})
    return play(config, out, as_json, strict, named=False)


def parse_counts(option: str, text: str) -> list[float]:
    """Counts such as 120,0,500,0,180, five for pentanomial and three for trinomial; ArenaError says what is wrong."""
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
    bots: Sequence[str], pentanomial: str | None, trinomial: str | None, out: Path | None, given: dict[str, Any]
) -> SprtResult:
    from arena.stats.sprt import SprtTest, sprt_result

    if pentanomial is not None and trinomial is not None:
        raise ArenaError("--pentanomial and --trinomial were both given; give one of them")
    if bots:
        raise ArenaError(f"bots ({', '.join(bots)}) and counts were given; either play or test counts")
    played = [key for key, value in {**given, "out": out}.items() if value is not None]
    played = [f"--{key.replace('_', '-')}" for key in played if key not in _HYPOTHESES[:5]]
    if played:
        raise ArenaError(f"{', '.join(played)}: cannot be used with counts, since nothing is played")
    counts = parse_counts("pentanomial", pentanomial) if pentanomial is not None else []
    if trinomial is not None:
        counts = parse_counts("trinomial", trinomial)
    hypotheses = {key: given[key] for key in _HYPOTHESES[:5] if given[key] is not None}
    return sprt_result(SprtTest(**{"elo0": 0.0, "elo1": 10.0, **hypotheses}), counts)


def _show_counts(result: SprtResult, as_json: bool) -> None:
    from arena.results.formats.json import json_text
    from arena.results.sprt import sprt_text, sprt_values

    click.echo(json_text(sprt_values(result)) if as_json else sprt_text(result), nl=False)
