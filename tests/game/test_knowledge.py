"""What searches stand on: samples with given cards, positions before the draw, keys of what is known."""

from __future__ import annotations

import pytest

from arena import ArenaError, Rng, State
from arena.game.engine import IllegalMove
from arena.game.moves import parse_move
from tests.game.play import COMPILED, KINDS, go, random_game, set_up


def hand_and_decks(state: State, seat: int) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    return state.hand_of(seat), state.clan_cards_left, state.tactic_cards_left


@pytest.mark.parametrize("rules_name", ["base", "s2-tactical", "bga-expert"])
def test_a_sample_has_the_cards_that_are_given(rules_name: str) -> None:
    """The truth can be asked for, whole or in part, also where cards put back are known."""
    rng = Rng(2)
    for seed in range(4 if COMPILED else 1):
        for state, _ in random_game(rules_name, seed, tactic=5):
            seat = state.to_move
            view = state.view(seat)
            hand, clan, tactic = hand_and_decks(state, 1 - seat)
            whole = view.sample(rng, hand, clan, tactic)
            assert hand_and_decks(whole, 1 - seat) == (hand, clan, tactic)
            assert whole.view(seat).key == view.key
            part = view.sample(rng, hand[::2], clan[:3])
            assert set(hand[::2]) <= set(part.hand_of(1 - seat))
            assert part.clan_cards_left[:3] == clan[:3]
            assert part.hand_counts(1 - seat) == state.hand_counts(1 - seat)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"hand": ["r1"]}, "r1 cannot be in the opponent's hand of the sample: it is known to be elsewhere"),
        ({"hand": ["b3"], "deck": ["b3"]}, "b3 cannot be in the clan deck of the sample: it is known to be elsewhere"),
        ({"hand": ["r9", "g9", "b9", "y9", "p9", "k9", "r8", "g8"]}, "no room for g8 in the opponent's hand"),
        ({"deck": ["fog"]}, "fog does not belong in the clan deck"),
        ({"deck": ["x3"]}, "'x3' is not a card"),
    ],
)
def test_cards_that_cannot_be_there(given: dict[str, list[str]], message: str) -> None:
    view = set_up("tactical", "r1", "g1").view(0)
    with pytest.raises(ArenaError, match=message):
        view.sample(Rng(1), **given)
    with pytest.raises(IllegalMove, match="g1@1 is not legal"):
        view.after(parse_move("g1@1"))


@pytest.mark.parametrize("rules_name", KINDS)
def test_after_a_move_all_is_as_in_the_game_but_the_draw(rules_name: str) -> None:
    for auto in ((True, True), (False, False)):
        for state, move in random_game(rules_name, 4, auto, tactic=4):
            view = state.view(state.to_move)
            if state.phase in ("scout", "draw"):
                with pytest.raises(ValueError, match="the drawn card is not known"):
                    view.after(move)
                continue
            key, seat = view.key, view.seat
            after = view.after(move)
            assert view.key == key
            assert after.seat == seat
            assert after.history == view.history
            game = state.copy()
            game.apply(move)
            if str(move) != "scout" and state.phase != "return":
                assert after.deck_counts == view.deck_counts
            for one in (0, 1):
                assert [after.side(one, s) for s in range(1, 10)] == [game.side(one, s) for s in range(1, 10)]
                assert after.row(one) == game.row(one)
                assert after.tactics_played(one) == game.tactics_played(one)
            if str(move) != "scout":
                assert (after.owners, after.is_over, after.winner) == (game.owners, game.is_over, game.winner)
                assert set(after.hand) <= set(game.hand_of(seat))
            if not any(after.hand_counts(1 - seat)) or not after.is_over:
                after.sample(Rng(1))


def test_the_order_of_moves_makes_no_difference_to_a_key() -> None:
    one = go(set_up("base", "r1 r2 r5", "g1 g2 g5"), "r1@1", "g1@1", "r2@1", "g2@2", "r5@4", "g5@3")
    two = go(set_up("base", "r1 r2 r5", "g1 g2 g5"), "r5@4", "g2@2", "r1@1", "g5@3", "r2@1", "g1@1")
    assert one.key == two.key
    assert [one.view(seat).key for seat in (0, 1)] == [two.view(seat).key for seat in (0, 1)]
    assert one.view(0).key != one.view(1).key


@pytest.mark.parametrize("rules_name", ["base", "s2-tactical", "bga-expert"])
def test_keys_tell_positions_apart(rules_name: str) -> None:
    """No two positions of some games have one key; hidden cards are in a state's key and in no view's."""
    keys, seen, rng = set(), 0, Rng(3)
    for seed in range(6 if COMPILED else 1):
        for state, _ in random_game(rules_name, seed, tactic=4):
            view = state.view(state.to_move)
            sample = view.sample(rng)
            assert sample.view(view.seat).key == view.key
            assert state.copy().key == state.key
            assert (sample.key == state.key) == (
                hand_and_decks(sample, 1 - view.seat) == hand_and_decks(state, 1 - view.seat)
            )
            keys |= {view.key, state.key}
            seen += 2
    assert len(keys) == seen
    assert all(0 <= key < 1 << 64 for key in keys)
