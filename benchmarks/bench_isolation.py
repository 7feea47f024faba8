"""Measure the cost of isolation: games per second of two bots in processes on one core, and start-up time.

    python -m benchmarks.bench_isolation [--bots first,random] [--rounds 3] [--pairs 4000] [--json]

All measurements run on one core, in turns; the results are medians of the rounds. The goals per core: at least 1,900
games per second; the sandbox within 10% of the level `process`; less than 100 ms to start a sandboxed bot, apart from
its own imports.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from arena.bots.isolation.levels import Launch
from arena.bots.isolation.process import BotProcess
from arena.bots.isolation.remote_bot import RemoteBot
from arena.bots.limits import BotLimits
from arena.bots.loading import load_bot
from arena.bots.spec import BotSpec, find_bot
from arena.game.rules import Rules, load_rules
from arena.tournament.games import PairTask
from arena.tournament.referee import Player, Referee
from arena.tournament.rows import GameSettings

WARM_UP = 20


@contextmanager
def referee_of(names: list[str], level: str) -> Iterator[Referee]:
    """Return a referee for two bots at a level; `none` runs them inside this process."""
    rules = load_rules("base")
    specs = [find_bot(f"{name}={spec}") for name, spec in zip("ab", names)]
    players = [Player.of(load_bot(spec)) if level == "none" else _player(spec, rules, level) for spec in specs]
    referee = Referee(GameSettings(rules, 1), players)
    try:
        for deal in range(WARM_UP):
            referee.play_unit(PairTask(0, deal, "a", "b"))
        yield referee
    finally:
        for player in players:
            player.close()


def _player(spec: BotSpec, rules: Rules, level: str) -> Player:
    bot = RemoteBot(spec, rules, level, BotLimits())
    return Player(bot.name, lambda: bot)


def rate(names: list[str], level: str, pairs: int) -> float:
    """Return games per second."""
    tasks = [PairTask(0, WARM_UP + deal, "a", "b") for deal in range(pairs)]
    with referee_of(names, level) as referee:
        start = time.perf_counter()
        for task in tasks:
            referee.play_unit(task)
        return 2 * pairs / (time.perf_counter() - start)


def start_up(spec: str, level: str, times: int = 7) -> float:
    """Return the median milliseconds of a few starts, until a bot can be asked for a move."""
    return statistics.median(_start_up(spec, level) for _ in range(times))


def _start_up(spec: str, level: str) -> float:
    bot = RemoteBot(find_bot(spec), load_rules("base"), level, BotLimits())
    start = time.perf_counter()
    bot.load()
    bot.prepare()
    passed = time.perf_counter() - start
    bot.close()
    return passed * 1000


def interpreter() -> float:
    """Measure the milliseconds of an interpreter that does nothing."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)
    return (time.perf_counter() - start) * 1000


def bubblewrap() -> float:
    """Measure the milliseconds of the same interpreter in a sandbox."""
    launch = Launch((sys.executable, "-I", "-S", "-c", "pass"), Path(__file__).parent, "sandbox")
    start = time.perf_counter()
    process = BotProcess(launch)
    process.close(grace_s=60)
    return (time.perf_counter() - start) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", default="first,random")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=4000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    names = given.bots.split(",")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    jobs: dict[str, Callable[[], float]] = {"none: games/s": partial(rate, names, "none", given.pairs)}
    for level in ("process", "sandbox"):
        jobs[f"{level}: games/s"] = partial(rate, names, level, given.pairs)
    jobs["interpreter alone: ms"] = interpreter
    jobs["interpreter in the sandbox: ms"] = bubblewrap
    for level in ("process", "sandbox"):
        jobs[f"{level}, start-up: ms"] = partial(start_up, names[0], level)
    rounds = [{name: job() for name, job in jobs.items()} for _ in range(given.rounds)]
    found = {name: statistics.median(one[name] for one in rounds) for name in jobs}
    for what in [name.removeprefix("process") for name in jobs if name.startswith("process") and "games" in name]:
        ratios = [one[f"sandbox{what}"] / one[f"process{what}"] for one in rounds]
        found[f"sandbox / process{what.removesuffix(': games/s')}"] = statistics.median(ratios)
    if given.json:
        print(json.dumps(found, indent=1))
        return
    print(f"{given.bots}, {given.rounds} rounds, one core: medians")
    for name, value in found.items():
        print(f"  {name:40} {value:10,.{0 if value > 1000 else 2}f}")


if __name__ == "__main__":
    main()
