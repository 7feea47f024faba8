"""The games of a league, played by workers with stored bots that are unpacked into a private folder.

A `MatchRunner` lives as long as one submission, or one call of `play`. It unpacks each version once and lines up some
of them at a time. The folder is removed with the runner; the next player removes the folders of a killed process.
"""

from __future__ import annotations

import contextlib
import logging
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn, Self

from arena.bots.bundle import remove_bundles
from arena.bots.isolation.process import require_isolation
from arena.bots.spec import BotSpec, find_bot
from arena.compiled import require_fresh_engine
from arena.errors import ArenaError
from arena.league import oversight, pairings, versions
from arena.league.league_settings import LeagueError
from arena.league.player import LeaguePlayer
from arena.league.store import PLAYING, League
from arena.league.submission import placed_bot
from arena.league.versions import Version
from arena.paths import data_folder
from arena.text import counted
from arena.tournament.games import PairTask, Row
from arena.tournament.runner.executors import Dispatcher, LocalExecutor, StopSignals, WorkerFault
from arena.tournament.runner.job import Failed, Job, Played
from arena.tournament.runner.logs import RunLog, Sink

_log = logging.getLogger("arena.league")

_WAIT_S = 0.25


# ---------------------------------------------------------------- sessions


class BotsFailed(LeagueError):
    """A bot that cannot be found or loaded, so that its lineup plays no games. `version` is its number, if known."""

    def __init__(self, text: str, version: int | None = None) -> None:
        super().__init__(text)
        self.version = version


@dataclass(frozen=True)
class LeagueSession:
    """What all games of one command share; see `open_session`.

    `say` is called with the current activity, `tell` with the number of games each time some are stored. `failures`
    counts how often each version could not be loaded; `turns` has when each submission was last taken up.
    """

    league: League
    player: LeaguePlayer
    workers: int
    isolation: str
    signals: StopSignals
    sink: Sink
    tell: Callable[[int], None] = lambda games: None
    say: Callable[[str], None] = lambda text: None
    failures: Counter[int] = field(default_factory=Counter)
    turns: dict[int, float] = field(default_factory=dict)

    @property
    def stopping(self) -> bool:
        """Whether Ctrl-C was pressed."""
        return self.signals.stopping

    def wait_while_paused(self) -> bool:
        """Wait until the league is not paused; return False if Ctrl-C was pressed."""
        self.player.look()
        if self.player.pause is not None and not self.stopping:
            why = f": {self.player.pause.reason}" if self.player.pause.reason else ""
            self.say(f"{self.league.name} is paused{why}; waiting for: arena league pause {self.league.name} --undo")
            while self.player.pause is not None and not self.stopping:
                time.sleep(_WAIT_S)
                self.player.beat()
        return not self.stopping


def checked_level(league: League, isolation: str | None, trust: bool) -> str:
    """Return where the league's bots run: by its setting, unless `isolation` overrides it.

    If the league belongs to another user and does not use the sandbox, either `isolation` or `trust` is required; raise
    LeagueError, which names the remedy, without them.
    """
    level = isolation or league.settings.isolation
    if isolation is None and level != "sandbox" and not (trust or league.reader().is_own()):
        raise LeagueError(
            f"you did not create {league.folder}. Playing it runs its bots with your user account (isolation {level})."
            " Give --isolation sandbox; or --trust if you know these bots"
        )
    require_isolation(level)
    return level


@contextlib.contextmanager
def open_session(
    league: League,
    command: str,
    workers: int,
    isolation: str | None = None,
    tell: Callable[[int], None] = lambda games: None,
    say: Callable[[str], None] = lambda text: None,
    trust: bool = False,
) -> Iterator[LeagueSession]:
    """Begin a session in the league and open its log; `isolation` overrides the league's setting.

    Others see `command` as the one that plays. Raise LeagueBusy if another process plays already, and errors as
    `checked_level` does. Within the session, Ctrl-C (SIGINT), SIGTERM or SIGHUP finishes the current games; a second
    signal stops at once.
    """
    level = checked_level(league, isolation, trust)
    doing, before = command.rpartition(" ")[2], league.count_games()
    with LeaguePlayer(league, command) as player, RunLog(league.folder) as run_log, StopSignals() as signals:
        oversight.record(league, doing, "begins", detail=f"{counted(workers, 'worker')}, isolation {level}")
        league.begin_session({"command": command, "workers": workers, "isolation": level})
        outcome, error = "done", ""
        try:
            yield LeagueSession(league, player, workers, level, signals, run_log.sink, tell, say)
            outcome = "interrupted" if signals.stopping else outcome
        except BaseException as raised:
            outcome, error = "failed", f"; {type(raised).__name__}: {raised}"
            raise
        finally:
            with contextlib.suppress(LeagueError):  # the folder may have gone, or the disk may be full
                played = league.count_games() - before
                oversight.record(league, doing, outcome, detail=f"{played} games{error}")


# ---------------------------------------------------------------- playing


