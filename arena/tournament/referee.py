"""Play games: seats, seeds, clock, forfeits, times, records. One referee works in each worker process.

Everything random in a game comes from the seed and the number of its deal and the names of both bots, so a game
is the same in whichever process, order and company it is played.

**Forfeits.** Whatever a bot does wrong is data and loses it the game: an illegal move, an exception from any
hook (also `SystemExit` and the like), a decision that took too long. What it does wrong in `end`, after the game is
decided, is noted and does not change the result. What the referee itself raises is a fault of ours and stops the run. A
bot that does not return at all, or ends the process, is the supervisor's business: it reads the referee's move log
(`arena.tournament.move_log`) and makes the row of that game with `cut_row`.

**Thinking times.** With a clock, and for bots that take more than a few microseconds, every decision is timed
from the call to the return, events for `observe` included. For two bots whose decisions take less than 5
microseconds on average, timing would cost more than playing. Then one game in 32 is timed exactly; the
others have thinking times estimated from those, no longest decision and an empty histogram. After a game of theirs
that takes unusually long, the next games are timed again.

**Global generators.** A bot ought to use `view.rng`. For one that imports `random` or `numpy` (or
anything that may draw from their global generators), both are seeded before each game from the game's seed.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from time import perf_counter_ns
from typing import Any, Protocol

from arena.bots.bot import Actor, BotFault, GameEnd, Setup, TimeLeft, hook_of
from arena.bots.faults import author_traceback, shorten, show_value
from arena.bots.isolation.remote_bot import RemoteBot
from arena.bots.loading import LoadedBot
from arena.endings import FORFEIT_CODES, FORFEITS, ForfeitKind, match_points
from arena.game.deals import Deal
from arena.game.engine import IllegalMove, State
from arena.game.moves import MOVES, Event, Move
from arena.game.notes import LOST
from arena.game.rng import Rng, derive_seeds
from arena.text import printable
from arena.tournament import move_log
from arena.tournament.formats.series import is_over, starter_after
from arena.tournament.games import GameTask, Row, SeriesTask, Task, pack_times
from arena.tournament.process_state import ProcessState, seed_generators
from arena.tournament.rows import Clocked, Forfeit, GameSettings, RecordText, make_row

#: Games with exact times before a bot can be called quick, and the mean decision of a quick bot.
_TIMED_GAMES = 8
_QUICK_NS = 5_000


class Player:
    """One bot of a worker. It is made at its first game and plays all its games here.

    `make` creates the bot (`LoadedBot.make`); if that raises, the bot forfeits the game. The other flags say
    what the referee must do around its games, see `LoadedBot`.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[], Actor],
        *,
        uses_random: bool = False,
        uses_numpy: bool = False,
        leaves_process_clean: bool = True,
    ) -> None:
        self.name = name
        self.uses_generators = uses_random or uses_numpy
        self.uses_numpy = uses_numpy
        self.leaves_process_clean = leaves_process_clean
        self.act: Any = None
        self.begin: Callable[..., object] | None = None
        self.observe: Callable[..., object] | None = None
        self.end: Callable[..., object] | None = None
        self.auto_claim = True
        self.ask_forced = False
        self.is_ready = False  # made, and able to play
        self.remotes: dict[bool, RemoteBot] = {}  # of a bot in processes of its own, by whether it begins the game
        self.remote: RemoteBot | None = None  # the one that plays
        self.wants_result = False  # wants to hear of the end of a game
        self.clocked = True  # False for a person, whose time is not limited
        self.quick = False
        self._make = make
        self._timed = 0
        self.mean_ns = 0.0

    @classmethod
    def of(cls, loaded: LoadedBot, make: Callable[[], Actor] | None = None) -> Player:
        """Return the player of a loaded bot, created by `make` instead of its own if that is given."""
        return cls(
            loaded.name,
            make or loaded.make,
            uses_random=loaded.uses_random,
            uses_numpy=loaded.uses_numpy,
            leaves_process_clean=loaded.leaves_process_clean,
        )

    def prepare(self, begins: bool) -> None:
        """Make the bot before its first game; what its `__init__` raises passes through.

        A bot in a process of its own gets two: one plays the games that it begins, the other one those that its
        opponent begins. So none sees both hands of a deal.
        """
        if self.is_ready and not self.remotes:
            return
        bot = self.remotes.get(begins) or self._make()
        if isinstance(bot, RemoteBot):
            self.remotes = self.remotes or {begins: bot, not begins: bot.twin()}
            self.remote = bot
            bot.prepare()
        self.act = bot.act
        self.begin = hook_of(bot, "begin")
        self.observe = hook_of(bot, "observe")
        self.end = hook_of(bot, "end")
        self.auto_claim = bool(getattr(bot, "auto_claim", True))
        self.ask_forced = bool(getattr(bot, "ask_forced", False))
        self.wants_result = self.observe is not None or self.end is not None
        if self.remote is not None:
            self.wants_result = self.remote.wants_result
        self.is_ready = True

    def log_output(self) -> None:
        """Log what a bot in a process of its own has written so far."""
        if self.remote is not None:
            self.remote.log_output()

    def close(self) -> None:
        """End the processes of a bot that has its own."""
        for remote in self.remotes.values():
            remote.close()

    # ---- thinking times ------------------------------------------------------------------------------------

    def timed(self, times: Sequence[int]) -> None:
        """Note the times of a game, in ns: their slow mean decides whether the bot is quick.

        The longest decision is left out, because the process may have waited for a core.
        """
        if len(times) > 1:
            self._timed += 1
            mean = (sum(times) - max(times)) / (len(times) - 1)
            self.mean_ns += (mean - self.mean_ns) / min(self._timed, 10)
            self.quick = self._timed >= _TIMED_GAMES and self.mean_ns < _QUICK_NS and self.observe is None


