"""Keeps its tactic cards for defence: it plays them on stones that are lost but not claimed yet.

Where stones are claimed at the start of a turn (expert rules), a stone that the opponent will claim next can still be
saved: Traitor and Banshee break the side that wins it, Mud and Fog change what counts, a wild card beats it. Clan cards
are played by counting outs: the more cards of the hand and unseen cards fit a place on a side, the likelier it is
filled.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from arena import Bot, Move, View

Card = tuple[str, int]
Weights = dict[Card, float]  # the weight of each card that may still come
COLOURS = "rgbypk"
SUM, RUN, COLOUR, KIND, COLOUR_RUN = range(5)
Strength = tuple[int, int]  # category, sum: the greater wins


class Tactician(Bot):
    """A bot whose settings are the weights of outs and the price of a tactic card.

    `hand` and `unseen` are the weights of a card in the hand and of an unseen one; 1 is a card that surely comes.
    `price` is the gain, in stones, that a tactic card must exceed.
    """

    def __init__(self, hand: float = 0.8, unseen: float = 0.25, price: float = 0.1) -> None:
        self.hand = hand
        self.unseen = unseen
        self.price = price

    def act(self, view: View, moves: list[Move]) -> Move:
        theirs = dict.fromkeys(map(split, view.unseen), self.unseen)
        mine = theirs | dict.fromkeys(map(split, filter(is_clan, view.hand)), self.hand)
        self.view, self.mine, self.theirs = view, mine, theirs
        open_stones = [stone for stone in range(1, 10) if view.owners[stone - 1] == "."]
        self.lost = [stone for stone in open_stones if self.is_lost(stone)]
        self.now = {stone: self.lead(stone) for stone in open_stones}
        return max(moves, key=self.gain)

    def gain(self, move: Move) -> float:
        """Return how much a move gains, in stones."""
        stone, card = move.stone, move.card
        if move.kind == "place" and card is not None and stone in self.now:
            if not is_clan(card) and self.view.phase == "play" and stone not in self.lost:
                return -0.8
            bound = move.binding or card
            weights = {**self.mine, split(bound): 0.0} if is_clan(bound) else self.mine
            importance = 1.0 + 0.2 * sum(abs(stone - other) < 3 for other in range(1, 10) if other not in self.now)
            return importance * (self.lead(stone, [bound], weights=weights) - self.now[stone])
        if move.kind == "take" and card is not None and stone in self.now:
            return self.lead(stone, without=card) - self.now[stone]
        if move.kind == "mode" and card is not None and stone in self.lost:
            return self.lead(stone, mode=card) - self.now[stone] - self.price
        if move.kind == "ruse" and card in ("deserter", "traitor"):
            return max((self.without_best(stone) - self.now[stone] for stone in self.lost), default=-1.0) - self.price
        return self.of_hand(move)

    def without_best(self, stone: int) -> float:
        """Return the chance to win a stone once the other side's best clan card is taken."""
        return max(self.lead(stone, without=card) for card in self.view.side(1 - self.view.seat, stone))

    def of_hand(self, move: Move) -> float:
        """Rate a draw, a return and the like: a tactic card is kept for defence."""
        if move.kind == "draw":
            wants = all(is_clan(card) for card in self.view.hand)
            return float((move.text == "draw tactic") == wants)
        if move.kind == "return" and move.card is not None:
            return -float(split(move.card)[1]) if is_clan(move.card) else -11.0
        return {"claim": 1.0, "discard": -0.2, "pass": -0.9}.get(move.kind, -0.8)

    def lead(
        self, stone: int, extra: Sequence[str] = (), without: str = "", mode: str = "", weights: Weights | None = None
    ) -> float:
        """Estimate the chance to win the stone, with cards added to my side, one removed from the other, or a mode."""
        view = self.view
        rivals = [card for card in view.side(1 - view.seat, stone) if card.partition("=")[0] != without]
        weights = self.mine if weights is None else weights
        ours = prospects([*view.side(view.seat, stone), *extra], view, stone, weights, mode)
        others = prospects(rivals, view, stone, self.theirs, mode)
        return 1 / (1 + math.exp(expected(others) - expected(ours)))

    def is_lost(self, stone: int) -> bool:
        """Return whether the other side is complete and nothing that may still come beats it."""
        view = self.view
        rivals = view.side(1 - view.seat, stone)
        if len(rivals) < view.capacity(stone):
            return False
        to_beat = max(strength for strength, _ in prospects(list(rivals), view, stone, {}))
        return all(
            strength < to_beat or (strength == to_beat and view.completed_first(stone) != view.seat)
            for strength, _ in prospects(list(view.side(view.seat, stone)), view, stone, self.mine)
        )


def is_clan(card: str) -> bool:
    return card[0] in COLOURS and card[1:].isdigit()


def split(card: str) -> Card:
    return card[0], int(card[1:])


def expected(prospects: list[tuple[Strength, float]]) -> float:
    """Return the average of what a side becomes, on a scale of 0 to 6.

    The best formation counts first, then the others.
    """
    total, left = 0.0, 1.0
    for (category, points), chance in sorted(prospects, reverse=True):
        total += left * chance * (category + points / 20)
        left *= 1 - chance
    return total


def prospects(
    cards: list[str], view: View, stone: int, weights: Weights, mode: str = ""
) -> list[tuple[Strength, float]]:
    """Return the formations that a side may become, each with its chance by outs; wild cards fit anywhere."""
    fog, size = "fog" in (mode, *view.modes(stone)), view.capacity(stone) + (mode == "mud")
    known = [split(bound) for card in cards if is_clan(bound := card.partition("=")[2] or card)]
    return [
        (strength, chance)
        for strength, chance in _prospects(known, size, size - len(cards), weights, view.rules.values)
        if chance > 0 and not (fog and strength[0] != SUM)
    ]


def _prospects(
    known: list[Card], size: int, missing: int, weights: Weights, highest: int
) -> Iterator[tuple[Strength, float]]:
    colours, values = {colour for colour, _ in known}, {value for _, value in known}
    total = sum(value for _, value in known) + 6 * (size - len(known))
    yield (SUM, total), 1.0
    for colour in colours if len(colours) == 1 else () if known else COLOURS:
        outs = sum(weight for (other, _), weight in weights.items() if other == colour)
        yield (COLOUR, total), min(outs / 2, 1.0) ** missing
    for value in values if len(values) == 1 else () if known else range(1, highest + 1):
        outs = sum(weight for (_, other), weight in weights.items() if other == value)
        yield (KIND, value * size), min(outs / max(missing, 1), 1.0) ** missing
    if len(values) < len(known):
        return
    for start in range(1, highest - size + 2):
        row = range(start, start + size)
        if values <= set(row):
            places = [value for value in row if value not in values]
            yield (RUN, sum(row)), filled([sum(weights.get((c, v), 0.0) for c in COLOURS) for v in places], missing)
            for colour in colours if len(colours) == 1 else () if known else COLOURS:
                yield (COLOUR_RUN, sum(row)), filled([weights.get((colour, v), 0.0) for v in places], missing)


def filled(outs: list[float], missing: int) -> float:
    """Return the chance that the places not taken by wild cards are filled, by the outs of each."""
    return math.prod(min(out, 1.0) for out in sorted(outs, reverse=True)[:missing])
