"""The distribution functions that are computed without scipy agree with scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from arena.stats import distributions


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
