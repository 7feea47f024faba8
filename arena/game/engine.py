# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False
"""The state of a game: legal moves, apply, copy, outcome, views, random play.

The rules themselves are functions over the words of a `Board`: `turns` (which moves are legal and what they do),
`board` (stones and claims) and `formations` (the strength of sides); `playouts` plays at random. Each compiled module
has its C types in a `.pxd` beside it; uncompiled it is plain Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

try:
    import cython
except ImportError:
    from arena.compiled import nocython as cython  # type: ignore[no-redef]

from arena.errors import ArenaError
from arena.game.board import Board, check_seat
from arena.game.cards import card_number, clan_cards
from arena.game.deals import Deal, DealError
from arena.game.explain import why_illegal
from arena.game.moves import MOVE_COUNT, Event, Move, SeatLog, moves_by_number
from arena.game.notes import note_json
from arena.game.rng import Rng
from arena.game.rules import Rules

if not cython.compiled:
    from arena.game.board import *
    from arena.game.buffers import words_of
    from arena.game.cards import *
    from arena.game.playouts import *
    from arena.game.turns import *

    def is_spare(view: View) -> bool:
        """Return whether only the state and its caller still hold this object (in C: by its reference count)."""
        return False

    def st_list(codes: list[int], n: int, table: tuple[Move, ...]) -> list[Move]:
        """Return the moves with the first `n` numbers of `codes`."""
        return [table[code] for code in codes[:n]]


NEW = "this state has no game: make one with State(rules, deal)"
NO_RNG = "sample() needs a generator: view.rng, or Rng(seed)"


class IllegalMove(ArenaError):
    """A move that is not legal now. The message says why, and the state is unchanged."""


class State(Board):
    """A game under way, including everything that is hidden.

    `State(rules, deal)` starts a game. `auto_claim` has a flag for each seat: True if every provable stone is
    claimed automatically, False if claims are moves.

    >>> from arena.game.rules import load_rules
    >>> from arena.game.deals import make_deal
    >>> rules = load_rules("base")
    >>> state = State(rules, make_deal(rules, 1, 0))
    >>> state.phase, len(state.legal_moves())
    ('play', 54)
    >>> state.apply(state.legal_moves()[0])
    """

    if not cython.compiled:
        spare: View | None

    def __init__(self, rules: Rules, deal: Deal, auto_claim: tuple[bool, bool] = (True, True)) -> None:
        self.rules = None  # until everything has been checked
        self.stage = OVER
        self.won = 2
        self.logging = False
        set_rules(self, rules.numbers)
        self.table = moves_by_number(self.spy)
        self.auto[0] = bool(auto_claim[0])
        self.auto[1] = bool(auto_claim[1])
        clan = deal.clan_numbers
        tactic = deal.tactic_numbers
        starter = deal.starter
        if type(clan) is not bytes or type(tactic) is not bytes or starter not in (0, 1):
            raise DealError("a deal must have two decks as bytes and the starter, seat 0 or 1")
        if len(clan) != 6 * self.values or len(tactic) != 10 * self.with_tactics:
            raise DealError(
                f"the deal has {len(clan)} clan and {len(tactic)} tactic cards, but rule set {rules.name} needs "
                f"{6 * self.values} and {10 * self.with_tactics}"
            )
        if not load_decks(self, clan, tactic):
            raise DealError(f"the decks of the deal do not fit {rules.name}: it needs one of each card, both jokers")
        self.log0 = SeatLog()
        self.log1 = SeatLog()
        self.logging = True
        start_game(self, starter)
        self.rules = rules

    # ---- the game -----------------------------------------------------------------------------------------------

    def legal_moves(self) -> list[Move]:
        """Return the legal moves of the seat to decide, always in the same order; an empty list after the end."""
        n = legal_codes(self, CODES)
        if n == 0 and self.rules is None:
            raise TypeError(NEW)
        return st_list(CODES, n, self.table)

    def apply(self, move: Move) -> None:
        """Carry out a move; raise `IllegalMove` and leave the state unchanged if the move is not legal."""
        if move is None:
            raise IllegalMove("None is not a move")
        if self.rules is None:
            raise TypeError(NEW)
        code = move.index
        if not 0 <= code < MOVE_COUNT or self.table[code] is not move or not is_legal(self, code):
            raise IllegalMove(why_illegal(self, self.legal_moves(), move))
        perform(self, code)

    def play_by(
        self,
        choosers: tuple[Any, Any],
        rngs: tuple[Rng, Rng],
        forced: tuple[bool, bool],
        trail: Any,
        at: int,
        notes: list[tuple[int, int, str]],
    ) -> tuple[int, int, int, int, Any]:
        """Play on to the end, asking `choosers[seat](view, moves)` for each decision: the loop of a referee.

        A seat with a single legal move is asked only if `forced[seat]`. The numbers of the moves made are written to
        `trail` (unsigned 16-bit numbers) from place `at` on. Notes are appended to `notes` as place, seat and text;
        the last one may belong to a move that is not legal.

        Returns the next free place, the numbers of decisions asked of seat 0 and of seat 1, and how it ended:
        (0, None) at the end of the game, (1, the exception that a chooser raised), or (2, the object that a chooser
        returned instead of a legal move).
        """
        if self.rules is None or trail is None:
            raise TypeError(NEW if self.rules is None else "the trail is missing")
        kept = memoryview(trail)  # so that no bot takes its memory away meanwhile
        codes = words_of(kept)
        room = len(kept)
        asked_0 = 0
        asked_1 = 0
        act_0, act_1 = choosers
        rng_0, rng_1 = rngs
        ask_0, ask_1 = forced
        seen: View | None
        while True:
            n = legal_codes(self, CODES)
            if n == 0:
                return at, asked_0, asked_1, 0, None
            seat = self.mover
            if n == 1 and not (ask_1 if seat else ask_0):
                code = CODES[0]
            else:
                moves = st_list(CODES, n, self.table)
                if seat:
                    asked_1 += 1
                    seen = self.view(1, rng_1)
                else:
                    asked_0 += 1
                    seen = self.view(0, rng_0)
                try:
                    got = act_1(seen, moves) if seat else act_0(seen, moves)
                except BaseException as error:
                    return at, asked_0, asked_1, 1, error
                if type(got) is not Move:
                    return at, asked_0, asked_1, 2, got
                if seen.noted is not None:
                    notes.append((at, seat, seen.noted))
                seen = None  # if nobody keeps the view, its memory is used again
                move = got
                code = move.index
                if not 0 <= code < MOVE_COUNT or self.table[code] is not move or not is_legal(self, code):
                    return at, asked_0, asked_1, 2, got
            if not 0 <= at < room:
                raise IndexError(f"place {at} is outside the trail, which has {room} places")
            perform(self, code)
            codes[at] = code
            at += 1

    def copy(self) -> State:
        """Return an independent copy, including the history."""
        if self.rules is None:
            raise TypeError(NEW)
        state: State = State.__new__(State)
        copy_block(state, self)
        if cython.compiled:
            memcpy(state.clan_deck, self.clan_deck, 64 + 32)  # type: ignore[name-defined]
        else:
            state.clan_deck, state.tactic_deck = self.clan_deck[:], self.tactic_deck[:]
        state.logging = self.logging
        if self.logging:
            state.log0 = self.log0.copy()
            state.log1 = self.log1.copy()
        return state

    def __deepcopy__(self, memo: object) -> State:
        return self.copy()

    def __reduce__(self) -> Any:
        raise TypeError("a state cannot be pickled: send its record (arena.game.record) and replay it")

    def rollout(self, rng: Rng) -> int:
        """Play a copy to its end with uniformly random moves; return the winner, 2 for a draw."""
        if rng is None:
            raise TypeError("rollout() needs a generator: view.rng, or Rng(seed)")
        state = self.copy()
        state.logging = False
        return play_out(state, rng)

    def perft(self, depth: int) -> int:
        """Return the number of sequences of `depth` moves from here; sequences that end earlier are not counted."""
        if self.rules is None:
            raise TypeError(NEW)
        if depth <= 0:
            return 1
        n = legal_codes(self, CODES)
        if depth == 1:
            return n
        codes = [CODES[i] for i in range(n)]
        total = 0
        for i in range(n):
            state = self.copy()
            state.logging = False
            perform(state, codes[i])
            total += state.perft(depth - 1)
        return total

    def view(self, seat: int, rng: Rng | None = None, clock: Any = None) -> View:
        """Return what `seat` knows now: a snapshot without the opponent's hand and the decks.

        `rng` and `clock` become the view's generator and its remaining time.
        """
        check_seat(seat)
        if self.rules is None:
            raise TypeError(NEW)
        seen = self.spare if cython.compiled else None
        if seen is None or not is_spare(seen):
            seen = View.__new__(View)
            self.spare = seen
        copy_block(seen, self)
        p = 1 - seat
        seen.seat = seat
        seen.hands[p] = 0
        seen.tactics[p] = 0
        if self.scouter == p:
            for i in range(4):
                if seen.back_place[i] != 254:  # a card that the seat has drawn itself lies in its own hand
                    seen.back_card[i] = 255
        seen.log = None
        seen.log_length = 0
        if self.logging:
            log = self.log1 if seat else self.log0
            seen.log = log
            seen.log_length = len(log)
        seen.rng = rng
        seen.clock = clock
        if seen.noted is not None:
            seen.noted = None
        return seen

    @property
    def clan_cards_left(self) -> tuple[str, ...]:
        """The clan deck, next card first."""
        return tuple([card_text(self, self.clan_deck[i]) for i in range(self.clan_pos, self.clan_end)])

    @property
    def tactic_cards_left(self) -> tuple[str, ...]:
        """The tactic deck, next card first."""
        return tuple([card_text(self, self.tactic_deck[i]) for i in range(self.tactic_pos, self.tactic_end)])

    @property
    def key(self) -> int:
        """A 64-bit number for this position, made of everything that matters to the rest of the game.

        It is like `View.key`, but includes the hidden cards: both hands and the decks.
        """
        h = mixed(self, 0)
        for i in range(self.clan_pos, self.clan_end):
            h = stir(h, self.clan_deck[i])
        for i in range(self.tactic_pos, self.tactic_end):
            h = stir(h, self.tactic_deck[i])
        return h

    def _place_given(self, p: int, hand: Iterable[str], deck: Sequence[str], tactic_deck: Sequence[str]) -> None:
        """Put given cards where they are wanted in a sample of what seat `p` knows.

        Raises `ArenaError` for a card that cannot be there.
        """
        if isinstance(hand, str) or isinstance(deck, str) or isinstance(tactic_deck, str):
            raise TypeError("give the cards of a sample as a list, such as ['r7', 'b3']")
        q = 1 - p
        held = list(hand_texts(self, q))  # known to be in the hand
        wanted: list[tuple[str, str, int]] = []
        for text in hand:
            if text in held:
                held.remove(text)
            else:
                wanted.append((text, "hand", 0))
        wanted += [(text, "clan", self.clan_pos + i) for i, text in enumerate(deck)]
        wanted += [(text, "tactic", self.tactic_pos + i) for i, text in enumerate(tactic_deck)]
        for text, where, place in wanted:
            card = card_number(text)
            name = "the opponent's hand" if where == "hand" else f"the {where} deck"
            kind = "clan" if card < JOKER_CARD else "tactic"
            if where == "hand":
                room = hidden_clan(self, q) if kind == "clan" else hidden_tactics(self, q)
            else:
                if where != kind:
                    raise ArenaError(f"{text} does not belong in {name}")
                room = (self.clan_end if kind == "clan" else self.tactic_end) - place
            if room < 1:
                raise ArenaError(f"there is no room for {text} in {name} of the sample: its size is known")
            known = 255 if where == "hand" else self.clan_deck[place] if kind == "clan" else self.tactic_deck[place]
            if known == card:
                continue
            if known < 255:
                raise ArenaError(f"{text} cannot be there in {name} of the sample: {card_text(self, known)} is")
            if card not in unplaced(self, p):
                raise ArenaError(f"{text} cannot be in {name} of the sample: it is known to be elsewhere")
            if where == "hand":
                add_known(self, q, card)
            elif kind == "clan":
                self.clan_deck[place] = card
            else:
                self.tactic_deck[place] = card

    def events(self, seat: int, start: int = 0) -> tuple[Event, ...]:
        """Return the events that a seat has seen, from number `start` on; none in a state made by `sample`."""
        if check_seat(seat) < 0 or not self.logging:
            return ()
        log = self.log1 if seat else self.log0
        return log.events(self.spy, max(start, 0), len(log))

    def hand_of(self, seat: int) -> tuple[str, ...]:
        """Return the cards in a hand, clan cards first."""
        return hand_texts(self, seat)

    def claimable(self, seat: int) -> tuple[int, ...]:
        """Return the stones (1..9) that a seat could prove now, regardless of whose turn it is."""
        state = self.copy()
        got = provable(state, check_seat(seat))
        return tuple([s + 1 for s in range(9) if got >> s & 1])


class View(Board):
    """What one seat knows at one moment: a snapshot that holds neither the opponent's hand nor the decks.

    It has everything that `Board` has (`side`, `modes`, `owners` ..., by seat), and the same from the seat's point of
    view: `seat`, `hand`, `mine` and `theirs` (nine tuples of cards), `history`, `known_in_hand`, `known_in_decks`.
    `rng` is the bot's generator for this game, `clock` its remaining time.
    """

    if not cython.compiled:
        seat: int
        rng: Rng
        clock: Any
        log: SeatLog | None
        log_length: int
        noted: str | None = None

    def __reduce__(self) -> Any:
        raise TypeError("a view can be neither copied nor pickled: copy the values you need")

    @property
    def hand(self) -> tuple[str, ...]:
        """The cards in this seat's hand, clan cards first."""
        return hand_texts(self, self.seat)

    @property
    def mine(self) -> tuple[tuple[str, ...], ...]:
        """This seat's sides of stones 1..9 (index 0..8)."""
        return tuple([tuple(side_texts(self, self.seat, s)) for s in range(9)])

    @property
    def theirs(self) -> tuple[tuple[str, ...], ...]:
        """The opponent's sides of stones 1..9 (index 0..8)."""
        return tuple([tuple(side_texts(self, 1 - self.seat, s)) for s in range(9)])

    @property
    def history(self) -> tuple[Event, ...]:
        """The events that this seat has seen up to this moment."""
        if self.log is None:
            return ()
        return self.log.events(self.spy, 0, self.log_length)

    @property
    def unseen(self) -> tuple[str, ...]:
        """The clan cards that this seat has not seen: neither face up nor in its hand."""
        return clan_cards(self.all_cards ^ (self.visible | self.hands[self.seat]))

    @property
    def known_in_hand(self) -> tuple[str, ...]:
        """The cards that the opponent certainly holds: put back by this seat's recruiter and drawn by the opponent."""
        return tuple(
            [
                card_text(self, self.back_card[i])
                for i in range(self.back_n)
                if self.scouter == self.seat and self.back_place[i] == 254
            ]
        )

    @property
    def known_in_decks(self) -> tuple[tuple[str, str, int], ...]:
        """The cards that this seat's recruiter put back and that are still there: (card, deck, cards above it)."""
        return tuple(
            [
                (
                    card_text(self, self.back_card[i]),
                    "tactic" if self.back_deck[i] else "clan",
                    self.back_place[i] - (self.tactic_pos if self.back_deck[i] else self.clan_pos),
                )
                for i in range(self.back_n)
                if self.scouter == self.seat and self.back_place[i] < 250
            ]
        )

    def sample(
        self, rng: Rng, hand: Iterable[str] = (), deck: Sequence[str] = (), tactic_deck: Sequence[str] = ()
    ) -> State:
        """Return a random full state that agrees with everything this seat knows, all such states equally likely.

        The hidden cards are shuffled and dealt to the opponent's hand and the decks, whose sizes are public; cards that
        this seat put back by the recruiter stay where they are known to be. The state has no history.

        `hand` are cards that the opponent holds in the sample; `deck` and `tactic_deck` are the cards drawn next, in
        order. The rest is dealt at random. Raises `ArenaError` for cards that cannot be there.
        """
        state: State = State.__new__(State)
        if not (hand or deck or tactic_deck):
            self.sample_into(state, rng)
            return state
        if self.rules is None or rng is None:
            raise TypeError(NEW if self.rules is None else NO_RNG)
        copy_block(state, self)
        place_known(state, self.seat)
        state._place_given(self.seat, hand, deck, tactic_deck)
        deal_rest(state, self.seat, rng)
        return state

    @cython.final
    def sample_into(self, state: State, rng: Rng) -> None:
        """Write a sample into an existing state that has no history and that only its caller holds."""
        if self.rules is None or rng is None:
            raise TypeError(NEW if self.rules is None else NO_RNG)
        copy_block(state, self)
        place_known(state, self.seat)
        deal_rest(state, self.seat, rng)

    def note(
        self,
        /,
        *,
        value: float | None = None,
        depth: int | None = None,
        nodes: int | None = None,
        text: str | None = None,
        **numbers: float,
    ) -> None:
        """Attach a note to the move about to be made; it is stored with the game and never shown to the opponent.

        `value` is this seat's chance to win, 0 to 1. `text` may have 200 characters (the rest is cut off). `numbers`
        are up to eight numbers under names of the bot's choice. Numbers are kept with six digits, `value` with four.
        A second call replaces the first. A note outside these bounds is ignored with a line in the log; the game
        continues.
        """
        self.noted = note_json(value, depth, nodes, text, numbers)

    def after(self, move: Move) -> View:
        """Return what this seat knows after its legal `move` and before it draws: a position to evaluate.

        Everything that follows automatically has happened (above all claims), except for the draw: the hand is one
        card short, the decks are unchanged, and it is the opponent's turn. A recruiter draws nothing. Raises
        `IllegalMove`, and ValueError if it is not this seat's turn or the move is a draw.
        """
        if self.rules is None or move is None:
            raise TypeError(NEW if self.rules is None else "None is not a move")
        if self.mover != self.seat or self.stage == SCOUT or self.stage == DRAW_CARD:
            raise ValueError("it is not this seat's turn" if self.mover != self.seat else "the drawn card is not known")
        state: State = State.__new__(State)
        copy_block(state, self)
        code = move.index
        if not 0 <= code < MOVE_COUNT or state.table[code] is not move or not is_legal(state, code):
            raise IllegalMove(why_illegal(state, state.legal_moves(), move))
        state.clan_left = 0
        state.tactic_left = 0
        perform(state, code)
        seen: View = View.__new__(View)
        copy_block(seen, state)
        seen.clan_left += self.clan_left
        seen.tactic_left += self.tactic_left
        seen.seat = self.seat
        seen.log = self.log
        seen.log_length = self.log_length
        seen.rng = self.rng
        seen.clock = self.clock
        return seen

    @property
    def key(self) -> int:
        """A 64-bit number for what this seat knows, as far as it matters to the rest of the game.

        Equal knowledge has equal keys on every machine, whatever the order of the moves that led to it; different
        knowledge has different keys, except with a chance of one in 2**64. What the opponent has learned from this
        seat's moves is not part of it.
        """
        return mixed(self, self.seat + 1)


