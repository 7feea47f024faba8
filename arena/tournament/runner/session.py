"""One stretch of work on a run: from wherever the store is to the end of the tournament, or to an interruption.

What was reported is stored: progress counts games after their transaction.
"""

from __future__ import annotations

import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NoReturn, TypeAlias

from arena.endings import AFTER
from arena.errors import ArenaError
from arena.tournament.config.tournament import TournamentConfig
from arena.tournament.formats.schedule import Schedule
from arena.tournament.match.results import ScheduleProgress
from arena.tournament.match.tasks import GameId
from arena.tournament.runner.dispatch import Dispatcher
from arena.tournament.runner.executors.base import Executor, Failed, Lost, Played, WorkerFault
from arena.tournament.runner.progress import BotShare, PairResult, ProgressListener, RunStatus
from arena.tournament.runner.signals import StopSignals
from arena.tournament.store.reader import Reader
from arena.tournament.store.writer import Store

log = logging.getLogger("arena.tournament.runner")

_RATE_S = 10.0
_MAX_NOTES = 5

Stop: TypeAlias = Callable[[Reader], int | None]
"""Says of what is stored whether it is enough: None to play on, or the number of deals, from the first, that
make the result. It is asked before play and after each commit, and must depend on the games only."""


More: TypeAlias = Callable[[Reader], TournamentConfig | None]
"""Says of a run that is complete whether it is to grow: None, or its settings with more games. It must depend on the
games only."""


@dataclass(frozen=True)
class RunReport:
    """What a call of `run_tournament` has done.

    `played` games were stored by this call, `done` are in the store now, `total` are planned. `forfeits`
    counts the forfeited games of the whole run. `workers_lost` are worker processes that died or had to be
    stopped. A run that was interrupted has `done < total` and can be resumed with `resume=True`.
    """

    folder: Path
    seed: int
    played: int
    done: int
    total: int
    seconds: float
    interrupted: bool
    forfeits: int
    workers_lost: int = 0


@dataclass(frozen=True)
class Run:
    """What a session plays, who watches it, and what ends it before or after its schedule does."""

    name: str
    seed: int
    schedule: Schedule
    listener: ProgressListener
    stop: Stop | None = None
    more: More | None = None


class Session:
    """Plays what is left of a run and stores it."""

    def __init__(self, run: Run, store: Store, signals: StopSignals) -> None:
        self._run = run
        self._schedule = run.schedule
        self._store = store
        self._signals = signals
        self._before = store.progress()
        self._total = run.schedule.planned(self._before)
        self._units = run.schedule.units_done(self._before)
        self._played = 0
        self._dropped = 0
        self._lost = 0
        self._started = time.monotonic()
        self._scores = _Scores(run.schedule, self._before, self._stored_forfeits)
        self._rate = _Rate()
        self._heard = time.monotonic()  # when a game last came back
        self._moves: Callable[[], int] = int

    def is_over(self) -> bool:
        """Is there nothing left to play? Then only the deals that count are kept."""
        return self._is_enough() or not (self._is_left(self._before) or self._grow(self._before))

    def play(self, executor: Executor) -> None:
        """Play until the schedule has nothing more, wave after wave where it is played in rounds."""
        run, done = self._run, self._before
        self._heard, self._moves = time.monotonic(), executor.moves_in_play
        dispatcher = Dispatcher(
            executor,
            self._signals,
            failed=fail,
            lost=self._note_lost,
            stopping=lambda: run.listener.note(
                "Stopping after the games in hand, which are stored. Press Ctrl-C again to stop at once."
            ),
            tick=lambda: run.listener.update(self._status()),
        )
        run.listener.begin(run.name, run.seed, self._status())
        try:
            while not self._signals.stopping:
                wave = self._schedule.tasks(done)
                first = next(wave, None)
                if first is None:
                    if not self._grow(done):
                        break
                    continue
                units = (self._total - done.games) // 2  # about: a series is longer
                dispatcher.play(chain([first], wave), units, self._commit)
                if not self._schedule.stepwise and run.more is None:
                    break
                done = self._store.progress()
                self._total = self._schedule.planned(done)
                self._scores = _Scores(self._schedule, done, self._stored_forfeits)
        finally:
            run.listener.end(self._status(), self._signals.stopping)

    def report(self) -> RunReport:
        """What has been done so far."""
        done, total = self._done, self._total
        is_left = done < total
        if not self._schedule.fixed:  # where `done` tells; reading all games takes long
            progress = self._store.progress()
            total = self._schedule.planned(progress)
            is_left = self._is_left(progress)
        return RunReport(
            folder=self._store.folder,
            seed=self._run.seed,
            played=self._played,
            done=done,
            total=total,
            seconds=time.monotonic() - self._started,
            interrupted=self._signals.stopping and is_left,  # the signal may have come with the last game
            forfeits=self._store.count(forfeited=True),
            workers_lost=self._lost,
        )

    @property
    def _done(self) -> int:
        """Games in the store."""
        return self._before.games + self._played - self._dropped

    def _is_left(self, progress: ScheduleProgress) -> bool:
        return next(iter(self._schedule.tasks(progress)), None) is not None

    def _is_enough(self) -> bool:
        """Is the run over because `stop` says so? Drops the deals beyond those that count."""
        deals = None if self._run.stop is None else self._run.stop(self._store)
        if deals is None:
            return False
        self._dropped += self._store.drop_from(deals)
        self._total = self._done
        return True

    def _grow(self, done: ScheduleProgress) -> bool:
        """Is the run, which is complete, to have more games? Then it is one that asks for them."""
        config = None if self._run.more is None else self._run.more(self._store)
        if config is None:
            return False
        self._store.grow(config.canonical(), config.to_dict())
        self._schedule = config.schedule()
        self._total = self._schedule.planned(done)
        return True

    # ------------------------------------------------------------ for the dispatcher

    def _commit(self, deliveries: Sequence[Played]) -> bool:
        """Store what came back; is that enough?"""
        self._played += self._store.add_many([(played.chunk, played.rows) for played in deliveries])
        for played in deliveries:
            self._scores.add(played)
            self._units += len(played.chunk.tasks)
        self._total = self._schedule.expected(self._done, self._units) or self._total
        self._rate.add(self._played)
        self._heard = time.monotonic()
        return self._is_enough()

    def _note_lost(self, event: Lost) -> None:
        self._lost += 1
        log.warning("%s", event.text)
        if self._lost <= _MAX_NOTES:
            self._run.listener.note(event.text)
        elif self._lost == _MAX_NOTES + 1:
            self._run.listener.note("More workers died or were stopped; run.log names them.")

    # ------------------------------------------------------------ for the listener

    def _stored_forfeits(self) -> Counter[str]:
        """The games in the store that each bot forfeited."""
        found: Counter[str] = Counter()
        for line in self._store.forfeit_reasons() if self._store.count() else ():
            if line.kind != AFTER:
                found[line.bot] += line.games
        return found

    def _status(self) -> RunStatus:
        done, rate = self._done, self._rate.per_second(self._played)
        return RunStatus(
            done=done,
            total=self._total,
            rate=rate,
            seconds_left=(self._total - done) / rate if rate else None,
            shares=self._scores.shares,
            quiet_s=time.monotonic() - self._heard,
            moves=self._moves,
            results=self._scores.results,
            forfeits=self._scores.forfeits,
        )


