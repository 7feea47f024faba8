"""Count the files of the package that a command goes through.

    python -m benchmarks.journey [--list]

A file counts when one of its functions is called after it was loaded, in the command's process or in a fork of it:
workers, but not bots in processes of their own. Compiled functions are not seen. `--list` names the files.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
from pathlib import Path
from types import FrameType

import arena

PACKAGE = str(Path(arena.__file__).parent) + os.sep
LOWER = ("tournament", "bots", "league", "game", "policy", "stats")
BOT = "class Mine:\n    def act(self, view, moves):\n        return moves[{at}]\n"
MATCH = ("match", "mine.py", "other.py", "--games", "2", "--seed", "1", "--workers", "1", "--out", "run")
CUP = ("tournament", "mine.py", "other.py", "first", "--games", "2", "--seed", "1", "--workers", "1", "--out", "cup")
SUBMIT = ("submit", "--league", "open", "--workers", "1")
COMMANDS = {  # those without a name prepare the next one
    "a match": MATCH,
    "": CUP,
    "a run brought up to date": (*CUP[:4], "random", *CUP[4:]),
    "standings": ("standings", "run"),
    "a report": ("report", "run", "-o", "report.html", "--replays", "0"),
    " ": ("league", "create", "open", "--set", "isolation=none", "--out", "open"),
    "  ": (*SUBMIT, "mine.py"),
    "a submission": (*SUBMIT, "other.py"),
}


class Tracer:
    """Writes the file of each function that is called, in this process and its forks, to one file."""

    def __init__(self, log: Path) -> None:
        self.log = log  # opened for each line, because workers close what they inherit
        self.seen: set[str] = set()

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        name = frame.f_code.co_filename
        if event != "call" or name in self.seen or not name.startswith(PACKAGE) or is_importing(frame):
            return
        self.seen.add(name)
        with self.log.open("a") as log:
            log.write(f"{name.removeprefix(PACKAGE)}\n")


def is_importing(frame: FrameType | None) -> bool:
    """Return whether a call belongs to the loading of a module."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(PACKAGE):
            return True
        frame = frame.f_back
    return False


def files_of(args: tuple[str, ...], log: Path) -> set[str]:
    """Return the files that a command goes through."""
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
        raise SystemExit(f"arena {' '.join(args)} failed")
    return set(log.read_text().splitlines())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="name the files")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("mine.py").write_text(BOT.format(at=0))
        Path("other.py").write_text(BOT.format(at=-1))
        for number, (name, args) in enumerate(COMMANDS.items()):
            files = files_of(args, Path(f"{number}.log"))
            lower = {file for file in files if file.partition(os.sep)[0] in LOWER}
            if name.strip():
                print(f"{name:26}{len(lower):4} files of the lower rooms, {len(files - lower)} others")
                if options.list:
                    print("  " + "\n  ".join(sorted(files)))


if __name__ == "__main__":
    main()
