"""What a bot in a process is sent does not depend on what it must not know, to the last bit.

A game is played; then all cards that one seat has never seen change places, in the opponent's hand and in the decks,
and the same moves are made again. The seat must be sent the same bytes, with the same history.
"""

from __future__ import annotations

import pytest

from arena.game.cards import CARD_TEXTS
from arena.game.deals import Deal, make_deal
from arena.game.engine import State
from arena.game.moves import Move, parse_move
from arena.game.packing import pack_view
from arena.game.rng import Rng
from arena.game.rules import Rules, load_rules, preset_names


def sent(rules: Rules, deal: Deal, seat: int, moves: list[Move]) -> list[bytes]:
    """What a seat would be sent before each of its decisions, and at the end: the board and the whole history."""
    state = State(rules, deal)
    found = []
    for move in moves:
        if state.turn == seat:
            found.append(pack_view(state.view(seat), 0))
        state.apply(move)
    return [*found, pack_view(state.view(seat), 0)]


def random_game(rules: Rules, deal: Deal, rng: Rng, most: int) -> tuple[list[Move], list[set[str]]]:
    """Some moves, and the cards that each seat has seen by then."""
    state = State(rules, deal)
    moves: list[Move] = []
    seen: list[set[str]] = [set(), set()]
    while len(moves) < most and (choices := state.legal_moves()):
        for seat in (0, 1):
            seen[seat] |= set(state.view(seat).hand)
        moves.append(rng.choice(choices))
        state.apply(moves[-1])
    for seat in (0, 1):
        seen[seat] |= set(state.view(seat).hand)
        seen[seat] |= {event.card for event in state.view(seat).history if event.card is not None}
    return moves, [{plain(card) for card in cards} for cards in seen]


def plain(card: str) -> str:
    """A card as decks name it: the spy has another number in some rule sets."""
    return "*7" if card == "*8" else card


def instead(move: Move, became: dict[str, str], rules: Rules) -> Move:
    """The move with the card that has taken its card's place: what the other returns to a deck is not seen."""
    if move.kind != "return" or move.card is None or plain(move.card) not in became:
        return move
    card = became[plain(move.card)]
    return parse_move(f"return {f'*{rules.spy_value}' if card == '*7' else card}")


def shuffled(deal: Deal, known: set[str], rng: Rng) -> tuple[Deal, dict[str, str]]:
    """The deal with all cards that are not known in other places, and which card has become which."""
    decks = []
    became: dict[str, str] = {}
    for deck in (deal.clan_numbers, deal.tactic_numbers):
        # not the jokers: two cards have that number
        hidden = [number for number in deck if CARD_TEXTS[number] not in known and number != 60]
        others = list(hidden)
        rng.shuffle(others)
        change = dict(zip(hidden, others))
        became |= {CARD_TEXTS[old]: CARD_TEXTS[new] for old, new in change.items()}
        decks.append(bytes(change.get(number, number) for number in deck))
    return Deal(decks[0], decks[1], deal.starter), became


@pytest.mark.parametrize("name", preset_names())
def test_hidden_cards_leave_no_trace_in_what_a_seat_is_sent(name: str) -> None:
    rules = load_rules(name)
    changed = 0
    for number in range(60):
        rng = Rng(number)
        deal = make_deal(rules, 1, number)
        moves, seen = random_game(rules, deal, rng, 8 + number)
        seat = number % 2
        other, became = shuffled(deal, seen[seat], rng)
        changed += other != deal
        again = [instead(move, became, rules) for move in moves]
        assert sent(rules, deal, seat, moves) == sent(rules, other, seat, again)
        if other.clan != deal.clan and len(moves) < 20:  # the other seat is sent something else, so it can be seen
            assert sent(rules, deal, 1 - seat, moves) != sent(rules, other, 1 - seat, again)
    assert changed > 30
