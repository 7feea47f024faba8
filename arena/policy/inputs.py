# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False
"""Positions as numbers between about 0 and 1, for nets: 100 for each stone and 55 for the hands, decks and rules."""

from __future__ import annotations

from typing import Any

import cython

from arena.game.board import Board
from arena.game.engine import State
from arena.game.moves import Move
from arena.policy.evaluator import Evaluator
from arena.policy.stones import Pool

#: The numbers of a position.
NUMBERS = 955


def my_features(board: Board, p: int, s: int, chance: float, levels: Any, x: Any, at: int) -> None:
    """Write to `x[at:at + 100]` the seat's own part of the numbers of stone `s` (0..8), all except its cards.

    0, 1: owned by the seat, by the other; 2..5: cards missing on the seat's side (0, 1, 2, more); 10..24: what that
    side becomes, by level; 40: the chance to win the stone; 43: the strength of a complete side; 45: the expected sum.
    An owned stone has only 0 or 1, and 40.
    """
    b = 1 << s
    for i in range(6):
        x[at + i] = 0.0
    x[at + 40] = chance
    if (board.owned[0] | board.owned[1]) & b:
        x[at + (0 if board.owned[p] & b else 1)] = 1.0
        return
    i = 3 + (board.mud >> s & 1) - board.size[9 * p + s]
    x[at + 2 + (3 if i > 3 else i)] = 1.0
    for i in range(15):
        x[at + 10 + i] = levels[i]
    x[at + 43] = board.strength[9 * p + s] / 320.0 if board.complete[p] & b else 0.0
    x[at + 45] = levels[15] / 30.0


def their_features(board: Board, q: int, s: int, deck: int, levels: Any, to: int, x: Any, at: int) -> None:
    """Write to `x[at:at + 100]` the other seat's (`q`) part of the numbers of the open stone `s`, all except its cards.

    6..9: cards missing on their side; 25..39: what it becomes, by level; 41, 42: Fog, Mud; 44: the strength of a
    complete side; 46: the expected sum; 47: cards in the clan deck. `levels[to:to + 16]` is what the side becomes.
    """
    for i in range(6, 10):
        x[at + i] = 0.0
    i = 3 + (board.mud >> s & 1) - board.size[9 * q + s]
    x[at + 6 + (3 if i > 3 else i)] = 1.0
    for i in range(15):
        x[at + 25 + i] = levels[to + i]
    x[at + 41] = board.fog >> s & 1
    x[at + 42] = board.mud >> s & 1
    x[at + 44] = board.strength[9 * q + s] / 320.0 if board.complete[q] >> s & 1 else 0.0
    x[at + 46] = levels[to + 15] / 30.0
    x[at + 47] = deck / 42.0


def side_colour(board: Board, p: int, s: int) -> int:
    """Return the colour (0..5) that all clan cards of an incomplete side share.

    Returns -1 if there are no cards, if there are several colours, and for a complete side.
    """
    clan = board.sides[9 * p + s] & ALL60
    if not clan or board.complete[p] >> s & 1:
        return -1
    colour = ctz(clan) % 6
    return -1 if clan & ~(PLANE << colour) else colour


def value_features(cards: int, x: Any, at: int) -> None:
    """Write to `x[at:at + 10]` the numbers of cards with the value 1, 2, ...; each card counts 0.5."""
    for v in range(10):
        x[at + v] = 0.5 * popcount(cards & group(v + 1))


