"""Places in the author's files: read out of tracebacks."""

from __future__ import annotations

import os
import re

from arena.isolation.audit import own_file

_FRAME = re.compile(r'^[ \t]*File "([^"\n]+)", line (\d{1,7})\b', re.MULTILINE)
_JS = re.compile(r"(/[^\s():]{1,1000}):(\d{1,7}):\d")
_LAST = 10_000
"""Characters at the end of a text in which places are looked for."""
_MOST_LINES = 100


def place_in(text: str, path: str) -> tuple[str | None, int | None]:
    """File and line of the innermost frame of a traceback that lies in the folder of the bot in the file `path`.

    A bot may write what it likes: the path is normalised, and nothing outside of that folder is taken.

    >>> text = 'Traceback (...):\\n  File "/b/mine.py", line 3, in act\\n  File "/usr/lib/x.py", line 9, in f\\nE: x'
    >>> place_in(text, "/b/mine.py"), place_in("no place", "/b/mine.py")
    (('/b/mine.py', 3), (None, None))
    """
    folder = os.path.dirname(path)
    frames = _FRAME.findall(text[-_LAST:]) or _JS.findall(text[-_LAST:])
    for file, line in reversed(frames):
        own = own_file(file, folder)
        if own is not None and "site-packages" not in own:
            return own, int(line)
    return None, None


def last_line(text: str) -> str:
    """The last line of a traceback that says something: the exception and its text.

    >>> last_line("Traceback:\\n  File ...\\nValueError: bad\\n")
    'ValueError: bad'
    """
    lines = [line.strip()[:200] for line in text.strip().splitlines()[-_MOST_LINES:] if line.strip()]
    plain = [
        line
        for line in lines
        if re.match(r"[A-Za-z_][\w.]*(Error|Exception|Exit|Interrupt|Warning)?\b", line)
    ]
    return (plain or lines or [""])[-1]


def shown(path: str | None) -> str:
    """A path as short as it can be written here."""
    if path is None:
        return ""
    try:
        near = os.path.relpath(path)
    except ValueError:  # another drive
        return path
    return path if near.startswith("..") else near