def fail(event: Failed) -> NoReturn:
    """Raise what a `Failed` means: ArenaError for what a person can mend, else WorkerFault."""
    raise WorkerFault(event.text) if event.ours else ArenaError(event.text)


class _Rate:
    """Games a second over the last seconds."""

    def __init__(self) -> None:
        self._recent: deque[tuple[float, int]] = deque([(time.monotonic(), 0)])

    def add(self, games: int) -> None:
        """Note that so many have been played in all by now."""
        now = time.monotonic()
        self._recent.append((now, games))
        while len(self._recent) > 2 and now - self._recent[0][0] > _RATE_S:
            self._recent.popleft()

    def per_second(self, games: int) -> float:
        """The rate if that many have been played in all; 0 while nothing is known."""
        since, before = self._recent[0]
        seconds = time.monotonic() - since
        return (games - before) / seconds if games > before and seconds > 0 else 0.0


class _Scores:
    """How the bots do so far, for display; kept up without reading the store, but for forfeits of earlier games."""

    def __init__(self, schedule: Schedule, done: ScheduleProgress, stored: Callable[[], Counter[str]]) -> None:
        self._pairs: dict[tuple[str, str], list[float]] = {}
        self._bots = tuple(schedule.bots)
        self._stored = stored
        self._forfeits: Counter[str] | None = None if done.games else Counter()
        for pairing in schedule.pairings(done):
            score = done.score(pairing.number)
            self._enter(pairing.a, pairing.b, score.games, score.wins + score.draws / 2)

    def _enter(self, a: str, b: str, games: int, points: float) -> None:
        sums = self._pairs.setdefault((a, b), [0, 0.0])
        sums[0] += games
        sums[1] += points

    def add(self, played: Played) -> None:
        """Count what was delivered, and is stored."""
        names = {task.pairing: (task.a, task.b) for task in played.chunk.tasks}
        for pairing, (games, wins, draws, *_) in played.scores.items():
            self._enter(*names[pairing], games, wins + draws / 2)
        if self._forfeits is not None:
            for row in played.rows:
                if row[3]:  # its kind; row[4] says whether the first or the second player has forfeited
                    key = GameId.from_key(row[0])
                    self._forfeits[names[key.pairing][(row[4] - 1) ^ key.game]] += 1

    def results(self) -> list[PairResult]:
        """Of all pairings that were played."""
        return [PairResult(a, b, int(games), points) for (a, b), (games, points) in self._pairs.items() if games]

    def forfeits(self) -> Counter[str]:
        """Forfeited games of each bot."""
        if self._forfeits is None:
            self._forfeits = self._stored()
        return self._forfeits

    def shares(self) -> list[BotShare]:
        """Best share of the points first."""
        sums = {bot: [0.0, 0.0] for bot in self._bots}
        for one in self.results():
            for bot, points in ((one.a, one.points), (one.b, one.games - one.points)):
                sums[bot][0] += one.games
                sums[bot][1] += points
        shares = [BotShare(bot, int(games), points / games if games else 0.0) for bot, (games, points) in sums.items()]
        return sorted(shares, key=lambda one: -one.share)
