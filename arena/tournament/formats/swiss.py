"""Swiss: in each round, bots with about equal points meet.

Each round has its own deals: round r begins at deal r times the deals of a round. The next round is computed only from
the scores of the previous rounds, so it need not be stored.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import ClassVar, NamedTuple

import numpy as np

from arena.stats.frames import Bools
from arena.text import counted
from arena.tournament.formats.schedule import (
    Format,
    GamesPerPairing,
    Meeting,
    Place,
    Schedule,
    deal_tasks,
    deals_for,
    margin,
)
from arena.tournament.games import GameResult, Pairing, PairingScore, ScheduleProgress, Task

_MOST_BEGUN = 4  # two bots that have both begun two games more than their opponents should not meet


class _Table:
    """The standings of a swiss tournament; bots are numbers in seed order."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.points = [0.0] * size
        self.opponents: list[list[int]] = [[] for _ in range(size)]
        self.byes = [0] * size
        self.begun = [0] * size  # games that a bot began more than its opponents did

    def buchholz(self, bot: int) -> float:
        """Sum the opponents' points; a bye adds none."""
        return sum(self.points[other] for other in self.opponents[bot])

    def order(self) -> list[int]:
        """Return the bots from first to last, by points, Buchholz, seed order."""
        return sorted(range(self.size), key=lambda bot: (-self.points[bot], -self.buchholz(bot), bot))

    def meetings(self, first: int, second: int) -> int:
        """Count how often two bots have met."""
        return self.opponents[first].count(second)

    def begins(self, first: int, second: int, parity: int) -> int:
        """Return who begins the first game of a pairing, 0 or 1: the bot that has begun less often, else by parity."""
        if self.begun[first] == self.begun[second]:
            return (first + second + parity + 1) % 2
        return int(self.begun[first] > self.begun[second])

    def enter(self, first: int, second: int, score: PairingScore) -> None:
        """Count a finished pairing."""
        won = margin(score)
        self.points[first] += (won > 0) + (won == 0) / 2
        self.points[second] += (won < 0) + (won == 0) / 2
        self.opponents[first].append(second)
        self.opponents[second].append(first)

    def enter_bye(self, bot: int) -> None:
        """Count a bye."""
        self.points[bot] += 1
        self.byes[bot] += 1

    def draw_round(self) -> tuple[list[tuple[int, int]], int | None]:
        """Return the pairs of the next round, and the bot that has a bye.

        There are as few repeats as possible. No bot has a second bye before all have had one. Where possible, no two
        bots meet that have both begun twice too often, or both twice too rarely. Within a group of equal points the
        upper half meets the lower half; a bot left over drops into the next group.
        """
        order = self.order()
        for repeats, begun in ((repeats, begun) for repeats in count() for begun in (_MOST_BEGUN, math.inf)):
            may_meet = self._may_meet(repeats, begun)
            for bye in self._bye_candidates(order):
                rest = [bot for bot in order if bot != bye]
                if _can_pair(rest, may_meet):
                    return self._pair(rest, may_meet), bye
        raise AssertionError("some number of repeats is enough")

    def _bye_candidates(self, order: list[int]) -> list[int | None]:
        if self.size % 2 == 0:
            return [None]
        fewest = min(self.byes)
        return [bot for bot in reversed(order) if self.byes[bot] == fewest]

    def _may_meet(self, repeats: int, most_begun: float) -> Bools:
        """Return which two bots may meet, as a symmetric matrix."""
        met, begun = np.zeros((self.size, self.size), np.int64), np.array(self.begun)
        for bot, opponents in enumerate(self.opponents):
            np.add.at(met[bot], opponents, 1)
        may_meet: Bools = (met <= repeats) & (abs(begun[:, None] + begun) < most_begun)
        np.fill_diagonal(may_meet, False)
        return may_meet

    def _pair(self, bots: list[int], may_meet: Bools) -> list[tuple[int, int]]:
        pairs = []
        while bots:
            top, rest = bots[0], bots[1:]
            for other in self._preferences(top, rest, may_meet):
                left = [bot for bot in rest if bot != other]
                if _can_pair(left, may_meet):
                    pairs.append((top, other))
                    bots = left
                    break
        return pairs

    def _preferences(self, top: int, rest: list[int], may_meet: Bools) -> list[int]:
        """Return possible opponents, best first: from the middle of its group down, then up, then other groups."""
        group = [bot for bot in rest if self.points[bot] == self.points[top]]
        middle = len(group) // 2  # the group without its top bot: its lower half begins here
        others = [bot for bot in rest if self.points[bot] != self.points[top]]
        wishes = group[middle:] + group[:middle][::-1] + others
        allowed = [bot for bot in wishes if may_meet[top, bot]]
        return sorted(allowed, key=lambda bot: self.meetings(top, bot))


