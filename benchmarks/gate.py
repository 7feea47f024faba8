"""Compare the processor time of this checkout with another one, for pull requests.

    python -m benchmarks.gate BASE [--limit 1.3] [--rounds 5]

BASE is the folder of another checkout with its own `.venv`. Each job is one command that does the same work in both.
The checkouts alternate, and the shortest processor time of each counts, including its workers, so a busy machine
disturbs both equally. Exits with 1 if a job of this checkout takes more than `--limit` times as long.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parents[1]
PERFT = "from arena import *; rules = load_rules('base'); State(rules, make_deal(rules, 1, 0)).perft(5)"
STORED = "stored"  # the run that the reading jobs open; the last `match` writes it
JOBS = {
    "help": ["--help"],
    "engine": ["-c", PERFT],
    "two games": ["match", "first", "random", "--games", "2", "--seed", "1", "--out", "two"],
    "bots": ["match", "counter", "greedy", "--games", "60", "--seed", "1", "--workers", "1", "--out", "bots"],
    "stored games": ["match", "first", "random", "--games", "6000", "--seed", "1", "--workers", "1", "--out", STORED],
    "standings": ["standings", STORED, "--all", "--json"],
    "verify": ["verify", STORED],
}


def main() -> int:
    """Compare the checkouts and print a line per job. Commands that BASE does not have are skipped."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("base", type=Path)
    parser.add_argument("--limit", type=float, default=1.3)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    base: dict[str, list[float]] = {}
    here: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as made:
        for number in range(asked.rounds):
            for seconds, checkout in ((base, asked.base.resolve()), (here, HERE)):
                folder = Path(made) / f"{'here' if seconds is here else 'base'}{number}"
                folder.mkdir()
                for job, words in JOBS.items():
                    try:
                        seconds.setdefault(job, []).append(processor_time(checkout, words, folder))
                    except subprocess.CalledProcessError:
                        if checkout == HERE:
                            raise
                        seconds[job] = []
    ratios = {job: min(here[job]) / min(base[job]) for job in JOBS if base[job]}
    for job, ratio in ratios.items():
        slower = "  slower" if ratio > asked.limit else ""
        print(f"{job:<14}{min(base[job]):>8.2f} s{min(here[job]):>8.2f} s{ratio:>7.2f}{slower}")
    return int(max(ratios.values()) > asked.limit)


def processor_time(checkout: Path, words: list[str], folder: Path) -> float:
    """Return the processor time of a checkout's command in seconds, including all processes that it waits for."""
    before = os.times()
    program = [] if words[0] == "-c" else ["-m", "arena.cli.main"]
    subprocess.run(
        [checkout / ".venv" / "bin" / "python", *program, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(checkout), "OPENBLAS_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


if __name__ == "__main__":
    sys.exit(main())
