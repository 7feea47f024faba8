"""Answer the positions in a file: `python -m tools.positions FILE`. The engine judges sides and claims.

FILE is JSON with a list of `positions`. A position has an `id`, a `kind`, the `ruleset` (default `iello-base`), perhaps
the answer to `expect`, and the keys of its kind:

kind          keys                                                       answer
eval          cards, env (a list of mud, fog)                            category, sum
compare       a, b, env, first_complete (a, b or null)                   winner
claim         claimant (a or b), a, b, visible_elsewhere, discards, env, holds, reason, refutation
              first_complete
tie_order     events (a+, b+, a-, b-, mud, fog)                          first_complete
victory       owners (nine of a, b, .)                                   winner, points
tactic_limit  played_me, played_opp                                      may_play

The last line says how many answers are as expected.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from arena.endings import WIN_POINTS
from arena.game.explain import Side, evaluate, face_up, judge_claim, read_side
from arena.game.rules import Rules, load_rules

Position: TypeAlias = dict[str, Any]


def _sides(position: Position, *keys: str) -> tuple[Rules, list[Side], list[str]]:
    """Return the rules of a position, the sides under some keys, and the combat modes."""
    rules = load_rules(position.get("ruleset", "iello-base"))
    return rules, [read_side(rules, position[key]) for key in keys], position.get("env", [])


def answer(position: Position) -> dict[str, Any]:
    """Return the answer to a position, with the keys of its `expect` if it has one."""
    values = _KINDS[position["kind"]](position)
    return {key: values.get(key) for key in position.get("expect", values)}


def _eval(position: Position) -> dict[str, Any]:
    rules, (side,), modes = _sides(position, "cards")
    best = evaluate(rules, side, modes)
    return {"category": best.category, "sum": best.sum}


def _compare(position: Position) -> dict[str, Any]:
    rules, sides, modes = _sides(position, "a", "b")
    face_up(rules, *sides, ())
    a, b = (evaluate(rules, side, modes).strength for side in sides)
    return {"winner": position.get("first_complete") if a == b else "a" if a > b else "b"}


def _claim(position: Position) -> dict[str, Any]:
    me, first = position.get("claimant", "a"), position.get("first_complete")
    rules, (mine, theirs), modes = _sides(position, *("ab" if me == "a" else "ba"))
    seen = [*position.get("visible_elsewhere", []), *position.get("discards", [])]
    verdict = judge_claim(rules, mine, theirs, seen, modes, first and ("mine" if first == me else "theirs"))
    return {"holds": verdict.holds, "reason": verdict.reason, "refutation": list(verdict.refutation)}


def _tie_order(position: Position) -> dict[str, Any]:
    """Follow the cards of both sides (RULES.md §2): Mud makes both incomplete until they have a fourth card."""
    sizes, full, first = {"a": 0, "b": 0}, 3, None
    for event in position["events"]:
        if event == "mud":
            full = 4
        elif event != "fog":
            sizes[event[0]] += 1 if event[1] == "+" else -1
        complete = [seat for seat in "ab" if sizes[seat] == full]
        if first not in complete:
            first = complete[0] if complete else None
    return {"first_complete": first}


def _victory(position: Position) -> dict[str, Any]:
    """Return the winner; if both have won, which only a stalemate allows, the player with more stones (RULES.md §8)."""
    owners = position["owners"]
    stones = {seat: owners.count(seat) for seat in "ab"}
    winners = [seat for seat in "ab" if stones[seat] >= 5 or 3 * seat in owners]
    if not winners:
        return {"winner": None, "points": None}
    if len(winners) == 2 and stones["a"] == stones["b"]:
        return {"winner": None, "points": stones}
    winner = max(winners, key=lambda seat: stones[seat])
    return {"winner": winner, "points": stones | {winner: WIN_POINTS}}


def _tactic_limit(position: Position) -> dict[str, Any]:
    # after the play, at most one more than the opponent (RULES.md §5)
    return {"may_play": position["played_me"] <= position["played_opp"]}


_KINDS: dict[str, Callable[[Position], dict[str, Any]]] = {
    "eval": _eval,
    "compare": _compare,
    "claim": _claim,
    "tie_order": _tie_order,
    "victory": _victory,
    "tactic_limit": _tactic_limit,
}


def main() -> None:
    """Print a line for each position, and the number of answers as expected."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE", help="the file with the positions")
    positions = json.loads(parser.parse_args().file.read_text(encoding="utf-8"))["positions"]
    right = 0
    for position in positions:
        given, expected = answer(position), position.get("expect")
        right += given == expected
        wrong = "" if expected in (None, given) else f"   (expected {json.dumps(expected)})"
        print(f"{position['id']}  {', '.join(f'{key}: {json.dumps(value)}' for key, value in given.items())}{wrong}")
    print(f"\n{right} of {len(positions)} as expected")


if __name__ == "__main__":
    main()
