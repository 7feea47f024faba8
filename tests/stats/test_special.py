"""What stands in for scipy gives scipy's numbers."""

from __future__ import annotations

import numpy as np
from scipy import sparse, special
from scipy.sparse.csgraph import connected_components

from arena.stats.games import by_appearance, numbered
from arena.stats.graphs import groups, has_negative_cycle, outwards, strong_groups
from arena.stats.special import Z95, expit, log_expit, t_quantile


def test_quantiles_of_student() -> None:
    degrees = np.concatenate([np.arange(1, 1200), [10**4, 10**6, 10**9]])
    np.testing.assert_allclose(t_quantile(degrees), special.stdtrit(degrees, 0.975), rtol=5e-14)
    assert float(special.ndtri(0.975)) == Z95


def test_logistic_functions() -> None:
    x = np.concatenate([np.linspace(-40, 40, 1001), [-800.0, 800.0]])
    np.testing.assert_allclose(expit(x), special.expit(x), rtol=1e-15, atol=1e-300)
    np.testing.assert_allclose(log_expit(x), special.log_expit(x), rtol=1e-15, atol=1e-300)


def test_groups_of_graphs() -> None:
    rng = np.random.default_rng(1)
    for n in (1, 2, 5, 40, 130):
        for edges in (0, n // 2, n, 3 * n):
            start, end = rng.integers(0, n, (2, edges))
            graph = sparse.csr_matrix((np.ones(edges), (start, end)), shape=(n, n))
            for found, options in (
                (strong_groups(n, start, end), {"directed": True, "connection": "strong"}),
                (groups(n, start, end), {"directed": False}),
            ):
                count, wanted = connected_components(graph, **options)
                assert len(set(found.tolist())) == len(set(zip(found.tolist(), wanted.tolist()))) == count


def test_topological_order() -> None:
    start, end = np.array([0, 1, 0, 3, 5]), np.array([1, 2, 2, 2, 4])
    assert outwards(6, start, end, np.array([0])) == [1, 2]
    assert outwards(6, start, end, np.array([0, 5])) == [1, 4, 2]


def test_negative_cycles() -> None:
    weight = np.full((4, 4), np.inf)
    weight[0, 1] = weight[1, 2] = 1.0
    weight[2, 0] = -2.0
    weight[3, 0] = -5.0
    assert not has_negative_cycle(weight)
    weight[2, 0] = -2.5
    assert has_negative_cycle(weight)
    assert not has_negative_cycle(np.empty((0, 0)))


def test_numbers_of_keys() -> None:
    rng = np.random.default_rng(1)
    for top in (3, 1000, 2**60):  # looked up in a table, and sorted
        keys = rng.integers(0, top, 500)
        found, place = numbered(keys)
        assert found.tolist() == sorted(set(keys.tolist()))
        assert (found[place] == keys).all()
        codes, count = by_appearance(keys)
        order = list(dict.fromkeys(keys.tolist()))
        assert [order[code] for code in codes.tolist()] == keys.tolist()
        assert count == len(order)
    assert numbered(np.empty(0, np.int64))[0].tolist() == []
