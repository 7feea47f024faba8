# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False
"""The chances that a side becomes each formation and that a stone is won, by closed formulae without search.

Unknown cards are taken as independent: each card comes to a side with a chance that depends only on where it is now
(in the seat's hand, or not seen yet). For an incomplete side, these chances give a distribution over 15 levels (five
categories, each with a low, a middle and a high sum), and two such distributions give the chance to win the stone.

All sums are made in a fixed order, and the compiler may not merge operations (`-ffp-contract=off`), so the numbers are
the same to the last bit on every machine.
"""

from __future__ import annotations

from typing import Any

import cython


def fill_odds() -> None:
    """Fill the borders between low, middle and high sums (of three cards), and the distribution of an empty side."""
    for category, border in enumerate((11.5, 9.5, 12.5, 9.5, 9.5)):
        LOW[category] = border
    for category, border in enumerate((16.5, 15.5, 17.5, 18.5, 15.5)):
        HIGH[category] = border
    for category, share in enumerate((0.12, 0.18, 0.26, 0.22, 0.22)):
        for part, weight in enumerate((0.25, 0.4, 0.35)):
            EMPTY[3 * category + part] = share * weight
    EMPTY[15] = 16.0


def level_of(category: int, total: float, n: int) -> int:
    """Return the level of a formation of `n` cards with that sum."""
    total = total * 3.0 / n
    if total < LOW[category]:
        return 3 * category
    return 3 * category + (2 if total > HIGH[category] else 1)


def fog_level(total: float, n: int) -> int:
    """Return the level of a sum under Fog: 15 equal parts of 3 to 30."""
    share = (total * 3.0 / n - 3.0) * 0.556
    at = 0
    while at < 14 and share >= at + 1:
        at += 1
    return at


