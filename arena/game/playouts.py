# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False
"""Random play inside the engine: shuffled decks, random moves, whole games to their end."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from arena.game import nocython as cython  # type: ignore[no-redef]

from arena.game.rng import Rng
from arena.game.turns import Turns

if not cython.compiled:
    from arena.game.bits import nth, scale
    from arena.game.board import COUNT9, NTH9
    from arena.game.choices import CODES, OVER, PLAY
    from arena.game.moves import PASS


class Playouts(Turns):
    """Turns that can be played at random."""

    @cython.final
    def random_step(self, rng: Rng) -> None:
        """A uniformly random legal move; the short way where only clan cards can be played."""
        p = self.mover
        r = rng.step()
        if self.stage == PLAY and (not self.tactics[p] or self.played[p] > self.played[1 - p]):
            h = self.hands[p]
            o = self.open[p]
            if h and o:
                self.play_clan(nth(h, scale(r, self.clan_count[p])), NTH9[9 * o + scale(r >> 32, COUNT9[o])])
                return
        n = self.legal_codes(CODES)
        self.perform(CODES[scale(r, n)])

    @cython.final
    def play_out(self, rng: Rng) -> int:
        """Random moves to the end; the winner, 2 for a draw."""
        automatic = self.auto[0] and self.auto[1] and self.window_after and not self.window_start
        if automatic and not self.with_tactics and not self.logging and self.stage == PLAY:
            return self.play_out_clan(rng)
        while self.won < 0:
            self.random_step(rng)
        return self.won

    @cython.final
    def play_out_clan(self, rng: Rng) -> int:
        """`play_out` without its questions: clan cards only, claims by themselves after the play, no log."""
        p = self.mover
        while True:
            r = rng.step()
            h = self.hands[p]
            o = self.open[p]
            bit = 1
            if h and o:
                card = nth(h, scale(r, self.clan_count[p]))
                self.hands[p] = h ^ bit << card
                self.clan_count[p] -= 1
                self.idle = 0
                self.put_clan(p, card, NTH9[9 * o + scale(r >> 32, COUNT9[o])])
            else:  # a pass, the general way
                self.mover = p
                self.perform(PASS)
                if self.won >= 0:
                    return self.won
                p = self.mover
                continue
            if self.dirty[p] or self.watched[p] & self.visible:
                got = self.provable(p)
                if got:
                    self.give(p, got)
                    if self.won >= 0:
                        break
            if self.clan_left and self.clan_count[p] < self.hand_size:
                self.hands[p] |= bit << self.clan_deck[self.clan_pos]
                self.clan_pos += 1
                self.clan_left -= 1
                self.clan_count[p] += 1
            p = 1 - p
            self.turn_count += 1
        self.mover = p
        self.stage = OVER
        return self.won

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
