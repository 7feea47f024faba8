"""Real runs for tests: bots of tests/data/bots, the parts that are equal in two runs, and a run as a program.

`python -m tests.tournament.runner.runs FOLDER SETTINGS WORKERS` plays the tournament of a JSON string and
prints a line for each report of progress, and the report at the end.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.bots.limits import Limits
from arena.bots.processes import children
from arena.tournament.config import config_from_dict
from arena.tournament.games import CLOCKED, ROW_COLUMNS, GameId
from arena.tournament.runner.play_run import RunReport, play_run
from arena.tournament.runner.progress import ProgressListener, RunStatus
from arena.tournament.store.reader import Reader

BOTS = Path(__file__).resolve().parents[2] / "data" / "bots"
QUICK = Limits(decision_s=0.4)
_SAME = [name for name in ROW_COLUMNS if name not in CLOCKED and name != "id"]


def bot(file: str, name: str | None = None, **params: Any) -> dict[str, Any]:
    """Return a bot of tests/data/bots, or a bot of the program by its name."""
    path = BOTS / f"{file}.py"
    return {"spec": str(path) if path.is_file() else file, "name": name or file, "params": params}


def settings(*bots: dict[str, Any], games: int = 6, **more: Any) -> dict[str, Any]:
    return {"name": "test", "bots": list(bots), "games": games, "seed": 11, **more}


FIELD = (bot("random", "ann"), bot("well_behaved", "bob"), bot("random", "cid"))


def play(folder: Path, data: dict[str, Any], workers: int | None = 2, **more: Any) -> RunReport:
    changes = {key: more.pop(key) for key in ("limits", "scheduler") if key in more}
    return play_run(replace(config_from_dict(data), workers=workers, **changes), folder, **more)


def games(folder: Path, without: Iterable[str] = ()) -> list[tuple[Any, ...]]:
    """Return what must be equal in two runs: the games in order, without measured times."""
    left_out = set(without)
    with Reader(folder) as reader:
        pairings = reader.pairings()
        rows = [(GameId.from_key(row.id), [getattr(row, name) for name in _SAME]) for row in reader.rows()]
    found = [(*pairings[game.pairing][1:], game.deal, game.game, *values) for game, values in rows]
    return [row for row in found if not left_out & {row[1], row[2]}]


def forfeits(folder: Path) -> dict[tuple[str, str], int]:
    with Reader(folder) as reader:
        return {(entry.bot, entry.kind): entry.games for entry in reader.forfeit_reasons()}


class Running:
    """A run in its own process."""

    def __init__(self, folder: Path, data: dict[str, Any], workers: int = 2) -> None:
        command = [sys.executable, "-m", "tests.tournament.runner.runs", str(folder), json.dumps(data), str(workers)]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).resolve().parents[3],
            start_new_session=True,
        )
        self.reported = 0

    def until(self, done: int) -> None:
        """Wait for the report that this many games are stored."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("stored "):
                self.reported = int(line.split()[1])
                if self.reported >= done:
                    return
        raise AssertionError(f"the run has ended at {self.reported} games: {self.rest()}")

    def workers(self) -> list[int]:
        return children(self.process.pid)

    def rest(self) -> dict[str, Any]:
        """Wait for the end; return the report, or nothing if the process was killed."""
        out, err = self.process.communicate(timeout=60)
        for line in out.splitlines():
            if line.startswith("stored "):
                self.reported = int(line.split()[1])
        last = out.splitlines()[-1] if out else ""
        assert not err.startswith("Traceback"), err
        return json.loads(last) if last.startswith("{") else {}

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)


class SendsSignal(ProgressListener):
    """Sends a signal, once, as soon as so many games are stored: to this process, or to another."""

    def __init__(self, done: int, number: int = signal.SIGINT, pid: int | None = None) -> None:
        self.done = done
        self.number = number
        self.pid = pid
        self.sent = False

    def begin(self, name: str, seed: int, status: RunStatus) -> None:
        self.update(status)

    def update(self, status: RunStatus) -> None:
        if status.done >= self.done and not self.sent:
            self.sent = True
            os.kill(os.getpid() if self.pid is None else self.pid, self.number)


class _Printed(ProgressListener):
    """Prints progress as lines on stdout; printed games are stored."""

    def begin(self, name: str, seed: int, status: RunStatus) -> None:
        print("stored", status.done, flush=True)

    def update(self, status: RunStatus) -> None:
        print("stored", status.done, flush=True)

    def note(self, text: str) -> None:
        print("note", text, flush=True)

    def end(self, status: RunStatus, interrupted: bool) -> None:
        print("stored", status.done, flush=True)


def main(folder: str, data: str, workers: str) -> None:
    limits = Limits(decision_s=60.0)
    report = play(Path(folder), json.loads(data), int(workers), progress=_Printed(), limits=limits)
    print(json.dumps({**vars(report), "folder": str(report.folder), "pid": os.getpid()}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