def _can_pair(bots: list[int], may_meet: Bools) -> bool:
    return has_perfect_matching(may_meet[np.ix_(bots, bots)])


class _Replay(NamedTuple):
    """The standings after the finished rounds, all rounds known, and who begins in the last round.

    `begins` holds by pairing who begins the first game: 0 bot `a`, 1 bot `b`.
    """

    table: _Table
    rounds: list[list[Pairing]]
    begins: dict[int, int]


@dataclass(frozen=True)
class Swiss(Schedule):
    """Each round pairs bots of about equal points. A won pairing scores 1, a drawn one 1/2, a bye 1."""

    bots: tuple[str, ...]
    deals: GamesPerPairing
    rounds: int

    tiebreaks: ClassVar[Mapping[str, str]] = {
        "buchholz": "sum of the points of the bot's opponents; a bye adds none",
        "seed": "place in the order in which the bots were named",
    }

    @cached_property
    def _per_round(self) -> int:
        return len(self.bots) // 2

    @property
    def deal_count(self) -> int:
        """Return the number of deals of all rounds."""
        return self.rounds * self.deals.units

    @property
    def design(self) -> str:
        """Return whether both games of a deal are played."""
        return self.deals.design

    @cached_property
    def _replayed(self) -> list[tuple[ScheduleProgress, int, _Replay]]:
        """Hold the last replay and its input: drawing the rounds of some hundred bots takes a minute."""
        return []

    def _replay(self, done: ScheduleProgress) -> _Replay:
        for known, games, replay in self._replayed:
            if known is done and games == done.games:
                return replay
        self._replayed[:] = [(done, done.games, self._draw(done))]
        return self._replayed[0][2]

    def _draw(self, done: ScheduleProgress) -> _Replay:
        table = _Table(len(self.bots))
        rounds: list[list[Pairing]] = []
        begins: dict[int, int] = {}
        for number in range(self.rounds):
            pairs, bye = table.draw_round()
            base = number * self._per_round
            meetings = [
                Pairing(base + table_number, number, self.bots[first], self.bots[second])
                for table_number, (first, second) in enumerate(pairs)
            ]
            rounds.append(meetings)
            begins = {
                meeting.number: table.begins(*pair, parity=number * self.deals.units)
                for meeting, pair in zip(meetings, pairs)
            }
            scores = [done.result(meeting, self.deals.games) for meeting in meetings]
            if any(score.games < self.deals.games for score in scores):
                break
            for pair, start, score in zip(pairs, begins.values(), scores):
                table.enter(*pair, score)
                if self.deals.games % 2:
                    table.begun[pair[start]] += 1
                    table.begun[pair[1 - start]] -= 1
            if bye is not None:
                table.enter_bye(bye)
        return _Replay(table, rounds, begins)

    def pairings(self, done: ScheduleProgress) -> Sequence[Pairing]:
        """Return the pairings known so far, by number."""
        return [meeting for meetings in self._replay(done).rounds for meeting in meetings]

    def tasks(self, done: ScheduleProgress) -> Iterator[Task]:
        """Yield the units left in the current round."""
        replay = self._replay(done)
        begin = replay.rounds[-1][0].round * self.deals.units
        units = range(begin, begin + self.deals.units)
        pairings = [pairing for pairing in replay.rounds[-1] if not done.is_walkover(pairing)]
        yield from deal_tasks(pairings, units, self.deals.paired, replay.begins, done)

    def planned(self, done: ScheduleProgress) -> int:
        """Return the number of games, without those of walkovers that are known."""
        walkovers = sum(map(done.is_walkover, self.pairings(done))) if done.walkovers else 0
        return (self.rounds * self._per_round - walkovers) * self.deals.games

    def ranking(self, done: ScheduleProgress, games: Iterable[GameResult] = ()) -> list[Place]:
        """Rank by points, then Buchholz, then in seed order, after the finished rounds."""
        table = self._replay(done).table
        return [
            Place(
                number + 1,
                self.bots[bot],
                table.points[bot],
                (table.buchholz(bot), bot + 1),
                counted(table.byes[bot], "bye") if table.byes[bot] else "",
            )
            for number, bot in enumerate(table.order())
        ]

    def round_results(self, done: ScheduleProgress) -> list[list[Meeting]]:
        """Return all rounds known, each with its pairings in order and its bye at the end."""
        shown = []
        for number, pairings in enumerate(self._replay(done).rounds):
            meetings = [self._meeting(pairing, done) for pairing in pairings]
            playing = {bot for pairing in pairings for bot in (pairing.a, pairing.b)}
            meetings += [
                Meeting(number, bot, None, PairingScore(), bot, "bye") for bot in self.bots if bot not in playing
            ]
            shown.append(meetings)
        return shown

    def _meeting(self, pairing: Pairing, done: ScheduleProgress) -> Meeting:
        _, number, a, b = pairing
        score, result = done.score(pairing.number), done.result(pairing, self.deals.games)
        if result.games < self.deals.games:
            return Meeting(number, a, b, score, None, "")
        won = margin(result)
        decided_by = "walkover" if done.is_walkover(pairing) else "games" if won else "draw"
        return Meeting(number, a, b, score, a if won > 0 else b if won else None, decided_by)


