"""Test the error bars: simulate fields and tests with known true values, and count how often they are right.

    python -m benchmarks.promises --seed 1 --fields 2000 --tests 5000

prints the tables of docs/statistics.md: how often the 95% intervals of a field contain the true value, how often the
intervals of two bots do (even with few or one-sided pairs), and how often sequential tests end with the wrong verdict.
It takes some minutes; smaller counts are faster and less exact. The table of two bots is computed, not simulated, in
half a minute.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence

import click
import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import norm

from arena.stats.adjusted import take_luck_out
from arena.stats.bradley_terry import centre_of
from arena.stats.field import scores
from arena.stats.frames import games_of
from arena.stats.pairs import ELO_SCALE, NORMALIZED_SCALE, score_intervals, score_of_elo
from arena.stats.ratings import MOST_AWAY, Ratings, rate
from arena.stats.sprt import Sprt, SprtTest, stopped_estimate
from arena.stats.variants import win_rate_differences
from benchmarks.simulate import Luck, adjusted_test, head_to_head_coverage, simulate_cells, simulate_games

ADVANTAGE = 30.0
SPREAD = 120.0
PAIRS = (1, 2, 5, 10, 30, 100)
TRUE_SCORES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)
LUCKS = {
    "independent": Luck(0.0, 0.0),
    "seat 0.5": Luck(0.5, 0.0),
    "bot 0.5": Luck(0.0, 0.5),
    "seat 0.3, bot 0.3": Luck(0.3, 0.3),
}


def coverage(seed: int, fields: int, bots: int, deals: int, luck: Luck, deviation: float) -> dict[str, tuple[int, int]]:
    """Simulate round robins of known strengths; return (intervals that contain the truth, intervals) by kind."""
    held: dict[str, list[int]] = {}

    def count(kind: str, inside: np.ndarray | bool) -> None:
        one = held.setdefault(kind, [0, 0])
        one[0] += int(np.sum(inside))
        one[1] += int(np.size(inside))

    for generator in np.random.default_rng(seed).spawn(fields):
        strength = generator.normal(0.0, deviation, bots)
        strength -= strength.mean()
        names = [f"b{bot:02d}" for bot in range(bots)]
        games = simulate_games(strength, deals, generator, ADVANTAGE, luck)
        rated = rate(games)
        count("rating", ratings_held(rated, strength))
        level = dict(zip(names, strength))
        for (bot, other), gap in rated.all_differences().items():
            count("difference", gap.elo - gap.minus <= level[bot] - level[other] <= gap.elo + gap.plus)
        count("advantage", abs(rated.first_advantage - ADVANTAGE) <= rated.first_advantage_error95)

        table = scores(games).set_index("bot").loc[names]
        chance = expit((strength[:, None] - strength[None, :] + ADVANTAGE) / ELO_SCALE)
        share = (chance + 1 - chance.T) / 2
        mean = (share.sum(axis=1) - 0.5) / (bots - 1)
        count("win rate", (table["score_low"].to_numpy() <= mean) & (mean <= table["score_high"].to_numpy()))

        twin = simulate_games(strength, deals, generator, ADVANTAGE, luck)
        both = pd.concat([games.assign(variant="one"), twin.assign(variant="two")], ignore_index=True)
        gaps = win_rate_differences(both[both["pairing"] == 0])
        count("variant difference", bool(gaps["low"][0] <= 0 <= gaps["high"][0]))
    return {kind: (one[0], one[1]) for kind, one in held.items()}


def ratings_held(rated: Ratings, strength: np.ndarray) -> np.ndarray:
    """Return whether the interval of each rating contains the true strength, in the order of `strength`."""
    middle, _ = centre_of(strength, MOST_AWAY)
    order = [rated.bots.index(f"b{bot:02d}") for bot in range(len(strength))]
    low, high = ((rated.elo + side)[order] for side in (-rated.minus, rated.plus))
    held: np.ndarray = (low <= strength - middle) & (strength - middle <= high)
    return held


def edge_coverage(seed: int, fields: int, bots: int, deals: int, away: float, luck: Luck) -> tuple[float, float]:
    """Simulate fields in which one bot is `away` from the mean of the others; count its intervals, and the others'."""
    far = others = 0.0
    for generator in np.random.default_rng([seed, bots, deals, int(away) % 10_000]).spawn(fields):
        strength = np.append(away, generator.normal(0.0, SPREAD / 2, bots - 1))
        games = simulate_games(strength, deals, generator, ADVANTAGE, luck)
        held = ratings_held(rate(play_apart(games, strength, generator, luck)), strength)
        far, others = far + held[0], others + held[1:].mean()
    return far / fields, others / fields


