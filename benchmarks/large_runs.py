"""Measure the reading of large runs: generate runs of a million games, and time the commands that read them.

    python -m benchmarks.large_runs make FOLDER --bots 1000 --games 2
    python -m benchmarks.large_runs read FOLDER [--repeat 3] [--commands standings rate]

`make` plays 2,000 games and stores them repeatedly as a round robin of `--bots` bots, with results drawn from strengths
400 Elo apart: the rows are real, but their records belong to other games. `read` prints the median processor time and
elapsed time of each command, and its memory.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from arena.tournament.config import config_from_dict
from arena.tournament.games import Row, ScheduleProgress, Task
from arena.tournament.plan import plan_run
from arena.tournament.runner.play_run import play_run
from arena.tournament.store.reader import Reader
from arena.tournament.store.writer import open_store

_AT_ONCE = 20_000
_ARENA = (sys.executable, "-m", "arena.cli.main")


def real_rows() -> list[Row]:
    """Return rows of games that were actually played."""
    with tempfile.TemporaryDirectory() as folder:
        config = config_from_dict({"bots": ["first", "random"], "games": 2000, "seed": 3})
        play_run(config, Path(folder) / "run")
        with Reader(Path(folder) / "run") as reader:
            return list(reader.rows())


def make(folder: Path, bots: int, games: int, seed: int = 1) -> int:
    """Generate a finished round robin with `--games` games per pairing; return the number of games."""
    names = [f"b{number:04}" for number in range(bots)]
    config = config_from_dict({"bots": [f"{name}=first" for name in names], "games": games, "seed": seed})
    rng = np.random.default_rng(seed)
    strength = dict(zip(names, np.linspace(-200, 200, bots)))
    rows, stored = real_rows(), 0
    with open_store(folder) as store:
        store.bring_up(plan_run(config, config.find_bots(), None).wanted)
        store.begin_session({"made_by": "benchmarks.large_runs"})
        for tasks in _parts(config.schedule().tasks(ScheduleProgress())):
            new: list[Row] = []
            units = [store.numbered(task) for task in tasks]
            for task in units:
                for game in task.game_tasks():  # type: ignore[union-attr]
                    won = 1 / (1 + 10 ** ((strength[game.second] - strength[game.first]) / 400)) > rng.random()
                    new.append(_as(rows[stored % len(rows)], game.key, bool(won)))
                    stored += 1
            store.add([new])
    return stored


def _parts(tasks: Iterator[Task]) -> Iterator[list[Task]]:
    part: list[Task] = []
    for task in tasks:
        part.append(task)
        if len(part) == _AT_ONCE:
            yield part
            part = []
    if part:
        yield part


def _as(row: Row, key: int, won: bool) -> Row:
    """Copy a row under the identity of another game, with its result turned round if necessary."""
    stones = sorted((row.stones_first, row.stones_second), reverse=won)
    return row._replace(id=key, score=2 * won, stones_first=stones[0], stones_second=stones[1])


def read(folder: Path, command: list[str]) -> tuple[float, float, float]:
    """Return the processor time and elapsed time of a command in seconds, and its memory in MB."""
    begun = time.perf_counter()
    with subprocess.Popen([*_ARENA, *command, str(folder)], stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)}: exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - begun, usage.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "read"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--bots", type=int, default=1000)
    parser.add_argument("--games", type=int, default=2, help="games of each pairing")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--commands", nargs="+", default=["standings", "rate"])
    given = parser.parse_args()
    if given.what == "make":
        print(f"{make(given.folder, given.bots, given.games):,} games in {given.folder}")
        return
    for command in given.commands:
        found = [read(given.folder, command.split()) for _ in range(given.repeat)]
        cpu, elapsed, memory = (statistics.median(one) for one in zip(*found))
        print(f"{command:12} {cpu:6.2f} s processor {elapsed:6.2f} s elapsed {memory:6,.0f} MB")


if __name__ == "__main__":
    main()
