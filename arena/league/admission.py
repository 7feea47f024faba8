"""Whether a submission is let into the league: it is loaded and plays a few games that do not count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.league.crew import BotsFailed, Crew, Desk
from arena.league.entries import Version
from arena.match.results import GameResult, Row
from arena.match.tasks import PairTask

OPPONENT = "random"
PAIRS = 4


@dataclass(frozen=True)
class Verdict:
    """What the check says; `reason` is for the author of a bot that is not accepted."""

    accepted: bool
    reason: str = ""
    games: int = 0


def examine(desk: Desk, one: Version) -> Verdict | None:
    """Check a submission in the league's own isolation, with its rules and clock; None if Ctrl-C was pressed."""
    try:
        with Crew(desk, [one], house=[OPPONENT]) as crew:
            rows = _played(desk, crew, one)
    except BotsFailed as error:
        return Verdict(False, str(error))
    if desk.stopping:
        return None
    for row in rows:
        game = GameResult.from_row(row, one.label, OPPONENT)
        if game.forfeit_by == one.label:
            detail = f": {game.detail}" if game.detail else ""
            return Verdict(False, f"forfeits by {game.forfeit}{detail}", len(rows))
    return Verdict(True, games=len(rows))


def _played(desk: Desk, crew: Crew, one: Version) -> list[Row]:
    rows: list[Row] = []

    def keep(more: Sequence[Row]) -> int:
        rows.extend(more)
        return len(more)

    tasks = [PairTask(0, deal, one.label, OPPONENT) for deal in range(PAIRS)]
    crew.play(tasks, keep)
    return rows
