"""Schedules: ordered, deterministic, resumable lists of units of work.

A schedule is a pure function of its settings. `tasks(done)` yields what is left to play and already known, in
order and lazily. Formats played round by round yield one wave of tasks after another: when a wave is stored,
ask again with the new progress; the tournament is over when nothing comes. So a run is

    repeat: play and store what schedule.tasks(store.progress()) yields, until it yields nothing

and it makes no difference where it was interrupted.

All pairings advance together, deal by deal, so that what is stored of a broken run is balanced. Deal
numbers rise along the schedule: games sorted by (deal, pairing, game) are in schedule order. That all
pairings play the same deals makes their results easier to compare; where bots could remember deals, each
pairing can have its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from arena.errors import ArenaError
from arena.match.results import GameResult, PairingScore, ScheduleProgress
from arena.match.tasks import Pairing, PairTask, Task


@dataclass(frozen=True)
class Place:
    """A line of a format's own ranking. `tiebreak` is what decides between equal points, best first."""

    rank: int
    bot: str
    points: float
    tiebreak: tuple[float, ...] = ()
    remark: str = ""


@dataclass(frozen=True)
class Deals:
    """Units for each pairing: `units` deals, each played twice with seats swapped if `paired`, else once.

    `own`: no deal is played by two pairings, so that no bot sees the same cards with another opponent.
    """

    units: int
    paired: bool = True
    own: bool = False

    @property
    def games(self) -> int:
        """Games for each pairing."""
        return self.units * (2 if self.paired else 1)


def deals_for(games: int, paired: bool = True, own: bool = False) -> tuple[Deals, tuple[str, ...]]:
    """Deals for at least `games` games a pairing, with a note if that was rounded up to whole pairs.

    >>> deals_for(5)
    (Deals(units=3, paired=True, own=False), ('5 games for each pairing rounded up to 6, for whole pairs',))
    >>> deals_for(5, paired=False)
    (Deals(units=5, paired=False, own=False), ())
    """
    if games < 1:
        raise ArenaError(f"games for each pairing must be at least 1, not {games}")
    if not paired:
        return Deals(games, False, own), ()
    if games % 2 == 0:
        return Deals(games // 2, True, own), ()
    note = f"{games} games for each pairing rounded up to {games + 1}, for whole pairs"
    return Deals((games + 1) // 2, True, own), (note,)


class Schedule(ABC):
    """What every format offers. `bots` is the seed order: the order in which they were named."""

    format: ClassVar[str]
    stepwise: ClassVar[bool] = False
    """True if `tasks` comes in waves, each of which depends on the results of those before."""

    bots: tuple[str, ...]
    notes: tuple[str, ...]

    @abstractmethod
    def pairings(self, done: ScheduleProgress) -> Sequence[Pairing]:
        """The pairings known so far, by number."""

    @abstractmethod
    def tasks(self, done: ScheduleProgress) -> Iterator[Task]:
        """The units left to play that can be known from `done`, in order."""

    @abstractmethod
    def planned(self, done: ScheduleProgress) -> int:
        """Games in all as far as `done` tells: exact in most formats, else what is sure by now."""

    def ranking(self, done: ScheduleProgress, games: Iterable[GameResult] = ()) -> list[Place] | None:
        """The format's own ranking, None where the rating table is the ranking. `games` are all games played.

        `games` may be read lazily: a format whose ranking follows from `done` leaves it alone.
        """
        return None


def check_bots(bots: Sequence[str], least: int = 2) -> tuple[str, ...]:
    """The names as a tuple; ArenaError for too few or for one that comes twice."""
    for at, bot in enumerate(bots):
        if bot in bots[:at]:
            raise ArenaError(f"bot {bot!r} is named twice; give one of them another name")
    if len(bots) < least:
        raise ArenaError(f"at least {least} bots are needed, there are {len(bots)}")
    return tuple(bots)


def deal_tasks(
    pairings: Sequence[Pairing],
    units: range,
    paired: bool,
    order: dict[str, int],
    done: ScheduleProgress,
    own: bool = False,
) -> Iterator[PairTask]:
    """Unit by unit, all pairings on the deal of that number, or each on one of its `own`; what is done is left out.

    Unpaired, the bots of a pairing begin in turn, and the parity of their places decides who does in unit
    0, so that in a field each bot begins about half of its games.
    """
    for unit in units:
        for at, (number, round_, a, b) in enumerate(pairings):
            deal = unit * len(pairings) + at if own else unit
            if not done.has(number, deal):
                games = (0, 1) if paired else ((unit + order[a] + order[b] + 1) % 2,)
                yield PairTask(number, deal, a, b, round_, games)


def margin(score: PairingScore) -> int:
    """Games that bot `a` won more than bot `b`."""
    return score.wins - score.losses
