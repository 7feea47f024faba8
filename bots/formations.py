"""Plays for the best formations that each of its sides can still become, with the cards it holds and unseen ones.

It takes into account which cards are gone: a run whose middle card lies elsewhere is worth nothing. Against a complete
side of the opponent, only what beats it counts. It ignores what the opponent may still build; `counter` considers that.
"""

from __future__ import annotations

from collections.abc import Iterator

from arena import Bot, Move, View

Card = tuple[str, int]
Chances = dict[Card, float]  # the chance that each card comes to a side
Strength = tuple[int, int]  # category, sum: the greater is the better
COLOUR_RUN, KIND, COLOUR, RUN, SUM = 4, 3, 2, 1, 0
#: The value of a side, by category.
WORTH = (0.1, 0.4, 0.55, 0.8, 1.0)
#: The value of an empty side.
EMPTY = 0.5
COLOURS = "rgbypk"


class Formations(Bot):
    """A bot whose settings are chances that a card is played where it is needed: one in the `hand`, one `unseen`."""

    def __init__(self, hand: float = 0.85, unseen: float = 0.3) -> None:
        self.hand = hand
        self.unseen = unseen

    def act(self, view: View, moves: list[Move]) -> Move:
        chances = dict.fromkeys(map(split, view.unseen), self.unseen)
        chances |= dict.fromkeys(map(split, filter(is_clan, view.hand)), self.hand)
        before = [worth(view, stone, [], chances) for stone in range(1, 10)]

        def gain(move: Move) -> float:
            if move.kind != "place" or move.card is None or move.stone is None:
                return other_gain(move)
            card = move.binding or move.card
            left = chances | {split(card): 0.0} if is_clan(card) else chances  # it cannot come twice
            price = 0.0 if is_clan(move.card) else 0.35
            return worth(view, move.stone, [card], left) - before[move.stone - 1] - price

        return max(moves, key=gain)


def is_clan(card: str) -> bool:
    return card[0] in COLOURS and card[1:].isdigit()


def split(card: str) -> Card:
    return card[0], int(card[1:])


def other_gain(move: Move) -> float:
    """Rate a move that puts no card at a stone, by rules of thumb."""
    if move.kind in ("return", "take") and move.card is not None:
        height = int(move.card[1:]) if is_clan(move.card) else 11
        return float(-height if move.kind == "return" else height)
    likes = {"claim": 1.0, "draw": float(move.text == "draw clan"), "discard": -0.4, "mode": -0.3, "ruse": -0.4}
    return likes.get(move.kind, -0.5)


def worth(view: View, stone: int, extra: list[str], chances: Chances) -> float:
    """Return the value of my side of a stone with the cards `extra`: the best formation first, then the others."""
    if view.owners[stone - 1] != ".":
        return 0.0
    size = view.capacity(stone)
    cards = [*view.side(view.seat, stone), *extra]
    if not cards:
        return EMPTY
    to_beat = complete(view, 1 - view.seat, stone)
    fog = "fog" in view.modes(stone)
    found, left = 0.02 * len(cards), 1.0
    for strength, chance in sorted(hopes(cards, size, chances), reverse=True):
        if strength[0] == SUM or not fog:
            if to_beat is None or strength > to_beat:
                found += left * chance * (WORTH[strength[0]] + strength[1] / 300)
            left *= 1 - chance
    return found


def complete(view: View, seat: int, stone: int) -> Strength | None:
    """Return the strength of a complete side; None for any other."""
    cards = list(view.side(seat, stone))
    if len(cards) < view.capacity(stone):
        return None
    if "fog" in view.modes(stone):
        return SUM, sum(split(card)[1] for card in cards if is_clan(card))
    return max((strength for strength, _ in hopes(cards, len(cards), {})), default=(SUM, 0))


def hopes(cards: list[str], size: int, chances: Chances) -> Iterator[tuple[Strength, float]]:
    """Yield the formations that a side of `size` cards may become, each with its chance; wild cards fit anywhere."""
    bound = [card.partition("=")[2] or card for card in cards]
    known = [split(card) for card in bound if is_clan(card)]
    missing = size - len(cards)
    colours = {colour for colour, _ in known} or set(COLOURS)
    values = {value for _, value in known}
    total = sum(value for _, value in known) + 6 * (size - len(known))
    yield (SUM, total), 1.0
    if len(colours) == 1 or not known:
        for colour in colours:
            yield (COLOUR, total), likely([chances.get((colour, v), 0.0) for v in range(1, 11)], missing)
    for value in values if len(values) == 1 else () if known else range(1, 11):
        yield (KIND, value * size), likely([chances.get((c, value), 0.0) for c in COLOURS], missing)
    if len(values) < len(known):
        return
    for start in range(1, 12 - size):
        row = range(start, start + size)
        if values <= set(row):
            places = [value for value in row if value not in values]
            yield (RUN, sum(row)), likely([max(chances.get((c, v), 0.0) for c in COLOURS) for v in places], missing)
            for colour in colours if len(colours) == 1 or not known else ():
                yield (COLOUR_RUN, sum(row)), likely([chances.get((colour, v), 0.0) for v in places], missing)


def likely(chances: list[float], count: int) -> float:
    """Return the chance that the `count` likeliest of some cards all come."""
    found = 1.0
    for chance in sorted(chances, reverse=True)[:count]:
        found *= chance
    return found if len(chances) >= count else 0.0
