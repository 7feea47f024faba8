"""Judges a stone by the likeliest formations of both sides, and the game by all nine stones, as Deep Barca does.

After the public description of Deep Barca, a program for Battle Line (McCulloch et al., MAICS 2017, CEUR-WS 1964). A
formation counts with the chance that it comes about times the chance that the opponent has none to beat it; the four
best formations decide the stone. With N unseen cards, D of them in the deck, each comes with the chance D / 2N, and to
the opponent, who holds H more, with (H + D / 2) / N. The chances of the stones give the chance to hold five of them or
three adjacent ones; the bot plays the card that makes this chance greatest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from heapq import nlargest
from typing import NamedTuple

from arena import Bot, Move, View

Card = tuple[str, int]
Chances = Mapping[Card, float]  # the chance that each card comes to a player
COLOURS = "rgbypk"
SUM, RUN, COLOUR, KIND, COLOUR_RUN = range(5)
BEST = 4


class Formation(NamedTuple):
    """What a side may become: its strength (category and sum, the greater wins) and the chance of it."""

    strength: tuple[int, int]
    chance: float


class Barca(Bot):
    """A bot whose settings are chances and prices.

    `hand` is the chance that a card in the hand comes to a stone where it fits, below 1 because it fits several.
    `tactic_price` is the gain that playing a tactic card must exceed.
    """

    def __init__(self, hand: float = 0.75, tactic_price: float = 0.05) -> None:
        self.hand = hand
        self.tactic_price = tactic_price

    def act(self, view: View, moves: list[Move]) -> Move:
        unseen, deck = [split(card) for card in view.unseen], view.deck_counts[0]
        held = view.hand_counts(1 - view.seat)[0]
        count = max(len(unseen), 1)
        theirs = dict.fromkeys(unseen, (held + deck / 2) / count)
        hand = [split(card) for card in view.hand if is_clan(card)]
        mine = dict.fromkeys(unseen, deck / 2 / count) | dict.fromkeys(hand, self.hand)
        open_stones = [stone for stone in range(1, 10) if view.owners[stone - 1] == "."]
        rivals = {stone: formations(view, 1 - view.seat, stone, [], theirs) for stone in open_stones}
        chances = [float(owner == "ab"[view.seat]) for owner in view.owners]
        for stone in open_stones:
            chances[stone - 1] = stone_chance(view, stone, [], rivals[stone], mine)
        before = game_chance(chances)

        def gain(move: Move) -> float:
            if move.kind != "place" or move.card is None or move.stone not in rivals:
                return rule_of_thumb(move, self.tactic_price)
            card = move.binding or move.card
            left = {**mine, split(card): 0.0} if is_clan(card) else mine  # it cannot come twice
            after = stone_chance(view, move.stone, [card], rivals[move.stone], left)
            changed = [*chances[: move.stone - 1], after, *chances[move.stone :]]
            return game_chance(changed) - before - self.tactic_price * (not is_clan(move.card))

        return max(moves, key=gain)


def is_clan(card: str) -> bool:
    return card[0] in COLOURS and card[1:].isdigit()


def split(card: str) -> Card:
    return card[0], int(card[1:])


def rule_of_thumb(move: Move, price: float) -> float:
    """Return the gain of a move that puts no card at a stone, comparable only with moves of its kind."""
    if move.kind in ("return", "take") and move.card is not None:
        height = int(move.card[1:]) if is_clan(move.card) else 11
        return float(-height if move.kind == "return" else height)
    return {"claim": 1.0, "draw": float(move.text == "draw clan"), "pass": -0.9}.get(move.kind, -price)


def stone_chance(view: View, stone: int, extra: list[str], rivals: list[Formation], chances: Chances) -> float:
    """Return the chance to win a stone with the cards `extra` added, against what the other side may become."""
    fog = "fog" in view.modes(stone)
    ours = view.completed_first(stone) == view.seat
    products = []
    for strength, chance in formations(view, view.seat, stone, extra, chances):
        if fog:
            products = [1 / (1 + math.exp(-0.3 * (strength[1] - rivals[0].strength[1])))]
            break
        better = [rival for rival in rivals if rival.strength > strength or (rival.strength == strength and not ours)]
        products.append(chance * none_of(nlargest(BEST, [rival.chance for rival in better])))
    return 1 - none_of(nlargest(BEST, products))


def none_of(chances: Iterable[float]) -> float:
    """Return the chance that none of several independent things happens."""
    return math.prod(1 - chance for chance in chances)


def formations(view: View, seat: int, stone: int, extra: list[str], chances: Chances) -> list[Formation]:
    """Return the likeliest formations of each category for a side with the cards `extra`; wild cards fit anywhere."""
    cards = [card.partition("=")[2] or card for card in view.side(seat, stone)] + extra
    known = [split(card) for card in cards if is_clan(card)]
    size = view.capacity(stone)
    need = size - len(cards)
    expected = sum(value for _, value in known) + 7 * (len(cards) - len(known)) + 6 * need
    likely = [Formation((SUM, expected), 1.0)]
    if "fog" in view.modes(stone):
        return likely
    colours = {colour for colour, _ in known} or set(COLOURS)
    values = {value for _, value in known}
    if len(colours) > 1 and known:
        colours = set()
    of_colour: dict[str, list[float]] = {colour: [] for colour in colours}
    of_value: dict[int, list[float]] = {}
    for (colour, value), chance in chances.items():
        of_value.setdefault(value, []).append(chance)
        if colour in of_colour:
            of_colour[colour].append(chance)
    likely += best(Formation((COLOUR, expected), at_least(need, each)) for each in of_colour.values())
    kinds = values if len(values) == 1 else set() if values else set(of_value)
    likely += best(Formation((KIND, value * size), at_least(need, of_value.get(value, []))) for value in kinds)
    if len(values) < len(known):
        return likely
    rows = [range(start, start + size) for start in range(1, view.rules.values - size + 2)]
    rows = [row for row in rows if values <= set(row)]
    missing = {row: [value for value in row if value not in values] for row in rows}
    any_colour = {value: 1 - none_of(each) for value, each in of_value.items()}
    likely += best(Formation((RUN, sum(r)), filled([any_colour.get(v, 0.0) for v in missing[r]], need)) for r in rows)
    likely += best(
        Formation((COLOUR_RUN, sum(row)), filled([chances.get((colour, value), 0.0) for value in missing[row]], need))
        for row in rows
        for colour in colours
    )
    return likely if need else [max(likely)]


def best(formations: Iterable[Formation]) -> list[Formation]:
    """Return the likeliest formations, without the impossible ones."""
    possible = [formation for formation in formations if formation.chance > 0]
    return nlargest(BEST, possible, key=lambda formation: (formation.chance, formation.strength))


def filled(chances: list[float], need: int) -> float:
    """Return the chance that all places are filled; wild cards take the least likely ones."""
    return math.prod(sorted(chances, reverse=True)[:need])


def at_least(count: int, chances: list[float]) -> float:
    """Return the chance that at least `count` of several independent things happen."""
    exactly = [1.0] + [0.0] * max(count - 1, 0)  # of 0, 1, ... count - 1
    if count <= 0:
        return 1.0
    for chance in chances:
        for number in range(count - 1, 0, -1):
            exactly[number] += (exactly[number - 1] - exactly[number]) * chance
        exactly[0] *= 1 - chance
    return 1 - sum(exactly)


def game_chance(stones: list[float]) -> float:
    """Return the chance to hold five stones or three adjacent ones, taking the stones as independent.

    It goes from stone to stone. A state is the number of stones won, how many of the last ones were won (lost, if below
    0), and whether either player has three adjacent ones. What both players or neither reach counts half.
    """
    states: dict[tuple[int, int, bool, bool], float] = {(0, 0, False, False): 1.0}
    for chance in stones:
        after: dict[tuple[int, int, bool, bool], float] = {}
        for (won, run, three, their_three), likely in states.items():
            for mine, share in ((True, likely * chance), (False, likely * (1 - chance))):
                if share:
                    length = max(run, 0) + 1 if mine else min(run, 0) - 1
                    length = max(min(length, 3), -3)
                    state = won + mine, length, three or length == 3, their_three or length == -3
                    after[state] = after.get(state, 0.0) + share
        states = after
    total = 0.0
    for (won, _, three, their_three), likely in states.items():
        mine, theirs = three or won >= 5, their_three or won <= 4
        total += likely * (0.5 if mine == theirs else float(mine))
    return total
