"""A stored game as the plain values that a page holds: the deal whole, then what each step changed.

A state is a flat mapping of texts and numbers. `a` and `b` are the seats 0 and 1:

====================  ==========================================================================
`turn` `seat` `phase` turns begun; the seat to decide (0, 1); the kind of decision
`own`                 nine signs: `a`, `b`, or `.` for a stone that is not claimed
`ha` `hb`             cards in hand
`a1` .. `b9`          cards of a side; a wild bound when it was played is such as `*J=r7`
`m1` .. `m9`          combat modes of a stone
`f1` .. `f9`          the seat whose side was complete first, or None
`va1` .. `vb9`        what a complete side is worth, in words, with what its wilds stand for
`wa1` .. `wb9`        why a complete side holds no claim to a stone that nobody owns
`da` `db`             cards face up beside the board
`clan` `tactic`       cards left in the decks
`pend`                the card that a ruse has taken and not yet put anywhere
====================  ==========================================================================

Keys that hold nothing are left out; in a step, None takes a key away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from arena.results.analysis.game import GameAnalysis, analyse
from arena.results.analysis.report import judge_name, page_notes
from arena.game.engine import State
from arena.game.explain import PositionError, evaluate, judge_claim, read_side
from arena.game.record import parse_record
from arena.game.rules import Rules
from arena.results.board import legend, result_line
from arena.results.decisions import Decision, Position
from arena.results.reading.game import StoredGame
from arena.text import one_line, printable_lines

Flat = dict[str, Any]
LONGEST_REASON = 4000
_STONES = range(1, 10)


def game_data(game: StoredGame, key: str, judged: GameAnalysis | None = None) -> dict[str, Any]:
    """All that the viewer shows of a game; `key` names it as `arena replay` does.

    `steps` begins with the deal. Each step has `set`, what it changed of the state, and but for the first `n` (from 1),
    `turn`, `seat`, `move`, `of` (legal moves), `ms` (None where it was not measured), `events`, and `claims`: the seat,
    the stone and why the claim holds. `judged` tells the `chance` of seat 0 after each step, and what moves lost;
    without it the net judges, which takes 3 ms. RecordError for a record that does not replay.
    """
    record = parse_record(game.record)
    judged = judged or analyse(game)
    made = judged.made
    judge = _Judge(record.rules)
    deal = made[0].before if made else Position.of(State(record.rules, record.deal, record.auto_claim))
    state = flat(deal, judge)
    steps: list[dict[str, Any]] = [{"set": state}]
    for one in made:
        after = flat(one.after, judge)
        steps.append({"set": _changes(state, after)} | _told(one, judge))
        state = after
    names = [one_line(name) or seat for name, seat in zip(game.names, "ab")]
    result = game.result
    return {
        "key": key,
        "names": names,
        "rules": record.rules.name,
        "tactics": record.rules.tactics,
        "starter": record.deal.starter,
        "result": one_line(result_line(record, game.names)),
        "legend": legend(record.rules).partition("\nBeside")[0],
        "forfeit": None if result is None or result.forfeit is None else result.forfeit,
        "reason": printable_lines(game.reason[:LONGEST_REASON]).strip(),
        "record": game.record,
        "judge": judge_name(judged.nodes),
        "steps": [step | note for step, note in zip(steps, page_notes(judged), strict=True)],
    }


def states(data: Mapping[str, Any]) -> Iterator[Flat]:
    """The state after each step, as the viewer puts them together."""
    state: Flat = {}
    for step in data["steps"]:
        state = {key: value for key, value in (state | step["set"]).items() if value is not None}
        yield state


def flat(at: Position, judge: _Judge | None = None) -> Flat:
    """A position as the flat mapping; without a judge, without what is said about sides."""
    found: Flat = {
        "turn": at.turn,
        "seat": at.seat,
        "phase": at.phase,
        "own": at.owners,
        "clan": at.decks[0],
        "tactic": at.decks[1],
        "pend": at.pending,
    }
    for seat, sign in enumerate("ab"):
        found[f"h{sign}"] = " ".join(at.hands[seat])
        found[f"d{sign}"] = " ".join(at.beside[seat])
        for stone in _STONES:
            found[f"{sign}{stone}"] = " ".join(at.sides[seat][stone - 1])
    for stone in _STONES:
        found[f"m{stone}"] = " ".join(at.modes[stone - 1])
        found[f"f{stone}"] = at.completed[stone - 1]
    if judge is not None:
        found |= judge.said(at)
    return {key: value for key, value in found.items() if value not in ("", None)}


def _changes(before: Flat, after: Flat) -> Flat:
    gone = dict.fromkeys(key for key in before if key not in after)
    return gone | {key: value for key, value in after.items() if before.get(key) != value}


def _told(one: Decision, judge: _Judge) -> dict[str, Any]:
    events = [event.text if event.seat == one.seat else str(event) for event in one.events]
    taken = zip(_STONES, one.before.owners, one.after.owners)
    claims = [
        {"seat": "ab".index(now), "stone": stone, "why": judge.why(one.after, "ab".index(now), stone)}
        for stone, was, now in taken
        if was != now and now != "."
    ]
    found: dict[str, Any] = {"n": one.number, "turn": one.turn, "seat": one.seat, "move": str(one.move)}
    found |= {"of": len(one.legal), "ms": None if one.ms is None else float(f"{one.ms:.2g}")}
    return found | {"events": events or [str(one.move)]} | ({"claims": claims} if claims else {})


class _Judge:
    """What sides are worth and why claims hold, by the engine's own functions; equal questions are asked once."""

    def __init__(self, rules: Rules) -> None:
        self._worth = cache(lambda side, modes: str(evaluate(rules, read_side(rules, side), modes)))
        self._verdict = cache(
            lambda mine, theirs, seen, modes, first: judge_claim(
                rules, read_side(rules, mine), read_side(rules, theirs), seen, modes, first
            )
        )

    def said(self, at: Position) -> Flat:
        """The keys `va1` .. and `wa1` .. of a position."""
        found: Flat = {}
        for stone in _STONES:
            modes = at.modes[stone - 1]
            for seat, sign in enumerate("ab"):
                side = at.sides[seat][stone - 1]
                if len(side) != (4 if "mud" in modes else 3):
                    continue
                found[f"v{sign}{stone}"] = self._worth(side, modes)
                if at.owners[stone - 1] == ".":
                    found[f"w{sign}{stone}"] = self.why(at, seat, stone)
        return found

    def why(self, at: Position, seat: int, stone: int) -> str:
        """Why a claim of a seat holds, or what refutes it."""
        first = at.completed[stone - 1]
        try:
            verdict = self._verdict(
                at.sides[seat][stone - 1],
                at.sides[1 - seat][stone - 1],
                face_up(at, stone),
                at.modes[stone - 1],
                None if first is None else "mine" if first == seat else "theirs",
            )
        except PositionError as error:
            return str(error)
        return str(verdict.reason)


def face_up(at: Position, stone: int) -> tuple[str, ...]:
    """The clan cards that lie face up anywhere but at a stone."""
    rows: Sequence[Sequence[str]] = [
        *(side for sides in at.sides for number, side in enumerate(sides, start=1) if number != stone),
        *at.beside,
    ]
    return tuple(card for row in rows for card in row if card[0] in "rgbypk" and card[1:].isdigit())
