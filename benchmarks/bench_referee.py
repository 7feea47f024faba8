"""Compare the referee with the engine: games per second, and the ratio to the bare loop timed in the same run.

    pytest benchmarks/bench_referee.py --benchmark-only

The bare loop deals, asks the engine for the legal moves and applies one: no views, no records, no bots. The goal for
the referee with trivial bots under base rules is at least 40,000 games per second on an idle core.
"""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest

from arena.bots.bot import TimeLeft
from arena.bots.loading import load_bot
from arena.bots.spec import find_bot
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rules import load_rules
from arena.tournament.games import PairTask
from arena.tournament.referee import Player, Referee
from arena.tournament.rows import GameSettings

PAIRS = 500


def make_referee(bot: str, rules: str, clock: TimeLeft | None = None) -> Referee:
    players = [Player.of(load_bot(find_bot(f"{name}={bot}"))) for name in "ab"]
    return Referee(GameSettings(load_rules(rules), 1, clock), players)


def play(referee: Referee, start: int = 0) -> None:
    for deal in range(start, start + PAIRS):
        referee.play_unit(PairTask(0, deal, "a", "b"))


def bare_loop(rules_name: str) -> None:
    rules = load_rules(rules_name)
    for number in range(PAIRS):
        deal = make_deal(rules, 1, number)
        for _ in range(2):
            state = State(rules, deal)
            while moves := state.legal_moves():
                state.apply(moves[0])


def best_time(work: Any, *args: Any) -> float:
    times = []
    for _ in range(7):
        start = process_time()
        work(*args)
        times.append(process_time() - start)
    return min(times)


@pytest.mark.parametrize("rules", ["base", "tactical"])
@pytest.mark.parametrize("bot", ["first", "random"])
def test_referee(benchmark: Any, bot: str, rules: str) -> None:
    referee = make_referee(bot, rules)
    play(referee, 10_000)  # until the bots count as quick
    benchmark.pedantic(play, (referee,), rounds=10, warmup_rounds=1)
    rate = 2 * PAIRS / best_time(play, referee)
    bare = 2 * PAIRS / best_time(bare_loop, rules)
    benchmark.extra_info.update(games_per_second=round(rate), bare_loop=round(bare), ratio=round(rate / bare, 3))
    print(f"\n{rules}, two of {bot}: {rate:,.0f} games/s, bare loop {bare:,.0f}, ratio {rate / bare:.2f}")


def test_referee_with_clock(benchmark: Any) -> None:
    referee = make_referee("first", "base", TimeLeft(1000, 1000))
    benchmark.pedantic(play, (referee,), rounds=10, warmup_rounds=1)
    rate = 2 * PAIRS / best_time(play, referee)
    benchmark.extra_info.update(games_per_second=round(rate))
    print(f"\nbase with clock, two of first: {rate:,.0f} games/s")
