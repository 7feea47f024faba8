"""What a seat may see: the view, its events, and the states that agree with it (`View.sample`)."""

from __future__ import annotations

import gc
import types
from collections import Counter
from itertools import permutations
from typing import Any

import pytest
from scipy.stats import chisquare

from arena.errors import ArenaError
from arena.game.cards import CARD_TEXTS, TACTIC_DECK
from arena.game.deals import Deal
from arena.game.engine import IllegalMove, State, View
from arena.game.moves import parse_move
from arena.game.rng import Rng, derive_seed
from arena.game.rules import load_rules
from tests.game.play import (
    COMPILED,
    KINDS,
    all_cards,
    choose,
    dump,
    go,
    random_game,
    scouted,
    set_up,
    view_dump,
    whole_deck,
)

#: Small hands and decks that last: the recruiter's returns are drawn by either seat.
SMALL = "iello-tactical:hand_size=3"


def states(rules_name: str, seed: int, step: int, auto: tuple[bool, bool] = (True, True)) -> list[State]:
    """Copies of every `step`-th state of a random game."""
    game = random_game(rules_name, seed, auto, tactic=3)
    return [state.copy() for number, (state, _) in enumerate(game) if number % step == seed % step]


# ---- nothing hidden is in a view -----------------------------------------------------------------------------


def reachable(start: object) -> list[object]:
    """All objects that can be reached from one, except through modules, classes and functions."""
    found: dict[int, object] = {}
    left = [start]
    while left:
        one = left.pop()
        for other in gc.get_referents(one):
            if id(other) not in found and not isinstance(
                other, type | types.ModuleType | types.FunctionType | types.BuiltinFunctionType
            ):
                found[id(other)] = other
                left.append(other)
    return list(found.values())


@pytest.mark.parametrize("rules_name", ["base", "tactical", "battle-line-expert"])
def test_a_view_leads_to_no_state(rules_name: str) -> None:
    """Neither the state nor the other seat's events nor a generator of the deal can be reached from a view."""
    for state in states(rules_name, 3, 9):
        for seat in (0, 1):
            objects = reachable(state.view(seat))
            assert not [one for one in objects if isinstance(one, State | Deal | Rng)]
            logs = [one for one in objects if type(one).__name__ == "SeatLog"]
            assert len(logs) <= 1
            texts = [str(event) for event in state.view(seat).history]
            for log in logs:
                assert [str(event) for event in log.events(state.rules.spy_value, 0, 768)] == texts  # type: ignore[attr-defined]


def test_dropped_views_do_not_shine_through() -> None:
    """The memory of a dropped view may be used again: nothing of it is in the next one, and no kept one changes."""
    kept: list[tuple[View, dict[str, Any]]] = []
    for number, (state, _) in enumerate(random_game("tactical", 21, tactic=4)):
        state.view(0, Rng(1), "clock of seat 0")  # dropped at once
        plain = state.view(1)
        assert (plain.rng, plain.clock, plain.seat) == (None, None, 1)
        assert plain.hand == state.hand_of(1)
        assert plain.history == state.events(1)
        fresh = view_dump(plain)
        del plain
        assert view_dump(state.copy().view(1)) == fresh == view_dump(state.view(1))
        held = [state.view(seat) for seat in (0, 1, 0)]
        assert len({id(view) for view in held}) == 3
        assert [view.seat for view in held] == [0, 1, 0]
        if number % 3 == 0:
            kept += [(view, view_dump(view)) for view in held]
    for view, before in kept:
        assert view_dump(view) == before


# ---- no difference between what cannot be told apart -----------------------------------------------------------


@pytest.mark.parametrize("rules_name", [*KINDS, SMALL])
def test_a_sample_cannot_be_told_apart(rules_name: str) -> None:
    """The view of a sampled state is the view it was sampled from, and its cards are the whole deck."""
    rng = Rng(11)
    whole = whole_deck(load_rules(rules_name))
    for seed, auto in enumerate(((True, True), (False, False))):
        for state in states(rules_name, seed, 4, auto):
            before = dump(state)
            for seat in (0, 1):
                view = state.view(seat)
                sample = view.sample(rng)
                assert view_dump(sample.view(seat), history=False) == view_dump(view, history=False)
                assert all_cards(sample) == whole
                assert sample.hand_of(seat) == state.hand_of(seat)
                assert sample.hand_counts(1 - seat) == state.hand_counts(1 - seat)
                if state.to_move == seat:
                    assert sample.legal_moves() == state.legal_moves()
                assert sample.claimable(seat) == state.claimable(seat)
                assert sample.events(seat) == ()
                play_to_the_end(sample, rng)
            assert dump(state) == before


