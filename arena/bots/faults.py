"""Failures of a bot described for its author: tracebacks without our frames, values in words."""

from __future__ import annotations

import traceback
from types import TracebackType

from arena.errors import ArenaError
from arena.paths import PACKAGE

_OURS = str(PACKAGE)
_IMPORTS = tuple(str(PACKAGE / "bots" / name) for name in ("loading.py", "compilation.py"))
_LONGEST = 4000
_MOST_FRAMES = 5000  # a recursion may have millions, and looking at them takes a minute and the memory that is left
_LONGEST_INT = 128  # bits
_LONGEST_VALUE = 60
_PLAIN = (str, bytes, int, float, bool, type(None))


class BotError(ArenaError):
    """A bot cannot be found or loaded, or was given unknown parameters."""


def author_traceback(error: BaseException) -> str:
    """Return the traceback of an exception from the bot's first frame on, with its middle cut out if it is long.

    The last line names the exception. Never raises, whatever the exception's own code does.
    """
    try:
        frames = _bot_frames(error.__traceback__)
        report = traceback.TracebackException(type(error), error, frames, limit=_MOST_FRAMES)
        report.stack[:] = [frame for frame in report.stack if frame.filename not in _IMPORTS]
        text = "".join(report.format()).rstrip()
    except BaseException:  # its __str__ or its attributes are traps
        text = f"{type_name(type(error))} (its text cannot be shown)"
    return shorten(text, _LONGEST)


def _bot_frames(frames: TracebackType | None) -> TracebackType | None:
    """Return the traceback from the first frame that is neither ours nor the import system's."""
    while frames is not None:
        name = frames.tb_frame.f_code.co_filename
        if not name.startswith((_OURS, "<frozen ", "arena/")):
            return frames
        frames = frames.tb_next
    return None


def shorten(text: str, longest: int) -> str:
    """Cut the middle out of text that is too long.

    >>> shorten("a" * 30 + "b" * 30, 40)
    'aaaaaaaaaaaaa\\n[...]\\nbbbbbbbbbbbbbbbbbbbb'
    """
    if len(text) <= longest:
        return text
    return f"{text[: longest // 3]}\n[...]\n{text[-(longest // 2) :]}"


def type_name(kind: type) -> str:
    """Return the name of a class without running code of its metaclass."""
    return str(type.__dict__["__name__"].__get__(kind))


def show_value(value: object) -> str:
    """Describe a value for messages, without running code of the value.

    >>> show_value(None), show_value("r7@3"), show_value([1, 2]), show_value(1 << 20_000)
    ('None', "the text 'r7@3'", 'a list', 'an int of 20,001 bits')
    """
    kind = type(value)
    if value is None:
        return "None"
    if kind is str:
        return f"the text {shorten(str(value), _LONGEST_VALUE)!r}"
    if kind is int and isinstance(value, int) and value.bit_length() > _LONGEST_INT:  # Python may not even write it
        return f"an int of {value.bit_length():,} bits"
    if any(kind is plain for plain in _PLAIN):  # `in` would ask the value's metaclass
        return f"the {kind.__name__} {str(value)[:_LONGEST_VALUE]}"
    name = type_name(kind)
    return f"a {name}" if name[:1].lower() not in "aeiou" else f"an {name}"
