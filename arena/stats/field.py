"""Describe a field of bots apart from its ratings, as tidy frames: length, stones, endings and forfeits.

Every function takes a games frame (arena.stats.frames) or, for repeated use of the same games, the result of `by_seat`;
`length_histogram` takes games only. `by` is a list of columns to group by: "bot", "opponent" or
other columns of the frame, such as "variant"; without it the whole field is one row. StatsError names a column that
is missing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from arena.endings import ENDINGS, FORFEITS
from arena.errors import did_you_mean
from arena.stats import Score
from arena.stats.frames import Floats, Ints, StatsError, as_floats, by_seat, check_games, deals_of, require_columns
from arena.stats.intervals import clustered_error, mean_interval

if TYPE_CHECKING:
    import pandas as pd


def grouped(frame: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[dict[str, object], Ints]]:
    """Yield the keys of each group in sorted order, and the positions of its rows; without `by`, all rows."""
    for name in by:
        if name not in frame.columns:
            known = [str(column) for column in frame.columns]
            raise StatsError(f"cannot group by '{name}'{did_you_mean(name, known)}")
    if not by:
        yield {}, np.arange(len(frame))
        return
    for key, rows in frame.groupby(list(by), sort=True, observed=True).indices.items():
        if len(rows):  # a category that no row has
            yield dict(zip(by, key if isinstance(key, tuple) else (key,))), np.asarray(rows)


def _table(frame: pd.DataFrame, by: Sequence[str], row_of: Callable[[Ints], Mapping[str, object]]) -> pd.DataFrame:
    """Return a row for each group: its keys, and what `row_of` makes of the positions of its rows."""
    import pandas as pd  # slow to load

    return pd.DataFrame([{**keys, **row_of(rows)} for keys, rows in grouped(frame, by)])


def _numbers(frame: pd.DataFrame, name: str) -> Floats:
    return frame[name].to_numpy(dtype=np.float64, na_value=np.nan)


def _record(points: Floats) -> Score:
    """Count games by the points of each: 1, 0.5 or 0."""
    return Score(*(int((points == each).sum()) for each in (1, 0.5, 0)))


def first_player_score(games: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """Return the score of the first player with its 95% interval clustered by deal.

    Columns: `by`, games, score, score_low, score_high. With "bot" in `by`: of that bot in the games it began.
    """
    seats = by_seat(games)
    begun = seats[seats["seat"] == "first"]
    score, deal = _numbers(begun, "score"), _deals(begun)
    return _table(begun, by, lambda rows: _score_row(score, deal, rows))


def _deals(frame: pd.DataFrame) -> np.ndarray | None:
    deals = deals_of(frame)
    return None if deals is None else deals.to_numpy()


def mean_error(games: pd.DataFrame, column: str, by: str | Sequence[str] = ()) -> pd.DataFrame:
    """Return the mean of a column and half its 95% interval, by deal: all rows of a deal are one piece of evidence.

    games    a frame with the columns deal_seed and deal, such as `Run.games`, `Run.by_seat()` or `Run.plays`; without
             them, each row counts for itself
    column   numbers, or conditions that hold or do not; rows where it is missing are left out
    by       a column, or several, to group by

    Columns: `by`, rows, mean, error95 (nan for fewer than 10 deals). Of conditions and of scores, the error is half of
    the interval of a score, which knows that they lie between 0 and 1. Raise StatsError for a column that is missing,
    or that holds anything else.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"deal": [n // 2 for n in range(40)], "turns": [40 + n % 7 for n in range(40)]})
    >>> print(mean_error(games.assign(side=["a", "b"] * 20), "turns", by="side").round(2))
      side  rows   mean  error95
    0    a    20  42.90     0.96
    1    b    20  42.85     0.93
    """
    import pandas as pd  # slow to load

    require_columns(games, [column])
    keys = [by] if isinstance(by, str) else list(by)
    games = games[games[column].notna()]
    values, deal = as_floats(games[column], column), _deals(games)
    is_score = bool(np.isin(values, (0, 0.5, 1)).all())
    table = []
    for key, rows in grouped(games, keys):
        own, deals = values[rows], None if deal is None else deal[rows]
        mean, half = float(own.mean()), clustered_error(own, deals)
        if is_score:
            interval = mean_interval(own, deals)
            half = (interval.high - interval.low) / 2
        table.append({**key, "rows": len(rows), "mean": mean, "error95": half})
    return pd.DataFrame(table, columns=[*keys, "rows", "mean", "error95"])


def _score_row(score: Floats, deal: np.ndarray | None, rows: Ints) -> dict[str, float]:
    mean = mean_interval(score[rows], None if deal is None else deal[rows])
    return {"games": len(rows), "score": mean.mean, "score_low": mean.low, "score_high": mean.high}


def scores(games: pd.DataFrame, by: Sequence[str] = ("bot",)) -> pd.DataFrame:
    """Return the score with its 95% interval (clustered by deal), and as the first and as the second player.

    Columns: `by`, games, wins, draws, losses, score, score_low, score_high, score_first, score_second.
    """
    seats = by_seat(games)
    score, deal, begun = _numbers(seats, "score"), _deals(seats), np.asarray(seats["seat"] == "first")

    def row_of(rows: Ints) -> dict[str, float | None]:
        row = {**_record(score[rows]).columns(), **_score_row(score, deal, rows)}
        for seat in ("first", "second"):
            own = score[rows[begun[rows] == (seat == "first")]]
            row[f"score_{seat}"] = float(own.mean()) if len(own) else math.nan
        return row

    return _table(seats, by, row_of)


def spread_row(values: pd.Series | Floats, name: str) -> dict[str, float]:
    """Return mean, standard deviation and quantiles of a column: {name}_mean, _sd, _min, _p10, _p50, _p90, _max."""
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    figures = [math.nan] * 7
    if len(known):
        spread = known.std(ddof=1) if len(known) > 1 else 0.0
        figures = [known.mean(), spread, known.min(), *np.quantile(known, (0.1, 0.5, 0.9)), known.max()]
    names = ("mean", "sd", "min", "p10", "p50", "p90", "max")
    return {f"{name}_{what}": float(value) for what, value in zip(names, figures)}


def game_length(games: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """Return the length of games in turns and (if known) plies: games, and the columns of `spread_row` for each."""
    seats = by_seat(games, "turns")
    if not {"bot", "opponent"} & set(by):
        seats = seats[seats["seat"] == "first"]  # one row per game
    lengths = {name: _numbers(seats, name) for name in ("turns", "plies") if name in seats.columns}

    def row_of(rows: Ints) -> dict[str, float]:
        row: dict[str, float] = {"games": len(rows)}
        for name, values in lengths.items():
            row |= spread_row(values[rows], name)
        return row

    return _table(seats, by, row_of)


def length_histogram(games: pd.DataFrame) -> pd.DataFrame:
    """Count games by length: turns, games, share."""
    import pandas as pd  # slow to load

    turns = check_games(games, ["turns"])["turns"].dropna().astype(int)
    counts = turns.value_counts().sort_index()
    return pd.DataFrame(
        {
            "turns": counts.index.to_numpy(dtype=np.int64),
            "games": counts.to_numpy(dtype=np.int64),
            "share": counts.to_numpy(dtype=np.float64) / max(len(turns), 1),
        }
    )


def stones_and_points(games: pd.DataFrame, by: Sequence[str] = ("bot",)) -> pd.DataFrame:
    """Return stones and match points (5 for the winner, else a point per stone): means per game, and sums.

    Columns: `by`, games, stones, stones_against, and where known: points, points_total, points_against,
    points_against_total.
    """
    seats = by_seat(games, "stones_first", "stones_second")
    names = ("stones", "stones_against", "points", "points_against")
    columns = {name: _numbers(seats, name) for name in names if name in seats.columns}

    def row_of(rows: Ints) -> dict[str, float]:
        row: dict[str, float] = {"games": len(rows)}
        for name, values in columns.items():
            own = values[rows]
            known = own[~np.isnan(own)]
            row[name] = float(known.mean()) if len(known) else math.nan
            if name.startswith("points"):
                row[f"{name}_total"] = float(known.sum())
        return row

    return _table(seats, by, row_of)


def endings(games: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """Count games by ending, one row each: `by`, ending, games, share.

    With "bot" in `by` only that bot's wins count (a game that nobody won counts for both bots): the shares of wins by
    five stones and by three adjacent ones.
    """
    import pandas as pd  # slow to load

    seats = by_seat(games, "ending")
    seats = seats[seats["score"] > 0] if "bot" in by else seats[seats["seat"] == "first"]
    table = []
    code = pd.Categorical(seats["ending"], categories=list(ENDINGS)).codes.astype(np.int64) + 1  # 0: not known
    for keys, rows in grouped(seats, by):
        counts = np.bincount(code[rows], minlength=len(ENDINGS) + 1)[1:].tolist()
        for ending, number in zip(ENDINGS, counts):
            table.append({**keys, "ending": ending, "games": number, "share": number / max(len(rows), 1)})
    return pd.DataFrame(table)


def terminations(games: pd.DataFrame) -> pd.DataFrame:
    """Count how each bot's own play ended: bot, games, normal, then a column for each kind of forfeit.

    `normal` counts the games that this bot did not forfeit (its opponent may have).
    """
    seats = by_seat(games, "forfeit", "forfeit_by").astype({"bot": object, "forfeit": object, "forfeit_by": object})
    is_own = seats["forfeit_by"] == seats["bot"]
    kind = seats["forfeit"].where(is_own & seats["forfeit"].notna(), "normal").to_numpy()

    def row_of(rows: Ints) -> dict[str, int]:
        counts = Counter(kind[rows])
        return {"games": len(rows)} | {name: counts[name] for name in ("normal", *FORFEITS)}

    return _table(seats, ["bot"], row_of)


def forfeits(games: pd.DataFrame) -> pd.DataFrame:
    """Count every kind of forfeit that happened: bot (that forfeited), opponent, forfeit, games."""
    import pandas as pd  # slow to load

    seats = by_seat(games, "forfeit", "forfeit_by")
    own = seats[(seats["forfeit_by"] == seats["bot"]) & seats["forfeit"].notna()]
    counts = [{**keys, "games": len(rows)} for keys, rows in grouped(own, ["bot", "opponent", "forfeit"])]
    return pd.DataFrame(counts, columns=["bot", "opponent", "forfeit", "games"])
