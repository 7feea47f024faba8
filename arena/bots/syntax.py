"""The compilation of a bot's source without running it, so that its author learns of a typing error at once.

It happens in a process of its own, because source that a stranger wrote can exhaust Python's parser.
"""

from __future__ import annotations

import subprocess
import sys

from arena.bots import compilation
from arena.text import one_line

_PATIENCE_S = 60.0  # longer than the processor time, because the machine may be busy
_LONGEST_FAULT = 200


def syntax_fault(source: bytes) -> str:
    """Return why Python cannot compile a file, such as `line 12: '(' was never closed`, or "" if it can."""
    command = [sys.executable, "-I", "-S", compilation.__file__]
    try:
        done = subprocess.run(command, input=source, capture_output=True, timeout=_PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        return compilation.TOO_MUCH
    if done.returncode < 0:  # a limit, or a crash of the parser
        return compilation.TOO_MUCH
    done.check_returncode()
    return one_line(done.stdout.decode("utf-8", "replace"), _LONGEST_FAULT)
