"""Schedules: order, balance, and going on after an interruption."""

from __future__ import annotations

import pickle
import tracemalloc
from collections import Counter
from collections.abc import Callable
from itertools import combinations, islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.formats.knockout import knockout
from arena.formats.round_robin import gauntlet, round_robin, single_match
from arena.formats.schedule import Schedule
from arena.formats.series import (
    SeriesSchedule,
    is_over,
    series,
    series_ranking,
    series_results,
    series_rule,
    starter_after,
)
from arena.formats.swiss import swiss
from arena.match.results import GameResult, ScheduleProgress
from arena.match.tasks import Chunk, GameId, PairTask, SeriesTask, Task, chunks
from tests.formats.schedules import names, play, play_all, schedules

# ---------------------------------------------------------------- all formats


@settings(deadline=None, max_examples=60)
@given(schedules)
def test_a_schedule_is_the_same_each_time_and_its_games_are_in_order(schedule: Schedule) -> None:
    tasks, results, done = play_all(schedule)
    again, same, _ = play_all(schedule)
    assert (tasks, results) == (again, same)
    assert len({result.id for result in results}) == len(results) == done.games == schedule.planned(done)
    if not isinstance(schedule, SeriesSchedule):
        assert results == sorted(results, key=lambda result: result.id.key)
    pairings = {pairing.number: pairing for pairing in schedule.pairings(done)}
    for task in tasks:
        assert pairings[task.pairing] == (task.pairing, task.round, task.a, task.b)


@settings(deadline=None, max_examples=60)
@given(schedules, st.randoms(use_true_random=False))
def test_going_on_after_any_interruption_gives_the_same_games(schedule: Schedule, random: object) -> None:
    tasks, results, _ = play_all(schedule)
    # units of a wave are done in any order; a run is broken off when some of them are
    waves: list[list[Task]] = []
    done = ScheduleProgress()
    while wave := list(schedule.tasks(done)):
        waves.append(wave)
        for task in wave:
            for result in play(task):
                done.add(result)
    stop = random.randrange(len(waves))  # type: ignore[attr-defined]
    finished = [task for wave in waves[:stop] for task in wave]
    finished += random.sample(waves[stop], random.randrange(len(waves[stop]) + 1))  # type: ignore[attr-defined]
    stored = [result for task in finished for result in play(task)]
    broken = ScheduleProgress.of(stored)
    first = [task for task in waves[stop] if task not in finished]
    if first:
        # in a knockout those who have drawn go on while others have not played yet
        offered = list(schedule.tasks(broken))
        assert offered == first or schedule.format == "knockout"
        assert [task for task in offered if task in first] == first
    rest, played, _ = play_all(schedule, broken)
    assert finished + rest == tasks or sorted(finished + rest) == sorted(tasks)
    assert sorted(stored + played, key=lambda r: r.id) == sorted(results, key=lambda r: r.id)


@settings(deadline=None, max_examples=60)
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


# ---------------------------------------------------------------- round robin, gauntlet, match


