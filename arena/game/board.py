# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False, infer_types=True
"""A game as words of bits, and functions over them: placing, removing, proving and claiming (RULES.md §2, §3, §5).

Claims are cheap because of *witnesses*: for each complete side that cannot be claimed yet, the engine keeps the cards
with which the opponent would still beat it. It repeats the proof only when one of these cards turns up face up
elsewhere, or when the stone itself changes (`dirty`).

In this module and the engine, stones are 0..8, `p` is a seat, `q` is the other seat, and `b` is a stone's bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

try:
    import cython
except ImportError:
    from arena.compiled import nocython as cython  # type: ignore[no-redef]

from arena.game.cards import CARD_TEXTS, TACTIC_DECK, clan_cards

if not cython.compiled:
    from arena.game.cards import *
    from arena.game.formations import *
    from arena.game.moves import SEVEN, SeatLog

    CLAIM_START, PLAY, TAKE, PUT, SCOUT, PUT_BACK, CLAIM_END, DRAW_CARD, OVER = range(9)
    WON, COUNT9, NTH9 = [0] * 512, [0] * 512, [0] * 4608

    def copy_block(target: Board, source: Board) -> None:
        """Copy every field that a view may hold (in C: one memcpy)."""
        for name in FIELDS:
            value = getattr(source, name)
            setattr(target, name, value.copy() if isinstance(value, list) else value)
        target.rules, target.table = source.rules, source.table

    def turned_up(board: Board, p: int) -> int:
        """Return the stones (bits) whose claim by `p` must be proven again."""
        return board.dirty[p] | sum([1 << s for s in range(9) if board.witness[9 * p + s] & board.visible])

    def cards_of(board: Board, p: int, stones: int) -> int:
        """Return all cards on the sides of `p` at the given stones (bits)."""
        cards = 0
        for s in range(9):
            if stones >> s & 1:
                cards |= board.sides[9 * p + s]
        return cards

    def clear_words(board: Board) -> None:
        """Set all fields that come before the rule set to 0 (in C: one memset)."""
        for name in FIELDS[: FIELDS.index("auto")]:
            value = getattr(board, name)
            setattr(board, name, [0] * len(value) if isinstance(value, list) else 0)


PHASES = ("claim", "play", "take", "put", "scout", "return", "claim", "draw", "over")
REASONS = ("", "five stones", "three adjacent", "stalemate")


class Outcome(NamedTuple):
    """The end of a game.

    `winner` is a seat, or None for a draw. `reason` is `five stones` (also when three of them are adjacent),
    `three adjacent` or `stalemate`. `stones` counts the stones of both seats, `turns` the turns begun, `plays` the
    cards played and the passes.
    """

    winner: int | None
    reason: str
    stones: tuple[int, int]
    turns: int
    plays: int


def fill_stone_tables() -> None:
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
    """A game as words of bits: the memory that a state and a view share, and the properties that both have.

    Seats are 0 and 1, stones 1..9. The board of a view has neither decks nor the opponent's hand.
    """

    if not cython.compiled:

        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            """Create the object with its fields, as C does."""
            self = super().__new__(cls)
            self.fill()
            self.__cinit__()
            return self

        def fill(self) -> None:
            """Create all fields in the order in which they lie in memory; board.pxd documents each one."""
            self.sides, self.witness, self.strength, self.size = ([0] * 18 for _ in range(4))
            self.bound, self.back_card, self.back_deck, self.back_place = ([0] * 4 for _ in range(4))
            self.hands, self.discards, self.open = ([0] * 2 for _ in range(3))
            self.complete, self.dirty, self.owned, self.tactics, self.rows = ([0] * 2 for _ in range(5))
            self.clan_count, self.tactic_count, self.played, self.jokers = ([0] * 2 for _ in range(4))
            self.visible = self.all_cards = self.best = self.best_strength = 0
            self.first = self.fog = self.mud = self.wild = self.clan_left = self.tactic_left = self.back_n = 0
            self.clan_pos = self.clan_end = self.tactic_pos = self.tactic_end = self.scouter = 0
            self.mover = self.starter = self.won = self.how = self.stage = self.ruse = self.taken = 0
            self.taken_stone = self.scout_left = self.scout_deck = self.idle = self.claims = 0
            self.plays = self.turn_count = 0
            self.auto = [0, 0]
            self.values = self.hand_size = self.spy = self.window_start = self.window_after = self.on_play = 0
            self.clan_only = self.with_tactics = self.back_on_top = self.single = 0
            self.rules: Any = None
            self.table: tuple[Any, ...] = ()
            self.clan_deck, self.tactic_deck = [0] * 64, [0] * 32
            self.log0, self.log1 = SeatLog(), SeatLog()
            self.logging = False

    def __cinit__(self) -> None:
        # An object that was never initialised is a finished game: no move is legal, and every number is in range.
        self.stage = 8
        self.won = 2
        self.values = 9
        self.spy = 7
        self.table = SEVEN

    @property
    def to_move(self) -> int:
        """The seat that makes the next decision."""
        return self.mover

    @property
    def turn(self) -> NoReturn:
        """Raise AttributeError: it was the seat, and bots took it for the number of turns."""
        name = type(self).__name__.lower()
        raise AttributeError(
            f"a {name} has no turn: {name}.to_move is the seat that decides, 0 or 1, and {name}.turns the number of "
            "turns begun",
            name="turn",
            obj=None,  # else the traceback suggests the name that is spelled alike
        )

    @property
    def first_seat(self) -> int:
        """The seat that made the first move of the game."""
        return self.starter

    @property
    def phase(self) -> str:
        """The phase: `claim`, `play`, `take`, `put`, `scout`, `return`, `draw` or `over`."""
        return PHASES[self.stage]

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.won >= 0

    @property
    def winner(self) -> int | None:
        """The winner's seat; None for a draw and before the end of the game."""
        return self.won if 0 <= self.won <= 1 else None

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the game; None before its end."""
        if self.won < 0:
            return None
        stones = (popcount(self.owned[0]), popcount(self.owned[1]))
        return Outcome(self.winner, REASONS[self.how], stones, self.turn_count, self.plays)

    @property
    def turns(self) -> int:
        """The number of turns begun so far."""
        return self.turn_count

    @property
    def owners(self) -> str:
        """The owners of stones 1..9, one letter each: `a` for seat 0, `b` for seat 1, `.` for none."""
        return "".join(["a" if self.owned[0] >> s & 1 else "b" if self.owned[1] >> s & 1 else "." for s in range(9)])

    def stones_of(self, seat: int) -> int:
        """Return the number of stones that a seat owns."""
        return popcount(self.owned[check_seat(seat)])

    def side(self, seat: int, stone: int) -> tuple[str, ...]:
        """Return the cards of a side; a bound wild comes with its binding (`*J=r7`)."""
        return tuple(side_texts(self, check_seat(seat), check_stone(stone) - 1))

    def modes(self, stone: int) -> tuple[str, ...]:
        """Return the combat modes on a stone: `fog`, `mud`."""
        s = check_stone(stone) - 1
        return ("fog",) * (self.fog >> s & 1) + ("mud",) * (self.mud >> s & 1)

    def capacity(self, stone: int) -> int:
        """Return the number of cards that completes a side of the stone: 3, or 4 under Mud."""
        return 3 + (self.mud >> (check_stone(stone) - 1) & 1)

    def completed_first(self, stone: int) -> int | None:
        """Return the seat whose side of the stone was completed first, or is the only complete one.

        The stone may be claimed or not. Returns None if no side is complete.
        """
        s = check_stone(stone) - 1
        full = 3 + (self.mud >> s & 1)
        zero = self.size[s] == full
        one = self.size[9 + s] == full
        if zero and one:
            return 0 if self.first >> s & 1 else 1
        return 0 if zero else 1 if one else None

    def row(self, seat: int) -> tuple[str, ...]:
        """Return the cards face up beside the board on a seat's side: clan cards, then tactic cards and ruses."""
        check_seat(seat)
        return clan_cards(self.discards[seat]) + tuple(
            [card_text(self, 60 + k) for k in range(9) if self.rows[seat] >> k & 1]
        )

    def hand_counts(self, seat: int) -> tuple[int, int]:
        """Return the numbers of clan and tactic cards in a hand, which the backs of the cards show."""
        check_seat(seat)
        return self.clan_count[seat], self.tactic_count[seat]

    @property
    def deck_counts(self) -> tuple[int, int]:
        """The numbers of cards left in the clan deck and in the tactic deck."""
        return self.clan_left, self.tactic_left

    def tactics_played(self, seat: int) -> int:
        """Return the number of tactic cards that a seat has played."""
        return self.played[check_seat(seat)]

    def joker_played(self, seat: int) -> bool:
        """Return whether the seat has played its joker."""
        return self.jokers[check_seat(seat)] != 0

    @property
    def passes(self) -> int:
        """The number of passes in a row, with no play, claim or draw since."""
        return self.idle

    @property
    def pending(self) -> str | None:
        """The card that redeploy or traitor has taken and not placed yet; None if there is none."""
        return card_text(self, self.taken) if self.taken < 255 else None

    @property
    def taken_from(self) -> int | None:
        """The stone that the pending card came from; None if there is none."""
        return self.taken_stone + 1 if self.taken < 255 else None

    @property
    def ruse_under_way(self) -> str | None:
        """The ruse that still has decisions to make; None if there is none."""
        return CARD_TEXTS[self.ruse] if self.ruse else None


