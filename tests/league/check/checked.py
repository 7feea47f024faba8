"""Bots of tests/data/check, checked once for all tests: in this process, which is quick, or as authors check them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from arena.bots.bot import Actor
from arena.bots.loading import load_bot
from arena.bots.processes.limits import BotLimits
from arena.bots.spec import find_bot
from arena.game.rules import Rules
from arena.league.check.budget import CheckProgress, TimeBudget
from arena.league.check.check import check_bot
from arena.league.check.report import CheckReport, Finding
from arena.league.check.sessions import CheckSession, CheckSettings, StartTime
from arena.league.check.text import report_text
from arena.league.check.trials import Trials
from arena.tournament.config.tournament import Clock
from arena.tournament.match.results import GameResult
from arena.tournament.match.tasks import GameTask, PairTask
from arena.tournament.referee.player import Player
from arena.tournament.referee.referee import Referee
from arena.tournament.referee.rows import GameSettings

BOTS = Path(__file__).parents[2] / "data" / "check"
ACT = "import time\ndef act(view, moves):\n    time.time()\n    return moves[0]\n"


def lay(folder: Path, text: str, **helpers: str) -> Path:
    for name, other in helpers.items():
        (folder / f"{name}.py").write_text(other)
    path = folder / "mine.py"
    path.write_text(text)
    return path


class LocalSession(CheckSession):
    """A life of the bot in this process: its file is run anew, or `make` brings a bot to life."""

    flags = (True, False)

    def __init__(self, sessions: LocalSessions, settings: CheckSettings, rules: Rules, hash_seed: str) -> None:
        self.sessions = sessions
        self.settings = settings
        loaded = [load_bot(one) for one in (settings.spec, settings.twin, settings.random, settings.greedy)]
        players = [Player.of(one) for one in loaded]
        make = sessions.make
        if make is not None:
            players[:2] = [Player(one.name, lambda: make(hash_seed)) for one in players[:2]]
        self.referee = Referee(GameSettings(rules, settings.seed, settings.time_left), players)

    def start(self) -> StartTime:
        return StartTime(0.02, 0.001)

    def game(self, task: GameTask) -> GameResult:
        self.sessions.happened.append("game")
        self.sessions.now += self.sessions.game_s
        return self.sessions.retouch(self.settings.results([self.referee.play(task)])[0])

    def together(self, tasks: Sequence[PairTask], look: Callable[[], bool]) -> list[list[GameResult]]:
        found = []
        for task in tasks:
            rows = []
            for one in task.game_tasks():
                look()
                rows.append(self.game(one))
            found.append(rows)
        return found


class LocalSessions:
    """Opens sessions in this process. `now` is a clock that only games move, by `game_s` each."""

    def __init__(
        self,
        make: Callable[[str], Actor] | None = None,
        game_s: float = 0.0,
        retouch: Callable[[GameResult], GameResult] = lambda result: result,
        session: type[LocalSession] = LocalSession,
    ) -> None:
        self.make = make
        self.game_s = game_s
        self.retouch = retouch
        self.session = session
        self.now = 0.0
        self.happened: list[str] = []

    def __call__(self, settings: CheckSettings, rules: Rules, hash_seed: str, audit: bool) -> LocalSession:
        return self.session(self, settings, rules, hash_seed)

    def trials(self, bot: str = "fine", games: int = 12, seconds: float | None = None, **more: Any) -> Trials:
        """The games of a check with this clock, not played yet."""
        settings = CheckSettings(find_bot(str(BOTS / f"{bot}.py")), "process", 1, Clock(), BotLimits())
        rules: tuple[str, ...] = more.get("rules", ("base",))

        def tell(progress: CheckProgress) -> None:
            self.happened.append("told")
            more.get("tell", lambda progress: None)(progress)

        budget = TimeBudget(rules, games, seconds, more.get("strength", False), tell, self.clock)
        return Trials(settings, rules, games, budget, self)

    def clock(self) -> float:
        self.happened.append("clock")
        return self.now


def checked(bot: str, **more: Any) -> CheckReport:
    """The report of a bot, by default of a dozen games of the base rules in this process."""
    return checked_apart(bot, **{"open_session": _LOCAL} | more)


@functools.cache
def checked_apart(bot: str, **more: Any) -> CheckReport:
    """The same with the bot in processes."""
    stem, colon, params = bot.partition(":")
    settings: dict[str, Any] = {"level": "process", "rules": ("base",), "games": 12, "seconds": 60.0, "seed": 1}
    return check_bot(f"{BOTS / stem}.py{colon}{params}", **settings | more)


_LOCAL = LocalSessions()


def found(report: CheckReport, code: str) -> Finding:
    """The one finding of a kind."""
    findings = [one for one in report.findings if one.code == code]
    assert len(findings) == 1, report_text(report)
    return findings[0]