@given(st.integers(2, 8), st.integers(1, 9))
def test_round_robin_gives_each_pairing_the_same_number_of_games(bots: int, games: int) -> None:
    schedule = round_robin(names(bots), games)
    count = Counter((task.a, task.b) for task in schedule.tasks(ScheduleProgress()))
    assert set(count) == set(combinations(names(bots), 2))
    assert set(count.values()) == {(games + 1) // 2}
    assert bool(schedule.notes) == (games % 2 == 1)


@given(st.integers(2, 8), st.integers(1, 9), st.integers(0, 100))
def test_any_prefix_is_balanced(bots: int, games: int, length: int) -> None:
    schedule = round_robin(names(bots), games)
    count = Counter({pair.number: 0 for pair in schedule.meetings})
    count.update(task.pairing for task in islice(schedule.tasks(ScheduleProgress()), length))
    assert max(count.values()) - min(count.values()) <= 1


@given(st.integers(2, 8), st.integers(1, 12))
def test_unpaired_bots_begin_in_turn(bots: int, games: int) -> None:
    schedule = round_robin(names(bots), games, paired=False)
    begun: Counter[tuple[int, str]] = Counter()
    total: Counter[str] = Counter()
    for task in schedule.tasks(ScheduleProgress()):
        assert isinstance(task, PairTask)
        (game,) = task.game_tasks()
        begun[game.pairing, game.first] += 1
        total[game.first] += 1
    for pairing in schedule.meetings:
        assert abs(begun[pairing.number, pairing.a] - begun[pairing.number, pairing.b]) <= 1
    for bot in names(bots):
        assert abs(2 * total[bot] - games * (bots - 1)) <= 1


def test_deal_numbers_are_shared_by_all_pairings() -> None:
    deals: dict[int, set[int]] = {}
    for task in round_robin(names(4), 6).tasks(ScheduleProgress()):
        deals.setdefault(task.pairing, set()).add(task.deal)
    assert set(map(frozenset, deals.values())) == {frozenset({0, 1, 2})}


@pytest.mark.parametrize("paired", [True, False])
def test_deals_may_be_each_pairings_own(paired: bool) -> None:
    shared = list(round_robin(names(4), 10, paired).tasks(ScheduleProgress()))
    own = list(round_robin(names(4), 10, paired, own=True).tasks(ScheduleProgress()))
    assert [task.deal for task in own] == list(range(len(own)))
    assert [task._replace(deal=0) for task in own] == [task._replace(deal=0) for task in shared]
    assert len(own) == 6 * (5 if paired else 10)


def test_gauntlet_pairs_the_hero_with_all_others() -> None:
    schedule = gauntlet(["a", "b", "c"], 2, hero="b")
    assert [(t.a, t.b) for t in schedule.tasks(ScheduleProgress())] == [("b", "a"), ("b", "c")]
    assert gauntlet(["a", "b", "c"], 2).meetings[1][2:] == ("a", "c")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: gauntlet(["ann", "bob"], 2, hero="bib"),
            "hero 'bib' is none of the bots.*did you mean 'bob'",
        ),
        (lambda: round_robin(["a"], 2), "at least 2 bots are needed, there are 1"),
        (lambda: round_robin(["a", "b", "a"], 2), "'a' is named twice"),
        (lambda: single_match(["a", "b", "c"], 2), "a match is between two bots, there are 3"),
        (lambda: round_robin(["a", "b"], 0), "at least 1, not 0"),
        (lambda: swiss(["a", "b"], 2, 0), "at least 1 round, not 0"),
        (lambda: knockout(["a", "b"], 2, -1), "cannot be -1"),
        (lambda: series(["a", "b"], 1, 0, rounds=3), "at least 1 series, not 0"),
        (lambda: series(["a", "b"], 1), "give one of the two"),
        (lambda: series(["a", "b"], 1, rounds=3, target=3), "give one of the two"),
        (lambda: series(["a", "b"], 1, rounds=0), "at least 1 round, not 0"),
        (lambda: series(["a", "b"], 1, target=0), "at least 1 point, not 0"),
        (lambda: series(["a", "b"], 1, next_starter="loosr", rounds=1), "did you mean 'loser'"),
    ],
)
def test_impossible_schedules(make: Callable[[], Schedule], message: str) -> None:
    with pytest.raises(ArenaError, match=message):
        make()


def test_a_million_pairs_take_no_room() -> None:
    schedule = round_robin(names(5), 2_000_000)
    done = ScheduleProgress()
    for deal in range(50_000):
        done.add_deal(0, deal)
    tracemalloc.start()
    try:
        for _ in islice(schedule.tasks(done), 200_000):
            pass
        assert tracemalloc.get_traced_memory()[1] < 200_000
    finally:
        tracemalloc.stop()


# ---------------------------------------------------------------- series


def test_who_begins_next() -> None:
    winner, loser, alternate = (series_rule(rule, rounds=9) for rule in ("winner", "loser", "alternate"))
    assert [starter_after(winner, 1, score) for score in (2, 1, 0)] == [1, 0, 0]
    assert [starter_after(loser, 1, score) for score in (2, 1, 0)] == [0, 0, 1]
    assert [starter_after(alternate, 1, score) for score in (2, 1, 0)] == [0, 0, 0]


def test_when_a_series_ends() -> None:
    rounds, target = series_rule(rounds=2), series_rule(target=10)
    assert [is_over(rounds, games, 5, 5) for games in (0, 1, 2)] == [False, False, True]
    assert [is_over(target, 2, *points) for points in ((9, 9), (10, 9), (4, 11), (10, 10))] == [
        False, True, True, False
    ]  # fmt: skip
    assert is_over(target, target.stride, 0, 0)


