"""Distribution functions and their inverses, where numpy and the standard library suffice.

scipy.special takes as long to load as a table of a hundred games takes to compute, so only functions that few tables
need load it.
"""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.stats.frames import Floats

_NORMAL = NormalDist()
Z95 = _NORMAL.inv_cdf(0.975)
"""Half the width of a 95% interval in standard deviations of a normal distribution."""
_MANY = 1000  # degrees of freedom from which the expansion is exact to the last digit
_erfc = np.frompyfunc(math.erfc, 1, 1)
_inverse = np.frompyfunc(_NORMAL.inv_cdf, 1, 1)


def expit(x: Any) -> Any:
    """Return the logistic function 1 / (1 + exp(-x))."""
    return np.exp(log_expit(x))


def log_expit(x: Any) -> Any:
    """Return the logarithm of `expit`."""
    return -np.logaddexp(0.0, np.negative(x))


def logit(p: Any) -> Any:
    """Return the inverse of `expit` for 0 < p < 1."""
    return np.log(p) - np.log1p(np.negative(p))


def normal_cdf(x: npt.ArrayLike) -> Floats:
    """Return the probabilities that a standard normal variable is at most `x`."""
    return np.asarray(_erfc(np.asarray(x) / -math.sqrt(2)), dtype=np.float64) / 2


def normal_quantile(p: npt.ArrayLike) -> Floats:
    """Return the inverse of `normal_cdf` for 0 < p < 1."""
    return np.asarray(_inverse(p), dtype=np.float64)


def t_cdf(freedom: Any, x: Any) -> Any:
    """Return the probability that a variable with Student's t distribution is at most `x`."""
    from scipy.special import stdtr  # slow to load

    return stdtr(freedom, x)


def t_quantile(freedom: Any, p: float) -> Any:
    """Return the inverse of `t_cdf`."""
    from scipy.special import stdtrit  # slow to load

    return stdtrit(freedom, p)


def t_width(freedom: npt.ArrayLike) -> Floats:
    """Return the 97.5% quantiles of Student's t distribution for whole degrees of freedom."""
    degrees, place = np.unique(np.asarray(freedom, dtype=np.int64), return_inverse=True)
    return np.array([_t_width(int(n)) for n in degrees])[place].reshape(np.shape(freedom))


@cache
def _t_width(n: int) -> float:
    """Solve for the quantile by Newton's method, from the left of it, where the distribution function is concave."""
    z = Z95
    t = z + (z**3 + z) / (4 * n)  # the beginning of the Cornish-Fisher expansion (Abramowitz & Stegun 26.7.5)
    t += (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2) + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
    t += (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * n**4)
    while n < _MANY:
        log_scale = math.lgamma((n + 1) / 2) - math.lgamma(n / 2) - math.log(n * math.pi) / 2
        density = math.exp(log_scale - (n + 1) / 2 * math.log1p(t * t / n))
        step = (0.95 - _t_inside(n, t)) / (2 * density)
        if step <= 1e-15 * t:
            break
        t += step
    return t


def _t_inside(n: int, t: float) -> float:
    """Return the probability of -t .. t under Student's t distribution (Abramowitz & Stegun 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(n))
    cos = math.cos(angle)
    odd = n % 2
    term, total = cos if odd else 1.0, 0.0
    for k in range(2 + odd, n + 1, 2):
        total += term
        term *= cos * cos * (k - 1) / k
    total *= math.sin(angle)
    return (angle + total) * 2 / math.pi if odd else total
