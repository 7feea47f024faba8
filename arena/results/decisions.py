"""Read facts from the records of stored games: every decision as a row, tactic cards played, early claims."""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from arena.errors import ArenaError
from arena.game.notes import Note
from arena.game.record import RecordError, parse_record
from arena.game.rules import Rules
from arena.results.positions import RUSES, STONES, Cards, decisions, tactic_texts
from arena.results.records import PARQUET, load_pyarrow, write_parquet
from arena.results.sources import StoredGames
from arena.stats.frames import GAME_FACTS
from arena.text import spreadsheet_cell
from arena.tournament.games import GameResult
from arena.whole_file import whole_text

if TYPE_CHECKING:
    import pandas as pd


_MOVE_ON = ("redeploy", "traitor")  # a card is taken, then put elsewhere

PLAY_COLUMNS = {
    "deal_seed": GAME_FACTS["deal_seed"],
    "pairing": "number of the pairing in the schedule",
    "deal": "number of the deal",
    "game": "0 or 1: which game of the pair",
    "card": "the tactic card",
    "played_by_first": "how often the first player played it (0 included; there are two jokers)",
    "played_by_second": "how often the second player played it (0 included)",
    "score": "1, 0.5 or 0 points of the first player",
}
"""Columns of `plays_frame`."""


class MovesError(ArenaError):
    """Moves cannot be exported as asked."""


DECISION_COLUMNS: dict[str, str] = {
    "rules": "rule set, with the options that differ",
    "deal_seed": GAME_FACTS["deal_seed"],
    "pairing": "number of the pairing in the schedule",
    "deal": "number of the deal",
    "game": "0 or 1: which game of the pair",
    "number": "place of the decision in the game, from 1",
    "turn": "the turn it belongs to, from 1",
    "seat": "the seat that decided, 0 (a) or 1 (b)",
    "began": "1 if that seat made the first move of the game, else 0",
    "bot": "the bot that decided",
    "opponent": "the other bot",
    "phase": "kind of decision: claim, play, take, put, scout, return or draw",
    "asked": "1 if the bot was asked, 0 if the only legal move was made for it",
    "legal": "number of legal moves",
    "moves": "the legal moves in the order in which bots are given them, with commas between them",
    "choice": "which of them was made, from 0",
    "move": "the move that was made",
    "ms": "thinking time, milliseconds within 10%; empty where it was not measured",
    "score": "the bot's points for the game: 1, 0.5 or 0",
    "stones": "stones it had in the end",
    "stones_opponent": "stones its opponent had in the end",
    "hand": "the bot's hand before the decision, with blanks between the cards",
    "hand_opponent": "its opponent's hand, which it did not see",
    "mine": "its cards at stones 1..9: nine groups with slashes between them, cards with blanks",
    "theirs": "its opponent's",
    "owners": "owners of stones 1..9: a (seat 0), b (seat 1) or . (nobody)",
    "modes": "combat modes at stones 1..9: nine groups with slashes between them",
    "beside": "cards that lie face up beside the board on its side",
    "beside_opponent": "on its opponent's side",
    "pending": "the card that a ruse has taken and not yet put anywhere; empty without",
    "deck_clan": "cards left in the clan deck",
    "deck_tactic": "cards left in the tactic deck",
    "note_value": "the chance to win that the bot noted, 0 to 1; empty if it noted none",
    "note_depth": "the depth that the bot noted",
    "note_nodes": "the number of positions that the bot noted",
    "note_text": "its remark",
    "note_numbers": "numbers by names of its own, as a JSON object",
}
"""The columns of a decision. Positions are before it, seen from the bot that decides, with both hands open."""


def move_rows(game: GameResult) -> Iterator[tuple[Any, ...]]:
    """Yield a row for each decision of a game, with COLUMNS. Raise RecordError for a record that does not replay."""
    record = parse_record(game.record)
    rules, starter = record.rules.canonical, record.deal.starter
    for made in decisions(game):
        began = made.seat == starter
        bot, opponent = (game.first, game.second) if began else (game.second, game.first)
        own_stones, other_stones = game.stones if began else game.stones[::-1]
        now, seat, other = made.before, made.seat, 1 - made.seat
        yield (
            rules,
            game.deal_seed,
            *game.id,
            made.number,
            made.turn,
            seat,
            int(began),
            bot,
            opponent,
            made.phase,
            int(made.asked),
            len(made.legal),
            ",".join([move.text for move in made.legal]),
            made.legal.index(made.move),
            made.move.text,
            made.ms,
            game.score_of(bot),
            own_stones,
            other_stones,
            " ".join(now.hand_of(seat)),
            " ".join(now.hand_of(other)),
            _groups(now.side(seat, stone) for stone in STONES),
            _groups(now.side(other, stone) for stone in STONES),
            now.owners,
            _groups(map(now.modes, STONES)),
            " ".join(now.row(seat)),
            " ".join(now.row(other)),
            now.pending or "",
            *now.deck_counts,
            *_noted(made.note),
        )


