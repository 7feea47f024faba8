"""Kill a league's server at random moments: `python -m tools.crash --seed 1 --moments 50`.

Authors upload bots to a real server while the server, the process that plays, or both are killed (SIGKILL) at random
moments and restarted. In the end, each bot for which an author got a receipt must be in the league exactly once and
decided, the league must be sound, and the server's table must equal the table of the commands.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.cli.main import main as arena
from arena.errors import ArenaError
from arena.league import versions
from arena.league.store import open_league
from arena.league.verification import league_faults, verified_games
from arena.results.run_standings import standings
from arena.results.sources import league_run
from arena.results.standings_report import public_json
from arena.web.client import Server
from tests.league.leagues import submission
from tests.web.served import Served

WHOM = ("web", "player", "both")


@dataclass
class Outcome:
    """Statistics of a session and the `faults` found."""

    seed: int
    moments: int
    killed: Counter[str] = field(default_factory=Counter)
    receipts: int = 0
    unanswered: int = 0
    states: Counter[str] = field(default_factory=Counter)
    games: int = 0
    faults: list[str] = field(default_factory=list)


def run(folder: Path, seed: int, moments: int, authors: int, pause_s: float, isolation: str) -> Outcome:
    """Kill the server of a new league at random moments."""
    settings = "placement.error=200 placement.most_games=16 placement.games=4 placement.sample=2"
    settings += " budget.uploads=1000 budget.bots=1000"
    small = [f"--set={setting}" for setting in (f"isolation={isolation}", *settings.split())]
    assert arena(["league", "create", "crash", "--out", str(folder), *small]) == 0
    for bot in ("first", "random"):
        assert arena(["submit", bot, "--league", str(folder), "--workers", "1"]) == 0
    rng = random.Random(seed)
    outcome = Outcome(seed, moments)
    server = Served(folder, 2, ("--isolation", isolation))
    receipts: dict[str, int] = {}
    over, lock = threading.Event(), threading.Lock()

    def author(number: int) -> None:
        author_rng = random.Random(f"{seed}/{number}")
        ask = Server(server.url, server.token(f"Author {number}"))
        count = 0
        while not over.is_set():
            count += 1
            text = f"# {number} {count}\ndef act(view, moves):\n    return moves[{author_rng.choice((0, -1))}]\n"
            if author_rng.random() < 0.2:
                text += "no_such_name\n"
            what = submission(f"b{number}x{count}", text)
            while not over.is_set():  # an author without an answer tries again
                try:
                    receipt = ask.submit(what)
                except ArenaError:
                    with lock:
                        outcome.unanswered += 1
                    time.sleep(0.3)
                    continue
                with lock:
                    receipts[what.hash] = int(receipt["id"])
                break
            over.wait(author_rng.uniform(1, 2) * pause_s * authors)

    server.start()
    threads = [threading.Thread(target=author, args=(number,)) for number in range(authors)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(moments):
            time.sleep(rng.uniform(0, 2 * pause_s))
            whom = rng.choice(WHOM)
            outcome.killed[whom] += 1
            if whom != "web":
                for pid in server.player_pids():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            if whom != "player":
                server.kill()
                server.start()
        over.set()
        for thread in threads:
            thread.join()
        _await_decisions(folder, outcome)
        _compare(folder, server, receipts, outcome)
    finally:
        over.set()
        server.stop()
    return outcome


def _await_decisions(folder: Path, outcome: Outcome, patience_s: float = 1800.0) -> None:
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        with open_league(folder, write=False) as league:
            if not versions.in_state(league, *versions.OPEN):
                return
        time.sleep(1)
    outcome.faults.append("some submissions were never decided")


def _compare(folder: Path, server: Served, receipts: dict[str, int], outcome: Outcome) -> None:
    outcome.receipts = len(receipts)
    with open_league(folder, write=False) as league:
        every = versions.in_state(league, retired=True)
        outcome.states = Counter("suspended" if version.retired else version.state for version in every)
        outcome.games = league.count_games()
        hashes = Counter(version.hash for version in every)
        outcome.faults += [f"lost: {one}" for one in receipts if hashes[one] == 0]
        outcome.faults += [f"twice: {one}" for one, number in hashes.items() if number > 1]
        broken = {
            version.label
            for version in every
            if version.state == versions.REFUSED and "NameError" not in version.reason
        }
        blamed = {version.label for version in every if "suspended" in f"{version.reason}{version.retired_reason}"}
        outcome.faults += [f"refused, but sound: {one}" for one in sorted(broken - blamed)]
        outcome.faults += league_faults(league)
        outcome.faults += [f"game {game.name}: {fault}" for game, fault in verified_games(league) if fault]
    for _ in range(30):  # the server caches its tables for a moment, and bots may still be playing
        before, found, after = (
            _table(folder),
            Server(server.url).ask("standings")["tables"]["standings"],
            _table(folder),
        )
        if found in (before, after):
            return
        time.sleep(1)
    outcome.faults.append(f"the server's table is not that of the commands: {found} for {after}")


def _table(folder: Path) -> Any:
    with open_league(folder, write=False) as league:
        return json.loads(public_json(standings(league_run(league))))["tables"]["standings"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--moments", type=int, default=50)
    parser.add_argument("--authors", type=int, default=6)
    parser.add_argument("--pause-s", type=float, default=4.0, help="mean seconds between two deaths")
    parser.add_argument("--isolation", default="process")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        options = given.seed, given.moments, given.authors, given.pause_s, given.isolation
        outcome = run(Path(place, "crash"), *options)
    print(json.dumps(vars(outcome), indent=2))  # asdict cannot copy a Counter
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
