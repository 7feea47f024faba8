"""Builds the best formations it can with the cards it holds, and looks at nothing else.

For each card that it could play and each stone, it compares the value of its side with and without the card, and plays
where it gains most. It ignores the opponent's cards: compare it with `counter` to see what that costs.
"""

from __future__ import annotations

from functools import lru_cache

from arena import Bot, Move, View

# The value of three cards: a little more than the share of formations that they beat.
COLOUR_RUN, KIND, COLOUR, RUN, SUM = 1.0, 0.8, 0.55, 0.4, 0.1
#: The part of its value that a formation has with only one or two of three cards.
HOPE = {1: 0.25, 2: 0.6}


@lru_cache(maxsize=20_000)  # most sides that could come about are those of the last decision
def worth(cards: tuple[str, ...]) -> float:
    """Return the value of a side, 0 to about 1; wild cards fit in everywhere."""
    known = [card for card in cards if card[0] != "*"]
    if not known:
        return 0.05 * len(cards)
    colours = {card[0] for card in known}
    values = sorted(int(card[1:]) for card in known)
    in_a_row = len(set(values)) == len(values) and values[-1] - values[0] < 3
    if len(colours) == 1 and in_a_row:
        kind = COLOUR_RUN
    elif len(set(values)) == 1:
        kind = KIND
    elif len(colours) == 1:
        kind = COLOUR
    elif in_a_row:
        kind = RUN
    else:
        kind = SUM
    return HOPE.get(len(cards), 1.0) * kind + sum(values) / 300


class Greedy(Bot):
    """A bot that chooses the move with the greatest gain, the first of equals."""

    def act(self, view: View, moves: list[Move]) -> Move:
        mine = view.mine
        return max(moves, key=lambda move: self.gain(mine, move))

    def gain(self, mine: tuple[tuple[str, ...], ...], move: Move) -> float:
        if move.kind == "place" and move.card is not None and move.stone is not None:
            side = mine[move.stone - 1]
            gain = worth((*side, move.binding or move.card)) - worth(side)
            if move.card[0] == "*":
                gain -= 0.35  # a wild card is too good to fill a hole with
            return gain
        if move.kind == "draw":
            return float(move.text == "draw clan")
        if move.kind == "return":  # put back the lowest cards, and tactic cards first
            return -int(move.card[1:]) if move.card and move.card[1:].isdigit() and move.card[0] != "*" else 1.0
        if move.kind == "take":  # the highest card
            return float(move.card[1:]) if move.card and move.card[1:].isdigit() else 10.0
        return {"claim": 1.0, "mode": -0.4, "ruse": -0.5, "discard": -0.6, "pass": -0.7}.get(move.kind, 0.0)
