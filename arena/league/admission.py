"""Whether a submission is let into the league: it plays a few games that do not count, and is checked as its author
would check it (`arena check`)."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from arena.check import CheckReport, Finding, check_bot
from arena.check.budget import CheckProgress
from arena.check.text import MARGIN, finding_text
from arena.errors import ArenaError
from arena.league.match_runner import BotsFailed, LeagueSession, MatchRunner
from arena.league.settings import LeagueError
from arena.league.versions import Version
from arena.match.results import GameResult, Row
from arena.match.tasks import PairTask

log = logging.getLogger("arena.league")

OPPONENT, OTHER = "random", "first"
"""Bots of the program's own: whom a submission meets, and who stands in for it in the control."""
PAIRS = 4
CHECK_GAMES = 10
"""Games of the check, each played in several ways."""
CHECK_S = 30.0
"""Seconds after which a check plays no more than it must."""


@dataclass(frozen=True)
class Admission:
    """What was found; `reason` is for the author of a bot that is not accepted, `warnings` for that of any."""

    accepted: bool
    reason: str = ""
    games: int = 0
    warnings: tuple[str, ...] = ()


def trial(session: LeagueSession, one: Version) -> Admission | None:
    """Play with a bot in the league's own isolation, with its rules and clock; None if Ctrl-C was pressed.

    LeagueError if the program's own bots fail here as well: then the fault is not the submission's.
    """
    verdict = _judged(session, [one], one.label)
    if verdict is None or verdict.accepted:
        return verdict
    control = _judged(session, [], OTHER)
    if control is not None and not control.accepted:
        raise LeagueError(f"bots cannot be played here, not even the program's own: {control.reason}")
    return None if control is None else verdict


def _judged(session: LeagueSession, players: Sequence[Version], name: str) -> Admission | None:
    """What becomes of some games of one bot, a version or one of the program's own, against OPPONENT."""
    house = [OPPONENT] if players else [OPPONENT, OTHER]
    rows: list[Row] = []

    def keep(more: Sequence[Row]) -> int:
        rows.extend(more)
        return len(more)

    try:
        with MatchRunner(session, players, house) as crew:
            crew.play([PairTask(0, deal, name, OPPONENT) for deal in range(PAIRS)], keep)
    except BotsFailed as error:
        return Admission(False, str(error))
    if session.stopping:
        return None
    for row in rows:
        game = GameResult.from_row(row, name, OPPONENT)
        if game.forfeit_by == name:
            detail = f": {game.detail}" if game.detail else ""
            return Admission(False, f"forfeits by {game.forfeit}{detail}", len(rows))
    return Admission(True, games=len(rows))


# ---------------------------------------------------------------- what its author could have known


class _Stopped(Exception):
    """Ctrl-C was pressed."""


def check(session: LeagueSession, one: Version) -> Admission | None:
    """Check a submission that can be played, with the league's rules, clock and limits; None if Ctrl-C was pressed.

    Where the league plays without isolation the check does not: a bot that runs in this process could hang it.
    """
    if os.name != "posix":  # no bot has a process of its own here
        return Admission(True)
    level = "process" if session.isolation == "none" else session.isolation
    try:
        with MatchRunner(session, [one], [OTHER]) as crew:
            try:
                report = _report(crew, one.label, level)
                reasons = [_words(crew, finding) for finding in report.errors]
                warnings = tuple(_words(crew, finding) for finding in report.warnings)
            except (ArenaError, _Stopped):
                raise
            except Exception as error:  # a fault of ours that only this bot meets must not stop the league
                log.exception("checking %s", one.label)
                reasons, warnings = [f"it cannot be checked: {type(error).__name__}: {error}"], ()
            if reasons and _report(crew, OTHER, level).errors:
                raise LeagueError("bots cannot be checked here, not even the program's own")
    except BotsFailed as error:
        return Admission(False, str(error))
    except _Stopped:
        return None
    return Admission(not reasons, "\n".join(reasons), warnings=warnings)


def _report(crew: MatchRunner, name: str, level: str) -> CheckReport:
    """What `arena check` says of a bot of the crew."""
    session, job = crew.session, crew.job

    def report(progress: CheckProgress) -> None:
        session.process.beat()
        if session.stopping:
            raise _Stopped

    return check_bot(
        next(spec for spec in job.bots if spec.name == name),
        rules=(session.league.settings.rules,),
        level=level,
        games=CHECK_GAMES,
        clock=job.clock,
        limits=job.bot_limits,
        seconds=CHECK_S,
        report=report,
    )


def _words(crew: MatchRunner, finding: Finding) -> str:
    """A finding in some lines, with files named as the author does."""
    file = finding.file and crew.plain(finding.file)
    text = crew.plain(finding_text(replace(finding, file=file, again=None)))
    return "\n".join(line[MARGIN:] for line in text.splitlines())