def play_to_the_end(state: State, rng: Rng) -> None:
    """A sampled state goes on legally: every move of its lists can be made, and it ends."""
    for _ in range(400):
        if state.is_over:
            return
        state.apply(choose(state, rng))
    raise AssertionError("a sampled state does not end")


# ---- the recruiter's returns -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rules_name", ["s2-tactical", "iello-tactical", SMALL])
def test_returned_cards_stay_where_they_are_known(rules_name: str) -> None:
    """In games with a recruiter: known cards are where the view says, in the game and in every sample."""
    rng = Rng(5)
    seen = Counter[str]()
    for seed in range(60 if COMPILED else 15):
        for state, _ in random_game(rules_name, seed, tactic=6):
            for seat in (0, 1):
                view = state.view(seat)
                if not view.known_in_decks and not view.known_in_hand:
                    continue
                for each in (state, view.sample(rng), view.sample(rng)):
                    hand = Counter(each.hand_of(1 - seat))
                    assert not Counter(view.known_in_hand) - hand
                    for card, deck, above in view.known_in_decks:
                        left = each.clan_cards_left if deck == "clan" else each.tactic_cards_left
                        assert left[above] == card
                seen["decks"] += bool(view.known_in_decks)
                seen["hand"] += bool(view.known_in_hand)
    assert seen["decks"] > (50 if COMPILED else 5)
    if load_rules(rules_name).scout_return == "top":
        assert seen["hand"] > (20 if COMPILED else 0)


@pytest.mark.parametrize("where", ["top", "bottom"])
def test_returned_cards_lie_in_the_order_of_their_return(where: str) -> None:
    state = go(scouted(where), "return b8,return p8")
    left, last = state.clan_cards_left, len(state.clan_cards_left) - 1
    places = {"top": (1, 0), "bottom": (last - 1, last)}[where]
    assert (left[places[0]], left[places[1]]) == ("b8", "p8")
    assert state.view(0).known_in_decks == (("b8", "clan", places[0]), ("p8", "clan", places[1]))
    assert state.view(1).known_in_decks == ()


def test_a_returned_card_is_followed_into_the_hands() -> None:
    """Known in the deck, then in the opponent's hand, then face up and no longer news."""
    state = go(scouted("top"), "return *J,return b8")
    go(state, "g3@2")
    assert state.phase == "draw"
    go(state, "draw clan")
    assert state.view(0).known_in_hand == ("b8",)
    assert state.view(0).known_in_decks == (("*J", "tactic", 0),)
    for number in range(20):
        assert "b8" in state.view(0).sample(Rng(number)).hand_of(1)
    go(state, "r2@2,draw tactic")  # the own joker comes back
    assert state.view(0).known_in_decks == ()
    go(state, "b8@3,draw clan")
    assert state.view(0).known_in_hand == ()


# ---- samples are uniform ---------------------------------------------------------------------------------------


def signature(state: State, seat: int) -> tuple[Any, ...]:
    """The hidden cards of a state, as far as they can be told apart."""
    return tuple(sorted(state.hand_of(1 - seat))), state.clan_cards_left, state.tactic_cards_left


def expected(view: View) -> Counter[tuple[Any, ...]]:
    """How often each signature comes out of all orders of the hidden physical cards, known cards in their places."""
    other = 1 - view.seat
    clan_in_hand, tactic_in_hand = view.hand_counts(other)
    clan_in_deck, tactic_in_deck = view.deck_counts
    clan = list(view.unseen)
    spy = f"*{view.rules.spy_value}"
    tactic = [spy if n == 61 else CARD_TEXTS[n] for n in TACTIC_DECK if view.rules.tactics]
    for card in face_up_tactics(view) + [card for card in view.hand if card in tactic]:
        tactic.remove(card)
    known = list(view.known_in_hand)
    fixed = {(deck, above): card for card, deck, above in view.known_in_decks}
    for card in known + list(fixed.values()):
        (clan if card in clan else tactic).remove(card)
    clan_known = [card for card in known if card in CARD_TEXTS[:60]]
    tactic_known = [card for card in known if card not in CARD_TEXTS[:60]]
    clans = arrangements(clan, clan_in_hand - len(clan_known), clan_in_deck, fixed, "clan")
    tactics = arrangements(tactic, tactic_in_hand - len(tactic_known), tactic_in_deck, fixed, "tactic")
    found: Counter[tuple[Any, ...]] = Counter()
    for (hand, deck), times in clans.items():
        for (tactic_hand, tactic_deck), more in tactics.items():
            whole = tuple(sorted([*hand, *tactic_hand, *known]))
            found[whole, deck, tactic_deck] += times * more
    return found


