"""Run sequential tests on stored games without the luck of the draw, and fit the weights of luck.

    arena run four.toml -o base7
    python benchmarks/adjusted_tests.py base7
    arena match net odds --games 8000 --seed 11 -o long
    python benchmarks/adjusted_tests.py long 20 50 100

The weights are fitted so that luck explains as much as possible of the results of all pairings of a run; pairs are
measured in standard deviations of their pairing. The tests draw their pairs from a run of two bots, whose Elo counts as
the true value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np

from arena.game.rules import load_rules
from arena.stats.pairs import elo_of_score
from arena.stats.sprt import AdjustedSprt, Sprt, SprtTest
from arena.tournament.luck import JudgedLuck
from arena.tournament.store.reader import Reader


def fitted_weights(results: Sequence[tuple[int, float, np.ndarray]]) -> np.ndarray:
    """Fit the weights to all (pairing, score of a pair, luck of the pair by part of the game)."""
    pairings = defaultdict(list)
    for pairing, score, parts in results:
        pairings[pairing].append([score, *parts])
    scaled = [(rows - np.mean(rows, axis=0)) / np.std([row[0] for row in rows]) for rows in pairings.values()]
    table = np.concatenate(scaled)
    return np.asarray(np.linalg.lstsq(table[:, 1:], table[:, 0], rcond=None)[0])


def played(
    test: SprtTest, cells: np.ndarray, luck: np.ndarray | None, generator: np.random.Generator
) -> tuple[str, int]:
    """Run a test on random pairs; return its verdict and its number of units. Without `luck`, do not adjust."""
    state = Sprt(test) if luck is None else AdjustedSprt(test)
    while state.verdict == "continue":
        drawn = generator.integers(0, len(cells), 64)
        if isinstance(state, AdjustedSprt) and luck is not None:
            state.extend(zip(cells[drawn].tolist(), luck[drawn].tolist()))
        else:
            state.extend(cells[drawn])
    return state.verdict, state.units


@click.command()
@click.argument("run", type=click.Path(exists=True, path_type=Path))
@click.argument("widths", nargs=-1, type=float, metavar="[ELO]...")
@click.option("--tests", default=2000, show_default=True, help="Tests per row.")
def main(run: Path, widths: tuple[float, ...], tests: int) -> None:
    """Print the weights that fit RUN best, and the lengths of tests of its two bots with hypotheses ELO apart."""
    judged = JudgedLuck(run)
    with Reader(run) as reader:
        games = list(reader.results())
        rules = load_rules(str(reader.config()["rules"]))
    both = list(zip(games[::2], games[1::2]))
    scores = np.array([(begun.score + 1 - answered.score) / 2 for begun, answered in both])
    parts = [(np.array(judged.of(begun)) - judged.of(answered)) / 2 for begun, answered in both]
    weights = fitted_weights([(begun.id.pairing, *row) for (begun, _), *row in zip(both, scores, parts)])
    luck = np.array(list(judged.of_pairs(games, rules)))
    judged.save()
    elo = elo_of_score(scores.mean())
    fit = " ".join(f"{weight:.2f}" for weight in weights)
    click.echo(f"{run}: {len(both)} pairs, {elo:+.0f} Elo; weights that fit best: {fit}")
    if widths:
        click.echo(
            "\n| elo1 - elo0 | truth | pairs as counted | adjusted | times shorter | wrong, % as counted | adjusted |"
        )
        click.echo("|---|---|---|---|---|---|---|")
    cells = np.rint(4 * scores).astype(np.int64)
    for width in widths:
        for truth, elo0, wrong in (("H0", elo, "H1"), ("H1", elo - width, "H0")):
            test, units, errors = SprtTest(elo0, elo0 + width), [], []
            for taken in (None, luck - luck.mean()):
                ended = [played(test, cells, taken, each) for each in np.random.default_rng(1).spawn(tests)]
                errors.append(100 * np.mean([verdict == wrong for verdict, _ in ended]))
                units.append(np.mean([length for _, length in ended]))
            figures = f"{units[0]:.0f} | {units[1]:.0f} | {units[0] / units[1]:.2f} | {errors[0]:.1f} | {errors[1]:.1f}"
            click.echo(f"| {width:g} | {truth} | {figures} |")


if __name__ == "__main__":
    main()