class MatchRunner:
    """A context manager that unpacks versions and plays them against each other; its processes end with it.

    `lineup` holds the versions of the last call of `line_up`; `job` is what the workers are given.
    """

    job: Job

    def __init__(self, session: LeagueSession, gives_way: bool = False) -> None:
        """Play for a session; with `gives_way`, games that count are stopped when a submission arrives."""
        self.session = session
        self._gives_way = gives_way
        self.lineup: tuple[Version, ...] = ()
        self._ready = False
        self._folder: Path | None = None
        self._specs: dict[int, BotSpec] = {}
        self._dispatcher: Dispatcher | None = None
        self._pauses = False  # whether a pause of the league, or a submission, stops the current games

    @property
    def folder(self) -> Path:
        """The folder of all unpacked versions, each in its own folder; it is made when it is first needed."""
        if self._folder is None:
            parent = self.session.league.folder / PLAYING
            try:
                parent.mkdir(exist_ok=True)
                self._folder = Path(tempfile.mkdtemp(dir=parent)).resolve()
            except OSError as error:
                raise LeagueError(f"cannot write {parent}: {error.strerror or error}") from error
        return self._folder

    # ------------------------------------------------------------ what the dispatcher asks

    @property
    def stopping(self) -> bool:
        """Whether to stop because of Ctrl-C or, in games that count, because of a pause or a submission."""
        player = self.session.player
        is_wanted = player.pause is not None or (self._gives_way and player.is_queue)
        return self.session.stopping or (self._pauses and is_wanted)

    @property
    def at_once(self) -> bool:
        """Whether to stop without finishing the current games."""
        return self.session.signals.at_once

    # ------------------------------------------------------------ lining up

    def line_up(self, players: Sequence[Version], house: Sequence[str] = ()) -> None:
        """Prepare these versions to play, along with some of the program's own bots (`house`, by name).

        Raise BotsFailed if a bot cannot be found in its files.
        """
        self._stand_down()
        self.lineup = tuple(players)
        session = self.session
        try:
            specs = [self._unpacked(version) for version in players]
        except BaseException:
            self._reset()
            raise
        specs += [find_bot(str(data_folder("bots") / f"{name}.py"), name=name) for name in house]
        settings = session.league.settings
        self.job = Job(
            settings.rules,
            pairings.secret_seed(session.league),
            tuple(specs),
            settings.clock,
            settings.limits,
            session.workers,
            levels=(session.isolation,) * len(specs),
            own_deals=True,
        )
        self._ready = True

    def can_play(self, fixtures: Sequence[pairings.Fixture]) -> bool:
        """Return whether the present lineup has all bots of these fixtures."""
        needed = {version.id for fixture in fixtures for version in (fixture.a, fixture.b)}
        return self._ready and needed <= {version.id for version in self.lineup}

    def _unpacked(self, version: Version) -> BotSpec:
        """Return the bot of a version, which is unpacked the first time."""
        if version.id in self._specs:
            return self._specs[version.id]
        files = versions.files_of(self.session.league, version.id)
        try:
            spec = placed_bot(version.entry, files, self.folder / f"v{version.id}", version.label)
        except ArenaError as error:
            raise BotsFailed(str(error).replace(f"{self.folder}/", ""), version.id) from error
        self._specs[version.id] = spec
        return spec

    # ------------------------------------------------------------ playing

    def play_fixtures(self, fixtures: Sequence[pairings.Fixture]) -> int:
        """Play fixtures of the lineup and store the games; return how many were stored.

        If Ctrl-C was pressed, the league was paused, or a submission has arrived to which they give way, there are
        fewer, and the lineup is over.
        """
        league = self.session.league
        self.session.player.show_fixtures([(fixture.a.id, fixture.b.id, fixture.deals) for fixture in fixtures])
        self._pauses = True  # these games count whenever they are played, unlike the games of a check
        try:
            fresh = self.play(pairings.deal_units(league, fixtures), league.insert_games)
            if self.stopping:
                self._stand_down()  # its workers are stopping
        finally:
            self._pauses = False
        return fresh

    def play(self, tasks: Sequence[PairTask], deliver: Callable[[Sequence[Row]], int]) -> int:
        """Play units of work; return how many games were stored.

        `deliver` stores rows and returns how many were new. If a bot cannot be loaded, the lineup is over: raise
        BotsFailed.
        """
        if self.session.stopping:
            return 0
        stored = 0

        def store(played: Sequence[Played]) -> bool:
            nonlocal stored
            fresh = deliver([row for event in played for row in event.named_rows()])
            stored += fresh
            self.session.tell(fresh)
            return False

        try:
            self._workers().play(iter(tasks), len(tasks), store)
        except BaseException:
            self._reset()
            raise
        return stored

    def _workers(self) -> Dispatcher:
        if self._dispatcher is None:
            self._dispatcher = Dispatcher(
                LocalExecutor(self.job, None, self.session.sink),
                self,
                failed=self._fail,
                lost=lambda event: _log.warning("%s", event.text),
                tick=self.session.player.beat,
            )
        return self._dispatcher

    def _fail(self, event: Failed) -> NoReturn:
        require_fresh_engine()  # an unfinished build is not the bot's fault
        if event.ours:
            raise WorkerFault(event.text)
        if self.lineup and not self.folder.is_dir():
            raise LeagueError(f"the bots' files in {self.folder} were removed while they played")
        number = next((version.id for version in self.lineup if version.label == event.bot), None)
        raise BotsFailed(event.text, number)

    # ------------------------------------------------------------ ending

    def _stand_down(self) -> None:
        """End the lineup and stop its workers."""
        dispatcher, self._dispatcher = self._dispatcher, None
        if dispatcher is not None:
            dispatcher.executor.close()
        self.session.player.show_fixtures(())
        self._ready = False

    def _reset(self) -> None:
        """End the lineup and remove all files, in case they are at fault; the next lineup unpacks them again."""
        self._stand_down()
        self._specs.clear()
        if self._folder is not None:
            remove_bundles(self._folder)
            with contextlib.suppress(OSError):  # another runner of this session has a folder there
                self._folder.parent.rmdir()
            self._folder = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Stop all workers and remove the files."""
        self._reset()
