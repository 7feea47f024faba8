"""The functions of probability that a table of standings needs, without scipy, which takes 0.2 s to load."""

from __future__ import annotations

import math

import numpy as np

from arena.stats.frames import Floats, Ints

_EXACT = 500
Z95 = 1.959963984540054
"""The normal quantile of 0.975."""


def expit(x: Floats) -> Floats:
    """1/(1 + exp(-x)).

    >>> expit(np.array([0.0, -800.0])).tolist()
    [0.5, 0.0]
    """
    small = np.exp(-np.abs(x))
    return np.asarray(np.where(x >= 0, 1.0, small) / (1 + small), dtype=np.float64)


def log_expit(x: Floats) -> Floats:
    """The logarithm of `expit`, also where that is 0 in floating-point numbers.

    >>> log_expit(np.array([-800.0])).tolist()
    [-800.0]
    """
    return np.asarray(-np.logaddexp(0.0, -x), dtype=np.float64)


def t_quantile(freedom: Ints | int) -> Floats:
    """The 97.5 % quantile of Student's t for whole degrees of freedom from 1 on.

    >>> t_quantile(np.array([1, 10, 10**6])).round(4).tolist()
    [12.7062, 2.2281, 1.96]
    """
    degrees, place = np.unique(freedom, return_inverse=True)
    found = [_exact_quantile(one) if one < _EXACT else _far_quantile(one) for one in degrees.tolist()]
    return np.array(found)[place].reshape(np.shape(freedom))


def _far_quantile(freedom: int) -> float:
    """Expansion in powers of 1/freedom (Abramowitz and Stegun 26.7.5); its error is below 2e-14 from 500 on."""
    z, z2 = Z95, Z95 * Z95
    terms = (
        z * (z2 + 1) / 4,
        z * ((5 * z2 + 16) * z2 + 3) / 96,
        z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384,
        z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160,
    )
    total = 0.0
    for term in reversed(terms):
        total = (total + term) / freedom
    return z + total


def _exact_quantile(freedom: int) -> float:
    """By Newton's method on the finite series for the probability of |t| (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    if freedom == 1:
        return float(np.tan(0.95 * np.pi / 2))
    odd = freedom % 2
    steps = np.arange(1, freedom // 2)
    factors = np.cumprod(np.append(1.0, 2 * steps / (2 * steps + 1) if odd else (2 * steps - 1) / (2 * steps)))
    powers = 2 * np.arange(len(factors)) + odd
    rise = float(factors[-1]) * (freedom - 1) * (2 / math.pi if odd else 1.0)
    angle = math.atan2(_far_quantile(freedom), math.sqrt(freedom))
    for _ in range(50):
        series = math.sin(angle) * float((factors * math.cos(angle) ** powers).sum())
        chance = 2 / math.pi * (angle + series) if odd else series
        step = (chance - 0.95) / (rise * math.cos(angle) ** (freedom - 1))
        angle -= step
        if abs(step) < 1e-15:
            break
    return math.tan(angle) * math.sqrt(freedom)
