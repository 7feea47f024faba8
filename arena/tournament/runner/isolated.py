"""A worker's bots in processes of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from arena.bots.isolation.levels import Launch
from arena.bots.isolation.process import BotProcess, own_children, watch_bots
from arena.bots.isolation.remote_bot import ProcessPool, RemoteBot
from arena.bots.processes import kill_orphans
from arena.bots.spec import BotSpec
from arena.game.rules import load_rules
from arena.tournament.referee import Player
from arena.tournament.runner.job import Job


class IsolatedBots:
    """The processes of a worker's bots. `beat` is called from time to time while the worker waits for one."""

    def __init__(self, job: Job, beat: Callable[[], object]) -> None:
        self._job = job
        self.pool = ProcessPool()
        self._beat = beat

    def player(self, number: int, spec: BotSpec) -> Player:
        """Return the player of a bot of the job, by its place."""
        job = self._job
        bot = RemoteBot(spec, load_rules(job.rules), job.level(number), job.bot_limits, self.pool, self._start)
        if 2 * number < self.pool.most:
            bot.load()  # a file that cannot be run, a command that does not answer: known before the first game
            bot.suspend()
        return Player(bot.name, lambda: bot)

    def _start(self, launch: Launch, hear: Callable[[bytes], object]) -> BotProcess:
        environment = {**launch.environment, "PYTHONHASHSEED": "1" if self._job.backwards else "0"}
        return BotProcess(replace(launch, environment=environment), hear, self._beat)

    def clean(self) -> None:
        """End bots that use more than they may, and processes left behind by bots."""
        watch_bots()
        kill_orphans(own_children())
