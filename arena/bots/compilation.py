"""Python source as this program reads it, and the program that `arena.bots.syntax` runs to compile it.

It imports nothing else of the arena, so it starts in a fifth of the time.
"""

import codecs
import contextlib
import marshal
import re
import sys
from typing import IO

if sys.platform != "win32":
    import resource

CPU_S, MEMORY = 5, 1 << 30
LONGEST_PARSED = 2 << 20
"""Bytes of the longest source that the arena parses; a syntax tree takes up to 900 times the memory of its source."""
TOO_MUCH = "it nests too deeply, or is too large"
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
