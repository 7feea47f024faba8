"""The level `none`: the bot plays inside of a worker of `arena match`, a fresh interpreter for each table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.check.games import Setting
from arena.game.rules import Rules
from arena.isolation.audit import Attempt
from arena.match.results import GameResult
from arena.match.tasks import Chunk, GameTask, PairTask
from arena.players.faults import BotError
from arena.processes.limits import Limits
from arena.runner.executors.base import Failed, Played, WorkerFault
from arena.runner.executors.local import LocalExecutor
from arena.runner.job import Job
from arena.runner.logs import Said

_WAIT_S = 0.25


class InsideTable:
    """A worker with the bot, its twin and the program's bots in it."""

    def __init__(self, setting: Setting, rules: Rules) -> None:
        limits = Limits(setting.limits.decision_s, setting.limits.loading_s)
        bots = (setting.spec, setting.twin, setting.random, setting.greedy)
        job = Job(rules.name, setting.seed, bots, setting.clock, limits)
        self._setting = setting
        self._names = {setting.spec.name, setting.twin.name}
        self._printed = 0
        self._executor = LocalExecutor(job, 1, self._hear, "spawn")
        self._chunks = 0

    def _hear(self, said: Said) -> None:
        logger, _, text, _, _ = said
        bot, colon, line = text.partition(": ")
        if logger == "arena.bots" and colon and bot in self._names:
            self._printed += len(line) + 1

    def ready(self) -> None:
        """Nothing: the first game does it."""

    def game(self, task: GameTask) -> GameResult:
        a, b = (task.second, task.first) if task.game else (task.first, task.second)
        unit = PairTask(task.pairing, task.deal, a, b, games=(task.game,))
        self._chunks += 1
        self._executor.submit(Chunk(self._chunks, (unit,)))
        while True:
            for event in self._executor.events(_WAIT_S):
                if isinstance(event, Failed):
                    if event.ours:
                        raise WorkerFault(event.text)
                    raise BotError(event.text)
                if isinstance(event, Played):
                    return self._setting.results(event.rows)[0]

    def together(self, tasks: Sequence[PairTask], look: Callable[[], bool]) -> list[list[GameResult]] | None:
        return None

    def close(self) -> None:
        self._executor.close()

    @property
    def pid(self) -> int | None:
        return None

    @property
    def attempts(self) -> list[Attempt]:
        return []

    @property
    def printed(self) -> int:
        return self._printed