def arrangements(
    cards: list[str], in_hand: int, in_deck: int, fixed: dict[tuple[str, int], str], name: str
) -> Counter[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Hand and deck of all orders of physical cards."""
    found: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter()
    for order in permutations(cards):
        rest = list(order[in_hand:])
        deck = tuple(fixed[name, n] if (name, n) in fixed else rest.pop(0) for n in range(in_deck))
        assert not rest
        found[tuple(sorted(order[:in_hand])), deck] += 1
    return found


def face_up_tactics(view: View) -> list[str]:
    """The tactic cards that lie on the table."""
    cards = [card for seat in (0, 1) for card in view.row(seat)]
    cards += [card.partition("=")[0] for sides in (view.mine, view.theirs) for side in sides for card in side]
    cards += [mode for stone in range(1, 10) for mode in view.modes(stone)]
    cards += [view.pending] if view.pending else []
    return [card for card in cards if card not in CARD_TEXTS[:60]]


def late_positions(rules_name: str, count: int, known: bool, tactics: int) -> list[tuple[State, int]]:
    """Positions with few but several hidden cards (so many tactics at least), some known to the seat or none."""
    found: list[tuple[State, int]] = []
    for seed in range(4000):
        for state, _ in random_game(rules_name, seed, tactic=3):
            for seat in (0, 1):
                view = state.view(seat)
                clan = view.hand_counts(1 - seat)[0] + view.deck_counts[0]
                tactic = view.hand_counts(1 - seat)[1] + view.deck_counts[1]
                few = 2 <= clan <= 6 and tactics <= tactic <= 5
                if few and sum(view.deck_counts) >= 2:
                    if bool(view.known_in_hand or view.known_in_decks) != known:
                        continue
                    if not 6 <= len(expected(view)) <= 400:
                        continue
                    found.append((state.copy(), seat))
                    break
            else:
                continue
            break
        if len(found) == count:
            return found
    raise AssertionError(f"only {len(found)} positions in 4000 games of {rules_name}")


@pytest.mark.parametrize(
    ("rules_name", "known", "tactics"),
    [
        ("base:hand_size=3", False, 0),
        (SMALL, False, 2),
        ("s2-tactical:hand_size=3", True, 0),
        (SMALL, True, 0),
        ("battle-line-tactical:hand_size=2", False, 0),
    ],
)
def test_samples_are_uniform(rules_name: str, known: bool, tactics: int) -> None:
    """Late in a game all states that agree with a view are listed; samples hit each as often as it should be."""
    for number, (state, seat) in enumerate(late_positions(rules_name, 2, known, tactics)):
        view = state.view(seat)
        weights = expected(view)
        total = sum(weights.values())
        draws = (40 if COMPILED else 6) * len(weights)
        rng = Rng(derive_seed(7, rules_name, number))
        found = Counter(signature(view.sample(rng), seat) for _ in range(draws))
        assert set(found) <= set(weights)
        assert signature(state, seat) in weights
        keys = sorted(weights)
        test = chisquare([found[key] for key in keys], [draws * weights[key] / total for key in keys])
        assert test.pvalue > 0.001, (rules_name, number, test)


# ---------------------------------------------------------------- events


@pytest.mark.parametrize("rules_name", ["tactical"])
def test_events_are_censored_for_a_seat(rules_name: str) -> None:
    """Both seats saw the same events; of the other's draws and returns only the deck."""
    hidden = 0
    for seed in range(10):
        end = [state for state, _ in random_game(rules_name, seed, tactic=5)][-1]
        for seat in (0, 1):
            own, other = end.events(seat), end.events(1 - seat)
            assert len(own) == len(other)
            assert [event.seat for event in own] == [event.seat for event in other]
            for mine, theirs in zip(own, other, strict=True):
                if mine.kind not in ("draw", "return"):
                    assert mine == theirs
                elif mine.seat == seat:
                    assert mine.card
                    assert mine.deck == theirs.deck == ("clan" if mine.card in CARD_TEXTS[:60] else "tactic")
                else:
                    hidden += 1
                    assert mine.card is None
                    assert mine.text in (f"{'draws' if mine.kind == 'draw' else 'returns'} a {mine.deck} card",)
    assert hidden > 100


# ---------------------------------------------------------------- what searches stand on


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
