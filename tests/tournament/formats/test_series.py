"""Series: the rulebook's match of several games."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats.series import is_over, series, series_results, series_rule
from arena.tournament.games import ScheduleProgress, SeriesTask
from tests.tournament.formats.schedules import names, play_all


@settings(max_examples=30)
@given(st.integers(2, 4), st.integers(1, 6), st.integers(1, 40))
def test_no_more_games_than_expected_are_ever_played(bots: int, matches: int, target: int) -> None:
    schedule = series(names(bots), 1, matches, target=target)
    _, results, done = play_all(schedule)
    lengths = [*Counter((one.id.deal // schedule.stride, one.id.pairing) for one in results).values()]
    for units in range(len(lengths) + 1):
        expected = schedule.expected(sum(lengths[:units]), units)
        assert expected is not None
        assert expected >= sum(lengths[:units])
    assert expected == schedule.planned(done) == len(results)
    assert series(names(bots), 1, matches, rounds=target).expected(7, 1) is None


def test_when_a_series_ends() -> None:
    rounds, target = series_rule(rounds=2), series_rule(target=10)
    assert [is_over(rounds, games, 5, 5) for games in (0, 1, 2)] == [False, False, True]
    points = ((9, 9), (10, 9), (4, 11), (10, 10))
    assert [is_over(target, 2, *each) for each in points] == [False, True, True, False]
    assert is_over(target, target.stride, 0, 0)


@settings(max_examples=50)
@given(
    st.sampled_from(["winner", "loser", "alternate"]),
    st.integers(1, 30),
    st.booleans(),
    st.integers(2, 4),
    st.integers(1, 5),
    st.integers(0, 10),
)
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
        games = [r for r in results if r.id.pairing == task.pairing and 0 <= r.id.deal - task.deal < task.rule.stride]
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
        assert (result.points_a, result.points_b) == (points[task.a], points[task.b])
        assert result.number == task.deal // task.rule.stride
    ranking = schedule.ranking(done, results)
    assert sum(place.points for place in ranking) == len(tasks)


def test_first_starters_follow_the_seed_and_alternate() -> None:
    def starters(seed: int) -> list[int]:
        tasks = series(["a", "b"], seed, 40, rounds=3).tasks(ScheduleProgress())
        return [task.starter for task in tasks if isinstance(task, SeriesTask)]

    one = starters(1)
    assert one == starters(1) != starters(2)
    assert all(one[at] != one[at + 1] for at in range(0, 40, 2))
    assert len(set(one[::2])) == 2
