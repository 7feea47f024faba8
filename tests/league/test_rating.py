"""The standing: a fit over all games that count, in the gauge of the table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.league import book, versions
from arena.league.rating import Standings, league_standings
from arena.league.store import League
from arena.league.versions import Version
from arena.results.run_data import with_bots
from arena.results.run_standings import standings
from arena.results.sources import StoredLeague
from arena.results.words import remarks
from arena.stats.ratings import rate
from tests.cli.conftest import json_of
from tests.league.leagues import FIRST, enter, league, played, some_points, submission


def elo(table: Standings) -> dict[str, float | None]:
    return {place.version.label: place.elo for place in table.rows}


def field(found: League) -> list[Version]:
    """Three bots that have met."""
    a, b, c = enter(found, "a", "b", "c")
    played(
        found,
        [(a, b, some_points(40, 0.7, 1)), (b, c, some_points(40, 0.6, 2)), (a, c, some_points(20, 0.8, 3))],
    )
    return [a, b, c]


def test_without_games(found: League) -> None:
    enter(found, "a", "b")
    assert [(p.rank, p.version.name, p.elo, p.error95) for p in league_standings(found).rows] == [
        (1, "a", None, None),
        (2, "b", None, None),
    ]


def test_is_the_fit_of_the_ratings(found: League) -> None:
    versions = field(found)
    fit = rate(found.reader().arrays_of({v.id: v.label for v in versions}))
    table = league_standings(found)
    assert [p.version.label for p in table.rows] == list(fit.bots)
    assert [p.elo for p in table.rows] == pytest.approx(list(fit.elo))
    assert [p.minus for p in table.rows] == pytest.approx(list(fit.minus))
    assert [p.plus for p in table.rows] == pytest.approx(list(fit.plus))
    for error in (*(p.width for p in table.rows), *fit.plus, *fit.minus, fit.first_advantage_error95):
        assert error == round(error, 11)  # what lies beyond differs between processes
    assert [(p.score.games, p.score.wins, p.score.losses) for p in table.rows] == list(
        zip(fit.games, fit.wins, fit.losses)
    )
    assert [p.rank for p in table.rows] == [1, 2, 3]
    assert table.total == 200


def test_a_replaced_version_still_counts(found: League) -> None:
    a, _, c = field(found)
    before = league_standings(found)
    enter(found, "b", source=f"# another\n{FIRST}")
    table = league_standings(found)
    assert [p.version.label for p in table.rows] == ["a v1", "c v1", "b v2"]
    # a and c are as far apart as they were, also by their games against the old version
    assert apart(table, a, c)[0] == pytest.approx(apart(before, a, c)[0])
    assert apart(table, a, c)[1] == pytest.approx(apart(before, a, c)[1])
    assert sum(p.elo or 0 for p in table.rows) == pytest.approx(0, abs=1e-9)
    assert [row.version.label for row in table.others] == ["b v1"]


def apart(table: Standings, one: Version, other: Version) -> tuple[float, float]:
    found = table.difference(one.id, other.id)
    assert found is not None
    return found.elo, found.error95


def test_a_retired_bot_does_not_count(found: League) -> None:
    a, b, _ = field(found)
    book.retire(found, "c")
    table = league_standings(found)
    alone = found.reader().arrays_of({v.id: v.label for v in (a, b)})
    assert [p.version.name for p in table.rows] == ["a", "b"]
    assert [p.elo for p in table.rows] == pytest.approx(list(rate(alone).elo))
    assert table.others == ()


def test_a_refused_version_does_not_count(found: League) -> None:
    field(found)
    before = elo(league_standings(found))
    one = book.enqueue(found, submission("d", FIRST)).version
    played(found, [(one, versions.get(found, 1), [2, 2, 2])])
    assert elo(league_standings(found)) == before  # nor does one that is being placed
    assert len(league_standings(found, one).rows) == 4
    book.refuse(found, one, "no")
    assert elo(league_standings(found)) == before


def test_a_candidate_stands_for_its_bot(found: League) -> None:
    field(found)
    one = book.enqueue(found, submission("b", f"# new\n{FIRST}")).version
    played(found, [(one, versions.get(found, 1), [1] * 10)])
    with_it = league_standings(found, one)
    assert sorted(p.version.label for p in with_it.rows) == ["a v1", "b v2", "c v1"]
    assert [row.version.label for row in with_it.others] == ["b v1"]


def test_the_anchor(tmp_path: Path) -> None:
    with league(tmp_path, rating={"anchor": "b", "anchor_elo": 1500}) as found:
        a, b, c = enter(found, "a", "b", "c")
        played(found, [(a, c, [1, 2])])
        assert sum(row.elo or 0 for row in league_standings(found).rows) == pytest.approx(0, abs=1e-9)
        played(found, [(a, b, some_points(40, 0.7)), (b, c, some_points(40, 0.6))])
        table = league_standings(found)
        place = table.row_of(b.id)
        assert place is not None
        assert (place.elo, place.minus, place.plus) == (1500, 0, 0)
        free = league_standings(found, anchored=False)
        held, loose = (np.array([row.elo for row in one.rows]) for one in (table, free))
        assert loose.mean() == pytest.approx(0, abs=1e-9)
        assert held - loose == pytest.approx([held[0] - loose[0]] * 3)


def test_groups_that_have_not_met(found: League) -> None:
    a, b, c, d = enter(found, "a", "b", "c", "d")
    played(found, [(a, b, some_points(20, 0.7)), (c, d, some_points(20, 0.6))])
    table = league_standings(found)
    assert sorted(row.group or 0 for row in table.rows) == [0, 0, 1, 1]
    for pair in ((a, b), (c, d)):
        places = [table.row_of(v.id) for v in pair]
        assert sum(p.elo or 0 for p in places if p is not None) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("rating", [{}, {"anchor": "a", "anchor_elo": 1500, "prior": 5}])
def test_statistics_and_reports_are_on_the_scale_of_the_table(tmp_path: Path, rating: dict[str, Any]) -> None:
    with league(tmp_path, rating=rating) as found:
        a, b, _ = field(found)
        (new,) = enter(found, "b", source=f"# another\n{FIRST}")
        played(found, [(a, new, some_points(40, 0.6, 4))])
        table = league_standings(found)
    run = StoredLeague(tmp_path).data()
    for games in (run, with_bots(run, (), run.bots)):
        rows = standings(games).rows
        shown = {row["bot"]: (row["elo"], row["elo_minus"], row["elo_plus"]) for row in rows}
        assert {row.version.label: shown[row.version.label] for row in table.rows} == {
            row.version.label: pytest.approx((row.elo, row.minus, row.plus)) for row in table.rows
        }
    (old,) = table.others
    assert shown[b.label] == pytest.approx((old.elo, old.minus, old.plus)), "where it was asked for"
    rated = {row["bot"]: row["elo"] for row in json_of("rate", tmp_path, "--json")["standings"]}
    assert rated == {row["bot"]: pytest.approx(row["elo"], abs=0.005) for row in standings(run).rows}
    zero = "a v1 (1500)" if rating else "the average of the league's table (0)"
    assert f"Ratings are relative to {zero}" in remarks(standings(run))[-1]
