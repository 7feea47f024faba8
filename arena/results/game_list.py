"""Lists of games that other programs write, for `arena rate`: CSV, and the tags of PGN."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from arena.errors import did_you_mean
from arena.stats.frames import StatsError
from arena.text import one_line, quoted

if TYPE_CHECKING:
    import pandas as pd

SCORES = {"1-0": 1.0, "1/2-1/2": 0.5, "½-½": 0.5, "0.5-0.5": 0.5, "0-1": 0.0, "1/2": 0.5, "½": 0.5}
"""Points of the bot that moved first, by the words for a result that are no numbers."""
NO_RESULT = "*"
"""The result of a game that was broken off."""
COLUMNS = {"first": ("first", "white"), "second": ("second", "black"), "score": ("score", "result")}
"""The names of a column; `deal` may stand beside them."""
_TAG = re.compile(r'\[(\w+)\s+"((?:[^"\\]|\\.)*)"\]\s*$')


class _Line(NamedTuple):
    number: int
    values: Mapping[str, str]


def read_game_list(path: Path) -> tuple[pd.DataFrame, int]:
    """A games frame with first, second, score and, if the file tells it, deal; and how many games were left out.

    CSV has a header line such as `first,second,score,deal` or `white,black,result`. `score` is the first player's: 1,
    0.5 or 0; `result` is 1-0, 0-1 or 1/2-1/2. PGN has the tags White, Black and Result, and Deal where games share
    cards. Every name and label is a text without the blanks around it, whatever it says. Games with the same label
    `deal` share their cards; a game without a label has its own. A game that was broken off (`*`) is left out.
    StatsError names file and line.
    """
    import pandas as pd  # slow to load

    rows: list[dict[str, Any]] = []
    left_out = 0
    for line in _lines(path):
        row = _game(f"{path}, line {line.number}", line.values)
        if row is None:
            left_out += 1
        else:
            rows.append(row)
    if not rows:
        raise StatsError(f"{path}: no games")
    return pd.DataFrame(rows), left_out


def _game(location: str, values: Mapping[str, str]) -> dict[str, Any] | None:
    """A game as a row, None if it was broken off."""
    for name in ("first", "second"):
        if not values[name]:
            raise StatsError(f"{location}: no name in column '{name}'")
    if values["first"] == values["second"]:
        raise StatsError(f"{location}: '{values['first']}' plays itself; such a game says nothing about strength")
    score = values["score"]
    if score == NO_RESULT:
        return None
    if not score:
        raise StatsError(f"{location}: score is missing")
    points = SCORES.get(score)
    if points is None:
        with suppress(ValueError):
            points = float(score)
    if points not in (0.0, 0.5, 1.0):
        raise StatsError(f"{location}: score is {quoted(score)}; expected 1, 0.5, 0, 1-0, 1/2-1/2 or 0-1")
    row = {"first": values["first"], "second": values["second"], "score": points}
    return row | ({"deal": values["deal"] or None} if "deal" in values else {})


def _lines(path: Path) -> Iterator[_Line]:
    """The games of a file with the names of COLUMNS, and the lines on which they begin."""
    if path.is_dir():
        raise StatsError(f"{path}: a folder, not a file of games")
    if path.exists() and not path.is_file():
        raise StatsError(f"{path}: not a regular file")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise StatsError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise StatsError(f"{path}: cannot be read ({error})") from None
    if not text.strip():
        raise StatsError(f"{path}: empty; expected a header line first,second,score[,deal]")
    is_pgn = _TAG.match(text.lstrip().partition("\n")[0]) is not None
    return _pgn_lines(text) if is_pgn else _csv_lines(path, text)


def _pgn_lines(text: str) -> Iterator[_Line]:
    """Games are told by their tags; moves and comments are passed over."""
    tags: dict[str, str] = {}
    start, in_tags = 1, False
    for number, line in enumerate(text.splitlines(), start=1):
        tag = _TAG.match(line)
        if tag is None:
            in_tags = in_tags and not line.strip()
            continue
        if not in_tags:
            if tags:
                yield _Line(start, _renamed(tags))
            tags, start, in_tags = {}, number, True
        tags[tag[1].lower()] = re.sub(r"\\(.)", r"\1", tag[2]).strip()
    yield _Line(start, _renamed(tags))


def _renamed(values: Mapping[str, str]) -> dict[str, str]:
    named = {name: next((values[word] for word in words if word in values), "") for name, words in COLUMNS.items()}
    return named | {name: values[name] for name in ("deal",) if name in values}


def _csv_lines(path: Path, text: str) -> Iterator[_Line]:
    read = csv.reader(text.splitlines(keepends=True), skipinitialspace=True)
    try:
        heads = [head.strip().lower() for head in next(row for row in read if any(row))]
        for name, words in COLUMNS.items():
            if not set(words) & set(heads):
                listed = one_line(", ".join(heads), 200)
                raise StatsError(f"{path}: no column '{name}'{did_you_mean(name, heads)} (columns: {listed})")
        for row in read:
            if len(row) > len(heads):
                raise StatsError(f"{path}, line {read.line_num}: {len(row)} values for {len(heads)} columns")
            if any(cell.strip() for cell in row):
                cells = [cell.strip() for cell in row] + [""] * (len(heads) - len(row))
                yield _Line(read.line_num, _renamed(dict(zip(heads, cells))))
    except csv.Error as error:
        raise StatsError(f"{path}, line {read.line_num}: not comma-separated values ({error})") from None
