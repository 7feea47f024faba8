"""The toolkit's pieces against the same written out in Python with its simpler pieces: equal to the last bit."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np
import pytest

from arena import Move, Rng, State, View, load_rules, make_deal
from arena.policy import Evaluator, Net, Playout, Searcher, features, load_net, self_play
from arena.policy.net import WEIGHTS
from arena.policy.selfplay import play_games
from tests.game.play import random_game
from tests.policy.layers import net_values, random_weights
from tools.differential import RULE_SETS

NAMES = ("base", "tactical", "bga-expert", "battle-line-tactical")

#: The SHA-256 of what `numbers` returns.
NUMBERS = {
    "base": "920d599cb893a2ecd61112034d4ce7d4bf3a68719a11574d8321fc3052637cce",
    "battle-line-tactical": "004afa210394f4b18554ddfb9d765e410e1b0b1590686e19617426558a9e9ac1",
}


def positions(name: str, seeds: int, step: int) -> list[tuple[View, list[Move], State]]:
    """Some decisions of random games that are not draws."""
    return [
        (state.view(state.to_move), state.legal_moves(), state.copy())
        for seed in range(seeds)
        for number, (state, _) in enumerate(random_game(name, seed, tactic=4))
        if number % step == 0 and state.phase not in ("draw", "scout") and len(state.legal_moves()) > 1
    ]


# ---- features ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_features_after_moves_are_those_of_the_positions_after_them(name: str) -> None:
    odds = Evaluator()
    for view, moves, _ in positions(name, 2, 5):
        if view.phase != "return":  # the deck that a card goes back to counts from the next decision on
            rows = features(view, moves[:12], odds)
            assert rows.dtype == np.float32
            for move, row in zip(moves, rows):
                assert (row == features(view.after(move), None, odds)).all(), (str(move), view.phase)


@pytest.mark.parametrize("name", NAMES)
def test_the_value_of_features_is_the_value_of_the_move(name: str) -> None:
    weights = random_weights(7)
    net = Net(weights, tactic_price=0.0)
    for view, moves, _ in positions(name, 2, 5):
        played = [move for move in moves if move.kind in ("place", "mode", "return")][:20]
        if played:
            values, found = net.values(view, played), net_values(weights, features(view, played, net))
            ends = [view.after(move).is_over for move in played]
            assert [v for v, end in zip(values, ends) if not end] == pytest.approx(
                [v for v, end in zip(found, ends) if not end], abs=2e-5
            )


def test_the_numbers_are_what_the_page_says() -> None:
    for view, _, _ in positions("base", 2, 4):
        x, odds = features(view), Evaluator().stone_odds(view)
        stones, hand = x[:900].reshape(9, 100), x[900:]
        for s in range(1, 10):
            row = stones[s - 1]
            mine, theirs = len(view.side(view.seat, s)), len(view.side(1 - view.seat, s))
            owner = view.owners[s - 1]
            assert list(row[:2]) == [owner == "ab"[view.seat], owner == "ab"[1 - view.seat]]
            assert row[40] == pytest.approx(odds[s - 1], abs=1e-6)
            if owner == ".":
                assert row[2 + 3 - mine] == row[6 + 3 - theirs] == 1
                assert row[2:10].sum() == 2
                assert row[10:25].sum() == pytest.approx(1, abs=1e-5) == row[25:40].sum()
                assert row[47] == pytest.approx(view.deck_counts[0] / 42)
                for side, at in ((view.side(view.seat, s), 48), (view.side(1 - view.seat, s), 78)):
                    values, colours = [int(card[1:]) for card in side], {card[0] for card in side}
                    assert list(2 * row[at : at + 10]) == [values.count(v) for v in range(1, 11)]
                    kin = len(colours) == 1 and len(side) < 3
                    unseen = [kin and f"{min(colours)}{v}" in view.unseen for v in range(1, 11)]
                    held = [kin and f"{min(colours)}{v}" in view.hand for v in range(1, 11)]
                    assert list(2 * row[at + 10 : at + (20 if at == 78 else 30)]) == (held if at == 48 else []) + unseen
        assert list(hand[:3] * np.float32([42, 7, 7])) == pytest.approx(
            [view.deck_counts[0], len(view.hand), view.hand_counts(1 - view.seat)[0]], abs=1e-5
        )
        assert hand[9] * 7 == pytest.approx(sum(int(card[1:]) >= 7 for card in view.hand), abs=1e-5)
        counts = [sum(card[1:] == str(v) for card in cards) for cards in (view.hand, view.unseen) for v in range(1, 11)]
        assert list(3 * hand[32:52]) == pytest.approx(counts, abs=1e-5)
        assert list(hand[52:]) == [0, 0, 1]  # claims after a play
        assert hand[30] == pytest.approx(Evaluator().value(view), abs=1e-6)


def test_the_numbers_say_who_can_claim_what() -> None:
    rules, rng, seen = load_rules("expert"), Rng(1), 0
    state = State(rules, make_deal(rules, 3, 0), (False, False))
    while not state.is_over:
        moves = state.legal_moves()
        claims = [move.stone for move in moves if move.kind == "claim"]
        if claims:
            seen += 1
            x = features(state.view(state.to_move))[:900].reshape(9, 100)
            assert [s for s in range(1, 10) if x[s - 1, 98]] == claims
        state.apply(moves[rng.below(len(moves))])
    assert seen > 3


# ---- stone by stone ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_an_explanation_says_what_the_values_rest_on(name: str) -> None:
    odds = Evaluator()
    for view, _, _ in positions(name, 1, 24):
        found = odds.explain(view)
        assert [one.stone for one in found] == list(range(1, 10))
        assert tuple(one.chance for one in found) == odds.stone_odds(view)
        for at, one in enumerate(found):
            for side in (one.mine, one.theirs):
                assert sum(side.values()) == pytest.approx(float(view.owners[at] == "."), abs=1e-12)


# ---- playouts and search -----------------------------------------------------------------------------------------


def played_on(
    state: State, policy: Evaluator, opponent: Evaluator, depth: int, seat: int, tail: int = 1
) -> tuple[float, int]:
    """What `Playout.play` does, with values and copies, and how many decisions that were."""
    state, decisions, worth = state.copy(), 0, []
    while not state.is_over:
        evaluator = policy if state.to_move == seat else opponent
        moves = state.legal_moves()
        values = evaluator.values(state, moves)
        if state.phase not in ("draw", "scout"):
            decisions += 1
            worth.append(max(values) if state.to_move == seat else 1 - max(values))
            if decisions == depth:
                return total(worth[-tail:]) / tail, decisions
        state.apply(moves[values.index(max(values))])
    result = 0.5 if state.winner is None else float(state.winner == seat)
    worth += [result] * max(depth - decisions, 1)
    return total(worth[-tail:]) / tail, decisions


def total(numbers: list[float]) -> float:
    """The sum, added one by one: `sum` rounds otherwise from Python 3.12 on."""
    result = 0.0
    for number in numbers:
        result += number
    return result


@pytest.mark.parametrize("name", NAMES)
def test_playouts(name: str) -> None:
    odds, other, rng = Evaluator(), Evaluator(hand=0.7), Rng(3)
    playout = Playout(odds, other)
    for view, _, state in positions(name, 1, 9):
        if len(state.legal_moves()) < 80:
            sample = view.sample(rng)
            key = sample.key
            for depth, tail in ((1, 1), (2, 2), (5, 3), (0, 1)):
                for seat in (0, 1):
                    expected = played_on(sample, odds, other, depth, seat, tail)[0]
                    assert playout.play(sample, depth, seat, tail) == pytest.approx(expected, abs=1e-15)
            assert playout.play(sample, 2) == playout.play(sample, 2, sample.to_move)
            assert sample.key == key


# ---- self-play ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["base", "tactical"])
def test_self_play_as_played_move_by_move(name: str) -> None:
    one, two, rules = Evaluator(), Evaluator(hand=0.7), load_rules(name)
    games = self_play(rules, (one, two), 2, 4, first=3)
    rows, ends = [], []
    for number in range(2):
        state = State(rules, make_deal(rules, 4, 3 + number))
        while not state.is_over:
            evaluator, moves = (one, two)[state.to_move], state.legal_moves()
            view, phase = state.view(state.to_move), state.phase
            move = evaluator.choose(view, moves)
            state.apply(move)
            if phase in ("play", "take", "put") and not view.after(move).is_over and state.phase not in ("take", "put"):
                rows.append((number, view.seat, features(view, [move], evaluator)[0], evaluator.values(view, [move])))
        ends.append(state)
    assert games.games.tolist() == [row[0] for row in rows]
    assert games.seats.tolist() == [row[1] for row in rows]
    assert (games.features == np.array([row[2] for row in rows])).all()
    assert (games.values == np.array([row[3][0] for row in rows], np.float32)).all()
    assert games.winners.tolist() == [2 if end.winner is None else end.winner for end in ends]
    assert [bin(bits).count("1") for pair in games.stones.tolist() for bits in pair] == [
        end.stones_of(seat) for end in ends for seat in (0, 1)
    ]
    assert play_games(rules, (one, two), 3, 2, 4) == list(zip(games.winners, *games.stones.T))


# ---- all rule sets ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RULE_SETS)
def test_every_rule_set(name: str) -> None:
    net, rng = load_net(name), Rng(2)
    for view, moves, _ in positions(name, 1, 23):
        sample = view.sample(rng)
        assert 0 <= Playout(net).play(sample, 1) <= 1
        assert features(view, moves[:5]).shape == (len(moves[:5]), 955)
        assert len(net.explain(view)) == 9


def numbers(name: str) -> Iterator[object]:
    """Yield what the toolkit says along a random game and a game of self-play, exactly."""
    rng = Rng(5)
    odds, net = Evaluator(), Net([rng.random() - 0.5 for _ in range(WEIGHTS)])
    searcher = Searcher(net)
    for number, (view, moves, _) in enumerate(positions(name, 1, 4)):
        some = moves[:: max(1, len(moves) // 9)]
        yield from (policy.value(view).hex() for policy in (odds, net, load_net(name)))
        yield from (value.hex() for policy in (odds, net) for value in policy.values(view, some))
        if number % 4 == 0:
            yield features(view, some).astype("<f4").tobytes()
            yield from (part for one in odds.explain(view) for part in (one.chance.hex(), one.stake.hex(), one.mine))
            yield Playout(net, odds).play(view.sample(rng), 2).hex()
            yield str(searcher.choose(view, some, rng, 40)), searcher.nodes, searcher.value.hex()
    games = self_play(name, (odds, net), 1, 2, keep=0.3)
    yield games.features.astype("<f4").tobytes()
    yield games.values.tolist(), games.stones.tolist()


@pytest.mark.parametrize("name", NUMBERS)
def test_the_numbers_are_the_same_on_every_machine(name: str) -> None:
    """To the last bit. Whoever changes them on purpose writes the new hashes, and says so in the changelog."""
    assert hashlib.sha256(repr(list(numbers(name))).encode()).hexdigest() == NUMBERS[name]
