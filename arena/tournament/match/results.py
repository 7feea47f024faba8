"""What was played: the row of a game, its readable form, and how far a schedule has come."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from arena.endings import ENDINGS, FORFEITS, forfeit_of
from arena.tournament.match.tasks import GameId


class Row(NamedTuple):
    """A finished game as it is stored: the columns of the table `games`. "first" is the bot that began.

    id          identity, `GameId.key`
    score       half points of the first: 2 won, 1 drawn, 0 lost
    ending      index into `arena.endings.ENDINGS`
    forfeit     `arena.endings.FORFEIT_CODES`, 0: none
    forfeit_by  who forfeited: 1 the first, 2 the second; without a forfeit who failed after the game, in `end`:
                0 nobody, 1, 2, or 3 for both
    stones      stones owned at the end
    turns       turns begun
    plies       decisions recorded
    decisions   decisions that the bot was asked for
    us, max_us  thinking time and the longest decision, microseconds; `us` without a bot is the duration of the game
    hist        thinking times of the decisions, see `pack_times`
    record      text record of the game
    detail      traceback or remark of a forfeit or of a failure in `end`
    """

    id: int
    score: int
    ending: int
    forfeit: int
    forfeit_by: int
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
    hist_first: bytes
    hist_second: bytes
    us: int
    record: str
    detail: str | None


COLUMNS = Row._fields
CLOCKED = frozenset(COLUMNS[11:18])
"""Columns measured by a clock: two plays of one game may differ in them."""

FAILED_AFTER = "failed after the game by"
"""In `detail` of a game that nobody forfeited: between a bot's name and the kind and detail of its failure in `end`."""

WIN_POINTS = 5


def points_of(score: int, stones_first: int, stones_second: int) -> tuple[int, int]:
    """Match points of both bots (RULES.md §7): 5 for the winner, one a stone for a loser or in a drawn game.

    >>> points_of(2, 5, 3), points_of(0, 4, 3), points_of(1, 4, 4)
    ((5, 3), (4, 5), (4, 4))
    """
    return (WIN_POINTS if score == 2 else stones_first, WIN_POINTS if score == 0 else stones_second)


@dataclass(frozen=True, slots=True)
class GameResult:
    """One finished game, for reading. Tuples of two are (bot that began, other bot); times are in ms.

    `forfeit_by` is the name of the bot that forfeited, `failed_after` are those that failed after the game, in `end`:
    its result stands.
    """

    id: GameId
    round: int
    first: str
    second: str
    score: float
    ending: str
    stones: tuple[int, int]
    turns: int
    plies: int
    decisions: tuple[int, int]
    record: str
    ms: tuple[float, float] = (0.0, 0.0)
    max_ms: tuple[float, float] = (0.0, 0.0)
    times: tuple[bytes, bytes] = (b"", b"")
    duration_ms: float = 0.0
    forfeit: str | None = None
    forfeit_by: str | None = None
    detail: str | None = None
    failed_after: tuple[str, ...] = ()

    @property
    def points(self) -> tuple[int, int]:
        """Match points, 5 v stones."""
        return points_of(round(self.score * 2), *self.stones)

    @property
    def winner(self) -> str | None:
        """Name of the winner, None for a draw."""
        return {1.0: self.first, 0.0: self.second}.get(self.score)

    def to_row(self) -> Row:
        """The flat tuple that is stored. ValueError for an ending or a forfeit that does not exist."""
        return Row(
            self.id.key,
            round(self.score * 2),
            ENDINGS.index(self.ending),
            (None, *FORFEITS).index(self.forfeit),
            self._by(),
            *self.stones,
            self.turns,
            self.plies,
            *self.decisions,
            *_us(self.ms),
            *_us(self.max_ms),
            *self.times,
            round(self.duration_ms * 1000),
            self.record,
            self.detail,
        )

    @classmethod
    def from_row(cls, row: Row, a: str, b: str, round: int = 0) -> GameResult:
        """Read a stored row; `a` and `b` are the bots of its pairing."""
        identity = GameId.from_key(row.id)
        first, second = (b, a) if identity.game else (a, b)
        forfeit = forfeit_of(row.forfeit)
        return cls(
            id=identity,
            round=round,
            first=first,
            second=second,
            score=row.score / 2,
            ending=ENDINGS[row.ending],
            stones=(row.stones_first, row.stones_second),
            turns=row.turns,
            plies=row.plies,
            decisions=(row.decisions_first, row.decisions_second),
            record=row.record,
            ms=(row.us_first / 1000, row.us_second / 1000),
            max_ms=(row.max_us_first / 1000, row.max_us_second / 1000),
            times=(row.hist_first, row.hist_second),
            duration_ms=row.us / 1000,
            forfeit=forfeit,
            forfeit_by=(None, first, second)[row.forfeit_by] if forfeit else None,
            detail=row.detail,
            failed_after=()
            if forfeit
            else tuple(name for bit, name in ((1, first), (2, second)) if row.forfeit_by & bit),
        )

    def _by(self) -> int:
        if self.forfeit is None and self.forfeit_by is None:
            return (self.first in self.failed_after) + 2 * (self.second in self.failed_after)
        return (None, self.first, self.second).index(self.forfeit_by)


def _us(ms: tuple[float, float]) -> tuple[int, int]:
    return round(ms[0] * 1000), round(ms[1] * 1000)