class Pool:
    """The cards that can still come to one seat's sides, with their chances."""

    @cython.final
    def fill(self, hand: int, unseen: int, in_hand: float, from_unseen: float) -> None:
        """Set the cards in the hand and the unseen cards, with the chance of each to come to a side (below 1)."""
        self.unseen = unseen
        self.in_hand = in_hand
        self.from_unseen = from_unseen
        self.hand_odds = in_hand / (1.0 - in_hand)
        self.unseen_odds = from_unseen / (1.0 - from_unseen)
        p = 1.0
        r = 1.0
        for i in range(64):
            self.no_hand[i] = p
            self.no_unseen[i] = r
            p *= 1.0 - in_hand
            r *= 1.0 - from_unseen
        self.total_unseen = sum_of(unseen)
        self.set_hand(hand)

    @cython.final
    def set_hand(self, hand: int) -> None:
        """Replace the hand and leave the rest as it is."""
        self.hand = hand
        p = popcount(hand) * self.in_hand + popcount(self.unseen) * self.from_unseen
        self.mean = (sum_of(hand) * self.in_hand + self.total_unseen * self.from_unseen) / p if p > 0.0 else 0.0

    @cython.final
    def chance(self, card: int) -> float:
        """Return the chance that the card (a set of one) comes."""
        if self.hand & card:
            return self.in_hand
        return self.from_unseen if self.unseen & card else 0.0

    @cython.final
    def one_of(self, cards: int) -> float:
        """Return the chance that at least one of the cards comes."""
        return 1.0 - self.no_hand[popcount(cards & self.hand)] * self.no_unseen[popcount(cards & self.unseen)]

    @cython.final
    def at_least(self, cards: int, k: int) -> float:
        """Return the chance that at least `k` (0 to 4) of the cards come."""
        if k <= 0:
            return 1.0
        a = popcount(cards & self.hand)
        b = popcount(cards & self.unseen)
        if a + b < k:
            return 0.0
        none = self.no_hand[a] * self.no_unseen[b]
        if k == 1:
            return 1.0 - none
        h = self.hand_odds
        u = self.unseen_odds
        fewer = 1.0 + (a * h + b * u)
        if k > 2:
            fewer += a * (a - 1) * 0.5 * h * h + a * b * h * u + b * (b - 1) * 0.5 * u * u
        if k > 3:
            fewer += (
                a * (a - 1) * (a - 2) / 6.0 * h * h * h
                + a * (a - 1) * 0.5 * b * h * h * u
                + a * b * (b - 1) * 0.5 * h * u * u
                + b * (b - 1) * (b - 2) / 6.0 * u * u * u
            )
        least = 1.0 - none * fewer
        return least if least > 0.0 else 0.0

    @cython.final
    def window_chance(self, slots: int, colour: int, joker: bool) -> float:
        """Return the chance that a card comes for each value of `slots` (bits), of one colour (0..5) or of any (-1).

        A joker takes the slot that is least likely to be filled.
        """
        least = 1.0
        rest = 1.0
        while slots:
            v = ctz(slots)
            slots &= slots - 1
            if colour < 0:
                p = self.one_of(group(v))
            else:
                p = self.chance(group(v) & PLANE << colour)
            if p < least:
                rest *= least
                least = p
            else:
                rest *= p
        return rest if joker else rest * least

    @cython.final
    def become(
        self, out: Any, at: int, side: int, n: int, fog: bool, rules: Any, joker: int, spy: int, bearer: int
    ) -> None:
        """Write to `out[at:at + 16]` the distribution of what an incomplete side of capacity `n` becomes.

        Levels 0..14 are `3 * category + (0 low, 1 middle, 2 high)`; place 15 is the expected sum. `rules` is the board
        (for values and the spy); `joker`, `spy` and `bearer` are the bindings of wilds, -1 for a free one.
        """
        if not side and not fog:
            for i in range(STEP):
                out[at + i] = EMPTY[i]
            out[at + 15] = EMPTY[15] * n / 3.0
            return
        for i in range(STEP):
            out[at + i] = 0.0
        k = n - popcount(side)
        values = rules.values
        taken = 0  # bits of the values already there
        total = 0
        same = 0  # the one value of all cards; 0 none yet, -1 several
        distinct = True
        clan = side & ALL60
        while clan:
            v = VALUE[ctz(clan)]
            clan &= clan - 1
            distinct = distinct and not taken >> v & 1
            taken |= 1 << v
            total += v
            if same != v:
                same = v if same == 0 else -1
        free_joker = False
        free_bearer = False
        for i in range(3 if side & (JOKER | SPY | BEARER) else 0):
            v = 0
            if i == 0 and side & JOKER:
                free_joker = joker < 0
                v = 0 if joker < 0 else VALUE[joker]
            elif i == 1 and side & SPY:
                v = rules.spy
            elif i == 2 and side & BEARER:
                free_bearer = bearer < 0
                v = 0 if bearer < 0 else VALUE[bearer]
            if v:
                distinct = distinct and not taken >> v & 1
                taken |= 1 << v
                total += v
                if same != v:
                    same = v if same == 0 else -1
        expected = total + k * self.mean
        if free_joker:
            expected += 7.0
        if free_bearer:
            expected += 2.5
        out[at + 15] = expected
        if fog:  # only the sum counts: a bell around the expected one
            level = fog_level(expected, n)
            norm = 0.0
            for i in range(LEVELS):
                d = i - level if i > level else level - i
                weight = 2.0 * k + 1.0 - d
                if weight > 0.0:
                    out[at + i] = weight
                    norm += weight
            for i in range(LEVELS):
                out[at + i] /= norm
            return
        left = 1.0
        colours = colours_of(side & ALL60, side, joker, spy, bearer)
        if distinct and colours:
            left = self.of_a_run(out, at, taken, n, left, values, colours, free_joker, free_bearer)
        if same >= 0:
            left = self.of_a_kind(out, at, k, n, left, same, 3 if free_bearer else values)
        rest = colours
        while rest:
            p = left * self.at_least(PLANE << ctz(rest), k)
            rest &= rest - 1
            out[at + level_of(COLOUR, expected, n)] += p
            left -= p
        if distinct:
            left = self.of_a_run(out, at, taken, n, left, values, 0, free_joker, free_bearer)
        out[at + level_of(SUM, expected, n)] += left

    @cython.final
    def of_a_run(
        self, out: Any, at: int, taken: int, n: int, left: float, values: int, colours: int, joker: bool, bearer: bool
    ) -> float:
        """Add the levels of runs, best first, in one of `colours` (bits; 0: in any); return the chance left."""
        first = values - n + 1
        if taken and ctz(taken) < first:
            first = ctz(taken)
        for v in range(first, 0, -1):
            slots = ((1 << n) - 1) << v
            if taken & ~slots:
                break
            slots &= ~taken
            if bearer:
                if not slots & 14:
                    continue
                slots ^= 8 if slots & 8 else 4 if slots & 4 else 2
            level = level_of(COLOUR_RUN if colours else RUN, v * n + n * (n - 1) * 0.5, n)
            if not colours:
                p = left * self.window_chance(slots, -1, joker)
                out[at + level] += p
                left -= p
            rest = colours
            while rest:
                p = left * self.window_chance(slots, ctz(rest), joker)
                rest &= rest - 1
                out[at + level] += p
                left -= p
        return left

    @cython.final
    def of_a_kind(self, out: Any, at: int, k: int, n: int, left: float, same: int, highest: int) -> float:
        """Add the levels of three (four) of a kind and return the chance left.

        The value is `same`, or any value up to `highest` if `same` is 0.
        """
        last = same if same else 1
        for v in range(same if same and same < highest else highest, last - 1, -1):
            p = left * self.at_least(group(v), k)
            out[at + level_of(KIND, v * n, n)] += p
            left -= p
        return left


