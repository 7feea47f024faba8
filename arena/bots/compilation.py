"""The program that `arena.bots.syntax` runs to compile a file.

It imports nothing else of the arena, so it starts in a fifth of the time.
"""

import contextlib
import sys

if sys.platform != "win32":
    import resource

CPU_S, MEMORY = 10, 1 << 30
TOO_MUCH = "it nests too deeply, or is too large"


def compilation_fault(source: bytes) -> str:
    """Compile in this process; return what is wrong, such as `line 12: '(' was never closed`, or "".

    >>> compilation_fault(b"import os\\ndef act(view, moves:\\n")
    "line 2: '(' was never closed"
    """
    try:
        compile(source, "", "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}" if error.lineno else error.msg
    except (MemoryError, RecursionError):
        return TOO_MUCH
    except (OverflowError, ValueError) as error:
        return str(error)
    return ""


def _limit() -> None:
    """Bound the processor time and the memory of this process, where the system can."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


if __name__ == "__main__":
    _limit()
    sys.stdout.buffer.write(compilation_fault(sys.stdin.buffer.read()).encode("utf-8", "replace"))
