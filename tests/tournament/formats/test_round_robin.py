"""Round robin, gauntlet and match: every pairing known beforehand, prefixes balanced."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, islice

import pytest
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
