# cython: language_level=3, annotation_typing=False
"""The public part of a game, in texts, by seat and stone; states and views share it."""

from __future__ import annotations

from typing import NamedTuple

try:
    import cython
except ImportError:
    from arena.game import nocython as cython  # type: ignore[no-redef]

from arena.game.board import Board
from arena.game.cards import CARD_TEXTS, TACTIC_DECK, clan_cards

if not cython.compiled:
    from arena.game.bits import popcount, stir
    from arena.game.cards import SPY_CARD

if not cython.compiled:
    CLAIM_START, TAKE, PUT, SCOUT, PUT_BACK, CLAIM_END = 0, 2, 3, 4, 5, 6

PHASES = ("claim", "play", "take", "put", "scout", "return", "claim", "draw", "over")
REASONS = ("", "five stones", "three adjacent", "stalemate")


class Outcome(NamedTuple):
    """The end of a game.

    `winner` is a seat or None for a draw; `reason` is `five stones` (also when three of them are adjacent),
    `three adjacent` or `stalemate`; `points` are 5 for the winner and one a stone for the loser, in a draw
    one a stone for both (RULES.md §7); `turns` counts turns begun, `plays` the cards played and the passes.
    """

    winner: int | None
    reason: str
    stones: tuple[int, int]
    points: tuple[int, int]
    turns: int
    plays: int


