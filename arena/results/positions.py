"""Read a game decision by decision: as positions, in words, and as rows of a table; the tactic cards played."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from arena.errors import ArenaError
from arena.game.board import Board
from arena.game.cards import COLOURS, card_name
from arena.game.engine import State
from arena.game.explain import Formation, PositionError, Verdict, evaluate, judge_claim, read_side
from arena.game.moves import Event, Move
from arena.game.notes import Note
from arena.game.record import Record, RecordError, parse_record, replay_steps
from arena.game.rules import Rules
from arena.results.records import PARQUET, game_values, load_pyarrow, write_parquet
from arena.results.table import Report, Table
from arena.stats.frames import GAME_FACTS
from arena.text import indented, one_line, spreadsheet_cell
from arena.tournament.games import GameResult, bucket_ms, times_in_order
from arena.whole_file import whole_text

if TYPE_CHECKING:
    import pandas as pd


RUSES = ("scout", "redeploy", "deserter", "traitor")
STONES = range(1, 10)

Cards = tuple[str, ...]


def claim_verdict(state: Board, seat: int, stone: int) -> Verdict:
    """Decide whether a seat can claim a stone by the cards that lie face up, and why; also for a claimed stone."""
    sides = [state.side(player, other) for player in (0, 1) for other in STONES if other != stone]
    seen = tuple([card for row in (*sides, state.row(0), state.row(1)) for card in row if is_clan(card)])
    first = state.completed_first(stone)
    older = None if first is None else "mine" if first == seat else "theirs"
    return _judged(state.rules, state.side(seat, stone), state.side(1 - seat, stone), seen, state.modes(stone), older)


@lru_cache(1000)
def _judged(rules: Rules, mine: Cards, theirs: Cards, seen: Cards, modes: Cards, older: str | None) -> Verdict:
    try:
        return judge_claim(rules, read_side(rules, mine), read_side(rules, theirs), seen, modes, older)
    except PositionError as error:
        return Verdict(False, str(error))


def is_clan(card: str) -> bool:
    """Return whether a string is a clan card, such as `r7`."""
    return card[0] in COLOURS and card[1:].isdigit()


def side_formation(state: Board, seat: int, stone: int) -> Formation | None:
    """Return the formation of a side; None while it is not complete."""
    side = state.side(seat, stone)
    return None if len(side) < state.capacity(stone) else _formation(state.rules, side, state.modes(stone))


@lru_cache(10_000)
def _formation(rules: Rules, side: Cards, modes: Cards) -> Formation:
    return evaluate(rules, read_side(rules, side), modes)


@dataclass(frozen=True)
class Decision:
    """One decision of a finished game.

    number   its place in the record, from 1
    turn     the turn it belongs to, from 1
    seat     the seat that decided
    phase    the kind of decision
    legal    the legal moves, in the order in which the bot was given them
    move     the move that was made
    asked    whether the bot was asked; a single legal move is mostly made without asking
    ms       thinking time in milliseconds within 10%, None where it was not measured
    note     what the bot said with it, None if nothing
    before   the state before the move; to play on from a state, copy it
    after    the state after the move and what followed automatically: claims, draws, the next turn
    """

    number: int
    turn: int
    seat: int
    phase: str
    legal: tuple[Move, ...]
    move: Move
    asked: bool
    ms: float | None
    note: Note | None
    before: State = field(repr=False, compare=False)
    after: State = field(repr=False, compare=False)

    @property
    def events(self) -> tuple[Event, ...]:
        """The events of the move, as seen by the seat that made it."""
        return self.after.events(self.seat, len(self.before.events(self.seat)))


def decisions(game: GameResult) -> list[Decision]:
    """Return the decisions of a game in order.

    Raises RecordError for a record that cannot be read or that makes a move that is not legal.
    """
    record = parse_record(game.record)
    states = list(_states(record))
    seats = [state.to_move for state in states[:-1]]
    legal = [tuple(state.legal_moves()) for state in states[:-1]]
    choices = [[len(moves) > 1 for seat, moves in zip(seats, legal) if seat == number] for number in (0, 1)]
    asks, times = _asked(game, record.deal.starter, choices)
    spent = tuple([iter(number) for number in times])
    notes = record.notes
    made = []
    for index, (move, seat) in enumerate(zip(record.moves, seats)):
        state = states[index]
        asked = len(legal[index]) > 1 or asks[seat]
        ms = next(spent[seat], None) if asked else None
        made.append(
            Decision(
                number=index + 1,
                turn=state.turns,
                seat=seat,
                phase=state.phase,
                legal=legal[index],
                move=move,
                asked=asked,
                ms=ms,
                note=notes[seat].get(index + 1),
                before=state,
                after=states[index + 1],
            )
        )
    return made


def _states(record: Record) -> Iterator[State]:
    """Yield the state before each move, and the last one."""
    state = State(record.rules, record.deal, record.auto_claim)
    for _ in replay_steps(record, state):
        yield state.copy()
    yield state


def _asked(game: GameResult, starter: int, choices: Sequence[Sequence[bool]]) -> tuple[list[bool], list[list[float]]]:
    """Return by seat whether the bot was asked for forced moves as well, and its thinking times in ms.

    `choices` says for each decision of a seat whether there was a choice. A bot that forfeited may have been asked
    once more than the record shows.
    """
    asks = [False, False]
    times: list[list[float]] = [[], []]
    for seat, bot, asked, packed in zip((starter, 1 - starter), (game.first, game.second), game.decisions, game.times):
        more = bot == game.forfeit_by
        asks[seat] = asked >= len(choices[seat]) > sum(choices[seat]) + more
        buckets = times_in_order(packed)
        if len(buckets) == asked:
            times[seat] = [bucket_ms(bucket) for bucket in buckets]
    return asks, times


# ---------------------------------------------------------------- plain values


_SHOWN_BY_NAME = ("pairing", "game", "decisions_first", "decisions_second")


def result_values(game: GameResult) -> dict[str, Any]:
    """Return what a game was and how it ended as plain values for JSON, without what its name says."""
    return {name: value for name, value in game_values(game).items() if name not in _SHOWN_BY_NAME}


def moves_report(game: GameResult) -> Report:
    """Return a whole game and its decisions for JSON. RecordError for a record that does not replay."""
    record = parse_record(game.record)
    about = {
        **result_values(game),
        "names": game.seats,
        "rules": record.rules.canonical,
        "result": result_line(record, shown_names(game)),
        "record": game.record,
    }
    rows = [decision_values(made, game.seats) for made in decisions(game)]
    return Report("", [Table("moves", "", rows, files=(*rows[0],) if rows else ("move",))], about=about)


def decision_values(made: Decision, names: Sequence[str]) -> dict[str, Any]:
    """Return a decision as plain values, in words as well; `names` are by seat."""
    note = made.note
    return {
        "number": made.number,
        "turn": made.turn,
        "seat": made.seat,
        "bot": names[made.seat],
        "phase": made.phase,
        "move": made.move.text,
        "words": deed_words(made.move, made.before.rules.edition),
        "events": [event.text if event.seat == made.seat else str(event) for event in made.events],
        "legal": len(made.legal),
        "asked": made.asked,
        "ms": None if made.ms is None else float(f"{made.ms:.2g}"),
        "note": None if note is None else {**note.figures(), **({"text": note.text} if note.text else {})},
    }


# ---------------------------------------------------------------- words


def card_words(card: str, edition: str) -> str:
    """Return a card in words, with the card that a bound wild stands for.

    >>> card_words("*J=r7", "iello")
    'Joker as red 7'
    """
    wild, _, bound = card.partition("=")
    return card_name(wild, edition) + (f" as {card_name(bound, edition)}" if bound else "")


def move_words(move: Move | Event, edition: str) -> str:
    """Word a move, such as `pink 7 to stone 1`, with the card names of an edition."""
    card = move.card and card_name(move.card, edition)
    if move.kind in ("place", "mode"):
        bound = f" as {card_name(move.binding, edition)}" if move.binding else ""
        return f"{card}{bound} to stone {move.stone}"
    words = {
        "ruse": f"Play {card}",
        "take": f"Take {card} from stone {move.stone}",
        "discard": "Discard it",
        "claim": f"Claim stone {move.stone}",
        "no claim": "Claim nothing more",
        "draw": f"Draw a {move.text.removeprefix('draw ')} card",
        "return": f"Give back {card}",
        "pass": "Pass",
    }
    return words[move.kind]


def deed_words(move: Move | Event, edition: str) -> str:
    """Word what a player did: a card and its stone as in `move_words`, else such as `claims stone 3`."""
    words = move_words(move, edition)
    if move.kind in ("place", "mode"):
        return words
    verb, _, rest = words.partition(" ")
    return f"{verb.lower()}{'es' if verb == 'Pass' else 's'} {rest}".rstrip()


def tactic_texts(rules: Rules) -> tuple[str, ...]:
    """Return the tactic cards of a rule set, one of each; empty without tactics.

    >>> from arena.game.rules import load_rules
    >>> tactic_texts(load_rules("tactical"))
    ('*J', '*7', '*123', 'fog', 'mud', 'scout', 'redeploy', 'deserter', 'traitor')
    """
    return ("*J", f"*{rules.spy_value}", "*123", "fog", "mud", *RUSES) if rules.tactics else ()


def legend(rules: Rules) -> str:
    """Explain the abbreviations, with the card names of the edition."""
    lines = ["Cards: colour and value; r red, g green, b blue, y yellow, p purple, k pink."]
    if rules.tactics:
        lines.append("; ".join(f"{card} {card_name(card, rules.edition)}" for card in tactic_texts(rules)) + ".")
        lines.append("Beside a stone's owner: f fog, m mud.")
    return "\n".join(lines)


def shown_names(game: GameResult) -> tuple[str, str]:
    """Return the names of seat 0 and seat 1 for display; "" for a bot that has only its seat as a name."""
    a, b = ("" if name == sign else one_line(name) for name, sign in zip(game.seats, "ab"))
    return a, b


def result_line(record: Record, names: Sequence[str] = ("", "")) -> str:
    """Word how a game ended, the winner first. `names` are the bots of seat 0 and seat 1.

    >>> from arena.game.record import parse_record
    >>> result_line(parse_record("schotten/1 base 1:0 11; ; b 0-0 forfeit timeout"), ("ann", "bob"))
    'bob beat ann 0–0: forfeit timeout'
    """
    line, reason = _result_words(record, names)
    return f"{line}: {reason}" if reason else line


def headline(game: GameResult) -> str:
    """Word the result of a game without its reason, the winner first."""
    return _result_words(parse_record(game.record), shown_names(game))[0]


def _result_words(record: Record, names: Sequence[str]) -> tuple[str, str]:
    winner, stones, *reason = record.result.split(" ", 2)
    a, b = (names[seat] or "ab"[seat] for seat in (0, 1))
    won_a, won_b = stones.split("-")
    words = {
        "a": f"{a} beat {b} {won_a}–{won_b}",
        "b": f"{b} beat {a} {won_b}–{won_a}",
        "draw": f"{a} and {b} drew {won_a}–{won_b}",
    }
    return words.get(winner, f"{a} – {b}, broken off at {won_a}–{won_b}"), "".join(reason)


def ending_text(game: GameResult) -> str:
    """Word how a game ended in a line, and below it the reason of a forfeit. Texts of bots are made printable."""
    line = result_line(parse_record(game.record), shown_names(game))
    reason = (game.detail or "").strip()
    return f"{line}\n  {indented(reason)}" if reason else line


# ---------------------------------------------------------------- rows of a table


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
    """Yield a row for each decision of a game (DECISION_COLUMNS). RecordError for a record that does not replay."""
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
