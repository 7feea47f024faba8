# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: annotation_typing=False
"""Many games at once for learners, inside the engine, and a seat's knowledge as numbers.

`gymnasium_env.SchottenTottenVec` offers the same in the form of that library; `spaces.ViewEncoder.parts` has the order
of the numbers.
"""

from __future__ import annotations

from array import array
from typing import Any

import cython

from arena.game.board import Board
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rng import Rng, derive_seed
from arena.game.rules import Rules
from arena.policy.evaluator import Evaluator


def observe(board: Board, p: int, numbers: Any) -> None:
    """Write what seat `p` knows of a view or a state to `numbers`, 32-bit floats; hidden cards play no part.

    >>> import numpy as np
    >>> from arena import State, load_rules, make_deal
    >>> rules, numbers = load_rules("base"), np.empty(1119, np.float32)
    >>> observe(State(rules, make_deal(rules, 1, 0)), 0, numbers)
    >>> int(numbers[:54].sum()), int(numbers[54:108].sum())
    (6, 48)
    """
    if board is None or p not in (0, 1) or len(numbers) != observation_size(board):
        raise ValueError("expected a view or a state, a seat and an array of the size of these rules' observations")
    write(board, p, floats_of(numbers), 0, len(numbers))


def observation_size(board: Board) -> int:
    """Return how many numbers an observation has."""
    clan = 6 * board.values
    size = 24 * clan + 174 if board.with_tactics else 20 * clan + 39
    return size + 3 * clan if board.on_play else size


def write(board: Board, p: int, x: Any, at: int, size: int) -> None:
    """Write an observation at a place of a longer array, as `observe` does."""
    q = 1 - p
    clan = 6 * board.values
    kinds = 9 if board.with_tactics else 0
    side = clan + (3 if board.with_tactics else 0)
    clear(x, at, size)
    put(x, at, board.hands[p])
    if kinds:
        t = board.tactics[p]
        put(x, at + clan, (1 if t & 3 else 0) | t >> 2 << 1)
    at += clan + kinds
    put(x, at, board.all_cards ^ (board.visible | board.hands[p]))
    at += clan
    for i in range(18):
        cards = board.sides[9 * p + i if i < 9 else 9 * q + i - 9]
        put(x, at, cards & ALL60)
        if cards >> 60:
            put(x, at + clan, cards >> 60 & 7)
        at += side
    put(x, at, board.owned[p] | board.owned[q] << 9)
    at += 18
    for s in range(9):
        full = 3 + (board.mud >> s & 1)
        lead = (board.first >> s & 1 != 0) == (p == 0)
        if board.size[9 * p + s] == full and (lead or board.size[9 * q + s] < full):
            x[at + s] = 1.0
        elif board.size[9 * q + s] == full:
            x[at + 9 + s] = 1.0
    at += 18
    most = board.hand_size + 2.0
    x[at] = board.clan_left / (clan + 0.0)
    x[at + 1] = board.clan_count[q] / most
    x[at + 2] = 1.0 if board.starter == p else 0.0
    if kinds:
        x[at + 3] = board.tactic_left / 10.0
        x[at + 4] = board.tactic_count[q] / most
        x[at + 5] = board.played[p] / 10.0
        x[at + 6] = board.played[q] / 10.0
        write_tactics(board, p, x, at + 7, clan)


