"""Whether a submission is admitted to the league: it is checked as its author would check it (`arena check`), and
plays a few games that do not count."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from arena.errors import ArenaError
from arena.league.check import check_bot
from arena.league.check_report import CheckReport, finding_text
from arena.league.match_runner import BotsFailed, MatchRunner
from arena.league.settings import LeagueError
from arena.league.versions import Version
from arena.tournament.match.results import GameResult, Row
from arena.tournament.match.tasks import PairTask

log = logging.getLogger("arena.league")

OPPONENT, CONTROL = "random", "first"
"""Bots of the program's own: whom a submission meets in the trial, and who is tried in its place if it fails."""
PAIRS = 4
CHECK_GAMES = 10
"""Games of the check, each played in several ways."""
CHECK_S = 30.0
"""Seconds after which the check plays no more games than it must."""


@dataclass(frozen=True)
class Admission:
    """Whether a submission is admitted. `reason` (why not) and `warnings` (what else the check found) are for its
    author."""

    accepted: bool
    reason: str = ""
    games: int = 0
    warnings: tuple[str, ...] = ()


def admit(runner: MatchRunner, one: Version) -> Admission | None:
    """Check a submission and try it out; None if Ctrl-C was pressed."""
    checked = check(runner, one)
    if checked is None or not checked.accepted:
        return checked
    tried = trial(runner, one)
    return tried and replace(tried, warnings=checked.warnings)


def trial(runner: MatchRunner, one: Version) -> Admission | None:
    """Play some games that do not count, exactly as the league plays; None if Ctrl-C was pressed.

    LeagueError if the program's own bots fail too, for then the submission is not to blame.
    """
    found = _tried(runner, [one], one.label)
    if found is None or found.accepted:
        return found
    return found if control(runner) else None


def control(runner: MatchRunner) -> bool:
    """Play the games of a trial with one of the program's own bots; False if Ctrl-C was pressed.

    LeagueError if it fails.
    """
    found = _tried(runner, [], CONTROL)
    if found is not None and not found.accepted:
        raise LeagueError(f"not even the program's own bots can be played here: {found.reason}")
    return found is not None


def _tried(runner: MatchRunner, players: Sequence[Version], name: str) -> Admission | None:
    """How a bot, a version or one of the program's own, does in some games against OPPONENT."""
    rows: list[Row] = []

    def keep(more: Sequence[Row]) -> int:
        rows.extend(more)
        return len(more)

    try:
        runner.line_up(players, [OPPONENT] if players else [OPPONENT, CONTROL])
        pairs = runner.session.league.settings.pairs
        games = [(0, 1) if pairs else (deal % 2,) for deal in range(PAIRS)]
        runner.play([PairTask(0, deal, name, OPPONENT, games=who) for deal, who in enumerate(games)], keep)
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


class _Stopped(Exception):
    """Ctrl-C was pressed."""


def check(runner: MatchRunner, one: Version) -> Admission | None:
    """Check a submission with the league's rules, clock and limits; None if Ctrl-C was pressed.

    Bots of a league without isolation are checked in processes of their own: inside this one they could hang it.
    """
    if os.name != "posix":  # no bot has a process of its own here
        return Admission(True)
    try:
        runner.line_up([one], [CONTROL])
        try:
            report = _report(runner, one.label)
            reasons = [runner.plain(finding_text(finding)) for finding in report.errors]
            warnings = tuple(runner.plain(finding_text(finding)) for finding in report.warnings)
        except (ArenaError, _Stopped):
            raise
        except Exception as error:  # a fault of ours that only this bot triggers must not stop the league
            log.exception("checking %s", one.label)
            reasons, warnings = [f"it cannot be checked: {type(error).__name__}: {error}"], ()
        if reasons and _report(runner, CONTROL).errors:
            raise LeagueError("not even the program's own bots can be checked here")
    except BotsFailed as error:
        return Admission(False, str(error))
    except _Stopped:
        return None
    return Admission(not reasons, "\n".join(reasons), warnings=warnings)


def _report(runner: MatchRunner, name: str) -> CheckReport:
    """What `arena check` says about a bot of the lineup."""
    session, job = runner.session, runner.job

    def report(progress: str) -> None:
        session.process.beat()
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
