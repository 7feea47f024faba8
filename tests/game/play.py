"""Helpers for tests of the engine: random games with rare situations, complete dumps, positions set by hand."""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Iterator
from typing import Any

import arena
import arena.game.engine
from arena.game.cards import CARD_TEXTS, TACTIC_DECK
from arena.game.deals import deal_from_cards, make_deal
from arena.game.engine import State, View
from arena.game.moves import Move, parse_move
from arena.game.packing import Line
from arena.game.rng import Rng, derive_seed
from arena.game.rules import Rules, load_rules

AUTO_CLAIMS = ((True, True), (False, False), (True, False), (False, True))
#: One rule set of each kind: with and without tactic cards, other claims, other returns, other wild cards.
KINDS = ("iello-base", "ps-2004-expert", "bga-tactical", "s2-tactical", "battle-line-tactical")
STONES = range(1, 10)
#: Uncompiled, the engine is some hundred times slower: the tests then do less.
COMPILED = not hasattr(arena.game.engine, "perform")


def choose(state: State, rng: Rng, tactic: int = 2) -> Move:
    """Choose a random legal move: first a kind of move, `tactic` times as likely for each tactic card, then a stone."""
    groups: dict[str, list[Move]] = {}
    for move in state.legal_moves():
        key = "clan" if move.kind == "place" and move.card and move.card[0] != "*" else f"{move.kind} {move.card}"
        groups.setdefault(key, []).append(move)
    keys = [key for key in groups for _ in range(1 if key == "clan" else tactic)]
    return rng.choice(groups[rng.choice(keys)])


def random_game(
    rules_name: str, seed: int, auto: tuple[bool, bool] = (True, True), tactic: int = 2
) -> Iterator[tuple[State, Move]]:
    """Yield each state of a random game with the next move; the same state advances between the steps."""
    rules = load_rules(rules_name)
    rng = Rng(derive_seed(seed, "test game", rules_name))
    state = State(rules, make_deal(rules, seed, 0), auto)
    while not state.is_over:
        move = choose(state, rng, tactic)
        yield state, move
        state.apply(move)


def go(state: State, *moves: str) -> State:
    """Apply moves by their texts, separated by commas in each string."""
    for text in moves:
        for one in text.split(","):
            state.apply(parse_move(one))
    return state


def set_up(
    rules_name: str,
    mine: str,
    theirs: str = "",
    deck: str = "",
    tactic: str = "",
    auto: tuple[bool, bool] = (True, True),
) -> State:
    """Return a state with chosen hands, next draws and tactic deck; the other cards are in order of value."""
    rules = load_rules(rules_name)
    hands = [mine.split(), theirs.split()]
    named = [*hands[0], *hands[1], *deck.split()]
    rest = [card for card in CARD_TEXTS[: 6 * rules.values] if card not in named]
    for hand in hands:
        while len(hand) < rules.hand_size:
            hand.append(rest.pop(0))
    clan = [card for pair in zip(*hands, strict=True) for card in pair] + deck.split() + rest
    deck_of_tactics = [f"*{rules.spy_value}" if n == 61 else CARD_TEXTS[n] for n in TACTIC_DECK]
    for card in tactic.split():
        deck_of_tactics.remove(card)
    deal = deal_from_cards(rules, clan, tactic.split() + deck_of_tactics if rules.tactics else [])
    return State(rules, deal, auto)


_BY_SEAT = ("stones_of", "row", "hand_counts", "tactics_played", "joker_played")
_BY_STONE = ("modes", "capacity", "completed_first")


def properties(board: State | View) -> dict[str, Any]:
    """Return the values of all public properties; compiled, they are descriptors of C."""
    names = [
        name
        for kind in type(board).__mro__
        for name, one in vars(kind).items()
        if isinstance(one, property | types.GetSetDescriptorType) and not name.startswith("_")
    ]
    return {name: getattr(board, name) for name in {*names, "rules"} - {"rng", "clock", "noted", "turn"}}


def public_dump(board: State | View) -> dict[str, Any]:
    """Return everything that a state or a view shows."""
    found = properties(board)
    for name in _BY_SEAT:
        found[name] = [getattr(board, name)(seat) for seat in (0, 1)]
    for name in _BY_STONE:
        found[name] = [getattr(board, name)(stone) for stone in STONES]
    found["sides"] = [[board.side(seat, stone) for stone in STONES] for seat in (0, 1)]
    return found


def packed(view: View, repeated: bool = False) -> bytes:
    """Return the bytes of a view with all its history, or with none of it if the line has sent it before."""
    line = Line(-1, -1)
    if repeated:
        line.tell(view)
    return line.tell(view)[1]


def view_dump(view: View, history: bool = True) -> dict[str, Any]:
    """Return everything in a view except the generator and the clock."""
    found = public_dump(view) | {"seat": view.seat}
    if not history:
        del found["history"]
    return found


def scouted(scout_return: str) -> State:
    """Return a state in which seat 0 has drawn b8 p8 and the joker by a scout, and must put two cards back."""
    rules = f"tactical:scout_return={scout_return}"
    state = set_up(rules, "r1", "g1", deck="y8 b8 p8 k8", tactic="scout *J mud *J")
    go(state, "r1@1,draw tactic,g1@1,draw clan,scout,draw tactic,draw clan,draw clan")
    assert state.phase == "return"
    return state


def dump(state: State) -> dict[str, Any]:
    """Return everything in a state: public and hidden cards, moves, events, and both views."""
    return public_dump(state) | {
        "hands": [state.hand_of(seat) for seat in (0, 1)],
        "legal": state.legal_moves(),
        "events": [state.events(seat) for seat in (0, 1)],
        "claimable": [state.claimable(seat) for seat in (0, 1)],
        "views": [view_dump(state.view(seat)) for seat in (0, 1)],
    }


def all_cards(state: State) -> Counter[str]:
    """Return every card of the game, wherever it is."""
    cards: list[str] = [*state.clan_cards_left, *state.tactic_cards_left]
    for seat in (0, 1):
        cards += state.hand_of(seat)
        cards += state.row(seat)
        for stone in STONES:
            cards += [card.partition("=")[0] for card in state.side(seat, stone)]
    for stone in STONES:
        cards += state.modes(stone)
    return Counter(cards + ([state.pending] if state.pending else []))


def whole_deck(rules: Rules) -> Counter[str]:
    """Return the cards of a rule set."""
    cards = [f"{colour}{value}" for colour in "rgbypk" for value in range(1, rules.values + 1)]
    if rules.tactics:
        cards += ["*J", "*J", f"*{rules.spy_value}", "*123", "fog", "mud"]
        cards += ["scout", "redeploy", "deserter", "traitor"]
    return Counter(cards)
