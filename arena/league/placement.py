"""The course of a submission from its check to its place in the table, and further play.

A submission is checked as its author would check it (`arena check`), and plays a few games that do not count. In its
placement it first meets a sample of the table from top to bottom, then the opponents that are most informative at its
rating so far, until the error of its rating is small enough. Everything is stored as it comes, so the next process that
plays the league continues from there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from arena.errors import ArenaError
from arena.league import events, fixtures, oversight, pairings, versions
from arena.league.league_settings import LeagueError
from arena.league.match_runner import BotsFailed, LeagueSession, MatchRunner
from arena.league.pairings import Fixture
from arena.league.rating import Standings, league_standings
from arena.league.store import League
from arena.league.versions import ACTIVE, OPEN, PENDING, PLACING, Version
from arena.text import one_line
from arena.tournament.games import GameResult, PairTask, Row
from arena.tournament.inspection import CheckReport, check_bot, finding_text

OPPONENT, CONTROL = "random", "first"  # the program's own bots: the opponent in a trial, and the control if a bot fails
TRIAL_DEALS = 4
CHECK_GAMES = 10
CHECK_S = 30.0
TURN_S = 120.0  # after this time a placement gives way to waiting submissions
FORFEITS_ALLOWED, FORFEITS_SHARE = 5, 0.1  # a bot that exceeds both limits is refused
RECENT_GAMES, SUSPENDED_SHARE = 40, 0.5  # a bot that forfeited more than this share of its last games leaves the table
MOST_PLAYERS = 24  # bots in one lineup: each worker loads them all


@dataclass(frozen=True)
class Admission:
    """The verdict of a check. `reason` (for a refusal) and `warnings` are for the author."""

    accepted: bool
    reason: str = ""
    games: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class SubmissionResult:
    """The progress of a submission.

    `version` is its current state; `standings` are those at its acceptance (None if it was not accepted), `replaced` is
    the version that was active before, and `warnings` are for its author. `waits` says why it is not decided yet,
    unless the reason is Ctrl-C.
    """

    version: Version
    games: int = 0
    standings: Standings | None = None
    replaced: Version | None = None
    warnings: tuple[str, ...] = ()
    waits: str = ""

    @property
    def accepted(self) -> bool:
        """Whether the submission was accepted."""
        return self.standings is not None

    @property
    def interrupted(self) -> bool:
        """Whether the submission is still undecided."""
        return self.version.state in OPEN


# ---------------------------------------------------------------- submissions


def handle_waiting(session: LeagueSession) -> list[SubmissionResult]:
    """Work off the queue, in turns if there are many submissions; return how far each has come.

    If a turn has taken TURN_S and others are waiting, it ends, so that no submission can hold up the others.
    """
    league = session.league
    results: dict[int, SubmissionResult] = {}
    while not session.stopping and session.player.pause is None:
        queue = versions.waiting(league)
        if not queue:
            break
        version = min(queue, key=lambda version: session.turns.get(version.id, 0.0))
        session.turns[version.id] = time.monotonic()
        if version.attempts >= versions.MAX_ATTEMPTS:
            versions.refuse(league, version, f"given up after {version.attempts} failed attempts to check or place it")
        else:
            results[version.id] = _handle_submission(session, version)
    return list(results.values())


def _handle_submission(session: LeagueSession, version: Version) -> SubmissionResult:
    """Take a submission to a decision, or as far as its turn, Ctrl-C or a pause allows."""
    turn_ends = time.monotonic() + TURN_S
    session.player.show(version.id)
    versions.count_attempt(session.league, version)  # before the work, which may be the end of this process
    try:
        with MatchRunner(session) as runner:
            result = _handle(runner, version, turn_ends)
    except (ArenaError, KeyboardInterrupt):
        versions.count_attempt(session.league, version, -1)
        raise
    finally:
        session.player.show()
    versions.count_attempt(session.league, version, -1)
    return result


def _handle(runner: MatchRunner, version: Version, turn_ends: float) -> SubmissionResult:
    session, league = runner.session, runner.session.league
    returning = any(e.version == version.id and e.kind == events.ACCEPTED for e in events.events(league))
    warnings: tuple[str, ...] = ()
    if version.state == PENDING:
        session.say(f"{version.label}: checking")
        admission = admit(runner, version)
        if admission is not None:
            warnings = admission.warnings
            for warning in warnings:
                oversight.record(league, "check", "warns", subject=version.label, author=version.author, detail=warning)
            if not admission.accepted:
                versions.refuse(league, version, admission.reason)
        if admission is None or not admission.accepted or not versions.accept(league, version):
            return SubmissionResult(versions.get(league, version.id), warnings=warnings)
    session.say(f"{version.label}: placing")
    before = next((other for other in versions.in_state(league, ACTIVE) if other.bot == version.bot), None)
    if not _place(runner, version, turn_ends):
        now = versions.get(league, version.id)
        waits = ""
        if now.state == PLACING and not session.stopping:
            paused = session.player.pause is not None
            waits = f"{league.name} is paused" if paused else "it is the turn of other submissions"
        return SubmissionResult(now, _games(league, version), warnings=warnings, waits=waits)
    lost = pairings.forfeits_text(pairings.league_forfeits(league, [version.id]))
    after = events.publish(
        league,
        events.BACK if returning else events.ACCEPTED,
        lambda: versions.promote(league, version),
        version,
        candidate=version,
        games=_games(league, version),
        note=f"forfeited {lost} of its games" if lost else "",
    )
    now = versions.get(league, version.id)
    return SubmissionResult(now, _games(league, version), after, before, warnings)


def _games(league: League, version: Version) -> int:
    return sum(score.games for score in pairings.head_to_heads(league, version.id).values())


# ---------------------------------------------------------------- checking


class _Stopped(Exception):
    """An interruption by Ctrl-C."""


def admit(runner: MatchRunner, version: Version) -> Admission | None:
    """Check a submission and try it out; return None if Ctrl-C was pressed."""
    checked = check_version(runner, version)
    if checked is None or not checked.accepted:
        return checked
    tried = _trial(runner, version)
    return None if tried is None else replace(tried, warnings=checked.warnings)


def check_version(runner: MatchRunner, version: Version) -> Admission | None:
    """Check a submission with the league's rules, clock and limits; return None if Ctrl-C was pressed.

    Bots of a league without isolation are checked in processes of their own. If the program's own bots also fail, the
    submission is not to blame: raise LeagueError.
    """
    if os.name != "posix":  # no bot has a process of its own here
        return Admission(True)
    try:
        runner.line_up([version], [CONTROL])
        report = _report(runner, version.label)
        if report.errors and _report(runner, CONTROL).errors:
            raise LeagueError("even the program's own bots cannot be checked here")
    except BotsFailed as error:
        return Admission(False, str(error))
    except _Stopped:
        return None
    reasons = [finding_text(finding) for finding in report.errors]
    warnings = tuple(finding_text(finding) for finding in report.warnings)
    return Admission(not reasons, "\n".join(reasons), warnings=warnings)


def _report(runner: MatchRunner, name: str) -> CheckReport:
    """Return the report of `arena check` on a bot of the lineup."""
    session, job = runner.session, runner.job

    def report(progress: str) -> None:
        session.player.beat()
        if session.stopping:
            raise _Stopped

    return check_bot(
        next(spec for spec in job.bots if spec.name == name),
        rules=(session.league.settings.rules,),
        level="process" if session.isolation == "none" else session.isolation,
        games=CHECK_GAMES,
        clock=job.clock,
        limits=job.limits,
        seconds=CHECK_S,
        report=report,
    )


def _trial(runner: MatchRunner, version: Version) -> Admission | None:
    """Play some games that do not count, exactly as the league plays; return None if Ctrl-C was pressed.

    If the program's own bots also fail, the submission is not to blame: raise LeagueError.
    """
    tried = _tried(runner, [version], version.label)
    if tried is not None and not tried.accepted:
        control = _tried(runner, [], CONTROL)
        if control is None:
            return None
        if not control.accepted:
            raise LeagueError(f"even the program's own bots cannot play here: {control.reason}")
    return tried


def _tried(runner: MatchRunner, players: Sequence[Version], name: str) -> Admission | None:
    """Try a bot, a version or one of the program's own, in some games against OPPONENT."""
    rows: list[Row] = []

    def keep(more: Sequence[Row]) -> int:
        rows.extend(more)
        return len(more)

    try:
        runner.line_up(players, [OPPONENT] if players else [OPPONENT, CONTROL])
        pairs = runner.session.league.settings.pairs
        played = [(0, 1) if pairs else (deal % 2,) for deal in range(TRIAL_DEALS)]
        runner.play([PairTask(0, deal, name, OPPONENT, games=which) for deal, which in enumerate(played)], keep)
    except BotsFailed as error:
        return Admission(False, str(error))
    if runner.session.stopping:
        return None
    for row in rows:
        game = GameResult.from_row(row, name, OPPONENT)
        if game.forfeit_by == name:
            detail = f": {game.detail}" if game.detail else ""
            return Admission(False, f"forfeits by {game.forfeit}{detail}", len(rows))
        if name in game.failed_after:
            return Admission(False, str(game.detail), len(rows))
    return Admission(True, games=len(rows))


