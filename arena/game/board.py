# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False
"""The stones and what lies at them: placing, removing, completing, proving and claiming (RULES.md §2, §3, §5).

Claims are cheap because of *witnesses*: for each complete side that cannot be claimed yet, the cards with which the
opponent would still beat it. The proof is tried again only when one of them turns up face up elsewhere, or when the
stone itself changes (`dirty`).

Within this module and the engine stones are 0..8, `p` is a seat, `q` the other one, and `b` a stone's bit.
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from arena.game import nocython as cython  # type: ignore[no-redef]

from arena.game.cards import CARD_TEXTS

if not cython.compiled:
    from arena.game.bits import ALL54, ALL60, BEARER, COLOUR_RUN, JOKER, RANK, SPY, ctz
    from arena.game.cards import BEARER_CARD, FOG_CARD, JOKER_CARD, MUD_CARD, SPY_CARD
    from arena.game.formations import best_three, refute, refute_with_one, refute_with_two, strength3, strength_of
    from arena.game.moves import SEVEN

    WON, COUNT9, NTH9 = [0] * 512, [0] * 512, [0] * 4608

    def copy_block(target: Board, source: Board) -> None:
        """Copy all fields (in C: one memcpy)."""
        for name in Board.__annotations__:
            value = getattr(source, name)
            setattr(target, name, value.copy() if isinstance(value, list) else value)


def fill_tables() -> None:
    """Fill the tables over sets of stones: winning sets, number of stones, the k-th stone."""
    for m in range(512):
        k = 0
        for s in range(9):
            if m >> s & 1:
                NTH9[9 * m + k] = s
                k += 1
        COUNT9[m] = k
        WON[m] = 1 if k >= 5 else 2 if m & m >> 1 & m >> 2 else 0


class Board:
    """The nine stones with both sides. The state and the view are boards that know more."""

    if not cython.compiled:  # what each field holds is said in board.pxd
        sides: list[int]
        witness: list[int]
        strength: list[int]
        size: list[int]
        watched: list[int]
        hands: list[int]
        discards: list[int]
        open: list[int]
        complete: list[int]
        dirty: list[int]
        owned: list[int]
        tactics: list[int]
        rows: list[int]
        clan_count: list[int]
        tactic_count: list[int]
        played: list[int]
        jokers: list[int]
        auto: list[int]
        bound: list[int]
        back_card: list[int]
        back_deck: list[int]
        back_place: list[int]
        visible: int
        all_cards: int
        best: int
        best_strength: int
        first: int
        fog: int
        mud: int
        wild: int
        clan_left: int
        tactic_left: int
        back_n: int
        clan_pos: int
        clan_end: int
        tactic_pos: int
        tactic_end: int
        scouter: int
        mover: int
        starter: int
        won: int
        how: int
        stage: int
        ruse: int
        taken: int
        taken_stone: int
        scout_left: int
        scout_deck: int
        idle: int
        claims: int
        plays: int
        turn_count: int
        values: int
        hand_size: int
        spy: int
        window_start: int
        window_after: int
        on_play: int
        clan_only: int
        with_tactics: int
        back_on_top: int
        single: int
        rules: Any
        table: tuple[Any, ...]

        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            self = super().__new__(cls)
            lengths = dict.fromkeys(("sides", "witness", "strength", "size"), 18)
            lengths |= dict.fromkeys(("bound", "back_card", "back_deck", "back_place"), 4)
            for name, kind in Board.__annotations__.items():
                if kind == "int":
                    setattr(self, name, 0)
                elif kind == "list[int]":
                    setattr(self, name, [0] * lengths.get(name, 2))
            self.rules = None
            self.__cinit__()
            return self

    def __cinit__(self) -> None:
        # What nobody has initialised is a game that is over: no move is legal, and every number is one that can be.
        self.stage = 8
        self.won = 2
        self.values = 9
        self.spy = 7
        self.table = SEVEN

    @cython.final
    def clear(self) -> None:
        """An empty board under the rule set already set."""
        for i in range(18):
            self.sides[i] = 0
            self.witness[i] = 0
            self.strength[i] = 0
            self.size[i] = 0
        for i in range(2):
            self.hands[i] = 0
            self.discards[i] = 0
            self.watched[i] = 0
            self.open[i] = 511
            self.complete[i] = 0
            self.dirty[i] = 0
            self.owned[i] = 0
            self.tactics[i] = 0
            self.rows[i] = 0
            self.clan_count[i] = 0
            self.tactic_count[i] = 0
            self.played[i] = 0
            self.jokers[i] = 0
        for i in range(4):
            self.bound[i] = -1
            self.back_card[i] = 255
        self.all_cards = ALL54 if self.values == 9 else ALL60
        self.visible = 0
        top = 1
        top = top << (6 * self.values - 13)  # of the whole deck, the three highest cards of the last colour
        self.best = top | top << 6 | top << 12
        self.best_strength = RANK * COLOUR_RUN + 3 * self.values - 3
        self.first = 0
        self.fog = 0
        self.mud = 0
        self.wild = 0
        self.back_n = 0
        self.scouter = -1
        self.won = -1
        self.how = 0
        self.stage = 1
        self.ruse = 0
        self.taken = 255
        self.taken_stone = 0
        self.scout_left = 0
        self.scout_deck = -1
        self.idle = 0
        self.claims = 0
        self.plays = 0
        self.turn_count = 1

    # ---- cards come and go ------------------------------------------------------------------------------------

    @cython.final
    def put_clan(self, p: int, card: int, s: int) -> None:
        """Put a clan card on a side with room."""
        q = 1 - p
        i = 9 * p + s
        j = 9 * q + s
        bit = 1
        bit = bit << card
        self.visible |= bit
        self.sides[i] |= bit
        self.size[i] += 1
        w = self.witness[j]
        if w:
            if w & bit and w != bit:
                self.witness[j] = w ^ bit  # the rest of the refutation still does it
            else:
                self.witness[j] = 0
                self.dirty[q] |= 1 << s
        if self.size[i] == 3 + (self.mud >> s & 1):
            self.completed(p, s)

    @cython.final
    def completed(self, p: int, s: int) -> None:
        """A side has just become complete: room, order of completion, strength."""
        q = 1 - p
        i = 9 * p + s
        b = 1 << s
        self.open[p] &= 511 ^ b
        self.complete[p] |= b
        self.dirty[p] |= b
        if (p == 0) != (self.complete[q] & b != 0):
            self.first |= b
        else:
            self.first &= 511 ^ b
        if (self.fog | self.mud | self.wild) & b:
            self.strength[i] = self.general_strength(p, s)
        else:
            self.strength[i] = strength3(self.sides[i])

    @cython.final
    def put_elite(self, p: int, card: int, s: int, binding: int) -> None:
        """Put a wild card on a side with room; `binding` is the clan card that it becomes, or -1."""
        i = 9 * p + s
        if card == JOKER_CARD:
            self.sides[i] |= JOKER
            self.bound[p] = binding
        elif card == SPY_CARD:
            self.sides[i] |= SPY
            self.bound[2] = binding
        else:
            self.sides[i] |= BEARER
            self.bound[3] = binding
        self.size[i] += 1
        self.wild |= 1 << s
        self.look_again(1 - p, s)
        if self.size[i] == 3 + (self.mud >> s & 1):
            self.completed(p, s)

    @cython.final
    def put_mode(self, card: int, s: int) -> None:
        """Put Fog or Mud on a stone. Under Mud complete sides become incomplete, and their order is forgotten."""
        b = 1 << s
        if card == FOG_CARD:
            self.fog |= b
        else:
            self.mud |= b
        for p in range(2):
            i = 9 * p + s
            if card == MUD_CARD:
                self.complete[p] &= 511 ^ b
                self.dirty[p] &= 511 ^ b
                self.witness[i] = 0
                self.open[p] |= b
            elif self.complete[p] & b:
                self.strength[i] = self.general_strength(p, s)
                self.look_again(p, s)

    @cython.final
    def remove(self, p: int, card: int, s: int) -> None:
        """Take a card off a side of an unclaimed stone."""
        q = 1 - p
        i = 9 * p + s
        b = 1 << s
        bit = 1
        bit = bit << card  # the wilds' bits are their card numbers
        self.sides[i] ^= bit
        self.size[i] -= 1
        self.open[p] |= b
        self.complete[p] &= 511 ^ b
        self.dirty[p] &= 511 ^ b
        self.witness[i] = 0
        self.look_again(q, s)
        if card >= JOKER_CARD:
            self.bound[p if card == JOKER_CARD else card - 59] = -1
            if not (self.sides[i] | self.sides[9 * q + s]) >> 60:
                self.wild &= 511 ^ b

    @cython.final
    def look_again(self, p: int, s: int) -> None:
        """The stone has changed: a claim of `p` must be proven afresh."""
        b = 1 << s
        if self.complete[p] & b:
            self.witness[9 * p + s] = 0
            self.dirty[p] |= b

    # ---- claims -----------------------------------------------------------------------------------------------

    @cython.final
    def general_strength(self, p: int, s: int) -> int:
        """The strength of a complete side with wilds, under Fog or under Mud."""
        return strength_of(
            self.sides[9 * p + s],
            3 + (self.mud >> s & 1),
            self.fog >> s & 1 != 0,
            self.values,
            self.spy,
            self.bound[p],
            self.bound[2],
            self.bound[3],
        )

    @cython.final
    def proven(self, p: int, s: int) -> bool:
        """May `p`, who is complete there, claim the stone? If not, the witness is renewed."""
        q = 1 - p
        i = 9 * p + s
        j = 9 * q + s
        strength = self.strength[i]
        full = 3 + (self.mud >> s & 1)
        if self.size[j] == full:
            other = self.strength[j]
            self.witness[i] = 0
            return strength > other or (strength == other and (self.first >> s & 1) == q)
        avail = self.all_cards ^ self.visible
        if (self.fog | self.mud | self.wild) >> s & 1:
            w = refute(
                avail,
                self.sides[j],
                full,
                self.fog >> s & 1 != 0,
                strength,
                self.values,
                self.spy,
                self.bound[q],
                self.bound[2],
                self.bound[3],
            )
        elif self.size[j] == 2:
            w = refute_with_one(avail, self.sides[j], strength)
        elif self.size[j] == 1:
            w = refute_with_two(avail, self.sides[j], strength)
        else:
            if self.best & self.visible:
                self.best = best_three(avail)
                self.best_strength = strength3(self.best) if self.best else 0
            w = self.best if self.best_strength > strength else 0
        self.witness[i] = w
        self.watched[p] |= w
        return w == 0

    @cython.final
    def provable(self, p: int) -> int:
        """The stones (bits) that `p` can claim now."""
        look = self.dirty[p]
        i = 9 * p
        seen = self.visible
        if self.watched[p] & seen:  # one of the witnesses has turned up: whose? (without branches)
            kept = 0
            for s in range(9):
                w = self.witness[i + s]
                hit = w & seen != 0
                look |= hit << s
                kept |= w & (hit - 1)
            self.watched[p] = kept
        got = 0
        while look:
            s = ctz(look)
            look &= look - 1
            if self.proven(p, s):
                got |= 1 << s
        self.dirty[p] = got  # what is not claimed now is looked at again
        return got

    @cython.final
    def give(self, p: int, stones: int) -> None:
        """`p` claims stones (bits); looks whether that wins."""
        m = 511 ^ stones
        self.owned[p] |= stones
        self.open[0] &= m
        self.open[1] &= m
        self.complete[0] &= m
        self.complete[1] &= m
        self.dirty[0] &= m
        self.dirty[1] &= m
        while stones:
            s = ctz(stones)
            stones &= stones - 1
            self.witness[s] = 0
            self.witness[9 + s] = 0
        if WON[self.owned[p]]:
            self.won = p
            self.how = WON[self.owned[p]]

    @cython.final
    def settle(self) -> None:
        """Stalemate (RULES.md §4): every stone with two complete sides goes to the better formation, all at once."""
        both = self.complete[0] & self.complete[1]
        while both:
            s = ctz(both)
            both &= both - 1
            a = self.strength[s]
            b = self.strength[9 + s]
            if a > b or (a == b and self.first >> s & 1):
                self.owned[0] |= 1 << s
            else:
                self.owned[1] |= 1 << s
        zero = WON[self.owned[0]]
        one = WON[self.owned[1]]
        if (zero != 0) == (one != 0):
            zero = COUNT9[self.owned[0]]
            one = COUNT9[self.owned[1]]
        self.won = 2 if zero == one else 0 if zero > one else 1
        self.how = 3

    # ---- tactic cards in hand: bits 0 and 1 are the jokers, interchangeable, the lower one first ----------------

    @cython.final
    def add_tactic(self, p: int, card: int) -> None:
        """A tactic card comes into the hand."""
        if card == JOKER_CARD:
            self.tactics[p] |= 2 if self.tactics[p] & 1 else 1
        else:
            self.tactics[p] |= 1 << (card - 59)
        self.tactic_count[p] += 1

    @cython.final
    def drop_tactic(self, p: int, card: int) -> None:
        """A tactic card leaves the hand."""
        if card == JOKER_CARD:
            self.tactics[p] &= 1021 if self.tactics[p] & 2 else 1022
        else:
            self.tactics[p] &= 1023 ^ 1 << (card - 59)
        self.tactic_count[p] -= 1

    # ---- for people --------------------------------------------------------------------------------------------

    @cython.final
    def side_texts(self, p: int, s: int) -> list[str]:
        """The cards of a side as texts, bound wilds with their binding."""
        w = self.sides[9 * p + s]
        cards = [CARD_TEXTS[n] for n in range(60) if w >> n & 1]
        for card, bound in ((JOKER_CARD, self.bound[p]), (SPY_CARD, self.bound[2]), (BEARER_CARD, self.bound[3])):
            if w >> card & 1:
                text = f"*{self.spy}" if card == SPY_CARD else CARD_TEXTS[card]
                cards.append(text if bound < 0 else f"{text}={CARD_TEXTS[bound]}")
        return cards


def winning_reason(owned: int) -> int:
    """Do these stones (bits) win? 1: five stones, 2: three adjacent, 0: neither."""
    if not 0 <= owned < 512:
        raise ValueError(f"stones are bits 0..8, not {owned!r}")
    return WON[owned]


def completed_first(events: list[str]) -> int | None:
    """The seat whose present formation was completed first, after events at one stone.

    `a+` and `b+`: a card arrives on that side, `a-` and `b-`: one leaves, `mud` and `fog` are played.

    >>> completed_first(["a+", "a+", "a+", "b+", "b+", "b+", "a-", "a+"])
    1
    """
    if len(events) > 54:
        raise ValueError(f"one stone has at most 54 events here, not {len(events)}")
    board: Board = Board.__new__(Board)
    board.values = 9
    board.clear()
    cards: tuple[list[int], list[int]] = ([], [])
    for number, event in enumerate(events):
        if event in ("mud", "fog"):
            board.put_mode(FOG_CARD if event == "fog" else MUD_CARD, 0)
        else:
            if event not in ("a+", "a-", "b+", "b-"):
                raise ValueError(f"event {number + 1} is {event!r}; events are a+, a-, b+, b-, mud, fog")
            seat = 0 if event in ("a+", "a-") else 1
            if event in ("a+", "b+"):
                if not board.open[seat] & 1:
                    raise ValueError(f"event {number + 1} ({event}): that side is full")
                cards[seat].append(number)
                board.put_clan(seat, number, 0)
            else:
                if not cards[seat]:
                    raise ValueError(f"event {number + 1} ({event}): there is no card on that side")
                board.remove(seat, cards[seat].pop(), 0)
    zero = board.complete[0] & 1
    one = board.complete[1] & 1
    if zero and one:
        return 0 if board.first & 1 else 1
    return 0 if zero else 1 if one else None


fill_tables()