if not cython.compiled:
    #: The fields that a view holds as well.
    FIELDS = list(vars(Board()))[: list(vars(Board())).index("rules")]


def check_seat(seat: int) -> int:
    """Return the seat; raise ValueError if it is neither 0 nor 1."""
    if seat != 0 and seat != 1:
        raise ValueError(f"a seat is 0 or 1, not {seat!r}")
    return seat


def check_stone(stone: int) -> int:
    """Return the stone; raise ValueError if it is not 1..9."""
    if not 1 <= stone <= 9:
        raise ValueError(f"a stone is 1..9, not {stone!r}")
    return stone


def clear(board: Board) -> None:
    """Clear the board for a new game under the rule set already set."""
    clear_words(board)
    for p in range(2):
        board.open[p] = 511
    for i in range(4):
        board.bound[i] = -1
        board.back_card[i] = 255
    board.all_cards = ALL54 if board.values == 9 else ALL60
    top = ONE << (6 * board.values - 13)  # of the whole deck, the three highest cards of the last colour
    board.best = top | top << 6 | top << 12
    board.best_strength = RANK * COLOUR_RUN + 3 * board.values - 3
    board.scouter = -1
    board.won = -1
    board.stage = PLAY
    board.taken = 255
    board.scout_deck = -1
    board.turn_count = 1


