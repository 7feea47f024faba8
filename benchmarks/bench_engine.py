"""Measure the engine, in games per second and as ratios within one run (`pytest benchmarks/bench_engine.py -s`).

Three things are measured: games of random moves inside the engine for every rule set, games of the oracle
(`tests/oracle`), and the bare loop of a referee with two Python bots that take the first and the last legal move.
Compare the ratios; the absolute figures depend on the machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from arena.game.deals import Deal, make_deal
from arena.game.engine import State, View, play_random_games
from arena.game.moves import Move
from arena.game.rng import Rng, derive_seed
from arena.game.rules import load_rules, preset_names
from tests.oracle import Options, Oracle

SETS = ("base", "tactical", "expert")
GAMES = {"base": 20_000, "tactical": 5_000}
rates: dict[tuple[str, str], float] = {}


@pytest.fixture(scope="module", autouse=True)
def ratios() -> Iterator[None]:
    """Print the measurements and the ratios at the end of the module."""
    yield
    inside, base = "random games inside the engine", rates.get(("random games inside the engine", "base"))
    print("\n")
    for (what, rules_name), rate in rates.items():
        words = [f"{what:<34}{rules_name:<22}{rate:>12,.0f} games/s"]
        oracle = rates.get(("random games of the oracle", rules_name))
        if what == inside and oracle:
            words.append(f"{rate / oracle:>8,.0f} x oracle")
        if what == inside and base:
            words.append(f"{rate / base:>8.2f} x base")
        print("  ".join(words))


def measured(what: str, rules_name: str, games: int, benchmark: BenchmarkFixture, play: Callable[[], object]) -> None:
    """Run a benchmark a few times and note its best rate."""
    benchmark.group = what
    benchmark.extra_info["games"] = games
    best = float("inf")

    def timed() -> None:
        nonlocal best
        start = time.perf_counter()
        play()
        best = min(best, time.perf_counter() - start)

    benchmark.pedantic(timed, rounds=3, warmup_rounds=1)
    rates[what, rules_name] = games / best


@pytest.mark.parametrize("rules_name", ["base", "tactical", "expert", *preset_names()])
def test_random_games_inside_the_engine(rules_name: str, benchmark: BenchmarkFixture) -> None:
    rules = load_rules(rules_name)
    games = GAMES["tactical" if rules.tactics else "base"]
    measured("random games inside the engine", rules_name, games, benchmark, lambda: play_random_games(rules, games, 1))


@pytest.mark.parametrize("rules_name", SETS)
def test_random_games_of_the_oracle(rules_name: str, benchmark: BenchmarkFixture) -> None:
    rules = load_rules(rules_name)
    options, games = Options.like(rules), 30

    def play() -> None:
        rng = Rng(derive_seed(1, "bench", rules_name))
        for number in range(games):
            deal = make_deal(rules, 1, number)
            tactic = [f"*{rules.spy_value}" if card == "*7" else card for card in deal.tactic]
            game = Oracle(options, deal.clan, tactic, deal.starter)
            while not game.is_over:
                game.apply(rng.choice(game.legal_moves()))

    measured("random games of the oracle", rules_name, games, benchmark, play)


def first(view: View, moves: list[Move]) -> Move:
    """Return the first legal move: the smallest possible bot."""
    return moves[0]


def last(view: View, moves: list[Move]) -> Move:
    """Return the last legal move."""
    return moves[-1]


@pytest.mark.parametrize("rules_name", SETS)
def test_python_bots_in_a_bare_loop(rules_name: str, benchmark: BenchmarkFixture) -> None:
    """Deal, ask both bots for each move with a view, and apply it: the minimum work of a referee."""
    rules = load_rules(rules_name)
    games = 2000
    deals: list[Deal] = [make_deal(rules, 1, number) for number in range(games)]
    bots = (first, last)

    def play() -> None:
        for deal in deals:
            state = State(rules, deal)
            while moves := state.legal_moves():
                seat = state.to_move
                state.apply(bots[seat](state.view(seat), moves))

    measured("two Python bots in a bare loop", rules_name, games, benchmark, play)
