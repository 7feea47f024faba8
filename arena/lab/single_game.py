"""Play one game in this process, for tests, debuggers, profilers and notebooks: `play_game("bots/mine.py", "random")`.

It is the game that a tournament with the same seed, rules and names plays on that deal. Output is not captured and
time is not enforced: `print` prints, `breakpoint()` stops, and a bot that never returns blocks.
"""

from __future__ import annotations

import random
import re
import sys
from bdb import BdbQuit
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from html import escape
from os import PathLike
from types import ModuleType
from typing import Any, Literal, TypeAlias

from arena.bots.bot import Act, Actor, TimeLeft
from arena.bots.faults import show_value
from arena.bots.loading import FunctionBot, load_bot
from arena.bots.spec import find_bot
from arena.errors import ArenaError, did_you_mean
from arena.game.deals import Deal, deal_from_cards
from arena.game.engine import State
from arena.game.moves import Move
from arena.game.record import cards_text, parse_record, replay, replay_steps
from arena.game.rules import Rules, load_rules
from arena.results.pages.game_data import replay_page
from arena.results.positions import result_line
from arena.terminal.drawing import board_text
from arena.tournament.games import DEAL_BITS, GameResult, GameTask
from arena.tournament.referee import Player, Referee
from arena.tournament.rows import GameSettings

AnyBot: TypeAlias = str | PathLike[str] | Actor | type[Actor] | Act | ModuleType
"""A spec or a file, a bot object, a class of bots, a function `act(view, moves)`, or a module that has one."""
ERRORS = ("forfeit", "raise")


class PlayError(ArenaError):
    """A game cannot be played as asked."""


@dataclass(frozen=True, slots=True, repr=False)
class PlayedGame(GameResult):
    """A game as `play_game` returns it. Pairs are (`first`, `second`): the bot that began, and the other.

    `score` is 1, 0.5 or 0 for `first`; `winner` a name, None for a draw; `stones` and `points` (5 for the winner, else
    one for each stone) are pairs, `turns` those of both. `ending` is `five stones`, `three adjacent`, `stalemate` or
    `forfeit`; then `forfeit` is its kind, `forfeit_by` the name, `detail` the reason with its traceback. `record` is
    the game in one line, which `arena replay` shows.

    `decision_ms` has the thinking time of every decision, `ms` their sums and `max_ms` the longest, in ms.
    """

    decision_ms: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())

    @property
    def state(self) -> State:
        """The state at the end, with both hands."""
        return replay(parse_record(self.record))

    def steps(self) -> Iterator[tuple[State, Move]]:
        """Yield each move with the state before it: one state, which changes between the steps; copy it to keep it."""
        return replay_steps(parse_record(self.record))

    def __str__(self) -> str:
        """Draw the board at the end, and word the result."""
        result = result_line(parse_record(self.record), self.seats)
        return f"{board_text(self.state, self.seats)}\n{result}"

    def _repr_html_(self) -> str:
        """Show the game in a notebook, to step through, in a frame of its own."""
        page = escape(replay_page(self, "1"))
        title = escape(result_line(parse_record(self.record), self.seats))
        return f'<iframe title="{title}" sandbox="allow-scripts" width="100%" height="900" srcdoc="{page}"></iframe>'

    def __repr__(self) -> str:
        how = self.ending if self.forfeit is None else f"{self.forfeit} by {self.forfeit_by}"
        return f"<{self.first} - {self.second} {self.stones[0]}-{self.stones[1]}: {self.winner or 'draw'}, {how}>"


def play_game(
    bot_a: AnyBot,
    bot_b: AnyBot,
    *,
    rules: str | Rules = "base",
    seed: int | None = None,
    deal: int | Deal = 0,
    clock: tuple[float | None, float | None] | None = None,
    names: tuple[str, str] | None = None,
    errors: Literal["forfeit", "raise"] = "forfeit",
) -> PlayedGame:
    """Play one game in this process; `bot_a` begins.

    A bot is a spec (`"greedy"`, `"bots/mine.py:depth=3"`), a bot object, a class, a function `act(view, moves)` or a
    module with one. Bots in other languages need a process of their own: `run_tournament` plays them.

    `seed` (default 0) and `deal` decide the cards and all that is random. A tournament with that seed plays the same
    game with the number `deal` if the bots have the same names; with the bots exchanged it is the other game of the
    pair. `deal` may also be a `Deal`, such as that of a record: `parse_record(line).deal`.

    `clock` is (time for a move, bank of the game) in ms; either may be None. A bot that exceeds it forfeits once it
    has returned.
    `names` default to those of the specs, classes or functions; a second bot of the same name gets a `2`.

    With `errors="raise"` an exception from a bot is raised, its traceback unchanged, instead of losing the game; Ctrl-C
    and quitting a debugger always are. Illegal moves and the clock are forfeits in either case.

    Raises ArenaError for bots, rules, deals or settings that do not exist.

    >>> game = play_game("greedy", "random", seed=1)
    >>> game
    <greedy - random 4-0: greedy, three adjacent>
    >>> game.winner, game.points, game.turns, len(game.decision_ms[0]) == game.decisions[0]
    ('greedy', (5, 0), 41, True)
    """
    if errors not in ERRORS:
        raise PlayError(f"errors is 'forfeit' or 'raise', not {errors!r}{did_you_mean(str(errors), ERRORS)}")
    if isinstance(rules, str):
        rules = load_rules(rules)
    seed, number, reference = _deal(rules, seed, deal)
    players = _players((bot_a, bot_b), names)
    first, second = (player.name for player in players)

    def passes(error: BaseException) -> bool:
        return errors == "raise" or issubclass(type(error), KeyboardInterrupt | BdbQuit)

    referee = Referee(
        GameSettings(rules, seed, _clock(clock), deals={} if reference is None else {number: reference}),
        players,
        passes=passes,
    )
    with _generators_kept():
        row = referee.play(GameTask(0, number, 0, first, second, 0))
    first_ms, second_ms = (tuple(ns / 1e6 for ns in player.decision_ns) for player in players)
    return replace(PlayedGame.from_row(row, first, second), decision_ms=(first_ms, second_ms))


