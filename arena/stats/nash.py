"""Nash averaging (Balduzzi, Tuyls, Perolat, Graepel: Re-evaluating Evaluation, NeurIPS 2018).

The pairwise logits log(p/(1-p)) form the matrix of a symmetric zero-sum game "choose a bot". The maximum-
entropy equilibrium weights the bots; the Nash rating of a bot is its mean logit against that mixture. Bots in the
mixture are rated 0, all others lower. Copies of a bot share its weight and change nobody's rating, and beating only
weak bots gains nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import linprog, minimize
from scipy.special import logsumexp

from arena.stats.frames import Bools, Floats, StatsError, as_floats, bot_names, check_games
from arena.stats.pairs import ELO_SCALE
from arena.stats.ratings import Ratings

DEFAULT_PRIOR = 2.0


@dataclass(frozen=True)
class NashRatings:
    """Nash averaging of a field, best first (by rating, then weight, then name).

    weight   share of each bot in the equilibrium, sum 1
    elo      mean Elo advantage against the equilibrium: 0 within it, below 0 outside
    prior    virtual draws for each pair of bots that met
    """

    bots: tuple[str, ...]
    weight: Floats
    elo: Floats
    prior: float

    def frame(self) -> pd.DataFrame:
        """One row per bot: bot, nash_weight, nash_elo."""
        return pd.DataFrame({"bot": list(self.bots), "nash_weight": self.weight, "nash_elo": self.elo})


def win_logits(
    games: pd.DataFrame, prior: float = DEFAULT_PRIOR, ratings: Ratings | None = None
) -> tuple[list[str], Floats]:
    """Names and the antisymmetric matrix of log odds that the row bot beats the column bot.

    Both seats have equal weight where two bots met in both. `prior` virtual draws between two bots that met keep
    perfect scores finite. Bots that never met get the difference of their `ratings`; StatsError without
    `ratings`, or where they are not finite.
    """
    if not prior >= 0:
        raise StatsError(f"prior {prior:g}: expected a number of virtual draws, 0 or more")
    checked = check_games(games)
    names = bot_names(checked)
    n = len(names)
    number_of = {name: number for number, name in enumerate(names)}
    first = checked["first"].map(number_of).to_numpy(dtype=np.int64)
    second = checked["second"].map(number_of).to_numpy(dtype=np.int64)
    cell = first * n + second
    games_first = np.bincount(cell, minlength=n * n).reshape(n, n).astype(np.float64)
    points_first = np.bincount(cell, weights=checked["score"], minlength=n * n).reshape(n, n)
    met = games_first + games_first.T
    points = points_first + (games_first - points_first).T
    both = (games_first > 0) & (games_first.T > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(both, (points_first / games_first + 1 - (points_first / games_first).T) / 2, points / met)
        share = (share * met + prior / 2) / (met + prior)
        logits = np.log(share / (1 - share))
    strange = (met == 0) & ~np.eye(n, dtype=bool)
    if strange.any():
        logits = np.where(strange, _rated_difference(names, strange, ratings), logits)
    np.fill_diagonal(logits, 0.0)
    if not np.isfinite(logits).all():
        i, j = np.argwhere(~np.isfinite(logits))[0]
        raise StatsError(f"'{names[i]}' and '{names[j]}': a perfect score has no log odds; use a prior above 0")
    return names, logits


def _rated_difference(names: list[str], strange: Bools, ratings: Ratings | None) -> Floats:
    if ratings is None:
        i, j = np.argwhere(strange)[0]
        raise StatsError(
            f"'{names[i]}' and '{names[j]}' never met ({int(strange.sum()) // 2} such pairs of bots); Nash "
            "averaging needs all pairings, or ratings to fill the gaps"
        )
    elo = {bot: value for bot, value, flag in zip(ratings.bots, ratings.elo, ratings.flag) if not flag}
    for name in names:
        if name not in elo:
            raise StatsError(f"'{name}' has no finite rating to fill gaps with; use a prior above 0")
    values = np.array([elo[name] for name in names]) / ELO_SCALE
    gaps: Floats = values[:, None] - values[None, :]
    return gaps


def max_entropy_nash(payoff: npt.ArrayLike) -> Floats:
    """The maximum-entropy equilibrium of a symmetric zero-sum game: the shares of the pure strategies.

    `payoff` is antisymmetric: entry [i, j] is what i wins against j. Raises StatsError otherwise. The cost is that
    of two linear programs in n strategies: suitable for some hundreds of bots.

    >>> max_entropy_nash([[0, 1, -1], [-1, 0, 1], [1, -1, 0]]).round(3).tolist()
    [0.333, 0.333, 0.333]
    """
    matrix = as_floats(payoff, "payoff")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise StatsError(f"payoff: expected a square matrix, found the shape {matrix.shape}")
    if not np.isfinite(matrix).all() or not np.allclose(matrix, -matrix.T, atol=1e-9):
        raise StatsError("payoff: expected an antisymmetric matrix of finite numbers")
    size = float(np.abs(matrix).max())
    if size == 0:
        return np.full(len(matrix), 1 / len(matrix))
    # Equal rows are copies of one strategy; they share its weight equally.
    unique, copy_of, copies = _without_copies(matrix / size)
    weight = _spread_out(unique, copies)
    shares = weight[copy_of] / copies[copy_of]
    return np.asarray(shares / shares.sum(), dtype=np.float64)


def _without_copies(matrix: Floats) -> tuple[Floats, Any, Floats]:
    """The matrix with equal rows merged; the merged row of each original row; how many rows each stands for."""
    _, index, copy_of, count = np.unique(
        matrix.round(12), axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    return matrix[np.ix_(index, index)], np.ravel(copy_of), count.astype(np.float64)


def _spread_out(matrix: Floats, copies: Floats) -> Floats:
    """The equilibrium q of `matrix` with the greatest entropy, each q being divided among its copies."""
    support = _support(matrix)
    n, inner = len(matrix), int(support.sum())
    weight = np.zeros(n)
    if inner == 1:
        weight[support] = 1.0
        return weight
    # Rows of the support pay exactly 0 throughout the interior of the set of equilibria, others at most 0.
    # The dual has one multiplier per row and is smooth: q ~ copies * exp(-rows' multipliers).
    order = np.concatenate([np.nonzero(support)[0], np.nonzero(~support)[0]])
    rows = matrix[np.ix_(order, support)]
    base = np.log(copies[support])

    def dual(multiplier: Floats) -> tuple[float, Floats]:
        power = base - rows.T @ multiplier
        total = float(logsumexp(power))
        return total, -(rows @ np.exp(power - total))

    solution = minimize(
        dual,
        np.zeros(n),
        jac=True,
        method="L-BFGS-B",
        bounds=[(None, None)] * inner + [(0.0, None)] * (n - inner),
        options={"maxiter": 20000, "maxfun": 40000, "ftol": 1e-15, "gtol": 1e-9},
    )
    power = base - rows.T @ solution.x
    weight[support] = np.exp(power - logsumexp(power))
    worst = float((matrix @ weight).max())
    if worst > 1e-4:
        raise StatsError(f"the Nash equilibrium was not found (a bot still gains {worst:.2g} of the largest payoff)")
    return weight


def _support(matrix: Floats) -> Bools:
    """Strategies that have positive weight in some equilibrium.

    Equilibria are the directions of the cone q >= 0, matrix q <= 0. All that can be positive in it can be
    positive together, and be 1 or more; so the largest sum of min(q, 1) finds them all in one program.
    """
    n = len(matrix)
    identity = np.eye(n)
    program = linprog(
        c=np.concatenate([np.zeros(n), -np.ones(n)]),
        A_ub=np.block([[matrix, np.zeros((n, n))], [-identity, identity]]),
        b_ub=np.zeros(2 * n),
        bounds=[(0, None)] * n + [(0, 1)] * n,
        method="highs",
    )
    if program.x is None:
        raise StatsError(f"the Nash equilibrium was not found ({program.message})")
    return np.asarray(program.x[n:] > 1e-6, dtype=bool)


def nash_ratings(games: pd.DataFrame, prior: float = DEFAULT_PRIOR, ratings: Ratings | None = None) -> NashRatings:
    """Nash averaging of a games frame; see `win_logits` for `prior` and `ratings`.

    StatsError if no chain of games links all bots: there is no game between the groups to take an equilibrium of.
    """
    if ratings is not None and int(ratings.group.max()) > 0:
        groups = [[bot for bot, group in zip(ratings.bots, ratings.group) if group == number] for number in (0, 1)]
        raise StatsError(
            f"'{groups[0][0]}' and '{groups[1][0]}' are linked by no chain of games, so there is no Nash equilibrium"
            " over both; rate each group by itself"
        )
    names, logits = win_logits(games, prior, ratings)
    weight = max_entropy_nash(logits)
    elo = logits @ weight * ELO_SCALE
    rounded = elo.round(6) + 0.0
    order = sorted(range(len(names)), key=lambda i: (-rounded[i], -weight[i], names[i]))
    return NashRatings(tuple(names[i] for i in order), weight[order], elo[order], prior)
