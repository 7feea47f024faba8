"""Stored games, one by one: what `arena replay` shows, and whether a record replays to its stored result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.game.record import VERSION, deal_text, parse_record, verify
from arena.game.rules import load_rules
from arena.match.results import GameResult
from arena.match.tasks import GameId
from arena.store.folders import run_folder
from arena.store.reader import GAME_COLUMNS, Reader, reason_line
from arena.text import first_line, one_line

LISTED = 20
_LONGEST_REASON = 60
_RECORD = VERSION.partition("/")[0] + "/"


class ReplayError(ArenaError):
    """There is no such game, or it cannot be read."""


@dataclass(frozen=True)
class StoredGame:
    """A game to show.

    record   its text (arena.game.record)
    names    the bots of seat 0 and seat 1, "" where they are not known
    reason   why it was forfeited, as the failing bot told it, or ""
    """

    record: str
    names: tuple[str, str] = ("", "")
    reason: str = ""


def read_game(source: str, game: str | None) -> StoredGame:
    """A game out of `source`: a record, a file with one record per line, or the folder (or name) of a run.

    `game` is the line of a file; in a run it is such as 0/12/1 (pairing/deal/game), or the number in the schedule
    from 1. None: the first. Raises ReplayError and StoreError.
    """
    if not is_run(source):
        return StoredGame(_line(Path(source), game or "1") if Path(source).is_file() else source)
    with Reader(run_folder(source)) as reader:
        result = _find(reader, game or "1")
    names = (one_line(result.first), one_line(result.second))
    starter = parse_record(result.record).deal.starter
    return StoredGame(result.record, names if starter == 0 else names[::-1], result.detail or "")


def is_run(source: str) -> bool:
    """Whether `source` can only be a run: neither a record nor a file."""
    return not source.lstrip().startswith(_RECORD) and not Path(source).is_file()


def games_list(folder: Path) -> str:
    """The first games of a run, a line each, with a line end."""
    with Reader(folder) as reader:
        count = reader.count()
        lines = [f"{folder} holds {count} games. See one with: arena replay {folder} GAME", ""]
        lines += [_game_line(reader, dict(zip(GAME_COLUMNS, row))) for row in islice(reader.table(), LISTED)]
    if count > LISTED:
        lines.append(f"       ...  and {count - LISTED} more (all with: arena export --games {folder})")
    return "\n".join(lines) + "\n"


def _game_line(reader: Reader, row: Mapping[str, Any]) -> str:
    identity = GameId(row["pairing"], row["deal"], row["game"])
    score = {1.0: "1-0", 0.0: "0-1"}.get(row["score"], "½-½")
    ending = row["ending"]
    if row["forfeit"] is not None:
        reason = first_line(reason_line(reader.result(identity).detail), _LONGEST_REASON)
        ending = f"{row['forfeit_by']} forfeits: {row['forfeit']}" + (f" ({reason})" if reason else "")
    return one_line(
        f"{identity!s:>10}  {row['first']} - {row['second']}  {score}"
        f"  stones {row['stones_first']}-{row['stones_second']}, {ending}"
    )


def _line(path: Path, number: str) -> str:
    try:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise ReplayError(f"cannot read {path}: {error}") from error
    if not lines:
        raise ReplayError(f"{path} is empty; expected one record per line")
    if not number.isdecimal() or not 1 <= int(number) <= len(lines):
        raise ReplayError(f"{path} has no line {number}; it holds {len(lines)} records, numbered from 1")
    return lines[int(number) - 1]


def _find(reader: Reader, game: str) -> GameResult:
    if not game.isdecimal():
        try:
            return reader.result(GameId.parse(game))
        except ValueError as error:
            raise ReplayError(f"{error}, or a number from 1 to {reader.count()}") from error
    number = int(game)
    for pairing, deal, one, *_ in islice(reader.table(), max(number - 1, 0), max(number, 0)):
        return reader.result(GameId(pairing, deal, one))
    raise ReplayError(f"{reader.folder} has no game {number}; it holds {reader.count()}, numbered from 1")


def game_faults(reader: Reader) -> Iterator[str | None]:
    """For each game of a run in schedule order what is wrong with it, or None."""
    config = reader.config()
    for result in reader.results():
        fault = game_fault(result, config["rules"], config["seed"])
        yield fault and one_line(f"game {result.id} ({result.first} - {result.second}): {fault}")


def game_fault(result: GameResult, rules: str, seed: int) -> str | None:
    """What is wrong with a stored game, or None: the record must agree with itself, the settings and the row."""
    try:
        record = parse_record(result.record)
        state = verify(result.record)
    except ArenaError as error:
        return str(error)
    first = record.deal.starter
    stones = (state.stones_of(first), state.stones_of(1 - first))
    score = 0.5 if record.winner is None else float(record.winner == first)
    ending = result.ending if result.forfeit is None else f"forfeit {result.forfeit}"
    replayed = {
        "rules": (record.rules.canonical, load_rules(rules).canonical),
        "deal": (record.deal_text, deal_text(seed, result.id.deal)),
        "score": (score, result.score),
        "stones": (stones, result.stones),
        "turns": (state.turns, result.turns),
        "plies": (len(record.moves), result.plies),
        "ending": (record.result.split(" ", 2)[2], ending),
    }
    for name, (found, stored) in replayed.items():
        if found != stored:
            return f"{name}: {stored} is stored, the record gives {found}"
    return None
