"""Made-up games: rows computed from their identity, for tests of schedules and store."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count, islice
from typing import Any

from arena.endings import ENDINGS, FORFEITS
from arena.tournament.formats.round_robin import round_robin
from arena.tournament.games import (
    Chunk,
    GameResult,
    GameTask,
    PairingScore,
    PairTask,
    Row,
    ScheduleProgress,
    Task,
    pack_times,
)

CONFIG: dict[str, Any] = {"format": "round-robin", "games": 4, "rules": "base", "seed": 7, "clock": {"move_ms": 50}}


def fake_result(task: GameTask, strength: dict[str, float] | None = None, faults: bool = True) -> GameResult:
    """Return a plausible result that depends on the task alone; stronger bots win more often."""
    rng = random.Random(f"{task.key} {task.first} {task.second}")
    one, two = ((strength or {}).get(bot, 1.0) for bot in (task.first, task.second))
    score = 1.0 if rng.random() * (one + two) < one else 0.0
    stones = (5, rng.randrange(5)) if score else (rng.randrange(5), 5)
    ending = rng.choice(["five stones", "three adjacent"])
    forfeit = by = detail = None
    if faults and rng.random() < 0.1:
        ending, forfeit = "forfeit", rng.choice(["illegal move", "exception", "timeout", "crash"])
        by = task.second if score else task.first
        detail = "Traceback: no"
    elif rng.random() < 0.05:
        score, stones, ending = 0.5, (4, 4), "stalemate"
    return GameResult(
        id=task.id,
        round=task.round,
        first=task.first,
        second=task.second,
        score=score,
        ending=ending,
        stones=stones,
        turns=rng.randrange(30, 60),
        plies=rng.randrange(40, 90),
        decisions=(25, 24),
        record=f"record {task.key} " + "r7@3 " * 30,
        ms=(rng.randrange(90) / 1000, 0.25),
        max_ms=(0.01, 0.02),
        times=(pack_times([32] * 20 + [200] * 5), pack_times([40] * 24)),
        duration_ms=0.5,
        forfeit=forfeit,
        forfeit_by=by,
        detail=detail,
    )


def row_of(result: GameResult) -> Row:
    """Return the row of a result, as a worker would have made it."""
    by = (None, result.first, result.second).index(result.forfeit_by)
    if result.forfeit is None:
        by = (result.first in result.failed_after) + 2 * (result.second in result.failed_after)
    return Row(
        result.id.key,
        round(result.score * 2),
        ENDINGS.index(result.ending),
        (None, *FORFEITS).index(result.forfeit),
        by,
        *result.stones,
        result.turns,
        result.plies,
        *result.decisions,
        *(round(ms * 1000) for ms in (*result.ms, *result.max_ms)),
        *result.times,
        round(result.duration_ms * 1000),
        result.record,
        result.detail,
    )


def chunks(tasks: Iterable[Task], size: int) -> Iterator[Chunk]:
    """Yield chunks of `size` units from a stream of units."""
    stream = iter(tasks)
    for number in count():
        if not (part := tuple(islice(stream, size))):
            return
        yield Chunk(number, part)


class Progress(ScheduleProgress):
    """Progress that grows game by game."""

    def __init__(self, results: Iterable[GameResult] = ()) -> None:
        super().__init__({}, {})
        self.deals: dict[int, set[int]] = {}
        for result in results:
            self.add(result)

    def add(self, result: GameResult) -> None:
        pairing, deal, flipped = result.id
        points = result.points[::-1] if flipped else result.points
        score = 1 - result.score if flipped else result.score
        self.deals.setdefault(pairing, set()).add(deal)
        self.add_score(pairing, PairingScore(1, int(score == 1), int(score == 0.5), int(score == 0), *points))

    def add_score(self, pairing: int, more: PairingScore) -> None:
        self.scores[pairing] = PairingScore(*map(int.__add__, self.score(pairing), more))  # type: ignore[index]
        self.__dict__.pop("games", None)

    def has(self, pairing: int, deal: int) -> bool:
        return deal in self.deals.get(pairing, ())


def play_pairs(chunk: Chunk, play: Callable[[GameTask], GameResult] = fake_result) -> list[Row]:
    """Return the rows of a chunk of pairs."""
    return [row_of(play(game)) for task in chunk.tasks if isinstance(task, PairTask) for game in task.game_tasks()]


def pair_tasks(bots: Sequence[str], deals: Iterable[int]) -> list[PairTask]:
    """Return the pairs of a round robin, deal by deal."""
    meetings = round_robin(bots, 2).meetings
    return [PairTask(number, deal, a, b) for deal in deals for number, _, a, b in meetings]
