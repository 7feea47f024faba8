"""The course of a submission from its check to its place in the table, and further play.

A submission is checked as its author would check it (`arena check`). In its placement it meets opponents until the
error of its rating is small enough (`arena.league.fixtures`). Everything is stored as it comes, so the next process
that plays the league continues from there.
"""

from __future__ import annotations

import math
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.endings import AFTER
from arena.errors import ArenaError
from arena.league import book, fixtures, oversight, versions
from arena.league.fixtures import Fixture
from arena.league.league_settings import LeagueError
from arena.league.player import BotFailed, LeagueSession
from arena.league.rating import Standings, league_standings
from arena.league.store import League
from arena.league.versions import ACTIVE, OPEN, PENDING, PLACING, Version
from arena.league.views import forfeit_lines, forfeits_text, last_games
from arena.text import one_line
from arena.tournament.inspection import check_bot, finding_text

CHECK_GAMES = 10
CHECK_S = 30.0
TURN_S = 120.0  # after this time a placement gives way to waiting submissions
FORFEITS_ALLOWED, FORFEITS_SHARE = 5, 0.1  # a bot that exceeds both limits is refused
RECENT_GAMES, SUSPENDED_SHARE = 40, 0.5  # a bot that forfeited more than this share of its last games leaves the table
_LOOK_FOR_WORK_S = 0.5


@dataclass(frozen=True)
class SubmissionResult:
    """The progress of a submission.

    `version` is its current state; `standings` are those at its acceptance (None if it was not accepted), and
    `warnings` are for its author. `waits` says why it is not decided yet, unless the reason is Ctrl-C.
    """

    version: Version
    games: int = 0
    standings: Standings | None = None
    warnings: tuple[str, ...] = ()
    waits: str = ""

    @property
    def interrupted(self) -> bool:
        """Whether the submission is still undecided."""
        return self.version.state in OPEN


class _Stopped(Exception):
    """An interruption of a check by Ctrl-C."""