def swiss(bots: Sequence[str], games: int, rounds: int | None = None, paired: bool = True) -> Swiss:
    """Make a swiss tournament (default: the fewest rounds that leave at most one bot with all rounds won)."""
    return Swiss(tuple(bots), deals_for(games, paired), rounds or (len(bots) - 1).bit_length())


SWISS = Format(
    "swiss",
    "rounds in which bots with about equal points meet, for large fields",
    lambda given, settings: swiss(given.bots, given.games, settings.rounds, given.paired),
    size="rounds",
    closed="the results of a round decide who meets whom in the next",
)


# ---------------------------------------------------------------- perfect matchings


_PRIME = 2**31 - 1  # products of two numbers below it fit into 63 bits


def has_perfect_matching(edges: Bools) -> bool:
    """Return whether all vertices of a graph can be paired along its edges, a symmetric matrix.

    Tutte's theorem: they can if the determinant of the skew-symmetric matrix with an unknown for each edge is not
    zero. Here the unknowns are random numbers modulo a prime, always the same ones. If the graph has a matching, the
    determinant is still zero with a probability of less than its size in two billion.

    >>> path = np.eye(4, k=1) + np.eye(4, k=-1) > 0
    >>> star = np.add.outer([1, 0, 0, 0], [1, 0, 0, 0]) == 1
    >>> has_perfect_matching(path), has_perfect_matching(star)
    (True, False)
    """
    size = len(edges)
    if size % 2:
        return False
    if (edges.sum(axis=1) * 2 >= size).all():
        return True  # Dirac: such a graph has a Hamiltonian cycle, every second edge of which is a matching
    unknowns = np.triu(np.random.default_rng(1).integers(1, _PRIME, (size, size)), 1) * edges
    matrix = (unknowns - unknowns.T) % _PRIME
    for column in range(size):  # Gauss's elimination
        rows = column + np.flatnonzero(matrix[column:, column])
        if not len(rows):
            return False
        matrix[[column, rows[0]]] = matrix[[rows[0], column]]
        inverse = pow(int(matrix[column, column]), -1, _PRIME)
        factors = matrix[column + 1 :, column] * inverse % _PRIME
        matrix[column + 1 :] = (matrix[column + 1 :] - factors[:, None] * matrix[column]) % _PRIME
    return True
