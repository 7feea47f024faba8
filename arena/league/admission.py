"""Whether a submission is let into the league: it is loaded and plays a few games that do not count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.league.crew import BotsFailed, Crew, Desk
from arena.league.entries import Version
from arena.league.settings import LeagueError
from arena.match.results import GameResult, Row
from arena.match.tasks import PairTask

OPPONENT, OTHER = "random", "first"
"""Bots of the program's own: whom a submission meets, and who stands in for it in the control."""
PAIRS = 4


@dataclass(frozen=True)
class Verdict:
    """What the check says; `reason` is for the author of a bot that is not accepted."""

    accepted: bool
    reason: str = ""
    games: int = 0


def examine(desk: Desk, one: Version) -> Verdict | None:
    """Check a submission in the league's own isolation, with its rules and clock; None if Ctrl-C was pressed.

    LeagueError if the program's own bots fail here as well: then the fault is not the submission's.
    """
    verdict = _judged(desk, [one], one.label)
    if verdict is None or verdict.accepted:
        return verdict
    control = _judged(desk, [], OTHER)
    if control is not None and not control.accepted:
        raise LeagueError(f"bots cannot be played here, not even the program's own: {control.reason}")
    return None if control is None else verdict


def _judged(desk: Desk, players: Sequence[Version], name: str) -> Verdict | None:
    """What becomes of some games of one bot, a version or one of the program's own, against OPPONENT."""
    house = [OPPONENT] if players else [OPPONENT, OTHER]
    rows: list[Row] = []

    def keep(more: Sequence[Row]) -> int:
        rows.extend(more)
        return len(more)

    try:
        with Crew(desk, players, house) as crew:
            crew.play([PairTask(0, deal, name, OPPONENT) for deal in range(PAIRS)], keep)
    except BotsFailed as error:
        return Verdict(False, str(error))
    if desk.stopping:
        return None
    for row in rows:
        game = GameResult.from_row(row, name, OPPONENT)
        if game.forfeit_by == name:
            detail = f": {game.detail}" if game.detail else ""
            return Verdict(False, f"forfeits by {game.forfeit}{detail}", len(rows))
    return Verdict(True, games=len(rows))
