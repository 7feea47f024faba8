"""The compilation of a bot's source without running it, so that its author learns of a typing error at once.

It happens in a process of its own, because source that a stranger wrote can exhaust Python's parser.
"""

from __future__ import annotations

import subprocess
import sys

from arena.bots.forks import command_of
from arena.bots.limits import BotLimits, limits_setter
from arena.text import one_line

_LIMITS = BotLimits(cpu_s=10)
_PATIENCE_S = 60.0  # longer than the processor time, because the machine may be busy
_LONGEST_FAULT = 200
_TOO_MUCH = "it nests too deeply, or is too large"


def syntax_fault(source: bytes) -> str:
    """Return why Python cannot compile a file, such as `line 12: '(' was never closed`, or "" if it can."""
    command = command_of("arena.bots.syntax")
    try:
        done = subprocess.run(command, input=source, capture_output=True, timeout=_PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        return _TOO_MUCH
    if done.returncode < 0:  # a limit, or a crash of the parser
        return _TOO_MUCH
    done.check_returncode()
    return one_line(done.stdout.decode("utf-8", "replace"), _LONGEST_FAULT)


def compilation_fault(source: bytes) -> str:
    """Compile in this process, and return the fault as `syntax_fault` does.

    >>> compilation_fault(b"import os\\ndef act(view, moves:\\n")
    "line 2: '(' was never closed"
    """
    try:
        compile(source, "", "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}" if error.lineno else error.msg
    except (MemoryError, RecursionError):
        return _TOO_MUCH
    except (OverflowError, ValueError) as error:
        return str(error)
    return ""


def _main() -> None:
    if sys.platform != "win32":  # which has no such limits
        limits_setter(_LIMITS, False)()
    sys.stdout.buffer.write(compilation_fault(sys.stdin.buffer.read()).encode("utf-8", "replace"))


if __name__ == "__main__":
    _main()
