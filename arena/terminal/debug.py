"""Replay of a stored game in this process, asking a bot for each of its moves again."""

from __future__ import annotations

import bdb
import pdb
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

from arena.bots.bot import Actor, Setup, hook_of
from arena.bots.faults import author_traceback, show_value
from arena.bots.loading import LoadedBot
from arena.errors import ArenaError
from arena.game.engine import State, View
from arena.game.moves import Move
from arena.game.record import Record, parse_record
from arena.game.rng import Rng, derive_seeds
from arena.results.decisions import decisions
from arena.results.records import StoredGame
from arena.tournament.referee.process_state import seed_generators


@dataclass(frozen=True)
class Answer:
    """What a bot says at a decision.

    number   of the move in the game, from 1; one more than there are where the bot has forfeited then
    then     the move that was made, None where the game ended there
    now      the move that the bot makes now, None if it makes none
    fault    what is wrong with its answer, or its traceback; "" if nothing is
    ms       how long it took now; `ms_then` within 10%, None where it is not known
    """

    number: int
    view: View
    moves: tuple[Move, ...]
    then: Move | None
    now: Move | None
    fault: str
    ms: float
    ms_then: float | None

    @property
    def differs(self) -> bool:
        """Whether it is another move than the one that was made."""
        return self.then is not self.now


def seat_of(stored: StoredGame, player: str) -> int:
    """The seat of a player of the game, by its name or as `a` or `b`. ArenaError if it did not play."""
    if player in stored.names:
        return stored.names.index(player)
    if player in ("a", "b"):
        return "ab".index(player)
    names = " or ".join(name or sign for sign, name in zip("ab", stored.names))
    raise ArenaError(f"'{player}' did not play this game; name the player to replace with --as: {names}")


def answers_of(
    stored: StoredGame, loaded: LoadedBot, seat: int, before: Callable[[int, View, tuple[Move, ...]], bool]
) -> Iterator[Answer]:
    """The answers of a bot at all its decisions, one after the other; the game goes on with what was played.

    `before` is told number, view and moves of each decision, and says whether to stop in the debugger there. What the
    bot prints goes where this process prints. An `act` that raises makes an answer with a fault, what the bot raises
    before that an ArenaError; KeyboardInterrupt and quitting the debugger pass through.
    """
    record = parse_record(stored.record)
    made = decisions(stored.result or record)
    seeds = _seeds(stored, record)
    if loaded.uses_random or loaded.uses_numpy:
        seed_generators(seeds[2], loaded.uses_numpy)
    try:
        bot = loaded.make()
        begin, observe = hook_of(bot, "begin"), hook_of(bot, "observe")
        if begin is not None:
            begin(Setup(seat, record.deal.starter, record.rules, seeds[seat], None))
    except Exception as error:
        raise ArenaError(f"{loaded.name} fails before the game:\n{author_traceback(error)}") from None
    rng = Rng(seeds[seat])
    told = 0
    always = bool(getattr(bot, "ask_forced", False))
    for one in made:
        if one.seat != seat or (len(one.legal) == 1 and not always):
            continue
        state = one.state()
        told = _tell(observe, state, seat, told)
        yield _ask(bot, state, seat, rng, one.number, one.move, one.ms, before)
    if made and record.result.split(" ")[0] == "ba"[seat] and (record.is_forfeit or record.result.startswith("*")):
        state = made[-1].state_after()
        if not state.is_over and state.turn == seat:
            _tell(observe, state, seat, told)
            yield _ask(bot, state, seat, rng, len(made) + 1, None, None, before)


def _tell(observe: Callable[..., object] | None, state: State, seat: int, told: int) -> int:
    events = state.events(seat, told)
    try:
        if observe is not None:
            for event in events:
                observe(event)
    except Exception as error:
        raise ArenaError(f"the bot fails in observe:\n{author_traceback(error)}") from None
    return told + len(events)


def _ask(
    bot: Actor,
    state: State,
    seat: int,
    rng: Rng,
    number: int,
    then: Move | None,
    ms_then: float | None,
    before: Callable[[int, View, tuple[Move, ...]], bool],
) -> Answer:
    moves = state.legal_moves()
    legal = tuple(moves)
    shown = state.view(seat)
    stops = before(number, shown, legal)
    view = state.view(seat, rng)
    answer: Any = None
    fault = ""
    start = perf_counter_ns()
    try:
        answer = _stopped(bot, view, moves) if stops else bot.act(view, moves)
    except (KeyboardInterrupt, bdb.BdbQuit):
        raise
    except BaseException as error:
        fault = author_traceback(error)
    ms = (perf_counter_ns() - start) / 1e6
    now = next((move for move in legal if move is answer), None)
    if now is None and not fault:
        fault = f"act returned {show_value(answer)}, not one of the moves"
    return Answer(number, shown, legal, then, now, fault, ms, ms_then)


def _stopped(bot: Actor, view: View, moves: list[Move]) -> Any:
    """PersonInterface in the debugger; BdbQuit if that was left."""
    debugger = _Debugger()
    answer = debugger.runcall(bot.act, view, moves)
    if debugger.was_left:
        raise bdb.BdbQuit
    return answer


class _Debugger(pdb.Pdb):
    """Notes whether it was left; `runcall` does not tell."""

    was_left = False

    def set_quit(self) -> None:
        self.was_left = True
        super().set_quit()


def _seeds(stored: StoredGame, record: Record) -> tuple[int, ...]:
    """Seeds of seat 0, seat 1 and the global generators, as the referee derives them."""
    if stored.result is None or ":" not in record.deal_text or record.deal_text.startswith("cards:"):
        return (0, 0, 0)
    seed, number = map(int, record.deal_text.split(":")[:2])
    first, second = stored.result.first, stored.result.second
    one, two = sorted((first, second))
    six = derive_seeds(6, seed, "game", number, one, two)
    return tuple(six[:3] if first < second else six[3:])
