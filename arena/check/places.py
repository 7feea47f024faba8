"""Places in the author's files: read out of tracebacks."""

from __future__ import annotations

import os
import re
from pathlib import Path

_FRAME = re.compile(r'^\s*File "([^"\n]+)", line (\d+)', re.MULTILINE)
_JS = re.compile(r"(/[^\s():]+):(\d+):\d+")


def place_in(text: str, path: str) -> tuple[str | None, int | None]:
    """File and line of the innermost frame of a traceback that lies in the folder of the bot in the file ``path``.

    >>> text = 'Traceback (...):\\n  File "/b/mine.py", line 3, in act\\n  File "/usr/lib/x.py", line 9, in f\\nE: x'
    >>> place_in(text, "/b/mine.py"), place_in("no place", "/b/mine.py")
    (('/b/mine.py', 3), (None, None))
    """
    folder = f"{Path(path).parent}{os.sep}"
    frames = _FRAME.findall(text) or _JS.findall(text)
    own = [frame for frame in frames if frame[0].startswith(folder) and "site-packages" not in frame[0]]
    if not own:
        return None, None
    return own[-1][0], int(own[-1][1])


def last_line(text: str) -> str:
    """The last line of a traceback that says something: the exception and its text.

    >>> last_line("Traceback:\\n  File ...\\nValueError: bad\\n")
    'ValueError: bad'
    """
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    plain = [
        line
        for line in lines
        if re.match(r"[A-Za-z_][\w.]*(Error|Exception|Exit|Interrupt|Warning)?\b", line)
    ]
    return (plain or lines or [""])[-1][:300]


def shown(path: str | None) -> str:
    """A path as short as it can be written here."""
    if path is None:
        return ""
    try:
        near = os.path.relpath(path)
    except ValueError:  # another drive
        return path
    return path if near.startswith("..") else near
