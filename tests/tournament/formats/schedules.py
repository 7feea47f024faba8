"""Play schedules with made-up results, for the tests of schedules."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from arena.tournament.formats.knockout import knockout
from arena.tournament.formats.round_robin import gauntlet, round_robin
from arena.tournament.formats.schedule import Schedule
from arena.tournament.formats.series import series
from arena.tournament.formats.swiss import swiss
from arena.tournament.games import GameResult, GameTask, PairingScore, Task
from arena.tournament.referee import play_unit
from tests.tournament.runner.fake import Progress, fake_result, row_of


def names(count: int) -> list[str]:
    return [f"bot{at}" for at in range(count)]


MAKERS: dict[str, Callable[[int, int, bool], Schedule]] = {
    "round-robin": lambda bots, games, paired: round_robin(names(bots), games, paired),
    "gauntlet": lambda bots, games, paired: gauntlet(names(bots), games, names(bots)[-1], paired),
    "match": lambda bots, games, paired: round_robin(names(2), games, paired),
    "swiss": lambda bots, games, paired: swiss(names(bots), games, None, paired),
    "knockout": lambda bots, games, paired: knockout(names(bots), games, 2, paired),
    "series": lambda bots, games, paired: (
        series(names(bots), 7, games, target=12) if paired else series(names(bots), 7, games, rounds=3)
    ),
}
schedules = st.builds(
    lambda kind, bots, games, paired: MAKERS[kind](bots, games, paired),
    st.sampled_from(sorted(MAKERS)),
    st.integers(2, 9),
    st.integers(1, 7),
    st.booleans(),
)


def play(task: Task) -> list[GameResult]:
    """Return the results of a unit, as a worker would."""
    results = {}

    def one(game: GameTask) -> tuple:  # type: ignore[type-arg]
        results[game.key] = fake_result(game)
        return row_of(results[game.key])

    return [results[row[0]] for row in play_unit(task, one)]


def play_all(schedule: Schedule, done: Progress | None = None) -> tuple[list[Task], list[GameResult], Progress]:
    """Play a schedule to its end."""
    done = Progress() if done is None else done
    tasks: list[Task] = []
    results: list[GameResult] = []
    while wave := list(schedule.tasks(done)):
        tasks += wave
        for task in wave:
            for result in play(task):
                results.append(result)
                done.add(result)
    return tasks, results, done


def scores(won: dict[int, tuple[int, int]]) -> Progress:
    """Return progress with these games won by `a` and `b` of each pairing."""
    done = Progress()
    for pairing, (a, b) in won.items():
        done.add_score(pairing, PairingScore(a + b, a, 0, b, 0, 0))
    return done
