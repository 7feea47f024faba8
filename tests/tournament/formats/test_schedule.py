"""Schedules of all formats: order, resuming after an interruption, units of work and identities of games."""

from __future__ import annotations

import tracemalloc
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.round_robin import round_robin
from arena.tournament.formats.schedule import Schedule
from arena.tournament.formats.series import SeriesSchedule
from arena.tournament.games import GameId, GameResult, PairTask, ScheduleProgress, Task
from tests.tournament.formats.schedules import names, play, play_all, schedules
from tests.tournament.runner.fake import Progress


@settings(max_examples=60)
@given(schedules)
def test_a_schedule_repeats_and_its_games_are_in_order(schedule: Schedule) -> None:
    tasks, results, done = play_all(schedule)
    again, same, _ = play_all(schedule)
    assert (tasks, results) == (again, same)
    assert len({result.id for result in results}) == len(results) == done.games == schedule.planned(done)
    if not isinstance(schedule, SeriesSchedule):
        assert results == sorted(results, key=lambda result: result.id.key)
    pairings = {pairing.number: pairing for pairing in schedule.pairings(done)}
    for task in tasks:
        assert pairings[task.pairing] == (task.pairing, task.round, task.a, task.b)


@settings(max_examples=30)
@given(schedules, st.randoms(use_true_random=False))
def test_going_on_after_any_interruption_gives_the_same_games(schedule: Schedule, random: object) -> None:
    tasks, results, _ = play_all(schedule)
    # units of a wave are done in any order; a run is broken off when some of them are
    waves: list[list[Task]] = []
    done = Progress()
    while wave := list(schedule.tasks(done)):
        waves.append(wave)
        for task in wave:
            for result in play(task):
                done.add(result)
    stop = random.randrange(len(waves))  # type: ignore[attr-defined]
    finished = [task for wave in waves[:stop] for task in wave]
    finished += random.sample(waves[stop], random.randrange(len(waves[stop]) + 1))  # type: ignore[attr-defined]
    stored = [result for task in finished for result in play(task)]
    broken = Progress(stored)
    first = [task for task in waves[stop] if task not in finished]
    if first:
        # in a knockout those who have drawn go on while others have not played yet
        offered = list(schedule.tasks(broken))
        assert offered == first or isinstance(schedule, Knockout)
        assert [task for task in offered if task in first] == first
    rest, played, _ = play_all(schedule, broken)
    assert finished + rest == tasks or sorted(finished + rest) == sorted(tasks)
    assert sorted(stored + played, key=lambda r: r.id) == sorted(results, key=lambda r: r.id)


@settings(max_examples=60)
@given(schedules)
def test_each_deal_is_played_twice_with_the_bots_swapped(schedule: Schedule) -> None:
    tasks, results, _ = play_all(schedule)
    if isinstance(schedule, SeriesSchedule):
        return
    by_deal: dict[tuple[int, int], list[GameResult]] = {}
    for result in results:
        by_deal.setdefault((result.id.pairing, result.id.deal), []).append(result)
    paired = any(isinstance(task, PairTask) and task.games == (0, 1) for task in tasks)
    for (_, _), games in by_deal.items():
        if paired:
            one, two = games
            assert (one.first, one.second) == (two.second, two.first)
            assert (one.id.game, two.id.game) == (0, 1)
        else:
            assert len(games) == 1


def test_a_million_pairs_take_no_room() -> None:
    schedule = round_robin(names(5), 2_000_000)
    done = ScheduleProgress({0: (0, 50_000)})
    tracemalloc.start()
    try:
        for _ in islice(schedule.tasks(done), 60_000):
            pass
        assert tracemalloc.get_traced_memory()[1] < 200_000
    finally:
        tracemalloc.stop()


@given(st.integers(0, 2**24 - 1), st.integers(0, 2**38 - 1), st.integers(0, 1))
def test_identity_as_a_number_and_as_text(pairing: int, deal: int, game: int) -> None:
    identity = GameId(pairing, deal, game)
    assert GameId.from_key(identity.key) == identity == GameId.parse(str(identity))
    assert identity.key < 2**63


@pytest.mark.parametrize("text", ["", "1/2", "1/2/2", "a/1/0", "1/-1/0", "1/2/0/0", "²/1/0"])
def test_bad_names_of_games(text: str) -> None:
    with pytest.raises(ValueError, match="PAIRING/DEAL/GAME"):
        GameId.parse(text)