_log = logging.getLogger("arena.tournament.referee")

_SAMPLE = 31  # one game in 32 of quick bots is timed
_LONGEST_DETAIL = 20_000
_LONG_NS = 5_000_000  # a game of quick bots that takes longer gets them timed again


class Observer(Protocol):
    """Follows the games of a referee: a live board, say. It must not change the state; what it raises stops the run."""

    def before(self, task: GameTask, state: State) -> None:
        """Note that a game begins: the cards are dealt, the bots are made."""

    def step(self, state: State, move: Move) -> None:
        """Note a move, forced ones included; `state` is the position after it."""

    def after(self, state: State, row: Row) -> None:
        """Note the end of a game, whatever has ended it."""


@dataclass(slots=True, eq=False)
class Game:
    """A game with its players and its course. Tuples of two are by seat."""

    task: GameTask
    seed: int  # of its deal
    in_turn: tuple[int, int]  # the seats in the order in which they begin
    seats: tuple[Player, Player]
    seeds: tuple[int, ...]  # of seat 0, of seat 1, of the global generators
    state: State
    text: RecordText
    banks: list[float] | None  # time left in them in ns
    begun: int = 0  # how many of its bots know that it has begun, in turn
    stop: int = move_log.FIRST  # where its moves end in the move log
    asked: tuple[int, int] = (0, 0)  # decisions
    times: tuple[list[int], list[int]] | None = None  # of decisions in ns, None if they were not taken
    told: tuple[int, int] = (0, 0)  # events sent to observe
    notes: list[tuple[int, int, str]] = field(default_factory=list)  # place in the move log, seat, text


