"""The figures of all games of a run, read and checked in one pass: columns of numbers, and sums of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arena.endings import ENDINGS
from arena.tournament.match.results import WIN_POINTS, PairingScore, ScheduleProgress
from arena.tournament.match.tasks import PAIRING_BITS, GameId, Pairing
from arena.tournament.store.blocks import block_figures
from arena.tournament.store.games import NUMBERS, read_figures
from arena.tournament.store.sqlite import Connection
from arena.tournament.store.tables import Damage

_KINDS: dict[str, npt.DTypeLike] = {
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
}
"""Columns in the smallest type that holds them: a million games take some 100 MB. The others are times."""
_BUCKETS = 256


class PairingSums(NamedTuple):
    """Sums over the games of a pairing with the same bot beginning (`game`), the same score and ending.

    "first" is the bot that began; `score` in half points of it; `us` are microseconds.
    """

    pairing: int
    game: int
    score: int
    ending: str
    games: int
    stones_first: int
    stones_second: int
    turns: int
    plies: int
    decisions_first: int
    decisions_second: int
    us_first: int
    us_second: int
    max_us_first: int
    max_us_second: int
    us: int


@dataclass
class Figures:
    """All games in schedule order. `columns` are those of the table that are numbers, and `pairing`, `deal`, `game`.

    times   histogram of thinking times of each bot, a row of 256 counts
    """

    bots: Sequence[str]
    pairings: Mapping[int, Pairing]
    columns: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    times: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    def __len__(self) -> int:
        return len(self.columns["id"])

    @property
    def forfeits(self) -> int:
        """How many were forfeited."""
        return int(np.count_nonzero(self.columns["forfeit"]))

    def pairing_sums(self) -> list[PairingSums]:
        """Sums for the standings: a few lines a pairing, however many games there are."""
        if not len(self):
            return []
        column = self.columns
        pairing, game, score, ending = (
            column[name].astype(np.int64) for name in ("pairing", "game", "score", "ending")
        )
        key = pairing << 8 | game << 7 | score << 4 | ending
        order = np.argsort(key, kind="stable")
        keys, starts = np.unique(key[order], return_index=True)
        sums = []
        for name in PairingSums._fields[5:]:
            fold = np.maximum if name.startswith("max") else np.add
            sums.append(fold.reduceat(column[name][order].astype(np.int64), starts).tolist())
        counts = np.diff([*starts.tolist(), len(key)]).tolist()
        return [
            PairingSums(one >> 8, one >> 7 & 1, one >> 4 & 7, ENDINGS[one & 15], *rest)
            for one, *rest in zip(keys.tolist(), counts, *sums)
        ]

    def scores(self) -> dict[int, PairingScore]:
        """Score of each pairing, seen from its bot `a`."""
        column = self.columns
        score, swapped = column["score"], column["game"] == 1
        first = np.where(score == 2, WIN_POINTS, column["stones_first"])
        second = np.where(score == 0, WIN_POINTS, column["stones_second"])
        own = np.where(swapped, 2 - score, score)
        numbers, place = np.unique(column["pairing"], return_inverse=True)
        sums = [
            own >= 0,
            own == 2,
            own == 1,
            own == 0,
            np.where(swapped, second, first),
            np.where(swapped, first, second),
        ]
        counts = (np.bincount(place, one, len(numbers)).astype(np.int64).tolist() for one in sums)
        return dict(zip(numbers.tolist(), map(PairingScore, *counts)))

    def bot_times(self) -> dict[str, tuple[int, int, int]]:
        """Of each bot: its decisions, the microseconds that they took in all, and the longest of them."""
        column, place = self.columns, {name: at for at, name in enumerate(self.bots)}
        sides = np.zeros((max(self.pairings, default=0) + 1, 2), dtype=np.int64)
        for number, _, a, b in self.pairings.values():
            sides[number] = (place[a], place[b])
        sums = np.zeros((3, len(self.bots)), dtype=np.int64)
        for seat, swap in (("first", 0), ("second", 1)):
            bot = sides[column["pairing"], column["game"] ^ swap]
            sums[0] += np.bincount(bot, column[f"decisions_{seat}"], len(self.bots)).astype(np.int64)
            sums[1] += np.bincount(bot, column[f"us_{seat}"], len(self.bots)).astype(np.int64)
            np.maximum.at(sums[2], bot, column[f"max_us_{seat}"])
        return {bot: (one, two, three) for bot, (one, two, three) in zip(self.bots, sums.T.tolist())}

    def progress(self) -> ScheduleProgress:
        """What is done, for `Schedule.tasks`."""
        pairing, deal = self.columns["pairing"], self.columns["deal"]
        order = np.lexsort((deal, pairing))
        pairing, deal = pairing[order], deal[order]
        step = np.diff(deal) > 1
        ends = np.append((np.diff(pairing) != 0) | step, True)[: len(deal)]
        starts = np.append(True, ends)[: len(deal)]
        spans: dict[int, list[int]] = {}
        for number, *span in zip(pairing[starts].tolist(), deal[starts].tolist(), (deal[ends] + 1).tolist()):
            spans.setdefault(number, []).extend(span)
        return ScheduleProgress.of_sums(spans, self.scores())

    def pairs(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
        """Of each whole pair, in schedule order: pairing, deal, and half points of bot `a`, 0..4."""
        key, score = self.columns["id"], self.columns["score"].astype(np.int64)
        at = np.flatnonzero((np.diff(key) == 1) & (key[:-1] & 1 == 0))
        return self.columns["pairing"][at], self.columns["deal"][at], score[at] + 2 - score[at + 1]


def figures_of(
    db: Connection, bots: Sequence[str], pairings: Mapping[int, Pairing], start: int = 0, blocks: bool = True
) -> Figures:
    """The games from the identity `start` on, each checked. Raises Damage; to be called in a transaction.

    Games in blocks are read from there, and not from their rows, if `blocks` is true.
    """
    place = {name: at for at, name in enumerate(bots)}
    sides = np.full((max(pairings, default=0) + 1, 2), -1, dtype=np.int32)
    for number, _, a, b in pairings.values():
        sides[number] = (place[a], place[b])
    parts: dict[str, list[npt.NDArray[Any]]] = {name: [] for name in NUMBERS}
    counts = np.zeros(max(len(bots), 1) * _BUCKETS, dtype=np.int64)
    all_games = db.has_blocks and start == 0 and blocks
    for batch in block_figures(db) if all_games else read_figures(db, db.sealed, start):
        key = batch.numbers["id"]
        pairing, game = key >> 1 & ((1 << PAIRING_BITS) - 1), key & 1
        unknown = (pairing >= len(sides)) | (sides[np.minimum(pairing, len(sides) - 1), 0] < 0)
        if unknown.any():
            raise Damage(f"game {GameId.from_key(int(key[int(np.argmax(unknown))]))} belongs to no pairing")
        for times, bot in ((batch.first, sides[pairing, game]), (batch.second, sides[pairing, 1 - game])):
            data = np.frombuffer(times.data, dtype=np.uint8).reshape(-1, 2)
            who = np.repeat(bot.astype(np.int64), times.lengths // 2)
            sums = np.bincount(who * _BUCKETS + data[:, 0], weights=data[:, 1], minlength=len(counts))
            counts += sums.astype(np.int64)
        for name, column in batch.numbers.items():
            parts[name].append(column.astype(_KINDS.get(name, np.int64)))
    columns = {name: np.concatenate([*part, np.empty(0, _KINDS.get(name, np.int64))]) for name, part in parts.items()}
    key = columns["id"]
    if not (key[1:] > key[:-1]).all():  # blocks hold games in the order of delivery
        order = np.argsort(key, kind="stable")
        columns = {name: column[order] for name, column in columns.items()}
        key = columns["id"]
    columns["pairing"] = (key >> 1 & ((1 << PAIRING_BITS) - 1)).astype(np.int32)
    columns["deal"], columns["game"] = key >> (PAIRING_BITS + 1), (key & 1).astype(np.int8)
    return Figures(bots, pairings, columns, counts.reshape(-1, _BUCKETS))
