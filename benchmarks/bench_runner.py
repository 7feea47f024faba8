"""Compare a whole stored tournament with the bare referee, and measure its memory.

    python -m benchmarks.bench_runner [--games 120000] [--workers 2] [--repeat 3] [--bot first]
    python -m benchmarks.bench_runner --memory 10000 100000 1000000

Four copies of a trivial bot play a round robin. Every figure is a ratio of two measurements of one run, taken in turns,
since machines differ and other programs disturb. CPU time per game is given as well: it predicts the speed of a machine
with enough cores. Each tournament is played in its own process. The parent takes its share of the cores: if a game
costs a worker w and the parent p, n workers on n cores are at most n * w / (w + p) times as fast as one.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

NAMES = "abcd"


def referee_rate(bot: str, seconds: float = 3.0) -> dict[str, float]:
    """Measure games per second of a referee alone, in a separate process."""
    from arena.bots.loading import load_bot
    from arena.bots.spec import find_bot
    from arena.game.rules import load_rules
    from arena.tournament.formats.round_robin import round_robin
    from arena.tournament.games import ScheduleProgress
    from arena.tournament.referee import Player, Referee
    from arena.tournament.rows import GameSettings

    players = [Player.of(load_bot(find_bot(bot, name=name))) for name in NAMES]
    referee = Referee(GameSettings(load_rules("base"), 5, own_deals=True), players)  # as in a tournament
    tasks = round_robin(list(NAMES), 10_000_000).tasks(ScheduleProgress())
    for _ in range(500):  # the players measure how quick they are
        referee.play_unit(next(tasks))
    games = 0
    start, cpu = time.perf_counter(), time.process_time()
    while time.perf_counter() - start < seconds:
        for _ in range(100):
            games += len(referee.play_unit(next(tasks)))
    return {
        "rate": games / (time.perf_counter() - start),
        "cpu_us": (time.process_time() - cpu) / games * 1e6,
    }


def tournament(bot: str, games: int, workers: int) -> dict[str, float]:
    """Play and store a round robin of about `games` games."""
    from arena.tournament.config import config_from_dict
    from arena.tournament.runner.play_run import play_run

    bots = [{"spec": bot, "name": name} for name in NAMES]
    config = config_from_dict({"bots": bots, "games": max(games // 6, 2), "seed": 5, "workers": workers})
    before = _cpu(resource.RUSAGE_SELF)
    with tempfile.TemporaryDirectory() as folder:
        report = play_run(config, Path(folder) / "run")
        size = sum(file.stat().st_size for file in (Path(folder) / "run").iterdir())
    assert report.done == report.total
    parent = _cpu(resource.RUSAGE_SELF) - before
    return {
        "games": report.played,
        "parent_cpu_s": parent,
        "rate": report.played / report.seconds,
        "parent_cpu_us": parent / report.played * 1e6,
        "worker_cpu_us": _cpu(resource.RUSAGE_CHILDREN) / report.played * 1e6,
        "parent_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "worker_mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
        "bytes_a_game": size / report.played,
    }


def _cpu(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def _apart(*job: object) -> dict[str, float]:
    """Run a job in its own process."""
    command = [sys.executable, "-m", "benchmarks.bench_runner", "--job", json.dumps(job)]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    result: dict[str, float] = json.loads(out.splitlines()[-1])
    return result


def speed(bot: str, games: int, workers: int, repeat: int) -> None:
    rows: list[dict[str, Any]] = []
    for _ in range(repeat):
        bare = _apart("referee", bot)
        one = _apart("tournament", bot, games, 1)
        few = _apart("tournament", bot, games // 4, workers)
        many = _apart("tournament", bot, games, workers)
        more = many["games"] - few["games"]
        ratio = many["rate"] / one["rate"]
        worker, parent = many["worker_cpu_us"], many["parent_cpu_us"]
        rows.append(
            {
                "referee games/s": bare["rate"],
                "1 worker games/s": one["rate"],
                f"{workers} workers games/s": many["rate"],
                f"{workers} workers / 1 worker": ratio,
                f"  of what {workers} cores allow (>= 0.95)": ratio * (worker + parent) / (worker * workers),
                f"{workers} workers / (referee x {workers}) (>= 0.8)": many["rate"] / bare["rate"] / workers,
                "CPU us/game: referee": bare["cpu_us"],
                "CPU us/game: workers": worker,
                "CPU us/game: parent": parent,
                "CPU us/game more: parent (<= 5)": (many["parent_cpu_s"] - few["parent_cpu_s"]) / more * 1e6,
            }
        )
    print(f"{bot}, {games} games, {workers} workers, {repeat} times: median (least to most)")
    for name in rows[0]:
        values = sorted(row[name] for row in rows)
        middle = statistics.median(values)
        digits = 0 if middle >= 1000 else 3 if middle < 10 else 1
        print(f"  {name:44} {middle:10,.{digits}f}  ({values[0]:,.{digits}f} to {values[-1]:,.{digits}f})")


def memory(bot: str, counts: list[int], workers: int) -> None:
    print(f"{bot}, {workers} workers: most memory of the parent and of a worker")
    for games in counts:
        found = _apart("tournament", bot, games, workers)
        print(
            f"  {found['games']:>10,.0f} games  parent {found['parent_mb']:6.1f} MB"
            f"  worker {found['worker_mb']:6.1f} MB"
            f"  {found['bytes_a_game']:5.0f} bytes/game on disk  {found['rate']:8,.0f} games/s"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=120_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--bot", default="first")
    parser.add_argument("--memory", type=int, nargs="+", metavar="GAMES")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.job:
        kind, *values = json.loads(args.job)
        print(json.dumps({"referee": referee_rate, "tournament": tournament}[kind](*values)))
    elif args.memory:
        memory(args.bot, args.memory, args.workers)
    else:
        speed(args.bot, args.games, args.workers, args.repeat)


if __name__ == "__main__":
    main()
