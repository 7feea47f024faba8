"""Reads a bot's source in a process of its own: a source may be written to harm its reader.

The process only parses. It has limits on time and memory, and at the level `sandbox` it sees what the bot itself
would: so a link in the bot's folder leads nowhere, and a fault in the parser harms nobody. Its answer is not trusted
either: it is read as JSON, bounded, and only files of the bot's folder are taken from it.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from arena.bots.isolation.audit import own_file
from arena.bots.isolation.launch import Launch
from arena.bots.isolation.pipe import DeadlinePassed, ProcessEnded
from arena.bots.isolation.process import BotProcess
from arena.bots.processes.limits import BotLimits
from arena.bots.spec import MODULE, BotSpec
from arena.errors import ArenaError
from arena.league.check.report import Omissions
from arena.league.check.source.model import Nature, Source, from_json
from arena.league.check.source.reader import read_files
from arena.paths import PACKAGE

READING_S = 10.0
"""Seconds that reading a source may take."""
READER = "import sys; sys.path.append(sys.argv[1]); from arena.league.check.source.reader import main; main()"
"""What the process runs; its arguments are the folder of the package, the bot's file and the wanted class."""
_LIMITS = BotLimits(memory_mb=512, file_mb=1, files=64, cpu_s=10)
_MOST_BYTES = 2 << 20
_ENVIRONMENT = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore"}


class _Unread(Exception):
    """The source could not be read; the text says why."""


def read_source(
    spec: BotSpec, level: str, omissions: Omissions, reader: str = READER, seconds: float = READING_S
) -> Source:
    """What a bot's files say: its own, and those that it imports from its folder. Failures go to `omissions`.

    At the level `sandbox` they are read in a sandbox, else in a plain process.
    """
    if spec.command:
        return Source(Nature("command"))
    module = MODULE.fullmatch(spec.target)
    wanted = module[2] if module else ""
    found = Source(Nature(""))
    try:
        if os.name == "posix":
            answer = from_json(_answer(spec, wanted, level, reader, seconds))
            folder = os.path.dirname(spec.path)
            own = tuple(one for one in answer.hints if own_file(one.file, folder) == one.file)
            found = replace(answer, hints=own)
        else:  # no process has limits here, and no bot one of its own
            found = read_files(Path(spec.path), wanted or None)
    except _Unread as error:
        omissions.add(f"the source could not be checked: {error}")
    except (ArenaError, OSError, ValueError, RecursionError, MemoryError) as error:
        omissions.failed("the source", error)
    for line in found.left_out:
        omissions.add(f"source of {line}")
    return found


def _answer(spec: BotSpec, wanted: str, level: str, reader: str, seconds: float) -> bytes:
    """What the reader writes. Raises _Unread, ArenaError if it cannot be started."""
    launch = Launch(
        argv=(sys.executable, "-P", "-s", "-S", "-c", reader, str(PACKAGE.parent), spec.path, wanted),
        folder=Path(spec.path).parent,
        level="sandbox" if level == "sandbox" else "process",
        limits=_LIMITS,
        environment=_ENVIRONMENT,
    )
    deadline = time.monotonic() + seconds
    process = BotProcess(launch)
    answer = bytearray()
    try:
        while not answer.endswith(b"\n"):
            answer += process.receive(deadline)
            if len(answer) > _MOST_BYTES:
                raise _Unread("its reader writes too much")
    except DeadlinePassed:
        raise _Unread(f"that takes more than {seconds:g} seconds") from None
    except ProcessEnded as ended:
        words = process.read_stderr().strip().rpartition("\n")[2]
        raise _Unread(f"its reader failed, {ended.how}{': ' * bool(words)}{words}") from None
    finally:
        process.close()
    return bytes(answer)
