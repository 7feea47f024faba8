"""Turn a position into the plain values from which `board.js` draws a board.

A state is a flat mapping of texts and numbers. `a`, the seat 0, sits below, and `b` above:

====================  ==========================================================================
`turn` `seat` `phase` turns begun; the seat to decide (0, 1); the kind of decision
`own`                 nine signs: `a`, `b`, or `.` for a stone that is not claimed
`ha` `hb`             cards in hand
`a1` .. `b9`          cards of a side; a wild bound when it was played is such as `*J=r7`
`m1` .. `m9`          combat modes of a stone
`f1` .. `f9`          the seat whose side was complete first, or None
`va1` .. `vb9`        what a complete side is worth, such as `colour run 24`
`wa1` .. `wb9`        why a complete side holds no claim to a stone that nobody owns
`da` `db`             cards face up beside the board
`clan` `tactic`       cards left in the decks
`pend`                the card that a ruse has taken and not yet put anywhere
`won`                 the stones that have decided the game
====================  ==========================================================================

Keys that hold nothing are left out.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

from arena.game.board import Outcome
from arena.game.record import parse_record, replay
from arena.game.rules import Rules
from arena.results.positions import Position, claim_verdict, side_formation

Flat: TypeAlias = dict[str, Any]
_STONES = range(1, 10)


@lru_cache(1000)
def final_state(record: str) -> tuple[Flat, str]:
    """Return the last state of a game, and the edition that names its cards.

    Raise RecordError if the game does not replay.
    """
    game = parse_record(record)
    return flat(Position.of(replay(game)), game.rules), game.rules.edition


def flat(position: Position, rules: Rules, below: int = 0) -> Flat:
    """Return a position as the flat mapping; with `below` 1 the seats change their places."""
    signs = "ba" if below else "ab"
    state: Flat = {
        "turn": position.turn,
        "seat": position.seat ^ below,
        "phase": position.phase,
        "own": position.owners.translate(str.maketrans("ab", signs)),
        "clan": position.decks[0],
        "tactic": position.decks[1],
        "pend": position.pending,
    }
    for seat, sign in enumerate(signs):
        state[f"h{sign}"] = " ".join(position.hands[seat])
        state[f"d{sign}"] = " ".join(position.beside[seat])
        for stone in _STONES:
            state[f"{sign}{stone}"] = " ".join(position.sides[seat][stone - 1])
    for stone in _STONES:
        state[f"m{stone}"] = " ".join(position.modes[stone - 1])
        first = position.completed[stone - 1]
        state[f"f{stone}"] = None if first is None else first ^ below
    if position.outcome is not None:
        state["won"] = _deciding_stones(position.owners, position.outcome)
    state |= _worths(position, rules, signs)
    return {key: value for key, value in state.items() if value not in ("", None)}


def _worths(position: Position, rules: Rules, signs: str) -> Flat:
    """Return the keys `va1` .. and `wa1` .. of a position."""
    worths: Flat = {}
    for stone in _STONES:
        for seat, sign in enumerate(signs):
            formation = side_formation(rules, position.sides[seat][stone - 1], position.modes[stone - 1])
            if formation is not None:
                worths[f"v{sign}{stone}"] = formation.label
                if position.owners[stone - 1] == ".":
                    worths[f"w{sign}{stone}"] = claim_verdict(rules, position, seat, stone).reason
    return worths


def _deciding_stones(owners: str, outcome: Outcome) -> str:
    """Return the stones that won a game, if any did: the three side by side, or all of the winner."""
    if outcome.winner is None or outcome.reason == "stalemate":
        return ""
    sign = "ab"[outcome.winner]
    begin = owners.find(3 * sign)
    won = (
        range(begin, begin + 3) if outcome.reason == "three adjacent" else (at for at in range(9) if owners[at] == sign)
    )
    return " ".join(str(at + 1) for at in won)