def play_apart(games: pd.DataFrame, strength: np.ndarray, generator: np.random.Generator, luck: Luck) -> pd.DataFrame:
    """Return the same schedule with deals of its own for each pairing, as round robins have them by default."""
    parts = []
    for pairing, one in games.groupby("pairing"):
        deals = int(one["deal"].nunique())
        first, second = (int(one[name].iloc[0][1:]) for name in ("first", "second"))
        two = simulate_games(strength[[first, second]], deals, generator, ADVANTAGE, luck)
        names = {"b00": f"b{first:02d}", "b01": f"b{second:02d}"}
        two = two.replace({"first": names, "second": names})
        parts.append(two.assign(pairing=pairing, deal=two["deal"] + deals * int(pairing)))
    return pd.concat(parts, ignore_index=True)


def shown_interval(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the interval that all tables show."""
    low, room = score_intervals(counts)
    return low, 1 - room


def lucky_games(
    generator: np.random.Generator, deals: int, share: float, score: float
) -> tuple[pd.DataFrame, np.ndarray]:
    """Simulate pairs of a and b with the luck of the first player's draws, in three parts of the game.

    `share` is the part of a game's luck that the judge sees.
    """
    first_is_a = np.arange(2 * deals) % 2 == 0
    parts = generator.normal(0, np.sqrt(share / 3 + 1e-6), (2 * deals, 3))
    rest = generator.normal(0, np.sqrt(1 - share), 2 * deals)
    won = parts.sum(axis=1) + rest + np.where(first_is_a, 1, -1) * norm.ppf(score) > 0
    names = np.array(["a", "b"])
    games = pd.DataFrame({"first": names[1 - first_is_a], "second": names[first_is_a.astype(int)]})
    return games.assign(score=won.astype(float), deal=np.arange(2 * deals) // 2), parts


def adjusted_coverage(seed: int, runs: int, deals: int, share: float, score: float) -> tuple[float, float]:
    """Count how often intervals of adjusted scores contain the truth; also return the worth of an adjusted deal."""
    held, worth = 0, 0.0
    for generator in np.random.default_rng([seed, deals]).spawn(runs):
        games, luck = lucky_games(generator, deals, share, score)
        _, (met,) = take_luck_out(games_of(games), luck)
        held += abs(met.adjusted_score - score) <= met.adjusted_error95
        worth += met.worth
    return held / runs, worth / runs


def stopped_coverage(
    seed: int, tests: int, test: SprtTest, elo: float, luck: Luck | None
) -> tuple[float, float, float]:
    """Count, for tests that stopped, how often the interval contains the truth and each estimate lies above it.

    Without `luck`, it is the luck of `lucky_pairs`, which the test takes out. Tests too short for an interval count in
    the second and third figures only.
    """
    held, with_interval, above, plain = 0, 0, 0, 0
    for generator in np.random.default_rng([seed, 7]).spawn(tests):
        if luck is None:
            result = adjusted_test(test, generator, score_of_elo(elo)).result()
        else:
            state = Sprt(test, 5)
            while state.verdict == "continue":
                state.extend(simulate_cells(score_of_elo(elo), 256, generator, luck))
            result = state.result()
        estimate = stopped_estimate(result)
        assert estimate is not None
        assert result.estimate is not None
        with_interval += not math.isnan(estimate.elo_low)
        held += estimate.elo_low <= elo <= estimate.elo_high
        above += estimate.elo > elo
        plain += result.estimate.elo > elo
    return held / max(with_interval, 1), above / tests, plain / tests


def error_rates(seed: int, tests: int, test: SprtTest, luck: Luck, unit: str) -> Iterator[tuple[str, float, float]]:
    """Yield, for each hypothesis, its name, the share of wrong verdicts and the mean units.

    `unit` is "pairs" or "games" (single ones, independent).
    """
    pairs = unit == "pairs"
    number = 5 if pairs else 3
    sample = simulate_cells(0.5, 200_000, np.random.default_rng(seed), luck, pairs)
    spread = float(np.var(sample / (number - 1)))
    for name, elo, wrong in (("H0", test.elo0, "H1"), ("H1", test.elo1, "H0")):
        if test.model == "logistic":
            score = score_of_elo(elo)
        else:
            score = 0.5 + elo / NORMALIZED_SCALE * math.sqrt(spread * (2 if pairs else 1))
        errors, units = 0, 0
        for generator in np.random.default_rng([seed, int(name == "H1")]).spawn(tests):
            state = Sprt(test, number)
            while state.verdict == "continue":
                state.extend(simulate_cells(score, 256, generator, luck, pairs))
            errors += state.verdict == wrong
            units += state.units
        yield name, errors / tests, units / tests


@click.command()
@click.option("--seed", default=1, show_default=True, help="Seed of all simulations.")
@click.option("--fields", default=2000, show_default=True, help="Simulated fields a row of the first table.")
@click.option("--tests", default=5000, show_default=True, help="Simulated tests a hypothesis of the second table.")
@click.option("--bots", default=6, show_default=True, help="Bots of a simulated field.")
@click.option("--deals", default=[100, 30], multiple=True, show_default=True, help="Deals of a field.")
@click.option(
    "--spread", default=SPREAD, show_default=True, help="Standard deviation of the strengths of a field, Elo."
)
@click.option(
    "--only",
    type=click.Choice(["coverage", "edges", "head-to-head", "adjusted", "stopped", "sprt", "adjusted-sprt"]),
    help="One of the tables.",
)
def main(
    seed: int, fields: int, tests: int, bots: int, deals: tuple[int, ...], spread: float, only: str | None
) -> None:
    """Print how often intervals hold the truth and how often sequential tests err, as Markdown tables."""
    began = time.perf_counter()
    if only in (None, "coverage"):
        print_coverage(seed, fields, bots, deals, spread, click.echo)
    if only in (None, "edges"):
        print_edges(seed, fields, click.echo)
    if only in (None, "head-to-head"):
        print_head_to_head(click.echo)
    if only in (None, "adjusted"):
        print_adjusted(seed, fields, click.echo)
    if only in (None, "stopped"):
        print_stopped(seed, max(tests // 25, 1), click.echo)
    if only in (None, "sprt"):
        print_error_rates(seed, tests, click.echo)
    if only in (None, "adjusted-sprt"):
        print_adjusted_error_rates(seed, tests, click.echo)
    click.echo(f"\nseed {seed}, {time.perf_counter() - began:.0f} s")


def print_coverage(
    seed: int, fields: int, bots: int, all_deals: Sequence[int], spread: float, echo: Callable[[str], None]
) -> None:
    """Print the coverages, one row per kind of luck and number of deals."""
    echo(f"Coverage of 95% intervals, {fields} simulated round robins of {bots} bots a row:\n")
    kinds = ("rating", "difference", "advantage", "win rate", "variant difference")
    echo("| luck in the deal | deals | " + " | ".join(kinds) + " |")
    echo("|---|---|" + "---|" * len(kinds))
    for deals in all_deals:
        for name, luck in LUCKS.items():
            held = coverage(seed, fields, bots, deals, luck, spread)
            echo(f"| {name} | {deals} | {_shares([held[kind] for kind in kinds])} |")


def print_edges(seed: int, fields: int, echo: Callable[[str], None]) -> None:
    """Print the coverages of a bot far from the others, and of these."""
    echo(f"\nCoverage with one bot far from the others (its intervals / the others'), {fields} fields a cell:\n")
    distances = (-1200, -900, -600, -300, 300, 600, 900, 1200)
    echo("| bots | deals | " + " | ".join(f"{away:+d}" for away in distances) + " |")
    echo("|---|---|" + "---|" * len(distances))
    for bots in (3, 5, 10, 30):
        for deals in (10, 30, 100, 500):
            few = max(fields * 6 // (bots * max(deals // 10, 1)), 40)
            cells = (edge_coverage(seed, min(few, fields), bots, deals, away, LUCKS["seat 0.5"]) for away in distances)
            echo(
                f"| {bots} | {deals} | "
                + " | ".join(f"{100 * far:.0f} / {100 * rest:.0f}" for far, rest in cells)
                + " |"
            )


def print_head_to_head(echo: Callable[[str], None]) -> None:
    """Print the exact coverages of two bots, one row per kind of luck and number of pairs."""
    echo("\nCoverage of the head-to-head interval at true scores, over all outcomes:\n")
    echo("| luck in the deal | pairs | " + " | ".join(f"{score:g}" for score in TRUE_SCORES) + " |")
    echo("|---|---|" + "---|" * len(TRUE_SCORES))
    lucks = {**LUCKS, "seat 1": Luck(1.0, 0.0), "bot 1": Luck(0.0, 1.0)}
    del lucks["seat 0.3, bot 0.3"]  # to a pair the same as independent
    least = 1.0
    for name, luck in lucks.items():
        for pairs in PAIRS:
            held = head_to_head_coverage(pairs, luck, TRUE_SCORES, shown_interval)
            least = min(least, *held)
            echo(f"| {name} | {pairs} | " + " | ".join(f"{100 * share:.1f}" for share in held) + " |")
    echo(f"\nThe least: {100 * least:.2f} %.")


def print_adjusted(seed: int, runs: int, echo: Callable[[str], None]) -> None:
    """Print the coverages of adjusted scores, by number of deals and share of luck that the judge sees."""
    echo(f"\nCoverage of the 95% interval of a score with luck taken out, {runs} simulated runs a cell (and worth):\n")
    cases = [(share, score) for share in (0.0, 0.3, 0.6) for score in (0.5, 0.85)]
    echo("| deals | " + " | ".join(f"sees {share:g}, score {score:g}" for share, score in cases) + " |")
    echo("|---|" + "---|" * len(cases))
    for deals in (30, 100, 400):
        cells = (adjusted_coverage(seed, runs, deals, *case) for case in cases)
        echo(f"| {deals} | " + " | ".join(f"{100 * held:.1f} ({worth:.2f})" for held, worth in cells) + " |")


def print_stopped(seed: int, tests: int, echo: Callable[[str], None]) -> None:
    """Print the coverages of estimates after the stop."""
    echo(f"\nEstimates of tests that stopped, {tests} a row; the median-unbiased one and the plain one:\n")
    echo("| test | luck | truth | interval holds, % | above the truth, % | plain one above, % |")
    echo("|---|---|---|---|---|---|")
    for name, luck in (("independent", Luck()), ("seat 0.4", Luck(0.4)), ("taken out", None)):
        for elo1, truths in ((40.0, (0.0, 40.0, 90.0, 200.0)), (100.0, (0.0, 100.0, 200.0, 300.0))):
            for elo in truths:
                shares = stopped_coverage(seed, tests, SprtTest(0.0, elo1), elo, luck)
                figures = " | ".join(f"{100 * share:.1f}" for share in shares)
                echo(f"| 0 .. {elo1:g} | {name} | {elo:g} | {figures} |")


def _shares(counts: Sequence[tuple[int, int]]) -> str:
    return " | ".join(f"{100 * inside / number:.1f}" for inside, number in counts)


def print_error_rates(seed: int, tests: int, echo: Callable[[str], None]) -> None:
    """Print the shares of wrong verdicts for alpha = beta = 5%."""
    echo(f"\nWrong verdicts of sequential tests, {tests} at each hypothesis, alpha = beta = 5 %:\n")
    echo("| test | unit | luck | truth | wrong, % | mean units |")
    echo("|---|---|---|---|---|---|")
    pairs = [("pairs", name) for name in LUCKS]
    for model, elo1, rows in (
        ("logistic", 20.0, [*pairs, ("games", "independent")]),
        ("normalized", 20.0, [*pairs, ("games", "independent")]),
        ("logistic", 60.0, pairs),
        ("logistic", 150.0, pairs),
    ):
        test = SprtTest(0.0, elo1, model=model)  # type: ignore[arg-type]
        for unit, name in rows:
            for truth, wrong, units in error_rates(seed, tests, test, LUCKS[name], unit):
                figures = f"{100 * wrong:.2f} | {units:.0f}"
                echo(f"| {model} 0 .. {elo1:g} | {unit} | {name} | {truth} | {figures} |")


def print_adjusted_error_rates(seed: int, tests: int, echo: Callable[[str], None]) -> None:
    """Print the shares of wrong verdicts of adjusted tests for alpha = beta = 5%."""
    echo(f"\nWrong verdicts of tests with luck taken out, {tests} at each hypothesis, alpha = beta = 5 %:\n")
    echo("| test | judge sees | weight | truth | wrong, % | mean pairs |")
    echo("|---|---|---|---|---|---|")
    for model, elo0, elo1 in (
        ("logistic", 0.0, 30.0),
        ("logistic", 0.0, 60.0),
        ("logistic", 0.0, 150.0),
        ("logistic", -150.0, -50.0),
        ("logistic", 200.0, 300.0),
        ("normalized", 0.0, 60.0),
    ):
        test = SprtTest(elo0, elo1, model=model)  # type: ignore[arg-type]
        for share, weight in ((0.0, 0.0), (0.3, 0.3), (0.5, 0.2), (0.5, 0.4), (0.5, 0.6)):
            for truth, elo, wrong in (("H0", elo0, "H1"), ("H1", elo1, "H0")):
                score = score_of_elo(elo) if model == "logistic" else 0.5 + elo / NORMALIZED_SCALE / 2
                generators = np.random.default_rng([seed, int(truth == "H1")]).spawn(tests)
                ended = [adjusted_test(test, generator, score, share, weight) for generator in generators]
                errors = 100 * np.mean([state.verdict == wrong for state in ended])
                pairs = np.mean([state.units for state in ended])
                figures = f"{errors:.2f} | {pairs:.0f}"
                echo(f"| {model} {elo0:g} .. {elo1:g} | {share:g} | {weight:g} | {truth} | {figures} |")


if __name__ == "__main__":
    main()
