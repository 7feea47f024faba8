"""Files of games. Records: one game a line, with what no replay can show in the record's fourth part; or Parquet.

Other programs' lists have results but no moves: CSV, and the tags of PGN. Files may be compressed with gzip.
"""

from __future__ import annotations

import csv
import io
import math
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.endings import ENDINGS, FORFEITS, ForfeitKind
from arena.errors import ArenaError, did_you_mean
from arena.game.engine import State
from arena.game.record import RESIGNED, VERSION, Record, parse_record, replay_steps, verify, with_about
from arena.paths import input_name, open_input, read_small_text
from arena.stats.frames import GAME_FACTS as GAME_COLUMNS
from arena.stats.frames import StatsError
from arena.text import one_line, plain_cell, quoted
from arena.tournament.games import DEAL_BITS, PAIRING_BITS, GameId, GameResult
from arena.whole_file import whole_file, whole_text

if TYPE_CHECKING:
    import pandas as pd


_MARK = VERSION.partition("/")[0] + "/"

BROKEN_OFF = "broken off"
"""The ending of a game that has no result."""
ABOUT: dict[str, str] = {
    "first": "name of the bot that made the first move",
    "second": "name of the other",
    "pairing": "number of the pairing in the schedule",
    "deal": "number of the deal",
    "game": "0 or 1: which game of the pair",
    "round": "round of the format, from 0",
    "turns": "turns played by both",
    "decisions_first": "decisions the first player was asked for",
    "decisions_second": "decisions the second player was asked for",
    "detail": "only after a fault: why the game was forfeited, or how a bot failed after it",
}
"""The keys of the fourth part of an exported record."""
TABLE_COLUMNS: dict[str, str] = {
    "rules": "rule set, with the options that differ",
    "round": ABOUT["round"],
    **{name: meaning for name, meaning in GAME_COLUMNS.items() if name not in ("ms_first", "ms_second")},
    "detail": ABOUT["detail"],
    "record": "the game in one line, which replays: seed and number of the deal, all moves, the result",
}
"""The columns of games in Parquet. None is measured by a clock; only text files hold the notes of bots."""
_BOUNDS = {
    "pairing": 1 << PAIRING_BITS,
    "deal": 1 << DEAL_BITS,
    "game": 2,
    "round": 1 << 31,
    "turns": 1 << 31,
    "decisions_first": 1 << 31,
    "decisions_second": 1 << 31,
}
_NAMES, _LONGEST_NAME = ("first", "second"), 1000
PARQUET = ".parquet"
_ROWS_AT_ONCE = 20_000  # per group: about 40 MB in memory
_FRACTIONS = {"score", "ms", "note_value"}
_TEXTS = {
    *("rules", "first", "second", "ending", "forfeit", "forfeit_by", "detail", "record"),
    *("bot", "opponent", "phase", "moves", "move", "hand", "hand_opponent", "mine", "theirs"),
    *("owners", "modes", "beside", "beside_opponent", "pending", "note_text", "note_numbers"),
}


class ReplayError(ArenaError):
    """A game does not exist or cannot be read."""


class ParquetError(ArenaError):
    """Parquet cannot be written or read here."""


