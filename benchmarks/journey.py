"""How far do a tournament's settings, a move and a submission travel through the code?

    python benchmarks/journey.py

Each journey is what a reader would follow: every function of the package at its first call, in order. A journey's
length is the number of files it enters and the number of times it returns to a file that it had left.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import arena

PACKAGE = str(Path(arena.__file__).parent) + os.sep
BOT = "class Mine:\n    def act(self, view, moves):\n        return moves[0]\n"
QUICK = 'bots = ["{bot}", {{ spec = "{bot}", name = "other" }}]\ngames = 2\nseed = 1\nworkers = 1\n'


class Tracer:
    """Writes each function that is called, in this process and those it forks, into one file."""

    def __init__(self, log: Path) -> None:
        self.end = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self.seen: set[Any] = set()

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        code = frame.f_code
        if event == "call" and code not in self.seen:
            self.seen.add(code)
            name = code.co_filename
            if name.startswith(PACKAGE) and code.co_name != "<module>":
                os.write(self.end, f"{name[len(PACKAGE) :]} {code.co_name}\n".encode())
            elif name.endswith("mine.py") and code.co_name == "act":
                os.write(self.end, b"BOT act\n")


def travel(args: list[str], log: Path) -> list[tuple[str, str]]:
    """The functions called by a command, each once, in order; `BOT` stands for the bot's `act`."""
    pid = os.fork()
    if pid == 0:
        from arena.cli.main import main

        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        tracer = Tracer(log)
        threading.setprofile(tracer)
        sys.setprofile(tracer)
        code = main(args)
        sys.setprofile(None)
        os._exit(code)
    _, status = os.waitpid(pid, 0)
    if status:
        raise SystemExit(f"{args} failed")
    found = [tuple(line.split(" ", 1)) for line in log.read_text().splitlines()]
    return list(dict.fromkeys(found))  # type: ignore[arg-type]


def length(functions: list[tuple[str, str]]) -> str:
    files = [file for file, _ in functions if file != "BOT"]
    stays = [file for at, file in enumerate(files) if at == 0 or files[at - 1] != file]
    return f"{len(set(stays))} files, {len(stays) - len(set(stays))} returns, {len(functions)} functions"


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)
        bot = folder / "mine.py"
        bot.write_text(BOT)
        (folder / "quick.toml").write_text(QUICK.format(bot=bot))
        run = travel(["run", "quick.toml"], folder / "run.log")
        first = run.index(("BOT", "act"))
        print("settings, from the command to the first move:  ", length(run[:first]))
        print("a move, from the bot to the standings:         ", length(run[first:]))
        travel(["league", "create", "open", "--isolation", "none", "--out", "open"], folder / "league.log")
        travel(["submit", str(bot), "--league", "open", "--workers", "1"], folder / "one.log")
        other = folder / "other.py"
        other.write_text(BOT.replace("moves[0]", "moves[-1]"))
        submitted = travel(["submit", str(other), "--league", "open", "--workers", "1"], folder / "submit.log")
        print("a submission, from the file to its rating:     ", length(submitted))


if __name__ == "__main__":
    main()
