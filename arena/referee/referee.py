"""Plays games: seats, seeds, clock, forfeits, times, records. One referee works in each worker process.

Everything random in a game comes from the run's seed, the deal's number and the names of both bots, so a game
is the same in whichever process, order and company it is played.

**Forfeits.** Whatever a bot does wrong is data and loses it the game: an illegal move, an exception from any
hook (also `SystemExit` and the like), a decision that took too long. What the referee itself raises is a
fault of ours and stops the run. A bot that does not return at all, or ends the process, is the watcher's
business: it reads the referee's trail (`arena.referee.move_log`) and makes the row of that game with
`Referee.cut`.

**Thinking times.** With a clock, and for bots that take more than a few microseconds, every decision is timed
from the call to the return, events for `observe` included. For two bots whose decisions take less than 5
microseconds in the mean, timing would cost more than playing; then one game in 32 is timed exactly, the
others have thinking times estimated from those, no longest decision and an empty histogram. A game of theirs
that takes unusually long makes the next games be timed again.

**Global generators.** A bot ought to use `view.rng`. For one that imports `random` or `numpy` (or
anything that may draw from their global generators), both are seeded before each game from the game's seed.
"""

from __future__ import annotations

import importlib
import logging
import random
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from time import perf_counter_ns
from typing import Any, NamedTuple

from arena.endings import FORFEITS
from arena.game.deals import Deal, make_deal
from arena.game.engine import IllegalMove, State
from arena.game.event_log import Event
from arena.game.moves import MOVES, Move
from arena.game.rng import Rng, derive_seeds
from arena.match.results import Row
from arena.match.tasks import GameTask, Task, game_key
from arena.players.bot import BotFault, GameEnd, Setup, TimeLeft
from arena.players.faults import author_traceback, show_value
from arena.referee import move_log
from arena.referee.player import Player
from arena.referee.process_state import ProcessState
from arena.referee.rows import (
    Clocked,
    Forfeit,
    GameSettings,
    Pieces,
    histogram,
    make_row,
    record_pieces,
)
from arena.referee.series_play import play_unit

log = logging.getLogger("arena.referee")

_SAMPLE = 31  # one game in 32 of quick bots is timed
_LONG_NS = 5_000_000  # a game of quick bots that takes longer gets them timed again


class _Course(NamedTuple):
    """How a game went: where its moves end in the trail, forfeit, decisions asked of seats 0 and 1, their times,
    and how many events each seat was told."""

    stop: int
    forfeit: Forfeit | None
    asked: tuple[int, int] = (0, 0)
    times: tuple[list[int], list[int]] | None = None
    told: tuple[int, int] = (0, 0)


class PreparedGame(NamedTuple):
    """A game to be played elsewhere: players and what they are told by seat."""

    task: GameTask
    state: State
    seats: tuple[Player, Player]
    setups: tuple[Setup, Setup]


