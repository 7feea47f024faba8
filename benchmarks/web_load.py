"""Load a served league: `python -m benchmarks.web_load --seed 1 --authors 300 --minutes 10 --readers 200`.

Authors upload bots at random moments, while readers request pages without a pause, or with `--pause-ms` after each
(wrk, from Debian's package of that name). Then the program waits until all uploads are decided. It prints the times of
both, the number of uploads that were answered within 2 s, and the time until their results. `--minutes 1 --authors 30`
is a short run with the same rates.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from arena.cli.main import main as arena
from arena.errors import ArenaError
from arena.league import versions
from arena.league.store import open_league
from arena.web.client import Server
from tests.league.leagues import submission
from tests.web.served import Served

PATHS = ("", "live", "history", "rules", "bots/first", "bots/random")
SCRIPT = """
local paths = {%s}
local at = 0
delay = function() return %d end
request = function()
  at = at + 1
  return wrk.format("GET", paths[at %% #paths + 1])
end
done = function(summary, latency, requests)
  io.write(string.format("FIGURES %%d %%d %%.3f %%.3f %%.3f\\n", summary.requests,
    summary.errors.status + summary.errors.read + summary.errors.connect + summary.errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000))
end
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--authors", type=int, default=300)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--pause-ms", type=int, default=0, help="between a reader's page and the next")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--isolation", default="process")
    parser.add_argument("--patience", type=float, default=60.0, help="minutes to wait for the last result")
    given = parser.parse_args()
    if shutil.which("wrk") is None:
        raise SystemExit("wrk is not installed; Debian has it in a package of that name")
    with tempfile.TemporaryDirectory() as place:
        print(json.dumps(load(Path(place), given), indent=2))
    return 0


def load(place: Path, given: argparse.Namespace) -> dict[str, object]:
    """Run the load once; return the figures."""
    folder = place / "load"
    settings = ["placement.error=200", "placement.most_games=20", "placement.games=4", "placement.sample=3"]
    small = [f"--set={setting}" for setting in (f"isolation={given.isolation}", *settings)]
    assert arena(["league", "create", "load", "--out", str(folder), *small]) == 0
    for bot in ("first", "random"):
        assert arena(["submit", bot, "--league", str(folder), "--workers", "1"]) == 0
    server = Served(folder, given.workers, ("--isolation", given.isolation))
    server.start()
    try:
        rng = random.Random(given.seed)
        seconds = 60 * given.minutes
        took: list[float] = []
        failed: list[str] = []
        threads = [
            threading.Thread(target=_author, args=(server, number, rng.uniform(0, seconds), took, failed))
            for number in range(given.authors)
        ]
        for thread in threads:
            thread.start()
        figures = _readers(server, place, given.readers, seconds, given.pause_ms)
        for thread in threads:
            thread.join()
        load_average = os.getloadavg()[0]
        waited = _wait(folder, 60 * given.patience)
    finally:
        server.stop()
    with open_league(folder, write=False) as league:
        every = [one for one in versions.in_state(league, retired=True) if one.name.startswith("bot")]
    states = [one.state for one in every]
    results = sorted(one.decided - one.submitted for one in every if one.decided is not None)
    took.sort()
    return {
        "seed": given.seed,
        "authors": given.authors,
        "readers": given.readers,
        "minutes": given.minutes,
        "uploads_answered": len(took),
        "uploads_within_2_s": sum(one <= 2 for one in took),
        "uploads_failed": failed[:5],
        "upload_s_median": _at(took, 0.5),
        "upload_s_p99": _at(took, 0.99),
        "upload_s_max": _at(took, 1.0),
        **figures,
        "load_average": round(load_average, 1),
        "results": len(results),
        "result_s_median": _at(results, 0.5),
        "result_s_max": _at(results, 1.0),
        "all_decided_s_after_the_load": waited,
        "states": {state: states.count(state) for state in sorted(set(states))},
    }


def _author(server: Served, number: int, wait: float, took: list[float], failed: list[str]) -> None:
    ask = Server(server.url, server.token(f"Author {number}"))
    time.sleep(wait)
    text = f"# {number}\ndef act(view, moves):\n    return moves[{number} % len(moves)]\n"
    begun = time.monotonic()
    try:
        ask.submit(submission(f"bot{number}", text))
    except ArenaError as error:
        failed.append(str(error))
    else:
        took.append(time.monotonic() - begun)


def _wait(folder: Path, patience_s: float) -> float | None:
    """Wait until every upload is decided; return the seconds, or None if it took too long."""
    begun = time.monotonic()
    while time.monotonic() < begun + patience_s:
        with open_league(folder, write=False) as league:
            if not versions.in_state(league, *versions.OPEN):
                return round(time.monotonic() - begun, 1)
        time.sleep(1)
    return None


def _readers(server: Served, place: Path, readers: int, seconds: float, pause_ms: int) -> dict[str, float]:
    script = place / "readers.lua"
    script.write_text(SCRIPT % (", ".join(f'"/{path}"' for path in PATHS), pause_ms))
    bounds = ["-t2", f"-c{readers}", f"-d{max(round(seconds), 1)}s", "--timeout", "30s"]
    words = ["wrk", *bounds, "-s", str(script), server.url]
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    found = re.search(r"FIGURES (\d+) (\d+) ([\d.]+) ([\d.]+) ([\d.]+)", text)
    assert found, text
    names = ("pages", "page_errors", "page_ms_median", "page_ms_p99", "page_ms_max")
    return dict(zip(names, map(float, found.groups())))


def _at(values: list[float], share: float) -> float | None:
    return round(values[min(int(share * len(values)), len(values) - 1)], 3) if values else None


if __name__ == "__main__":
    sys.exit(main())
