"""Shares rounded as if computed with whole numbers."""

from __future__ import annotations

import math


def half_up(share: float, digits: int) -> float:
    """A share rounded to so many digits, halves away from 0; nan and infinite values as they are.

    The float of a share of whole numbers is off by its last binary digit: 1000 times 207/400, which is 517.5, may be a
    little less. Nine decimal digits behind the point forget that, and no other share of up to 10^8 comes so near.

    >>> half_up(207 / 400, 3), half_up(193 / 400, 3), half_up(1 / 32, 4), half_up(-1 / 32, 4)
    (0.518, 0.483, 0.0313, -0.0313)
    """
    if not math.isfinite(share):
        return share
    whole = math.floor(round(abs(share) * 10**digits, 9) + 0.5)
    return math.copysign(whole / 10**digits, share) if whole else 0.0
