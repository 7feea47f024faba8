"""A bot that does not answer is left out, as one that cannot be loaded: waiting for it in every game helps nobody.

Without a clock, each answer that does not come costs the whole time that is waited for it. Evidence is what was played,
so such games are neither made up nor shown: in the order of the schedule, the first bot that lost at least FEWEST games
because no answer came, more than half of its games so far, is left out. That follows from the stored games alone, in
whatever order they were played. With a clock nobody is left out.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arena.endings import FORFEITS, ForfeitKind
from arena.tournament.formats.schedule import Schedule
from arena.tournament.games import ScheduleProgress
from arena.tournament.store.columns import GameColumns

FEWEST = 3


class Silence(NamedTuple):
    """A bot that did not answer in `silent` of its first `games` games, the last of them in the pairing `number`."""

    bot: str
    silent: int
    games: int
    number: int

    def text(self, limit_s: float) -> str:
        """Say why the bot is left out."""
        games = f"in {self.silent} of its first {self.games} games"
        return f"it gave no answer within {limit_s:g} s {games}; it plays again when it has changed, or with --again"


def suspects(games: GameColumns) -> set[str]:
    """Return the bots that did not answer in most of their games so far."""
    seats = np.concatenate([games["first"], games["second"]])
    played = np.bincount(seats, minlength=len(games.bots))
    silent = np.bincount(games["forfeit_by"][_is_late(games)], minlength=len(games.bots))
    return {games.bots[bot] for bot in np.flatnonzero(2 * silent > played).tolist()}


def _is_late(games: GameColumns) -> npt.NDArray[np.bool_]:
    late: npt.NDArray[np.bool_] = games["forfeit"] == FORFEITS.index(ForfeitKind.TIMEOUT)
    return late


def first_silent(games: GameColumns, schedule: Schedule, done: ScheduleProgress) -> Silence | None:
    """Return the bot that is left out first; None if there is none yet.

    `games` and `done` describe the stored games of the schedule. Only games before the first missing one count, so the
    answer does not depend on which later games are stored.
    """
    late = np.flatnonzero(_is_late(games) & (games["deal"] < schedule.deal_count))
    if len(late) < FEWEST:
        return None
    if (missing := next(schedule.tasks(done), None)) is not None:
        deal, number = games["deal"][late], games["pairing"][late]
        late = late[(deal < missing.deal) | ((deal == missing.deal) & (number < missing.pairing))]
    silent = Counter[int]()
    for row in late.tolist():
        bot = int(games["forfeit_by"][row])
        silent[bot] += 1
        played = int(((games["first"][: row + 1] == bot) | (games["second"][: row + 1] == bot)).sum())
        if silent[bot] >= FEWEST and 2 * silent[bot] > played:
            return Silence(games.bots[bot], silent[bot], played, int(games["pairing"][row]))
    return None