# ---- adding and removing cards ----------------------------------------------------------------------------


def put_clan(board: Board, p: int, card: int, s: int) -> None:
    """Put a clan card on a side with room."""
    q = 1 - p
    i = 9 * p + s
    j = 9 * q + s
    bit = ONE << card
    board.visible |= bit
    board.sides[i] |= bit
    board.size[i] += 1
    w = board.witness[j]
    rest = w ^ bit if w & bit else 0  # what remains of a refutation refutes as well
    board.witness[j] = rest
    board.dirty[q] |= (w != 0 and rest == 0) << s  # arithmetic, because no processor could predict the branch
    if board.size[i] == 3 + (board.mud >> s & 1):
        completed(board, p, s)


def completed(board: Board, p: int, s: int) -> None:
    """Update the room, the order of completion and the strength of a side that has just become complete."""
    q = 1 - p
    i = 9 * p + s
    b = 1 << s
    board.open[p] &= 511 ^ b
    board.complete[p] |= b
    board.dirty[p] |= b
    if (p == 0) != (board.complete[q] & b != 0):
        board.first |= b
    else:
        board.first &= 511 ^ b
    if (board.fog | board.mud | board.wild) & b:
        board.strength[i] = general_strength(board, p, s)
    else:
        board.strength[i] = strength3(board.sides[i])


