"""A unit of work, played game by game: the games of a series depend on each other."""

from __future__ import annotations

from collections.abc import Callable

from arena.formats.series import is_over, starter_after
from arena.match.results import Row, points_of
from arena.match.tasks import GameTask, SeriesTask, Task


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
