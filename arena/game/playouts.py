# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False
"""Chance inside the engine: shuffled decks, hidden cards dealt anew, random moves, whole games to their end."""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from arena.game import nocython as cython  # type: ignore[no-redef]

from arena.game.rng import Rng
from arena.game.turns import Turns

if not cython.compiled:
    from arena.game.bits import ctz, nth, popcount, scale
    from arena.game.board import COUNT9, NTH9
    from arena.game.choices import CODES, OVER, PLAY


class Playouts(Turns):
    """Turns that can be played at random."""

    @cython.final
    def random_step(self, rng: Rng) -> None:
        """A uniformly random legal move; all are counted, and listed if it is not the play of a clan card."""
        p = self.mover
        r = rng.step()
        if self.stage == PLAY:
            h = self.hands[p]
            o = self.open[p]
            if h and o:
                if not self.tactics[p] or self.played[p] > self.played[1 - p]:
                    self.play_clan(nth(h, scale(r, self.clan_count[p])), NTH9[9 * o + scale(r >> 32, COUNT9[o])])
                    return
                n = self.clan_count[p] * COUNT9[o]
                k = scale(r, n + (self.tactic_codes(CODES, 0) if self.on_play else self.count_tactic_codes()))
                if k < n:
                    self.play_clan(nth(h, k // COUNT9[o]), NTH9[9 * o + k % COUNT9[o]])
                else:
                    self.tactic_codes(CODES, 0)
                    self.perform(CODES[k - n])
                return
        n = self.legal_codes(CODES)
        self.perform(CODES[scale(r, n)])

    @cython.final
    def play_out(self, rng: Rng) -> int:
        """Random moves to the end; the winner, 2 for a draw."""
        automatic = self.auto[0] and self.auto[1] and self.window_after and not self.window_start
        if automatic and not self.logging and self.stage == PLAY:
            return self.play_out_plain(rng)
        while self.won < 0:
            self.random_step(rng)
        return self.won

    @cython.final
    def play_out_plain(self, rng: Rng) -> int:
        """`play_out` without its questions, where claims happen by themselves after the play and nothing is logged:
        the play of a clan card, the claims and the draw in one piece, all else the general way. What is known of
        cards put back is not kept up: nobody asks for it any more."""
        p = self.mover
        tactical = self.with_tactics != 0
        bit = 1
        while True:
            r = rng.step()
            h = self.hands[p]
            o = self.open[p]
            code = -1
            if not h or not o:
                code = CODES[scale(r, self.legal_codes(CODES))]
            elif not tactical or not self.tactics[p] or self.played[p] > self.played[1 - p]:
                card = nth(h, scale(r, self.clan_count[p]))
                s = NTH9[9 * o + scale(r >> 32, COUNT9[o])]
            else:
                n = self.clan_count[p] * COUNT9[o]
                k = scale(r, n + (self.tactic_codes(CODES, 0) if self.on_play else self.count_tactic_codes()))
                if k < n:
                    card = nth(h, k // COUNT9[o])
                    s = NTH9[9 * o + k % COUNT9[o]]
                else:
                    self.tactic_codes(CODES, 0)
                    code = CODES[k - n]
            if code >= 0:
                self.perform(code)
                while self.stage != PLAY and self.won < 0:
                    self.random_step(rng)
                if self.won >= 0:
                    return self.won
                p = self.mover
                continue
            self.hands[p] = h ^ bit << card
            self.clan_count[p] -= 1
            self.idle = 0
            self.put_clan(p, card, s)
            if self.dirty[p] or self.watched[p] & self.visible:
                got = self.provable(p)
                if got:
                    self.give(p, got)
                    if self.won >= 0:
                        self.stage = OVER
                        return self.won
            if not tactical:
                if self.clan_left and self.clan_count[p] < self.hand_size:
                    self.hands[p] |= bit << self.clan_deck[self.clan_pos]
                    self.clan_pos += 1
                    self.clan_left -= 1
                    self.clan_count[p] += 1
            elif self.clan_count[p] + self.tactic_count[p] < self.hand_size:
                if self.clan_left and (not self.tactic_left or scale(rng.step(), 2) == 0):
                    self.draw(0)
                elif self.tactic_left:
                    self.draw(1)
            p = 1 - p
            self.mover = p
            self.turn_count += 1

    # ---- samples: the board is a copy of what a seat knows, the decks are its own --------------------------------

    @cython.final
    def place_known(self, p: int) -> None:
        """What seat `p` knows of the hidden cards: its own returns. All other places in the decks become 255."""
        q = 1 - p
        for i in range(self.clan_pos, self.clan_end):
            self.clan_deck[i] = 255
        for i in range(self.tactic_pos, self.tactic_end):
            self.tactic_deck[i] = 255
        if self.scouter == p:
            for i in range(self.back_n):
                if self.back_place[i] == 254:
                    self.add_known(q, self.back_card[i])
                elif self.back_place[i] < 250:
                    if self.back_deck[i]:
                        self.tactic_deck[self.back_place[i]] = self.back_card[i]
                    else:
                        self.clan_deck[self.back_place[i]] = self.back_card[i]

    @cython.final
    def hidden_clan_cards(self, p: int) -> int:
        """The clan cards that seat `p` does not see and that have not been placed yet."""
        bit = 1
        hidden = self.all_cards & ~(self.visible | self.hands[p] | self.hands[1 - p])
        for i in range(self.clan_pos, self.clan_end):
            if self.clan_deck[i] < 60:
                hidden &= ~(bit << self.clan_deck[i])
        return hidden

    @cython.final
    def hidden_tactic_cards(self, p: int, out: Any) -> int:
        """Write the tactic cards that seat `p` does not see and that have not been placed yet; how many there are."""
        q = 1 - p
        gone = self.rows[0] | self.rows[1]
        for i in range(18):
            gone |= self.sides[i] >> 60
        if 60 < self.taken < 69:
            gone |= 1 << (self.taken - 60)
        gone |= (8 if self.fog else 0) | (16 if self.mud else 0)
        gone |= (self.tactics[p] | self.tactics[q]) >> 1  # without the jokers, which are counted
        jokers = 2 - self.jokers[0] - self.jokers[1] - popcount(self.tactics[p] & 3) - popcount(self.tactics[q] & 3)
        for i in range(self.tactic_pos, self.tactic_end):
            if self.tactic_deck[i] == 60:
                jokers -= 1
            elif self.tactic_deck[i] < 69:
                gone |= 1 << (self.tactic_deck[i] - 60)
        n = 0
        while n < jokers:
            out[n] = 60
            n += 1
        for i in range(1, 9):
            if not gone >> i & 1:
                out[n] = 60 + i
                n += 1
        return n

    @cython.final
    def unplaced(self, p: int) -> list[int]:
        """The numbers of the cards that seat `p` does not see and that have not been placed yet."""
        if not cython.compiled:
            tactics = [0] * 16
        hidden = self.hidden_clan_cards(p)
        cards = [card for card in range(60) if hidden >> card & 1]
        n = self.hidden_tactic_cards(p, tactics) if self.with_tactics else 0
        return cards + [tactics[i] for i in range(n)]

    @cython.final
    def deal_rest(self, p: int, rng: Rng) -> None:
        """Deal what has not been placed yet to the hand of the other seat and the decks, all ways equally likely."""
        if not cython.compiled:
            cards, tactics = [0] * 64, [0] * 16
        q = 1 - p
        bit = 1
        n = 0
        hidden = self.hidden_clan_cards(p)
        while hidden:
            cards[n] = ctz(hidden)
            hidden &= hidden - 1
            n += 1
        for i in range(n - 1, 0, -1):
            j = rng.pick(i + 1)
            c = cards[i]
            cards[i] = cards[j]
            cards[j] = c
        m = 0
        if self.with_tactics:
            m = self.hidden_tactic_cards(p, tactics)
        for i in range(m - 1, 0, -1):
            j = rng.pick(i + 1)
            c = tactics[i]
            tactics[i] = tactics[j]
            tactics[j] = c
        while n and self.hidden_clan(q) > 0:
            n -= 1
            self.hands[q] |= bit << cards[n]
        while m and self.hidden_tactics(q) > 0:
            m -= 1
            self.add_known(q, tactics[m])
        for i in range(self.clan_pos, self.clan_end):
            if self.clan_deck[i] == 255 and n:
                n -= 1
                self.clan_deck[i] = cards[n]
        for i in range(self.tactic_pos, self.tactic_end):
            if self.tactic_deck[i] == 255 and m:
                m -= 1
                self.tactic_deck[i] = tactics[m]
        for i in range(self.back_n):  # the other's recruiter knows what it put back, in this state too
            if self.back_place[i] < 250:
                j = self.back_place[i]
                self.back_card[i] = self.tactic_deck[j] if self.back_deck[i] else self.clan_deck[j]

    @cython.final
    def shuffle(self, rng: Rng) -> None:
        """Shuffle both whole decks in place, for games made inside the engine: two steps from one random number."""
        for i in range(60):  # afresh: the recruiter's returns of the last game stand in the arrays
            self.clan_deck[i] = i
        for i in range(10):
            self.tactic_deck[i] = 60 if i == 0 else 59 + i
        for i in range(6 * self.values - 1, 0, -2):
            r = rng.step()
            j = scale(r, i + 1)
            c = self.clan_deck[i]
            self.clan_deck[i] = self.clan_deck[j]
            self.clan_deck[j] = c
            j = scale(r >> 32, i)
            c = self.clan_deck[i - 1]
            self.clan_deck[i - 1] = self.clan_deck[j]
            self.clan_deck[j] = c
        for i in range(10 * self.with_tactics - 1, 0, -1):
            j = rng.pick(i + 1)
            c = self.tactic_deck[i]
            self.tactic_deck[i] = self.tactic_deck[j]
            self.tactic_deck[j] = c
