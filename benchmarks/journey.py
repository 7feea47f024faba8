"""Measure how far a tournament's settings, a move and a submission travel through the code.

    python benchmarks/journey.py

A journey is the path that a reader would follow: the functions of the package that get the object, as an argument or in
a list, each at its first call, in order. Its length is the number of files it enters, with the number of returns to a
file that it had left. The figures in brackets count all functions that are called meanwhile. A move is followed until
it is part of a record; compiled functions are not seen.
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
    """Writes each function that is called, in this process and its forks, to one file."""

    def __init__(self, log: Path, kinds: tuple[type, ...]) -> None:
        self.log = log  # opened for each line, because workers close what they inherit
        self.kinds = kinds
        self.seen: set[Any] = set()

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        code = frame.f_code
        name = "BOT" if code.co_filename.endswith("mine.py") else code.co_filename.removeprefix(PACKAGE)
        if event != "call" or code.co_name == "<module>" or name.startswith(os.sep):
            return
        given = self.is_given(frame)
        if (code, given) not in self.seen:
            self.seen.add((code, given))
            with self.log.open("a") as log:
                log.write(f"{name} {code.co_name} {'given' if given else 'called'}\n")

    def is_given(self, frame: FrameType) -> bool:
        """Return whether an argument is of one of the kinds, or a list or tuple that begins with one."""
        values = [frame.f_locals.get(name) for name in frame.f_code.co_varnames[: frame.f_code.co_argcount]]
        values += [value[0] for value in values if isinstance(value, list | tuple) and value]
        return any(isinstance(value, self.kinds) for value in values)


def travel(args: list[str], log: Path, *kinds: type) -> list[list[str]]:
    """Return the functions that a command calls, in order: file, name, and whether an argument is one of `kinds`."""
    pid = os.fork()
    if pid == 0:
        from arena.cli.main import main

        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        tracer = Tracer(log, kinds)
        threading.setprofile(tracer)
        sys.setprofile(tracer)
        code = main(args)
        sys.setprofile(None)
        os._exit(code)
    _, status = os.waitpid(pid, 0)
    if status:
        raise SystemExit(f"{args} failed")
    return [line.split() for line in log.read_text().splitlines()]


def length(calls: list[list[str]]) -> str:
    told = []
    for some in ([call for call in calls if call[2] == "given"], calls):
        files = list(dict.fromkeys((call[0], call[1]) for call in some if call[0] != "BOT"))
        stays = [file for at, (file, _) in enumerate(files) if at == 0 or files[at - 1][0] != file]
        told.append(f"{len(set(stays))} files, {len(stays) - len(set(stays))} returns, {len(files)} functions")
    return f"{told[0]} ({told[1]})"


def main() -> None:
    from arena.game.moves import Move
    from arena.league.submission import Submission
    from arena.league.versions import Version
    from arena.tournament.config import TournamentConfig
    from arena.tournament.games import Row

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)
        bot = folder / "mine.py"
        bot.write_text(BOT)
        (folder / "quick.toml").write_text(QUICK.format(bot=bot))
        run = travel(["run", "quick.toml"], folder / "run.log", TournamentConfig)
        first = next(at for at, call in enumerate(run) if call[:2] == ["BOT", "act"])
        print("settings, from the command to the first move:  ", length(run[:first]))
        run = travel(["run", "quick.toml", "--out", "again"], folder / "move.log", Move, Row)
        first = next(at for at, call in enumerate(run) if call[:2] == ["BOT", "act"])
        print("a move, from the bot to the standings:         ", length(run[first:]))
        travel(["league", "create", "open", "--isolation", "none", "--out", "open"], folder / "league.log")
        travel(["submit", str(bot), "--league", "open", "--workers", "1"], folder / "one.log")
        other = folder / "other.py"
        other.write_text(BOT.replace("moves[0]", "moves[-1]"))
        command = ["submit", str(other), "--league", "open", "--workers", "1"]
        submitted = travel(command, folder / "submit.log", Submission, Version)
        print("a submission, from the file to its rating:     ", length(submitted))


if __name__ == "__main__":
    main()