# ---------------------------------------------------------------- thinking times


def time_bucket(ns: int) -> int:
    """Bucket of a time in nanoseconds: four to each doubling, 0..255 for all 64-bit times.

    >>> time_bucket(0), time_bucket(1000), time_bucket(1_000_000_000)
    (0, 39, 119)
    """
    if ns < 4:
        return max(ns, 0)
    top = ns.bit_length() - 1
    return min(top * 4 + (ns >> (top - 2) & 3), 255)


def bucket_ms(bucket: int) -> float:
    """Middle of a bucket in milliseconds; within 10% of every time in it."""
    if bucket < 8:
        return bucket / 1e6
    top, quarter = divmod(bucket, 4)
    return (4 + quarter + 0.5) * 2.0 ** (top - 2) / 1e6


def pack_times(times: Iterable[int]) -> bytes:
    """Return times in nanoseconds as bytes: in order, each bucket and how often it follows itself (up to 255).

    >>> pack_times([1000, 1000, 1_000_000_000, 1000]).hex(" ")
    '27 02 77 01 27 01'
    """
    out = bytearray()
    for ns in times:
        bucket = time_bucket(ns)
        if out and out[-2] == bucket and out[-1] < 255:
            out[-1] += 1
        else:
            out += bytes((bucket, 1))
    return bytes(out)


def times_in_order(packed: bytes) -> list[int]:
    """Return the bucket of each decision in order.

    >>> times_in_order(pack_times([1000, 1000, 1_000_000_000, 1000]))
    [39, 39, 119, 39]
    """
    return [bucket for bucket, count in zip(packed[::2], packed[1::2]) for _ in range(count)]


def merge_times(packed: Iterable[bytes]) -> list[int]:
    """Return the histogram of packed times as a list of 256 counts.

    >>> merge_times([pack_times([1000] * 300), pack_times([1000])])[39]
    301
    """
    counts = [0] * 256
    for data in packed:
        for at in range(0, len(data), 2):
            counts[data[at]] += data[at + 1]
    return counts


def time_quantile(counts: list[int], share: float) -> float:
    """Time in milliseconds below which `share` (0..1) of the decisions lie; 0 without decisions."""
    total = sum(counts)
    seen = 0
    for bucket, count in enumerate(counts):
        seen += count
        if count and seen >= share * total:
            return bucket_ms(bucket)
    return 0.0


# ---------------------------------------------------------------- progress


class PairingScore(NamedTuple):
    """What bot `a` of a pairing has reached against `b`, in games and in match points (5 v stones)."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    points_a: int = 0
    points_b: int = 0


class ScheduleProgress:
    """Which units are done, and the score of each pairing: all that a schedule needs to go on.

    Done deals are kept as intervals, so a million games take no more room than a thousand.
    """

    def __init__(self) -> None:
        self._spans: dict[int, list[int]] = {}  # pairing -> start, stop, start, stop, ... ascending
        self._scores: dict[int, PairingScore] = {}
        self.games = 0

    @classmethod
    def of(cls, results: Iterable[GameResult]) -> ScheduleProgress:
        done = cls()
        for result in results:
            done.add(result)
        return done

    @classmethod
    def of_sums(cls, spans: dict[int, list[int]], scores: dict[int, PairingScore]) -> ScheduleProgress:
        """Progress from the done deals of each pairing (start, stop, start, stop, ... ascending) and its score."""
        done = cls()
        done._spans, done._scores = spans, scores
        done.games = sum(score.games for score in scores.values())
        return done

    def add(self, result: GameResult) -> None:
        """Count one more game. Games must not be added twice."""
        self.add_row(result.id.key, round(result.score * 2), *result.stones)

    def add_row(self, key: int, score: int, stones_first: int, stones_second: int) -> None:
        identity = GameId.from_key(key)
        first, second = points_of(score, stones_first, stones_second)
        if identity.game:
            score, first, second = 2 - score, second, first
        self.add_deal(identity.pairing, identity.deal)
        won, drawn, lost = int(score == 2), int(score == 1), int(score == 0)
        self.add_score(identity.pairing, PairingScore(1, won, drawn, lost, first, second))

    def add_deal(self, pairing: int, deal: int) -> None:
        spans = self._spans.setdefault(pairing, [])
        if spans and spans[-1] == deal:  # games mostly come in order
            spans[-1] += 1
            return
        at = bisect_right(spans, deal)
        if at % 2:
            return
        joins_left = at > 0 and spans[at - 1] == deal
        joins_right = at < len(spans) and spans[at] == deal + 1
        if joins_left and joins_right:
            del spans[at - 1 : at + 1]
        elif joins_left:
            spans[at - 1] += 1
        elif joins_right:
            spans[at] -= 1
        else:
            spans[at:at] = (deal, deal + 1)

    def add_score(self, pairing: int, more: PairingScore) -> None:
        have = self._scores.get(pairing)
        self._scores[pairing] = more if have is None else PairingScore(*map(int.__add__, have, more))
        self.games += more.games

    def has(self, pairing: int, deal: int) -> bool:
        """Is the unit on this deal done? A unit is stored whole or not at all, so one game of it is proof."""
        spans = self._spans.get(pairing)
        return spans is not None and bisect_right(spans, deal) % 2 == 1

    def score(self, pairing: int) -> PairingScore:
        return self._scores.get(pairing, PairingScore())
