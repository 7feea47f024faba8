"""Lists of games as other programs have them, with results but no moves: CSV, and the tags of PGN."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.endings import ForfeitKind
from arena.errors import did_you_mean
from arena.paths import input_name, read_small_text
from arena.results.records import write_each
from arena.stats.frames import StatsError
from arena.text import one_line, plain_cell, quoted
from arena.tournament.games import GameResult

if TYPE_CHECKING:
    import pandas as pd

WON, DRAWN, _LOST = ("1", "1.0", "1-0"), ("0.5", "1/2-1/2", "½-½", "0.5-0.5", "1/2", "½"), ("0", "0.0", "0-1")
SCORES = dict.fromkeys(WON, 1.0) | dict.fromkeys(DRAWN, 0.5) | dict.fromkeys(_LOST, 0.0)
"""Points of the bot that moved first, by the words for a result."""
NO_RESULT = "*"
"""The result of a game that was broken off."""
_UNKNOWN = "?"  # the name of a player who is not known, in PGN
_COLUMNS = {"first": ("first", "white"), "second": ("second", "black"), "score": ("score", "result")}
"""The names of a column; `deal` may stand beside them, and `deal_seed` as in games.csv."""
_EXPECTED = "expected CSV with a header line first,second,score[,deal] or white,black,result, or PGN"
_PGN = re.compile(r'^[ \t]*\[[ \t]*\w+[ \t]+"', re.MULTILINE)
_TAG = r'\[[ \t]*(?P<name>\w+)[ \t]+"(?P<value>(?:\\.|(?!"[ \t]*\])[^\\\n])*)"[ \t]*\]'
_TOKEN = re.compile(rf"{_TAG}|(?P<skipped>^%.*|;.*|\{{[^}}]*\}}|\[.*)|\S[^\s;{{\[]*", re.MULTILINE)
"""What PGN consists of: tags (whose quotes need no escape), remarks and tags that cannot be read, and moves."""
_SEPARATORS = (",", ";", "\t")  # a spreadsheet writes semicolons where numbers have a decimal comma
_LARGEST_LIST = 1 << 30
_TERMINATIONS: dict[str, str] = {
    ForfeitKind.ILLEGAL_MOVE: "rules infraction",
    ForfeitKind.EXCEPTION: "abandoned",
    ForfeitKind.TIMEOUT: "time forfeit",
    ForfeitKind.CRASH: "abandoned",
    ForfeitKind.PROTOCOL: "rules infraction",
}
"""The words of the PGN standard for each kind of forfeit."""

Numbered = tuple[int, Mapping[str, str]]
"""A game as names and texts, with the number of the line on which it begins."""


def read_game_list(path: Path) -> tuple[pd.DataFrame, int]:
    """Read the games: a frame with first, second, score and, if given, deal; and the number of games left out.

    CSV has a header line such as `first,second,score,deal` or `white,black,result`. `score` is the first player's: 1,
    0.5 or 0; `result` is 1-0, 0-1 or 1/2-1/2. Semicolons or tabs may separate the values. PGN has the tags White, Black
    and Result, and Deal where games share cards. Every name and label is a string, without the blanks around it. Games
    with the same label `deal` share their cards; a game without a label has its own. A game that was broken off (`*`)
    or of a bot that is not known (`?`) is left out. Text that is not UTF-8 is read as Latin-1; files may be compressed.
    Raise StatsError with file and line.
    """
    import pandas as pd  # slow to load

    name = input_name(path)
    try:
        text = read_small_text(path, _LARGEST_LIST, or_latin=True)
    except OSError as error:
        raise StatsError(f"{name}: cannot be read ({error})") from None
    except UnicodeDecodeError:
        raise StatsError(f"{name} is no text; {_EXPECTED}") from None
    if not text.strip():
        raise StatsError(f"{name}: empty; {_EXPECTED}")
    games = _pgn_games(text) if _PGN.search(text) else _csv_games(name, text)
    read = [_row(f"{name}, line {number}", values) for number, values in games]
    rows = [row for row in read if row is not None]
    if not rows:
        raise StatsError(f"{name}: no games")
    return pd.DataFrame(rows), len(read) - len(rows)


def _row(location: str, values: Mapping[str, str]) -> dict[str, Any] | None:
    """Return a game as a row, None if it was broken off or a bot is not known."""
    row: dict[str, Any] = {
        name: next((values[word] for word in words if word in values), "") for name, words in _COLUMNS.items()
    }
    for name, colour in (("first", "White"), ("second", "Black")):
        if not row[name]:
            raise StatsError(f"{location}: the game does not name its {name} bot ({colour})")
    if row["score"] == NO_RESULT or _UNKNOWN in (row["first"], row["second"]):
        return None
    if row["first"] == row["second"]:
        raise StatsError(f"{location}: '{row['first']}' plays itself; such a game cannot be rated")
    score = row["score"].replace(",", ".")
    if score not in SCORES:
        fault = f"score is {quoted(row['score'])}" if row["score"] else "score is missing"
        raise StatsError(f"{location}: {fault}; expected 1, 0.5, 0, 1-0, 1/2-1/2 or 0-1")
    row["score"] = SCORES[score]
    if "deal" in values:
        seed = values.get("deal_seed")
        row["deal"] = f"{seed}:{values['deal']}" if seed and values["deal"] else values["deal"] or None
    return row


def _pgn_games(text: str) -> Iterator[Numbered]:
    """Read games from their tags; moves and remarks are skipped."""
    tags: dict[str, str] = {}
    number, place, start, in_tags = 1, 0, 1, False
    for token in _TOKEN.finditer(text):
        if token["skipped"]:
            continue
        if not token["name"]:
            in_tags = False
            continue
        if not in_tags:
            if tags:
                yield start, tags
            number += text.count("\n", place, token.start())
            tags, start, place, in_tags = {}, number, token.start(), True
        tags[token["name"].lower()] = re.sub(r"\\(.)", r"\1", token["value"]).strip()
    yield start, tags


def _csv_games(source: str, text: str) -> Iterator[Numbered]:
    lines = text.splitlines(keepends=True)
    separator = max(_SEPARATORS, key=next(line for line in lines if line.strip()).count)
    read = csv.DictReader(lines, restval="", skipinitialspace=True, delimiter=separator)
    try:
        heads = read.fieldnames = [head.strip().lower() for head in read.fieldnames or ()]
        for name, words in _COLUMNS.items():
            if not set(words) & set(heads):
                listed = one_line(", ".join(heads), 200)
                raise StatsError(f"{source}: no column '{name}'{did_you_mean(name, heads)} (columns: {listed})")
        for row in read:
            if None in row:
                raise StatsError(f"{source}, line {read.line_num}: more values than the {len(heads)} columns")
            yield read.line_num, {name: plain_cell(cell.strip()) for name, cell in row.items()}
    except csv.Error as error:
        raise StatsError(f"{source}, line {read.line_num}: not comma-separated values ({error})") from None


# ---------------------------------------------------------------- writing


def write_pgn(games: Iterable[GameResult], path: Path | None, event: str) -> int:
    """Write each game as PGN without moves into a file (None: stdout), atomically; return the number of games.

    `event` is the name of the run. White is the bot that begins. Programs such as Ordo and BayesElo rate the bots from
    such a file, and `read_game_list` reads it back. ExportError if the disk refuses.
    """
    return write_each((_pgn_text(game, event) for game in games), path)


def _pgn_text(game: GameResult, event: str) -> str:
    result = {1.0: "1-0", 0.0: "0-1"}.get(game.score, "1/2-1/2")
    tags = {
        "Event": event,
        "Site": "?",
        "Date": "????.??.??",  # a run is the same whenever it is played
        "Round": str(game.round + 1),
        "White": game.first,
        "Black": game.second,
        "Result": result,
        "Deal": f"{game.deal_seed}:{game.id.deal}",
    }
    if game.forfeit is not None:
        tags["Termination"] = _TERMINATIONS[game.forfeit]
    lines = [f'[{name} "{_pgn_string(value)}"]\n' for name, value in tags.items()]
    return f"{''.join(lines)}\n{result}\n\n"


def _pgn_string(text: str) -> str:
    return one_line(text).replace("\\", "\\\\").replace('"', '\\"')
