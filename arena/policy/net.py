# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False
"""A small value net over the features, at the engine's speed; the stones share one embedding.

    h = relu(W1 x + Wh hand + Wr rules + b1)            for each stone; 100 + 20 + 4 -> 64
    e = relu(W2 h + b2)                                 for each stone; 16
    z = relu(sum of W3[stone] e + Wg g + b3)            nine stones and the 55 numbers of hand, decks and rules; 64
    chance to win = logistic(w4 z + b4)

`hand` are the values of cards in the hand and of unseen cards, for stones where the seat's side has cards and room.
`rules` are the highest value, when wild cards are bound and when stones are claimed, for stones that are not owned. The
sum over the stones is linear, so the cost of a move is the cost of its changes. The contributions of the other side, of
a colour and of the hand to the first layers are computed once and kept. Rows of weights are noted first and summed
together, without those times 0. Everything is in 32-bit floats. Weights are trained by `tools.training`.
"""

from __future__ import annotations

from typing import Any

import cython

from arena.errors import ArenaError
from arena.game.engine import State
from arena.policy.evaluator import Evaluator

#: The arrays of a net in order, with their shapes.
SHAPES = {
    "w1": (100, 64),
    "b1": (64,),
    "wh": (20, 64),
    "wr": (4, 64),
    "w2": (64, 16),
    "b2": (16,),
    "w3": (9, 16, 64),
    "wg": (55, 64),
    "b3": (64,),
    "w4": (64,),
    "b4": (1,),
}
WEIGHTS = 21905


def fill_layers() -> None:
    """Fill the powers of 2 from -64 on."""
    for i in range(128):
        POWER2[i] = 2.0 ** (i - 64)


