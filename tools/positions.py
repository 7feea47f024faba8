"""Answer the positions in a file: `python -m tools.positions FILE`. The engine judges sides and claims.

FILE is a JSON list of positions, perhaps under the key `positions`, or has one JSON object per line. A position has an
`id`, a `kind`, the `ruleset` (default `iello-base`), perhaps the answer to `expect`, and the keys of its kind:

kind          keys                                                       answer
eval          cards, env (a list of mud, fog)                            category, sum
compare       a, b, env, first_complete (a, b or null)                   winner
claim         claimant (a or b), a, b, visible_elsewhere, discards, env, holds, reason, refutation
              first_complete
tie_order     events (a+, b+, a-, b-, mud, fog)                          first_complete
victory       owners (nine of a, b, .)                                   winner, points
tactic_limit  played_me, played_opp                                      may_play

If positions have `expect`, the last line says how many answers are as expected.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from arena.endings import WIN_POINTS
from arena.errors import ArenaError, did_you_mean
from arena.game.explain import PositionError, Side, evaluate, face_up, judge_claim, read_side
from arena.game.rules import Rules, load_rules

EVENTS = ("a+", "b+", "a-", "b-", "mud", "fog")
_REQUIRED: Any = object()
_EXPECTED = {list: "a list", str: "a text", int: "a whole number"}

# ---------------------------------------------------------------- the keys of a position


def _value(position: dict[str, Any], key: str, kind: type[Any], default: Any = _REQUIRED) -> Any:
    """Return the value of a key. Raises PositionError for a wrong type, or if it is missing without a default."""
    value = position.get(key, default)
    if value is _REQUIRED:
        raise PositionError(f"the key '{key}' is missing")
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise PositionError(f"{key}: expected {_EXPECTED[kind]}, found {value!r:.60}")
    return value


def _rules(position: dict[str, Any]) -> Rules:
    return load_rules(_value(position, "ruleset", str, "iello-base"))


def _cards(position: dict[str, Any], key: str, default: Any = _REQUIRED) -> list[str]:
    cards: list[str] = _value(position, key, list, default)
    for card in cards:
        if not isinstance(card, str):
            raise PositionError(f"{card!r:.60} is not a card; a card is a text such as r7 or *J")
    return cards


def _side(rules: Rules, position: dict[str, Any], key: str) -> Side:
    return read_side(rules, _cards(position, key))


def _first_complete(position: dict[str, Any]) -> str | None:
    first: str | None = position.get("first_complete")
    if first not in ("a", "b", None):
        raise PositionError(f"first_complete: expected a, b or null, found {first!r:.60}")
    return first


# ---------------------------------------------------------------- answers


def answer(position: Any) -> dict[str, Any]:
    """Return the answer to a position, with the keys of its `expect` if it has one.

    PositionError names the id of an invalid position.
    """
    if not isinstance(position, dict):
        raise PositionError(f"a position is a JSON object, not {position!r:.60}")
    name = position.get("id", "(no id)")
    kind = position.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        near = did_you_mean(str(kind), _KINDS)
        raise PositionError(f"position {name}: unknown kind {kind!r:.60}{near} (kinds: {', '.join(_KINDS)})")
    try:
        values = _KINDS[kind](position)
    except (ArenaError, ValueError) as error:
        raise PositionError(f"position {name}: {error}") from None
    expect = position.get("expect")
    return {key: values.get(key) for key in expect} if isinstance(expect, dict) else values


def _eval(position: dict[str, Any]) -> dict[str, Any]:
    rules = _rules(position)
    best = evaluate(rules, _side(rules, position, "cards"), _value(position, "env", list, []))
    return {"category": best.category, "sum": best.sum}


def _compare(position: dict[str, Any]) -> dict[str, Any]:
    rules, modes = _rules(position), _value(position, "env", list, [])
    sides = _side(rules, position, "a"), _side(rules, position, "b")
    face_up(rules, *sides, ())
    a, b = (evaluate(rules, side, modes).strength for side in sides)
    if a != b:
        return {"winner": "a" if a > b else "b"}
    return {"winner": _first_complete(position)}


def _claim(position: dict[str, Any]) -> dict[str, Any]:
    rules = _rules(position)
    me = position.get("claimant", "a")
    if me not in ("a", "b"):
        raise PositionError(f"the claimant is a or b, not {me!r:.60}")
    first = _first_complete(position)
    verdict = judge_claim(
        rules,
        _side(rules, position, me),
        _side(rules, position, "b" if me == "a" else "a"),
        [*_cards(position, "visible_elsewhere", []), *_cards(position, "discards", [])],
        _value(position, "env", list, []),
        None if first is None else "mine" if first == me else "theirs",
    )
    return {"holds": verdict.holds, "reason": verdict.reason, "refutation": list(verdict.refutation)}


def _tie_order(position: dict[str, Any]) -> dict[str, Any]:
    """Follow the cards of both sides (RULES.md §2): Mud makes both incomplete until they have a fourth card."""
    sizes, full, first = {"a": 0, "b": 0}, 3, None
    for number, event in enumerate(_value(position, "events", list), start=1):
        if event not in EVENTS:
            raise PositionError(f"{event!r:.60} is not an event (events: {', '.join(EVENTS)})")
        if event == "mud":
            full = 4
        elif event != "fog":
            sizes[event[0]] += 1 if event[1] == "+" else -1
            if not 0 <= sizes[event[0]] <= full:
                what = "that side is full" if event[1] == "+" else "there is no card on that side"
                raise PositionError(f"event {number} ({event}): {what}")
        complete = [seat for seat in "ab" if sizes[seat] == full]
        if first not in complete:
            first = complete[0] if complete else None
    return {"first_complete": first}


def _victory(position: dict[str, Any]) -> dict[str, Any]:
    """Return the winner; if both have won, which only a stalemate allows, the player with more stones (RULES.md §8)."""
    owners = _value(position, "owners", str)
    if len(owners) != 9 or set(owners) - set("ab."):
        raise PositionError(f"owners are nine signs a, b or ., not {owners!r:.60}")
    stones = {seat: owners.count(seat) for seat in "ab"}
    winners = [seat for seat in "ab" if stones[seat] >= 5 or 3 * seat in owners]
    if not winners:
        return {"winner": None, "points": None}
    if len(winners) == 2 and stones["a"] == stones["b"]:
        return {"winner": None, "points": stones}
    winner = max(winners, key=lambda seat: stones[seat])
    return {"winner": winner, "points": stones | {winner: WIN_POINTS}}


def _tactic_limit(position: dict[str, Any]) -> dict[str, Any]:
    # after the play, at most one more than the opponent (RULES.md §5)
    return {"may_play": _value(position, "played_me", int) <= _value(position, "played_opp", int)}


_KINDS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "eval": _eval,
    "compare": _compare,
    "claim": _claim,
    "tie_order": _tie_order,
    "victory": _victory,
    "tactic_limit": _tactic_limit,
}

# ---------------------------------------------------------------- files


def read_positions(file: Path) -> list[Any]:
    """Return the positions of a file. Raises PositionError if it holds none."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise PositionError(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PositionError(f"{file} is not JSON: it is not UTF-8 text") from None
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if lines and _is_position(lines[0][1]):
        return [_json(line, f"{file}, line {number}") for number, line in lines]
    content = _json(text, str(file))
    positions = content.get("positions") if isinstance(content, dict) else content
    if not isinstance(positions, list):
        raise PositionError(f"{file} holds no positions: one JSON object per line, or a list of them")
    return positions


def _is_position(line: str) -> bool:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) and "positions" not in content


def _json(text: str, source: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PositionError(f"{source} is not JSON: {error}") from None


def answer_all(positions: Sequence[Any], as_json: bool) -> None:
    """Print a line for each position and, if some have `expect`, the number of correct answers."""
    right = checked = 0
    for position in positions:
        given = answer(position)
        expected = position.get("expect")
        checked += expected is not None
        right += given == expected
        if as_json:
            print(json.dumps({"id": position.get("id"), "answer": given}))
        else:
            words = ", ".join(f"{key}: {json.dumps(value)}" for key, value in given.items())
            wrong = "" if expected is None or given == expected else f"   (expected {json.dumps(expected)})"
            print(f"{position.get('id', '?')}  {words}{wrong}")
    if checked and not as_json:
        print(f"\n{right} of {checked} as expected")


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line; exit with code 2 for an unreadable file or an invalid position."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE", help="the file with the positions")
    parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object per line")
    given = parser.parse_args(args)
    try:
        answer_all(read_positions(given.file), given.as_json)
    except PositionError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
