"""A whole game as text: rules, deal, moves and result, in one line that replays to the same end.

::

    schotten/1 iello-base 42:17 11; r7@3,b2@1,...,pass; a 5-2 three adjacent
    |          |          |     |   |                   |
    version    rule set   deal  |   moves               result
                                claims: 1 automatic, 0 chosen, for seat 0 and seat 1

The rule set is a preset with overrides. The deal is `SEED:NUMBER` or `SEED:NUMBER:STARTER` (if the starter differs
from the deal's own) or `cards:CLAN/TACTIC:STARTER` with all cards written out. The result is the winner (`a` is seat 0,
`b` seat 1, `draw`, `*` for an unfinished game), the stones of both and the reason; a game lost by forfeit ends with
`forfeit` and its kind. A fourth part, a JSON object, may hold what no replay can show, such as who played, and in
`notes` what the bots said with their moves, by seat and number of the move (`arena.game.notes`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from arena.errors import ArenaError
from arena.game.deals import Deal, deal_from_cards, make_deal
from arena.game.engine import IllegalMove, State
from arena.game.moves import Move, parse_move
from arena.game.notes import Note, read_notes
from arena.game.rules import Rules, load_rules
from arena.text import quoted

VERSION = "schotten/1"
RESIGNED = "resigned"
"""The reason in the result of a game that a human player gave up."""
WINNERS = {"a": 0, "b": 1, "draw": None, "*": None}
_CARDS = re.compile(r"[rgbypk](?:10|[1-9])")
_RESULT = re.compile(r"(a|b|draw|\*) ([0-9])-([0-9])(?: (.+))?")


class RecordError(ArenaError):
    """A damaged record, or one that cannot be replayed."""


@dataclass(frozen=True, slots=True)
class Record:
    """A parsed record.

    `result` is its third part, e.g. `a 5-2 three adjacent`; `about` is the fourth part, empty if there is none.
    """

    rules: Rules
    deal: Deal
    deal_text: str
    auto_claim: tuple[bool, bool]
    moves: tuple[Move, ...]
    result: str
    about: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def winner(self) -> int | None:
        """The seat that won; None for a draw or an unfinished game."""
        return WINNERS[self.result.split(" ", 1)[0]]

    @property
    def notes(self) -> tuple[dict[int, Note], dict[int, Note]]:
        """The notes of seat 0 and of seat 1, by the number of the move, counted from 1."""
        return read_notes(self.about)

    @property
    def is_forfeit(self) -> bool:
        """Whether a forfeit decided the game."""
        return " forfeit" in self.result

    @property
    def is_resigned(self) -> bool:
        """Whether a human player resigned the game; tables leave such games out."""
        return self.result.endswith(f" {RESIGNED}")

    def __str__(self) -> str:
        text = record_text(self.rules, self.deal_text, self.auto_claim, self.moves, self.result)
        return with_about(text, self.about) if self.about else text


def deal_text(seed: int, number: int, starter: int | None = None) -> str:
    """Return the text of `make_deal(rules, seed, number)` in a record, with another starter if one is given."""
    return f"{seed}:{number}" if starter is None else f"{seed}:{number}:{starter}"


def cards_text(deal: Deal) -> str:
    """Return the text of a deal with all cards written out.

    >>> cards_text(make_deal(load_rules("base"), 1, 0))[:18]
    'cards:r5k7r6k5y8r1'
    """
    return f"cards:{''.join(deal.clan)}/{'.'.join(deal.tactic)}:{deal.starter}"


def result_text(state: State) -> str:
    """Return the result of a finished game, or `* STONES` for an unfinished one.

    >>> result_text(State(load_rules("base"), make_deal(load_rules("base"), 1, 0)))
    '* 0-0'
    """
    outcome = state.outcome
    if outcome is None:
        return f"* {state.stones_of(0)}-{state.stones_of(1)}"
    winner = "draw" if outcome.winner is None else "ab"[outcome.winner]
    return f"{winner} {outcome.stones[0]}-{outcome.stones[1]} {outcome.reason}"


def record_text(rules: Rules, deal: str, auto_claim: tuple[bool, bool], moves: Iterable[Move], result: str) -> str:
    """Return a record's line.

    `deal` comes from `deal_text` or `cards_text`, `result` from `result_text`; `auto_claim` has a flag for each seat.
    """
    return record_line(record_head(rules, deal, auto_claim), [move.text for move in moves], result)


def record_head(rules: Rules, deal: str, auto_claim: tuple[bool, bool]) -> str:
    """Return the first part of a record's line; `auto_claim` has a flag for each seat."""
    return f"{VERSION} {rules.text} {deal} {auto_claim[0]:d}{auto_claim[1]:d}"


def record_line(head: str, moves: Iterable[str], result: str) -> str:
    """Join the parts of a record."""
    return f"{head}; {','.join(moves)}; {result}"


def with_about(record: str, about: Mapping[str, Any]) -> str:
    """Add a fourth part to a record, or extend the one it has.

    The part is ASCII, so that the record stays one line whatever the names are.

    >>> with_about("schotten/1 base 1:0 11; ; * 0-0", {"first": "ann"})
    'schotten/1 base 1:0 11; ; * 0-0; {"first":"ann"}'
    """
    text = json.dumps(about, separators=(",", ":"))
    return f"{record[:-1]},{text[1:]}" if record.endswith("}") else f"{record}; {text}"