def put_elite(board: Board, p: int, card: int, s: int, binding: int) -> None:
    """Put a wild card on a side with room; `binding` is the clan card that it becomes, or -1."""
    i = 9 * p + s
    if card == JOKER_CARD:
        board.sides[i] |= JOKER
        board.bound[p] = binding
    elif card == SPY_CARD:
        board.sides[i] |= SPY
        board.bound[2] = binding
    else:
        board.sides[i] |= BEARER
        board.bound[3] = binding
    board.size[i] += 1
    board.wild |= 1 << s
    look_again(board, 1 - p, s)
    if board.size[i] == 3 + (board.mud >> s & 1):
        completed(board, p, s)


def put_mode(board: Board, card: int, s: int) -> None:
    """Put Fog or Mud on a stone.

    Under Mud, complete sides become incomplete, and the order in which they were completed is forgotten.
    """
    b = 1 << s
    if card == FOG_CARD:
        board.fog |= b
    else:
        board.mud |= b
    for p in range(2):
        i = 9 * p + s
        if card == MUD_CARD:
            board.complete[p] &= 511 ^ b
            board.dirty[p] &= 511 ^ b
            board.witness[i] = 0
            board.open[p] |= b
        elif board.complete[p] & b:
            board.strength[i] = general_strength(board, p, s)
            look_again(board, p, s)


def remove(board: Board, p: int, card: int, s: int) -> None:
    """Take a card off a side of an unclaimed stone."""
    q = 1 - p
    i = 9 * p + s
    b = 1 << s
    bit = ONE << card  # the wilds' bits are their card numbers
    board.sides[i] ^= bit
    board.size[i] -= 1
    board.open[p] |= b
    board.complete[p] &= 511 ^ b
    board.dirty[p] &= 511 ^ b
    board.witness[i] = 0
    look_again(board, q, s)
    if card >= JOKER_CARD:
        board.bound[p if card == JOKER_CARD else card - 59] = -1
        if not (board.sides[i] | board.sides[9 * q + s]) >> 60:
            board.wild &= 511 ^ b


def look_again(board: Board, p: int, s: int) -> None:
    """Mark a complete side of `p` as changed, so that its claim is proven again."""
    b = 1 << s
    if board.complete[p] & b:
        board.witness[9 * p + s] = 0
        board.dirty[p] |= b


# ---- claims -----------------------------------------------------------------------------------------------


def general_strength(board: Board, p: int, s: int) -> int:
    """Return the strength of a complete side with wilds, under Fog or under Mud."""
    return strength_of(
        board.sides[9 * p + s],
        3 + (board.mud >> s & 1),
        board.fog >> s & 1 != 0,
        board.values,
        board.spy,
        board.bound[p],
        board.bound[2],
        board.bound[3],
    )


def proven(board: Board, p: int, s: int) -> bool:
    """Return whether `p`, whose side is complete, may claim the stone; update the witness."""
    q = 1 - p
    i = 9 * p + s
    j = 9 * q + s
    strength = board.strength[i]
    full = 3 + (board.mud >> s & 1)
    if board.size[j] == full:
        other = board.strength[j]
        board.witness[i] = 0
        return strength > other or (strength == other and (board.first >> s & 1) == q)
    avail = board.all_cards ^ board.visible
    if (board.fog | board.mud | board.wild) >> s & 1:
        w = refute(
            avail,
            board.sides[j],
            full,
            board.fog >> s & 1 != 0,
            strength,
            board.values,
            board.spy,
            board.bound[q],
            board.bound[2],
            board.bound[3],
        )
    elif board.size[j] == 2:
        w = refute_with_one(avail, board.sides[j], strength)
    elif board.size[j] == 1:
        w = refute_with_two(avail, board.sides[j], strength)
    else:
        if board.best & board.visible:
            board.best = best_three(avail)
            board.best_strength = strength3(board.best) if board.best else 0
        w = board.best if board.best_strength > strength else 0
    board.witness[i] = w
    return w == 0