def position_features(evaluator: Evaluator, board: State, x: Any) -> None:
    """Write the numbers of a position that follows the evaluator's current one."""
    p = evaluator.seat
    mine = provable(board, p)
    theirs = provable(board, 1 - p)
    unseen = evaluator.mine.unseen
    root = evaluator.root
    evaluator.mine.set_hand(board.hands[p])
    for i in range(ALL):
        x[i] = 0.0
    for s in range(9):
        chance = known_chance(board, p, s, evaluator.mine, evaluator.theirs)
        if not (board.owned[0] | board.owned[1]) >> s & 1:
            at = STEP * evaluator.levels(board, s)
            if chance < 0.0:
                chance = compare(evaluator.room, 0, evaluator.others, at)
            their_features(board, 1 - p, s, root.clan_left, evaluator.others, at, x, STONE * s)
            value_features(board.sides[9 * p + s], x, STONE * s + 48)
            colour = side_colour(board, p, s)
            if colour >= 0:
                value_features(board.hands[p] & PLANE << colour, x, STONE * s + 58)
                value_features(unseen & PLANE << colour, x, STONE * s + 68)
            value_features(board.sides[9 * (1 - p) + s], x, STONE * s + 78)
            colour = side_colour(board, 1 - p, s)
            if colour >= 0:
                value_features(unseen & PLANE << colour, x, STONE * s + 88)
            x[STONE * s + 98] = mine >> s & 1
            x[STONE * s + 99] = theirs >> s & 1
        my_features(board, p, s, chance, evaluator.room, x, STONE * s)
        evaluator.chances[FRESH + s] = chance
        evaluator.picked[s] = FRESH + s
    hand_features(board, p, evaluator.mine, root.clan_left, root.tactic_left, evaluator.fold(), x, 9 * STONE)
    evaluator.mine.set_hand(root.hands[p])


def hand_features(
    board: Board, p: int, mine: Pool, deck: int, tactic_deck: int, chance: float, x: Any, at: int
) -> None:
    """Write the 55 numbers of hands, decks and rules for seat `p` to `x[at:]`.

    0: clan deck; 1, 2: clan cards in the hands; 3, 4: open places of both seats. Of the seat's own hand: 5, 6: pairs of
    one colour at distance 1, 2 whose third card is still alive; 7, 8: pairs and triples of a value; 9, 10: high and low
    cards; 11: longest colour; 12: mean value; 13: colour runs; 14..22: tactic cards. 23: the other seat's tactic cards;
    24: tactic cards played more than the other; 25, 26: whether the seat, the other may play one; 27, 28: jokers
    played; 29: tactic deck; 30: `chance`, the chance to win computed from the stones; 31: values go up to 10; 32..41:
    cards in the hand, 42..51: unseen cards, by value, a third each; 52: wild cards are bound when they are played;
    53, 54: stones are claimed before, after a play.
    """
    q = 1 - p
    for i in range(HAND):
        x[at + i] = 0.0
    x[at] = deck / 42.0
    x[at + 1] = board.clan_count[p] / 7.0
    x[at + 2] = board.clan_count[q] / 7.0
    free = 511 ^ (board.owned[0] | board.owned[1])
    k = 0
    c = 0
    for s in range(9):
        if free >> s & 1:
            n = 3 + (board.mud >> s & 1)
            k += n - board.size[9 * p + s]
            c += n - board.size[9 * q + s]
    x[at + 3] = k / 27.0
    x[at + 4] = c / 27.0
    h = board.hands[p]
    alive = h | mine.unseen
    x[at + 5] = popcount(h & h >> 6 & (alive >> 12 | alive << 6)) / 4.0
    x[at + 6] = popcount(h & h >> 12 & alive >> 6) / 4.0
    for i in range(1, 11):
        k = popcount(h & group(i))
        if k == 2:
            x[at + 7] += 0.25
        elif k > 2:
            x[at + 8] += 0.5
    high = group(7) | group(8) | group(9) | group(10)
    low = group(1) | group(2) | group(3)
    x[at + 9] = popcount(h & high) / 7.0
    x[at + 10] = popcount(h & low) / 7.0
    c = 0
    for i in range(6):
        k = popcount(h & PLANE << i)
        c = max(c, k)
    x[at + 11] = c / 7.0
    k = popcount(h)
    if k:
        x[at + 12] = sum_of(h) / (10.0 * k)
    x[at + 13] = popcount(h & h >> 6 & h >> 12) / 2.0
    t = board.tactics[p]
    x[at + 14] = ((t & 1) + (t >> 1 & 1)) / 2.0
    for i in range(8):
        x[at + 15 + i] = t >> (i + 2) & 1
    x[at + 23] = board.tactic_count[q] / 7.0
    x[at + 24] = (board.played[p] - board.played[q]) / 4.0
    x[at + 25] = 1.0 if board.played[p] <= board.played[q] else 0.0
    x[at + 26] = 1.0 if board.played[q] <= board.played[p] else 0.0
    x[at + 27] = board.jokers[p]
    x[at + 28] = board.jokers[q]
    x[at + 29] = tactic_deck / 10.0
    x[at + 30] = chance
    x[at + 31] = board.values == 10
    for i in range(10):
        x[at + 32 + i] = popcount(h & group(i + 1)) / 3.0
        x[at + 42 + i] = popcount(mine.unseen & group(i + 1)) / 3.0
    x[at + 52] = board.on_play != 0 and board.with_tactics != 0
    x[at + 53] = board.window_start != 0
    x[at + 54] = board.window_after != 0


