"""Keeps its tactic cards for defence: it plays them on stones that are lost but not claimed yet.

Where stones are claimed at the start of a turn (expert rules), a stone that the opponent will claim next can still be
saved: Traitor and Banshee break the side that wins it, Mud and Fog change what counts, a wild card beats it. As a
tactic card takes a clan card's place in the hand, the first one is drawn late. Clan cards are played by the chance to
win each stone, from all formations that both sides may become; `arena.policy` says how much each stone matters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from arena import Bot, Move, View
from arena.policy import Evaluator

Card = tuple[str, int]
Chances = Mapping[Card, float]  # the chance that each card comes to a player
COLOURS = "rgbypk"
SUM, RUN, COLOUR, KIND, COLOUR_RUN = range(5)
Strength = tuple[int, float]  # category, sum: the greater wins
Outcome = list[tuple[Strength, float]]  # what a side may become, the strongest first, each with its chance
EMPTY: Outcome = [  # assumed of an empty side, whatever cards may come
    ((COLOUR_RUN, 18), 0.22),
    ((KIND, 15), 0.22),
    ((COLOUR, 16), 0.26),
    ((RUN, 15), 0.18),
    ((SUM, 16), 0.12),
]


class Tactician(Bot):
    """A bot whose settings are chances and prices.

    `hand` is the chance that a card in the hand comes to a stone where it fits, below 1 because it fits several.
    `price` is the gain, in chance to win, that a tactic card must exceed. `deck` is the number of clan cards left in
    the deck from which on the bot draws a tactic card when it has none.
    """

    def __init__(self, hand: float = 0.8, price: float = 0.03, deck: int = 40) -> None:
        self.hand = hand
        self.price = price
        self.deck = deck

    def act(self, view: View, moves: list[Move]) -> Move:
        unseen, deck = [split(card) for card in view.unseen], view.deck_counts[0]
        held, count = view.hand_counts(1 - view.seat)[0], max(len(unseen), 1)
        self.view = view
        self.theirs = dict.fromkeys(unseen, 0.8 * (held + deck / 2) / count)
        mine = dict.fromkeys(map(split, filter(is_clan, view.hand)), self.hand)
        self.mine = dict.fromkeys(unseen, 0.55 * deck / 2 / count) | mine
        self.rivals: dict[tuple[int, str, str], Outcome] = {}
        self.costs: dict[tuple[str, int], float] = {}
        open_stones = [stone for stone in range(1, 10) if view.owners[stone - 1] == "."]
        self.lost = [stone for stone in open_stones if self.is_lost(stone)]
        self.now = {stone: self.chance(stone) for stone in open_stones}
        self.stakes = {odds.stone: odds.stake for odds in Evaluator().explain(view)}
        return max(moves, key=self.gain)

    def gain(self, move: Move) -> float:
        """Return how much a move adds to the chance to win the game."""
        stone, card = move.stone, move.card
        if move.kind == "place" and card is not None and stone in self.now:
            bound = move.binding or card
            if is_clan(card):
                elsewhere = sum(self.cost(card, other) for other in self.now if other != stone)
                return self.change(stone, [card], mine={**self.mine, split(card): 0.0}) - elsewhere
            if stone in self.lost or self.view.phase != "play":
                return self.change(stone, [bound]) - self.price
        if move.kind == "take" and card is not None and stone in self.now:
            return self.change(stone, without=card)
        if move.kind == "mode" and card is not None and stone in self.lost:
            return self.change(stone, mode=card) - self.price
        if move.kind == "ruse" and card in ("deserter", "traitor"):
            return max(map(self.without_one, self.lost), default=-1.0) - self.price
        return self.of_hand(move)

    def cost(self, card: str, stone: int) -> float:
        """Return the chance that is lost because a card of the hand can no longer come to a stone."""
        known = [split(other) for other in self.view.side(self.view.seat, stone) if is_clan(other)]
        if (card, stone) not in self.costs:
            colour, value = split(card)
            fits = known and all(other[0] == colour or abs(other[1] - value) < 3 for other in known)
            left = {**self.mine, (colour, value): 0.0}
            self.costs[card, stone] = -self.change(stone, mine=left) if fits and stone not in self.lost else 0.0
        return self.costs[card, stone]

    def without_one(self, stone: int) -> float:
        """Return the gain at a stone if the other side loses its best card there."""
        return max(self.change(stone, without=card) for card in self.view.side(1 - self.view.seat, stone))

    def of_hand(self, move: Move) -> float:
        """Rate a draw, a return and the like: a tactic card is kept for defence."""
        if move.kind == "draw":
            wants = self.view.deck_counts[0] <= self.deck and all(is_clan(card) for card in self.view.hand)
            return float((move.text == "draw tactic") == wants)
        if move.kind == "return" and move.card is not None:
            return -float(split(move.card)[1]) if is_clan(move.card) else -11.0
        return {"claim": 1.0, "discard": -0.2, "pass": -0.9}.get(move.kind, -0.8)

    def change(
        self, stone: int, extra: Sequence[str] = (), without: str = "", mode: str = "", mine: Chances | None = None
    ) -> float:
        """Return what a change at a stone adds to the chance to win the game."""
        return self.stakes[stone] * (self.chance(stone, extra, without, mode, mine) - self.now[stone])

    def chance(
        self, stone: int, extra: Sequence[str] = (), without: str = "", mode: str = "", mine: Chances | None = None
    ) -> float:
        """Return the chance to win a stone, with cards added to my side, one removed from the other, or a mode."""
        view = self.view
        own = [*view.side(view.seat, stone), *extra]
        rivals = [card for card in view.side(1 - view.seat, stone) if card.partition("=")[0] != without]
        if (stone, without, mode) not in self.rivals:
            self.rivals[stone, without, mode] = outcome(rivals, view, stone, self.theirs, mode)
        size = view.capacity(stone) + (mode == "mud")
        complete = [len(cards) >= size for cards in (own, rivals)]
        first = view.completed_first(stone)
        mine_first = 0.0 if not any(complete) else 0.5 if complete[0] and first != 1 - view.seat else -0.5
        total = 0.0
        for (category, points), likely in outcome(own, view, stone, self.mine if mine is None else mine, mode):
            for (other, their_points), chance in self.rivals[stone, without, mode]:
                if category == other:
                    margin = points - their_points + mine_first
                    total += likely * chance * (float(margin > 0) if all(complete) else 1 / (1 + math.exp(-margin / 3)))
                elif category > other:
                    total += likely * chance
        return total

    def is_lost(self, stone: int) -> bool:
        """Return whether the other side is complete and nothing that may still come beats it."""
        view = self.view
        own, rivals = view.side(view.seat, stone), view.side(1 - view.seat, stone)
        if len(rivals) < view.capacity(stone):
            return False
        to_beat = max(strength for strength, _ in prospects(rivals, view, stone, {}))
        return all(
            strength < to_beat or (strength == to_beat and view.completed_first(stone) != view.seat)
            for strength, _ in prospects(own, view, stone, self.mine)
        )


def is_clan(card: str) -> bool:
    return card[0] in COLOURS and card[1:].isdigit()


def split(card: str) -> Card:
    return card[0], int(card[1:])


def outcome(cards: Sequence[str], view: View, stone: int, chances: Chances, mode: str = "") -> Outcome:
    """Return what a side becomes, each formation with the chance that it is the best one to come about."""
    if not cards and "fog" not in (mode, *view.modes(stone)):
        return EMPTY
    becomes, left = [], 1.0
    for strength, chance in sorted(prospects(cards, view, stone, chances, mode), reverse=True):
        becomes.append((strength, left * chance))
        left *= 1 - chance
    return becomes


def prospects(cards: Sequence[str], view: View, stone: int, chances: Chances, mode: str = "") -> Outcome:
    """Return the formations that a side may become, each with its chance; wild cards fit anywhere."""
    fog, size = "fog" in (mode, *view.modes(stone)), view.capacity(stone) + (mode == "mud")
    known = [split(bound) for card in cards if is_clan(bound := card.partition("=")[2] or card)]
    return [
        (strength, chance)
        for strength, chance in _prospects(known, size, size - len(cards), chances, view.rules.values)
        if chance > 0 and not (fog and strength[0] != SUM)
    ]


def _prospects(
    known: list[Card], size: int, missing: int, chances: Chances, highest: int
) -> Iterator[tuple[Strength, float]]:
    colours, values = {colour for colour, _ in known}, {value for _, value in known}
    total = sum(value for _, value in known) + 6.5 * (size - len(known))
    yield (SUM, total), 1.0
    for colour in colours if len(colours) == 1 else () if known else COLOURS:
        yield (COLOUR, total), at_least(missing, [chance for (other, _), chance in chances.items() if other == colour])
    for value in values if len(values) == 1 else () if known else range(1, highest + 1):
        chance = at_least(missing, [chance for (_, other), chance in chances.items() if other == value])
        yield (KIND, value * size), chance
    if len(values) < len(known):
        return
    for start in range(1, highest - size + 2):
        row = range(start, start + size)
        if values <= set(row):
            places = [value for value in row if value not in values]
            yield (RUN, sum(row)), filled([any_colour(value, chances) for value in places], missing)
            for colour in colours if len(colours) == 1 else () if known else COLOURS:
                yield (COLOUR_RUN, sum(row)), filled([chances.get((colour, v), 0.0) for v in places], missing)


def any_colour(value: int, chances: Chances) -> float:
    """Return the chance that a card of a value comes, of whatever colour."""
    return 1 - math.prod(1 - chances.get((colour, value), 0.0) for colour in COLOURS)


def at_least(count: int, chances: list[float]) -> float:
    """Return the chance that at least `count` of several independent cards come."""
    exactly = [1.0] + [0.0] * count  # of 0, 1, ...; the last one is not used
    for chance in chances:
        for number in range(count, 0, -1):
            exactly[number] += (exactly[number - 1] - exactly[number]) * chance
        exactly[0] *= 1 - chance
    return 1 - sum(exactly[:count])


def filled(chances: list[float], missing: int) -> float:
    """Return the chance that the places not taken by wild cards are filled."""
    return math.prod(sorted(chances, reverse=True)[:missing])
