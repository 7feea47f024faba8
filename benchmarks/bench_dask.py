"""Compare a Dask cluster with the local executor: both play the same tournament on two workers of this machine.

    python -m benchmarks.bench_dask [--games 4000] [--repeat 3] [--bots first greedy]

A scheduler and two worker processes are started with `dask scheduler` and `dask worker`. The executors alternate, and
each ratio is taken within one round, because other programs disturb both. "start" is the time to the first stored game,
"play" the number of games per second after it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.tournament.config import config_from_dict
from arena.tournament.runner.play_run import play_run
from arena.tournament.runner.progress import RunStatus

WORKERS = 2


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """Start a scheduler with two workers and yield its address."""
    told = folder / "scheduler.json"
    words = [["scheduler", "--port", "0", "--host", "127.0.0.1"]]
    words += [["worker", "--nthreads", "1", "--memory-limit", "0", "--no-nanny"]] * WORKERS
    started = []
    try:
        for what, *options in words:
            command = [sys.executable, "-m", f"distributed.cli.dask_{what}", "--no-dashboard"]
            command += ["--scheduler-file", str(told), *options]
            started.append(subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            while what == "scheduler" and not told.is_file():
                time.sleep(0.1)
        yield json.loads(told.read_text())["address"]
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


class _Stopwatch:
    """Progress that notes when the first games were stored."""

    def __init__(self) -> None:
        self.begun = time.perf_counter()
        self.first: tuple[float, int] | None = None
        self.last = (0.0, 0)

    def begin(self, name: str, seed: int, status: RunStatus) -> None: ...
    def note(self, text: str) -> None: ...

    def update(self, status: RunStatus) -> None:
        now = time.perf_counter() - self.begun
        if status.done and self.first is None:
            self.first = (now, status.done)
        self.last = (now, status.done)

    def end(self, status: RunStatus, interrupted: bool) -> None:
        self.update(status)


def play(bots: list[str], games: int, executor: str, scheduler: str | None) -> dict[str, float]:
    """Play a tournament; return the seconds to the first game, and the games per second after it."""
    data: dict[str, Any] = {"bots": bots, "games": games, "seed": 5, "executor": executor}
    if scheduler:
        data["scheduler"] = scheduler
    watch = _Stopwatch()
    with tempfile.TemporaryDirectory() as folder:
        report = play_run(config_from_dict({**data, "workers": WORKERS}), Path(folder) / "run", watch)
    assert report.done == report.total
    assert watch.first is not None
    (start, early), (end, late) = watch.first, watch.last
    return {"start": start, "rate": (late - early) / max(end - start, 1e-9), "seconds": end}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--bots", nargs=2, default=["first", "greedy"])
    given = parser.parse_args()
    rows: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as folder, cluster(Path(folder)) as scheduler:
        play(given.bots, 20, "dask", scheduler)  # the workers import what they need
        for _ in range(given.repeat):
            local = play(given.bots, given.games, "local", None)
            dask = play(given.bots, given.games, "dask", scheduler)
            rows.append(
                {
                    "local: start, s": local["start"],
                    "dask: start, s": dask["start"],
                    "local: games/s": local["rate"],
                    "dask: games/s": dask["rate"],
                    "play: dask / local": dask["rate"] / local["rate"],
                    "in all: dask / local, seconds": dask["seconds"] / local["seconds"],
                }
            )
    told = f"{given.games} games, {WORKERS} workers, {given.repeat} times: median (least to most)"
    print(f"{' - '.join(given.bots)}, {told}")
    for name in rows[0]:
        values = sorted(row[name] for row in rows)
        print(f"  {name:32} {statistics.median(values):10,.2f}  ({values[0]:,.2f} to {values[-1]:,.2f})")


if __name__ == "__main__":
    main()