@dataclass
class LeagueWork:
    """The work of a session: submissions first, then further play. `on_result` is called with each result."""

    session: LeagueSession
    on_result: Callable[[SubmissionResult], None] = lambda result: None
    _turns: dict[int, float] = field(default_factory=dict)  # when each submission was last taken up
    _failures: Counter[int] = field(default_factory=Counter)  # how often each version could not be loaded
    _is_one_out: bool = False  # whether a bot was put out because of that, and no game has been played since
    _event: int | None = None  # under which further games are counted

    @property
    def _league(self) -> League:
        return self.session.league

    def go_on(self, games: float = math.inf, waits: bool = True) -> int:
        """Check and place submissions as they come, and play up to `games` games (rounded up) while none waits.

        If it `waits`, go on until Ctrl-C, else until there is nothing more to do. Return how many further games were
        played. Raise LeagueError if there should be some and fewer than two bots are in the table, and, unless it
        `waits`, if the league is paused.
        """
        played, table = 0, None
        while self.session.wait_while_paused(waits):
            if self.handle_waiting() or table is None:
                table = league_standings(self._league)
            if self.session.stopping:
                continue
            if played < games and len(table.rows) > 1:
                more, table = self._play_more(table, games - played)
                played += more
            elif waits:
                self.session.stand_down()
                time.sleep(_LOOK_FOR_WORK_S)
                table = None
            elif played < games:
                number = "one bot" if table.rows else "no bot"
                raise LeagueError(f"{self._league.name} has {number} in the table; play needs two")
            else:
                break
        return played

    # ------------------------------------------------------------ submissions

    def handle_waiting(self) -> bool:
        """Work off the queue, in turns if there are many submissions; return whether there were any.

        If a turn has taken TURN_S and others are waiting, it ends, so that no submission can hold up the others.
        """
        session, is_any = self.session, False
        while not session.signals.stopping and not session.pause and (queue := versions.waiting(self._league)):
            is_any = True
            version = min(queue, key=lambda version: self._turns.get(version.id, 0.0))
            self._turns[version.id] = time.monotonic()
            if version.attempts >= book.MAX_ATTEMPTS:
                reason = f"given up after {version.attempts} failed attempts to check or place it"
                book.refuse(self._league, version, reason)
                continue
            session.show(version.id)
            book.count_attempt(self._league, version)  # before the work, which may be the end of this process
            try:
                result = self._handled(version)
            except (ArenaError, KeyboardInterrupt):
                book.count_attempt(self._league, version, -1)
                raise
            finally:
                session.stand_down()
            book.count_attempt(self._league, version, -1)
            self.on_result(result)
        return is_any

    def _handled(self, version: Version) -> SubmissionResult:
        """Take a submission to a decision, or as far as its turn, Ctrl-C or a pause allows."""
        session, league = self.session, self._league
        turn_ends = time.monotonic() + TURN_S
        warnings = self._check(version) if version.state == PENDING else ()
        after, table, waits = versions.get(league, version.id), None, ""
        if after.state == PLACING:
            session.on_status(f"{version.label}: placing")
        while after.state == PLACING and not session.stopping and not waits:
            table = self._place(version)
            after = versions.get(league, version.id)
            if time.monotonic() >= turn_ends and any(other.id != version.id for other in versions.waiting(league)):
                waits = "it is the turn of other submissions"
        waits = session.pause or waits
        games = league.count_games(version.id)
        return SubmissionResult(after, games, table, warnings, waits if after.state == PLACING else "")

    def _check(self, version: Version) -> tuple[str, ...]:
        """Check a submission with the league's rules, clock and limits, and accept or refuse it, unless stopped.

        Return warnings for its author. Bots of a league without isolation are checked in processes of their own, where
        the system has them.
        """
        session, league, settings = self.session, self._league, self._league.settings
        session.on_status(f"{version.label}: checking")
        session.stand_down()

        def report(progress: str) -> None:
            session.beat()
            if session.signals.stopping:
                raise _Stopped

        try:
            found = check_bot(
                session.placed(version),
                rules=(settings.rules,),
                level="process" if session.isolation == "none" and os.name == "posix" else session.isolation,
                games=CHECK_GAMES,
                clock=settings.clock,
                limits=settings.limits,
                seconds=CHECK_S,
                report=report,
            )
        except BotFailed as error:
            book.refuse(league, version, str(error))
            return ()
        except _Stopped:
            return ()
        warnings = tuple(map(finding_text, found.warnings))
        for warning in warnings:
            oversight.record(league, "check", "warns", subject=version.label, author=version.author, detail=warning)
        if found.errors:
            book.refuse(league, version, "\n".join(map(finding_text, found.errors)))
        else:
            book.accept(league, version)
        return warnings

    def _place(self, version: Version) -> Standings | None:
        """Play some games of a placement; if its rating is certain enough, promote it and return the standings."""
        league = self._league
        oversight.check_disk(league)
        table = league_standings(league, version, anchored=False)  # how far the anchor is from all is not its matter
        step = fixtures.for_placement(table, version, league.settings)
        if not step:
            lost = forfeits_text(self._forfeits(version))
            note = f"forfeited {lost} of its games" if lost else ""
            return book.promote(league, version, league.count_games(version.id), note)
        self._play(step, table, version)
        lines = self._forfeits(version)
        number, games = sum(line["games"] for line in lines), league.count_games(version.id)
        if number > FORFEITS_ALLOWED and number > FORFEITS_SHARE * games:
            last = f"{lines[0]['kind']}: {lines[0]['last']}"
            book.refuse(league, version, f"forfeited {number} of its first {games} games, the last by {last}")
        return None

    # ------------------------------------------------------------ games

    def _play_more(self, table: Standings, left: float) -> tuple[int, Standings | None]:
        """Play between the bots of the table; return how many games were stored, and the table if it is still true."""
        oversight.check_disk(self._league)
        self.session.on_status(f"playing more games of {len(table.rows)} bots")
        step = fixtures.for_play(table, self._league.settings, left)
        games = self._play(step, table)
        if not games:
            return 0, None
        self._event, after = book.publish_play(self._league, self._event, games)
        players = dict.fromkeys(player for fixture in step for player in (fixture.a, fixture.b))
        return games, None if self._suspend_forfeiters(players) else after

    def _play(self, step: Sequence[Fixture], table: Standings, version: Version | None = None) -> int:
        """Play fixtures and return how many games were stored.

        A bot that cannot be loaded gets a second chance, but no third: it is refused or retired. If that happens to two
        bots and no game has been played in between, no bot is to blame: raise LeagueError.
        """
        try:
            all_bots = [row.version for row in table.rows] if version is None else ()
            games = self.session.play(step, all_bots, version)
        except BotFailed as error:
            self._failures[error.version.id] += 1
            if self._failures[error.version.id] > 1:
                if self._is_one_out:
                    raise LeagueError(f"nothing can be played: {error}") from error
                self._is_one_out = True
                self._put_out(error.version, f"it can no longer be loaded: {error}")
            return 0
        self._is_one_out = self._is_one_out and not games
        return games

    def _suspend_forfeiters(self, players: Iterable[Version]) -> bool:
        """Retire those players that have forfeited most of their last games; return True if there were any."""
        suspended = False
        for version in players:
            games = last_games(self._league, [version.id], RECENT_GAMES)
            lost = sum(game.forfeit_by == version.label for game in games)
            if len(games) == RECENT_GAMES and lost > SUSPENDED_SHARE * RECENT_GAMES:
                most = self._forfeits(version)[0]
                detail = one_line(" ".join(most["last"].split()), 200)
                of = f"{lost} of its last {RECENT_GAMES} games"
                self._put_out(version, f"suspended: it forfeited {of}, mostly by {most['kind']}: {detail}")
                suspended = True
        return suspended

    def _forfeits(self, version: Version) -> list[dict[str, Any]]:
        return [line for line in forfeit_lines(self._league, version) if line["kind"] != AFTER]

    def _put_out(self, version: Version, reason: str) -> None:
        """Refuse a version that is being placed, or retire the bot of one in the table."""
        now = versions.get(self._league, version.id)
        if now.state in OPEN:
            book.refuse(self._league, now, reason)
        elif now.state == ACTIVE and now.retired is None:
            book.retire(self._league, now.name, reason)