# ---------------------------------------------------------------- placing and playing


def _place(runner: MatchRunner, version: Version, turn_ends: float) -> bool:
    """Play until the version's rating is certain enough; return False if it was refused or has to wait."""
    session, league = runner.session, runner.session.league
    while not session.stopping and session.player.pause is None:
        oversight.check_disk(league)
        step = fixtures.for_placement(league, version)
        if not step:
            return True
        play_or_retire(runner, step, [version, *(fixture.b for fixture in step)])
        if versions.get(league, version.id).state != PLACING or _refused(league, version):
            return False
        if time.monotonic() >= turn_ends and any(other.id != version.id for other in versions.waiting(league)):
            return False
    return False


def _refused(league: League, version: Version) -> bool:
    """Refuse a bot that forfeits too many games; return True if it was refused."""
    forfeits = pairings.league_forfeits(league, [version.id])
    number = sum(forfeit.games for forfeit in forfeits)
    played = _games(league, version)
    if number <= FORFEITS_ALLOWED or number <= FORFEITS_SHARE * played:
        return False
    most = max(forfeits, key=lambda forfeit: forfeit.games)
    reason = f"forfeited {number} of its first {played} games, the last by {most.kind}: {most.detail}"
    versions.refuse(league, version, reason)
    return True


def play_more(
    session: LeagueSession, most: int | None = None, told: Callable[[SubmissionResult], None] = lambda result: None
) -> int:
    """Play the least certain pairings until Ctrl-C, or until `most` games (rounded up to pairs) are stored.

    Submissions that arrive meanwhile come first; `told` is called with their results. Return how many games were
    stored. Raise LeagueError if there are fewer than two bots in the table.
    """
    league = session.league
    table = league_standings(league)
    if len(table.rows) < 2:
        number = "one bot" if table.rows else "no bot"
        raise LeagueError(f"{league.name} has {number} in the table; play needs two")
    played = 0
    with MatchRunner(session, gives_way=True) as runner:
        while session.wait_while_paused() and (most is None or played < most) and len(table.rows) >= 2:
            oversight.check_disk(league)
            results = handle_waiting(session)
            if results:
                for result in results:
                    told(result)
                table = league_standings(league)
                continue
            step = fixtures.for_play(league, table, None if most is None else most - played)
            if not step:
                break
            if not runner.can_play(step):
                session.say(f"playing the least certain pairings of {len(table.rows)} bots")
            team = [row.version for row in table.rows]
            if len(team) > MOST_PLAYERS:
                team = _players(step)
            fresh = play_or_retire(runner, step, team)
            played += fresh
            if fresh:
                session.player.event, table = events.note_play(league, session.player.event, fresh)
            if not fresh or _suspend_forfeiters(league, _players(step)):
                table = league_standings(league)
    return played


