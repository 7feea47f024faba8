"""The rulebook's match of several games (RULES.md §7): the winner of a game begins the next.

The winner of a game gets 5 points, the loser one per stone. The games of a series depend on each other, so a series is
one unit of work. Series s of every pairing has the deals from s times `stride` on. The seed decides which bot begins
the first of two consecutive series; the other bot begins the second.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, NamedTuple

from arena.endings import WIN_POINTS
from arena.game.rng import derive_seed
from arena.stats import other_side
from arena.tournament.formats.schedule import Format, Place, Schedule
from arena.tournament.games import GameResult, Pairing, ScheduleProgress, SeriesRule, SeriesTask, Task


def series_rule(next_starter: str = "winner", rounds: int | None = None, target: int | None = None) -> SeriesRule:
    """Return the rules of a series: either a number of `rounds` or a `target` of points.

    In each decided game a bot wins at least 5 points, so a target is soon reached; only drawn games without any stone
    could go on for long, and the stride limits them.

    >>> series_rule(target=12)
    SeriesRule(next_starter='winner', rounds=None, target=12, stride=12)
    """
    return SeriesRule(next_starter, rounds, target, rounds or 4 * -(-(target or 0) // WIN_POINTS))


def starter_after(rule: SeriesRule, starter: int, score: int) -> int:
    """Return who begins the next game: 0 bot `a`, 1 bot `b`; `score` is in half points of the bot that began this one.

    After a drawn game it is the bot that did not begin.
    """
    if rule.next_starter == "alternate" or score == 1:
        return 1 - starter
    starter_won = score == 2
    return starter if starter_won == (rule.next_starter == "winner") else 1 - starter


def is_over(rule: SeriesRule, games: int, points_a: int, points_b: int) -> bool:
    """Return whether a series ends after `games` games. If both bots are level above the target, it continues."""
    if games >= rule.stride:
        return True
    return rule.target is not None and max(points_a, points_b) >= rule.target and points_a != points_b


@dataclass(frozen=True)
class SeriesSchedule(Schedule):
    """A schedule in which every two bots play `matches` series."""

    bots: tuple[str, ...]
    rule: SeriesRule
    matches: int
    seed: int | str

    tiebreaks: ClassVar[Mapping[str, str]] = {
        "point_difference": "match points won minus match points lost",
        "seed": "place in the order in which the bots were named",
    }

    @property
    def _series(self) -> int:
        return len(self.bots) * (len(self.bots) - 1) // 2 * self.matches

    @property
    def deal_count(self) -> int:
        """Return the number of deals reserved for all series of a pairing."""
        return self.matches * self.rule.stride

    @property
    def stride(self) -> int:
        """Return the number of deals reserved for a series."""
        return self.rule.stride

    @property
    def design(self) -> str:
        """Return the rule of the series."""
        end = f"{self.rule.rounds} rounds" if self.rule.rounds else f"to {self.rule.target}"
        return f"series {end}, {self.rule.next_starter} begins"

    def pairings(self, done: ScheduleProgress) -> Sequence[Pairing]:
        """Return all pairings."""
        pairs = combinations(self.bots, 2)
        return [Pairing(number, 0, min(pair), max(pair)) for number, pair in enumerate(pairs)]

    def tasks(self, done: ScheduleProgress) -> Iterator[Task]:
        """Yield the series left to play."""
        pairings = self.pairings(done)
        for match in range(self.matches):
            deal = match * self.rule.stride
            for number, round_, a, b in pairings:
                if not done.has(number, deal):
                    chance = derive_seed(self.seed, "series starter", a, b, match // 2) >> 63
                    yield SeriesTask(number, deal, a, b, round_, chance ^ match & 1, self.rule)

    def planned(self, done: ScheduleProgress) -> int:
        """Return the number of games: exact for a number of rounds, extrapolated for a target."""
        if self.rule.rounds is not None:
            return self._series * self.rule.rounds
        games = self.expected(done.games, self.units_done(done))
        assert games is not None
        return games

    def units_done(self, done: ScheduleProgress) -> int:
        """Count the series that are done, if there is a target."""
        return 0 if self.rule.target is None else self._series - sum(1 for _ in self.tasks(done))

    def expected(self, games: int, units: int) -> int | None:
        """Return the games played plus, for the series left, as many each as so far; None without a target."""
        if self.rule.target is None:
            return None
        mean = games / units if units else -(-self.rule.target // WIN_POINTS)
        return games + round(max(self._series - units, 0) * mean)

    def ranking(self, done: ScheduleProgress, games: Iterable[GameResult] = ()) -> list[Place]:
        """Rank by series won (drawn 1/2), then by the difference of match points, then in seed order."""
        bots = self.bots
        points = dict.fromkeys(bots, 0.0)
        difference = dict.fromkeys(bots, 0)
        for result in series_results(self.rule, games):
            ahead = result.points_a - result.points_b
            share = 1.0 if ahead > 0 else 0.5 if ahead == 0 else 0.0
            points[result.a] += share
            points[result.b] += other_side(share)
            difference[result.a] += ahead
            difference[result.b] -= ahead
        order = sorted(bots, key=lambda bot: (-points[bot], -difference[bot], bots.index(bot)))
        return [
            Place(number, bot, points[bot], (difference[bot], bots.index(bot) + 1))
            for number, bot in enumerate(order, start=1)
        ]


def series(
    bots: Sequence[str],
    seed: int | str,
    matches: int = 1,
    next_starter: str = "winner",
    rounds: int | None = None,
    target: int | None = None,
) -> SeriesSchedule:
    """Let every two bots play `matches` series of `rounds` games, or to `target` points."""
    return SeriesSchedule(tuple(bots), series_rule(next_starter, rounds, target), matches, seed)


# ---------------------------------------------------------------- results


class SeriesResult(NamedTuple):
    """A series: its number, that of its pairing, its bots, and their match points."""

    number: int
    pairing: int
    a: str
    b: str
    points_a: int
    points_b: int


def series_results(rule: SeriesRule, games: Iterable[GameResult]) -> list[SeriesResult]:
    """Group games into their series, by number and pairing."""
    sums: dict[tuple[int, int], list[int]] = {}
    bots: dict[int, tuple[str, str]] = {}
    for game in games:
        pairing, deal, flipped = game.id
        bots[pairing] = (game.second, game.first) if flipped else (game.first, game.second)
        total = sums.setdefault((deal // rule.stride, pairing), [0, 0])
        for bot, more in zip((1, 0) if flipped else (0, 1), game.points):
            total[bot] += more
    return [SeriesResult(number, pairing, *bots[pairing], *total) for (number, pairing), total in sorted(sums.items())]


def _to_twenty(given: Mapping[str, Any]) -> Mapping[str, Any]:
    return given if {"rounds", "target"} & given.keys() else {**given, "target": 20}


SERIES = Format(
    "series",
    "the rulebook's match of several games, for points",
    lambda given, settings: series(given.bots, given.seed, **vars(settings)),
    games_from="series.matches and series.rounds",
    chained=True,
    size="matches",
    completed=_to_twenty,
)
