"""Games as values that all rooms above share: what is to be played, and what was played.

A user names a game by its bots, the one that begins first, and the number of the deal (`game_name`). The program
distinguishes games by `(pairing, deal, game)`: the number of a pairing (bot `a` against bot `b`), the number of the
deal, and 0 if `a` begins, 1 if `b` does. The bot that begins sits on the deal's starting seat, so the two games of a
pair are the same cards with the bots swapped.

A finished game has two forms here: `Row`, as it is stored, and `GameResult`, as it is read. Tasks and rows are named
tuples: they are created and sent by the hundred thousand.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Self, TypeAlias

from arena.endings import ENDINGS, forfeit_of, match_points
from arena.game.record import parse_record
from arena.game.rng import derive_seed
from arena.stats import other_side
from arena.text import quoted

PAIRING_BITS = 24
"""Pairings below 2**24 (16 million), deals below 2**38: a game's identity fits into one 63-bit integer."""
DEAL_BITS = 38
_PAIRING_MASK = (1 << PAIRING_BITS) - 1


class GameId(NamedTuple):
    """Identity of a game; sorted by `key`, games stand in the order of the schedule (deal by deal)."""

    pairing: int
    deal: int
    game: int

    @property
    def key(self) -> int:
        """One integer for the identity: `deal`, `pairing`, `game` from high bits to low.

        >>> GameId.from_key(GameId(pairing=3, deal=17, game=1).key)
        GameId(pairing=3, deal=17, game=1)
        """
        return game_key(self.pairing, self.deal, self.game)

    @classmethod
    def from_key(cls, key: int) -> GameId:
        """Return the identity that has this `key`."""
        return cls(key >> 1 & _PAIRING_MASK, key >> (PAIRING_BITS + 1), key & 1)

    def __str__(self) -> str:
        """`PAIRING/DEAL/GAME`, read back by `parse`.

        >>> str(GameId(3, 17, 1))
        '3/17/1'
        """
        return f"{self.pairing}/{self.deal}/{self.game}"

    @classmethod
    def parse(cls, text: str) -> GameId:
        """Read `PAIRING/DEAL/GAME`; ValueError for anything else.

        >>> GameId.parse("3/17/1")
        GameId(pairing=3, deal=17, game=1)
        """
        match = re.fullmatch(r"([0-9]{1,20})/([0-9]{1,20})/([01])", text.strip())
        if match is None:
            raise ValueError(f"a game is named PAIRING/DEAL/GAME, such as 0/12/1 (GAME is 0 or 1), not {quoted(text)}")
        identity = cls(*map(int, match.groups()))
        if identity.key >> 63 or cls.from_key(identity.key) != identity:
            raise ValueError(f"there is no game {quoted(text)}")
        return identity


def game_name(first: str, second: str, deal: int) -> str:
    """Return the name of a game for users; it does not depend on the other bots. `first` begins.

    >>> game_name("greedy", "odds", 12)
    'greedy/odds/12'
    """
    return f"{first}/{second}/{deal}"


def game_key(pairing: int, deal: int, game: int) -> int:
    """Return the identity as one integer, see `GameId.key`."""
    return deal << (PAIRING_BITS + 1) | pairing << 1 | game


def deal_seed(seed: int, own: bool, first: str, second: str) -> int:
    """Return the seed of two bots' deals: the run's, or for deals of their `own` one derived from it and both names.

    >>> deal_seed(7, False, "ann", "bob"), deal_seed(7, True, "ann", "bob") == deal_seed(7, True, "bob", "ann") != 7
    (7, True)
    """
    return _own_seed(seed, min(first, second), max(first, second)) if own else seed


def stored_deal_seed(config: Mapping[str, Any], first: str, second: str) -> int:
    """Return the seed of two bots' deals in a run with these settings, `TournamentConfig.canonical`.

    It is 0 if the deals are listed, as in `GameResult.deal_seed`.

    >>> stored_deal_seed({"seed": 7}, "ann", "bob"), stored_deal_seed({"seed": 7, "deals": ["7:3"]}, "ann", "bob")
    (7, 0)
    """
    return 0 if config.get("deals") else deal_seed(config["seed"], config.get("own_deals", False), first, second)


@lru_cache(maxsize=1024)
def _own_seed(seed: int, a: str, b: str) -> int:
    return derive_seed(seed, "own deals", a, b) >> 1  # below 2**63


class GameTask(NamedTuple):
    """One game to play. `first` begins and sits on the deal's starting seat (`Deal.starter`)."""

    pairing: int
    deal: int
    game: int
    first: str
    second: str
    round: int

    @property
    def key(self) -> int:
        """The identity as one integer."""
        return game_key(self.pairing, self.deal, self.game)

    @property
    def id(self) -> GameId:
        """The identity."""
        return GameId(self.pairing, self.deal, self.game)

    @property
    def name(self) -> str:
        """The name for users."""
        return game_name(self.first, self.second, self.deal)


