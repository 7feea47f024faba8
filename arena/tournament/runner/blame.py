"""Who kills workers? Bots in processes of their own are tried one by one, until it is known.

When a worker dies, the bot that was being asked need not have done it: its opponent may have filled the memory of the
machine, or sent a signal, while it waited. So each bot of the game is tried alone: it plays the game again from its
beginning, in a worker of its own, against a partner that makes the moves its opponent had made. What it is asked is
then what it was asked before. Whoever kills the worker each time in such a trial is the one, if one of the program's
own bots in its place kills none in between: else somebody outside kills workers.

A worker that dies while it loads a bot may have been killed by another one, which it had loaded before. So they are
loaded alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from arena.bots.spec import find_bot
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.moves import MOVES
from arena.paths import data_folder
from arena.tournament.match.tasks import GameTask, PairTask
from arena.tournament.referee.move_log import LogSnapshot
from arena.tournament.referee.rows import GameSettings
from arena.tournament.runner.job import Job, Partner
from arena.tournament.runner.worker_process import WorkerDied, WorkerProcess, WorkerRefused

Start: TypeAlias = Callable[[Job], WorkerProcess]
"""Starts a worker for a job."""

TRIALS = 3
"""A bot whose worker dies in so many trials, one after the other, has killed it."""
MOST_DEATHS = 5
"""Deaths in one game after which it is decided without a trial that has told."""
_CONTROL = "first"
_STAY_S = 10.0


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


def kills_alone(start: Start, job: Job, game: GameTask, snapshot: LogSnapshot, name: str) -> str | None:
    """Does a bot kill the worker when it plays a game alone? How the worker ended each time; None if it did not."""
    number = next(at for at, bot in enumerate(job.bots) if bot.name == name)
    a, b = (game.second, game.first) if game.game else (game.first, game.second)
    task = PairTask(game.pairing, game.deal, a, b, game.round, (game.game,))

    def play(worker: WorkerProcess) -> None:
        worker.play([task], (), {})
        while not worker.receive().last:
            pass

    return _reproduced(start, job, number, play, partner_of(job.game_settings, game, snapshot, name))


def kills_at_loading(start: Start, job: Job, number: int, seconds: float) -> tuple[str, str] | None:
    """Who kills workers that load a bot, by its place? It, or one that was loaded before it, if a worker that has
    loaded this one alone dies within some seconds. Its name, and how the worker ended; None if nobody does it alone."""
    for place in range(number, -1, -1):
        if place != number and job.level(place).confined:
            continue  # it reaches no other process
        how = _reproduced(start, job, place, lambda worker: worker.stay(min(seconds, _STAY_S)))
        if how is not None:
            return job.bots[place].name, how
    return None


def _reproduced(
    start: Start, job: Job, number: int, work: Callable[[WorkerProcess], None], partner: Partner | None = None
) -> str | None:
    """How each worker ended that did some work with one bot, by its place, alone; None if one did not die.

    Nor may one die with a bot of the program's own in its place, for then somebody else kills workers.
    """
    bot = job.bots[number]
    alone = replace(job, bots=(bot,), levels=(job.level(number).value,), partner=partner)
    control = replace(alone, bots=(find_bot(str(data_folder("bots") / f"{_CONTROL}.py"), name=bot.name),))
    how = None
    for trial in range(TRIALS):
        if trial and _end(start(control), work) is not None:
            return None
        how = _end(start(alone), work)
        if how is None:
            return None
    return how


def _end(worker: WorkerProcess, work: Callable[[WorkerProcess], None]) -> str | None:
    """How a worker ended by itself at some work; None if it did not. It is gone then."""
    died = False
    try:
        worker.await_ready()
        work(worker)
    except WorkerRefused:
        pass
    except WorkerDied:
        died = worker.overdue is None and not worker.paused
    finally:
        if not died:
            worker.kill()
        worker.release()
    return worker.how if died else None


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