def load_pyarrow(path: Path) -> Any:
    """Return the module pyarrow.parquet. Raise ParquetError, with the name of the file, if it is not installed."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise ParquetError(
            f"{path}: Parquet needs pyarrow, which is not installed: pip install 'schotten-arena[data]'"
        ) from None
    return pyarrow.parquet


# ---------------------------------------------------------------- writing


def game_values(game: GameResult) -> dict[str, Any]:
    """Return what a game was and how it ended as plain values, named like the columns of a table of games."""
    points = (None, None) if math.isnan(game.score) else game.points  # of a game that was broken off
    return {
        "name": game.name,
        "deal_seed": game.deal_seed,
        "pairing": game.id.pairing,
        "deal": game.id.deal,
        "game": game.id.game,
        "round": game.round,
        "first": game.first,
        "second": game.second,
        "winner": game.winner,
        "score": game.score,
        "stones_first": game.stones[0],
        "stones_second": game.stones[1],
        "points_first": points[0],
        "points_second": points[1],
        "turns": game.turns,
        "plies": game.plies,
        "ending": game.ending,
        "forfeit": game.forfeit,
        "forfeit_by": game.forfeit_by,
        "decisions_first": game.decisions[0],
        "decisions_second": game.decisions[1],
        "detail": game.detail,
    }


def export_line(game: GameResult) -> str:
    """Return the line of a game in a file of records, without its end."""
    values = game_values(game)
    return with_about(game.record, {name: values[name] for name in ABOUT if values[name] is not None})


def write_records(games: Iterable[GameResult], path: Path | None) -> int:
    """Write a line for each game into a file (None: stdout), atomically; return the number of games.

    A file whose name ends in `.parquet` is a table with TABLE_COLUMNS instead. Raises ExportError and ParquetError.
    """
    if path is not None and path.suffix == PARQUET:
        return write_parquet(map(_table_row, games), TABLE_COLUMNS, path)
    return write_each((f"{export_line(game)}\n" for game in games), path)


def write_each(texts: Iterable[str], path: Path | None) -> int:
    """Write texts into a file (None: stdout), atomically, and return their number. Raises ExportError."""
    with nullcontext(sys.stdout) if path is None else whole_text(path) as file:
        number = 0
        for number, text in enumerate(texts, start=1):  # noqa: B007
            file.write(text)
        return number


def _table_row(game: GameResult) -> tuple[Any, ...]:
    values = {**game_values(game), "rules": game.record.split(" ", 2)[1], "record": _bare(game.record, {})}
    return tuple([values[name] for name in TABLE_COLUMNS])


def write_parquet(rows: Iterator[tuple[Any, ...]], meanings: Mapping[str, str], path: Path) -> int:
    """Write rows with these columns into a file, atomically, and return their number.

    Whole numbers are int64, others float64; None is null. The file holds the meanings as well. Equal rows give equal
    bytes with the same version of pyarrow. Raise ExportError or ParquetError.
    """
    parquet = load_pyarrow(path)
    import pyarrow as pa

    types = {name: pa.string() for name in _TEXTS} | {name: pa.float64() for name in _FRACTIONS}
    schema = pa.schema(
        [pa.field(name, types.get(name, pa.int64()), metadata={"meaning": text}) for name, text in meanings.items()]
    )
    number = 0
    try:
        with whole_file(path) as file, parquet.ParquetWriter(file, schema, compression="zstd") as writer:
            while part := list(islice(rows, _ROWS_AT_ONCE)):
                columns = [pa.array(values, field.type) for values, field in zip(zip(*part), schema)]
                writer.write_table(pa.Table.from_arrays(columns, schema=schema), row_group_size=_ROWS_AT_ONCE)
                number += len(part)
    except UnicodeEncodeError as error:
        raise ParquetError(f"cannot write {path}: {error.object!a} is not valid text") from None
    return number


# ---------------------------------------------------------------- reading


def is_record(source: str) -> bool:
    """Return whether a string can only be a record itself."""
    return source.lstrip().startswith(_MARK)


def holds_records(path: Path) -> bool:
    """Return whether a file is one of records, or Parquet; the reader reports a damaged one."""
    if path.suffix == PARQUET:
        return True
    try:
        with open_input(path) as file:
            start = file.read(400)
    except OSError:
        return True
    return is_record(start.decode("utf-8-sig", errors="replace"))


def record_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each record of a file after its location, for messages. ReplayError for a file that cannot be read."""
    line, name = None, input_name(path)
    try:
        for line in _parquet_lines(path) if path.suffix == PARQUET else _text_lines(path):
            yield line
    except UnicodeDecodeError:
        raise ReplayError(f"{name} is no file of records: it is not text") from None
    except OSError as error:
        raise ReplayError(f"cannot read {name}: {error}") from error
    if line is None:
        raise ReplayError(f"{name} is empty; expected one record per line")


def _parquet_lines(path: Path) -> Iterator[tuple[str, str]]:
    parquet = load_pyarrow(path)
    import pyarrow as pa

    try:
        with parquet.ParquetFile(path) as file:
            rows = (row for batch in file.iter_batches() for row in batch.to_pylist())
            for number, row in enumerate(rows, start=1):
                if not isinstance(row.get("record"), str):
                    raise ReplayError(f"{path} holds no records: expected a column 'record' of strings")
                about = {name: row[name] for name in ABOUT if row.get(name) is not None}
                yield f"{path}, row {number}", with_about(row["record"], about)
    except pa.ArrowException as error:
        raise ParquetError(f"cannot read {path}: {error}") from None


def _text_lines(path: Path) -> Iterator[tuple[str, str]]:
    with open_input(path) as file:
        for number, line in enumerate(io.TextIOWrapper(file, encoding="utf-8-sig", newline="\n"), start=1):
            if line.strip():
                yield f"{input_name(path)}, line {number}", line.strip()


def read_games(path: Path) -> Iterator[GameResult]:
    """Yield the games of a file of records, see `game_of`.

    Raises ReplayError with the line of a record that cannot be read, or of a game that counts in no table.
    """
    pairings: dict[tuple[str, str], int] = {}
    for number, (location, text) in enumerate(record_lines(path)):
        try:
            yield _counting(game_of(text, number, pairings))
        except ArenaError as error:
            raise ReplayError(f"{location}: {error}") from None


def _counting(game: GameResult) -> GameResult:
    """Return the game if it counts in tables, else raise ReplayError."""
    if game.ending == BROKEN_OFF:
        raise ReplayError("the game was broken off; it has no result")
    if game.ending == RESIGNED:
        raise ReplayError("the game was given up")
    if game.first == game.second:
        raise ReplayError(f"'{game.first}' plays itself; the two bots need names of their own")
    return game


