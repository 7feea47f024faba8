"""Define and check the games frame that every function of `arena.stats` takes, and turn it into arrays.

One row is one game. `first` is the bot that makes the first move; columns named `..._first` or `..._second` belong
to that seat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from arena.endings import ENDINGS, FORFEITS
from arena.errors import ArenaError, did_you_mean
from arena.stats import other_side
from arena.text import one_line

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

GAME_FACTS: dict[str, str] = {
    "deal_seed": "seed of the deal: of the run, or of the pairing if every pairing has its own deals; 0 if listed",
    "pairing": "number of the pairing in the schedule",
    "deal": "number of the deal: the same seed and number are the same cards",
    "game": "0 or 1: which game of the pair",
    "first": "name of the bot that makes the first move",
    "second": "name of its opponent",
    "score": "1, 0.5 or 0 points of the first player",
    "stones_first": "stones won by the first player (0..9)",
    "stones_second": "stones won by the second player (0..9)",
    "points_first": "match points of the first player (5, or the stones of the loser)",
    "points_second": "match points of the second player",
    "turns": "turns played by both players together",
    "plies": "decisions made by both players together",
    "ending": f"{', '.join(map(repr, ENDINGS[:-1]))} or {ENDINGS[-1]!r}",
    "forfeit": f"None, or {', '.join(map(repr, FORFEITS))}",
    "forfeit_by": "name of the bot that forfeited, or None",
    "ms_first": "thinking time of the first player in the whole game, milliseconds",
    "ms_second": "thinking time of the second player in the whole game, milliseconds",
    "decisions_first": "decisions the first player was asked for",
    "decisions_second": "decisions the second player was asked for",
}
"""Columns of a games frame. Only `first`, `second` and `score` are always needed."""

BASE = ("first", "second", "score")
_SEATED = ("stones", "points", "ms", "decisions")
"""Columns that exist for each seat."""


class StatsError(ArenaError):
    """Statistics cannot be computed from what was given."""


def as_floats(values: Any, what: str) -> Floats:
    """Convert `values` to floats. StatsError if one is not a number.

    >>> as_floats([1, "x"], "score")
    Traceback (most recent call last):
    arena.stats.frames.StatsError: score: could not convert string to float: 'x'
    """
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise StatsError(f"{what}: {error}") from None


def check_games(frame: pd.DataFrame, need: Sequence[str] = ()) -> pd.DataFrame:
    """Return a checked copy of a games frame with a clean index (0, 1, 2, ...).

    `need` names columns required in addition to first, second and score. StatsError for a missing column, an empty
    frame, a missing name, a bot that plays itself, and scores other than 0, 0.5 and 1.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"first": ["ann", "bob"], "second": ["bob", "ann"], "score": [1, 2]})
    >>> check_games(games)
    Traceback (most recent call last):
    arena.stats.frames.StatsError: games, row 1: score is 2, but the first player's points are 1, 0.5 or 0
    """
    require_columns(frame, (*BASE, *need))
    if len(frame) == 0:
        raise StatsError("games: no games")
    games = frame.reset_index(drop=True)
    for name in ("first", "second"):
        nameless = np.asarray(games[name].isna() | (games[name] == ""), dtype=bool)
        if nameless.any():
            raise StatsError(f"games, row {int(np.argmax(nameless))}: no name in column '{name}'")
    same = np.asarray(games["first"].astype(object) == games["second"].astype(object), dtype=bool)
    if same.any():
        row = int(np.argmax(same))
        raise StatsError(
            f"games, row {row}: '{games['first'].iloc[row]}' plays itself; such a game says nothing about strength"
        )
    score = as_floats(games["score"], "score")
    wrong = (score != 0) & (score != 0.5) & (score != 1)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise StatsError(f"games, row {row}: score is {score[row]:g}, but the first player's points are 1, 0.5 or 0")
    return games.assign(score=score)


def require_columns(frame: pd.DataFrame, names: Sequence[str]) -> None:
    """Raise StatsError with the nearest known name unless a frame has these columns."""
    for name in names:
        if name not in frame.columns:
            known = [str(column) for column in frame.columns]
            there = ", ".join(known) or "none"
            raise StatsError(f"games: no column '{name}'{did_you_mean(name, known)} (columns: {one_line(there, 200)})")


def by_seat(games: pd.DataFrame, *need: str) -> pd.DataFrame:
    """Return two rows per game, one for each bot: bot, opponent, seat ("first" or "second") and score of the bot.

    Also `stones`, `stones_against`, `points`, `points_against`, `ms`, `decisions` where known, and the other columns of
    the frame unchanged. The rows of the first players come first, in the frame's order. `need` names columns that the
    frame must have. A frame that is by seat already is returned as it is.
    """
    if "seat" in games.columns:
        return games
    import pandas as pd  # slow to load

    checked = check_games(games, need)
    halves = []
    for seat, other in (("first", "second"), ("second", "first")):
        half = checked.drop(columns=["first", "second", "score"])
        half = half[[c for c in half.columns if not str(c).endswith(("_first", "_second"))]].copy()
        half.insert(0, "bot", checked[seat])
        half.insert(1, "opponent", checked[other])
        seats = pd.Categorical.from_codes(
            np.full(len(half), int(seat == "second"), np.int8), pd.Index(["first", "second"])
        )
        half.insert(2, "seat", pd.Series(seats, half.index))  # quicker to compare than texts
        half.insert(3, "score", checked["score"] if seat == "first" else other_side(checked["score"]))
        for name in _SEATED:
            if f"{name}_{seat}" in checked.columns:
                half[name] = pd.to_numeric(checked[f"{name}_{seat}"])
                if name in ("stones", "points") and f"{name}_{other}" in checked.columns:
                    half[f"{name}_against"] = pd.to_numeric(checked[f"{name}_{other}"])
        halves.append(half)
    return pd.concat(halves, ignore_index=True)


def name_codes(games: pd.DataFrame) -> tuple[list[str], Ints, Ints]:
    """Return all bots of a games frame, sorted by name, and the number of the first and the second bot of each game."""
    import pandas as pd

    codes, unique = pd.factorize(pd.concat([games["first"], games["second"]], ignore_index=True))
    names, coded = in_order([str(label) for label in unique.tolist()], codes)
    return names, coded[: len(games)], coded[len(games) :]


def in_order(names: Sequence[str], codes: Ints) -> tuple[list[str], Ints]:
    """Return the names sorted, and the codes, which are indexes of names, renumbered accordingly."""
    order = sorted(range(len(names)), key=names.__getitem__)
    number = np.empty(len(names), dtype=np.int64)
    number[order] = np.arange(len(names))
    return [names[index] for index in order], number[codes]


def bot_names(games: pd.DataFrame) -> list[str]:
    """Return all bots of a games frame, sorted by name."""
    return sorted({*map(str, games["first"].unique()), *map(str, games["second"].unique())})


def require_bot(bot: str, known: Sequence[str], what: str = "games") -> None:
    """Raise StatsError with the nearest known name unless `bot` is one of `known`."""
    if bot not in known:
        listed = ", ".join(known[:10]) + (", ..." if len(known) > 10 else "")
        raise StatsError(f"no bot '{bot}' in these {what}{did_you_mean(bot, known)} (bots: {listed})")


def same_cards(seed: npt.NDArray[Any], deal: npt.NDArray[Any]) -> Ints:
    """Return a number for the cards of each game; games with the same seed and number of the deal have the same cards.

    >>> same_cards(np.array([7, 7, 9]), np.array([4, 5, 4])).tolist()
    [4, 5, 274877906948]
    """
    _, code = numbered(seed.astype(np.int64))
    return code << _DEAL_BITS | deal.astype(np.int64)


def deals_of(frame: pd.DataFrame) -> pd.Series | None:
    """Return what distinguishes the deals of a frame's rows, nan for a row without a deal; None if no row has one."""
    if "deal" not in frame.columns:
        return None
    if "deal_seed" not in frame.columns:
        return frame["deal"]
    seeds, _ = frame["deal_seed"].factorize()
    deals: pd.Series[Any] = frame["deal"] + (seeds.astype(np.int64) << _DEAL_BITS)
    return deals