class Shown(Board):
    """A board with its public face. Seats are 0 and 1, stones 1..9."""

    @property
    def turn(self) -> int:
        """The seat to decide."""
        return self.mover

    @property
    def first_seat(self) -> int:
        """The seat that made the first move of the game."""
        return self.starter

    @property
    def phase(self) -> str:
        """`claim`, `play`, `take`, `put`, `scout`, `return`, `draw` or `over`."""
        return PHASES[self.stage]

    @property
    def is_over(self) -> bool:
        """Is the game over?"""
        return self.won >= 0

    @property
    def winner(self) -> int | None:
        """The winner's seat; None for a draw or a game that is not over."""
        return self.won if 0 <= self.won <= 1 else None

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None before its end."""
        if self.won < 0:
            return None
        stones = (popcount(self.owned[0]), popcount(self.owned[1]))
        points = (5 if self.won == 0 else stones[0], 5 if self.won == 1 else stones[1])
        return Outcome(self.winner, REASONS[self.how], stones, points, self.turn_count, self.plays)

    @property
    def turns(self) -> int:
        """Turns begun so far."""
        return self.turn_count

    @property
    def owners(self) -> str:
        """The owners of stones 1..9: `a` for seat 0, `b` for seat 1, `.` for none."""
        return "".join(["a" if self.owned[0] >> s & 1 else "b" if self.owned[1] >> s & 1 else "." for s in range(9)])

    def stones_of(self, seat: int) -> int:
        """How many stones a seat owns."""
        return popcount(self.owned[check_seat(seat)])

    def side(self, seat: int, stone: int) -> tuple[str, ...]:
        """The cards of a side; bound wilds with their binding (`*J=r7`)."""
        return tuple(self.side_texts(check_seat(seat), check_stone(stone) - 1))

    def modes(self, stone: int) -> tuple[str, ...]:
        """The combat modes on a stone: `fog`, `mud`."""
        s = check_stone(stone) - 1
        return ("fog",) * (self.fog >> s & 1) + ("mud",) * (self.mud >> s & 1)

    def capacity(self, stone: int) -> int:
        """How many cards make a side of the stone complete: 3, or 4 under Mud."""
        return 3 + (self.mud >> (check_stone(stone) - 1) & 1)

    def completed_first(self, stone: int) -> int | None:
        """The seat whose complete side is the only or the older one, claimed or not; None if no side is complete."""
        s = check_stone(stone) - 1
        full = 3 + (self.mud >> s & 1)
        zero = self.size[s] == full
        one = self.size[9 + s] == full
        if zero and one:
            return 0 if self.first >> s & 1 else 1
        return 0 if zero else 1 if one else None

    def row(self, seat: int) -> tuple[str, ...]:
        """The cards face up beside the board on a seat's side: discarded clan cards, then discards and ruses."""
        check_seat(seat)
        return clan_cards(self.discards[seat]) + tuple(
            [self.card_text(60 + k) for k in range(9) if self.rows[seat] >> k & 1]
        )

    def hand_counts(self, seat: int) -> tuple[int, int]:
        """How many clan and tactic cards a hand holds (the backs can be told apart)."""
        check_seat(seat)
        return self.clan_count[seat], self.tactic_count[seat]

    @property
    def deck_counts(self) -> tuple[int, int]:
        """How many cards the clan deck and the tactic deck hold."""
        return self.clan_left, self.tactic_left

    def tactics_played(self, seat: int) -> int:
        """How many tactic cards a seat has played."""
        return self.played[check_seat(seat)]

    def joker_played(self, seat: int) -> bool:
        """Has the seat played its joker?"""
        return self.jokers[check_seat(seat)] != 0

    @property
    def passes(self) -> int:
        """Passes in a row, with no play, claim or draw since."""
        return self.idle

    @property
    def pending(self) -> str | None:
        """The card that redeploy or traitor has taken and not yet put anywhere."""
        return self.card_text(self.taken) if self.taken < 255 else None

    @property
    def taken_from(self) -> int | None:
        """The stone that the pending card came from."""
        return self.taken_stone + 1 if self.taken < 255 else None

    @property
    def ruse_under_way(self) -> str | None:
        """The ruse whose decisions are being made."""
        return CARD_TEXTS[self.ruse] if self.ruse else None

    @property
    def seen_clan_cards(self) -> tuple[str, ...]:
        """The clan cards that lie face up."""
        return clan_cards(self.visible)

    @cython.final
    def mixed(self, h: int) -> int:
        """A hash of what matters to the rest of the game but for the decks, begun with `h`."""
        for i in range(18):
            h = stir(h, self.sides[i])
        for i in range(2):
            h = stir(h, self.hands[i])
            h = stir(h, self.tactics[i])
            h = stir(h, self.owned[i])
            h = stir(h, self.clan_count[i])
            h = stir(h, self.tactic_count[i])
            h = stir(h, self.played[i])
            h = stir(h, self.jokers[i])
            h = stir(h, self.auto[i])
        for i in range(4):
            h = stir(h, self.bound[i] + 1)
        h = stir(h, self.visible)
        h = stir(h, self.first & self.complete[0] & self.complete[1])
        h = stir(h, self.fog)
        h = stir(h, self.mud)
        h = stir(h, self.rows[0] | self.rows[1])
        h = stir(h, self.clan_left)
        h = stir(h, self.tactic_left)
        h = stir(h, self.idle)
        h = stir(h, self.mover)
        h = stir(h, self.stage)
        h = stir(h, self.won + 1)
        if self.stage == CLAIM_START or self.stage == CLAIM_END:
            h = stir(h, self.claims)
        elif self.stage >= TAKE and self.stage <= PUT_BACK:  # in a ruse
            h = stir(h, self.ruse)
            h = stir(h, self.taken)
            h = stir(h, self.taken_stone if self.stage == PUT else 0)
            h = stir(h, self.scout_left)
            h = stir(h, self.scout_deck + 1 if self.stage == SCOUT else 0)
        back = 0
        for i in range(self.back_n):  # what is known of cards put back, in any order
            place = self.back_place[i]
            if place < 250:
                place -= self.tactic_pos if self.back_deck[i] else self.clan_pos
            if place < 255:
                back ^= stir(stir(stir(self.scouter + 1, self.back_card[i]), self.back_deck[i]), place)
        h = stir(h, back)
        h = stir(h, self.values)
        h = stir(h, self.hand_size)
        h = stir(h, self.spy)
        flags = self.window_start | self.window_after << 1 | self.on_play << 2 | self.clan_only << 3
        return stir(h, flags | self.with_tactics << 4 | self.back_on_top << 5 | self.single << 6)

    # ---- used by states and views -------------------------------------------------------------------------------

    @cython.final
    def card_text(self, card: int) -> str:
        """The text of a card in this edition."""
        return f"*{self.spy}" if card == SPY_CARD else CARD_TEXTS[card]

    @cython.final
    def hand_tactics(self, seat: int) -> list[int]:
        """The numbers of the tactic cards in a hand."""
        return [TACTIC_DECK[k] for k in range(10) if self.tactics[seat] >> k & 1]

    @cython.final
    def hand_texts(self, seat: int) -> tuple[str, ...]:
        """The cards of a hand as texts."""
        check_seat(seat)
        return clan_cards(self.hands[seat]) + tuple([self.card_text(card) for card in self.hand_tactics(seat)])


def check_seat(seat: int) -> int:
    """The seat, if it is one."""
    if seat != 0 and seat != 1:
        raise ValueError(f"a seat is 0 or 1, not {seat!r}")
    return seat


def check_stone(stone: int) -> int:
    """The stone, if it is one."""
    if not 1 <= stone <= 9:
        raise ValueError(f"a stone is 1..9, not {stone!r}")
    return stone
