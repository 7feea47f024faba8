"""Read all games of a run as columns of numbers, from which tables are counted and data frames are made."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arena.endings import ENDINGS, FORFEITS, match_points
from arena.stats import other_side
from arena.stats.frames import GameArrays, by_appearance, in_order, numbered, same_cards
from arena.tournament.forfeits import ForfeitReason, Reasons
from arena.tournament.games import PAIRING_BITS, GameId, PairingScore, ScheduleProgress, game_name, time_quantile
from arena.tournament.store.sqlite import Damage

if TYPE_CHECKING:
    import pandas as pd

_Column = npt.NDArray[Any]

GAME_COLUMNS = (
    "deal_seed",
    "pairing",
    "deal",
    "game",
    "round",
    "first",
    "second",
    "score",
    "stones_first",
    "stones_second",
    "points_first",
    "points_second",
    "turns",
    "plies",
    "ending",
    "forfeit",
    "forfeit_by",
    "decisions_first",
    "decisions_second",
)
"""Columns of a table of games that are the same for every run of the same settings."""
CLOCK_COLUMNS = ("ms_first", "ms_second")
"""Thinking times in milliseconds, measured by a clock."""

_ROWS_PER_BATCH = 20_000
_TIME_BUCKETS = 256
_DTYPES: dict[str, npt.DTypeLike] = {  # the smallest types that hold them: a million games take some 100 MB
    "id": np.int64,
    "score": np.int8,
    "ending": np.int8,
    "forfeit": np.int8,
    "forfeit_by": np.int8,
    "stones_first": np.int8,
    "stones_second": np.int8,
    "turns": np.int32,
    "plies": np.int32,
    "decisions_first": np.int32,
    "decisions_second": np.int32,
    "us_first": np.int64,
    "us_second": np.int64,
}
_LARGEST = {"score": 2, "ending": len(ENDINGS) - 1, "forfeit": len(FORFEITS), "forfeit_by": 3}
_MEASURED = ("max_us_first", "max_us_second", "hist_first", "hist_second")
_CATEGORIES = {"ending": ENDINGS, "forfeit": FORFEITS}
_NAMES = ("first", "second", "forfeit_by")


class StoredPairing(NamedTuple):
    """A pairing with games: its number in the schedule (None: not in it now), its bots by their numbers in the store.

    `seed` is the seed of its deals, `design` says how games follow from a deal.
    """

    number: int | None
    round: int
    a: int
    b: int
    seed: int
    design: str


class ThinkingTime(NamedTuple):
    """Thinking time of a bot: number of decisions, their sum and the longest in microseconds, and a histogram."""

    bot: str
    decisions: int
    us: int
    max_us: int
    counts: list[int]

    def plus(self, other: ThinkingTime) -> ThinkingTime:
        """Return the times of both together, under this name."""
        counts = [own + more for own, more in zip(self.counts, other.counts)]
        decisions, us = self.decisions + other.decisions, self.us + other.us
        return ThinkingTime(self.bot, decisions, us, max(self.max_us, other.max_us), counts)

    def measures(self) -> dict[str, float]:
        """Return mean, quantiles (within 10%), maximum and sum in milliseconds; 0 without decisions."""
        return {
            "mean_ms": self.us / 1000 / max(self.decisions, 1),
            "p50_ms": time_quantile(self.counts, 0.5),
            "p99_ms": time_quantile(self.counts, 0.99),
            "max_ms": self.max_us / 1000,
            "total_ms": self.us / 1000,
        }


@dataclass(frozen=True)
class GameColumns:
    """Games in schedule order: GAME_COLUMNS and CLOCK_COLUMNS as arrays.

    first, second and forfeit_by are indexes into `bots`, ending and forfeit into ENDINGS and FORFEITS; -1: none.
    """

    bots: Sequence[str]
    values: Mapping[str, _Column]
    thinking: Sequence[ThinkingTime] = ()

    def __len__(self) -> int:
        return len(self.values["score"])

    def __getitem__(self, name: str) -> _Column:
        return self.values[name]

    def games(self) -> GameArrays:
        """Return the games for ratings and pairs, without bots that did not play."""
        played, codes = numbered(np.concatenate([self["first"], self["second"]]).astype(np.int64))
        names, bots = in_order([self.bots[bot] for bot in played.tolist()], codes)
        first, second = bots[: len(self)], bots[len(self) :]
        deal = self["deal"].astype(np.int64)
        cluster, clusters = by_appearance(same_cards(self["deal_seed"], deal))
        pair = deal << PAIRING_BITS | self["pairing"]
        return GameArrays(tuple(names), first, second, self["score"], cluster, clusters, pair)

    def frame(self) -> pd.DataFrame:
        """Return the games as a data frame. Names and endings are categories: a million games take some 100 MB."""
        import pandas as pd  # slow to load

        names = pd.Index(list(self.bots))
        columns: dict[str, Any] = dict(self.values)
        columns |= {name: pd.Categorical.from_codes(columns[name], names) for name in _NAMES}
        for name, words in _CATEGORIES.items():
            columns[name] = pd.Categorical.from_codes(columns[name], pd.Index(words))
        return pd.DataFrame(columns)

    def games_by_bot(self) -> dict[str, int]:
        """Count the games of each bot, 0 for one that did not play."""
        seats = np.concatenate([self["first"], self["second"]]).astype(np.int64)
        return dict(zip(self.bots, np.bincount(seats, minlength=len(self.bots)).tolist()))

    def forfeits(self) -> list[ForfeitReason]:
        """Count the games that each bot forfeited, by kind; the columns do not hold the reasons, which are empty."""
        reasons = Reasons()
        for row in np.flatnonzero(self["forfeit"] >= 0).tolist():
            first, second, by = (self.bots[int(self[name][row])] for name in _NAMES)
            reasons.add(by, FORFEITS[int(self["forfeit"][row])], None, game_name(first, second, int(self["deal"][row])))
        return reasons.lines()

    # ------------------------------------------------------------ sums

    def scores(self) -> dict[int, PairingScore]:
        """Return the score of each pairing, seen from its bot `a`."""
        swapped = self["game"] == 1
        own = np.where(swapped, other_side(self["score"]), self["score"])
        numbers, index = np.unique(self["pairing"], return_inverse=True)
        sums = [
            np.ones(len(self)),
            own == 1,
            own == 0.5,
            own == 0,
            np.where(swapped, self["points_second"], self["points_first"]),
            np.where(swapped, self["points_first"], self["points_second"]),
        ]
        counts = (np.bincount(index, values, len(numbers)).astype(np.int64).tolist() for values in sums)
        return dict(zip(numbers.tolist(), map(PairingScore, *counts)))

    def progress(self) -> ScheduleProgress:
        """Return the units that are done, for `Schedule.tasks`."""
        order = np.lexsort((self["deal"], self["pairing"]))
        pairing, deal = self["pairing"][order], self["deal"][order]
        is_last = np.append((np.diff(pairing) != 0) | (np.diff(deal) > 1), True)[: len(deal)]
        is_first = np.append(True, is_last)[: len(deal)]
        spans: dict[int, list[int]] = {}
        for number, *span in zip(pairing[is_first].tolist(), deal[is_first].tolist(), (deal[is_last] + 1).tolist()):
            spans.setdefault(number, []).extend(span)
        return ScheduleProgress(spans, self.scores())


# ---------------------------------------------------------------- reading the table of games


class _Sides(NamedTuple):
    """What is known of each pairing, by its number in the store: its bots and its seed, number and round.

    `bots` are two columns, indexes of names. `number` is -1 for a pairing that is not shown, -2 where there is none.
    """

    bots: _Column
    seed: _Column
    number: _Column
    round: _Column


def _sides_of(pairings: Mapping[int, StoredPairing], places: Mapping[int, int | None]) -> _Sides:
    size = max(pairings, default=0) + 1
    sides = _Sides(
        np.zeros((size, 2), np.int32), np.zeros(size, np.int64), np.full(size, -2, np.int32), np.zeros(size, np.int32)
    )
    for pairing, (number, round_, a, b, seed, _) in pairings.items():
        place_a, place_b = places.get(a), places.get(b)
        if number is None or place_a is None or place_b is None:
            if number is not None:
                raise Damage("a pairing names a bot that is not in the field")
            sides.number[pairing] = -1
            continue
        sides.bots[pairing] = (place_a, place_b)
        sides.seed[pairing], sides.number[pairing], sides.round[pairing] = seed, number, round_
    return sides


def read_columns(
    db: sqlite3.Connection,
    bots: Sequence[str],
    places: Mapping[int, int | None],
    pairings: Mapping[int, StoredPairing],
    stop: int,
    thinking: bool = True,
) -> GameColumns:
    """Read the games with identities before `stop` whose pairings have a number, in schedule order.

    `places` says where each bot stands in the field, by its number in the store. Without `thinking`, the sums of
    thinking times are left out, which take longest to read. Damage for values that this program cannot have written.
    """
    sides = _sides_of(pairings, places)
    parts: dict[str, list[_Column]] = {name: [np.empty(0, dtype)] for name, dtype in _DTYPES.items()}
    times = _Times(len(bots))
    for batch in _batches(db, (*_DTYPES, *(_MEASURED if thinking else ())), stop):
        columns = {name: _integers(batch, name) for name in _DTYPES}
        pairing, game = _pairing_and_game(columns["id"])
        number = sides.number[np.minimum(pairing, len(sides.number) - 1)]
        unknown = (pairing >= len(sides.number)) | (number == -2)
        if unknown.any():
            raise Damage(f"game {GameId.from_key(int(columns['id'][unknown.argmax()]))} belongs to no pairing")
        shown = number >= 0
        if not shown.all():
            columns = {name: column[shown] for name, column in columns.items()}
            batch = {name: tuple(compress(values, shown)) for name, values in batch.items() if name in _MEASURED}
            pairing, game = pairing[shown], game[shown]
            if not len(pairing):
                continue
        if thinking:
            times.add("first", sides.bots[pairing, game], columns, batch)
            times.add("second", sides.bots[pairing, 1 - game], columns, batch)
        for name, column in columns.items():
            parts[name].append(column)
    stored = {name: np.concatenate(part) for name, part in parts.items()}
    values = _readable(stored, sides)
    deal, number = values["deal"], values["pairing"]
    if ((np.diff(deal) == 0) & (np.diff(number) < 0)).any():  # pairings came in another order than the schedule's
        order = np.lexsort((values["game"], number, deal))
        values = {name: column[order] for name, column in values.items()}
    return GameColumns(bots, values, times.of(bots) if thinking else ())


def _batches(db: sqlite3.Connection, names: Sequence[str], stop: int) -> Iterator[dict[str, tuple[Any, ...]]]:
    sql = f"SELECT {', '.join(names)} FROM games WHERE id < ? ORDER BY id"
    cursor = db.execute(sql, (stop,))
    while rows := cursor.fetchmany(_ROWS_PER_BATCH):
        yield dict(zip(names, zip(*rows)))


def _integers(batch: Mapping[str, tuple[Any, ...]], name: str) -> _Column:
    try:
        column = np.frombuffer(array("q", batch[name]), np.int64)  # array takes integers only, unlike numpy
    except (TypeError, OverflowError) as error:
        raise Damage(f"a game's {name} is not a number") from error
    dtype = np.dtype(_DTYPES.get(name, np.int64))
    if int(column.min()) < 0 or int(column.max()) > _LARGEST.get(name, np.iinfo(dtype).max):
        raise Damage(f"a game's {name} is out of range")
    return column.astype(dtype)


def _pairing_and_game(key: _Column) -> tuple[_Column, _Column]:
    return key >> 1 & ((1 << PAIRING_BITS) - 1), key & 1


def _readable(stored: dict[str, _Column], sides: _Sides) -> dict[str, _Column]:
    """Turn stored columns into GAME_COLUMNS and CLOCK_COLUMNS."""
    pairing, game = _pairing_and_game(stored["id"])
    score = stored["score"]
    first, second = sides.bots[pairing, game], sides.bots[pairing, 1 - game]
    forfeited = stored["forfeit"] > 0
    by_first, by_second = (forfeited & (stored["forfeit_by"] == side) for side in (1, 2))
    values = stored | {
        "pairing": sides.number[pairing],
        "deal_seed": sides.seed[pairing],
        "deal": stored["id"] >> (PAIRING_BITS + 1),
        "game": game.astype(np.int8),
        "round": sides.round[pairing],
        "first": first,
        "second": second,
        "score": score / 2,
        "points_first": match_points(score == 2, stored["stones_first"]),
        "points_second": match_points(score == 0, stored["stones_second"]),
        "forfeit": stored["forfeit"] - 1,
        "forfeit_by": np.where(by_first, first, np.where(by_second, second, -1)),
        "ms_first": stored["us_first"] / 1000,
        "ms_second": stored["us_second"] / 1000,
    }
    return {name: values[name] for name in (*GAME_COLUMNS, *CLOCK_COLUMNS)}


class _Times:
    """Sums of thinking times by bot, over batches of games."""

    def __init__(self, bots: int) -> None:
        self._decisions, self._us, self._max_us = np.zeros((3, bots), dtype=np.int64)
        self._counts = np.zeros(bots * _TIME_BUCKETS, dtype=np.int64)

    def add(
        self, seat: str, bot: _Column, columns: Mapping[str, _Column], batch: Mapping[str, tuple[Any, ...]]
    ) -> None:
        """Add the games of a batch, in which `bot` played on this seat."""
        size = len(self._us)
        self._decisions += np.bincount(bot, columns[f"decisions_{seat}"], size).astype(np.int64)
        self._us += np.bincount(bot, columns[f"us_{seat}"], size).astype(np.int64)
        np.maximum.at(self._max_us, bot, _integers(batch, f"max_us_{seat}"))
        texts = batch[f"hist_{seat}"]
        try:
            entries = np.fromiter(map(len, texts), np.int64, len(texts)) // 2
            data = np.frombuffer(b"".join(texts), dtype=np.uint8).reshape(-1, 2)  # buckets and their counts
            keys = np.repeat(bot.astype(np.int64), entries) * _TIME_BUCKETS + data[:, 0]
        except (TypeError, ValueError) as error:
            raise Damage("a game's thinking times cannot be read") from error
        self._counts += np.bincount(keys, data[:, 1], len(self._counts)).astype(np.int64)

    def of(self, bots: Sequence[str]) -> list[ThinkingTime]:
        counts = self._counts.reshape(-1, _TIME_BUCKETS).tolist()
        sums = zip(bots, self._decisions.tolist(), self._us.tolist(), self._max_us.tolist(), counts)
        return [ThinkingTime(*values) for values in sums]