class Referee:
    """Plays the games of one worker.

    `players` are the bots; a task with the name of another one is a `KeyError`. `buffer` is the memory of the move log,
    see `arena.tournament.move_log` (default: private). `passes` decides whether an exception out of a bot, such as
    Ctrl-C, passes through instead of losing the game. With an `observer`, the games are played by the slower loop that
    times each decision.

    After each game the referee restores what bots may have disturbed in the process (`ProcessState`), unless
    both bots import nothing with which they could.
    """

    def __init__(
        self,
        settings: GameSettings,
        players: Iterable[Player],
        *,
        buffer: Any = None,
        passes: Callable[[BaseException], bool] | None = None,
        observer: Observer | None = None,
    ) -> None:
        self.settings = settings
        self.players = {player.name: player for player in players}
        self.buffer = move_log.new_buffer() if buffer is None else buffer
        self.games = 0
        self._game: Game | None = None
        self._observer = observer
        self._all_timed = settings.clock is not None or observer is not None
        self._rules, self._clock = settings.rules, settings.clock
        self._table = MOVES[settings.rules.spy_value]
        self._passes = passes or (lambda error: False)
        self._deal = lru_cache(maxsize=64)(settings.deal)
        self._seeds_of_pair = lru_cache(maxsize=8)(self._make_seeds)
        self._texts: dict[tuple[bool, bool], RecordText] = {}
        self._process = ProcessState()
        self._names = ("", "")
        self._playing = move_log.IN_PLAY
        self._lost_notes: set[str] = set()

    def _seeds(self, seed: int, deal: int, first: str, second: str) -> tuple[int, ...]:
        """Return the seeds of a game: of seat 0, of seat 1, of the global generators."""
        if first < second:
            return self._seeds_of_pair(seed, deal, first, second)[:3]
        return self._seeds_of_pair(seed, deal, second, first)[3:]

    def _make_seeds(self, seed: int, deal: int, first: str, second: str) -> tuple[int, ...]:
        return derive_seeds(6, seed, "game", deal, first, second)

    # ---- units of work -------------------------------------------------------------------------------------

    def play_unit(self, task: Task, known: dict[int, Row] | None = None) -> list[Row]:
        """Play a pair or a series; return the rows in order.

        `known` has rows of games, by key, that must not be played again: those that a supervisor has made.
        """
        if not known:
            return play_unit(task, self.play)
        return play_unit(task, lambda game: known[game.key] if game.key in known else self.play(game))

    # ---- one game ------------------------------------------------------------------------------------------

    def play(self, task: GameTask) -> Row:
        """Play one game."""
        key = task.key
        _, number, _, first_name, second_name, _ = task
        first = self.players[first_name]
        second = self.players[second_name]
        seed = self.settings.seed_of(task)
        deal = self._deal(seed, number)
        seats = (second, first) if deal.starter else (first, second)
        buffer = self.buffer
        move_log.write_key(buffer, key)
        buffer[0] = move_log.IN_PLAY
        self.games += 1
        self._names = (first_name, second_name)
        started = perf_counter_ns()
        forfeit = None
        after: list[Forfeit] = []
        if not first.is_ready or not second.is_ready or first.remote is not None or second.remote is not None:
            forfeit = self._start(seats, deal.starter)
            for player in seats:
                if player.remote is not None:
                    player.remote.set_game(task.name)
        game = self._set_up(task, seed, seats, deal)
        game.begun = 0 if forfeit is not None else 2
        if self._observer is not None:
            self._observer.before(task, game.state)
        if forfeit is None and (first.begin is not None or second.begin is not None):
            forfeit = self._begin(game)
        buffer[0] = self._playing
        if forfeit is not None:
            game.times = ([], [])
        elif first.quick and second.quick and self.games & _SAMPLE and not self._all_timed:
            forfeit = self._play_quick(game)
        else:
            forfeit = self._play_timed(game)
        if first.wants_result or second.wants_result:
            after = self._end(game, forfeit)
        row = self._row(game, buffer[move_log.FIRST : game.stop], forfeit, perf_counter_ns() - started, after)
        if self._observer is not None:
            self._observer.after(game.state, row)
        self._leave(game)
        return row

    def _set_up(self, task: GameTask, seed: int, seats: tuple[Player, Player], deal: Deal) -> Game:
        """Set up a game; its bots are made."""
        player_a, player_b = seats
        seeds = self._seeds(seed, task.deal, task.first, task.second)
        if player_a.uses_generators or player_b.uses_generators:
            seed_generators(seeds[2], player_a.uses_numpy or player_b.uses_numpy)
        auto = (player_a.auto_claim, player_b.auto_claim)
        text = self._texts.get(auto)
        if text is None:
            text = self._texts[auto] = RecordText.of(self.settings, auto)
        self._playing = move_log.IN_PLAY + move_log.AUTO[0] * auto[0] + move_log.AUTO[1] * auto[1]
        state = State(self._rules, deal, auto)
        banks = None
        if self._clock is not None:
            banks = [(self._clock.bank_ms or 0) * 1e6 if player.clocked else math.inf for player in seats]
        self._game = Game(task, seed, (1, 0) if deal.starter else (0, 1), seats, seeds, state, text, banks)
        return self._game

    def _play_quick(self, game: Game) -> Forfeit | None:
        """Play the game itself, without clock, events and times, as fast as possible."""
        (player_a, player_b), state, seeds = game.seats, game.state, game.seeds
        game.stop, asked_0, asked_1, fault, thing = state.play_by(
            (player_a.act, player_b.act),
            (Rng(seeds[0]), Rng(seeds[1])),
            (player_a.ask_forced, player_b.ask_forced),
            self.buffer,
            move_log.FIRST,
            game.notes,
        )
        game.asked = (asked_0, asked_1)
        if fault == 1:
            return self._fault(state.to_move, thing, "act")
        return self._refused(state, thing) if fault == 2 else None

    def _refused(self, state: State, move: Any) -> Forfeit:
        """Return the forfeit for a move that the engine has refused, and refuses again."""
        try:
            state.apply(move)
        except Exception as error:
            return _illegal(state.to_move, move, self._table, error)
        raise AssertionError(f"{move} was refused and then taken")

    def _play_timed(self, game: Game) -> Forfeit | None:
        """Play the game itself with clock, events and observer, and time every decision."""
        state, seats, banks, observer = game.state, game.seats, game.banks, self._observer
        told = [0, 0]
        stop = move_log.FIRST
        rngs = (Rng(game.seeds[0]), Rng(game.seeds[1]))
        times = game.times = ([], [])
        forfeit: Forfeit | None = None
        moves = state.legal_moves()
        while moves:
            seat = state.to_move
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
                if seen.noted is not None:
                    game.notes.append((stop, seat, seen.noted))
            self.buffer[stop] = move.index
            stop += 1
            if observer is not None:
                observer.step(state, move)
            moves = state.legal_moves()
        game.stop, game.asked, game.told = stop, (len(times[0]), len(times[1])), (told[0], told[1])
        return forfeit

    # ---- clock ---------------------------------------------------------------------------------------------

    def _time_left(self, seat: int, banks: list[float] | None) -> TimeLeft | None:
        """Return what the clock leaves to the bot that is called next, and note it in the move log."""
        clock = self._clock
        if clock is None or banks is None:
            return None
        left = TimeLeft(clock.move_ms, None if clock.bank_ms is None else banks[seat] / 1e6)
        move_log.write_time_left(self.buffer, left.total_ms)
        return left

    def _charge(self, seat: int, spent: int, banks: list[float], what: str) -> Forfeit | None:
        """Take what exceeds the time of a move from the bank (both in ns); return the forfeit if the bank is empty."""
        clock = self._clock
        assert clock is not None
        over = spent - (clock.move_ms or 0) * 1e6
        if over <= 0:
            return None
        allowed = (clock.move_ms or 0) + banks[seat] / 1e6
        banks[seat] -= over
        if banks[seat] >= 0:
            return None
        return Forfeit(seat, ForfeitKind.TIMEOUT, f"{what} took {spent / 1e6:.1f} ms, {allowed:.1f} ms were left")

    # ---- hooks ---------------------------------------------------------------------------------------------

    def _start(self, seats: tuple[Player, Player], starter: int) -> Forfeit | None:
        """Make both bots at their first game, and prepare bots in processes; return the forfeit of one that fails.

        Both are made even if the first one fails: the record of the second must not depend on earlier games.
        """
        faults: dict[int, Forfeit] = {}
        for role, seat in ((1, starter), (2, 1 - starter)):
            player = seats[seat]
            self.buffer[0] = move_log.INIT + role
            try:
                player.prepare(seat == starter)
            except BaseException as error:  # it costs one game; the next one tries again
                faults[seat] = self._fault(seat, error, "__init__")
            self.buffer[0] = move_log.IN_PLAY
        return faults.get(starter, faults.get(1 - starter))

    def _begin(self, game: Game) -> Forfeit | None:
        """Call `begin` of both, first of the bot that moves first; on the clock it counts like a decision."""
        for role, seat in enumerate(game.in_turn, start=1):
            begin = game.seats[seat].begin
            if begin is None:
                continue
            setup = Setup(seat, game.in_turn[0], self._rules, game.seeds[seat], self._clock)
            self._time_left(seat, game.banks)
            self.buffer[0] = move_log.IN_BEGIN + role
            start = perf_counter_ns()
            try:
                begin(setup)
                forfeit = None
            except BaseException as error:
                forfeit = self._fault(seat, error, "begin")
            if game.banks is not None:
                forfeit = forfeit or self._charge(seat, perf_counter_ns() - start, game.banks, "begin")
            if forfeit is not None:
                game.begun = role - 1
                return forfeit
        return None

    def _end(self, game: Game, forfeit: Forfeit | None) -> list[Forfeit]:
        """Send the bots that began, but the loser by a forfeit, what they have not seen yet, and the result.

        Return failures after a finished game.
        """
        after: list[Forfeit] = []
        state, loser = game.state, -1 if forfeit is None else forfeit.seat
        stage = self._playing - move_log.IN_PLAY + move_log.IN_END
        if forfeit is not None:
            stage += move_log.FORFEIT * FORFEIT_CODES[forfeit.kind]
            stage += move_log.LOSER * (1 + game.in_turn.index(loser))
        for role, seat in enumerate(game.in_turn, start=1):
            player = game.seats[seat]
            if seat == loser or role > game.begun or not player.wants_result:
                continue
            left = self._time_left(seat, game.banks)
            self.buffer[0] = stage + role
            hook = "observe"
            try:
                if player.observe is not None:
                    for event in state.events(seat, game.told[seat]):
                        player.observe(event)
                hook = "end"
                if player.end is not None:
                    player.end(_game_end(state, forfeit))
                if player.remote is not None:
                    view = state.view(seat, clock=left)
                    player.remote.finish(view, _game_end(state, forfeit))
            except BaseException as error:
                fault = self._fault(seat, error, hook)
                _log.info("%s failed after the game: %s", player.name, fault.detail)
                if forfeit is None:
                    after.append(fault)
        return after

    def _fault(self, seat: int, error: BaseException, hook: str) -> Forfeit:
        """Return the forfeit for an exception out of a bot."""
        self._process.lift_limit()
        if self._passes(error):
            raise error
        if type(error) is BotFault and type(error.kind) in (str, ForfeitKind) and error.kind in FORFEITS:
            detail = error.detail if type(error.detail) is str else ""
            return Forfeit(seat, error.kind, printable(shorten(detail, _LONGEST_DETAIL)))
        return Forfeit(seat, ForfeitKind.EXCEPTION, printable(f"in {hook}: {author_traceback(error)}"))

    # ---- afterwards ----------------------------------------------------------------------------------------

    def _row(
        self,
        game: Game,
        moves: Sequence[int],
        forfeit: Forfeit | None,
        duration: int,
        after: Sequence[Forfeit],
    ) -> Row:
        """Make the row of a game that took `duration` ns; estimate its thinking times if they were not taken."""
        begins, follows = game.in_turn
        first, second = game.seats[begins], game.seats[follows]
        asked = (game.asked[begins], game.asked[follows])
        if game.times is None:
            used = (int(first.mean_ns * asked[0]) // 1000, int(second.mean_ns * asked[1]) // 1000)
            clocked: Clocked = (*used, 0, 0, b"", b"", duration // 1000)
            if duration > _LONG_NS:
                first.quick = second.quick = False
        else:
            mine, theirs = game.times[begins], game.times[follows]
            first.timed(mine)
            second.timed(theirs)
            clocked = (
                sum(mine) // 1000,
                sum(theirs) // 1000,
                max(mine, default=0) // 1000,
                max(theirs, default=0) // 1000,
                pack_times(mine),
                pack_times(theirs),
                duration // 1000,
            )
        notes = self._notes(game, len(moves)) if game.notes else ()
        deal = self.settings.deal_text(game.seed, game.task.deal)
        return make_row(game.text, deal, game.task, game.state, moves, forfeit, asked, clocked, after, notes)

    def _notes(self, game: Game, moves: int) -> list[tuple[int, int, str]]:
        """Return the notes to moves: number of the move, seat, text. Log the first lost note of a bot."""
        kept = []
        for place, seat, text in game.notes if self.settings.notes else ():
            number, player = place - move_log.FIRST + 1, game.seats[seat]
            if number > moves:
                continue
            if not text.startswith(LOST):
                kept.append((number, seat, text))
            elif player.name not in self._lost_notes:
                self._lost_notes.add(player.name)
                _log.warning("%s: game %s, move %d: %s", player.name, game.task.name, number, text)
        return kept

    def _leave(self, game: Game) -> None:
        """Leave the process and the move log as they were before the game."""
        player_a, player_b = game.seats
        for player in game.seats:
            if player.remote is not None:
                player.remote.suspend()  # its work would take the time of others; and its twin must play alone
        self.buffer[0] = move_log.IDLE
        move_log.clear_moves(self.buffer, game.stop)
        if player_a.leaves_process_clean and player_b.leaves_process_clean:
            return
        changed = self._process.restore()
        if changed:
            first, second = game.task.first, game.task.second
            _log.warning("%s or %s has changed, now restored: %s", first, second, ", ".join(changed))

    def who(self) -> tuple[str, str]:
        """Return the bot whose code is running and its game ("" outside of games), for `BotOutput`."""
        role, game = self.buffer[0] & 3, self._game
        if not self.buffer[0] & 12:
            role = 0 if game is None else 1 if game.state.to_move == game.in_turn[0] else 2
        is_outside = self.buffer[0] & 15 in (move_log.IDLE, move_log.INIT + 1, move_log.INIT + 2)
        return (*self._names, "arena")[role - 1], "" if game is None or is_outside else game.task.name


# ---------------------------------------------------------------- pieces


def play_unit(task: Task, play: Callable[[GameTask], Row]) -> list[Row]:
    """Play a unit of work, a pair or a series, with `play` for one game; return its rows."""
    if not isinstance(task, SeriesTask):
        return [play(game) for game in task.game_tasks()]
    rows: list[Row] = []
    points = [0, 0]
    starter = task.starter
    while not is_over(task.rule, len(rows), *points):
        row = play(task.game_task(len(rows), starter))
        rows.append(row)
        points[starter] += match_points(row.score == 2, row.stones_first)
        points[1 - starter] += match_points(row.score == 0, row.stones_second)
        starter = starter_after(task.rule, starter, row.score)
    return rows


def _game_end(state: State, forfeit: Forfeit | None) -> GameEnd:
    stones = (state.stones_of(0), state.stones_of(1))
    if forfeit is not None:
        return GameEnd(1 - forfeit.seat, stones, "forfeit", str(forfeit.kind))
    outcome = state.outcome
    assert outcome is not None
    return GameEnd(outcome.winner, stones, outcome.reason)


def _illegal(seat: int, move: object, table: tuple[Move, ...], error: BaseException) -> Forfeit:
    """Return the forfeit of a bot whose move the engine did not take; raise our own errors again."""
    if type(move) is not Move:  # `isinstance` would run code of the thing
        return Forfeit(
            seat, ForfeitKind.ILLEGAL_MOVE, printable(f"act returned {show_value(move)}, not one of the moves")
        )
    if isinstance(error, IllegalMove):
        return Forfeit(seat, ForfeitKind.ILLEGAL_MOVE, str(error))
    if 0 <= move.index < len(table) and table[move.index] is move:
        raise error
    return Forfeit(seat, ForfeitKind.ILLEGAL_MOVE, "act returned a Move of its own making, not one of the moves")
