"""Head to head against fishtest's figures, and the distributions behind it against scipy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import special
from scipy.stats import beta

from arena.stats import distributions
from arena.stats.frames import StatsError
from arena.stats.pairs import HeadToHead, counts_between, fishtest, head_to_head, pair_cells, score_of_elo, units_needed


def test_agrees_with_the_reference(reference: dict[str, Any]) -> None:
    seen = 0
    for kind in ("pentanomial", "trinomial"):
        for case in reference[kind].values():
            found = fishtest(case["counts"])
            assert found.elo == pytest.approx(case["elo"], abs=1e-6)
            assert found.elo_error95 == pytest.approx(case["elo_error95"], abs=1e-6)
            assert found.los == pytest.approx(case["los"], abs=1e-6)
            assert found.normalized_elo == pytest.approx(case["normalized_elo"], abs=1e-6)
            seen += 1
    assert seen >= 8


@pytest.mark.parametrize("cells", [3, 5])
@pytest.mark.parametrize("units", [2, 10, 1000])
def test_one_sided_results_are_never_more_certain(units: int, cells: int) -> None:
    """A pair more that is won moves both ends up and widens the interval; a shut-out has no upper end."""
    last: HeadToHead | None = None
    for lost in range(min(units // 2, 6), -1, -1):
        found = head_to_head([lost, *[0] * (cells - 2), units - lost])
        assert found.elo_low <= found.elo <= found.elo_high
        if last is not None:
            assert found.elo_low > last.elo_low
            assert found.elo_high > last.elo_high
            assert found.elo_error95 > last.elo_error95
            assert found.los > last.los or found.los == 1
        last = found
    assert last is not None
    assert (last.flag, last.elo_error95, last.elo_high) == (">", math.inf, math.inf)


@pytest.mark.parametrize(("units", "bound"), [(1, -511.5), (5, 34.4), (100, 606.8)])
def test_a_shut_out_is_a_bound(units: int, bound: float) -> None:
    """The score at which so many pairs, won or lost as one, are all won with a probability of 5%."""
    found = head_to_head([0, 0, 0, 0, units])
    assert (found.flag, found.score, found.games) == (">", 1.0, 2 * units)
    assert found.bound == found.elo_low == pytest.approx(bound, abs=0.05)
    assert score_of_elo(found.bound) == pytest.approx(0.05 ** (1 / units), abs=1e-9)
    assert found.los == pytest.approx(beta.sf(0.5, units + 0.5, 0.5), abs=1e-5)  # two games: 0.818
    assert head_to_head([units, 0, 0, 0, 0]).bound == -found.bound


@pytest.mark.parametrize(("lost", "won"), [(3, 7), (1, 0), (1, 99), (450, 550)])
def test_games_have_the_limits_of_clopper_and_pearson(lost: int, won: int) -> None:
    found = head_to_head([lost, 0, won])
    tail = 0.05 if found.flag else 0.025
    if won:
        assert score_of_elo(found.elo_low) == pytest.approx(beta.ppf(tail, won, lost + 1), abs=1e-8)
    assert score_of_elo(found.elo_high) == pytest.approx(beta.ppf(1 - tail, won + 1, lost), abs=1e-8)


@pytest.mark.parametrize(
    ("counts", "error"), [([50, 0, 350, 0, 100], 5.0), ([5, 0, 35, 0, 10], 20.0), ([2, 1, 4], 40.0)]
)
def test_units_needed_bring_the_error_down_to_the_wish(counts: list[int], error: float) -> None:
    more = units_needed(counts, error)
    assert more is not None
    assert units_needed(counts, 1e6) == 0
    with pytest.raises(StatsError, match="above 0"):
        units_needed(counts, error=0)
    scale = 1 + more / sum(counts)
    reached = head_to_head([round(1000 * count * scale) for count in counts])  # a thousand times as many: a 31st
    few = head_to_head([round(count * scale) for count in counts])
    assert few.elo_error95 == pytest.approx(error, rel=0.01)
    assert reached.elo_error95 < error


def frame(rows: list[tuple[int, str, str, float]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["deal", "first", "second", "score"])


GAMES = frame(
    [
        (7, "ann", "bob", 1.0),
        (7, "bob", "ann", 0.0),  # ann wins both: WW
        (3, "bob", "ann", 1.0),
        (3, "ann", "bob", 0.5),  # ann: L + D
        (4, "ann", "bob", 1.0),  # no partner yet
        (7, "ann", "cid", 1.0),
        (7, "cid", "ann", 1.0),  # split
    ]
)


def test_pairs_are_found_in_order() -> None:
    pairs = pair_cells(GAMES)
    assert pairs[["deal", "bot", "opponent", "points", "cell"]].values.tolist() == [
        [7, "ann", "bob", 2.0, 4],
        [3, "ann", "bob", 0.5, 1],
        [7, "ann", "cid", 1.0, 2],
    ]
    assert counts_between(GAMES, "ann", "bob") == (0, 1, 0, 0, 1)
    assert counts_between(GAMES, "bob", "ann") == (1, 0, 0, 1, 0)
    assert pair_cells(GAMES.iloc[[0, 2, 4, 5, 1, 6, 3]])["cell"].tolist() == [4, 1, 2]
    twice = pd.concat([GAMES.iloc[:2], GAMES.iloc[:2].assign(score=[0.0, 1.0])])
    assert pair_cells(twice)["cell"].tolist() == [4, 0]


def test_pairings_keep_pairs_apart() -> None:
    games = pd.concat([GAMES.iloc[:1].assign(pairing=0), GAMES.iloc[1:2].assign(pairing=1)])
    assert len(pair_cells(games)) == 0


def test_unpaired_designs_are_counted_by_games() -> None:
    lone = GAMES.iloc[[0, 2, 4]]
    assert counts_between(lone, "ann", "bob") == (1, 0, 2)
    assert counts_between(GAMES.drop(columns="deal"), "ann", "bob") == (1, 1, 3)


# ---------------------------------------------------------------- distributions


def test_quantiles_of_the_t_distribution() -> None:
    degrees = np.array([[1, 2, 3], [17, 999, 1000], [1001, 10**5, 10**9]])
    np.testing.assert_allclose(distributions.t_width(degrees), special.stdtrit(degrees, 0.975), rtol=1e-12)
    assert float(distributions.t_width(9)) == pytest.approx(special.stdtrit(9, 0.975), rel=1e-14)


def test_logistic_and_normal_functions() -> None:
    x = np.concatenate([np.linspace(-30, 30, 601), [-700.0, 700.0]])
    np.testing.assert_allclose(distributions.expit(x), special.expit(x), rtol=1e-12)
    np.testing.assert_allclose(distributions.log_expit(x), special.log_expit(x), rtol=1e-12)
    np.testing.assert_allclose(distributions.normal_cdf(x[:601]), special.ndtr(x[:601]), rtol=1e-12)
    p = np.array([1e-300, 1e-9, 0.2, 0.5, 0.975, 1 - 1e-15])
    np.testing.assert_allclose(distributions.normal_quantile(p), special.ndtri(p), rtol=1e-12)
    np.testing.assert_allclose(distributions.logit(p), special.logit(p), atol=1e-12)