def cluster_codes(deals: pd.Series | npt.ArrayLike | None, rows: int) -> tuple[Ints, int]:
    """Return the independent cluster of each row, and their number: one per deal, and one per row without a deal."""
    if deals is None:
        return np.arange(rows, dtype=np.int64), rows
    import pandas as pd

    codes, labels = pd.factorize(deals if isinstance(deals, np.ndarray) else pd.Series(deals))
    clusters = np.array(codes, dtype=np.int64)
    alone = clusters < 0
    clusters[alone] = len(labels) + np.arange(int(alone.sum()))
    return clusters, len(labels) + int(alone.sum())


# ---------------------------------------------------------------- games as arrays

_DEAL_BITS = 38  # numbers of deals are below 2**38
_TABLE = 1 << 20
"""Keys up to this, or up to four times their count, are looked up in a table instead of being sorted."""


@dataclass(frozen=True)
class GameArrays:
    """Checked games as arrays, one entry per game.

    bots            names, sorted; each of them played
    first, second   numbers of bots
    score           points of the first: 1, 1/2 or 0
    cluster         the deal, or a number of its own for a game without one: 0 .. `clusters` - 1
    pair            games on the same deal of the same pairing have the same number; -1 without a deal
    """

    bots: tuple[str, ...]
    first: Ints
    second: Ints
    score: Floats
    cluster: Ints
    clusters: int
    pair: Ints

    def only(self, rows: Bools) -> GameArrays:
        """Return some of the games; bots and clusters keep their numbers."""
        arrays = {name: getattr(self, name)[rows] for name in ("first", "second", "score", "cluster", "pair")}
        return replace(self, **arrays)