def _noted(note: Note | None) -> tuple[Any, ...]:
    if note is None:
        return (None,) * 5
    return note.value, note.depth, note.nodes, note.text, json.dumps(note.numbers) if note.numbers else None


def _groups(stones: Iterable[Cards]) -> str:
    return "/".join([" ".join(cards) for cards in stones])


# ---------------------------------------------------------------- writing


def check_moves_file(path: Path) -> None:
    """Raise MovesError unless moves can be written to a file of this name."""
    if path.suffix == PARQUET:
        load_pyarrow(path)
    elif not path.name.endswith((".csv", ".csv.gz")):
        raise MovesError(f"{path}: expected a name that ends in .parquet, .csv or .csv.gz")


def write_moves(games: Iterable[GameResult], path: Path | None) -> int:
    """Write the decisions of all games into a file (None: stdout, as CSV), atomically; return their number.

    Read the games one after the other, so a run may be larger than the memory. Raise ExportError,
    ParquetError, and MovesError for a game that does not replay.
    """
    rows = _all_rows(games)
    if path is None:
        return write_csv(rows, sys.stdout)
    check_moves_file(path)
    if path.suffix == PARQUET:
        return write_parquet(rows, DECISION_COLUMNS, path)
    with whole_text(path) as file:
        return write_csv(rows, file)


def _all_rows(games: Iterable[GameResult]) -> Iterator[tuple[Any, ...]]:
    for game in games:
        try:
            yield from move_rows(game)
        except RecordError as error:
            raise MovesError(f"game {game.name} does not replay: {error}. See them all with: arena verify") from error


def write_csv(rows: Iterable[tuple[Any, ...]], file: IO[str]) -> int:
    """Write rows as CSV with a header and return their number. No name or remark is a formula in a spreadsheet."""
    names = [list(DECISION_COLUMNS).index(name) for name in ("bot", "opponent", "note_text")]
    write = csv.writer(file, lineterminator="\n").writerow
    write(DECISION_COLUMNS)
    number = 0
    for number, row in enumerate(rows, start=1):  # noqa: B007
        cells = list(row)
        for index in names:
            cells[index] = cells[index] and spreadsheet_cell(cells[index])
        write(cells)
    return number


# ---------------------------------------------------------------- tactic cards


def plays(record: str) -> Iterator[tuple[int, str]]:
    """Yield each play of a tactic card in a record: 0 for the first player, 1 for the second, and the card.

    >>> list(plays("schotten/1 tactical 1:0 11; r1@1,draw clan,*J@2,draw clan,fog@1; * 0-0"))
    [(1, '*J'), (0, 'fog')]
    """
    turn = -1
    putting = False
    for move in record.split("; ")[1].split(","):
        card, target, _ = move.partition("@")
        if " " in card:
            continue  # take, draw, return, claim: not plays
        if target or move == "pass" or move in RUSES:
            if putting:
                putting = False
                continue
            turn += 1
            putting = move in _MOVE_ON
            card = card.partition("=")[0]
            if card[0] == "*" or card in ("fog", "mud") or (not target and move != "pass"):
                yield turn & 1, card
        elif move == "discard":
            putting = False


def spaced(games: StoredGames, most: int) -> tuple[Iterator[GameResult], str]:
    """Return at most `most` games, evenly spaced, and a note about the games left out, "" if none."""
    total = games.count()
    numbers = range(0, total, math.ceil(total / most) or 1) if most else range(0)
    note = "" if len(numbers) == total else f"From {len(numbers)} of {total} games, evenly spaced."
    return games.at(numbers), note


def plays_frame(games: Iterable[GameResult], rules: Rules) -> pd.DataFrame:
    """Return a row for each game and tactic card of the rule set, with PLAY_COLUMNS, in schedule order.

    No engine is needed: the players take turns, and every turn has exactly one play (a card to a stone, a mode, a
    ruse, or `pass`); what Redeploy or Traitor puts elsewhere afterwards is not another one.
    """
    import pandas as pd  # slow to load

    cards = tactic_texts(rules)
    index = {card: number for number, card in enumerate(cards)}
    rows: list[tuple[object, ...]] = []
    for game in games if cards else ():
        counts = [[0] * len(cards), [0] * len(cards)]
        for side, card in plays(game.record):
            counts[side][index[card]] += 1
        rows += [(game.deal_seed, *game.id, card, *played, game.score) for card, *played in zip(cards, *counts)]
    return pd.DataFrame(rows, columns=list(PLAY_COLUMNS))
