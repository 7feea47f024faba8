"""Schedules of all formats: order, resuming after an interruption, units of work and identities of games."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from itertools import islice

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.round_robin import gauntlet, round_robin
from arena.tournament.formats.schedule import Schedule
from arena.tournament.formats.series import SeriesSchedule
from arena.tournament.games import GameId, PairTask, ScheduleProgress, Task
from tests.tournament.formats.schedules import names, play, play_all, schedules
from tests.tournament.runner.fake import Progress


@settings(max_examples=30)
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
        if isinstance(task, PairTask) and task.games == (0, 1):  # each deal twice, with the bots swapped
            one, two = play(task)
            assert (one.first, one.second, one.id) == (two.second, two.first, two.id._replace(game=0))


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


# ---------------------------------------------------------------- round robin, gauntlet and match


@given(st.integers(2, 8), st.integers(1, 9), st.integers(0, 100))
def test_any_prefix_is_balanced(bots: int, games: int, length: int) -> None:
    schedule = round_robin(names(bots), games)
    tasks = list(islice(schedule.tasks(ScheduleProgress()), length))
    count = Counter({pair.number: 0 for pair in schedule.meetings})
    count.update(task.pairing for task in tasks)
    assert max(count.values()) - min(count.values()) <= 1
    played = Counter(dict.fromkeys(names(bots), 0))
    played.update(bot for task in tasks for bot in (task.a, task.b))
    assert max(played.values()) - min(played.values()) <= 2  # within a round, and one may rest


@given(st.integers(2, 8), st.integers(1, 12))
def test_unpaired_bots_begin_in_turn(bots: int, games: int) -> None:
    schedule = round_robin(names(bots), games, paired=False)
    begun: Counter[tuple[int, str]] = Counter()
    for task in schedule.tasks(ScheduleProgress()):
        assert isinstance(task, PairTask)
        (game,) = task.game_tasks()
        begun[game.pairing, game.first] += 1
    for pairing in schedule.meetings:
        assert abs(begun[pairing.number, pairing.a] - begun[pairing.number, pairing.b]) <= 1


@given(st.permutations(names(6)), st.booleans())
def test_the_games_of_two_bots_do_not_depend_on_the_others(bots: list[str], paired: bool) -> None:
    def games(field: list[str]) -> set[object]:
        return {task._replace(pairing=0) for task in round_robin(field, 3, paired).tasks(ScheduleProgress())}

    assert games(bots[:4]) == games(bots) & games(sorted(bots[:4]))


def test_heroes_meet_all_others_but_not_one_another() -> None:
    schedule = gauntlet(["a", "b", "c", "d"], 4, ["d", "a"])
    assert [(meeting.a, meeting.b) for meeting in schedule.meetings] == [("b", "d"), ("a", "b"), ("c", "d"), ("a", "c")]
    assert schedule.planned(ScheduleProgress()) == 16
    assert [(t.a, t.b) for t in gauntlet(["a", "b", "c"], 2).tasks(ScheduleProgress())] == [("a", "b"), ("a", "c")]
