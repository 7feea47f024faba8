"""Round robin, gauntlet and match: every pairing known beforehand, prefixes balanced."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, islice

from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.formats.round_robin import gauntlet, round_robin
from arena.tournament.games import PairTask, ScheduleProgress
from tests.tournament.formats.schedules import names


@given(st.integers(2, 8), st.integers(1, 9))
def test_round_robin_gives_each_pairing_the_same_number_of_games(bots: int, games: int) -> None:
    schedule = round_robin(names(bots), games)
    count = Counter((task.a, task.b) for task in schedule.tasks(ScheduleProgress()))
    assert set(count) == set(combinations(names(bots), 2))
    assert set(count.values()) == {(games + 1) // 2}


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


def test_deal_numbers_are_shared_by_all_pairings() -> None:
    deals: dict[int, set[int]] = {}
    for task in round_robin(names(4), 6).tasks(ScheduleProgress()):
        deals.setdefault(task.pairing, set()).add(task.deal)
    assert set(map(frozenset, deals.values())) == {frozenset({0, 1, 2})}


@given(st.permutations(names(6)), st.booleans())
def test_the_games_of_two_bots_do_not_depend_on_the_others(bots: list[str], paired: bool) -> None:
    def games(field: list[str]) -> set[object]:
        return {task._replace(pairing=0) for task in round_robin(field, 3, paired).tasks(ScheduleProgress())}

    assert games(bots[:4]) == games(bots) & games(sorted(bots[:4]))


def test_gauntlet_pairs_the_hero_with_all_others() -> None:
    schedule = gauntlet(["a", "b", "c"], 2, ["b"])
    assert [(t.a, t.b) for t in schedule.tasks(ScheduleProgress())] == [("a", "b"), ("b", "c")]
    assert gauntlet(["a", "b", "c"], 2).meetings[1][2:] == ("a", "c")


def test_heroes_meet_all_others_but_not_one_another() -> None:
    schedule = gauntlet(["a", "b", "c", "d"], 4, ["d", "a"])
    assert [(meeting.a, meeting.b) for meeting in schedule.meetings] == [("b", "d"), ("a", "b"), ("c", "d"), ("a", "c")]
    assert schedule.planned(ScheduleProgress()) == 16