def _players(step: Sequence[Fixture]) -> list[Version]:
    return list({version.id: version for fixture in step for version in (fixture.a, fixture.b)}.values())


def play_or_retire(runner: MatchRunner, step: Sequence[Fixture], team: Sequence[Version]) -> int:
    """Play fixtures, lining up the `team` if necessary; return how many games were stored.

    If a bot cannot be loaded, it is refused or retired, and no game is played.
    """
    try:
        if not runner.can_play(step):
            runner.line_up(team)
        return runner.play_fixtures(step)
    except BotsFailed as error:
        retire_unloadable(runner.session, runner.lineup, error)
        return 0


# ---------------------------------------------------------------- retiring


def retire_unloadable(session: LeagueSession, lineup: Sequence[Version], error: BotsFailed) -> None:
    """Refuse a bot that could not be loaded if it is being placed, otherwise retire it.

    A bot that loads when it is alone gets a second chance, but no third. If no bot is found to be broken, or nothing
    can be played at all, no bot is to blame: raise LeagueError.
    """
    named = [version for version in lineup if version.id == error.version]
    broken = 0
    for version in named or lineup:
        with MatchRunner(session) as runner:
            tried = _trial(runner, version)
        if tried is None:
            return
        session.failures[version.id] += bool(named)
        reason = tried.reason
        if tried.accepted:
            if session.failures[version.id] < 2:
                continue
            reason = f"it sometimes fails to load: {error}"
        broken += 1
        if version.state in OPEN:
            versions.refuse(session.league, version, reason)
        else:
            retire_version(session.league, version.name, f"it can no longer play: {reason}")
    if not broken and not named:
        raise LeagueError(f"nothing can be played: {error}")