class Pairing(NamedTuple):
    """Two bots that meet in a round. A bot that has a bye is in no pairing."""

    number: int
    round: int
    a: str
    b: str


class PairTask(NamedTuple):
    """The unit of work: one deal, both bots.

    `games` is (0, 1): `a` begins, then `b`. Unpaired designs have one game.
    """

    pairing: int
    deal: int
    a: str
    b: str
    round: int = 0
    games: tuple[int, ...] = (0, 1)

    def game_tasks(self) -> tuple[GameTask, ...]:
        """Return the games in the order in which they are played.

        >>> [(g.first, g.second) for g in PairTask(0, 5, "greedy", "random").game_tasks()]
        [('greedy', 'random'), ('random', 'greedy')]
        """
        pairing, deal, a, b, round_, games = self
        return tuple(
            [
                GameTask(pairing, deal, game, b, a, round_) if game else GameTask(pairing, deal, game, a, b, round_)
                for game in games
            ]
        )


class SeriesRule(NamedTuple):
    """The rule of a series (RULES.md §7): who begins the next game, and when the series ends (`rounds` or `target`).

    `stride` is the greatest number of games of a series, and the number of deals reserved for each.
    """

    next_starter: str
    rounds: int | None
    target: int | None
    stride: int


class SeriesTask(NamedTuple):
    """A series as a unit of work: its games are played in sequence, on deals `deal`, `deal + 1`, ...

    `starter` is 0 if `a` begins the first game, 1 if `b` does.
    """

    pairing: int
    deal: int
    a: str
    b: str
    round: int
    starter: int
    rule: SeriesRule

    def game_task(self, number: int, starter: int) -> GameTask:
        """Return game `number` (from 0) of the series, begun by bot `starter`."""
        first, second = (self.b, self.a) if starter else (self.a, self.b)
        return GameTask(self.pairing, self.deal + number, starter, first, second, self.round)


Task: TypeAlias = PairTask | SeriesTask


@dataclass(frozen=True)
class Chunk:
    """Consecutive units of work, sent to a worker as one."""

    number: int
    tasks: tuple[Task, ...]

    def __len__(self) -> int:
        return len(self.tasks)


class Row(NamedTuple):
    """A finished game as it is stored: the columns of the table `games`. "first" is the bot that began.

    id          identity, `GameId.key`
    score       half points of the first: 2 won, 1 drawn, 0 lost
    ending      index into `arena.endings.ENDINGS`
    forfeit     `arena.endings.FORFEIT_CODES`, 0: none
    forfeit_by  the bot that forfeited: 1 the first, 2 the second; without a forfeit those that failed after the game,
                in `end`: 0 none, 1, 2, or 3 for both
    stones      stones owned at the end
    turns       turns begun
    plies       decisions recorded
    decisions   decisions that the bot was asked for
    us, max_us  thinking time and longest decision in microseconds; `us` without a bot is the duration of the game
    hist        thinking times of the decisions, see `pack_times`
    record      text record of the game
    detail      traceback or remark of a forfeit or of a failure in `end`

    From a worker to the database rows travel as plain tuples, which are quicker to send and to store.
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


ROW_COLUMNS = Row._fields
CLOCKED = frozenset({"us_first", "us_second", "max_us_first", "max_us_second", "hist_first", "hist_second", "us"})
"""Columns measured by a clock: two plays of one game may differ in them."""

FAILED_AFTER = "failed after the game by"
"""In `detail` of a game that nobody forfeited: between a bot's name and the kind and detail of its failure in `end`."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """A finished game in readable form. Pairs are (`first`, `second`): the bot that began, the other; times are in ms.

    score         1, 0.5 or 0 for `first`
    ending        one of ENDINGS; in a file of records also `resigned` or `broken off` (then `score` is nan): such games
                  count in no table
    plies         decisions of both
    record        the game in one line (arena.game.record)
    times         thinking times of the decisions, see `pack_times`
    forfeit       kind of the forfeit, `forfeit_by` the name of the bot, `detail` the reason with its traceback
    failed_after  bots that failed after the game, in `end`: its result stands
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
        """Match points of both bots."""
        first, second = self.stones
        return match_points(self.score == 1, first), match_points(self.score == 0, second)

    @property
    def winner(self) -> str | None:
        """Name of the winner, None for a draw."""
        return {1.0: self.first, 0.0: self.second}.get(self.score)

    @property
    def seats(self) -> tuple[str, str]:
        """The names at seat 0 (`a` in records and boards) and seat 1 (`b`)."""
        return (self.second, self.first) if parse_record(self.record).deal.starter else (self.first, self.second)

    @property
    def name(self) -> str:
        """Its name for users."""
        return game_name(self.first, self.second, self.id.deal)

    @property
    def deal_seed(self) -> int:
        """The seed of its deal, of a league the lowest 63 bits; 0 for cards that are written out."""
        seed = self.record.split(" ", 3)[2].partition(":")[0]
        return int(seed) & (1 << 63) - 1 if seed.isdecimal() else 0

    def score_of(self, bot: str) -> float:
        """Return the score of one of the two bots: 1, 0.5 or 0."""
        return self.score if bot == self.first else other_side(self.score)

    @classmethod
    def from_row(cls, row: Row, a: str, b: str, round: int = 0) -> Self:
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