def game_of(text: str, number: int = 1, pairings: dict[tuple[str, str], int] | None = None) -> GameResult:
    """Read the game of a record, also one that counts in no table. Replay it for what its fourth part does not hold.

    Thinking times are not known. Bots without names are called `a` and `b`, like the seats. `number` is its place in a
    file, and `pairings` collects the pairings of the file that have no number of their own.
    """
    record = parse_record(text)
    about = _checked(record.about)
    stones = record.result.split(" ")[1]
    starter = record.deal.starter
    names = [about.get(name, "ab"[seat]) for name, seat in zip(_NAMES, (starter, 1 - starter))]
    first, second = names
    ending, kind = _ending(record)
    taken = tuple(map(int, stones.split("-")))
    if not {"turns", "decisions_first", "decisions_second"} <= about.keys():
        about = {**_replayed(record), **about}
    bots = (first, second) if first < second else (second, first)
    known = {} if pairings is None else pairings
    pairing = about["pairing"] if "pairing" in about else known.setdefault(bots, len(known))
    score = math.nan if ending == BROKEN_OFF else 0.5 if record.winner is None else float(record.winner == starter)
    return GameResult(
        id=GameId(pairing, about.get("deal", deal_number(record, number)), about.get("game", int(first != bots[0]))),
        round=about.get("round", 0),
        first=first,
        second=second,
        score=score,
        ending=ending,
        stones=(taken[starter], taken[1 - starter]),
        turns=about["turns"],
        plies=len(record.moves),
        decisions=(about["decisions_first"], about["decisions_second"]),
        record=_bare(text, record.about),
        forfeit=kind,
        forfeit_by=None if kind is None else names[int(record.winner == starter)],
        detail=about.get("detail"),
    )


def _bare(record: str, about: Mapping[str, Any]) -> str:
    """Return a record without its fourth part, or with the notes alone."""
    bare = "; ".join(record.split("; ", 3)[:3])
    return with_about(bare, {"notes": about["notes"]}) if "notes" in about else bare


def _checked(about: Mapping[str, Any]) -> Mapping[str, Any]:
    for name, value in about.items():
        if name in _BOUNDS and not (type(value) is int and 0 <= value < _BOUNDS[name]):
            raise ReplayError(f"{name}: expected a number from 0 to {_BOUNDS[name] - 1}, not {quoted(repr(value))}")
        if name in _NAMES and not (isinstance(value, str) and 0 < len(value) <= _LONGEST_NAME):
            raise ReplayError(f"{name}: expected the name of a bot, not {quoted(repr(value))}")
        if name == "detail" and not isinstance(value, str):
            raise ReplayError(f"detail: expected a string, not {quoted(repr(value))}")
    return about


def _ending(record: Record) -> tuple[str, str | None]:
    """Return the ending of a game and the kind of its forfeit."""
    if record.result.startswith("*"):
        return BROKEN_OFF, None
    if record.is_resigned:
        return RESIGNED, None
    reason = record.result.split(" ", 2)[-1]
    kind = reason.removeprefix("forfeit ") if record.is_forfeit else None
    ending = reason if kind is None else "forfeit"
    if ending not in ENDINGS or (kind is not None and (kind not in FORFEITS or record.winner is None)):
        raise ReplayError(f"record, result: '{quoted(record.result)}' is not an end of a game")
    return ending, kind


def deal_number(record: Record, line: int) -> int:
    """Return the number of the deal, or its `line` in the file if the record has none."""
    seed, _, rest = record.deal_text.partition(":")
    number = rest.partition(":")[0]
    return int(number) if seed != "cards" and len(number) <= 11 else line


def _replayed(record: Record) -> dict[str, int]:
    """Count the turns, and the decisions with a choice of the first and the second player."""
    state = State(record.rules, record.deal, record.auto_claim)
    asked = [0, 0]
    for before, _ in replay_steps(record, state):
        asked[before.to_move] += len(before.legal_moves()) > 1
    starter = record.deal.starter
    return {"turns": state.turns, "decisions_first": asked[starter], "decisions_second": asked[1 - starter]}


# ---------------------------------------------------------------- verifying


def verify_file(path: Path) -> Iterator[str | None]:
    """Yield for each record of a file what is wrong with it, or None."""
    for number, (location, text) in enumerate(record_lines(path)):
        fault = None
        try:
            _verify_line(text, number)
        except ArenaError as error:
            fault = one_line(f"{location}: {error}")
        yield fault


def _verify_line(text: str, number: int) -> None:
    """Raise ArenaError unless the record replays to what its line says."""
    state, game = verify(text), _counting(game_of(text, number))
    deal = deal_number(parse_record(text), game.id.deal)
    for name, written, replayed in (("turns", game.turns, state.turns), ("deal", game.id.deal, deal)):
        if written != replayed:
            raise ReplayError(f"{name}: {written} is written, the record gives {replayed}")


# ---------------------------------------------------------------- lists of other programs: results without moves


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
