"""One log for all workers: whole lines, whatever happens to a worker; what bots print stands there with its place."""

from __future__ import annotations

import logging
import multiprocessing
import os
import re
import signal
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from arena.tournament.runner.logs import PlainRecord, RunLog, WorkerLog, log_to
from tests.tournament.runner.runs import FIELD, QUICK, bot, play, settings

CONTEXT: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def _talk(sender: Connection, number: int, lines: int) -> None:
    log = logging.getLogger("arena.test")
    log_to(sender)
    for line in range(lines):
        log.info("worker %d line %d %s", number, line, "x" * 3000)
    os.kill(os.getpid(), signal.SIGKILL)


def test_every_line_of_every_worker_comes_whole(tmp_path: Path) -> None:
    """Though the workers are killed."""
    with RunLog(tmp_path) as log:
        logs = [WorkerLog(CONTEXT, log.sink) for _ in range(3)]
        processes = [CONTEXT.Process(target=_talk, args=(one.sender, at, 100)) for at, one in enumerate(logs)]
        for one, process in zip(logs, processes):
            process.start()
            one.receive()
        for one, process in zip(logs, processes):
            process.join()
            one.close()
    lines = log.path.read_text().splitlines()
    pattern = re.compile(r"\S+ \S+ INFO +(\d+) arena\.test: worker (\d) line (\d+) (x{3000})")
    found = [pattern.fullmatch(line) for line in lines]
    assert all(found)
    assert len(found) == 300
    for number in "012":
        mine = [one for one in found if one is not None and one[2] == number]
        assert [int(one[3]) for one in mine] == list(range(100))
        assert len({one[1] for one in mine}) == 1


def _half(sender: Connection) -> None:
    log = logging.getLogger("arena.test")
    log_to(sender)
    log.info("whole")
    os.write(sender.fileno(), b"\x00\x00\x10\x00half")  # a message of 4096 bytes that stops short
    os._exit(0)


def test_a_worker_killed_in_the_middle_of_a_line_silences_nobody() -> None:
    heard: list[PlainRecord] = []
    log = WorkerLog(CONTEXT, heard.append)
    process = CONTEXT.Process(target=_half, args=(log.sender,))
    process.start()
    log.receive()
    process.join()
    log.close(seconds=60)
    assert [one[2] for one in heard] == ["whole"]


LOUD = """
def act(view, moves):
    print("turn", view.turns, view.phase)
    breakpoint()
    return moves[0]
"""
WIRE = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message: continue
    answer = {"id": message["id"]}
    if message["type"] == "hello": answer["protocol"] = 3
    if message["type"] == "act":
        print("turn", message["turns"], message["phase"], file=sys.stderr)
        answer["move"] = message["moves"][0]
    print(json.dumps(answer), flush=True)
"""
LINE = re.compile(r"loud \(game (\w+/\w+/\d+)\): turn (\d+) \w+$")


@pytest.mark.parametrize("how", ["none", "process", "wire"])
def test_a_printed_line_names_its_game(tmp_path: Path, how: str) -> None:
    file = tmp_path / "loud.py"
    file.write_text(WIRE if how == "wire" else LOUD)
    loud = {"name": "loud", "spec": f"cmd:{sys.executable} {file}" if how == "wire" else str(file)}
    level = "process" if how == "process" else "none"
    play(tmp_path / "run", settings(loud, bot("first"), games=2, isolation=level, own_deals=False), workers=1)
    lines = (tmp_path / "run" / "run.log").read_text().splitlines()
    found = [LINE.search(line) for line in lines if ": turn " in line]
    assert all(found), lines[:5]
    asked = [one.groups() for one in found if one]
    for game in ("loud/first/0", "first/loud/0"):
        mine = [one for one in asked if one[0] == game]
        assert [int(one[1]) for one in mine] == sorted(int(one[1]) for one in mine)
        assert len(mine) > 20
    if how != "wire":
        assert sum("breakpoint() does not stop in a run" in line for line in lines) == len(found)


def test_what_bots_print_is_in_the_log_and_nowhere_else(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    loud = tmp_path / "loud.py"
    loud.write_text(
        "import os\nclass Loud:\n    asked = 0\n    def act(self, view, moves):\n        self.asked += 1\n"
        "        if self.asked == 3: os._exit(print('last words') or 1)\n        return moves[0]\n"
    )
    data = settings({"spec": str(loud), "name": "loud"}, FIELD[1], games=2)
    play(tmp_path / "run", data, limits=QUICK)
    text = (tmp_path / "run" / "run.log").read_text()
    # two games, each played again once
    assert len(re.findall(r"loud \(game (?:loud/bob|bob/loud)/0\): last words", text)) == 4
    assert text.count("loud forfeits game") == 2
    assert "last words" not in "".join(capfd.readouterr())


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        ("logging.basicConfig(force=True)", "WARNING:mine:logged"),
        ("logging.disable(50)", None),
        (
            "class Printer(logging.Handler):\n    def emit(self, record):\n"
            "        print(record.getMessage())\nlogging.getLogger().addHandler(Printer())",
            "logged",
        ),
    ],
)
def test_bots_have_logging_to_themselves(head: str, wanted: str | None, tmp_path: Path) -> None:
    """They lost their messages, silenced the log, doubled their lines, or logged the log."""
    file = tmp_path / "own.py"
    act = "logging.getLogger('mine').warning('logged')\n    print('spoken')\n    return moves[0]\n"
    file.write_text(f"import logging\n{head}\ndef act(view, moves):\n    {act}")
    data = settings({"spec": str(file), "name": "own"}, FIELD[1], games=2)
    play(tmp_path / "run", data, workers=1)
    text = (tmp_path / "run" / "run.log").read_text()
    lines = [line for line in text.splitlines() if "logged" in line or "spoken" in line]
    pattern = r"\S+ \S+ INFO +\d+ arena\.bots: own \(game \S+\): (.*)"
    said = [re.sub(pattern, r"\1", line) for line in lines]
    one_decision = [wanted, "spoken"] if wanted else ["spoken"]
    assert len(said) > 20
    assert said == one_decision * (len(said) // len(one_decision))
