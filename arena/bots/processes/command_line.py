"""Command lines of our processes: how a module of ours is started, and what others can read of it.

They must not read the values of options that tell a bot its cards.
"""

from __future__ import annotations

import sys
from pathlib import Path

from arena.paths import PACKAGE

SECRET = ("--seed",)
_ARG_START, _ARG_END = 45, 46  # of /proc/PID/stat, counted behind the name; proc(5)
_START = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); sys.argv.pop(0);"
    " runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)"
)


def command_of(module: str, *words: str) -> list[str]:
    """The command that runs a module of this program.

    Unlike `python -m`, it finds nothing in the working directory, which may be a folder of strangers' files.
    """
    return [sys.executable, "-P", "-c", _START, str(PACKAGE.parent), module, *words]


def hide_values() -> bool:
    """Overwrite the values of the `SECRET` options in the memory from which `/proc/PID/cmdline` is read.

    All processes of the machine can read that file, and workers inherit it. False where there is none to hide, or no
    such file (macOS, Windows).
    """
    try:
        words = Path("/proc/self/cmdline").read_bytes().split(b"\0")[:-1]
        numbers = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        start, end = int(numbers[_ARG_START]), int(numbers[_ARG_END])
    except (OSError, ValueError, IndexError):
        return False
    if not start or end - start != sum(len(word) + 1 for word in words):
        return False
    names = tuple(name.encode() for name in SECRET)
    hidden = False
    at = start
    for number, word in enumerate(words):
        skipped = next((len(name) + 1 for name in names if word.startswith(name + b"=")), None)
        if number and words[number - 1] in names:
            skipped = 0
        if skipped is not None and len(word) > skipped:
            import ctypes  # 10 ms, for those who have something to hide

            ctypes.memset(at + skipped, ord("x"), len(word) - skipped)
            hidden = True
        at += len(word) + 1
    return hidden