# ---------------------------------------------------------------- thinking times


def time_bucket(ns: int) -> int:
    """Return the bucket of a time in nanoseconds: four to each doubling, 0..255 for all 64-bit times.

    >>> time_bucket(0), time_bucket(1000), time_bucket(1_000_000_000)
    (0, 39, 119)
    """
    if ns < 4:
        return max(ns, 0)
    top = ns.bit_length() - 1
    return min(top * 4 + (ns >> (top - 2) & 3), 255)


def bucket_ms(bucket: int) -> float:
    """Return the middle of a bucket in milliseconds; it is within 10% of every time in the bucket."""
    if bucket < 8:
        return bucket / 1e6
    top, quarter = divmod(bucket, 4)
    return (4 + quarter + 0.5) * 2.0 ** (top - 2) / 1e6


def pack_times(times: Iterable[int]) -> bytes:
    """Return times in nanoseconds as bytes: the buckets in order, each with the length of its run (up to 255).

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


def time_quantile(counts: list[int], share: float) -> float:
    """Return the time in milliseconds below which `share` (0..1) of the decisions lie; 0 without decisions."""
    total = sum(counts)
    seen = 0
    for bucket, count in enumerate(counts):
        seen += count
        if count and seen >= share * total:
            return bucket_ms(bucket)
    return 0.0


# ---------------------------------------------------------------- progress


class PairingScore(NamedTuple):
    """The score of bot `a` of a pairing against `b`, in games and in match points (5 or the stones)."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    points_a: int = 0
    points_b: int = 0

    def __invert__(self) -> PairingScore:
        """Return the score of `b` against `a`."""
        return PairingScore(self.games, self.losses, self.draws, self.wins, self.points_b, self.points_a)


@dataclass(frozen=True)
class ScheduleProgress:
    """The units that are done, and the score of each pairing: all that a schedule needs to continue.

    `spans` holds the deals of each pairing that are done as intervals (start, stop, start, stop, ... ascending), so a
    million games take no more room than a thousand. `walkovers` are bots that do not answer, each with the number of
    the first pairing that its opponents win without playing.
    """

    spans: Mapping[int, Sequence[int]] = field(default_factory=dict)
    scores: Mapping[int, PairingScore] = field(default_factory=dict)
    walkovers: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def games(self) -> int:
        """The number of games that are done."""
        return sum(score.games for score in self.scores.values())

    def has(self, pairing: int, deal: int) -> bool:
        """Return whether the unit on this deal is done. A unit is stored whole or not at all: one game is proof."""
        return bisect_right(self.spans.get(pairing, ()), deal) % 2 == 1

    def units(self, pairing: int, stride: int = 1) -> int:
        """Count the units of a pairing that are done, each of which has `stride` deals.

        >>> ScheduleProgress({3: [0, 5, 8, 10]}).units(3), ScheduleProgress({3: [0, 5, 8, 10]}).units(3, stride=4)
        (7, 3)
        """
        spans = self.spans.get(pairing, ())
        return sum(-(-stop // stride) - -(-start // stride) for start, stop in zip(spans[::2], spans[1::2]))

    def score(self, pairing: int) -> PairingScore:
        """Return the score of a pairing, all zero before its first game."""
        return self.scores.get(pairing, PairingScore())

    def _is_gone(self, bot: str, pairing: Pairing) -> bool:
        return bot in self.walkovers and self.walkovers[bot] <= pairing.number

    def is_walkover(self, pairing: Pairing) -> bool:
        """Return whether a pairing is won without playing."""
        return self._is_gone(pairing.a, pairing) or self._is_gone(pairing.b, pairing)

    def result(self, pairing: Pairing, games: int) -> PairingScore:
        """Return the score of a pairing; of a walkover, all of its `games` are won, or drawn between two such bots."""
        gone_a, gone_b = self._is_gone(pairing.a, pairing), self._is_gone(pairing.b, pairing)
        if not (gone_a or gone_b):
            return self.score(pairing.number)
        return PairingScore(games, games * (not gone_a), games * (gone_a and gone_b), games * (not gone_b))