def is_strength(out: Any, at: int, strength: int, n: int, fog: bool) -> None:
    """Write the distribution of a complete side: all of it on one level."""
    for i in range(STEP):
        out[at + i] = 0.0
    total = strength % RANK
    out[at + (fog_level(total, n) if fog else level_of(strength // RANK, total, n))] = 1.0
    out[at + 15] = total


def compare(mine: Any, m: int, theirs: Any, t: int) -> float:
    """Return the chance that the first of two distributions is the better formation, from 0.002 to 0.998."""
    below = 0.0
    p = 0.0
    for i in range(LEVELS):
        p += mine[m + i] * (below + theirs[t + i] * 0.5)
        below += theirs[t + i]
    p += 0.01 * (mine[m + 15] - theirs[t + 15])
    return 0.002 if p < 0.002 else 0.998 if p > 0.998 else p


def known_chance(board: Board, p: int, s: int, mine: Pool, theirs: Pool) -> float:
    """Return the chance that seat `p` wins stone `s` (0..8) if it follows from single cards, else -1.

    It does on stones that are owned or full, and where a full side meets one that lacks a single card.
    """
    q = 1 - p
    b = 1 << s
    i = 9 * p + s
    j = 9 * q + s
    if board.owned[p] & b:
        return 1.0
    if board.owned[q] & b:
        return 0.0
    my_own = board.complete[p] & b
    their_own = board.complete[q] & b
    if not my_own and not their_own:
        return -1.0
    if my_own and their_own:
        if board.strength[i] == board.strength[j]:
            return 1.0 if (board.first & b != 0) == (p == 0) else 0.0
        return 1.0 if board.strength[i] > board.strength[j] else 0.0
    if (board.fog | board.mud | board.wild) & b:
        return -1.0
    if my_own and board.size[j] == 2:
        outs = outs_with_one(theirs.hand | theirs.unseen, board.sides[j], board.strength[i])
        return theirs.no_hand[popcount(outs & theirs.hand)] * theirs.no_unseen[popcount(outs & theirs.unseen)]
    if their_own and board.size[i] == 2:
        return mine.one_of(outs_with_one(mine.hand | mine.unseen, board.sides[i], board.strength[j]))
    return -1.0


def side_levels(board: Board, p: int, s: int, pool: Pool, out: Any, at: int) -> None:
    """Write to `out[at:at + 16]` the distribution of what seat `p`'s side of the open stone `s` is or becomes."""
    n = 3 + (board.mud >> s & 1)
    fog = board.fog >> s & 1 != 0
    if board.complete[p] >> s & 1:
        is_strength(out, at, board.strength[9 * p + s], n, fog)
    else:
        pool.become(out, at, board.sides[9 * p + s], n, fog, board, board.bound[p], board.bound[2], board.bound[3])


fill_odds()
