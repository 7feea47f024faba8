# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False
"""The value of a position for a seat: the chance to win the game, computed from the chances to win each stone.

The stones are taken as independent. Then the chance to win the game is the expectation, over the 512 ways to divide
nine stones, of having won: five of them or three adjacent. It is linear in each stone's chance, so it is folded
512 -> 256 -> ... -> 1. This accounts for adjacency, for decided stones and for the stake of each stone.

A move is judged by the position after it and before the draw, so nothing leaks from the deck of a sample.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import cython

from arena.game.board import Board
from arena.game.engine import State
from arena.game.moves import MOVE_COUNT, Move, moves_by_number
from arena.policy.stones import Pool

CATEGORIES = ("sum", "run", "colour", "kind", "colour run")


def fill_cases() -> None:
    """Fill the value of each division of the stones (the seat's own stones as bits)."""
    for m in range(512):
        mine = WON[m] != 0
        theirs = WON[511 ^ m] != 0
        SPLIT[m] = 0.5 if mine == theirs else 1.0 if mine else 0.0


def result_of(board: Board, p: int) -> float:
    """Return the result of a finished game for seat `p`: 1 if it won, 0.5 for a draw, else 0."""
    return 0.5 if board.won == 2 else 1.0 if board.won == p else 0.0


class StoneOdds(NamedTuple):
    """A stone as an evaluator judges it, from the point of view of one seat."""

    stone: int
    """The stone's number, 1..9."""
    chance: float
    """The seat's chance to win the stone, 0 to 1."""
    stake: float
    """The difference in the seat's chance to win the game between having and not having the stone, 0 to 1."""
    mine: dict[str, float]
    """The chance that the seat's side becomes each formation: sum, run, colour, kind, colour run; empty if owned."""
    theirs: dict[str, float]
    """The same as `mine` for the opponent's side."""


class Evaluator:
    """An estimator of the chance to win, for positions and moves; one evaluator can serve any number of games.

    `hand` is the chance that a card of the seat's hand comes to a given side, `draw` the chance that a card is played
    there once it is drawn, `theirs` the chance that the opponent plays a card there that they hold or draw. `share` is
    the part of the deck that each seat draws, `tactic_price` the cost of playing a tactic card. Each is from 0 to
    below 1; others raise ValueError.

    >>> from arena import State, load_rules, make_deal
    >>> rules = load_rules("base")
    >>> state = State(rules, make_deal(rules, 1, 0))
    >>> round(Evaluator().value(state.view(0)), 2)
    0.5
    """

    def __init__(
        self,
        hand: float = 0.85,
        draw: float = 0.55,
        theirs: float = 0.8,
        share: float = 0.5,
        tactic_price: float = 0.03,
    ) -> None:
        for i, (name, value) in enumerate(
            [("hand", hand), ("draw", draw), ("theirs", theirs), ("share", share), ("tactic_price", tactic_price)]
        ):
            if not 0.0 <= value < 1.0:
                raise ValueError(f"{name} must be from 0 to below 1, not {value!r}")
            self.settings[i] = value
        self.root = State.__new__(State)
        self.work = State.__new__(State)
        self.deeper = State.__new__(State)
        self.last = State.__new__(State)
        self.mine = Pool.__new__(Pool)
        self.theirs = Pool.__new__(Pool)
        for m in range(512):
            self.table[m] = SPLIT[m]
        for s in range(9):
            self.folded[s] = -1.0

    # ---- for callers in Python ----------------------------------------------------------------------------------

    def value(self, position: Board, seat: int = -1) -> float:
        """Return the chance that `seat` wins, from what that seat knows: 0 to 1.

        By default `seat` is the view's own, or in a state the one to decide.
        """
        self.look(position, self.seat_of(position, seat))
        return self.root_value()

    def stone_odds(self, position: Board, seat: int = -1) -> tuple[float, ...]:
        """Return the chances that `seat` wins stones 1..9 (index 0..8)."""
        self.look(position, self.seat_of(position, seat))
        return tuple([self.chances[s] for s in range(9)])

    def explain(self, position: Board, seat: int = -1) -> tuple[StoneOdds, ...]:
        """Explain `stone_odds` and `value` stone by stone: what both sides may become, and what is at stake.

        >>> from arena import State, load_rules, make_deal
        >>> rules = load_rules("base")
        >>> first = Evaluator().explain(State(rules, make_deal(rules, 1, 0)))[0]
        >>> first.stone, round(first.chance, 2), round(first.theirs["colour"], 2)
        (1, 0.5, 0.26)
        """
        self.look(position, self.seat_of(position, seat))
        root = self.root
        odds = []
        for s in range(9):
            levels: list[dict[str, float]] = [{}, {}]
            if not (root.owned[0] | root.owned[1]) >> s & 1:
                at = STEP * self.levels(root, s)
                for i in range(15):
                    name = "sum" if root.fog >> s & 1 else CATEGORIES[i // 3]
                    for side, p in ((levels[0], self.room[i]), (levels[1], self.others[at + i])):
                        if p > 0.0:
                            side[name] = side.get(name, 0.0) + p
            odds.append(StoneOdds(s + 1, self.chances[s], self.stake(s), levels[0], levels[1]))
        return tuple(odds)

    @cython.final
    def stake(self, s: int) -> float:
        """Return the difference in the chance to win the game between having and not having the stone."""
        for i in range(9):
            self.picked[i] = i
        self.picked[s] = FRESH
        self.chances[FRESH] = 1.0
        won = self.fold()
        self.chances[FRESH] = 0.0
        return won - self.fold()

    def values(self, position: Board, moves: list[Move]) -> list[float]:
        """Return the chance to win after each of the legal `moves`, before the draw, for the seat to decide.

        Draws, including the recruiter's, are judged by a rule: 1 for the deck to draw from, 0 for the other.
        """
        self.look(position, position.to_move)
        return [self.after(self.code_of(position, move)) for move in moves]

    def draw_values(self, before: State, after: State) -> list[float]:
        """Return the value (0 to 1) of each card that could have been drawn, the drawn one first.

        A move led from `before` to `after`; given everything that had happened, each of the cards was equally likely.
        The value of a card is the drawing seat's chance to win with both hands open, after the other seat's likely
        reply. Returns an empty list if no card was drawn, or if the place of the drawn card was known.
        """
        if before is None or after is None or before.rules is None or after.rules is None:
            raise TypeError("expected two states of a game")
        p = before.mover
        in_clan = after.clan_pos == before.clan_pos + 1
        if after.won >= 0 or not (in_clan or after.tactic_pos == before.tactic_pos + 1):
            return []
        place = before.clan_pos if in_clan else before.tactic_pos
        bit = 1
        known = bit << 63
        for i in range(before.back_n):
            if before.back_deck[i] == (not in_clan) and before.back_place[i] < 60:
                known |= bit << before.back_place[i]
        if known >> place & 1:
            return []
        drawn = before.clan_deck[place] if in_clan else before.tactic_deck[place]
        reply: State = State.__new__(State)
        copy_block(reply, after)
        codes = []
        while reply.won < 0 and reply.mover != p and reply.stage != SCOUT:
            code = self.best_code(reply)
            codes.append(code)
            self.before_draw(reply, code)
        values = []
        for i in range(place, before.clan_end if in_clan else before.tactic_end):
            if known >> i & 1:
                continue
            copy_block(reply, after)
            if in_clan:
                reply.hands[p] = reply.hands[p] ^ bit << drawn | bit << before.clan_deck[i]
            else:
                drop_tactic(reply, p, drawn)
                add_tactic(reply, p, before.tactic_deck[i])
            for code in codes:
                self.before_draw(reply, code)
            values.append(self.open_value(reply, p))
        return values

    @cython.final
    def before_draw(self, board: State, code: int) -> None:
        """Carry out a legal move without the draw that follows it."""
        clan_left = board.clan_left
        tactic_left = board.tactic_left
        board.clan_left = 0
        board.tactic_left = 0
        perform(board, code)
        board.clan_left = clan_left
        board.tactic_left = tactic_left

    @cython.final
    def open_value(self, board: State, p: int) -> float:
        """Return seat `p`'s chance to win with both hands open: after its best move, if it is to decide."""
        copy_block(self.root, board)
        self.judge_all(p)
        if board.won >= 0 or board.mover != p or not self.deciding():
            return self.root_value()
        n = legal_codes(board, self.choices)
        self.best_of(n, 0.0, None)
        return self.most

    def choose(self, position: Board, moves: list[Move]) -> Move:
        """Return the move with the highest value, the first one of several."""
        self.look(position, position.to_move)
        if not 0 < len(moves) <= MOVE_COUNT:
            raise ValueError(f"expected from 1 to {MOVE_COUNT} moves to choose from, not {len(moves)}")
        for i in range(len(moves)):
            self.choices[i] = self.code_of(position, moves[i])
        return moves[self.best_of(len(moves), 0.0, None)]

    @cython.final
    def seat_of(self, position: Board, seat: int) -> int:
        """Return the seat whose point of view is taken."""
        if position is None or position.rules is None:
            raise TypeError("expected a view or a state of a game")
        if seat not in (-1, 0, 1):
            raise ValueError(f"a seat is 0 or 1, not {seat!r}")
        return seat if seat >= 0 else getattr(position, "seat", position.to_move)

    @cython.final
    def code_of(self, position: Board, move: Move) -> int:
        """Return the number of a move; raise ValueError if the move is not legal now."""
        code = move.index if type(move) is Move else -1
        table = moves_by_number(position.spy)
        if not 0 <= code < MOVE_COUNT or table[code] is not move or not is_legal(self.root, code):
            raise ValueError(f"{move} is not legal now")
        return code

    # ---- inside -------------------------------------------------------------------------------------------------

    @cython.final
    def look(self, position: Board, p: int) -> None:
        """Set the position to judge, as seat `p` knows it."""
        if position is None or position.rules is None:
            raise TypeError("expected a view or a state of a game")
        if self.root is None:
            raise TypeError("make evaluators with Evaluator(...)")
        copy_block(self.root, position)
        self.root.hands[1 - p] = 0
        self.judge_all(p)

    @cython.final
    def judge_all(self, p: int) -> None:
        """Judge the stones of the current position as seat `p` sees them; the other hand is open if it is there."""
        self.seat = p
        q = 1 - p
        root = self.root
        theirs_open = root.hands[q]
        unseen = root.all_cards ^ (root.visible | root.hands[p] | theirs_open)
        count = popcount(unseen)
        drawn = 0.0
        theirs = 0.0
        if count:
            drawn = self.settings[1] * self.settings[3] * root.clan_left / count
            hidden = root.clan_count[q] - popcount(theirs_open)
            theirs = self.settings[2] * (hidden + self.settings[3] * root.clan_left) / count
        self.mine.fill(root.hands[p], unseen, self.settings[0], drawn if drawn < 0.95 else 0.95)
        in_hand = self.settings[2] if theirs_open else 0.0
        self.theirs.fill(theirs_open, unseen, in_hand, theirs if theirs < 0.95 else 0.95)
        self.looks += 1
        self.card = -1
        for s in range(ANEW):
            self.versions[s] = 0  # none
        self.begin(root)
        for s in range(9):
            self.judge(root, s, s)

    @cython.final
    def root_value(self) -> float:
        """Return the chance to win in the current position."""
        for s in range(9):
            self.picked[s] = s
        return self.result(self.root)

    @cython.final
    def worth(self, board: State) -> float:
        """Return the chance to win in a position that follows the current one; only changes are judged again."""
        p = self.seat
        q = 1 - p
        root = self.root
        hand = root.hands[p]
        gone = hand & ~board.hands[p]
        card = -1
        if gone:
            self.mine.set_hand(board.hands[p])
            if popcount(gone) == 1:
                card = ctz(gone)
        changed = (root.owned[0] ^ board.owned[0]) | (root.owned[1] ^ board.owned[1])
        changed |= (root.fog ^ board.fog) | (root.mud ^ board.mud) | self.news(board)
        self.card = card if not changed and root.tactics[p] == board.tactics[p] else -1
        for s in range(9):
            slot = s
            if (
                changed >> s & 1
                or root.sides[9 * p + s] != board.sides[9 * p + s]
                or root.sides[9 * q + s] != board.sides[9 * q + s]
            ):
                slot = FRESH + s
                self.judge(board, s, slot)
            elif gone and self.wants_cards(s):
                slot = FRESH + s if card < 0 else WITHOUT + 64 * s + card
                if card < 0 or self.stamp[slot] != self.looks:
                    self.stamp[slot] = self.looks
                    self.judge(board, s, slot)
            self.picked[s] = slot
        value = self.result(board)
        if gone:
            self.mine.set_hand(hand)
        return value

    @cython.final
    def wants_cards(self, s: int) -> bool:
        """Return whether the hand matters for the stone: not if the side is full, nor if it is empty without Fog."""
        p = self.seat
        root = self.root
        return root.open[p] >> s & 1 != 0 and (root.sides[9 * p + s] != 0 or root.fog >> s & 1 != 0)

    @cython.final
    def result(self, board: State) -> float:
        """Return the result of a finished game, or the chance to win from the stones picked."""
        if board.won >= 0:
            return result_of(board, self.seat)
        return self.combine(board)

    # ---- methods that a subclass may override --------------------------------------------------------------------

    def begin(self, board: State) -> None:
        """Prepare for judging the stones of a new current position."""

    def news(self, board: State) -> int:
        """Return stones (bits) to judge again after a move, besides those with changed cards or owners."""
        return 0

    def judge(self, board: State, s: int, slot: int) -> None:
        """Judge stone `s` (0..8) of a position and keep the result under the number `slot`."""
        chance = known_chance(board, self.seat, s, self.mine, self.theirs)
        if chance < 0.0:
            chance = compare(self.room, 0, self.others, STEP * self.levels(board, s))
        self.chances[slot] = chance

    def combine(self, board: State) -> float:
        """Return the chance to win, from the results kept for the nine stones under the numbers `picked`."""
        return self.fold()

    @cython.final
    def levels(self, board: State, s: int) -> int:
        """Compute what both sides of an open stone may become.

        The seat's own distribution is written to `room`, the other seat's to `others`, at `STEP` times the returned
        number. The seat's own moves seldom change the other side, so that is computed once for each position.
        """
        p = self.seat
        q = 1 - p
        root = self.root
        side_levels(board, p, s, self.mine, self.room, 0)
        changed = (root.fog ^ board.fog) | (root.mud ^ board.mud)
        at = ANEW if changed >> s & 1 or root.sides[9 * q + s] != board.sides[9 * q + s] else s
        if at == ANEW or self.versions[at] == 0:
            self.version += 1
            self.versions[at] = self.version
            side_levels(board, q, s, self.theirs, self.others, STEP * at)
        return at

    @cython.final
    def fold(self) -> float:
        """Return the chance to win the game, from the chances to win the stones.

        The divisions that remain after each stone are kept: if the last stones have the same chances as in the last
        fold, only the first ones are folded again.
        """
        s = 8
        while s >= 0 and self.folded[s] == self.chances[self.picked[s]]:
            s -= 1
        while s >= 0:
            p = self.chances[self.picked[s]]
            self.folded[s] = p
            half = 1 << s
            mix(self.table, 1024 - 4 * half, 1024 - 2 * half, half, p)
            s -= 1
        return self.table[1022]

    # ---- moves --------------------------------------------------------------------------------------------------

    @cython.final
    def best_code(self, position: State) -> int:
        """Return the number of the best legal move of the seat to decide; its value is then in `most`."""
        n = legal_codes(position, self.choices)
        self.look(position, position.mover)
        return self.choices[self.best_of(n, 0.0, None)]

    @cython.final
    def best_of(self, n: int, noise: float, rng: Any) -> int:
        """Return the place of the best of the first `n` legal moves in `choices`, the first one of several.

        Its value is then in `most`. With `noise` the best move has the highest logit(value) + noise * Gumbel, but a
        move that wins is always taken.
        """
        noisy = noise > 0.0 and self.deciding()
        best = 0
        highest = -1e9
        for i in range(n):
            value = self.after(self.choices[i])
            mark = value
            if noisy:
                if value < 0.999:
                    mark = value if value > 0.001 else 0.001
                    mark = log(mark / (1.0 - mark)) - noise * log(-log(rng.random()))
                else:
                    mark = 20.0 + value
            if mark > highest:
                highest = mark
                best = i
                self.most = value
        return best

    @cython.final
    def after(self, code: int) -> float:
        """Return the chance to win after a legal move in the current position."""
        if not self.deciding():
            return 1.0 if (code - DRAW) == self.deck_to_draw() else 0.0
        work = self.after_move(code)
        playing = self.root.stage == PLAY
        price = self.settings[4] if playing and code >= 9 * JOKER_CARD and code != PASS else 0.0
        if playing and work.stage == TAKE:
            best = 0.0
            n = legal_codes(work, self.codes)
            for i in range(n):
                copy_block(self.deeper, work)
                perform(self.deeper, self.codes[i])
                value = self.after_taking(self.deeper)
                if value > best:
                    best = value
            return best - price
        return self.after_taking(work) - price

    @cython.final
    def after_move(self, code: int) -> State:
        """Return the current position after a move and before the draw."""
        work = self.work
        copy_block(work, self.root)
        work.clan_left = 0
        work.tactic_left = 0
        perform(work, code)
        return work

    @cython.final
    def after_taking(self, board: State) -> float:
        """Return the value of the best way to place a card that a ruse has taken, else the value of the position."""
        if board.stage != PUT:
            return self.worth(board)
        best = 0.0
        n = legal_codes(board, self.more)
        for i in range(n):
            copy_block(self.last, board)
            perform(self.last, self.more[i])
            value = self.worth(self.last)
            if value > best:
                best = value
        return best

    @cython.final
    def deciding(self) -> bool:
        """Return whether the decision is judged by values, not by a rule."""
        return self.root.stage != SCOUT and self.root.stage != DRAW_CARD

    @cython.final
    def deck_to_draw(self) -> int:
        """Return 0 for the clan deck or 1 for the tactic deck.

        A tactic card is drawn only for a seat that holds none and may play one.
        """
        p = self.seat
        root = self.root
        return 1 if root.stage == DRAW_CARD and not root.tactics[p] and root.played[p] <= root.played[1 - p] else 0


fill_cases()
