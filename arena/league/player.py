"""The one process that plays a league: its lock on the folder, what others see of its work, and its workers.

Versions play from the league's folder `.bots` (`arena.bots.bundle`), where those of the present lineup lie, by the
machinery of `arena.tournament.runner`.
"""

from __future__ import annotations

import contextlib
import json
import logging
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.bots.bundle import bundles_folder, remove_bundles
from arena.bots.isolation.process import require_isolation
from arena.bots.spec import BotSpec
from arena.compiled import require_fresh_engine
from arena.errors import ArenaError
from arena.league import oversight, versions
from arena.league.fixtures import Fixture, deal_units, secret_seed
from arena.league.league_settings import LeagueError
from arena.league.oversight import PLAYER, activity, paused
from arena.league.store import LEAGUE, League
from arena.league.submission import placed_bot
from arena.league.versions import Version
from arena.text import counted, utc_text
from arena.tournament.rows import GameSettings
from arena.tournament.runner.job import Job, Lost, Played
from arena.tournament.runner.logs import RunLog, Sink
from arena.tournament.runner.pool import BotRefused, StopSignals, WorkerPool
from arena.tournament.store.sqlite import take_lock

_log = logging.getLogger("arena.league")

_LOOK_S = 0.5  # between two checks for a pause or a submission
_WAIT_S = 0.25
_MOSTPLAYERS = 24  # bots in one lineup: each worker loads them all


class LeagueBusy(LeagueError):
    """Another process plays the league."""


class BotFailed(LeagueError):
    """A version that cannot be found in its files or loaded, so that its lineup plays no games."""

    def __init__(self, text: str, version: Version) -> None:
        super().__init__(text)
        self.version = version


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
    on_games: Callable[[int], None] = lambda games: None,
    on_status: Callable[[str], None] = lambda text: None,
    trust: bool = False,
) -> Iterator[LeagueSession]:
    """Begin a session in the league and open its log; `isolation` overrides the league's setting.

    Others see `command` as the one that plays. Raise LeagueBusy if another process plays already, and errors as
    `checked_level` does. Within the session, Ctrl-C (SIGINT), SIGTERM or SIGHUP finishes the current games; a second
    signal stops at once.
    """
    level = checked_level(league, isolation, trust)
    doing, before = command.rpartition(" ")[2], league.count_games()
    with (
        _locked(league),
        RunLog(league.folder) as run_log,
        StopSignals() as signals,
        bundles_folder(league.folder.resolve()) as folder,
    ):
        oversight.record(league, doing, "begins", detail=f"{counted(workers, 'worker')}, isolation {level}")
        league.begin_session({"command": command, "workers": workers, "isolation": level})
        session = LeagueSession(league, command, workers, level, signals, run_log.sink, folder, on_games, on_status)
        outcome, error = "done", ""
        try:
            yield session
            outcome = "interrupted" if signals.stopping else outcome
        except BaseException as raised:
            outcome, error = "failed", f"; {type(raised).__name__}: {raised}"
            raise
        finally:
            with contextlib.suppress(LeagueError):  # the folder may have gone, or the disk may be full
                session.stand_down()
                played = league.count_games() - before
                oversight.record(league, doing, outcome, detail=f"{played} games{error}")


@contextlib.contextmanager
def _locked(league: League) -> Iterator[None]:
    """Hold the lock on the league's folder. Raise LeagueBusy, which names the other process, if another one has it."""
    with LEAGUE.guard(league.folder, "write to"):
        lock = take_lock(league.folder)
    if lock is None:
        who = "another process"
        if other := activity(league):
            who = f"{other['who']}, 'arena {other['command']}', since {utc_text(other['since'])}"
        raise LeagueBusy(
            f"{league.name} is being played by {who}. One process plays a league at a time: wait for it, or stop it"
        )
    with contextlib.closing(lock):
        yield


