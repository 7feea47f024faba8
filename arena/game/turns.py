# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False
"""The turns of a game: what moves do, by their numbers, and what follows by itself (RULES.md §3 to §5).

A turn is a chain of decisions::

    claim (if the window is open) -> play or pass -> claim (if the window is open) -> draw

with the ruse's target, the recruiter's draws and the recruiter's returns in between. Only real decisions are moves:
an empty claim window and a draw from the only deck happen by themselves, and so do the claims of a seat that
claims automatically. A pass always is a move.

Which moves are legal is said in `choices`; `engine` is the public face.
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from arena.game import nocython as cython  # type: ignore[no-redef]

from arena.game.choices import Choices
from arena.game.event_log import SeatLog

if not cython.compiled:
    from arena.game.bits import ALL54, ALL60, popcount
    from arena.game.cards import FOG_CARD, JOKER_CARD, SCOUT_CARD, SPY_CARD
    from arena.game.choices import CLAIM_END, CLAIM_START, DRAW_CARD, OVER, PLAY, PUT, PUT_BACK, SCOUT, TAKE
    from arena.game.event_log import DREW, HIDDEN_DRAW, HIDDEN_RETURN
    from arena.game.moves import BIND, BIND_BEARER, BIND_SPY, CLAIM, DISCARD, DRAW, NO_CLAIM, PASS, RETURN, RUSE
    from arena.game.moves import TAKE as TAKE_CODE


class Turns(Choices):
    """A board with both decks, and the course of the turns."""

    if not cython.compiled:
        clan_deck: list[int]
        tactic_deck: list[int]
        log0: SeatLog
        log1: SeatLog
        logging: bool

        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            self = super().__new__(cls)
            self.clan_deck, self.tactic_deck = [0] * 64, [0] * 32
            self.logging = False
            return self

    @cython.final
    def set_rules(self, numbers: Any) -> None:
        """Take over the options from `Rules.numbers`; ValueError for one that there cannot be."""
        self.values = numbers["values"]
        self.hand_size = numbers["hand_size"]
        self.spy = numbers["spy"]
        self.window_start = numbers["window_start"]
        self.window_after = numbers["window_after"]
        self.on_play = numbers["on_play"]
        self.clan_only = numbers["clan_only"]
        self.with_tactics = numbers["with_tactics"]
        self.back_on_top = numbers["back_on_top"]
        self.single = numbers["single"]
        flags = self.window_start | self.window_after | self.on_play | self.clan_only | self.with_tactics
        flags |= self.back_on_top | self.single
        if not (9 <= self.values <= 10 and 1 <= self.hand_size <= 12 and 7 <= self.spy <= 8 and 0 <= flags <= 1):
            raise ValueError(f"these are no rules that can be played: {numbers}")

    @cython.final
    def load_decks(self, clan: bytes, tactic: bytes) -> bool:
        """Take over the whole decks, first card first; False if a card is missing, foreign or twice there."""
        clans = 0
        tactics = 0
        bit = 1
        for i in range(len(clan)):
            card = clan[i]
            if card >= 60:
                return False
            self.clan_deck[i] = card
            clans |= bit << card
        for i in range(len(tactic)):
            card = tactic[i]
            if not 60 <= card <= 68:
                return False
            self.tactic_deck[i] = card
            tactics += bit << 4 * (card - 60)  # counts of four bits, for ten cards
        return clans == (ALL54 if self.values == 9 else ALL60) and tactics == (0x111111112 if self.with_tactics else 0)

    @cython.final
    def start_game(self, starter: int) -> None:
        """Deal the hands alternately from the front of the clan deck and let the starter begin."""
        self.clear()
        for i in range(2 * self.hand_size):
            bit = 1
            self.hands[i & 1] |= bit << self.clan_deck[i]
        self.clan_count[0] = self.hand_size
        self.clan_count[1] = self.hand_size
        self.clan_pos = 2 * self.hand_size
        self.clan_end = 6 * self.values
        self.clan_left = self.clan_end - self.clan_pos
        self.tactic_pos = 0
        self.tactic_end = 10 * self.with_tactics
        self.tactic_left = self.tactic_end
        self.starter = starter
        self.mover = starter
        self.stage = PLAY

    # ---- what moves do ----------------------------------------------------------------------------------------

    @cython.final
    def perform(self, code: int) -> None:
        """Carry out a legal move and everything that follows by itself."""
        if self.stage == PLAY:
            self.plays += 1
            if code < 540:
                self.play_clan(code // 9, code % 9)
            elif code == PASS:
                self.note(self.mover, PASS)
                self.idle += 1
                self.after_play()
            else:
                self.play_tactic(code)
        elif self.stage == TAKE:
            self.take(code)
        elif self.stage == PUT:
            self.put_taken(code)
        elif self.stage == SCOUT:
            self.draw(code - DRAW)
            self.scout_left -= 1
            self.scout_deck = code - DRAW
            self.go_on_scouting()
        elif self.stage == PUT_BACK:
            self.put_back(code - RETURN)
            if self.clan_count[self.mover] + self.tactic_count[self.mover] <= self.hand_size:
                self.after_play()
        elif self.stage == DRAW_CARD:
            self.draw(code - DRAW)
            self.next_turn()
        else:
            self.note(self.mover, code)
            if code == NO_CLAIM:
                self.claims = 0
                if self.stage == CLAIM_START:
                    self.stage = PLAY
                else:
                    self.draw_phase()
            else:
                self.idle = 0
                self.claims &= 511 ^ 1 << (code - CLAIM)
                self.give(self.mover, 1 << (code - CLAIM))
                if self.won >= 0:
                    self.stage = OVER
                elif not self.claims:
                    if self.stage == CLAIM_START:
                        self.stage = PLAY
                    else:
                        self.draw_phase()

    @cython.final
    def play_clan(self, card: int, s: int) -> None:
        """A clan card from the hand onto the own side."""
        p = self.mover
        bit = 1
        self.hands[p] ^= bit << card
        self.clan_count[p] -= 1
        self.idle = 0
        self.note(p, 9 * card + s)
        self.put_clan(p, card, s)
        if self.back_n:
            self.forget(p, card)
        self.after_play()

    @cython.final
    def play_tactic(self, code: int) -> None:
        """An elite troop, a combat mode, or the beginning of a ruse."""
        p = self.mover
        self.idle = 0
        self.note(p, code)
        if code >= BIND or code < RUSE:
            s = code % 9 if code < RUSE else (code - BIND) % 9
            card = code // 9
            binding = -1
            if code >= BIND_BEARER:
                card = SPY_CARD + 1
                binding = (code - BIND_BEARER) // 9
            elif code >= BIND_SPY:
                card = SPY_CARD
                binding = (code - BIND_SPY) // 9 + 6 * (self.spy - 1)
            elif code >= BIND:
                card = JOKER_CARD
                binding = (code - BIND) // 9
            self.count_tactic(card)
            if card >= FOG_CARD:
                self.put_mode(card, s)
            else:
                self.put_elite(p, card, s, binding)
            self.after_play()
        else:
            card = code - RUSE + SCOUT_CARD
            self.count_tactic(card)
            self.rows[p] |= 1 << (card - 60)
            self.ruse = card
            if card == SCOUT_CARD:
                self.scouter = p
                self.scout_left = 3
                self.scout_deck = -1
                self.go_on_scouting()
            else:
                self.stage = TAKE

    @cython.final
    def count_tactic(self, card: int) -> None:
        """A tactic card leaves the hand and counts for the limit."""
        p = self.mover
        self.drop_tactic(p, card)
        self.played[p] += 1
        if card == JOKER_CARD:
            self.jokers[p] = 1
        if self.back_n:
            self.forget(p, card)

    @cython.final
    def take(self, code: int) -> None:
        """The target of redeploy, deserter or traitor leaves its side."""
        p = self.mover
        q = p if self.ruse == SCOUT_CARD + 1 else 1 - p
        card = (code - TAKE_CODE) // 9
        s = (code - TAKE_CODE) % 9
        self.note(p, code)
        self.remove(q, card, s)
        if self.ruse == SCOUT_CARD + 2:
            self.drop(q, card)
            self.after_play()
        else:
            self.taken = card
            self.taken_stone = s
            self.stage = PUT

    @cython.final
    def drop(self, seat: int, card: int) -> None:
        """A card goes, face up, to the row of the seat whose side it left."""
        if card >= JOKER_CARD:
            self.rows[seat] |= 1 << (card - 60)
        else:
            bit = 1
            self.discards[seat] |= bit << card

    @cython.final
    def put_taken(self, code: int) -> None:
        """Where redeploy or traitor puts the card."""
        p = self.mover
        self.note(p, code)
        if code == DISCARD:
            self.drop(p, self.taken)
        elif code >= BIND_BEARER:
            self.put_elite(p, self.taken, (code - BIND) % 9, (code - BIND_BEARER) // 9)
        elif code >= BIND_SPY:
            self.put_elite(p, self.taken, (code - BIND) % 9, (code - BIND_SPY) // 9 + 6 * (self.spy - 1))
        elif code >= BIND:
            self.put_elite(p, self.taken, (code - BIND) % 9, (code - BIND) // 9)
        elif self.taken >= JOKER_CARD:
            self.put_elite(p, self.taken, code % 9, -1)
        else:
            self.put_clan(p, self.taken, code % 9)
        self.taken = 255
        self.after_play()

    # ---- decks ------------------------------------------------------------------------------------------------

    @cython.final
    def draw(self, deck: int) -> None:
        """The mover draws from the clan deck (0) or the tactic deck (1)."""
        p = self.mover
        if deck == 0:
            place = self.clan_pos
            card = self.clan_deck[place]
            self.clan_pos += 1
            self.clan_left -= 1
            bit = 1
            self.hands[p] |= bit << card
            self.clan_count[p] += 1
        else:
            place = self.tactic_pos
            card = self.tactic_deck[place]
            self.tactic_pos += 1
            self.tactic_left -= 1
            self.add_tactic(p, card)
        self.idle = 0
        if self.back_n:
            self.track(p, deck, place)
        self.note_hidden(p, DREW + card, HIDDEN_DRAW + deck)

    @cython.final
    def track(self, p: int, deck: int, place: int) -> None:
        """Was the drawn card one that the recruiter had put back? Then its player knows where it is now."""
        for i in range(self.back_n):
            if self.back_deck[i] == deck and self.back_place[i] == place:
                self.back_place[i] = 255 if p == self.scouter else 254

    @cython.final
    def forget(self, p: int, card: int) -> None:
        """A card is played: if it was known to be in that hand, it no longer is."""
        for i in range(self.back_n):
            if self.back_card[i] == card and self.back_place[i] == 254 and p != self.scouter:
                self.back_place[i] = 255
                break

    @cython.final
    def go_on_scouting(self) -> None:
        """The recruiter's draws as far as there is no choice, then its returns."""
        while self.scout_left and self.clan_left + self.tactic_left:
            if self.single and self.scout_deck >= 0:
                if (self.tactic_left if self.scout_deck else self.clan_left) == 0:
                    break
                self.draw(self.scout_deck)
            elif self.clan_left and self.tactic_left:
                self.stage = SCOUT
                return
            else:
                self.scout_deck = 0 if self.clan_left else 1
                self.draw(self.scout_deck)
            self.scout_left -= 1
        self.scout_left = 0
        if self.clan_count[self.mover] + self.tactic_count[self.mover] > self.hand_size:
            self.stage = PUT_BACK
        else:
            self.after_play()

    @cython.final
    def put_back(self, card: int) -> None:
        """The recruiter's player puts a card back, face down, on its own deck."""
        p = self.mover
        i = self.back_n
        self.back_n += 1
        self.back_card[i] = card
        if card < JOKER_CARD:
            bit = 1
            self.hands[p] ^= bit << card
            self.clan_count[p] -= 1
            self.clan_left += 1
            self.back_deck[i] = 0
            if self.back_on_top:
                self.clan_pos -= 1
                self.back_place[i] = self.clan_pos
            else:
                self.back_place[i] = self.clan_end
                self.clan_end += 1
            self.clan_deck[self.back_place[i]] = card
        else:
            self.drop_tactic(p, card)
            self.tactic_left += 1
            self.back_deck[i] = 1
            if self.back_on_top:
                self.tactic_pos -= 1
                self.back_place[i] = self.tactic_pos
            else:
                self.back_place[i] = self.tactic_end
                self.tactic_end += 1
            self.tactic_deck[self.back_place[i]] = card
        self.note_hidden(p, RETURN + card, HIDDEN_RETURN + self.back_deck[i])

    # ---- the turn ---------------------------------------------------------------------------------------------

    @cython.final
    def window(self, stage: int) -> bool:
        """An open claim window; True if the turn waits for a decision or the game is over."""
        p = self.mover
        if not self.dirty[p] and not self.watched[p] & self.visible:
            return False
        got = self.provable(p)
        if not got:
            return False
        if not self.auto[p]:
            self.claims = got
            self.stage = stage
            return True
        self.idle = 0
        for s in range(9):
            if got >> s & 1:
                self.note(p, CLAIM + s)
        self.give(p, got)
        if self.won >= 0:
            self.stage = OVER
            return True
        return False

    @cython.final
    def after_play(self) -> None:
        """The claim window after the play, then the draw."""
        self.ruse = 0
        if not (self.window_after and self.window(CLAIM_END)):
            self.draw_phase()

    @cython.final
    def draw_phase(self) -> None:
        """Draw a card if the hand is below the limit; the player chooses if both decks have cards."""
        p = self.mover
        if self.clan_count[p] + self.tactic_count[p] < self.hand_size:
            if self.clan_left and self.tactic_left:
                self.stage = DRAW_CARD
                return
            if self.clan_left:
                self.draw(0)
            elif self.tactic_left:
                self.draw(1)
        self.next_turn()

    @cython.final
    def next_turn(self) -> None:
        """The other player's turn, unless two passes in a row have ended the game."""
        if self.idle == 2:
            self.settle()
            self.stage = OVER
            return
        self.mover = 1 - self.mover
        self.turn_count += 1
        if not (self.window_start and self.window(CLAIM_START)):
            self.stage = PLAY

    @cython.final
    def note(self, p: int, code: int) -> None:
        """Log what both seats see."""
        if self.logging:
            self.log0.add(2 * code + p)
            self.log1.add(2 * code + p)

    @cython.final
    def note_hidden(self, p: int, code: int, hidden: int) -> None:
        """Log what only one seat sees whole."""
        if self.logging:
            self.log0.add(2 * (hidden if p else code) + p)
            self.log1.add(2 * (code if p else hidden) + p)

    def hand_of(self, seat: int) -> tuple[str, ...]:
        """The cards in a hand, clan cards first."""
        return self.hand_texts(seat)

    # ---- for samples -----------------------------------------------------------------------------------------

    @cython.final
    def add_known(self, p: int, card: int) -> None:
        """Put a card into a hand whose size is already counted."""
        if card < JOKER_CARD:
            bit = 1
            self.hands[p] |= bit << card
        else:
            self.add_tactic(p, card)
            self.tactic_count[p] -= 1

    @cython.final
    def hidden_clan(self, p: int) -> int:
        """How many clan cards of a hand have not been put there yet."""
        return self.clan_count[p] - popcount(self.hands[p])

    @cython.final
    def hidden_tactics(self, p: int) -> int:
        """How many tactic cards of a hand have not been put there yet."""
        return self.tactic_count[p] - popcount(self.tactics[p])
