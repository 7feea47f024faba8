"""Counts what is still possible, on both sides of each stone, from the cards that it has not seen.

An incomplete side becomes one of five formations. The chance of each depends on the cards that would complete it:
cards in the bot's hand are nearly certain, cards already seen are out, and each unseen card has some chance to come
into the right hand. The formations that both sides may become give the chance to win the stone. The bot plays the card
that raises the chances most, where they count most.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from arena import Bot, Move, View

Card = tuple[str, int]
Pool = dict[Card, float]  # the chance that each card comes to a player
Hopes = tuple[list[float], float]  # the chance of each formation, best first, and the expected sum of values
#: What an empty side becomes: colour run, three of a kind, colour, run, sum.
EMPTY = [0.22, 0.22, 0.26, 0.18, 0.12]


class Counter(Bot):
    """A bot whose settings are the chances that an unseen card (`mine`, `theirs`) or one in `hand` comes to a stone."""

    def __init__(self, mine: float = 0.2, hand: float = 0.7, theirs: float = 0.5) -> None:
        self.mine = mine
        self.hand = hand
        self.theirs = theirs

    def act(self, view: View, moves: list[Move]) -> Move:
        unseen = [split(card) for card in view.unseen]
        hand = [split(card) for card in view.hand if is_clan(card)]
        my_pool = dict.fromkeys(unseen, self.mine) | dict.fromkeys(hand, self.hand)
        their_pool = dict.fromkeys(unseen, self.theirs)
        now: dict[int, tuple[Hopes, float]] = {}
        for stone in range(1, 10):
            if view.owners[stone - 1] == ".":
                theirs = hopes(view, 1 - view.seat, stone, [], their_pool)
                now[stone] = theirs, chance(hopes(view, view.seat, stone, [], my_pool), theirs, view, stone)

        def gain(move: Move) -> float:
            if move.kind != "place" or move.card is None or move.stone is None:
                return other_gain(view, move)
            theirs, before = now[move.stone]
            card = move.binding or move.card
            if not is_clan(card):
                return (
                    chance(hopes(view, view.seat, move.stone, [card], my_pool), theirs, view, move.stone) - before - 0.3
                )
            kept = my_pool.get(split(card), 0.0)
            my_pool[split(card)] = 0.0
            after = chance(hopes(view, view.seat, move.stone, [card], my_pool), theirs, view, move.stone)
            my_pool[split(card)] = kept
            return weight(view, move.stone) * (after - before) - int(card[1:]) / 1000

        return max(moves, key=gain)


def is_clan(card: str) -> bool:
    return card[0] in "rgbypk" and card[1:].isdigit()


def split(card: str) -> Card:
    return card[0], int(card[1:])


def other_gain(view: View, move: Move) -> float:
    """Rate a move that puts no card at a stone, by rules of thumb."""
    if move.kind in ("return", "take") and move.card is not None:
        height = int(move.card[1:]) if is_clan(move.card) else 11
        return float(-height if move.kind == "return" else height)
    likes = {"claim": 1.0, "draw": float(move.text == "draw clan"), "discard": -0.3}
    return likes.get(move.kind, {"ruse": -0.4, "mode": -0.4, "pass": -0.5}.get(move.kind, 0.0))


def weight(view: View, stone: int) -> float:
    """Return the weight of a stone, which is greater beside decided stones because three adjacent ones win."""
    near = [s for s in range(stone - 2, stone + 3) if s != stone and 1 <= s <= 9 and view.owners[s - 1] != "."]
    return 1 + sum(0.3 if abs(s - stone) == 1 else 0.15 for s in near)


def chance(mine: Hopes, theirs: Hopes, view: View, stone: int) -> float:
    """Return the chance that my side is the better one at the end; between equal formations the sums decide."""
    (my_kinds, my_sum), (their_kinds, their_sum) = mine, theirs
    if "fog" in view.modes(stone):
        my_kinds = their_kinds = [1.0]
    margin = my_sum - their_sum
    lead = len(view.side(view.seat, stone)) - len(view.side(1 - view.seat, stone))
    equal = 1 / (1 + math.exp(-0.4 * margin - 0.1 * lead))
    better, total = 1.0, 0.0
    for my_kind, their_kind in zip(my_kinds, their_kinds, strict=True):
        better -= their_kind
        total += my_kind * (better + equal * their_kind)
    return total


def hopes(view: View, seat: int, stone: int, extra: list[str], pool: Pool) -> Hopes:
    """Return what a side may become with the cards `extra` added, if the missing ones come from `pool`."""
    cards = [card.partition("=")[2] or card for card in view.side(seat, stone)] + extra
    known = [split(card) for card in cards if is_clan(card)]
    wilds = len(cards) - len(known)
    size = view.capacity(stone)
    total = sum(value for _, value in known) + 6.0 * (size - len(known))
    if not known:
        return EMPTY, total
    kinds, left = [], 1.0
    for likely in formations(known, size - len(known), wilds, pool):
        kinds.append(left * likely)
        left *= 1 - likely
    return kinds, total


def formations(known: list[Card], missing: int, wilds: int, pool: Pool) -> tuple[float, ...]:
    """Return the chance that a side becomes each formation, best first; `wilds` of the `missing` fit anywhere."""
    colour = known[0][0] if len({colour for colour, _ in known}) == 1 else None
    values = {value for _, value in known}
    need = missing - wilds
    run = colour_run = same_colour = kind = 0.0
    if len(values) == len(known):
        low, high, size = min(values), max(values), len(known) + missing
        starts = range(max(1, high - size + 1), min(low, 11 - size) + 1)
        rows = [[v for v in range(start, start + size) if v not in values] for start in starts]
        run = any_of(all_of([any_of(pool.get((c, v), 0.0) for c in "rgbypk") for v in row], wilds) for row in rows)
        if colour is not None:
            colour_run = any_of(all_of([pool.get((colour, v), 0.0) for v in row], wilds) for row in rows)
    if colour is not None:
        same_colour = at_least(need, [pool.get((colour, v), 0.0) for v in range(1, 11)])
    if len(values) == 1:
        kind = at_least(need, [pool.get((c, known[0][1]), 0.0) for c in "rgbypk"])
    return colour_run, kind, same_colour, run, 1.0


def any_of(chances: Iterable[float]) -> float:
    """Return the chance that at least one of several independent things happens."""
    return 1 - math.prod(1 - likely for likely in chances)


def all_of(chances: list[float], free: int) -> float:
    """Return the chance that all happen, except for the `free` least likely."""
    return math.prod(sorted(chances)[free:])


def at_least(count: int, chances: list[float]) -> float:
    """Return the chance that at least `count` of several independent things happen."""
    if count <= 0:
        return 1.0
    exactly = [1.0] + [0.0] * (count - 1)  # of 0, 1, ... count - 1
    for likely in chances:
        for number in range(count - 1, 0, -1):
            exactly[number] += (exactly[number - 1] - exactly[number]) * likely
        exactly[0] *= 1 - likely
    return 1 - sum(exactly)