class Referee:
    """Plays the games of one worker.

    `players` are the bots by name; a name that a task asks for and that is not there is a `KeyError`.
    `buffer` is the trail's memory, see `arena.referee.move_log` (default: private). `passes` says of an exception
    that comes out of a bot whether it is to pass through instead of losing the game: Ctrl-C by the user, say.
    `deals` gives the deal of a number, default those of the run's seed.

    Restores after each game what bots may have disturbed in the process (`ProcessState`), except after
    games of bots that import nothing by which they could.
    """

    def __init__(
        self,
        settings: GameSettings,
        players: Iterable[Player],
        *,
        buffer: Any = None,
        passes: Callable[[BaseException], bool] | None = None,
        deals: Callable[[int], Deal] | None = None,
    ) -> None:
        self.settings = settings
        self.players = {player.name: player for player in players}
        self.buffer = move_log.new_buffer() if buffer is None else buffer
        self.games = 0
        self._rules = settings.rules
        self._seed = settings.seed
        self._clock = settings.clock
        self._table = MOVES[settings.rules.spy_value]
        self._passes = passes or (lambda error: False)
        self._deal = lru_cache(maxsize=64)(deals or self._make_deal)
        self._seeds_of_pair = lru_cache(maxsize=8)(self._make_seeds)
        self._pieces: dict[tuple[bool, bool], Pieces] = {}
        self._process = ProcessState()
        self._state: State | None = None
        self._names = ("", "")
        self._playing = move_log.PLAYING
        self.threads: list[str] = []

    def _make_deal(self, number: int) -> Deal:
        return make_deal(self._rules, self._seed, number)

    def _seeds(self, deal: int, first: str, second: str) -> tuple[int, ...]:
        """Seeds of a game: of seat 0, of seat 1, of the global generators."""
        one, two = (first, second) if first < second else (second, first)
        both = self._seeds_of_pair(deal, one, two)
        return both[:3] if one == first else both[3:]

    def _make_seeds(self, deal: int, one: str, two: str) -> tuple[int, ...]:
        return derive_seeds(6, self._seed, "game", deal, one, two)

    # ---- units of work -------------------------------------------------------------------------------------

    def play_unit(self, task: Task, known: dict[int, Row] | None = None) -> list[Row]:
        """Play a pair (or a series, each game begun by whom the last one says); the rows in order.

        `known` has rows of games, by key, that are not to be played again: those made by `cut`.
        """
        if not known:
            return play_unit(task, self.play)
        rows = known
        return play_unit(task, lambda game: rows[game.key] if game.key in rows else self.play(game))

    # ---- one game ------------------------------------------------------------------------------------------

    def play(self, task: GameTask) -> Row:
        """Play one game."""
        pairing, number, game, first_name, second_name, _ = task
        first = self.players[first_name].per_game_players[game]
        second = self.players[second_name].per_game_players[game]
        deal = self._deal(number)
        starter = deal.starter
        seats = (second, first) if starter else (first, second)
        key = game_key(pairing, number, game)
        buffer = self.buffer
        move_log.write_key(buffer, key)
        buffer[0] = move_log.PLAYING
        self.games += 1
        self._names = (first_name, second_name)
        seeds = self._seeds(number, first_name, second_name)
        start = perf_counter_ns()
        forfeit = None
        if not first.fit or not second.fit or first.prepare is not None or second.prepare is not None:
            forfeit = self._start(seats, starter)
        if first.uses_generators or second.uses_generators:
            _seed_generators(seeds[2], first.uses_numpy or second.uses_numpy)
        auto = (seats[0].auto_claim, seats[1].auto_claim)
        self._playing = move_log.PLAYING + move_log.AUTO[0] * auto[0] + move_log.AUTO[1] * auto[1]
        state = State(self._rules, deal, auto)
        self._state = state
        clock = self._clock
        banks = None if clock is None else [(clock.bank_ms or 0) * 1e6] * 2
        if forfeit is None and (first.begin is not None or second.begin is not None):
            forfeit = self._begin(seats, starter, seeds, banks)
        buffer[0] = self._playing
        if forfeit is not None:
            course = _Course(move_log.FIRST, forfeit, times=([], []))
        else:
            if first.quick and second.quick and self.games & _SAMPLE and clock is None:
                course = self._play_quick(state, seats, seeds)
            else:
                course = self._play_timed(state, seats, seeds, banks)
            if first.looks_back or second.looks_back:
                course = self._end(state, seats, starter, course, banks)
        row = self._row(key, number, state, seats, starter, course, perf_counter_ns() - start)
        if clock is not None:
            first.leave()
            second.leave()
        buffer[0] = move_log.IDLE
        move_log.clear_moves(buffer, course.stop)
        if not (first.harmless and second.harmless):
            self._tidy(first_name, second_name)
        return row

    def _play_quick(self, state: State, seats: tuple[Player, Player], seeds: tuple[int, ...]) -> _Course:
        """The game itself, without clock, events and times: what can be done fastest."""
        zero, one = seats
        stop, asked_0, asked_1, fault, thing = state.play_by(
            (zero.act, one.act),
            (Rng(seeds[0]), Rng(seeds[1])),
            (zero.ask_forced, one.ask_forced),
            self.buffer,
            move_log.FIRST,
        )
        forfeit = None
        if fault == 1:
            forfeit = self._fault(state.turn, thing, "act")
        elif fault == 2:
            forfeit = self._refused(state, thing)
        return _Course(stop, forfeit, (asked_0, asked_1))

    def _refused(self, state: State, move: Any) -> Forfeit:
        """The forfeit for a move that the engine has refused, and would refuse again."""
        try:
            state.apply(move)
        except Exception as error:
            return _illegal(state.turn, move, self._table, error)
        raise AssertionError(f"{move} was refused and then taken")

    def _play_timed(
        self, state: State, seats: tuple[Player, Player], seeds: tuple[int, ...], banks: list[float] | None
    ) -> _Course:
        """The game itself, every decision timed, with clock and events."""
        rngs = (Rng(seeds[0]), Rng(seeds[1]))
        told = [0, 0]
        times: tuple[list[int], list[int]] = ([], [])
        at = move_log.FIRST
        forfeit: Forfeit | None = None
        moves = state.legal_moves()
        while moves:
            seat = state.turn
            player = seats[seat]
            if len(moves) == 1 and not player.ask_forced:
                move = moves[0]
                state.apply(move)
            else:
                seen = state.view(seat, rngs[seat], self._time_left(seat, banks))
                events: tuple[Event, ...] = ()
                if player.observe is not None:
                    events = state.events(seat, told[seat])
                    told[seat] += len(events)
                hook = "observe"
                start = perf_counter_ns()
                try:
                    for event in events:
                        player.observe(event)  # type: ignore[misc]
                    hook = "act"
                    move = player.act(seen, moves)
                except BaseException as error:
                    times[seat].append(perf_counter_ns() - start)
                    forfeit = self._fault(seat, error, hook)
                    break
                spent = perf_counter_ns() - start
                times[seat].append(spent)
                if banks is not None:
                    forfeit = self._charge(seat, spent, banks, f"decision {len(times[seat])}")
                    if forfeit is not None:
                        break
                try:
                    state.apply(move)
                except Exception as error:
                    forfeit = _illegal(seat, move, self._table, error)
                    break
            self.buffer[at] = move.index
            at += 1
            moves = state.legal_moves()
        return _Course(at, forfeit, (len(times[0]), len(times[1])), times, (told[0], told[1]))

    # ---- clock ---------------------------------------------------------------------------------------------

    def _time_left(self, seat: int, banks: list[float] | None) -> TimeLeft | None:
        clock = self._clock
        if clock is None or banks is None:
            return None
        return TimeLeft(clock.move_ms, None if clock.bank_ms is None else banks[seat] / 1e6)

    def _charge(self, seat: int, spent: int, banks: list[float], what: str) -> Forfeit | None:
        """Take what exceeds the time of a move from the bank (both in ns); the forfeit of an empty bank."""
        clock = self._clock
        assert clock is not None
        over = spent - (clock.move_ms or 0) * 1e6
        if over <= 0:
            return None
        allowed = (clock.move_ms or 0) + banks[seat] / 1e6
        banks[seat] -= over
        if banks[seat] >= 0:
            return None
        return Forfeit(seat, "timeout", f"{what} took {spent / 1e6:.1f} ms, {allowed:.1f} ms were left")

    # ---- hooks ---------------------------------------------------------------------------------------------

    def _start(self, seats: tuple[Player, Player], starter: int) -> Forfeit | None:
        """Make both bots at their first game, and have bots in processes ready; the forfeit of one that could not be.

        Both, whatever becomes of the first: what the record says of the second must not hang on earlier games.
        """
        faults: dict[int, Forfeit] = {}
        for role, seat in ((1, starter), (2, 1 - starter)):
            player = seats[seat]
            ready = player.prepare if player.fit else player.start
            if player.broken is None and ready is not None:
                self.buffer[0] = move_log.INIT + role
                try:
                    ready()
                except BaseException as error:
                    fault = faults[seat] = self._fault(seat, error, "__init__")
                    if not player.fit:  # a process that cannot be started anew costs one game, the next tries again
                        player.broken = fault.kind, fault.detail
                self.buffer[0] = move_log.PLAYING
            if player.broken is not None:
                faults[seat] = Forfeit(seat, *player.broken)
        return faults.get(starter, faults.get(1 - starter))

    def _begin(
        self, seats: tuple[Player, Player], starter: int, seeds: tuple[int, ...], banks: list[float] | None
    ) -> Forfeit | None:
        """Call `begin` of both, first of the bot that begins; on the clock it counts like a decision."""
        for role, seat in ((1, starter), (2, 1 - starter)):
            begin = seats[seat].begin
            if begin is None:
                continue
            setup = Setup(seat, starter, self._rules, seeds[seat], self._clock)
            self.buffer[0] = move_log.BEGIN + role
            start = perf_counter_ns()
            try:
                begin(setup)
            except BaseException as error:
                return self._fault(seat, error, "begin")
            if banks is not None:
                forfeit = self._charge(seat, perf_counter_ns() - start, banks, "begin")
                if forfeit is not None:
                    return forfeit
        return None

    def _end(
        self, state: State, seats: tuple[Player, Player], starter: int, course: _Course, banks: list[float] | None
    ) -> _Course:
        """Tell both what they have not seen yet, and the result; who fails in that has forfeited the game.

        A game that is forfeited already stays so.
        """
        forfeit = course.forfeit
        loser = -1 if forfeit is None else forfeit.seat
        for role, seat in ((1, starter), (2, 1 - starter)):
            player = seats[seat]
            if seat == loser or not player.looks_back:
                continue
            self.buffer[0] = self._playing - move_log.PLAYING + move_log.END + role
            hook = "observe"
            try:
                if player.observe is not None:
                    for event in state.events(seat, course.told[seat]):
                        player.observe(event)
                hook = "end"
                if player.end is not None:
                    player.end(_game_end(state, forfeit))
                if player.finish is not None:
                    player.finish(state.view(seat, clock=self._time_left(seat, banks)), _game_end(state, forfeit))
            except BaseException as error:
                fault = self._fault(seat, error, hook)
                if forfeit is None:
                    forfeit = fault
                else:
                    log.info("%s failed after the game: %s", player.name, fault.detail)
        return course._replace(forfeit=forfeit)

    def _fault(self, seat: int, error: BaseException, hook: str) -> Forfeit:
        """What an exception out of a bot means."""
        self._process.lift_limit()
        if self._passes(error):
            raise error
        if isinstance(error, BotFault) and error.kind in FORFEITS:
            return Forfeit(seat, error.kind, str(error.detail))
        return Forfeit(seat, "exception", f"in {hook}: {author_traceback(error)}")

    # ---- afterwards ----------------------------------------------------------------------------------------

    def _row(
        self,
        key: int,
        number: int,
        state: State,
        seats: tuple[Player, Player],
        starter: int,
        course: _Course,
        duration: int,
    ) -> Row:
        stop, forfeit, asked, times, _ = course
        first, second = seats[starter], seats[1 - starter]
        asked_first, asked_second = asked[starter], asked[1 - starter]
        if times is None:
            clocked: Clocked = (
                int(first.mean_ns * asked_first) // 1000, int(second.mean_ns * asked_second) // 1000,
                0, 0, b"", b"", duration // 1000,
            )  # fmt: skip
            if duration > _LONG_NS:
                first.slow_down()
                second.slow_down()
        else:
            mine, theirs = times[starter], times[1 - starter]
            first.timed(mine)
            second.timed(theirs)
            clocked = (
                sum(mine) // 1000, sum(theirs) // 1000, max(mine, default=0) // 1000, max(theirs, default=0) // 1000,
                histogram(mine), histogram(theirs), duration // 1000,
            )  # fmt: skip
        moves = self.buffer[move_log.FIRST : stop]
        return make_row(
            self._record(seats), key, number, state, starter, moves, forfeit, (asked_first, asked_second), clocked
        )

    def _record(self, seats: tuple[Player, Player]) -> Pieces:
        auto = (seats[0].auto_claim, seats[1].auto_claim)
        pieces = self._pieces.get(auto)
        if pieces is None:
            pieces = self._pieces[auto] = record_pieces(self.settings, auto)
        return pieces

    # ---- games that somebody else plays (`arena.referee.lockstep`) -----------------------------------------

    def prepare(self, task: GameTask) -> PreparedGame:
        """All that is needed to play a game elsewhere as `play` would, for bots that are ready."""
        first, second = (self.players[name].per_game_players[task.game] for name in (task.first, task.second))
        deal = self._deal(task.deal)
        starter = deal.starter
        seats = (second, first) if starter else (first, second)
        seeds = self._seeds(task.deal, task.first, task.second)
        state = State(self._rules, deal, (seats[0].auto_claim, seats[1].auto_claim))
        setups = (
            Setup(0, starter, self._rules, seeds[0], None),
            Setup(1, starter, self._rules, seeds[1], None),
        )
        self.games += 1
        return PreparedGame(task, state, seats, setups)

    def row_of(self, game: PreparedGame, moves: Sequence[int], asked: tuple[int, int]) -> Row:
        """The row of a game that was played elsewhere to its end, with estimated thinking times."""
        task, state, seats, setups = game
        starter = setups[0].starter
        used = [int(seats[seat].mean_ns * asked[seat]) // 1000 for seat in (starter, 1 - starter)]
        clocked: Clocked = (used[0], used[1], 0, 0, b"", b"", sum(used))
        return make_row(
            self._record(seats), task.key, task.deal, state, starter, moves, None,
            (asked[starter], asked[1 - starter]), clocked,
        )  # fmt: skip

    def _tidy(self, first: str, second: str) -> None:
        changed = self._process.restore()
        if changed:
            log.warning("%s or %s has changed, now restored: %s", first, second, ", ".join(changed))
        threads = self._process.threads()
        if threads != self.threads:
            self.threads = threads
            if threads:
                log.warning("%s or %s has left threads running: %s", first, second, ", ".join(threads))

    def who(self) -> tuple[str, int]:
        """The bot whose code is running, and the number of its game in this worker: for `BotOutput`."""
        role = self.buffer[0] & 3
        if not self.buffer[0] & 12:
            state = self._state
            role = 0 if state is None else 1 if state.turn == state.first_seat else 2
        return (*self._names, "arena")[role - 1], self.games


# ---------------------------------------------------------------- pieces


def _game_end(state: State, forfeit: Forfeit | None) -> GameEnd:
    stones = (state.stones_of(0), state.stones_of(1))
    if forfeit is not None:
        return GameEnd(1 - forfeit.seat, stones, "forfeit", forfeit.kind)
    outcome = state.outcome
    assert outcome is not None
    return GameEnd(outcome.winner, stones, outcome.reason)


def _illegal(seat: int, move: object, table: tuple[Move, ...], error: BaseException) -> Forfeit:
    """The forfeit of a bot whose move the engine did not take; our own errors go on."""
    if not isinstance(move, Move):
        return Forfeit(seat, "illegal move", f"act returned {show_value(move)}, not one of the moves")
    if isinstance(error, IllegalMove):
        return Forfeit(seat, "illegal move", str(error))
    if 0 <= move.index < len(table) and table[move.index] is move:
        raise error
    return Forfeit(seat, "illegal move", "act returned a Move of its own making, not one of the moves")


@lru_cache(maxsize=1)
def _numpy_random() -> Any:
    try:
        return importlib.import_module("numpy.random")
    except ImportError:
        return None


def _seed_generators(seed: int, numpy: bool) -> None:
    """Seed the global generators, for bots that draw from them."""
    random.seed(seed)
    generator = _numpy_random() if numpy else None
    if generator is not None:
        generator.seed(seed & 0xFFFFFFFF)
