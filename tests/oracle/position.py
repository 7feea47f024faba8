"""What lies on the table, and what may be done next: RULES.md §3 (claims), §4 (plays), §5 (tactic cards)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from tests.oracle.rulebook import (
    MODES,
    SEATS,
    STONES,
    Options,
    beats,
    best,
    can_be,
    capacity,
    claim_holds,
    is_clan,
    is_elite,
    match_points,
    may_play_tactic,
    token,
)


class Position:
    """One game. `sides[seat][stone index]` and the hands are lists of card texts, decks have the next card
    first; `phase` is one of claim, play, take, put, scout, return, draw, over."""

    def __init__(
        self,
        options: Options,
        clan_deck: Sequence[str],
        tactic_deck: Sequence[str],
        starter: int,
        auto_claim: tuple[bool, bool] = (True, True),
    ) -> None:
        self.options = options
        self.auto_claim = auto_claim
        self.clan_deck = list(clan_deck)
        self.tactic_deck = list(tactic_deck) if options.tactics else []
        # "the hands are dealt alternately": seat 0 gets the 1st, 3rd, 5th ... card, clan cards only (§5)
        self.hands: list[list[str]] = [[], []]
        for _ in range(options.hand_size):
            for seat in SEATS:
                self.hands[seat].append(self.clan_deck.pop(0))
        self.sides: list[list[list[str]]] = [[[] for _ in STONES] for _ in SEATS]
        self.stamps: list[list[int | None]] = [[None] * 9 for _ in SEATS]  # §2: when a side became complete
        self.clock = 0
        self.modes: list[set[str]] = [set() for _ in STONES]
        self.owner = ["."] * 9
        self.discards: list[list[str]] = [[], []]  # face up: own ruses, and cards that left the own sides
        self.played_tactics = [0, 0]
        self.joker_played = [False, False]
        self.turn = starter
        self.phase = "play"
        self.window: str | None = None  # 'start' or 'after'
        self.pending: str | None = None  # the card taken by Strategist or Traitor
        self.ruse: str | None = None  # the ruse being played
        self.taken_from: int | None = None
        self.scout_drawn: list[str] = []  # the decks of the Recruiter's draws so far
        self.quiet_passes = 0  # passes in a row with no play, claim or draw after the first
        self.winner: int | None = None
        self.reason: str | None = None

    # ------------------------------------------------------------------------------------ what can be seen

    @property
    def owners(self) -> str:
        return "".join(self.owner)

    @property
    def is_over(self) -> bool:
        return self.phase == "over"

    @property
    def points(self) -> tuple[int, int] | None:
        return match_points(self.owners, self.winner) if self.is_over else None

    def deck(self, name: str) -> list[str]:
        return self.clan_deck if name == "clan" else self.tactic_deck

    def open_stones(self) -> list[int]:
        return [stone for stone in STONES if self.owner[stone] == "."]

    def is_complete(self, seat: int, stone: int) -> bool:
        return len(self.sides[seat][stone]) == capacity(self.modes[stone])

    def room(self, seat: int) -> list[int]:
        """Unclaimed stones whose side of this seat takes another card."""
        return [stone for stone in self.open_stones() if not self.is_complete(seat, stone)]

    def face_up(self) -> set[str]:
        """All clan cards that lie face up: "on a stone or in a discard row" (RULES.md §3), or on the way."""
        lying = [card for seat in SEATS for side in self.sides[seat] for card in side]
        lying += self.discards[0] + self.discards[1]
        if self.pending is not None:  # taken by Strategist or Traitor: no claim window opens before it lies
            lying.append(self.pending)
        return {card for card in lying if is_clan(card)}

    def first_complete(self, seat: int, stone: int) -> str | None:
        """Which side of the stone has the older stamp: 'mine' is this seat's."""
        mine, theirs = self.stamps[seat][stone], self.stamps[1 - seat][stone]
        if mine is None or theirs is None:
            return None
        return "mine" if mine < theirs else "theirs"

    def verdict(self, seat: int, stone: int, face_up: set[str]) -> bool:
        """Could this seat claim this unclaimed stone now, given `self.face_up()`?"""
        return claim_holds(
            self.sides[seat][stone],
            self.sides[1 - seat][stone],
            face_up,
            self.modes[stone],
            self.first_complete(seat, stone),
            self.options,
        )

    def claimable(self, seat: int) -> set[int]:
        """The stones (1..9) that this seat could prove now, whoever is to move; none after the end."""
        if self.is_over:
            return set()
        face_up = self.face_up()
        return {stone + 1 for stone in self.open_stones() if self.verdict(seat, stone, face_up)}

    def better_side(self, stone: int) -> int:
        """The seat whose complete side is better than the other complete side (RULES.md §2)."""
        a, b = (best(self.sides[seat][stone], self.modes[stone], self.options) for seat in SEATS)
        if a == b:
            return 0 if self.first_complete(0, stone) == "mine" else 1
        return 0 if beats(a, b) else 1

    # ------------------------------------------------------------------------------------------ legal moves

    def legal_moves(self) -> list[str]:
        if self.phase == "claim":
            return [f"claim {number}" for number in sorted(self.claimable(self.turn))] + ["no claim"]
        if self.phase == "play":
            return self._plays()
        if self.phase == "take":
            assert self.ruse is not None
            return self.targets(self.ruse)
        if self.phase == "put":
            return self._destinations()
        if self.phase in ("scout", "draw"):
            return ["draw clan", "draw tactic"]
        if self.phase == "return":
            return [f"return {card}" for card in dict.fromkeys(self.hands[self.turn])]
        return []

    def _forms(self, card: str) -> list[str]:
        """How a card may be laid down. RULES.md §5: with on_play "its player fixes colour and value when
        playing it [...]; any clan card of the edition that the wild can be may be named, face up or not"."""
        if is_elite(card) and self.options.wild_binding == "on_play":
            return [f"{card}={as_}" for as_ in can_be(card, self.options.values)]
        return [card]

    def _clan_plays(self) -> list[str]:
        """RULES.md §4: "one clan card onto one's own side of an unclaimed stone with room"."""
        hand = [card for card in self.hands[self.turn] if is_clan(card)]
        room = self.room(self.turn)
        return [f"{card}@{stone + 1}" for card in hand for stone in room]

    def tactic_plays(self) -> list[str]:
        me, other = self.turn, 1 - self.turn
        if not may_play_tactic(self.played_tactics[me], self.played_tactics[other]):
            return []
        plays = []
        room = self.room(me)
        for card in dict.fromkeys(card for card in self.hands[me] if not is_clan(card)):  # each move once
            if card == "*J" and self.joker_played[me]:
                continue  # "A player may play only one joker per game"
            if is_elite(card):
                plays += [f"{form}@{stone + 1}" for form in self._forms(card) for stone in room]
            elif card in MODES:  # "onto any unclaimed stone, also a complete one"
                plays += [f"{card}@{stone + 1}" for stone in self.open_stones()]
            elif self._ruse_playable(card):
                plays.append(card)
        return plays

    def _ruse_playable(self, ruse: str) -> bool:
        """RULES.md §5: "A ruse without a legal target cannot be played; Recruiter needs at least one card in
        either deck"."""
        if ruse == "scout":
            return bool(self.clan_deck or self.tactic_deck)
        if ruse == "traitor":
            return bool(self.targets(ruse)) and bool(self.room(self.turn))
        return bool(self.targets(ruse))  # Strategist can always discard

    def targets(self, ruse: str) -> list[str]:
        """Cards that Strategist (own), Banshee and Traitor (opposing) may take from unclaimed stones."""
        seat = self.turn if ruse == "redeploy" else 1 - self.turn
        elite_too = ruse != "traitor" and self.options.ruse_targets == "clan_and_elite"
        return [
            f"take {token(card)}@{stone + 1}"
            for stone in self.open_stones()
            for card in self.sides[seat][stone]
            if is_clan(card) or elite_too
        ]

    def _destinations(self) -> list[str]:
        assert self.pending is not None
        stones = self.room(self.turn)
        if self.ruse == "redeploy":  # "may not put it back onto the same stone"
            stones = [stone for stone in stones if stone != self.taken_from]
        puts = [f"{form}@{stone + 1}" for form in self._forms(self.pending) for stone in stones]
        return [*puts, "discard"] if self.ruse == "redeploy" else puts

    def _plays(self) -> list[str]:
        """RULES.md §4: "Pass is legal only for a player who has no legal clan-card play [...]. Such a player
        may instead play a tactic card, elite troops included where they fit"."""
        clan = self._clan_plays()
        return clan + self.tactic_plays() + ([] if clan else ["pass"])

    # --------------------------------------------------------------------------------------------- the rest

    def copy(self) -> Self:
        """An independent game in the same state."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.clan_deck, other.tactic_deck = self.clan_deck[:], self.tactic_deck[:]
        other.hands = [hand[:] for hand in self.hands]
        other.sides = [[side[:] for side in sides] for sides in self.sides]
        other.stamps = [stamps[:] for stamps in self.stamps]
        other.modes = [set(modes) for modes in self.modes]
        other.owner = self.owner[:]
        other.discards = [row[:] for row in self.discards]
        other.played_tactics, other.joker_played = self.played_tactics[:], self.joker_played[:]
        other.scout_drawn = self.scout_drawn[:]
        return other