@settings(deadline=None, max_examples=50)
@given(
    st.sampled_from(["winner", "loser", "alternate"]), st.integers(1, 30), st.booleans(), st.integers(2, 4),
    st.integers(1, 5), st.integers(0, 10),
)  # fmt: skip
def test_series_follow_the_rulebook(
    next_starter: str, length: int, to_target: bool, bots: int, matches: int, seed: int
) -> None:
    rule = {"target": length} if to_target else {"rounds": length}
    schedule = series(names(bots), seed, matches, next_starter, **rule)
    tasks, results, done = play_all(schedule)
    assert len(tasks) == bots * (bots - 1) // 2 * matches
    for task in tasks:
        assert isinstance(task, SeriesTask)
        points = {task.a: 0, task.b: 0}
        games = [
            r
            for r in results
            if r.id.pairing == task.pairing and 0 <= r.id.deal - task.deal < task.rule.stride
        ]
        assert [game.id.deal for game in games] == list(range(task.deal, task.deal + len(games)))
        begins = (task.a, task.b)[task.starter]
        for game in games:
            if to_target:
                assert max(points.values()) < length or len(set(points.values())) == 1
            assert game.first == begins
            for bot, more in zip((game.first, game.second), game.points):
                points[bot] += more
            other = game.second
            loser = other if game.winner in (None, game.first) else game.first
            begins = {"winner": game.winner or other, "alternate": other, "loser": loser}[next_starter]
        if to_target:
            assert max(points.values()) >= length
        else:
            assert len(games) == length
        result = next(r for r in series_results(schedule.rule, games))
        assert (result.points_a, result.points_b, result.games) == (
            points[task.a],
            points[task.b],
            len(games),
        )
        assert result.number == task.deal // task.rule.stride
    found = series_results(schedule.rule, results)
    assert sum(result.games for result in found) == done.games
    ranking = series_ranking(schedule.bots, found)
    assert sum(place.points for place in ranking) == len(tasks)


def test_first_starters_come_from_the_seed_and_change_from_series_to_series() -> None:
    def starters(seed: int) -> list[int]:
        return [
            t.starter
            for t in series(["a", "b"], seed, 40, rounds=3).tasks(ScheduleProgress())
            if isinstance(t, SeriesTask)
        ]

    one = starters(1)
    assert one == starters(1) != starters(2)
    assert all(one[at] != one[at + 1] for at in range(0, 40, 2))
    assert len(set(one[::2])) == 2


def test_winner_of_a_series() -> None:
    rule = series_rule(rounds=2)
    games = [
        GameResult(GameId(0, 0, 1), 0, "b", "a", 1.0, "five stones", (5, 3), 30, 30, (1, 1), ""),
        GameResult(GameId(0, 1, 1), 0, "b", "a", 0.0, "five stones", (2, 5), 30, 30, (1, 1), ""),
        GameResult(GameId(0, 2, 0), 0, "a", "b", 0.5, "stalemate", (4, 4), 30, 30, (1, 1), ""),
    ]
    one, two = series_results(rule, games)
    assert (one.points_a, one.points_b, one.wins_a, one.wins_b, one.winner) == (8, 7, 1, 1, "a")
    assert (two.points_a, two.points_b, two.winner) == (4, 4, None)
    assert [(p.bot, p.points) for p in series_ranking(("b", "a"), [one, two])] == [("a", 1.5), ("b", 0.5)]


# ---------------------------------------------------------------- tasks and progress


@settings(deadline=None, max_examples=30)
@given(schedules, st.integers(1, 5))
def test_chunks_travel_whole(schedule: Schedule, size: int) -> None:
    tasks = list(schedule.tasks(ScheduleProgress()))
    parts = list(chunks(tasks, size, start=3))
    assert [chunk.number for chunk in parts] == list(range(3, 3 + len(parts)))
    assert [task for chunk in parts for task in chunk.tasks] == tasks
    for chunk in parts:
        back = pickle.loads(pickle.dumps(chunk))
        assert back == chunk
        assert [type(task) for task in back.tasks] == [type(task) for task in chunk.tasks]
        assert chunk.head(1) == Chunk(chunk.number, chunk.tasks[:1])


@given(st.integers(0, 2**24 - 1), st.integers(0, 2**38 - 1), st.integers(0, 1))
def test_identity_as_a_number_and_as_text(pairing: int, deal: int, game: int) -> None:
    identity = GameId(pairing, deal, game)
    assert GameId.from_key(identity.key) == identity == GameId.parse(str(identity))
    assert identity.key < 2**63


@pytest.mark.parametrize("text", ["", "1/2", "1/2/2", "a/1/0", "1/-1/0", "1/2/0/0", "²/1/0"])
def test_bad_names_of_games(text: str) -> None:
    with pytest.raises(ValueError, match="PAIRING/DEAL/GAME"):
        GameId.parse(text)


@given(st.lists(st.integers(0, 30)))
def test_progress_remembers_what_is_done_in_any_order(deals: list[int]) -> None:
    done = ScheduleProgress()
    for deal in deals:
        done.add_deal(3, deal)
    assert [deal for deal in range(-1, 32) if done.has(3, deal)] == sorted(set(deals))
    assert not done.has(2, 0)
