"""The oracle against worked positions, games played elsewhere, plain enumeration, and set positions."""

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
from tests.oracle.rulebook import best_plain, capacity, refutation, refutation_plain

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
        claim = claim_holds(position["a"], position["b"], seen, position["env"], first, options)
        return {"holds": claim.holds}
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


def random_side(rng: random.Random, options: Options, pool: list[str], size: int, wilds: int, bound: bool) -> list[str]:
    """Cards taken out of the pool, a few wilds among them; with `bound`, a joker carries a binding."""
    side = rng.sample(["*J", options.spy, "*123"], min(wilds, size))
    if bound and "*J" in side:
        side[side.index("*J")] = f"*J={rng.choice(clan_cards(options))}"
    if rng.random() < 0.5:  # near cards make strong formations
        near = sorted(pool, key=lambda card: (abs(int(card[1]) - int(pool[0][1])), card[0] != pool[0][0]))
        chosen = near[: size - len(side)]
    else:
        chosen = rng.sample(pool, size - len(side))
    for card in chosen:
        pool.remove(card)
    rng.shuffle(pool)
    return side + chosen


@pytest.mark.parametrize("name", ["tactical", "battle-line-tactical"])
def test_best_agrees_with_all_assignments(name: str) -> None:
    rng, options = random.Random(11), PRESETS[name]
    for _ in range(100):
        env = {mode for mode in ("fog", "mud") if rng.random() < 0.3}
        pool = rng.sample(clan_cards(options), 6 * options.values)
        wilds = rng.choice((0, 1, 1, 2, 2, 2)) if rng.random() < 0.97 else 3
        side = random_side(rng, options, pool, capacity(env), wilds, rng.random() < 0.3)
        assert best(side, env, options) == best_plain(side, env, options), (side, env)


@pytest.mark.slow
def test_refutation_agrees_with_all_completions() -> None:
    rng, options = random.Random(12), PRESETS["tactical"]
    held = 0
    for _ in range(400):
        env = {mode for mode in ("fog", "mud") if rng.random() < 0.25}
        pool = rng.sample(clan_cards(options), 6 * options.values)
        mine = random_side(rng, options, pool, capacity(env), rng.choice((0, 0, 0, 1)), False)
        lying = rng.randint(0 if rng.random() < 0.2 else 1, capacity(env) - 1)
        theirs = random_side(rng, options, pool, lying, rng.choice((0, 0, 0, 1)), True)
        # the same question with fewer and fewer cards face down, as in a game
        for unseen in (pool[:26], pool[:15], pool[:6], pool[:2], pool[:1]):
            plain = refutation_plain(mine, theirs, unseen, env, options)
            quick = refutation(mine, theirs, unseen, env, options)
            assert (plain is None) == (quick is None), (mine, theirs, unseen, env)
            held += quick is None
            if quick is not None:
                assert set(quick) <= set(unseen)
                assert beats(best_plain([*theirs, *quick], env, options), best_plain(mine, env, options))
    assert 300 < held < 1700  # both answers are tried


def compare_all_proofs(game: Oracle) -> int:
    """Hold every verdict of both seats against plain enumeration; the number of proofs."""
    proofs = 0
    for seat in (0, 1):
        for stone in game.open_stones():
            mine, theirs, env = game.sides[seat][stone], game.sides[1 - seat][stone], game.modes[stone]
            if game.is_complete(seat, stone):
                plain = claim_holds(
                    mine, theirs, game.face_up(), env, game.first_complete(seat, stone), game.options, refutation_plain
                )
                assert game.verdict(seat, stone).holds == plain.holds, (mine, theirs, env)
                proofs += 1
    return proofs


@pytest.mark.parametrize("name", ["bga-tactical", "battle-line-tactical"])
def test_proofs_in_play_agree_with_all_completions(name: str) -> None:
    """Every proof of both seats at every decision of random games."""
    rng, proofs = random.Random(name), 0
    for _ in range(2):
        game = deal(PRESETS[name], rng, (False, rng.random() < 0.5))
        while not game.is_over:
            game.apply(rng.choice(game.legal_moves()))
            proofs += compare_all_proofs(game)
    assert proofs > 100


def deal(options: Options, rng: random.Random, auto: tuple[bool, bool] = (True, True)) -> Oracle:
    clan, tactic = clan_cards(options), tactic_cards(options)
    rng.shuffle(clan)
    rng.shuffle(tactic)
    return Oracle(options, clan, tactic, rng.randrange(2), auto)
