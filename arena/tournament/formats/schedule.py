"""Schedules: ordered, deterministic, resumable lists of units of work.

A schedule is a pure function of its settings. `tasks(done)` lazily yields, in order, what is left to play and
already known. Formats played round by round yield one wave of tasks after another. So a run is

    repeat: play and store what schedule.tasks(store.progress()) yields, until it yields nothing

and it makes no difference where it was interrupted.

All pairings advance together, deal by deal, so that an interrupted run is balanced. Deal numbers rise along the
schedule: games sorted by (deal, pairing, game) are in schedule order. All pairings play the same deals, so their
results are easier to compare; for bots that could remember deals, each pairing can have its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

from arena.stats.sprt import SprtResult
from arena.tournament.games import GameResult, Pairing, PairingScore, PairTask, ScheduleProgress, Task
from arena.tournament.store.reader import Reader


@dataclass(frozen=True)
class Place:
    """A line of a format's own ranking. `tiebreak` decides between equal points: a figure for each of the schedule's
    `tiebreaks`, the most important first.
    """

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


def deals_for(games: int, paired: bool = True, own: bool = False) -> Deals:
    """Return the deals for at least `games` games of each pairing, in whole pairs.

    >>> deals_for(5), deals_for(5, paired=False)
    (Deals(units=3, paired=True, own=False), Deals(units=5, paired=False, own=False))
    """
    return Deals((games + 1) // 2 if paired else games, paired, own)


@dataclass(frozen=True)
class Meeting:
    """A pairing of a round with its result so far.

    round       number of the round, from 0
    a, b        the bots; None for one that is not known yet, or for nobody (see `decided_by`)
    score       games and match points of `a` against `b`
    winner      who won it; None while it is open, and if it was drawn
    decided_by  "" while it is open, else "games", "match points", "seed", "draw", or "bye" (there is no `b`)
    """

    round: int
    a: str | None
    b: str | None
    score: PairingScore
    winner: str | None
    decided_by: str


class Schedule(ABC):
    """What every format offers. `bots` is the seed order: the order in which they were named."""

    fixed: ClassVar[bool] = False
    """True if all pairings and the number of games are known before the first game."""

    tiebreaks: ClassVar[Mapping[str, str]] = {}
    """What decides between equal points, the first most: column and meaning."""

    bots: tuple[str, ...]

    @property
    def extent(self) -> tuple[int, int]:
        """Of what the format grows by (deals of a pairing, rounds, series): how many there are, and the deals of each.

        Whatever the number, the first ones are played in the same way.
        """
        raise NotImplementedError(f"{type(self).__name__} does not grow")

    @abstractmethod
    def pairings(self, done: ScheduleProgress) -> Sequence[Pairing]:
        """The pairings known so far, by number."""

    @abstractmethod
    def tasks(self, done: ScheduleProgress) -> Iterator[Task]:
        """The units left to play that can be known from `done`, in order."""

    @abstractmethod
    def planned(self, done: ScheduleProgress) -> int:
        """The total number of games as far as `done` tells: exact in most formats, else what is certain by now."""

    def ranking(self, done: ScheduleProgress, games: Iterable[GameResult] = ()) -> list[Place] | None:
        """The format's own ranking, or None if the rating table is the ranking.

        `games` are all games played, perhaps read lazily: a format whose ranking follows from `done` ignores them.
        """
        return None

    def round_results(self, done: ScheduleProgress) -> list[list[Meeting]]:
        """The rounds as far as they are known, with their results; empty for formats without rounds."""
        return []

    def units_done(self, done: ScheduleProgress) -> int:
        """How many units are done, for formats whose `expected` needs it."""
        return 0

    def expected(self, games: int, units: int) -> int | None:
        """Games in all, extrapolated from so many games in so many units; None if `planned` is exact."""
        return None


def taking_turns(pairings: Sequence[Pairing], bots: Sequence[str], first_unit: int) -> dict[int, int]:
    """Return who begins the first game of each pairing: the parity of its bots' places and of the unit decides.

    So each bot of a field begins about half of its games.
    """
    place = {bot: number for number, bot in enumerate(bots)}
    return {number: (first_unit + place[a] + place[b] + 1) % 2 for number, _, a, b in pairings}


def deal_tasks(
    pairings: Sequence[Pairing],
    units: range,
    paired: bool,
    begins: Mapping[int, int],
    done: ScheduleProgress,
    own: bool = False,
) -> Iterator[PairTask]:
    """Unit by unit, all pairings on the deal of that number, or each on one of its `own`; skips what is done.

    Unpaired, the bots of a pairing take turns to begin; `begins` says by pairing who begins in the first unit, 0 or 1.
    """
    for unit in units:
        for position, (number, round_, a, b) in enumerate(pairings):
            deal = unit * len(pairings) + position if own else unit
            if not done.has(number, deal):
                games = (0, 1) if paired else ((begins[number] + unit - units.start) % 2,)
                yield PairTask(number, deal, a, b, round_, games)


def margin(score: PairingScore) -> int:
    """Games that bot `a` won more than bot `b`."""
    return score.wins - score.losses


@dataclass(frozen=True)
class Design:
    """What every format is given. `games` for each pairing; `own_deals`: no deal is played by two pairings."""

    bots: tuple[str, ...]
    games: int
    paired: bool
    own_deals: bool
    seed: int


@dataclass(frozen=True)
class FormatSettings:
    """The settings of a format that has none; a format with settings declares them in a subclass."""

    def faults(self, bots: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield mistakes that only show when the settings are read together: a key ("": the table) and a sentence.

        `bots` are the names of the bots, empty if they could not be read.
        """
        yield from ()


class SequentialTest(Protocol):
    """Ends a run early. Its state depends only on the games stored, not on when they are read."""

    max_pairs: int
    """Pairs after which the test ends undecided."""

    def __call__(self, run: Reader) -> int | None:
        """Read the games stored since the last call; return the number of deals that decide, None while none do."""

    @property
    def planned(self) -> int:
        """Number of games of the whole run, as far as it is known."""

    def result(self) -> SprtResult:
        """Return the state of the test."""


@dataclass(frozen=True)
class Growth:
    """What a stored run may be given more of later, so that the games played so far stay as they are.

    `key` is the setting, and the option of `arena resume`; it belongs to the format's own table unless `common`.
    `noun` names it in messages. With `games_each`, the run may also be asked for `games`, rounded up to whole units.
    """

    key: str
    noun: str
    common: bool = False
    games_each: int = 0


GAMES = Growth("games", "games per pairing", common=True)
"""For formats in which every pairing that meets plays the same number of games."""


@dataclass(frozen=True)
class Format:
    """One tournament format. `arena.tournament.formats.FORMATS` lists them all.

    `games_from`   settings that fix the number of games if `games` and `pairs` do not apply, else ""
    `own_deals`    each pairing may have its own deals
    `two_bots`     only for two bots, with its own command
    `chained`      a game decides who begins the next
    `grows`        what a stored run may be given more of, None if nothing
    `completed`    turns the settings of the command line into a full table if a file would have to say more
    `verdict`      makes the test that ends a run early, None if all games are always played
    `round_view`   how its rounds are shown: as a list, as a bracket, or "" if it has none
    """

    name: str
    help: str
    make: Callable[[Design, Any], Schedule]
    settings: type[FormatSettings] = FormatSettings
    games_from: str = ""
    own_deals: bool = False
    two_bots: bool = False
    chained: bool = False
    grows: Growth | None = None
    completed: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict
    verdict: Callable[[Any], SequentialTest] | None = None
    round_view: Literal["", "rounds", "bracket"] = ""
