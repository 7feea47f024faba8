"""What is said to be the chance that the first of a field is stronger than the second comes true as often."""

from __future__ import annotations

import numpy as np
import pytest

from arena.stats.ratings import superiority


def said_and_true(bots: int, games: int, spread: float, fields: int) -> tuple[float, float]:
    """Return the mean chance, and how often the first is stronger, in round robins with so many games a pairing."""
    rng = np.random.default_rng(1)
    scale = 400 / np.log(10)
    said, true = [], []
    for _ in range(fields):
        strength = rng.normal(0, spread, bots)
        expected = 1 / (1 + np.exp((strength - strength[:, None]) / scale))
        information = games * expected * (1 - expected) / scale**2
        np.fill_diagonal(information, 0)
        covariance = np.linalg.pinv(np.diag(information.sum(axis=1)) - information)
        ratings = rng.multivariate_normal(strength - strength.mean(), covariance)
        first, second = np.argsort(-ratings)[:2]
        said.append(superiority(ratings, covariance)[first, second])
        true.append(strength[first] > strength[second])
    return float(np.mean(said)), float(np.mean(true))


@pytest.mark.parametrize("spread", [15, 40, 150, 400])
@pytest.mark.parametrize(("bots", "games"), [(5, 20), (4, 100)])
def test_it_comes_true(bots: int, games: int, spread: float) -> None:
    said, true = said_and_true(bots, games, spread, 400)
    assert said == pytest.approx(true, abs=0.04 + 2 * np.sqrt(true * (1 - true) / 400))


def test_of_a_wide_field_it_is_the_normal_distribution_and_of_noise_a_half() -> None:
    errors = np.eye(4) * 20.0**2
    wide = superiority(np.array([900.0, 300.0, 270.0, -800.0]), errors)
    assert wide[1, 2] == pytest.approx(0.855, abs=0.01)  # Phi(30 / (20 sqrt 2))
    close = superiority(np.array([20.0, 5.0, -5.0, -20.0]), errors)
    assert 0.5 < close[0, 1] < 0.65  # Phi would say 0.70
    assert np.allclose(close + close.T, 1)
