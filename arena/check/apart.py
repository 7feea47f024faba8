"""Has a bot's source read in a process of its own: a source may be written to be hard on its reader.

The process only parses. It has limits on time and memory, and at the level `sandbox` it sees what the bot itself
would: so a link in the bot's folder leads nowhere, and a fault in the parser harms nobody. What it says is not believed
either: it is read as JSON, bounded, and only files of the bot's folder are taken from it.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.check.care import Care
from arena.check.reading import read_files
from arena.check.report import Nature
from arena.check.source import USES, Source, from_json
from arena.errors import ArenaError
from arena.isolation.audit import own_file
from arena.isolation.limits import BotLimits
from arena.isolation.process import BotProcess, Ended, Launch, Overdue
from arena.paths import PACKAGE
from arena.players.spec import MODULE, BotSpec

READING_S = 10.0
"""Seconds that reading a source may take."""
_LIMITS = BotLimits(memory_mb=512, file_mb=1, files=64, cpu_s=10)
_MOST_BYTES = 2 << 20
_BOOT = "import sys; sys.path.append(sys.argv[1]); from arena.check.reading import main; main()"
_ENVIRONMENT = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore"}


class _Unread(Exception):
    """The source could not be read; the text says why."""


def read_source(spec: BotSpec, level: str, care: Care) -> Source:
    """What the files of a bot tell: its own, and what it imports from its folder. Where that fails, `care` says why.

    At the level `sandbox` they are read in a sandbox, else in a process.
    """
    if spec.command:
        return Source(Nature("command"))
    module = MODULE.fullmatch(spec.target)
    wanted = module[2] if module else ""
    found = Source(Nature(""))
    try:
        if os.name == "posix":
            found = _own(from_json(_said(spec, wanted, level)), os.path.dirname(spec.path))
        else:  # no process has limits here, and no bot one of its own
            found = read_files(Path(spec.path), wanted or None)
    except _Unread as error:
        care.say(f"the source could not be looked at: {error}")
    except (ArenaError, OSError, ValueError, RecursionError, MemoryError) as error:
        care.failed("the source", error)
    for line in found.left_out:
        care.say(f"source of {line}")
    return found


def _said(spec: BotSpec, wanted: str, level: str) -> bytes:
    """What the reader writes. Raises _Unread, ArenaError if it cannot be started."""
    launch = Launch(
        argv=(sys.executable, "-P", "-s", "-S", "-c", _BOOT, str(PACKAGE.parent), spec.path, wanted),
        folder=Path(spec.path).parent,
        level="sandbox" if level == "sandbox" else "process",
        limits=_LIMITS,
        environment=_ENVIRONMENT,
    )
    deadline = time.monotonic() + READING_S
    process = BotProcess(launch)
    said = bytearray()
    try:
        while not said.endswith(b"\n"):
            said += process.receive(deadline)
            if len(said) > _MOST_BYTES:
                raise _Unread("its reader says too much")
    except Overdue:
        raise _Unread(f"that takes more than {READING_S:g} seconds") from None
    except Ended as ended:
        words = process.complaints().strip().rpartition("\n")[2]
        raise _Unread(f"its reader has failed, {ended.how}{': ' * bool(words)}{words}") from None
    finally:
        process.close()
    return bytes(said)


def _own(source: Source, folder: str) -> Source:
    """The same with files of the bot's folder alone."""
    uses: dict[str, Any] = {
        name: tuple(one for one in getattr(source, name) if own_file(one.file, folder) == one.file)
        for name in USES
    }
    foreign = tuple(one for one in source.foreign if own_file(one.file, folder) == one.file)
    return replace(source, foreign=foreign, **uses)
