"""A bot that gives no answer in time in three games of a pairing running forfeits the rest, which is not played.

Each of those games would only take its full time again. Whether a pairing is given up follows from its stored games in
the order of the schedule, and not from which worker played them and when: a supervisor that sees three such games saves
time and forfeits the rest at once, and `settled` puts right what followed from another order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from arena.endings import ForfeitKind
from arena.tournament.forfeits import NOT_PLAYED
from arena.tournament.games import GameId, GameTask, Row, SeriesTask, Task
from arena.tournament.referee import play_unit
from arena.tournament.rows import GameSettings, unplayed_row

MOST_TIMEOUTS = 3


class GivenUp(NamedTuple):
    """A pairing is given up after the game with this key; `side` forfeits the rest: 0 bot `a`, 1 bot `b`."""

    key: int
    side: int


class _Missing(Exception):
    """A game is not stored, or was forfeited although it must be played."""


def given_up(rows: Iterable[Row]) -> GivenUp | None:
    """Return where a pairing is given up; None if it is not. `rows` are its games in the order of the schedule."""
    running, last = 0, -1
    for row in rows:
        if not _was_played(row):
            return None
        late = row.forfeit == ForfeitKind.TIMEOUT.code
        side = (row.forfeit_by - 1) ^ GameId.from_key(row.id).game if late else -1
        running = (running + 1 if side == last else 1) if late else 0
        last = side
        if running == MOST_TIMEOUTS:
            return GivenUp(row.id, side)
    return None


def _was_played(row: Row) -> bool:
    return not (row.detail or "").startswith(NOT_PLAYED)


def settled(
    rows: Sequence[Row], units: Iterable[Task], unplayed: Callable[[GameTask, str], Row]
) -> Iterator[tuple[Task, Sequence[Row]]]:
    """Yield each unit of a pairing whose stored games are not what the rule says, with the games it should have.

    `rows` are the stored games of the pairing, `units` all its units, both in the order of the schedule. A unit without
    games must be played after all. `unplayed` makes the row of a game that a bot forfeits beforehand.
    """
    end, stored = given_up(rows), {row.id: row for row in rows}
    for unit in units:
        bot = "" if end is None else (unit.a, unit.b)[end.side]

        def game(task: GameTask, bot: str = bot) -> Row:
            row = stored.get(task.key)
            if end is None or task.key <= end.key:
                if row is None or not _was_played(row):
                    raise _Missing
                return row
            forfeiter = 1 if task.first == bot else 2
            right = row is not None and not _was_played(row) and row.forfeit_by == forfeiter
            return row if row is not None and right else unplayed(task, bot)

        try:
            wanted = play_unit(unit, game)
        except _Missing:
            wanted = []
        there = [row for row in rows if row.id in range(*keys_of(unit))]
        if wanted != there:
            yield unit, wanted


def not_played(settings: GameSettings, game: GameTask, bot: str, limit_s: float) -> Row:
    """Return the row of a game that a bot forfeits because it gave no answer within `limit_s` in others before."""
    text = f"{NOT_PLAYED}it gave no answer within {limit_s:g} s in {MOST_TIMEOUTS} games of this pairing running"
    return unplayed_row(settings, game, bot, ForfeitKind.TIMEOUT, text)


def keys_of(unit: Task) -> tuple[int, int]:
    """Return the first key of a unit's games and the first beyond them; other pairings have keys in between."""
    deals = unit.rule.stride if isinstance(unit, SeriesTask) else 1
    return GameId(unit.pairing, unit.deal, 0).key, GameId(unit.pairing, unit.deal + deals - 1, 1).key + 1