def write_tactics(board: Board, p: int, x: Any, at: int, clan: int) -> None:
    """Write what only rules with tactic cards have: modes, rows, the ruse, known cards, the phase, bound wilds."""
    q = 1 - p
    put(x, at, board.fog | board.mud << 9)
    at += 18
    for i in range(2):
        put(x, at, board.discards[q if i else p])
        put(x, at + clan, board.rows[q if i else p])
        at += clan + 9
    if board.taken < 255:
        x[at + (board.taken if board.taken < 60 else clan + board.taken - 60)] = 1.0
        x[at + clan + 3 + board.taken_stone] = 1.0
    at += clan + 3 + 9
    if board.scouter == p:
        for i in range(board.back_n):
            if board.back_place[i] == 254:
                card = board.back_card[i]
                x[at + (card if card < 60 else clan + card - 60)] = 1.0
    at += clan + 9
    if board.ruse:
        x[at + board.ruse - 65] = 1.0
    at += 4
    if board.stage < OVER:
        x[at + (0 if board.stage == 6 else board.stage - (board.stage > 6))] = 1.0
    at += 7
    if board.on_play:
        for i in range(18):
            cards = board.sides[i] >> 60
            for k in range(3):
                card = board.bound[i // 9] if k == 0 else board.bound[k + 1]
                if cards >> k & 1 and card >= 0:
                    x[at + k * clan + card] = 1.0


def put(x: Any, at: int, bits: int) -> None:
    """Write a 1 for each bit; the array already holds zeros."""
    while bits:
        x[at + ctz(bits)] = 1.0
        bits &= bits - 1


class Stepper:
    """`n` games side by side, in which a learner decides for one seat or for both; used by `SchottenTottenVec`.

    Game number i plays the deals i, i + n, i + 2n ... of a seed, each as soon as the one before it is over. `opponent`
    is an evaluator, or `random`, and decides for seat 1 in even deals and for seat 0 in odd ones; if it is None, the
    learner decides for both seats. `codes` holds the number of a move (`Move.index`) for each action. Forced moves are
    made without a decision.

    `reset` and `step` write one-dimensional arrays, one row after the other: `observations` (32-bit floats) and `masks`
    (8 bits, a 1 for each legal action) of the seat to decide, and that seat to `seats` (8 bits). `step` also writes
    `rewards` (64-bit floats) and `ended` (8 bits, 1: the game is over) for the seat that acted, and to `finals` the
    last observation of games that are over. An illegal action loses the game.
    """

    def __init__(self, rules: Rules, n: int, codes: Any, opponent: Evaluator | str | None = None) -> None:
        if n < 1 or not (opponent is None or opponent == "random" or isinstance(opponent, Evaluator)):
            raise ValueError(
                f"n must be at least 1, and opponent an evaluator, 'random' or None, not {n!r}, {opponent!r}"
            )
        self.rules = rules
        self.size = observation_size(State(rules, make_deal(rules, 0, 0)))

        for action, code in enumerate(codes.tolist()):
            self.places[code] = action
        self.alone = opponent is None
        self.opponent = opponent if isinstance(opponent, Evaluator) else None
        self.states = []
        self.n = n
        self.actions = len(codes)
        self.arrays = (array("q", [0]) * n, array("H", codes.tolist()))
        self.numbers = longs_of(self.arrays[0])
        self.codes = words_of(self.arrays[1])

    @property
    def boards(self) -> tuple[State, ...]:
        """The games themselves: changing one changes the game."""
        return tuple(self.states)

    @property
    def deals(self) -> tuple[int, ...]:
        """The numbers of the deals under way."""
        return tuple(self.arrays[0])

    def reset(self, seed: int | str, observations: Any, masks: Any, seats: Any) -> None:
        """Begin all games anew, with the first deals of a seed; raise ValueError for arrays of a wrong size."""
        self.check(len(observations), len(masks), len(seats))
        x = floats_of(observations)
        mask = bytes_of(masks)
        to_decide = bytes_of(seats)
        self.seed = seed
        self.rng = Rng(derive_seed(seed, "opponent"))
        self.states = []
        for i in range(self.n):
            self.numbers[i] = i - self.n
            self.states.append(State.__new__(State))
            self.begin(i)
            self.show(self.states[i], i, x, mask)
            to_decide[i] = self.states[i].to_move

    def step(
        self, actions: Any, observations: Any, masks: Any, seats: Any, rewards: Any, ended: Any, finals: Any
    ) -> None:
        """Make one decision in each game; raise ValueError and change no game if an array or an action is not valid."""
        n = self.n
        if not self.states:
            raise ValueError("no game has begun: call reset(...) first")
        self.check(len(observations), len(masks), len(seats))
        if not len(actions) == len(rewards) == len(ended) == n or len(finals) != len(observations):
            raise ValueError(f"the arrays must have a row for each of the {n} games")
        chosen = longs_of(actions)
        x = floats_of(observations)
        mask = bytes_of(masks)
        to_decide = bytes_of(seats)
        reward = doubles_of(rewards)
        over = bytes_of(ended)
        last = floats_of(finals)
        for i in range(n):
            if not 0 <= chosen[i] < self.actions:
                raise ValueError(f"{chosen[i]} is not an action; actions are 0 to {self.actions - 1}")
        for i in range(n):
            state = self.states[i]
            p = state.mover
            code = self.codes[chosen[i]]
            lost = not is_legal(state, code)
            if not lost:
                perform(state, code)
                self.go_on(state, self.numbers[i] & 1)
            over[i] = lost or state.won >= 0
            reward[i] = -1.0 if lost or state.won == 1 - p else 1.0 if state.won == p else 0.0
            if over[i]:
                write(state, p, last, i * self.size, self.size)
                self.begin(i)
                state = self.states[i]
            self.show(state, i, x, mask)
            to_decide[i] = state.mover

    @cython.final
    def check(self, observations: int, masks: int, seats: int) -> int:
        """Raise ValueError for arrays of a wrong size."""
        n = self.n
        if seats != n or masks != n * self.actions or observations != n * self.size:
            raise ValueError(f"the arrays must have a row for each of the {n} games")
        return 0

    @cython.final
    def begin(self, i: int) -> int:
        """Begin the next deal of game i and play it up to the learner's first decision."""
        state = None
        while state is None or state.won >= 0:
            self.numbers[i] += self.n
            state = State(self.rules, make_deal(self.rules, self.seed, self.numbers[i]))
            state.logging = False
            self.go_on(state, self.numbers[i] & 1)
        self.states[i] = state
        return 0

    @cython.final
    def go_on(self, state: State, p: int) -> int:
        """Make forced moves, and the opponent's decisions if the learner plays seat `p`."""
        while state.won < 0:
            if not self.alone and state.mover != p:
                if self.opponent is None:
                    random_step(state, self.rng)
                else:
                    perform(state, self.opponent.best_code(state))
            elif legal_codes(state, CODES) == 1:
                perform(state, CODES[0])
            else:
                break
        return 0

    @cython.final
    def show(self, state: State, i: int, x: Any, mask: Any) -> None:
        """Write what the seat to decide knows and may do."""
        write(state, state.mover, x, i * self.size, self.size)
        at = i * self.actions
        clear_bytes(mask, at, self.actions)
        n = legal_codes(state, CODES)
        for k in range(n):
            mask[at + self.places[CODES[k]]] = 1
