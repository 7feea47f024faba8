"""Knockout: byes, drawn pairings, the ranking."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats.knockout import Knockout, bracket, knockout
from arena.tournament.games import GameTask
from tests.tournament.formats.schedules import names, play_all
from tests.tournament.runner.fake import Progress, fake_result


@settings(max_examples=25)
@given(st.integers(2, 20), st.integers(1, 4), st.booleans())
def test_knockout_leaves_one(bots: int, games: int, paired: bool) -> None:
    schedule = knockout(names(bots), games, 3, paired)
    _, results, done = play_all(schedule)
    pairings = schedule.pairings(done)
    assert len(pairings) == bots - 1
    lost = [bot for bot in names(bots) if schedule.ranking(done)[0].bot != bot]
    assert sorted(place.bot for place in schedule.ranking(done) if place.remark.startswith("lost to")) == sorted(lost)
    per_deal = 2 if paired else 1
    for pairing in pairings:
        score = done.score(pairing.number)
        assert schedule.deals.games <= score.games <= schedule.deals.games + 3 * per_deal
        deals = sorted({r.id.deal for r in results if r.id.pairing == pairing.number})
        begin = pairing.round * (schedule.deals.units + 3)
        assert deals == list(range(begin, begin + len(deals)))


def test_knockout_byes_go_to_the_first_seeds() -> None:
    schedule = knockout(names(6), 2)
    assert [(p.a, p.b, p.round) for p in schedule.pairings(Progress())] == [("bot3", "bot4", 0), ("bot2", "bot5", 0)]
    assert bracket(8) == [0, 7, 3, 4, 1, 6, 2, 5]


def test_knockout_plays_on_after_a_draw_then_points_then_seed() -> None:
    schedule = knockout(["a", "b"], 2, extra=1)
    drawn = played((2, 3), "ab")
    (task,) = schedule.tasks(drawn)
    assert (task.deal, schedule.planned(drawn), label(schedule, drawn)) == (1, 4, "")
    for stones, decided_by, ranking in (
        ((2, 3), "match points", ["a", "b"]),  # b has 5+2+5+2 points, a 5+3+5+3
        ((3, 2), "match points", ["b", "a"]),
        ((2, 2), "seed", ["a", "b"]),
    ):
        done = played(stones, "ab", "ba")
        assert not list(schedule.tasks(done))
        assert label(schedule, done) == decided_by
        assert [place.bot for place in schedule.ranking(done)] == ranking
        assert schedule.ranking(done)[1].remark == f"lost to {ranking[0]} in round 1"
    assert label(schedule, played((2, 2), "bb")) == "games"


def label(schedule: Knockout, done: Progress) -> str:
    """Return by what the only meeting was decided."""
    [[meeting]] = schedule.round_results(done)
    return meeting.decided_by


def played(stones: tuple[int, int], *wins: str) -> Progress:
    """Return pairs of games between a and b; `stones` are the loser's when a won and when b won."""
    done = Progress()
    for deal, winners in enumerate(wins):
        for game, winner in enumerate(winners):
            first = "ab"[game]
            loser = stones[0] if winner == "a" else stones[1]
            owned = (5, loser) if winner == first else (loser, 5)
            result = fake_result(GameTask(0, deal, game, first, "ba"[game], 0))
            done.add(replace(result, score=float(winner == first), stones=owned))
    return done


@settings(max_examples=25)
@given(st.integers(2, 20), st.integers(1, 4), st.integers(0, 60))
def test_the_bracket_leads_from_round_to_round(bots: int, games: int, units: int) -> None:
    schedule = knockout(names(bots), games, 1)
    _, results, _ = play_all(schedule)
    done = Progress(results[: units * 2])
    rounds = schedule.round_results(done)
    assert [len(one) for one in rounds] == [2**at for at in reversed(range(len(rounds)))]
    assert {bot for one in rounds[0] for bot in (one.a, one.b)} - {None} == set(names(bots))
    for earlier, later in pairwise(rounds):
        for at, meeting in enumerate(later):
            assert (meeting.a, meeting.b) == (earlier[2 * at].winner, earlier[2 * at + 1].winner)
    for meeting in (meeting for one in rounds for meeting in one):
        assert (meeting.winner is None) == (meeting.decided_by == "")
        assert meeting.winner in (None, meeting.a, meeting.b)
        lead = meeting.score.wins - meeting.score.losses
        if meeting.decided_by == "games":
            assert meeting.winner == (meeting.a if lead > 0 else meeting.b)
    champion = schedule.ranking(done)[0]
    assert (rounds[-1][0].winner == champion.bot) == (champion.remark == "winner")
