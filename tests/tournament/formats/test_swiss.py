"""Swiss: who meets whom, and the ranking."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats.swiss import swiss
from arena.tournament.games import ScheduleProgress
from tests.tournament.formats.schedules import names, play_all, scores


@settings(max_examples=25)
@given(st.integers(2, 7), st.integers(1, 6), st.randoms(use_true_random=False))
def test_swiss_repeats_only_if_there_is_no_other_pairing(bots: int, rounds: int, random: object) -> None:
    """Held against all pairings there are, round by round."""
    schedule = swiss(names(bots), 2, rounds)
    _, _, done = play_all(schedule)
    met: Counter[frozenset[str]] = Counter()
    had_bye: Counter[str] = Counter()
    for number in range(rounds):
        pairs = [frozenset((p.a, p.b)) for p in schedule.pairings(done) if p.round == number]
        bye = set(names(bots)) - {bot for pair in pairs for bot in pair}
        assert len(pairs) == bots // 2
        assert len(bye) == bots % 2
        fewest = min(had_bye[bot] for bot in names(bots))
        assert all(had_bye[bot] == fewest for bot in bye)
        possible = min(
            max(met[pair] for pair in pairing)
            for pairing, free in all_pairings(names(bots))
            if free is None or had_bye[free] == fewest
        )
        assert max(met[pair] for pair in pairs) == possible
        met.update(pairs)
        had_bye.update(bye)
    byes = {place.bot: place.remark for place in schedule.ranking(done)}
    assert byes == {bot: ("", "1 bye", "2 byes")[had_bye[bot]] for bot in names(bots)}


def all_pairings(bots: list[str]) -> list[tuple[list[frozenset[str]], str | None]]:
    if len(bots) % 2:
        return [(pairing, free) for free in bots for pairing, _ in all_pairings([bot for bot in bots if bot != free])]
    if not bots:
        return [([], None)]
    return [
        ([frozenset((bots[0], other)), *pairing], None)
        for other in bots[1:]
        for pairing, _ in all_pairings([bot for bot in bots[1:] if bot != other])
    ]


@pytest.mark.parametrize("bots", [6, 8])
def test_in_each_group_the_upper_half_meets_the_lower(bots: int) -> None:
    schedule = swiss(names(bots), 2, 2)
    half = bots // 2
    first = [(p.a, p.b) for p in schedule.pairings(ScheduleProgress())]
    assert first == [(f"bot{number}", f"bot{number + half}") for number in range(half)]
    done = scores(dict.fromkeys(range(half), (2, 0)))  # the upper half has won
    second = [(p.a, p.b) for p in schedule.pairings(done)[half:]]
    if bots == 8:
        assert second == [("bot0", "bot2"), ("bot1", "bot3"), ("bot4", "bot6"), ("bot5", "bot7")]
    else:  # a group of three: one is left over and drops into the next group
        assert second == [("bot0", "bot2"), ("bot1", "bot3"), ("bot4", "bot5")]


def test_swiss_ranks_by_points_then_buchholz_then_seed() -> None:
    schedule = swiss(names(4), 2, 2)
    # round 1: 0 beats 2, 1 beats 3; round 2: 0-1 drawn, 2 beats 3
    done = scores({0: (2, 0), 1: (2, 0), 2: (1, 1), 3: (2, 0)})
    places = schedule.ranking(done)
    assert [(p.rank, p.bot, p.points, p.tiebreak) for p in places] == [
        (1, "bot0", 1.5, (2.5, 1)),
        (2, "bot1", 1.5, (1.5, 2)),
        (3, "bot2", 1.0, (1.5, 3)),
        (4, "bot3", 0.0, (2.5, 4)),
    ]
    assert list(schedule.tiebreaks) == ["buchholz", "seed"]


def test_swiss_tells_its_rounds() -> None:
    schedule = swiss(names(5), 2, 3)
    done = scores({0: (2, 0), 1: (1, 1), 2: (0, 1)})
    told = [[(m.a, m.b, m.score.games, m.winner, m.decided_by) for m in one] for one in schedule.round_results(done)]
    assert told == [
        [("bot0", "bot2", 2, "bot0", "games"), ("bot1", "bot3", 2, None, "draw"), ("bot4", None, 0, "bot4", "bye")],
        [("bot0", "bot1", 1, None, ""), ("bot4", "bot3", 0, None, ""), ("bot2", None, 0, "bot2", "bye")],
    ]


@settings(max_examples=25)
@given(st.integers(2, 12), st.integers(1, 6), st.sampled_from([1, 3]))
def test_who_begins_is_balanced_where_deals_are_played_once(bots: int, rounds: int, games: int) -> None:
    """One bot began three of its three games, another none."""
    _, results, _ = play_all(swiss(names(bots), games, min(rounds, bots // 2), paired=False))
    begun = Counter(result.first for result in results)
    begun.subtract(result.second for result in results)
    assert max(map(abs, begun.values())) <= 2