class Recorder:
    """Arrays for positions: 955 numbers each, with the game, the seat and the value that its player saw."""

    def __init__(self, numbers: Any, games: Any, seats: Any, values: Any) -> None:
        if not len(numbers) == ALL * len(games) == ALL * len(seats) == ALL * len(values):
            raise ValueError(f"the arrays must have room for the same number of positions, {ALL} numbers each")
        self.room = 0  # until all have been checked
        self.arrays = (numbers, games, seats, values)  # kept, because in C the following are addresses
        self.numbers = floats_of(numbers)
        self.games = ints_of(games)
        self.seats = bytes_of(seats)
        self.values = floats_of(values)
        self.room = len(games)
        self.count = 0

    @cython.final
    def write(self, evaluator: Evaluator, board: State, game: int, value: float) -> None:
        """Write the features of a position that follows the evaluator's current one; do nothing if there is no room."""
        if self.count >= self.room:
            return
        position_features(evaluator, board, self.x)
        at = ALL * self.count
        for i in range(ALL):
            self.numbers[at + i] = self.x[i]
        self.games[self.count] = game
        self.seats[self.count] = evaluator.seat
        self.values[self.count] = value
        self.count += 1


def features(position: Board, moves: list[Move] | None = None, evaluator: Evaluator | None = None) -> Any:
    """Return a position as 955 numbers (a numpy array of 32-bit floats), or with `moves` a row for each move.

    The numbers describe the point of view of the view's seat, or of the seat to decide. They begin with 100 for each
    stone 1..9: as in `my_features` and `their_features`; 48..57: the cards of the seat's side, by value, and, if it
    is incomplete and of one colour, 58..67: cards of this colour in the hand, 68..77: unseen ones; 78..87: the cards of
    the other side, 88..97: unseen ones of its colour; 98, 99: whether the seat, the other can claim it. The other 55
    are hands, decks and rules (`hand_features`). A row for a move describes the position before the draw, as
    `Evaluator.values` judges it. The chances among the numbers come from `evaluator`. Raises ValueError for moves that
    are not legal and for draws.

    >>> from arena import State, load_rules, make_deal
    >>> rules = load_rules("base")
    >>> state = State(rules, make_deal(rules, 1, 0))
    >>> features(state).shape, features(state, state.legal_moves()).shape
    ((955,), (54, 955))
    """
    import numpy as np

    if evaluator is None:
        evaluator = Evaluator()
    n = 1 if moves is None else len(moves)
    numbers = np.zeros(n * ALL, np.float32)
    recorder = Recorder(numbers, np.zeros(n, np.intc), np.zeros(n, np.int8), np.zeros(n, np.float32))
    if moves is None:
        evaluator.look(position, evaluator.seat_of(position, -1))
        recorder.write(evaluator, evaluator.root, 0, 0.0)
        return numbers
    evaluator.look(position, position.to_move)
    if not evaluator.deciding():
        raise ValueError("the drawn card is not known: there are no features after a draw")
    for move in moves:
        recorder.write(evaluator, evaluator.after_move(evaluator.code_of(position, move)), 0, 0.0)
    return numbers.reshape(n, ALL)
