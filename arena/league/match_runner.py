"""Playing games of a league: the stored bots' files in a private folder, and an executor of `arena.match`.

A crew is a fixed set of bots that play for a while. It has a number, and from it a seed of its own, so records
tell nothing about games of other crews. Its files are removed with it; those of a killed process are removed by
the next command.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn, TypeAlias

from arena.errors import ArenaError
from arena.isolation.sandbox.bubblewrap import usable
from arena.league import games, versions
from arena.league.processes import PLAYING, LeagueProcess
from arena.league.settings import LeagueError
from arena.league.store import League
from arena.league.submission import find_entry
from arena.league.versions import Version
from arena.match.results import COLUMNS, Row
from arena.match.tasks import PairTask
from arena.paths import data_folder
from arena.players.spec import BotSpec, find_bot
from arena.runner.dispatch import Dispatcher
from arena.runner.executors import make_executor
from arena.runner.executors.base import Executor, Failed, Lost, Played, WorkerFault
from arena.runner.job import Job
from arena.runner.logs import RunLog, Sink
from arena.runner.signals import StopSignals

log = logging.getLogger("arena.league")

_DETAIL = COLUMNS.index("detail")

Deliver: TypeAlias = Callable[[Sequence[Row]], int]
"""Stores rows; how many were new."""


class BotsFailed(LeagueError):
    """A bot of the crew cannot be found or loaded, so that none of its games can be played; its version, if known."""

    def __init__(self, text: str, version: int | None = None) -> None:
        super().__init__(text)
        self.version = version


@dataclass(frozen=True)
class LeagueSession:
    """What all of a command's play shares: the league, this process, how to play, and whom to tell.

    `tell` is called with the number of games each time that some were stored. `failures` counts by version how
    often it could not be loaded.
    """

    league: League
    process: LeagueProcess
    workers: int
    isolation: str
    signals: StopSignals
    sink: Sink
    tell: Callable[[int], None] = lambda games: None
    failures: Counter[int] = field(default_factory=Counter)

    @property
    def stopping(self) -> bool:
        """Has Ctrl-C been pressed?"""
        return self.signals.stopping


class MatchRunner:
    """Some versions, and perhaps bots of the program's own (`house`, by name), ready to play. Close it.

    `specs` name the unpacked bots, by the number of the version; `job` is what the workers play.
    """

    def __init__(self, session: LeagueSession, players: Sequence[Version], house: Sequence[str] = ()) -> None:
        self.session = session
        self.players = frozenset(one.id for one in players)
        self._labels: dict[str | None, int] = {one.label: one.id for one in players}
        league = session.league
        with league.change():
            self.number = league.insert(
                "INSERT INTO crews (process, started, isolation) VALUES (?, ?, ?)",
                session.process.number, time.time(), session.isolation,
            )  # fmt: skip
        self.folder = (league.folder / PLAYING / str(self.number)).resolve()
        self._executor: Executor | None = None
        self._dispatcher: Dispatcher | None = None
        try:
            self.specs = {one.id: self._extracted(one) for one in players}
            specs = list(self.specs.values())
            specs += [find_bot(str(data_folder("bots") / f"{name}.py"), name=name) for name in house]
            self.job = self._job_of(specs)
        except BaseException:
            self.close()
            raise

    def _extracted(self, one: Version) -> BotSpec:
        folder = self.folder / f"v{one.id}"
        try:
            self.folder.parent.mkdir(exist_ok=True)
            self.folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise LeagueError(f"cannot write {self.folder}: {error.strerror or error}") from error
        files = versions.files_of(self.session.league, one.id)
        versions.write_files(files, folder)
        try:
            return find_entry(one.entry, [file.path for file in files], folder, one.label)
        except ArenaError as error:
            raise BotsFailed(self.plain(str(error)), one.id) from error

    def _job_of(self, specs: Sequence[BotSpec]) -> Job:
        settings = self.session.league.settings
        seed = games.crew_seed(self.session.league.meta("secret"), self.number)
        levels = (self.session.isolation,) * len(specs)
        return Job(
            settings.rules,
            seed,
            tuple(specs),
            settings.clock,
            settings.limits,
            self.session.workers,
            levels=levels,
        )

    # ------------------------------------------------------------ playing

    def play_fixtures(self, fixtures: Sequence[games.Fixture]) -> int:
        """Play some deals and store the games; the games stored, fewer if Ctrl-C was pressed."""
        session = self.session
        tasks = games.reserve_deals(session.league, self.number, fixtures)

        def deliver(rows: Sequence[Row]) -> int:
            return games.store_rows(session.league, session.process.number, self.number, rows)

        return self.play(tasks, deliver)

    def play(self, tasks: Sequence[PairTask], deliver: Deliver) -> int:
        """Play units of work; what is stored by `deliver`. BotsFailed if a bot cannot be loaded."""
        if self.session.stopping:
            return 0
        stored = 0

        def store(played: Sequence[Played]) -> bool:
            nonlocal stored
            fresh = deliver([row for one in played for row in self._rows(one)])
            stored += fresh
            self.session.tell(fresh)
            return False

        try:
            self._ready().play(iter(tasks), len(tasks), store)
        except BaseException:
            self.close()
            raise
        return stored

    def _ready(self) -> Dispatcher:
        if self._dispatcher is None:
            session = self.session
            self._executor = make_executor(self.job, workers=session.workers, sink=session.sink)
            self._dispatcher = Dispatcher(
                self._executor, session.signals, failed=self._fail, lost=_note_lost, tick=session.process.beat
            )
        return self._dispatcher

    def _rows(self, event: Played) -> list[Row]:
        """The rows of a delivery; what a bot's author reads names files as the author does."""
        return [
            (*row[:_DETAIL], self.plain(row[_DETAIL])) if row[_DETAIL] else row  # type: ignore[misc, arg-type]
            for row in event.rows
        ]

    def plain(self, text: str | None) -> str:
        """A text without the folders of this crew."""
        text = text or ""
        for number in self.players:
            home = str(self.folder / f"v{number}")
            text = text.replace(f"{home}{os.sep}", "").replace(home, "its folder")
        return text

    def _fail(self, event: Failed) -> NoReturn:
        if event.ours:
            raise WorkerFault(event.text)
        if self.players and not self.folder.is_dir():
            raise LeagueError(f"the bots' files in {self.folder} were removed while they played")
        raise BotsFailed(self.plain(event.text), self._labels.get(event.bot))

    # ------------------------------------------------------------ end

    def close(self) -> None:
        """End all its processes, remove its files, give back the deals that it has not played."""
        executor, self._executor, self._dispatcher = self._executor, None, None
        if executor is not None:
            executor.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        with contextlib.suppress(OSError):  # there are others
            self.folder.parent.rmdir()
        league = self.session.league
        with league.change():
            league.run("DELETE FROM reserved WHERE crew = ?", self.number)
            league.run(
                "UPDATE crews SET ended = ? WHERE crew = ? AND ended IS NULL", time.time(), self.number
            )

    def __enter__(self) -> MatchRunner:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _note_lost(event: Lost) -> None:
    log.warning("%s", event.text)


@contextlib.contextmanager
def open_session(
    league: League,
    doing: str,
    workers: int,
    isolation: str | None = None,
    tell: Callable[[int], None] = lambda games: None,
) -> Iterator[LeagueSession]:
    """All that a command needs to play in a league; `isolation` only to say otherwise than the league.

    Meanwhile Ctrl-C (SIGINT) and SIGTERM finish the games in hand, a second one stops at once.
    """
    level = isolation or league.settings.isolation
    check_isolation(level)
    with (
        LeagueProcess(league, doing) as process,
        open_log(league.folder) as run_log,
        StopSignals() as signals,
    ):
        yield LeagueSession(league, process, workers, level, signals, run_log.sink, tell)


def open_log(folder: Path) -> RunLog:
    """The league's log: what bots print, and workers that died."""
    return RunLog(folder)


def check_isolation(level: str) -> None:
    """ArenaError with the remedy if bots cannot be isolated like that on this machine."""
    if level == "sandbox":
        usable()