# ---------------------------------------------------------------- bots


class _Timed(Player):
    """A player that keeps the times of its decisions."""

    decision_ns: tuple[int, ...] = ()

    def timed(self, times: Sequence[int]) -> None:
        self.decision_ns = tuple(times)


def _players(bots: tuple[AnyBot, AnyBot], names: tuple[str, str] | None) -> tuple[_Timed, _Timed]:
    a, b = bots
    if a is b and not callable(a) and not isinstance(a, str | PathLike | ModuleType):
        raise PlayError(
            f"one {type(a).__name__} object cannot play against itself: what it remembers belongs to one seat; "
            "make two objects, or give the class"
        )
    (name_a, make_a), (name_b, make_b) = _bot(a), _bot(b)
    if names is None:
        names = (name_a, name_b if name_a != name_b else f"{re.split('[:=]', name_b)[0]}2")
    if not (isinstance(names, tuple | list) and len(names) == 2 and all(isinstance(name, str) for name in names)):
        raise PlayError(f"names are two strings, such as ('old', 'new'), not {names!r}")
    if names[0] == names[1]:
        raise PlayError(f"two bots are called '{names[0]}': give them different names")
    # the global generators are seeded for each game, as for all bots of a tournament that draw from them
    flags = {"uses_random": True, "uses_numpy": "numpy" in sys.modules}
    return _Timed(names[0], make_a, **flags), _Timed(names[1], make_b, **flags)


def _bot(bot: Any) -> tuple[str, Callable[[], Actor]]:
    """Return the name of a bot, and what creates it."""
    if isinstance(bot, str | PathLike):
        loaded = load_bot(find_bot(str(bot)), capture=False)
        return loaded.name, loaded.make
    act = getattr(bot, "act", None)
    if isinstance(bot, type) and callable(act):
        return bot.__name__, bot
    if isinstance(bot, ModuleType) and callable(act):
        return bot.__name__.rpartition(".")[2], lambda: FunctionBot(act, bot)
    if callable(act):
        return type(bot).__name__, lambda: bot
    if callable(bot) and not isinstance(bot, type):
        name, module = getattr(bot, "__name__", type(bot).__name__), getattr(bot, "__module__", None) or ""
        return module.rpartition(".")[2] if name == "act" else name, lambda: FunctionBot(bot, sys.modules.get(module))
    shown = f"the class {bot.__name__}" if isinstance(bot, type) else show_value(bot)
    raise PlayError(
        f"{shown} is not a bot: expected a spec ('greedy', 'bots/mine.py:depth=3'), a class or an object with a method "
        "act(view, moves), or a function act(view, moves)"
    )


@contextmanager
def _generators_kept() -> Iterator[None]:
    """Restore the global generators afterwards: the rest of this process may draw from them as well."""
    state = random.getstate()
    numpy = sys.modules.get("numpy")
    numpy_state = None if numpy is None else numpy.random.get_state()
    try:
        yield
    finally:
        random.setstate(state)
        if numpy is not None:
            numpy.random.set_state(numpy_state)


# ---------------------------------------------------------------- settings


def _deal(rules: Rules, seed: int | None, deal: object) -> tuple[int, int, str | None]:
    """Return seed and number of a deal; if these do not determine it, also its text in a record."""
    if isinstance(deal, bool) or not isinstance(deal, int | Deal):
        raise PlayError(f"deal is a number or a Deal, such as parse_record(line).deal, not {show_value(deal)}")
    if isinstance(deal, int):
        if not 0 <= deal < 1 << DEAL_BITS:
            raise PlayError(f"deals are numbered from 0 up to 2**{DEAL_BITS} - 1, not {deal}")
        return seed or 0, deal, None
    cards = deal_from_cards(rules, deal.clan, deal.tactic, deal.starter)
    return seed or 0, 0, cards_text(cards)


def _clock(clock: object) -> TimeLeft | None:
    if clock is None:
        return None
    if isinstance(clock, tuple | list) and len(clock) == 2:
        move_ms, bank_ms = clock
        times = [time for time in clock if time is not None]
        if all(isinstance(time, int | float) and time >= 0 for time in times) and any(times):
            return TimeLeft(move_ms, bank_ms)
    raise PlayError(
        f"clock is (time for a move, bank of the game) in ms, such as (100, 5000) or (None, 60000), not {clock!r}"
    )
