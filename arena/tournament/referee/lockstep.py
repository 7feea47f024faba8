"""Many games at once between bots in processes: one message asks a bot for its moves in all games where it is to move.

A message and its answer cost some ten microseconds, more than a quick bot thinks. So games are brought to their next
decision each, and then every bot is asked once for all of its decisions. That changes nothing but the time it takes:
each game has its own bot object at its own table of the child, and the same seeds. If anything goes wrong, from an
illegal move to the death of a process, the game in which the bot has failed is forfeited, and the others that are under
way are given up and played one by one. The bots start anew then, lest one of them fail on purpose to play a game twice,
the second time knowing all cards. Who is merely too slow for many games at once is asked again one by one.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence

from arena.bots.bot import BotFault
from arena.bots.isolation.python.bot import PythonBot
from arena.bots.isolation.python.progress import IN_BEGIN, MAKING
from arena.game.moves import MOVES
from arena.game.packing import TABLES, Tables
from arena.tournament.match.results import Row
from arena.tournament.match.tasks import PairTask, Task
from arena.tournament.referee.player import Player
from arena.tournament.referee.referee import Game, Referee
from arena.tournament.referee.rows import Forfeit

log = logging.getLogger("arena.lockstep")

BLOCK_UNITS = 256  # pairs whose first games are played before their second ones
PAUSE_GAMES = 256  # games played one by one after something has gone wrong
MOST_BOTS = 12
_PATIENCE_S = 20.0


class _Apart(Exception):
    """Something has gone wrong; the games are to be played one by one."""


class Lockstep:
    """Plays units of quick isolated bots together. `look` is called between rounds, and says whether to stop."""

    def __init__(self, referee: Referee, look: Callable[[], bool], tables: int = TABLES) -> None:
        self.referee = referee
        self.look = look
        self.tables = Tables()
        self.width = min(tables, TABLES)
        self.forfeits: dict[int, Row] = {}
        """Rows, by key, of games that were forfeited in units that are not finished: not to be played again."""
        self._resume = 0  # number of the game from which on it is tried again

    def play(self, tasks: Sequence[Task], start: int) -> list[list[Row]]:
        """The rows of units `start`, `start + 1` ... as far as they can be played together; perhaps of none."""
        units = self._units(tasks, start)
        if len(units) < 2:
            return []
        session = _Session(self.referee, self.tables, units, self.width, self.look)
        try:
            session.play()
        except _Apart as apart:
            log.info("games are played one by one for a while: %s", apart)
            self._resume = self.referee.games + PAUSE_GAMES
            session.forget()
        units_done = session.finished()
        done = {row[0] for unit in units_done for row in unit}
        self.forfeits |= {row[0]: row for row in session.forfeits if row[0] not in done}
        return units_done

    def _units(self, tasks: Sequence[Task], start: int) -> list[PairTask]:
        """The units from `start` on that can be played together."""
        if self.referee.settings.clock is not None or self.referee.games < self._resume:
            return []
        units: list[PairTask] = []
        bots: set[str] = set()
        for at in range(start, len(tasks)):
            task = tasks[at]
            if not isinstance(task, PairTask) or not (self._able(task.a) and self._able(task.b)):
                break
            bots |= {task.a, task.b}
            if len(bots) > MOST_BOTS:
                break
            units.append(task)
        return units

    def _able(self, name: str) -> bool:
        players = self.referee.players[name].per_game_players
        return all(player.fit and player.broken is None and player.in_step for player in players)


class _Session:
    """Some units, played together."""

    def __init__(
        self, referee: Referee, tables: Tables, units: list[PairTask], width: int, look: Callable[[], bool]
    ) -> None:
        self.referee = referee
        self.tables = tables
        self.units = units
        self.look = look
        self.rows: dict[int, list[Row | None]] = {}
        self.going: dict[int, tuple[int, int, Game]] = {}  # table -> unit, place in the unit, game
        self.free = list(range(width - 1, -1, -1))
        self.begun: dict[Player, list[bytes]] = {}  # messages that begin games
        self.ready: set[Player] = set()
        self.stopping = False
        self.forfeits: list[Row] = []
        self._order = _in_blocks(units)
        self._next = next(self._order, None)

    def finished(self) -> list[list[Row]]:
        """The rows of the units, from the first on, all of whose games are over."""
        found: list[list[Row]] = []
        for unit in range(len(self.units)):
            rows = [row for row in self.rows.get(unit, []) if row is not None]
            if not rows or len(rows) < len(self.units[unit].games):
                break
            found.append(rows)
        return found

    def forget(self) -> None:
        """End the bots' processes, which know games that are to be played again."""
        for player in self.ready:
            _remote(player).close()

    def play(self) -> None:
        """Play until all games are over, or those begun if it is to stop. Raises `_Apart`."""
        while True:
            self.stopping = self.look() or self.stopping
            while self.free and self._sit_next():
                pass
            waiting = self._advance()
            if not waiting:
                if not self.going and not self._more():
                    return
                continue
            for player, tables in waiting.items():
                self._ask(player, tables)

    def _more(self) -> bool:
        """Is there a game to begin? When stopping, only what completes a unit."""
        while self.stopping and self._next is not None and self._next[0] not in self.rows:
            self._next = next(self._order, None)
        return self._next is not None

    def _sit_next(self) -> bool:
        if not self._more():
            return False
        assert self._next is not None
        unit, place = self._next
        if any(place != other for _, other, _ in self.going.values()):
            return False
        tasks = self.units[unit].game_tasks()
        self._next = next(self._order, None)
        self.rows.setdefault(unit, [None] * len(tasks))
        game = self.referee.prepare(tasks[place])
        for player in game.seats:
            self._prepare(player)
        k = self.free.pop()
        self.going[k] = (unit, place, game)
        for seat, player in enumerate(game.seats):
            beginning = _remote(player).beginning(k, self.referee.setup(game, seat))
            _remote(player).sits(k, game.task.id)
            self.begun.setdefault(player, []).append(beginning)
        zero, one = game.seats
        self.tables.sit(k, game.state, (zero.ask_forced, one.ask_forced))
        return True

    def _prepare(self, player: Player) -> None:
        if player not in self.ready:
            player.alone()
            try:
                _remote(player).prepare()
            except BotFault as fault:
                raise _apart(player, fault) from None
            self.ready.add(player)

    def _advance(self) -> dict[Player, list[int]]:
        """Bring every game to its next decision; the tables at which each bot is to decide."""
        waiting: dict[Player, list[int]] = {}
        for k in list(self.going):
            unit, place, game = self.going[k]
            seat = self.tables.advance(k)
            if seat < 0:
                moves = self.tables.moves_of(k)
                self.rows[unit][place] = self.referee.row_of(game, moves, self.tables.asked_of(k))
                del self.going[k]
                self.free.append(k)
                continue
            waiting.setdefault(game.seats[seat], []).append(k)
        return waiting

    def _ask(self, player: Player, tables: list[int]) -> None:
        questions = [self.tables.ask(k) for k in tables]
        begun = self.begun.pop(player, [])
        player.alone()
        start = time.monotonic()
        remote = _remote(player)
        try:
            answer = remote.ask_many(begun, questions, start + min(_PATIENCE_S, remote.patience_s))
        except BotFault as fault:
            if fault.kind == "timeout":
                player.timed_together((time.monotonic() - start) * 1e9 / len(tables))
            else:
                self._blame(player, tables, fault)
            raise _apart(player, fault) from None
        player.timed_together((time.monotonic() - start) * 1e9 / len(tables))
        for at, k in enumerate(tables):
            if not self.tables.answer(k, answer, 2 * at):
                self._refuse(player, k, int.from_bytes(answer[2 * at : 2 * at + 2], "little"))
                raise _Apart(f"{player.name}: a move that is not legal")

    def _blame(self, player: Player, tables: list[int], fault: BotFault) -> None:
        """Note that a bot has forfeited the game at that of these tables at which its process was.

        Who could not be made once more takes too much for many tables, and has seen no card there: it loses no game.
        """
        remote = _remote(player)
        k, doing = remote.noted
        if doing == MAKING:
            remote.keep_to_one_table()
            return
        in_begin = doing == IN_BEGIN
        if k not in tables:
            k, in_begin = tables[0], False
        game = self.going[k][2]
        seat = game.seats.index(player)
        asked = self.tables.asked_of(k)
        if not in_begin or asked[seat] > 1:
            self._lose(player, k, fault.kind, fault.detail)
        elif game.in_turn[0] == seat or asked[1 - seat]:  # else the other may have failed before it, which shows later
            self._lose(player, k, fault.kind, fault.detail.replace("in act: ", "in begin: ", 1), in_begin=True)

    def _lose(self, player: Player, k: int, kind: str, detail: str, in_begin: bool = False) -> None:
        """Note that a bot has forfeited the game at table `k`, in `begin` before any move."""
        unit, place, game = self.going[k]
        forfeit = Forfeit(game.seats.index(player), kind, detail)
        if in_begin:
            row = self.referee.row_of(self.referee.prepare(game.task), [], (0, 0), forfeit)
        else:
            row = self.referee.row_of(game, self.tables.moves_of(k), self.tables.asked_of(k), forfeit)
        self.rows[unit][place] = row
        self.forfeits.append(row)

    def _refuse(self, player: Player, k: int, number: int) -> None:
        """The same for a move, by its number, that the engine has refused."""
        state = self.going[k][2].state
        table = MOVES[state.rules.spy_value]
        if number >= len(table):
            self._lose(player, k, "protocol", f"answered with move number {number}, which does not exist")
        else:
            forfeit = self.referee.refused(state, table[number])
            self._lose(player, k, forfeit.kind, forfeit.detail)


def _in_blocks(units: Sequence[PairTask]) -> Iterator[tuple[int, int]]:
    """Units and places in them in the order in which the games are begun: many first games, then as many second ones.

    A bot has a process for each of the two, of which only one may run: so they seldom take turns.
    """
    for start in range(0, len(units), BLOCK_UNITS):
        for place in (0, 1):
            for unit in range(start, min(start + BLOCK_UNITS, len(units))):
                if place < len(units[unit].games):
                    yield unit, place


def _apart(player: Player, fault: BotFault) -> _Apart:
    """In one line, since it goes into the log, where lines of a bot's must not look like lines of ours."""
    return _Apart(f"{player.name}: {fault.detail.partition(chr(10))[0][:200]}")


def _remote(player: Player) -> PythonBot:
    assert isinstance(player.remote, PythonBot)
    return player.remote
