"""The oracle against worked positions and games played elsewhere."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest

from arena.game.deals import deal_from_cards
from arena.game.engine import State
from arena.game.moves import parse_move
from arena.game.rules import load_rules
from tests.oracle import (
    PRESETS,
    Options,
    Oracle,
    beats,
    best,
    claim_holds,
    clan_cards,
    match_points,
    may_play_tactic,
    tactic_cards,
    win_reason,
)

DATA = Path(__file__).parents[1] / "data"
POSITIONS = json.loads((DATA / "positions.json").read_text())["positions"]
GAMES = json.loads(gzip.decompress((DATA / "games_base.json.gz").read_bytes()))["games"]
SIDE = {"a": "mine", "b": "theirs", None: None}


def tie_order(events: list[str], options: Options) -> str | None:
    """Replay arrivals, departures and combat modes at stone 1 with the oracle's own table."""
    game = deal(options, random.Random(1))
    cards = iter(clan_cards(options))
    for event in events:
        if event in ("fog", "mud"):
            game.play_mode(event, 0)
        elif event[1] == "+":
            game.place("ab".index(event[0]), 0, next(cards))
        else:
            seat = "ab".index(event[0])
            game.remove(seat, 0, game.sides[seat][0][-1])
    return {"mine": "a", "theirs": "b", None: None}[game.first_complete(0, 0)]


def answer(position: dict[str, Any]) -> dict[str, Any]:
    kind, options = position["kind"], PRESETS[position.get("ruleset", "iello-tactical")]
    if kind == "eval":
        category, total = best(position["cards"], position["env"], options)
        return {"category": category, "sum": total}
    if kind == "compare":
        a, b = (best(position[side], position["env"], options) for side in "ab")
        return {"winner": position["first_complete"] if a == b else "a" if beats(a, b) else "b"}
    if kind == "claim":
        assert position["claimant"] == "a"
        seen = position["visible_elsewhere"] + position["discards"]
        first = SIDE[position["first_complete"]]
        return {"holds": claim_holds(position["a"], position["b"], seen, position["env"], first, options)}
    if kind == "tie_order":
        return {"first_complete": tie_order(position["events"], options)}
    if kind == "victory":
        owners = position["owners"]
        winners = [seat for seat in (0, 1) if win_reason(owners, "ab"[seat])]
        found: dict[str, Any] = {"winner": "ab"[winners[0]] if winners else None}
        if "points" in position["expect"]:
            found["points"] = dict(zip("ab", match_points(owners, winners[0])))
        return found
    assert kind == "tactic_limit"
    return {"may_play": may_play_tactic(position["played_me"], position["played_opp"])}


def test_worked_positions() -> None:
    for position in POSITIONS:
        assert answer(position) == position["expect"], (position["id"], position["reason"])


def replay(record: dict[str, Any], engine: bool) -> None:
    """Replay a game; every state of the nine stones and the end must agree."""
    dealt = [card for pair in zip(*record["hands"]) for card in pair] + record["draws"]
    left = sorted(set(clan_cards(PRESETS["base"])) - set(dealt))
    assert len(left) == 54 - len(dealt)
    game: Any = Oracle(PRESETS["iello-base"], dealt + left, [], 0)
    if engine:
        rules = load_rules("iello-base")
        game = State(rules, deal_from_cards(rules, dealt + left, starter=0))
    for number, (move, owners) in enumerate(zip(record["moves"], record["owners"], strict=True)):
        assert not game.is_over, f"over before move {number}"
        game.apply(parse_move(move) if engine else move)
        assert game.owners == owners, f"after move {number}, {move}"
    assert game.is_over
    assert game.winner == {"a": 0, "b": 1, None: None}[record["winner"]]


@pytest.mark.parametrize(("engine", "step"), [(True, 1), (False, 40), pytest.param(False, 1, marks=pytest.mark.soak)])
def test_games_played_elsewhere(engine: bool, step: int) -> None:
    """In the engine and in the oracle."""
    assert len(GAMES) == 800
    for number in range(0, 800, step):
        try:
            replay(GAMES[number], engine)
        except (AssertionError, ValueError) as error:
            raise AssertionError(f"game {number}: {error}") from error


def deal(options: Options, rng: random.Random, auto: tuple[bool, bool] = (True, True)) -> Oracle:
    clan, tactic = clan_cards(options), tactic_cards(options)
    rng.shuffle(clan)
    rng.shuffle(tactic)
    return Oracle(options, clan, tactic, rng.randrange(2), auto)