def provable(board: Board, p: int) -> int:
    """Return the stones (bits) that `p` can claim now."""
    return prove(board, p, turned_up(board, p))


def prove(board: Board, p: int, look: int) -> int:
    """Prove the claims of `p` to the stones (bits) that `turned_up` returned; return those that succeed."""
    got = 0
    while look:
        s = ctz(look)
        look &= look - 1
        if proven(board, p, s):
            got |= 1 << s
    board.dirty[p] = got  # stones that are not claimed now are looked at again
    return got


def give(board: Board, p: int, stones: int) -> None:
    """Give stones (bits) to `p`, and end the game if that wins it."""
    m = 511 ^ stones
    board.owned[p] |= stones
    board.open[0] &= m
    board.open[1] &= m
    board.complete[0] &= m
    board.complete[1] &= m
    board.dirty[0] &= m
    board.dirty[1] &= m
    while stones:
        s = ctz(stones)
        stones &= stones - 1
        board.witness[s] = 0
        board.witness[9 + s] = 0
    if WON[board.owned[p]]:
        board.won = p
        board.how = WON[board.owned[p]]


def settle(board: Board) -> None:
    """Resolve a stalemate: give every stone with two complete sides to the better formation (RULES.md §4)."""
    both = board.complete[0] & board.complete[1]
    while both:
        s = ctz(both)
        both &= both - 1
        a = board.strength[s]
        b = board.strength[9 + s]
        if a > b or (a == b and board.first >> s & 1):
            board.owned[0] |= 1 << s
        else:
            board.owned[1] |= 1 << s
    zero = WON[board.owned[0]]
    one = WON[board.owned[1]]
    if (zero != 0) == (one != 0):
        zero = COUNT9[board.owned[0]]
        one = COUNT9[board.owned[1]]
    board.won = 2 if zero == one else 0 if zero > one else 1
    board.how = 3


# ---- tactic cards in a hand: bits 0 and 1 are the jokers, which are interchangeable; the lower one is set first ----


def add_tactic(board: Board, p: int, card: int) -> None:
    """Add a tactic card to the hand."""
    if card == JOKER_CARD:
        board.tactics[p] |= 2 if board.tactics[p] & 1 else 1
    else:
        board.tactics[p] |= 1 << (card - 59)
    board.tactic_count[p] += 1


def drop_tactic(board: Board, p: int, card: int) -> None:
    """Remove a tactic card from the hand."""
    if card == JOKER_CARD:
        board.tactics[p] &= 1021 if board.tactics[p] & 2 else 1022
    else:
        board.tactics[p] &= 1023 ^ 1 << (card - 59)
    board.tactic_count[p] -= 1


# ---- text ----


def side_texts(board: Board, p: int, s: int) -> list[str]:
    """Return the cards of a side as text, bound wilds with their binding."""
    w = board.sides[9 * p + s]
    cards = [CARD_TEXTS[n] for n in range(60) if w >> n & 1]
    for card, bound in ((JOKER_CARD, board.bound[p]), (SPY_CARD, board.bound[2]), (BEARER_CARD, board.bound[3])):
        if w >> card & 1:
            text = card_text(board, card)
            cards.append(text if bound < 0 else f"{text}={CARD_TEXTS[bound]}")
    return cards


# ---- used by states and views -------------------------------------------------------------------------------


def card_text(board: Board, card: int) -> str:
    """Return the text of a card in this edition."""
    return f"*{board.spy}" if card == SPY_CARD else CARD_TEXTS[card]


def hand_tactics(board: Board, seat: int) -> list[int]:
    """Return the numbers of the tactic cards in a hand."""
    return [TACTIC_DECK[k] for k in range(10) if board.tactics[seat] >> k & 1]


def hand_texts(board: Board, seat: int) -> tuple[str, ...]:
    """Return the cards of a hand as text, clan cards first."""
    check_seat(seat)
    return clan_cards(board.hands[seat]) + tuple([card_text(board, card) for card in hand_tactics(board, seat)])


fill_stone_tables()
