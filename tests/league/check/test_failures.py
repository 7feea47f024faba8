"""Locations in tracebacks, which a bot may have forged."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.league.check.failures import last_line, location_in


def test_the_place_is_the_innermost_one_of_the_bots_files() -> None:
    text = (
        'Traceback (most recent call last):\n  File "/b/mine.py", line 3, in act\n    x\n'
        '  File "/b/helper.py", line 7, in look\n    y\n  File "/usr/lib/json.py", line 9, in loads\nValueError: no\n'
    )
    assert location_in(text, "/b/mine.py") == ("/b/helper.py", 7)
    assert location_in(text, "/c/mine.py") == (None, None)
    assert location_in("at act (/b/mine.js:12:5)", "/b/mine.js") == ("/b/mine.js", 12)
    assert last_line(text) == "ValueError: no"
    assert last_line("") == ""


@pytest.mark.parametrize(
    "place",
    [
        '"{}/../secret.py", line 3',
        '"{}/a/../../secret.py", line 3',
        '"{}/mine.py", line ' + "9" * 5000,
        '"{}/mine.py\x1b[2J", line 9',
        '"{}/site-packages/x.py", line 9',
        '"/etc/passwd", line 1',
    ],
)
def test_forged_tracebacks_name_nothing_outside_of_the_folder(tmp_path: Path, place: str) -> None:
    path = tmp_path / "mine.py"
    text = f"x\n  File {place.format(tmp_path)}\nValueError: x"
    assert location_in(text, str(path)) == (None, None)
    first = f'  File "{tmp_path}/./mine.py", line 4\n'
    assert location_in(first + text, str(path)) == (str(path), 4)
