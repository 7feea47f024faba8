# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False
"""A position as numbers between about 0 and 1, for nets: 48 for each stone and 32 for the hands and decks."""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from arena.game import nocython as cython  # type: ignore[no-redef]

from arena.game.board import Board
from arena.policy.stones import Pool

if not cython.compiled:
    from arena.game.bits import PLANE, popcount
    from arena.game.formations import group, sum_of
    from arena.policy.stones import STEP, stone_chance

    STONE, HAND, ALL = 48, 32, 464


#: Numbers of a position.
NUMBERS = 464


def stone_features(
    board: Board, p: int, s: int, mine: Pool, theirs: Pool, deck: int, room: Any, x: Any, at: int
) -> float:
    """Write the 48 numbers of stone `s` (0..8) for seat `p` to `x[at:]`; the chance to win the stone.

    0, 1 owned by the seat, by the other; 2..5 and 6..9 cards missing on the own and the other side (0, 1, 2, more);
    10..24 and 25..39 what the sides become, by level; 40 the chance to win; 41, 42 Fog, Mud; 43, 44 strengths of
    complete sides; 45, 46 sums to expect; 47 cards in the clan deck.
    """
    q = 1 - p
    b = 1 << s
    for i in range(STONE):
        x[at + i] = 0.0
    chance = stone_chance(board, p, s, mine, theirs, room, True)
    x[at + 40] = chance
    if board.owned[p] & b:
        x[at] = 1.0
        return chance
    if board.owned[q] & b:
        x[at + 1] = 1.0
        return chance
    n = 3 + (board.mud >> s & 1)
    i = n - board.size[9 * p + s]
    x[at + 2 + (3 if i > 3 else i)] = 1.0
    i = n - board.size[9 * q + s]
    x[at + 6 + (3 if i > 3 else i)] = 1.0
    for i in range(15):
        x[at + 10 + i] = room[i]
        x[at + 25 + i] = room[STEP + i]
    x[at + 41] = 1.0 if board.fog & b else 0.0
    x[at + 42] = 1.0 if board.mud & b else 0.0
    if board.complete[p] & b:
        x[at + 43] = board.strength[9 * p + s] / 320.0
    if board.complete[q] & b:
        x[at + 44] = board.strength[9 * q + s] / 320.0
    x[at + 45] = room[15] / 30.0
    x[at + 46] = room[STEP + 15] / 30.0
    x[at + 47] = deck / 42.0
    return chance


def hand_features(
    board: Board, p: int, mine: Pool, deck: int, tactic_deck: int, chance: float, x: Any, at: int
) -> None:
    """Write the 32 numbers of hands and decks for seat `p` to `x[at:]`; `chance` is that to win by the stones' chances.

    0 clan deck; 1, 2 clan cards in the hands; 3, 4 open places of both; of the own hand 5, 6 pairs of one colour at
    distance 1, 2 with a third card alive, 7, 8 pairs and triples of a value, 9, 10 high and low cards, 11 longest
    colour, 12 mean value, 13 colour runs, 14..22 tactic cards; 23 those of the other, 24 played more than the other;
    25, 26 who may play one; 27, 28 jokers played; 29 tactic deck; 30 `chance`; 31 values up to 10.
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
    x[at + 31] = 1.0 if board.values == 10 else 0.0
