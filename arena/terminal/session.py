"""A game that is shown and saved move by move, so that it can be resumed."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.bots.bot import Actor, TimeLeft
from arena.bots.isolation.remote_bot import RemoteBot
from arena.bots.limits import BotLimits
from arena.bots.loading import load_bot, run_here
from arena.bots.spec import BotSpec, find_bot
from arena.errors import ArenaError
from arena.game.engine import State, View
from arena.game.moves import MOVES, Move
from arena.game.record import RESIGNED, deal_text, parse_record, record_text, replay, result_text, with_about
from arena.game.rules import Rules
from arena.results.records import export_line, record_lines
from arena.terminal.input import Person, PersonInterface, Resigned
from arena.text import first_line, one_line
from arena.tournament.forfeits import reason_line
from arena.tournament.games import GameResult, GameTask, Row
from arena.tournament.referee import Player, Referee
from arena.tournament.rows import GameSettings
from arena.whole_file import write_whole

_PERSON, _BOT = "person", "bot"  # further keys in the record of an unfinished game


@dataclass(frozen=True)
class Seating:
    """The players of a game and its rules. `bots` and `names` begin with the starting player; a person has no bot.

    `deal` is the deal as records write it, "" for number 0 of the seed. With `claims` the person claims stones. Bots
    run at an isolation `level` (`bots.limits`), within `limits` and on a `clock`; a person has no clock.
    """

    rules: Rules
    seed: int
    bots: tuple[BotSpec | None, BotSpec | None]
    names: tuple[str, str]
    claims: bool = False
    level: str = "process"
    limits: BotLimits = BotLimits()  # noqa: RUF009  (frozen)
    clock: TimeLeft | None = None
    deal: str = ""

    @property
    def person(self) -> str:
        """The person's name, "" if there is none."""
        return next((name for bot, name in zip(self.bots, self.names) if bot is None), "")


class Session:
    """One game: the moves `made` so far, and its `result`, None while it lasts.

    `before` are the moves of a resumed game, by number: they are made again, whatever the bot would play now.
    """

    def __init__(
        self, seating: Seating, screen: PersonInterface, path: Path | None = None, before: Sequence[int] = ()
    ) -> None:
        self.seating = seating
        self.screen = screen
        self.path = path
        self.repeated = tuple(before)
        self.made: list[Move] = []
        self.result: GameResult | None = None
        self.resigned = False
        self._state: State | None = None
        self._referee: Referee | None = None
        self._players: list[_ResumingPlayer] = []

    def speaker(self) -> tuple[str, str]:
        """Return whose code is running, for `arena.bots.output.BotOutput`."""
        return ("arena", "") if self._referee is None else self._referee.who()

    def play(self) -> None:
        """Play to the end and save the game, also if it is left. What the person raises passes through.

        Raises BotError for bots that cannot be loaded.
        """
        seating = self.seating
        players = self._players = [
            _ResumingPlayer(self, name, self._maker(bot), bot is None) for bot, name in zip(seating.bots, seating.names)
        ]
        referee = self._referee = Referee(
            GameSettings(seating.rules, seating.seed, seating.clock, deals={0: seating.deal} if seating.deal else {}),
            players,
            passes=lambda error: isinstance(error, KeyboardInterrupt),
            observer=self,
        )
        try:
            row = referee.play(GameTask(0, 0, 0, *seating.names, 0))
            self.result = GameResult.from_row(row, *seating.names)
        except Resigned:
            self.resigned = True
        finally:
            self.save()
            for player in players:
                player.close()

    def _maker(self, bot: BotSpec | None) -> Callable[[], Actor]:
        seating = self.seating
        if bot is None:
            return lambda: Person(self.screen, seating.claims)
        if not bot.command and seating.level == "none":
            return load_bot(bot).make
        level = "process" if seating.level == "none" else seating.level
        remote = RemoteBot(run_here(bot), seating.rules, level, seating.limits)
        remote.load()
        return lambda: remote

    # ---- for the referee ---------------------------------------------------------------------------------------

    def before(self, task: GameTask, state: State) -> None:
        """Show the deal."""
        self._state = state
        first, second = self.seating.names
        self.screen.begun(state, (second, first) if state.first_seat else (first, second))

    def step(self, state: State, move: Move) -> None:
        """Save and show a move."""
        self.made.append(move)
        for player in self._players:
            player.log_output()
        if len(self.made) > len(self.repeated) and self.seating.person:
            self.save()  # before it is shown: what was seen is never lost
        self.screen.moved(state, move)

    def after(self, state: State, row: Row) -> None:
        """Do nothing: `play` saves the end."""

    # ---- saving ------------------------------------------------------------------------------------------------

    def record(self) -> str:
        """Return the game so far as a line for a file of records."""
        seating, state = self.seating, self._state
        about: dict[str, Any] = dict(zip(("first", "second"), seating.names))
        if self.result is not None:
            return export_line(self.result)
        assert state is not None
        result = result_text(state)
        if self.resigned:
            seats = seating.names if not state.first_seat else seating.names[::-1]
            result = f"{'ba'[seats.index(seating.person)]} {result.split(' ')[1]} {RESIGNED}"
        elif seating.person:
            about[_PERSON] = seating.person
            about[_BOT] = next(bot.spec for bot in seating.bots if bot is not None)
        auto = [not (bot is None and seating.claims) for bot in seating.bots]
        auto = auto[::-1] if state.first_seat else auto
        deal = seating.deal or deal_text(seating.seed, 0)
        record = record_text(seating.rules, deal, (auto[0], auto[1]), self.made, result)
        return with_about(record, about)

    def save(self) -> None:
        """Write the game to its file, if it has one and has begun. Raises ExportError."""
        if self.path is not None and self._state is not None:
            write_whole(self.path, [f"{self.record()}\n"])


