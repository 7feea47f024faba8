"""Who kills workers? Bots in processes of their own are tried one by one, until it is known.

When a worker dies, the bot that was being asked need not have done it: its opponent may have filled the memory of the
machine, or sent a signal, while it waited. So each bot of the game is tried alone: it plays the game again from its
beginning, in a worker of its own, against a partner that makes the moves its opponent had made. What it is asked is
then what it was asked before. Whoever kills the worker each time in such a trial is the one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.moves import MOVES
from arena.match.tasks import GameTask, PairTask
from arena.referee.move_log import LogSnapshot
from arena.referee.rows import GameSettings
from arena.runner.job import Job, Partner
from arena.runner.worker_process import WorkerDied, WorkerProcess, WorkerRefused

TRIALS = 2
"""A bot whose worker dies in so many trials, one after the other, has killed it."""
MOST_DEATHS = 5
"""Deaths in one game after which it is decided without a trial that has told."""


@dataclass
class Deaths:
    """The deaths of a supervisor's workers: in which games, and with which bots at work."""

    games: Counter[int] = field(default_factory=Counter)
    bots: Counter[str] = field(default_factory=Counter)

    def add(self, key: int | None, bots: set[str]) -> int:
        """Note a death in a game (by key, None for many games in step); how many there were in that game."""
        self.bots.update(bots)
        if key is None:
            return 0
        self.games[key] += 1
        return self.games[key]

    def most(self, bots: set[str]) -> str | None:
        """That of the bots which was at work at more deaths than any other bot; None if that tells nothing."""
        (name, deaths), *others = self.bots.most_common(2)
        return name if name in bots and deaths >= MOST_DEATHS and (not others or others[0][1] < deaths) else None


def kills_alone(
    start: Callable[[Job], WorkerProcess], job: Job, game: GameTask, snapshot: LogSnapshot, name: str
) -> str | None:
    """Does a bot kill the worker when it plays a game alone? How the worker ended each time; None if it did not."""
    number = next(at for at, bot in enumerate(job.bots) if bot.name == name)
    a, b = (game.second, game.first) if game.game else (game.first, game.second)
    task = PairTask(game.pairing, game.deal, a, b, game.round, (game.game,))
    alone = replace(
        job,
        bots=(job.bots[number],),
        levels=(job.levels[number],) if job.levels else (),
        partner=partner_of(job.game_settings, game, snapshot, name),
    )
    how = None
    for _ in range(TRIALS):
        worker = start(alone)
        try:
            worker.await_ready()
            worker.play([task], (), {})
            while not worker.receive().last:
                pass
        except WorkerRefused:
            worker.kill()
            return None
        except WorkerDied:
            if worker.overdue is not None or worker.paused:
                return None
            worker.release()
            how = worker.how
            continue
        finally:
            if how is None:
                worker.kill()
                worker.release()
        return None
    return how


def partner_of(settings: GameSettings, game: GameTask, snapshot: LogSnapshot, name: str) -> Partner:
    """The partner of a bot in its trial: who makes the moves that the other one had made."""
    deal = make_deal(settings.rules, settings.seed, game.deal)
    other = game.second if name == game.first else game.first
    seat = deal.starter if other == game.first else 1 - deal.starter
    auto = snapshot.auto_claim if snapshot.hook in ("act", "end") else (True, True)
    state = State(settings.rules, deal, auto)
    own = []
    for index in snapshot.moves:
        if state.turn == seat and len(state.legal_moves()) > 1:
            own.append(index)
        state.apply(MOVES[settings.rules.spy_value][index])
    return Partner(other, tuple(own), auto[seat])