def games_of(frame: pd.DataFrame) -> GameArrays:
    """Return a games frame as arrays. Raise StatsError as `check_games` does."""
    checked = check_games(frame)
    words, first, second = name_codes(checked)
    cluster, clusters = cluster_codes(deals_of(checked), len(checked))
    pair = np.full(len(checked), -1, dtype=np.int64)
    if "deal" in checked.columns:
        known = np.asarray(checked["deal"].notna(), dtype=bool)
        pairing = np.zeros(len(checked), dtype=np.int64)
        if "pairing" in checked.columns:
            pairing = checked["pairing"].factorize(use_na_sentinel=False)[0].astype(np.int64)
        pair = np.where(known, cluster * (int(pairing.max()) + 1) + pairing, -1)
    score = checked["score"].to_numpy(dtype=np.float64)
    return GameArrays(tuple(words), first, second, score, cluster, clusters, pair)


def numbered(keys: Ints) -> tuple[Ints, Ints]:
    """Return the distinct keys in order, and the index of each key among them, as np.unique does.

    Much faster than np.unique for small numbers.
    """
    if not len(keys) or not _fit_a_table(keys):
        distinct, index = np.unique(keys, return_inverse=True)
        return distinct, index
    there = np.zeros(int(keys.max()) + 1, dtype=bool)
    there[keys] = True
    distinct = np.flatnonzero(there)
    number = np.empty(len(there), dtype=np.int64)
    number[distinct] = np.arange(len(distinct))
    return distinct, number[keys]


def by_appearance(keys: Ints) -> tuple[Ints, int]:
    """Assign numbers to the distinct keys in order of appearance; return the number of each key, and their count.

    >>> by_appearance(np.array([7, 3, 7, 5]))[0].tolist()
    [0, 1, 0, 2]
    """
    distinct, index = numbered(keys)
    first = np.empty(len(distinct), dtype=np.int64)
    first[index[::-1]] = np.arange(len(keys) - 1, -1, -1)  # for equal indices the last assignment wins
    rank = np.empty(len(distinct), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(distinct))
    return rank[index], len(distinct)


def _fit_a_table(keys: Ints) -> bool:
    return int(keys.min()) >= 0 and int(keys.max()) < max(_TABLE, 4 * len(keys))


def complete_pairs(games: GameArrays) -> tuple[Ints, Ints]:
    """Return the two games of each complete pair: first the one that the bot with the lower number begins.

    Two games are a pair if they have the same bots and the same number in `pair`, and each bot moves first in one. If a
    deal was played more than once by the same two bots, the first game in one order is paired with the first in the
    other order, and so on. In the order of the earlier game of each pair.
    """
    straight = games.first < games.second
    known = games.pair >= 0
    both = np.flatnonzero(known)
    _, pair = numbered(games.pair[both])
    n = len(games.bots)
    low, high = np.minimum(games.first, games.second)[both], np.maximum(games.first, games.second)[both]
    _, key = numbered((pair * n + low) * n + high)
    sides = [_turns(key[straight[both] == side]) for side in (True, False)]
    most = max((int(turn.max()) + 1 for turn, _ in sides if len(turn)), default=1)
    there, back = (keys * most + turn for turn, keys in sides)
    _, at_there, at_back = np.intersect1d(there, back, assume_unique=True, return_indices=True)
    rows = both[straight[both]][at_there], both[~straight[both]][at_back]
    order = np.argsort(np.minimum(*rows), kind="stable")
    return rows[0][order], rows[1][order]


def _turns(keys: Ints) -> tuple[Ints, Ints]:
    """Return how often each key occurred before its position, and the keys."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(keys) else order
    turn = np.empty(len(keys), dtype=np.int64)
    turn[order] = np.arange(len(keys)) - np.repeat(starts, np.diff(np.append(starts, len(keys))))
    return turn, keys


def cross_columns(games: GameArrays, points: tuple[Ints, Ints] | None = None) -> dict[str, Ints | Floats]:
    """Return the columns of a crosstable: a row for every two bots that met, in both directions.

    bot, opponent (numbers), games, wins, draws, losses, score (0..1), and the sums points and points_against of the
    match `points` (of the first and of the second player of each game).
    """
    n, first, second = len(games.bots), games.first, games.second
    met, row = numbered(np.concatenate([first * n + second, second * n + first]))
    own = np.concatenate([games.score, other_side(games.score)])
    losses, draws, wins = (np.bincount(row[own == value], minlength=len(met)) for value in (0, 0.5, 1))
    number = np.bincount(row, minlength=len(met))
    columns: dict[str, Ints | Floats] = {"bot": met // n, "opponent": met % n, "games": number, "wins": wins}
    columns |= {"draws": draws, "losses": losses, "score": (wins + draws / 2) / number}
    if points is not None:
        for name, both in (("points", points), ("points_against", points[::-1])):
            columns[name] = np.bincount(row, np.concatenate(both), len(met)).astype(np.int64)
    return columns
