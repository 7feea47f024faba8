"""The games frame that every function of `arena.stats` consumes, and its checks.

One row is one game. `first` is the bot that makes the first move; columns named `..._first` or `..._second` belong
to that seat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from arena.endings import ENDINGS, FORFEITS
from arena.errors import ArenaError, did_you_mean
from arena.text import one_line

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

COLUMNS: dict[str, str] = {
    "pairing": "number of the pairing in the schedule",
    "deal": "number of the deal: the same number is the same cards in every pairing",
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

_NOT_NEGATIVE = tuple(
    name for name in COLUMNS if name.startswith(("stones_", "points_", "turns", "plies", "ms_", "decisions_"))
)


class StatsError(ArenaError):
    """Statistics cannot be computed from what was given."""


def as_floats(values: Any, what: str) -> Floats:
    """Convert `values` to floats. StatsError names the first that is not a number.

    >>> as_floats([1, "x"], "score")
    Traceback (most recent call last):
    arena.stats.frames.StatsError: score: 'x' is not a number
    """
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        pass
    import pandas as pd

    series = pd.Series(values, dtype=object)
    numbers = pd.to_numeric(series, errors="coerce")
    wrong = series[numbers.isna() & series.notna()]
    if len(wrong):
        raise StatsError(f"{what}: {wrong.iloc[0]!r} is not a number")
    return np.asarray(numbers, dtype=np.float64)


def _first(mask: Bools) -> int | None:
    """Position of the first True, or None."""
    return int(np.argmax(mask)) if mask.any() else None


def check_games(
    frame: pd.DataFrame, need: Sequence[str] = (), what: str = "games", locate: Callable[[int], str] | None = None
) -> pd.DataFrame:
    """Return a checked copy of a games frame with a clean index (0, 1, 2, ...).

    `need` names columns required in addition to first, second and score. `what` names the frame in messages,
    `locate` turns a row number into words that locate it (default: "games, row 17", from 0).

    Raises StatsError for a missing column, an empty frame, missing values where none are allowed, a bot that plays
    itself, scores other than 0, 0.5 and 1, negative counts, unknown endings.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"first": ["ann", "bob"], "second": ["bob", "ann"], "score": [1, 2]})
    >>> check_games(games)
    Traceback (most recent call last):
    arena.stats.frames.StatsError: games, row 1: score is 2, but the first player's points are 1, 0.5 or 0
    """
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise StatsError(f"{what}: expected a pandas frame of games, not {type(frame).__name__}")
    for name in (*BASE, *need):
        if name not in frame.columns:
            known = [str(column) for column in frame.columns]
            there = ", ".join(known) or "none"
            raise StatsError(f"{what}: no column '{name}'{did_you_mean(name, known)} (columns: {one_line(there, 200)})")
    if len(frame) == 0:
        raise StatsError(f"{what}: no games")
    locate = locate or (lambda row: f"{what}, row {row}")
    games = frame.reset_index(drop=True)

    for name in ("first", "second"):
        missing = np.asarray(games[name].isna(), dtype=bool)
        if (row := _first(missing | np.asarray(games[name] == "", dtype=bool))) is not None:
            raise StatsError(f"{locate(row)}: no name in column '{name}'")
    if (row := _first(_same(games["first"], games["second"]))) is not None:
        bot = games["first"].iloc[row]
        if _same(games["first"], games["second"]).all() and games["first"].nunique() == 1:
            raise StatsError(f"{what}: only one bot ('{bot}'); statistics need at least two")
        raise StatsError(f"{locate(row)}: '{bot}' plays itself; such a game says nothing about strength")

    games["score"] = _numbers(games, "score", locate, may_miss=False)
    score = games["score"].to_numpy()
    if (row := _first((score != 0) & (score != 0.5) & (score != 1))) is not None:
        raise StatsError(f"{locate(row)}: score is {score[row]:g}, but the first player's points are 1, 0.5 or 0")
    _check_optional(games, locate)
    return games


def _same(left: pd.Series, right: pd.Series) -> Bools:
    """Where two columns of names agree."""
    import pandas as pd

    if isinstance(left.dtype, pd.CategoricalDtype) and left.dtype == right.dtype:  # a tenth of the time
        return np.asarray((left.cat.codes == right.cat.codes) & (left.cat.codes >= 0), dtype=bool)
    return np.asarray(left.astype(object) == right.astype(object), dtype=bool)


def _numbers(games: pd.DataFrame, name: str, locate: Callable[[int], str], may_miss: bool) -> Floats:
    import pandas as pd

    values = games[name]
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "iu":
        return values.to_numpy(dtype=np.float64)
    numbers = np.asarray(pd.to_numeric(values, errors="coerce"), dtype=np.float64)
    unread = np.isnan(numbers) & np.asarray(values.notna(), dtype=bool)
    if (row := _first(unread)) is not None:
        raise StatsError(f"{locate(row)}: {name} is {values.iloc[row]!r}, which is not a number")
    if not may_miss and (row := _first(np.isnan(numbers))) is not None:
        raise StatsError(f"{locate(row)}: {name} is missing (NaN)")
    if (row := _first(np.isinf(numbers))) is not None:
        raise StatsError(f"{locate(row)}: {name} is infinite")
    return numbers


def _check_optional(games: pd.DataFrame, locate: Callable[[int], str]) -> None:
    for name in _NOT_NEGATIVE:
        if name in games.columns:
            numbers = _numbers(games, name, locate, may_miss=True)
            if (row := _first(numbers < 0)) is not None:
                raise StatsError(f"{locate(row)}: {name} is {numbers[row]:g}, but it cannot be negative")
            if name.startswith("stones") and (row := _first(numbers > 9)) is not None:
                raise StatsError(f"{locate(row)}: {name} is {numbers[row]:g}, but there are 9 stones")
    if "game" in games.columns:
        numbers = _numbers(games, "game", locate, may_miss=False)
        if (row := _first(~np.isin(numbers, (0, 1)))) is not None:
            raise StatsError(f"{locate(row)}: game is {numbers[row]:g}, but a pair has the games 0 and 1")
    for name, known in (("ending", ENDINGS), ("forfeit", FORFEITS)):
        if name in games.columns:
            wrong = np.asarray(games[name].notna() & ~games[name].isin(known), dtype=bool)
            if (row := _first(wrong)) is not None:
                word = str(games[name].iloc[row])
                nearest = did_you_mean(word, known)
                raise StatsError(f"{locate(row)}: unknown {name} '{word}'{nearest} (known: {', '.join(known)})")
    if "forfeit_by" in games.columns:
        by = games["forfeit_by"]
        stranger = np.asarray(by.notna(), dtype=bool)
        if stranger.any():
            stranger = stranger & ~_same(by, games["first"]) & ~_same(by, games["second"])
        if (row := _first(stranger)) is not None:
            raise StatsError(f"{locate(row)}: forfeit_by is '{by.iloc[row]}', who did not play this game")


def name_codes(games: pd.DataFrame) -> tuple[list[str], Ints, Ints]:
    """All bots of a games frame, sorted by name, and the number of the first and the second bot of each game."""
    import pandas as pd

    first, second = games["first"], games["second"]
    if (
        isinstance(first.dtype, pd.CategoricalDtype)
        and first.dtype == second.dtype
        and not first.hasnans
        and not second.hasnans
    ):
        codes = np.concatenate([first.cat.codes.to_numpy(dtype=np.int64), second.cat.codes.to_numpy(dtype=np.int64)])
        used = np.flatnonzero(np.bincount(codes, minlength=len(first.cat.categories)))
        labels = first.cat.categories[used].tolist()
        number_of = np.zeros(len(first.cat.categories), dtype=np.int64)
        number_of[used] = np.arange(len(used))
        codes = number_of[codes]
    else:
        codes, unique = pd.factorize(pd.concat([first, second], ignore_index=True))
        labels = unique.tolist()
    words = [str(label) for label in labels]
    order = sorted(range(len(words)), key=words.__getitem__)
    number = np.empty(len(words), dtype=np.int64)
    number[order] = np.arange(len(words))
    coded = number[codes]
    return [words[index] for index in order], coded[: len(games)], coded[len(games) :]


def bot_names(games: pd.DataFrame) -> list[str]:
    """All bots of a games frame, sorted by name."""
    return sorted({*map(str, games["first"].unique()), *map(str, games["second"].unique())})


def require_bot(bot: str, known: Sequence[str], what: str = "games") -> None:
    """Raise StatsError with the nearest known name unless `bot` is one of `known`."""
    if bot not in known:
        listed = ", ".join(known[:10]) + (", ..." if len(known) > 10 else "")
        raise StatsError(f"no bot '{bot}' in these {what}{did_you_mean(bot, known)} (bots: {listed})")


def read_games_csv(path: str | Path) -> pd.DataFrame:
    """Read a list of games `first,second,score[,deal]` (more columns are kept) and check it.

    The file has a header line. `score` is the first player's: 1, 0.5 or 0. Games with the same label `deal` share
    their cards; a game without a label has its own deal. Errors name file and line.
    """
    import pandas as pd

    path = Path(path)
    if path.exists() and not path.is_file() and not path.is_dir():
        raise StatsError(f"{path}: not a regular file")
    try:
        raw = pd.read_csv(path, dtype=str, skip_blank_lines=False, skipinitialspace=True, encoding="utf-8-sig")
    except FileNotFoundError:
        raise StatsError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise StatsError(f"{path}: a folder, not a file of games") from None
    except (OSError, UnicodeDecodeError) as error:
        raise StatsError(f"{path}: cannot be read ({error})") from None
    except pd.errors.EmptyDataError:
        raise StatsError(f"{path}: empty; expected a header line first,second,score[,deal]") from None
    except pd.errors.ParserError as error:
        detail = str(error).replace("Error tokenizing data. C error: ", "").strip()
        raise StatsError(f"{path}: not comma-separated values ({detail})") from None
    raw.columns = pd.Index([str(name).strip() for name in raw.columns])
    lines = np.arange(2, len(raw) + 2)
    filled = ~np.asarray(raw.isna().all(axis=1), dtype=bool)
    raw, lines = raw.loc[filled], lines[filled]
    for name in ("first", "second"):
        if name in raw.columns:
            raw[name] = raw[name].str.strip()

    def locate(row: int) -> str:
        return f"{path}, line {lines[row]}"

    games = check_games(raw, what=str(path), locate=locate)
    for name in ("pairing", "game", *_NOT_NEGATIVE):
        if name in games.columns:
            games[name] = pd.Series(_numbers(games, name, locate, may_miss=True))
    return games


def cluster_codes(deals: pd.Series | npt.ArrayLike | None, rows: int) -> tuple[Ints, int]:
    """The independent cluster of each row, and their number: one per deal, and one per row without a deal."""
    if deals is None:
        return np.arange(rows, dtype=np.int64), rows
    import pandas as pd

    codes, labels = pd.factorize(deals if isinstance(deals, np.ndarray) else pd.Series(deals))
    clusters = np.array(codes, dtype=np.int64)
    alone = clusters < 0
    clusters[alone] = len(labels) + np.arange(int(alone.sum()))
    return clusters, len(labels) + int(alone.sum())
