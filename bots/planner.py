"""Has one plan for each stone, the most promising formation there, and plays the card that furthers a plan most.

A plan is a set of three cards (four under Mud) that contains the cards of the side. Its value is the strength of the
formation times the chance that all missing cards come. A side that may become two things is worth no more than the
better one. What the opponent builds matters only once it is complete: then a plan must beat it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

from arena import Bot, Move, View

Card = tuple[str, int]
COLOURS = "rgbypk"
COLOUR_RUN, KIND, COLOUR, RUN, SUM = 1.0, 0.8, 0.55, 0.4, 0.1


class Planner(Bot):
    """A bot whose settings are the chances that a card comes: one in the `hand`, and one that is `unseen`."""

    def __init__(self, hand: float = 0.9, unseen: float = 0.25) -> None:
        self.hand = hand
        self.unseen = unseen

    def act(self, view: View, moves: list[Move]) -> Move:
        comes = dict.fromkeys(map(split, view.unseen), self.unseen)
        comes |= dict.fromkeys(map(split, filter(is_clan, view.hand)), self.hand)
        plans = {stone: plan(view, stone, [], comes) for stone in range(1, 10) if view.owners[stone - 1] == "."}

        def gain(move: Move) -> float:
            if move.kind != "place" or move.card is None or move.stone not in plans:
                return rule_of_thumb(move)
            card = move.binding or move.card
            left = {**comes, split(card): 0.0} if is_clan(card) else comes
            return plan(view, move.stone, [card], left) - plans[move.stone] - 0.3 * (not is_clan(move.card))

        return max(moves, key=gain)


def is_clan(card: str) -> bool:
    return card[0] in COLOURS and card[1:].isdigit()


def split(card: str) -> Card:
    return card[0], int(card[1:])


def rule_of_thumb(move: Move) -> float:
    """Rate a move that puts no card at a stone, by rules of thumb."""
    if move.kind in ("return", "take") and move.card is not None:
        height = int(move.card[1:]) if is_clan(move.card) else 11
        return float(-height if move.kind == "return" else height)
    return {"claim": 1.0, "draw": float(move.text == "draw clan"), "pass": -0.9}.get(move.kind, -0.4)


def plan(view: View, stone: int, extra: list[str], comes: dict[Card, float]) -> float:
    """Return the value of the best plan for a stone, with the cards `extra` added to my side."""
    size, fog = view.capacity(stone), "fog" in view.modes(stone)
    known = side(view, view.seat, stone) + [split(card) for card in extra if is_clan(card)]
    wilds = len(view.side(view.seat, stone)) + len(extra) - len(known)
    rivals = side(view, 1 - view.seat, stone)
    to_beat = worth(rivals, fog) if len(rivals) == size else 0.0
    best = 0.0
    for missing in completions(tuple(known), size - len(known), view.rules.values):
        chances = sorted((comes.get(card, 0.0) for card in missing), reverse=True)
        value = worth([*known, *missing], fog)
        if value > to_beat:
            best = max(best, value * math.prod(chances[: len(missing) - wilds]))
    return best


def side(view: View, seat: int, stone: int) -> list[Card]:
    """Return the clan cards of a side, and the cards that its wild cards were bound to."""
    return [split(bound) for card in view.side(seat, stone) if is_clan(bound := card.partition("=")[2] or card)]


def worth(cards: list[Card], fog: bool) -> float:
    """Return the strength of a formation, 0 to about 1.1, in the order of the rules."""
    values = sorted(value for _, value in cards)
    flush = len({colour for colour, _ in cards}) == 1
    run = len(set(values)) == len(values) and values[-1] - values[0] == len(values) - 1
    if fog:
        category = 0.0
    elif values[0] == values[-1]:
        category = KIND
    elif flush:
        category = COLOUR_RUN if run else COLOUR
    else:
        category = RUN if run else SUM
    return category + sum(values) / 400


@lru_cache(maxsize=20_000)
def completions(known: tuple[Card, ...], missing: int, highest: int) -> list[tuple[Card, ...]]:
    """Return the sets of cards that complete the known ones to a formation."""
    return list(dict.fromkeys(_completions(known, missing, highest)))


def _completions(known: tuple[Card, ...], missing: int, highest: int) -> Iterator[tuple[Card, ...]]:
    colours, values = {colour for colour, _ in known}, {value for _, value in known}
    deck = [(colour, value) for value in range(highest, 0, -1) for colour in COLOURS if (colour, value) not in known]
    size = len(known) + missing
    if len(values) == len(known):
        for start in range(highest - size + 1, 0, -1):
            row = range(start, start + size)
            if values <= set(row):
                for colour in colours if len(colours) == 1 else COLOURS:
                    yield tuple((colour, value) for value in row if value not in values)
    for value in values if len(values) == 1 else () if known else range(highest, 0, -1):
        yield from combinations([card for card in deck if card[1] == value], missing)
    for colour in colours if len(colours) == 1 else () if known else COLOURS:
        yield from combinations([card for card in deck if card[0] == colour], missing)
    if missing < 2:  # no formation: what a side becomes if it waits too long
        yield from combinations(deck, missing)