def exponential(x: float) -> float:
    """Return e to the power of `x` (-40 to 40), the same on every machine.

    Mathematical libraries differ in the last bits.
    """
    n = floor(x * 1.4426950408889634 + 0.5)
    r = (x - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10
    t = r * r  # the series, with even and odd powers apart
    even = 1.0 / 40320.0 + t * (1.0 / 3628800.0 + t * (1.0 / 479001600.0))
    even = 1.0 + t * (1.0 / 2.0 + t * (1.0 / 24.0 + t * (1.0 / 720.0 + t * even)))
    odd = 1.0 / 362880.0 + t * (1.0 / 39916800.0 + t * (1.0 / 6227020800.0))
    odd = 1.0 + t * (1.0 / 6.0 + t * (1.0 / 120.0 + t * (1.0 / 5040.0 + t * odd)))
    return (even + r * odd) * POWER2[n + 64]


def logistic(x: float) -> float:
    """Return 1 / (1 + e^-x)."""
    if x > 36.0:
        return 1.0
    if x < -36.0:
        return 0.0
    return 1.0 / (1.0 + exponential(-x))


class Net(Evaluator):
    """An evaluator with 21,905 learned weights, in the order of `SHAPES`; raises ArenaError for another number."""

    def __init__(self, weights: Any, **settings: float) -> None:
        super().__init__(**settings)
        numbers = [float(number) for number in weights]
        if len(numbers) != WEIGHTS:
            raise ArenaError(f"a net has {WEIGHTS} weights, not {len(numbers)}")
        for i in range(WEIGHTS):
            self.weights[i] = numbers[i]
        for i in range(10):
            self.known[i] = 0
        for i in range(60):
            self.hand_stamp[i] = 0
        for i in range(62):
            self.wanted_stamp[i] = 0
        for i in range(6):
            self.colour_stamp[i] = 0

    def begin(self, board: State) -> None:
        """Note which stones each seat can claim in the current position."""
        self.root_claims = self.claims_of(board)

    def news(self, board: State) -> int:
        """Return the stones (bits) that have become claimable, or are no longer so, for either seat."""
        changed = self.claims_of(board) ^ self.root_claims
        return (changed | changed >> 9) & 511

    @cython.final
    def claims_of(self, board: State) -> int:
        """Set `claims` to the stones that the seat and, from bit 9 on, the other seat can claim; return it."""
        self.claims = provable(board, self.seat) | provable(board, 1 - self.seat) << 9
        return self.claims

    def judge(self, board: State, s: int, slot: int) -> None:
        """Compute the stone's contribution to the middle layer and keep it under `slot`."""
        p = self.seat
        x = self.x
        w = self.weights
        terms = self.terms
        hidden = self.hidden
        chance = known_chance(board, p, s, self.mine, self.theirs)
        if (board.owned[0] | board.owned[1]) >> s & 1:
            my_features(board, p, s, chance, self.room, x, 0)
            copy64(hidden, 0, w, B1)
            notes64(terms, w, 0, x, 0, 2)
        else:
            at = self.levels(board, s)
            if chance < 0.0:
                chance = compare(self.room, 0, self.others, STEP * at)
            if self.known[at] != self.versions[at]:
                self.known[at] = self.versions[at]
                self.their_half(board, s, at)
            my_features(board, p, s, chance, self.room, x, 0)
            copy64(hidden, 0, self.halves, HIDDEN * at)
            notes64(terms, w, HIDDEN * 2, x, 2, 4)
            notes64(terms, w, HIDDEN * 10, x, 10, 15)
            notes64(terms, w, HIDDEN * 43, x, 43, 1)
            notes64(terms, w, HIDDEN * 45, x, 45, 1)
            self.my_cards(board, s)
            if self.claims >> s & 1:
                note64(terms, w, HIDDEN * 98, 1.0)
            if self.claims >> 9 + s & 1:
                note64(terms, w, HIDDEN * 99, 1.0)
        notes64(terms, w, HIDDEN * 40, x, 40, 1)
        sum64(hidden, 0, terms)
        relu64(hidden)
        narrow(self.code, w, W2, hidden)
        widen(self.z, MIDDLE * slot, w, W3 + CODE * MIDDLE * s, self.code)
        self.chances[slot] = chance

    @cython.final
    def my_cards(self, board: State, s: int) -> None:
        """Note the contributions of the cards of the seat's side, and of the cards that it may want."""
        p = self.seat
        clan = board.sides[9 * p + s] & ALL60
        self.note_cards(HIDDEN * 48, clan)
        if not clan or board.complete[p] >> s & 1:
            return
        note64(self.terms, self.wanted, HIDDEN * self.wanted_by(self.mine.hand), 1.0)
        colour = side_colour(board, p, s)
        if colour >= 0:
            self.note_cards(HIDDEN * 58, self.mine.hand & PLANE << colour)
            if self.colour_stamp[colour] != self.looks:
                self.colour_stamp[colour] = self.looks
                clear64(self.colours, HIDDEN * colour)
                cards = self.mine.unseen & PLANE << colour
                while cards:
                    row64(self.colours, HIDDEN * colour, self.weights, HIDDEN * (68 + ctz(cards) // 6), 0.5)
                    cards &= cards - 1
            note64(self.terms, self.colours, HIDDEN * colour, 1.0)

    @cython.final
    def note_cards(self, at: int, cards: int) -> None:
        """Note half the row of weights of each card's value; the rows of the values 1, 2, ... begin at `at`."""
        while cards:
            note64(self.terms, self.weights, at + HIDDEN * (ctz(cards) // 6), 0.5)
            cards &= cards - 1

    @cython.final
    def wanted_by(self, hand: int) -> int:
        """Return the place in `wanted` of what a hand and the unseen cards contribute to stones that want cards."""
        if self.wanted_stamp[61] != self.looks:
            self.wanted_stamp[61] = self.looks
            clear64(self.wanted, HIDDEN * 61)
            self.add_values(61, WH + 10 * HIDDEN, self.mine.unseen)
        at = self.card if self.card >= 0 else 60
        if self.wanted_stamp[at] != self.looks or self.wanted_hand[at] != hand:
            self.wanted_stamp[at] = self.looks
            self.wanted_hand[at] = hand
            copy64(self.wanted, HIDDEN * at, self.wanted, HIDDEN * 61)
            self.add_values(at, WH, hand)
        return at

    @cython.final
    def add_values(self, to: int, at: int, cards: int) -> None:
        """Add to a place of `wanted` the rows of weights from `at` on for the values of cards, a third each."""
        for v in range(10):
            k = popcount(cards & group(v + 1))
            if k:
                row64(self.wanted, HIDDEN * to, self.weights, at + HIDDEN * v, k / 3.0)

    @cython.final
    def their_half(self, board: State, s: int, at: int) -> None:
        """Compute what the other side of a stone contributes to the hidden layer; `at` is the place of its levels."""
        x = self.x
        w = self.weights
        terms = self.terms
        to = HIDDEN * at
        q = 1 - self.seat
        their_features(board, q, s, self.root.clan_left, self.others, STEP * at, x, 0)
        copy64(self.halves, to, w, B1)
        notes64(terms, w, HIDDEN * 6, x, 6, 4)
        notes64(terms, w, HIDDEN * 25, x, 25, 15)
        notes64(terms, w, HIDDEN * 41, x, 41, 2)
        notes64(terms, w, HIDDEN * 44, x, 44, 1)
        notes64(terms, w, HIDDEN * 46, x, 46, 2)
        self.note_cards(HIDDEN * 78, board.sides[9 * q + s] & ALL60)
        colour = side_colour(board, q, s)
        if colour >= 0:
            self.note_cards(HIDDEN * 88, self.mine.unseen & PLANE << colour)
        if board.values == 10:
            note64(terms, w, WR, 1.0)
        if board.on_play and board.with_tactics:
            note64(terms, w, WR + HIDDEN, 1.0)
        if board.window_start:
            note64(terms, w, WR + 2 * HIDDEN, 1.0)
        if board.window_after:
            note64(terms, w, WR + 3 * HIDDEN, 1.0)
        sum64(self.halves, to, terms)

    def combine(self, board: State) -> float:
        """Return the chance to win, from the contributions of the nine stones and the hand."""
        x = self.x
        w = self.weights
        terms = self.terms
        middle = self.hidden
        at = self.card if self.card >= 0 else 60
        if at == 60 or self.hand_stamp[at] != self.looks:
            if at < 60:
                self.hand_stamp[at] = self.looks
            hand_features(board, self.seat, self.mine, self.root.clan_left, self.root.tactic_left, 0.0, x, 0)
            copy64(self.hands, MIDDLE * at, w, B3)
            notes64(terms, w, WG, x, 0, HAND)
            sum64(self.hands, MIDDLE * at, terms)
        copy64(middle, 0, self.hands, MIDDLE * at)
        for s in range(9):
            note64(terms, self.z, MIDDLE * self.picked[s], 1.0)
        note64(terms, w, WG + 30 * MIDDLE, self.fold())
        sum64(middle, 0, terms)
        return logistic(float(dot64(middle, w, W4)) + float(w[B4]))


fill_layers()
