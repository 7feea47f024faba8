"""A unit of work, played game by game: the games of a series depend on each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from arena.tournament.formats.series import is_over, starter_after
from arena.tournament.match.results import Row, points_of
from arena.tournament.match.tasks import GameTask, PairTask, SeriesTask, Task

_TURN_S = 0.2


def play_unit(task: Task, play: Callable[[GameTask], Row]) -> list[Row]:
    """Play a unit of work, pair or series, with `play` for one game; rows as the store takes them."""
    if not isinstance(task, SeriesTask):
        return [play(game) for game in task.game_tasks()]
    rows: list[Row] = []
    points = [0, 0]
    starter = task.starter
    while not is_over(task.rule, len(rows), *points):
        row = play(task.game_task(len(rows), starter))
        rows.append(row)
        score = row[1]
        first, second = points_of(score, row[5], row[6])
        points[starter] += first
        points[1 - starter] += second
        starter = starter_after(task.rule, starter, score)
    return rows


def play_in_turns(tasks: Sequence[Task], start: int, play: Callable[[GameTask], Row]) -> list[list[Row]]:
    """Play at least one unit, from `start` on; the rows of each.

    Of two bots in processes, those for the second games of pairs stand still while the first games are played. So quick
    games are played by the turn: as many first ones as fit into a while, then the second ones of the same pairs.
    """
    begun: list[PairTask] = []
    rows: list[list[Row]] = []
    until = monotonic() + _TURN_S
    for at in range(start, len(tasks)):
        task = tasks[at]
        if not isinstance(task, PairTask) or len(task.games) < 2 or (begun and (task.a, task.b) != begun[0][2:4]):
            break
        begun.append(task)
        rows.append([play(task.game_tasks()[0])])
        if monotonic() > until:
            break
    for task, own in zip(begun, rows, strict=True):
        own += [play(game) for game in task.game_tasks()[1:]]
    return rows or [play_unit(tasks[start], play)]