@dataclass
class LeagueSession:
    """The work of this process, the only one that plays a league; see `open_session`.

    As of the last `beat`, `pause` says that the league is paused, and why ("" if it was not), and `is_queue`
    says whether submissions waited. `on_status` is called with the current activity, `on_games` with the number of
    games each time some are stored. The bots' files lie in `folder`.
    """

    league: League
    command: str
    workers: int
    isolation: str
    signals: StopSignals
    sink: Sink
    folder: Path
    on_games: Callable[[int], None]
    on_status: Callable[[str], None]
    pause: str = ""
    is_queue: bool = False
    _lineup: tuple[Version, ...] = ()
    _pool: WorkerPool | None = None
    _gives_way: bool = False

    def __post_init__(self) -> None:
        self._since = time.time()
        self.show()
        self.look()

    # ------------------------------------------------------------ what others see, and what this process sees

    def show(self, version: int | None = None, fixtures: Sequence[Fixture] = ()) -> None:
        """Let others see what this process works on from now on."""
        shown = [(fixture.a.id, fixture.b.id, fixture.deals) for fixture in fixtures]
        who = oversight.this_process()
        doing = {"who": who, "command": self.command, "since": self._since, "version": version, "fixtures": shown}
        with self.league.change():
            self.league.run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", PLAYER, json.dumps(doing))

    def beat(self) -> None:
        """Check every half second whether the league is paused and whether submissions wait; call this often."""
        if time.monotonic() - self._looked >= _LOOK_S:
            self.look()

    def look(self) -> None:
        """Check whether the league is paused and whether submissions wait."""
        self._looked = time.monotonic()
        self.pause = paused(self.league)
        self.is_queue = bool(versions.waiting(self.league))

    def wait_while_paused(self, waits: bool = True) -> bool:
        """Wait until the league is not paused; return False if Ctrl-C was pressed.

        Raise LeagueError for a paused league if it does not wait.
        """
        self.look()
        if self.pause and not self.signals.stopping:
            undo = f"arena league pause {shlex.quote(str(self.league.folder))} --undo"
            text = f"{self.pause}; to go on: {undo}"
            if not waits:
                raise LeagueError(text)
            self.on_status(text)
            while self.pause and not self.signals.stopping:
                time.sleep(_WAIT_S)
                self.beat()
        return not self.signals.stopping

    @property
    def stopping(self) -> bool:
        """Whether to stop because of Ctrl-C, a pause, or a submission to which the games give way."""
        return self.signals.stopping or bool(self.pause) or (self._gives_way and self.is_queue)

    @property
    def at_once(self) -> bool:
        """Whether to stop without finishing the current games."""
        return self.signals.at_once

    # ------------------------------------------------------------ playing

    def placed(self, version: Version) -> BotSpec:
        """Return the bot of a version with its files in their place. Raise BotFailed if there is none in them."""
        files = versions.files_of(self.league, version.id)
        try:
            return placed_bot(version.entry, files, self.folder / f"v{version.id}", version.label)
        except ArenaError as error:
            raise BotFailed(str(error).replace(f"{self.folder}/", ""), version) from error

    def play(self, fixtures: Sequence[Fixture], table: Sequence[Version], version: Version | None = None) -> int:
        """Play fixtures and store the games; return how many were stored.

        They are for the placement of a `version`, or give way to submissions. If they do, or because of Ctrl-C or a
        pause, there are fewer games. Bots of the `table` stay in the lineup for later, if they are few. Raise BotFailed
        if a bot cannot be loaded.
        """
        players = dict.fromkeys(player for fixture in fixtures for player in (fixture.a, fixture.b))
        stored = 0

        def store(played: Sequence[Played]) -> bool:
            nonlocal stored
            fresh = self.league.insert_games([row for event in played for row in event.rows])
            stored += fresh
            self.on_games(fresh)
            return False

        try:
            if self._pool is None or not players.keys() <= {*self._lineup}:
                everyone = players | dict.fromkeys(table)
                self._line_up(list(everyone if len(everyone) <= _MOSTPLAYERS else players))
            assert self._pool is not None
            self.show(None if version is None else version.id, fixtures)
            units = deal_units(self.league, fixtures)
            self._gives_way = version is None
            self.look()  # a submission may have been decided
            self._pool.play(iter(units), len(units), store, self, lost=self._note_lost, tick=self.beat)
            if stored < sum(len(unit.games) for unit in units):
                self.stand_down()  # its workers are stopping, or have
        except BotRefused as error:
            self.stand_down()
            require_fresh_engine()  # an unfinished build is not the bot's fault
            raise BotFailed(str(error), next(it for it in self._lineup if it.label == error.bot)) from error
        except BaseException:
            self.stand_down()
            raise
        finally:
            self._gives_way = False
        return stored

    def _note_lost(self, event: Lost) -> None:
        _log.warning("%s", event.text)

    def _line_up(self, players: Sequence[Version]) -> None:
        self.stand_down()
        settings = self.league.settings
        self._lineup = tuple(players)
        game = GameSettings.of(settings.rules, secret_seed(self.league), settings.clock, own_deals=True)
        bots = tuple(map(self.placed, players))
        job = Job(game, bots, settings.limits, self.workers, levels=(self.isolation,) * len(players))
        self._pool = WorkerPool(job, self.sink)

    def stand_down(self) -> None:
        """End the lineup: stop its workers, and remove the bots' files."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()
        remove_bundles(self.folder)
        self.show()