def retire_version(league: League, name: str, reason: str = "", undo: bool = False) -> Standings:
    """Retire a bot, or with `undo` bring it back; return the new standings.

    A bot that is not in the table yet is refused.
    """
    known = versions.of_bot(league, name)
    active = next((version for version in known if version.state == ACTIVE), None)
    waiting = [version for version in known if version.state in OPEN]
    if waiting and not undo and active is None:
        for version in waiting:
            versions.refuse(league, version, reason or "withdrawn")
        return league_standings(league)
    return events.publish(
        league,
        events.RETURNED if undo else events.RETIRED,
        lambda: versions.retire(league, name, reason, undo),
        active or known[-1],
        note=reason,
    )


def _suspend_forfeiters(league: League, players: Sequence[Version]) -> bool:
    """Retire those players that have forfeited most of their last games; return True if there were any."""
    suspended = False
    for version in players:
        recent, lost = pairings.recent_forfeits(league, version.id, RECENT_GAMES)
        if recent < RECENT_GAMES or lost <= SUSPENDED_SHARE * RECENT_GAMES:
            continue
        now = versions.get(league, version.id)
        if now.state == ACTIVE and now.retired is None:
            most = max(pairings.league_forfeits(league, [version.id]), key=lambda forfeit: forfeit.games)
            detail = one_line(" ".join(most.detail.split()), 200)
            reason = f"suspended: it forfeited {lost} of its last {recent} games, mostly by {most.kind}: {detail}"
            retire_version(league, version.name, reason)
            suspended = True
    return suspended


# ---------------------------------------------------------------- working on a league

LOOK_FOR_WORK_S = 0.5


def work_on(session: LeagueSession, play: bool, told: Callable[[SubmissionResult], None] = lambda result: None) -> None:
    """Check and place submissions as they come, until Ctrl-C or SIGTERM.

    With `play`, more games are played while none waits. `told` is called with each result.
    """
    while session.wait_while_paused():
        for result in handle_waiting(session):
            told(result)
        if play and len(versions.in_state(session.league, ACTIVE)) > 1:
            play_more(session, told=told)
        else:
            time.sleep(LOOK_FOR_WORK_S)