def _parse_about(text: str) -> dict[str, Any]:
    try:
        about = json.loads(text)
    except (ValueError, RecursionError):
        about = None
    if not isinstance(about, dict):
        raise RecordError(f"record, fourth part: expected a JSON object, not {quoted(text)}")
    return about


def parse_record(text: str) -> Record:
    """Read a record; raise `RecordError`, which names the damaged part.

    >>> parse_record("schotten/1 base 1:0 11; r2@10; * 0-0")
    Traceback (most recent call last):
    arena.game.record.RecordError: record, move 1: 'r2@10' is not a move; did you mean 'r2@1'?
    """
    parts = text.strip().split("; ", 3)
    if len(parts) < 3 or "\n" in text.strip() or (len(parts) > 3 and not parts[3].startswith("{")):
        parts_count = text.count("; ") + 1
        raise RecordError(
            f"a record is one line of three parts separated by '; ' (head; moves; result), but this has {parts_count}"
        )
    head, moves_text, result, *rest = parts
    words = head.split(" ")
    if words[0] != VERSION:
        raise RecordError(f"record, head: it begins with '{words[0][:40]}', but this program reads '{VERSION}'")
    if len(words) != 4:
        raise RecordError(f"record, head: expected four words ({VERSION}, rule set, deal, claims), found {len(words)}")
    try:
        rules = load_rules(words[1])
    except ArenaError as error:
        raise RecordError(f"record, rule set: {error}") from None
    try:
        deal = parse_deal(rules, words[2])
    except ArenaError as error:
        raise RecordError(f"record, deal: {error}") from None
    if words[3] not in ("00", "01", "10", "11"):
        raise RecordError(f"record, claims: expected 00, 01, 10 or 11, found '{words[3]}'")
    moves = []
    for number, move_text in enumerate(moves_text.split(",") if moves_text else [], 1):
        try:
            moves.append(parse_move(move_text))
        except ArenaError as error:
            raise RecordError(f"record, move {number}: {error}") from None
    if not _RESULT.fullmatch(result):
        raise RecordError(f"record, result: expected one such as 'a 5-2 three adjacent', found '{result}'")
    about = _parse_about(rest[0]) if rest else {}
    return Record(rules, deal, words[2], (words[3][0] == "1", words[3][1] == "1"), tuple(moves), result, about)


def parse_deal(rules: Rules, text: str) -> Deal:
    """Read a deal as written in records: `SEED:NUMBER`, `SEED:NUMBER:STARTER` or `cards:CLAN/TACTIC:STARTER`.

    Raises `RecordError` for another form, `CardError` and `DealError` for wrong cards.

    >>> parse_deal(load_rules("base"), "1:0") == make_deal(load_rules("base"), 1, 0)
    True
    """
    if text.startswith("cards:"):
        body, _, starter = text[6:].rpartition(":")
        clan, slash, tactic = body.partition("/")
        cards = _CARDS.findall(clan)
        if not slash or starter not in ("0", "1") or "".join(cards) != clan:
            raise RecordError(
                "after 'cards:', expected clan cards, a slash, tactic cards with dots, a colon and the starter"
            )
        return deal_from_cards(rules, cards, tactic.split(".") if tactic else [], int(starter))
    match = re.fullmatch(r"(-?[0-9]{1,100}):([0-9]{1,100})(?::([01]))?", text)
    if not match:
        raise RecordError(f"'{text}' is not a deal; expected SEED:NUMBER, SEED:NUMBER:STARTER or cards:...")
    deal = make_deal(rules, int(match[1]), int(match[2]))
    return replace(deal, starter=int(match[3])) if match[3] else deal


def replay_steps(record: Record, state: State | None = None) -> Iterator[tuple[State, Move]]:
    """Yield each move with the state before it.

    It is one state (`state`, if given), which changes between the steps. Raises `RecordError` with the number of a
    move that is not legal there.
    """
    state = State(record.rules, record.deal, record.auto_claim) if state is None else state
    for number, move in enumerate(record.moves, 1):
        yield state, move
        try:
            state.apply(move)
        except IllegalMove as error:
            raise RecordError(f"record, move {number} ({move}): {error}") from None


def replay(record: Record) -> State:
    """Return the state at the end of a record; raise `RecordError` for a move that is not legal."""
    state = State(record.rules, record.deal, record.auto_claim)
    for _ in replay_steps(record, state):
        pass
    return state


def verify(text: str) -> State:
    """Replay a record, compare its result, and return the state at the end.

    In a forfeit or a resigned game only the stones can be checked. Raises `RecordError`, which names the place.
    """
    record = parse_record(text)
    state = replay(record)
    reached = result_text(state)
    if record.is_forfeit or record.is_resigned:  # a bot can still forfeit after the end, on hearing the result
        stones = reached.split(" ")[1]
        if record.result.split(" ")[1] != stones or record.winner is None:
            raise RecordError(f"record, result: it says '{record.result}', but the stones are {stones}")
    elif record.result != reached:
        raise RecordError(f"record, result: it says '{record.result}', but the moves lead to '{reached}'")
    return state
