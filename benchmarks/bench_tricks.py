"""What a trick gains that trades clarity for the throughput of trivial bots: a stored tournament with and without it.

    python -m benchmarks.bench_tricks [--games 60000] [--workers 2] [--pairs 7] [--bot first]

Each function of TRICKS turns one trick off. Both kinds of tournament are played in turns, each in a process of its
own; what counts is the median of the ratios of CPU time of all processes together. A trick that gains less than 10 %
is not worth its lines.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Callable

from benchmarks.bench_runner import tournament


def quick_loop() -> None:
    """Have every decision timed: no game is played by the engine's own loop, no thinking time is estimated.

    With it a stored tournament of `first` bots takes 0.47 of the CPU time (2 cores, Linux, 7 pairs).
    """
    from arena.tournament.referee import Player

    Player.quick = property(lambda player: False, lambda player, value: None)  # type: ignore[assignment]


TRICKS: dict[str, Callable[[], None]] = {"quick_loop": quick_loop}


def _run(trick: str, bot: str, games: int, workers: int) -> tuple[float, float]:
    """CPU time and wall time of a game in microseconds; with all tricks if `trick` is empty."""
    command = [sys.executable, "-m", "benchmarks.bench_tricks", "--job", json.dumps([trick, bot, games, workers])]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    found = json.loads(out.splitlines()[-1])
    return found["parent_cpu_us"] + found["worker_cpu_us"], 1e6 / found["rate"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=60_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--bot", default="first")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.job:
        trick, *job = json.loads(args.job)
        if trick:
            TRICKS[trick]()  # workers are forked, so they have it, too
        print(json.dumps(tournament(*job)))
        return
    job = (args.bot, args.games, args.workers)
    for trick in TRICKS:
        pairs = [(_run("", *job), _run(trick, *job)) for _ in range(args.pairs)]
        cpu, wall = (statistics.median(one[at] / other[at] for one, other in pairs) for at in (0, 1))
        print(f"{trick}: CPU time {cpu:.3f}, wall time {wall:.3f} of those without it ({args.pairs} pairs)")


if __name__ == "__main__":
    main()
