"""Games that nobody played: rows made from their identity, for tests of schedules and store."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence

from arena.tournament.games import Chunk, GameResult, GameTask, PairTask, Row, pack_times

CONFIG = {"format": "round-robin", "games": 4, "rules": "base", "seed": 7, "clock": {"move_ms": 50}, "bots": []}


def fake_result(task: GameTask, strength: dict[str, float] | None = None, faults: bool = True) -> GameResult:
    """A plausible result that depends on the task alone; stronger bots win more often."""
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


def play_pairs(chunk: Chunk, play: Callable[[GameTask], GameResult] = fake_result) -> list[Row]:
    """The rows of a chunk of pairs."""
    return [play(game).to_row() for task in chunk.tasks if isinstance(task, PairTask) for game in task.game_tasks()]


def pair_tasks(bots: Sequence[str], deals: Iterable[int]) -> list[PairTask]:
    """Deal by deal, every two bots."""
    pairs = [(a, b) for at, a in enumerate(bots) for b in bots[at + 1 :]]
    return [PairTask(number, deal, a, b) for deal in deals for number, (a, b) in enumerate(pairs)]
