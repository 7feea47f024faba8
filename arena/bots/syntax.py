"""The compilation of a bot's sources without running them, so that its author learns of a typing error at once.

It happens in a process of its own, because sources that a stranger wrote can exhaust Python's parser.
"""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
from collections.abc import Mapping

from arena.bots import compilation
from arena.bots.forks import tie_to_parent
from arena.text import one_line

_PATIENCE_S = 30.0  # longer than the processor time, because the machine may be busy
_LONGEST_FAULT = 400
_ENDED = f"it nests too deeply or is too large, or the sources take more than {compilation.CPU_S} s to compile together"


def syntax_fault(sources: Mapping[str, bytes]) -> str:
    """Return what Python cannot compile and why, such as `bot.py: line 12: '(' was never closed`, or "" if it can.

    The sources share a few seconds of processor time and a bounded memory; the keys are their names.
    """
    command = [sys.executable, "-I", "-S", compilation.__file__]
    sent = marshal.dumps([*sources.items()])
    tie = tie_to_parent(os.getpid()) if os.name == "posix" else None
    try:
        done = subprocess.run(
            command, input=sent, capture_output=True, timeout=_PATIENCE_S, check=False, preexec_fn=tie
        )
        output, is_ended = done.stdout, done.returncode < 0  # by a limit, or by a crash of the parser
        if not is_ended:
            done.check_returncode()
    except subprocess.TimeoutExpired as error:
        output, is_ended = error.stdout or b"", True
    *_, name, fault = ["the bot", *output.decode("utf-8", "replace").split("\0")]
    fault = _ENDED if is_ended else fault
    return one_line(f"{name}: {fault}", _LONGEST_FAULT) if fault else ""
