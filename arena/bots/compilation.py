"""Python source as this program reads it, and its compilation without running it, to tell authors of typing errors.

Sources that a stranger wrote can exhaust Python's parser, so they are compiled by this file in a process of its own. It
imports nothing else of the arena, so it starts in a fifth of the time.
"""

import codecs
import contextlib
import marshal
import re
import subprocess
import sys
from collections.abc import Mapping
from typing import IO

if sys.platform != "win32":
    import resource

_CPU_S, _MEMORY = 5, 1 << 30
_PATIENCE_S = 30.0  # longer than the processor time, because the machine may be busy
LONGEST_PARSED = 2 << 20
"""Bytes of the longest source that the arena parses; a syntax tree takes up to 900 times the memory of its source."""
_TOO_MUCH = "it nests too deeply, or is too large"
_ENDED = f"it nests too deeply or is too large, or the sources take more than {_CPU_S} s to compile together"
_CODING = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")  # PEP 263
_UTF_8 = re.compile(rb"utf[-_]?8([-_].*)?", re.IGNORECASE)
_NO_CODE = re.compile(rb"[ \t\f]*(#.*)?\r?")
_ONLY_TREE = 0x400  # ast.PyCF_ONLY_AST; that module would take half of the start


def source_text(source: bytes, path: str = "") -> str:
    """Decode a Python source, which is UTF-8, with or without a byte order mark. Raise SyntaxError for any other.

    No source can choose a codec by its coding line: some take hours, and other programs may read another text.

    >>> source_text(b"x = 1")
    'x = 1'
    """
    plain = source.removeprefix(codecs.BOM_UTF8)
    for number, line in enumerate(plain.split(b"\n", 2)[:2], 1):
        coding = _CODING.match(line)
        if coding and not _UTF_8.fullmatch(coding[1]):
            name = coding[1][:40].decode("ascii", "replace")
            raise _not_utf_8(path, number, f"its encoding is {name}, but a source must be UTF-8; save it as UTF-8")
        if not _NO_CODE.fullmatch(line):
            break
    try:
        return plain.decode()
    except UnicodeDecodeError as error:
        number, byte = plain.count(b"\n", 0, error.start) + 1, plain[error.start]
        raise _not_utf_8(path, number, f"the byte 0x{byte:02x} is not UTF-8; save the file as UTF-8") from None


def _not_utf_8(path: str, line: int, text: str) -> SyntaxError:
    return SyntaxError(text, (path, line, None, None))


def syntax_fault(sources: Mapping[str, bytes]) -> str:
    """Return what Python cannot compile and why, such as `bot.py: line 12: '(' was never closed`, or "" if it can.

    The sources share a few seconds of processor time and a bounded memory; the keys are their names.
    """
    command = [sys.executable, "-I", "-S", __file__]
    try:
        done = subprocess.run(
            command, input=marshal.dumps([*sources.items()]), capture_output=True, timeout=_PATIENCE_S
        )
        output, is_ended = done.stdout, done.returncode < 0  # by a limit, or by a crash of the parser
        if not is_ended:
            done.check_returncode()
    except subprocess.TimeoutExpired as error:
        output, is_ended = error.stdout or b"", True
    *_, name, fault = ["the bot", *output.decode("utf-8", "replace").split("\0")]
    fault = _ENDED if is_ended else fault
    return f"{name}: {fault}" if fault else ""


def compilation_fault(source: bytes) -> str:
    """Compile in this process; return what is wrong, such as `line 12: '(' was never closed`, or "".

    >>> compilation_fault(b"import os\\ndef act(view, moves:\\n")
    "line 2: '(' was never closed"
    """
    try:
        text = source_text(source)
        if len(source) <= LONGEST_PARSED:  # a tree takes more time and memory than a compilation
            compile(text, "", "exec", _ONLY_TREE, dont_inherit=True)
        compile(text, "", "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}" if error.lineno else error.msg
    except (MemoryError, RecursionError):
        return _TOO_MUCH
    except (OverflowError, ValueError) as error:
        return str(error)
    return ""


def _limit() -> None:
    """Bound the processor time and the memory of this process, where the system can."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _compile_all(sources: list[tuple[str, bytes]], out: IO[bytes]) -> None:
    """Compile sources until one has a fault; write each name before its source is compiled, and the fault."""
    for name, source in sources:
        out.write(b"\0" + name.encode("utf-8", "surrogateescape") + b"\0")
        out.flush()
        if fault := compilation_fault(source):
            out.write(fault.encode("utf-8", "replace"))
            return


if __name__ == "__main__":
    _limit()
    _compile_all(marshal.load(sys.stdin.buffer), sys.stdout.buffer)
