"""A bot at the table: the object that decides, its hooks, and how much time it takes to be asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from arena.bots.bot import Actor, RemoteBot, hook_of
from arena.bots.loading import LoadedBot

#: Games with exact times before a bot can be called quick, and the mean decision of a quick bot.
_TIMED_GAMES = 8
_QUICK_NS = 5_000


class Player:
    """One bot of a worker; it is made at its first game and plays all its games here.

    `make` brings the bot to life (`LoadedBot.make`); what it raises is the bot's forfeit of each of its
    games. The other flags say what the referee must do around its games, see `LoadedBot`.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[], Actor],
        *,
        uses_random: bool = False,
        uses_numpy: bool = False,
        harmless: bool = True,
    ) -> None:
        self.name = name
        self.uses_generators = uses_random or uses_numpy
        self.uses_random = uses_random
        self.uses_numpy = uses_numpy
        self.harmless = harmless
        self.bot: Actor | None = None
        self.act: Any = None
        self.begin: Callable[..., object] | None = None
        self.observe: Callable[..., object] | None = None
        self.end: Callable[..., object] | None = None
        self.auto_claim = True
        self.ask_forced = False
        self.fit = False  # made, and fit to play
        self.remote = RemoteBot()  # of a bot in a process of its own; else one that does nothing
        self.isolated = False
        self.looks_back = False  # wants to be told after the game
        self.clocked = True  # a person takes time
        self.broken: tuple[str, str] | None = None  # kind and detail of the forfeit if it could not be made
        self.per_game_players: tuple[Player, Player] = (self, self)
        self.quick = False
        self._make = make
        self._timed = 0
        self.mean_ns = 0.0

    @classmethod
    def of(cls, loaded: LoadedBot) -> Player:
        """The player of a loaded bot."""
        return cls(
            loaded.name,
            loaded.make,
            uses_random=loaded.uses_random,
            uses_numpy=loaded.uses_numpy,
            harmless=loaded.harmless,
        )

    @classmethod
    def pair(cls, first: Player, second: Player) -> Player:
        """A bot with two processes, one for each game of a pair: what was seen in the first is not known in the second.

        The first of the two stands for both, see `per_game_players`.
        """
        first.per_game_players = second.per_game_players = (first, second)
        return first

    def start(self) -> None:
        """Make the bot. Whatever its `__init__` raises passes through."""
        bot = self._make()
        if isinstance(bot, RemoteBot):
            bot.prepare()
            self.remote, self.isolated = bot, True
        self.act = bot.act
        self.begin = hook_of(bot, "begin")
        self.observe = hook_of(bot, "observe")
        self.end = hook_of(bot, "end")
        self.auto_claim = bool(getattr(bot, "auto_claim", True))
        self.ask_forced = bool(getattr(bot, "ask_forced", False))
        self.looks_back = self.observe is not None or self.end is not None or self.remote.looks_back
        self.bot = bot
        self.fit = True

    def alone(self) -> None:
        """Before its process is asked anything: that of the same bot for the other game of a pair must not run.

        What the one holds, the opponent of the other holds. A process that is stopped has nothing to tell, and nobody
        to wake.
        """
        for twin in self.per_game_players:
            if twin is not self:
                twin.remote.stand_still()

    def leave(self) -> None:
        """A game under a clock is over: what the bot's process did now would take the time of those who play next."""
        self.remote.suspend()

    # ---- thinking times ------------------------------------------------------------------------------------

    def timed(self, times: Sequence[int]) -> None:
        """Note the times of a game, in ns: the mean follows slowly, and says whether the bot is quick.

        The longest decision is left out: in that the process may have had to wait for a core.
        """
        if len(times) > 1:
            self._timed += 1
            mean = (sum(times) - max(times)) / (len(times) - 1)
            self.mean_ns += (mean - self.mean_ns) / min(self._timed, 10)
            self.quick = self._timed >= _TIMED_GAMES and self.mean_ns < _QUICK_NS and self.observe is None
