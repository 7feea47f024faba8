"""Positions in a JSON file, each with a question, answered one by one (`arena explain --file`).

A position has an `id`, a `kind` and the keys of its kind:

=============  ==================================================================================================
eval           `ruleset`, `cards`, `env` -> `category`, `sum`
compare        `ruleset`, `a`, `b`, `env`, `first_complete` -> `winner`
claim          `ruleset`, `claimant`, `a`, `b`, `visible_elsewhere`, `discards`, `env`,
               `first_complete` -> `holds`; `claimant_hand` and `unplayed_wilds` are ignored
tie_order      `events` -> `first_complete`
victory        `owners` -> `winner`, `points`
tactic_limit   `played_me`, `played_opp` -> `may_play`
=============  ==================================================================================================

Where the position has an `expect`, the answer has its keys.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena.errors import ArenaError, did_you_mean
from arena.game.board import first_completed, winning_reason
from arena.game.explain import PositionError, evaluate, judge_claim, read_side
from arena.game.rules import Rules, load_rules

EVENTS = ("a+", "b+", "a-", "b-", "mud", "fog")


def answer(position: Any) -> dict[str, Any]:
    """The answer to one position; `PositionError` with its id if it cannot be read."""
    if not isinstance(position, dict):
        raise PositionError(f"a position is a JSON object, not {position!r:.60}")
    name = position.get("id", "(no id)")
    kind = position.get("kind")
    if kind not in _KINDS:
        near = did_you_mean(str(kind), _KINDS)
        raise PositionError(f"position {name}: unknown kind '{kind}'{near} (kinds: {', '.join(_KINDS)})")
    try:
        found = _KINDS[kind](position)
    except KeyError as error:
        raise PositionError(f"position {name}: the key {error} is missing") from None
    except (ArenaError, ValueError, TypeError) as error:
        raise PositionError(f"position {name}: {error}") from None
    expect = position.get("expect")
    return {key: found.get(key) for key in expect} if isinstance(expect, dict) else found


def _rules(position: dict[str, Any]) -> Rules:
    return load_rules(position.get("ruleset", "iello-base"))


def _eval(position: dict[str, Any]) -> dict[str, Any]:
    rules = _rules(position)
    best = evaluate(rules, read_side(rules, position["cards"]), position.get("env", []))
    return {"category": best.category, "sum": best.sum}


def _compare(position: dict[str, Any]) -> dict[str, Any]:
    rules = _rules(position)
    modes = position.get("env", [])
    a = evaluate(rules, read_side(rules, position["a"]), modes).strength
    b = evaluate(rules, read_side(rules, position["b"]), modes).strength
    if a != b:
        return {"winner": "a" if a > b else "b"}
    return {"winner": position.get("first_complete")}


def _claim(position: dict[str, Any]) -> dict[str, Any]:
    rules = _rules(position)
    me = position.get("claimant", "a")
    if me not in ("a", "b"):
        raise PositionError(f"the claimant is a or b, not {me!r}")
    other = "b" if me == "a" else "a"
    first = position.get("first_complete")
    verdict = judge_claim(
        rules,
        read_side(rules, position[me]),
        read_side(rules, position[other]),
        [*position.get("visible_elsewhere", []), *position.get("discards", [])],
        position.get("env", []),
        {me: "mine", other: "theirs"}.get(first) if first else None,
    )
    return {"holds": verdict.holds, "reason": verdict.reason, "refutation": list(verdict.refutation)}


def _tie_order(position: dict[str, Any]) -> dict[str, Any]:
    events = position["events"]
    for event in events:
        if event not in EVENTS:
            raise PositionError(f"'{event}' is not an event (events: {', '.join(EVENTS)})")
    seat = first_completed(list(events))
    return {"first_complete": None if seat is None else "ab"[seat]}


def _victory(position: dict[str, Any]) -> dict[str, Any]:
    owners = position["owners"]
    if len(owners) != 9 or set(owners) - set("ab."):
        raise PositionError(f"owners are nine signs a, b or ., not '{owners}'")
    winners = [seat for seat in "ab" if winning_reason(sum(1 << s for s, owner in enumerate(owners) if owner == seat))]
    if len(winners) == 2:
        raise PositionError(f"'{owners}': both have won, and a game ends with the first")
    winner = winners[0] if winners else None
    points = {seat: 5 if seat == winner else owners.count(seat) for seat in "ab"} if winner else None
    return {"winner": winner, "points": points}


def _tactic_limit(position: dict[str, Any]) -> dict[str, Any]:
    # after the play at most one more than the opponent, RULES.md §5
    return {"may_play": int(position["played_me"]) + 1 <= int(position["played_opp"]) + 1}


_KINDS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "eval": _eval,
    "compare": _compare,
    "claim": _claim,
    "tie_order": _tie_order,
    "victory": _victory,
    "tactic_limit": _tactic_limit,
}
