# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False
"""Which moves are legal, by the numbers of moves (RULES.md §3 to §5)."""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from arena.game import nocython as cython  # type: ignore[no-redef]

from arena.game.public_state import Shown

if not cython.compiled:
    from arena.game.bits import ALL60, BEARER, JOKER, SPY, ctz
    from arena.game.board import COUNT9
    from arena.game.cards import FOG_CARD, JOKER_CARD, SCOUT_CARD, SPY_CARD
    from arena.game.moves import BIND, BIND_BEARER, BIND_SPY, CLAIM, DISCARD, DRAW, NO_CLAIM, PASS, RETURN, RUSE
    from arena.game.moves import TAKE as TAKE_CODE

    CLAIM_START, PLAY, TAKE, PUT, SCOUT, PUT_BACK, CLAIM_END, DRAW_CARD, OVER = range(9)
    CODES = [0] * 2048


class Choices(Shown):
    """A board that knows what the seat to decide may do."""

    # ---- legal moves ------------------------------------------------------------------------------------------

    @cython.final
    def legal_codes(self, out: Any) -> int:
        """Write the numbers of the legal moves to `out`; return how many there are."""
        p = self.mover
        n = 0
        if self.stage == PLAY:
            n = self.play_codes(out)
            if self.tactics[p] and self.played[p] <= self.played[1 - p]:
                n = self.tactic_codes(out, n)
            if not self.hands[p] or not self.open[p]:
                out[n] = PASS
                n += 1
        elif self.stage == TAKE:
            n = self.target_codes(out, 0, self.ruse)
        elif self.stage == PUT:
            c = self.open[p]
            if self.ruse == SCOUT_CARD + 1:  # redeploy: another stone, or away
                c &= 511 ^ 1 << self.taken_stone
            if self.taken >= JOKER_CARD:
                n = self.elite_codes(out, 0, self.taken, c)
            else:
                n = self.spread_codes(out, 0, 9 * self.taken, c)
            if self.ruse == SCOUT_CARD + 1:
                out[n] = DISCARD
                n += 1
        elif self.stage == SCOUT or self.stage == DRAW_CARD:
            out[0] = DRAW
            out[1] = DRAW + 1
            n = 2
        elif self.stage == PUT_BACK:
            h = self.hands[p]
            while h:
                out[n] = RETURN + ctz(h)
                n += 1
                h &= h - 1
            if self.tactics[p] & 3:
                out[n] = RETURN + JOKER_CARD
                n += 1
            for s in range(2, 10):
                if self.tactics[p] >> s & 1:
                    out[n] = RETURN + 59 + s
                    n += 1
        elif self.stage != OVER:
            n = self.spread_codes(out, 0, CLAIM, self.claims)
            out[n] = NO_CLAIM
            n += 1
        return n

    @cython.final
    def play_codes(self, out: Any) -> int:
        """Clan cards onto own sides with room."""
        n = 0
        h = self.hands[self.mover]
        o = self.open[self.mover]
        while h:
            c = 9 * ctz(h)
            h &= h - 1
            s = o
            while s:
                out[n] = c + ctz(s)
                n += 1
                s &= s - 1
        return n

    @cython.final
    def spread_codes(self, out: Any, n: int, base: int, stones: int) -> int:
        """`base + stone` for each stone of a set."""
        while stones:
            out[n] = base + ctz(stones)
            n += 1
            stones &= stones - 1
        return n

    @cython.final
    def elite_codes(self, out: Any, n: int, card: int, stones: int) -> int:
        """A wild onto each stone of a set, with each binding where wilds are bound when played."""
        if not self.on_play:
            return self.spread_codes(out, n, 9 * card, stones)
        if card == JOKER_CARD:
            base = BIND
            low = 6 * self.values
        elif card == SPY_CARD:
            base = BIND_SPY
            low = 6
        else:
            base = BIND_BEARER
            low = 18
        for c in range(low):
            n = self.spread_codes(out, n, base + 9 * c, stones)
        return n

    @cython.final
    def tactic_codes(self, out: Any, n: int) -> int:
        """The tactic cards in hand, where the limit allows one."""
        p = self.mover
        t = self.tactics[p]
        o = self.open[p]
        free = 511 ^ (self.owned[0] | self.owned[1])
        if t & 3 and not self.jokers[p]:
            n = self.elite_codes(out, n, JOKER_CARD, o)
        if t & 4:
            n = self.elite_codes(out, n, SPY_CARD, o)
        if t & 8:
            n = self.elite_codes(out, n, SPY_CARD + 1, o)
        if t & 16:
            n = self.spread_codes(out, n, 9 * FOG_CARD, free)
        if t & 32:
            n = self.spread_codes(out, n, 9 * FOG_CARD + 9, free)
        if t & 64 and self.clan_left + self.tactic_left:
            out[n] = RUSE
            n += 1
        for q in range(1, 4):  # redeploy, deserter, traitor
            if t >> (6 + q) & 1 and (q < 3 or o) and self.has_target(SCOUT_CARD + q):
                out[n] = RUSE + q
                n += 1
        return n

    @cython.final
    def count_tactic_codes(self) -> int:
        """How many moves `tactic_codes` writes, where wilds are not bound when played."""
        p = self.mover
        t = self.tactics[p]
        o = self.open[p]
        n = COUNT9[o] * ((1 if t & 3 and not self.jokers[p] else 0) + (t >> 2 & 1) + (t >> 3 & 1))
        n += COUNT9[511 ^ (self.owned[0] | self.owned[1])] * ((t >> 4 & 1) + (t >> 5 & 1))
        if t & 64 and self.clan_left + self.tactic_left:
            n += 1
        for q in range(1, 4):  # redeploy, deserter, traitor
            if t >> (6 + q) & 1 and (q < 3 or o) and self.has_target(SCOUT_CARD + q):
                n += 1
        return n

    @cython.final
    def has_target(self, ruse: int) -> bool:
        """Can the ruse take any card at all?"""
        p = self.mover if ruse == SCOUT_CARD + 1 else 1 - self.mover
        takes = ALL60 if self.clan_only or ruse == SCOUT_CARD + 3 else ALL60 | JOKER | SPY | BEARER
        free = 511 ^ (self.owned[0] | self.owned[1])
        found = 0
        for s in range(9):  # without branches
            found |= self.sides[9 * p + s] & -(free >> s & 1)
        return found & takes != 0

    @cython.final
    def target_codes(self, out: Any, n: int, ruse: int) -> int:
        """What a ruse can take: redeploy own cards, the others the opponent's, on unclaimed stones."""
        p = self.mover if ruse == SCOUT_CARD + 1 else 1 - self.mover
        stones = 511 ^ (self.owned[0] | self.owned[1])
        while stones:
            s = ctz(stones)
            stones &= stones - 1
            w = self.sides[9 * p + s]
            while w:
                c = ctz(w)
                w &= w - 1
                if c < JOKER_CARD or not (self.clan_only or ruse == SCOUT_CARD + 3):
                    out[n] = TAKE_CODE + 9 * c + s
                    n += 1
        return n

    @cython.final
    def is_legal(self, code: int) -> bool:
        """Is the move of that number legal?"""
        p = self.mover
        if code < 540 and self.stage == PLAY:
            return (self.hands[p] >> (code // 9) & self.open[p] >> (code % 9) & 1) != 0
        n = self.legal_codes(CODES)
        for i in range(n):  # noqa: SIM110 (a generator would need Python objects)
            if CODES[i] == code:
                return True
        return False