def mixed(board: Board, h: int) -> int:
    """Return a hash, begun with `h`, of everything except the decks that matters to the rest of the game."""
    for i in range(18):
        h = stir(h, board.sides[i])
    for i in range(2):
        h = stir(h, board.hands[i])
        h = stir(h, board.tactics[i])
        h = stir(h, board.owned[i])
        h = stir(h, board.clan_count[i])
        h = stir(h, board.tactic_count[i])
        h = stir(h, board.played[i])
        h = stir(h, board.jokers[i])
        h = stir(h, board.auto[i])
    for i in range(4):
        h = stir(h, board.bound[i] + 1)
    h = stir(h, board.visible)
    h = stir(h, board.first & board.complete[0] & board.complete[1])
    h = stir(h, board.fog)
    h = stir(h, board.mud)
    h = stir(h, board.rows[0] | board.rows[1])
    h = stir(h, board.clan_left)
    h = stir(h, board.tactic_left)
    h = stir(h, board.idle)
    h = stir(h, board.mover)
    h = stir(h, board.stage)
    h = stir(h, board.won + 1)
    if board.stage == CLAIM_START or board.stage == CLAIM_END:
        h = stir(h, board.claims)
    elif board.stage >= TAKE and board.stage <= PUT_BACK:  # in a ruse
        h = stir(h, board.ruse)
        h = stir(h, board.taken)
        h = stir(h, board.taken_stone if board.stage == PUT else 0)
        h = stir(h, board.scout_left)
        h = stir(h, board.scout_deck + 1 if board.stage == SCOUT else 0)
    back = 0
    for i in range(board.back_n):  # the known cards that were put back, in any order
        place = board.back_place[i]
        if place < 250:
            place -= board.tactic_pos if board.back_deck[i] else board.clan_pos
        if place < 255:
            back ^= stir(stir(stir(board.scouter + 1, board.back_card[i]), board.back_deck[i]), place)
    h = stir(h, back)
    h = stir(h, board.values)
    h = stir(h, board.hand_size)
    h = stir(h, board.spy)
    flags = board.window_start | board.window_after << 1 | board.on_play << 2 | board.clan_only << 3
    return stir(h, flags | board.with_tactics << 4 | board.back_on_top << 5 | board.single << 6)