class _ResumingPlayer(Player):
    """Repeats the moves of a resumed game first; a bot is asked nevertheless, so that it remembers them."""

    def __init__(self, session: Session, name: str, make: Callable[[], Actor], is_person: bool) -> None:
        super().__init__(name, make, uses_random=True, uses_numpy="numpy" in sys.modules)
        self._session = session
        self._is_person = is_person
        self.clocked = not is_person

    def prepare(self, begins: bool) -> None:
        """Make the bot."""
        super().prepare(begins)
        act, session = self.act, self._session
        table = MOVES[session.seating.rules.spy_value]

        def repeat_first(view: View, moves: list[Move]) -> Move:
            number = len(session.made)
            if number >= len(session.repeated):
                return act(view, moves)  # type: ignore[no-any-return]
            wanted = table[session.repeated[number]]
            if not self._is_person:
                act(view, moves)
            return wanted

        self.act = repeat_first


def end_text(session: Session, reason: bool = True) -> str:
    """Word the result in a line; with `reason` also why a bot failed, which is for its author."""
    person = session.seating.person
    if session.resigned:
        return "You gave up the game."
    result = session.result
    assert result is not None
    stones = result.stones if result.first == person else result.stones[::-1]
    if result.forfeit is not None:
        detail = f": {first_line(reason_line(result.detail), 200)}" if reason else ""
        outcome = "You lose" if result.forfeit_by == person else "You win"
        return f"{one_line(result.forfeit_by or '')} forfeits by {result.forfeit}{detail}. {outcome}."
    if result.winner is None:
        return f"A draw, {stones[0]} stones to {stones[1]}."
    won = result.winner == person
    return f"You {'win' if won else 'lose'}, {stones[0]} stones to {stones[1]}: {result.ending}."


# ---------------------------------------------------------------- coming back


def read_unfinished(path: Path, level: str) -> tuple[Seating, tuple[int, ...]]:
    """Read the players and the moves, by number, of a game that a session has saved. Bots run at isolation `level`.

    Raises ArenaError if the game is over or was not saved by a session.
    """
    records = [text for _, text in record_lines(path)]
    if len(records) != 1:
        raise ArenaError(f"{path} holds {len(records)} records; a game to resume must be the only one in its file")
    record = parse_record(records[0])
    if not record.result.startswith("*"):
        raise ArenaError(f"the game in {path} is over; look at it with: arena replay {shlex.quote(str(path))} 1")
    about = record.about
    first, second, person = about.get("first"), about.get("second"), about.get(_PERSON)
    if person not in (first, second) or not isinstance(about.get(_BOT), str) or ":" not in record.deal_text:
        raise ArenaError(f"{path} does not say who played; only games saved by 'arena play' can be resumed")
    replay(record)
    bot = find_bot(str(about[_BOT]))
    claims = not record.auto_claim[(person != first) ^ record.deal.starter]
    seed = record.deal_text.partition(":")[0]
    bots = (None, bot) if person == first else (bot, None)
    seating = Seating(
        record.rules,
        int(seed) if seed.isdecimal() else 0,  # a deal of given cards has none
        bots,
        (str(first), str(second)),
        claims,
        level,
        deal=record.deal_text,
    )
    return seating, tuple(move.index for move in record.moves)
