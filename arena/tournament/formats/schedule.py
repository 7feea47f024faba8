"""Schedules: ordered, deterministic, resumable lists of units of work.

A schedule is a pure function of its settings. `tasks(done)` lazily yields, in order, the units left to play that are
already known. Formats played in rounds yield one wave of units after another. So a run is

    repeat: play and store what schedule.tasks(store.progress()) yields, until it yields nothing

and it makes no difference where it was interrupted.

All pairings advance together, deal by deal, so that an interrupted run is balanced. Deal numbers rise along the
schedule: games sorted by (deal, pairing, game) are in schedule order. The cards also
depend on the seed of the deals (`arena.tournament.games.deal_seed`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from arena.tournament.games import GameResult, Pairing, PairingScore, PairTask, ScheduleProgress, Task
from arena.tournament.run_settings import FORMAT_SETTINGS, FormatSettings


@dataclass(frozen=True)
class Place:
    """A line of a format's own ranking.

    `tiebreak` decides between equal points: a figure for each of the schedule's `tiebreaks`, the most important first.
    """

    rank: int
    bot: str
    points: float
    tiebreak: tuple[float, ...] = ()
    remark: str = ""


@dataclass(frozen=True)
class GamesPerPairing:
    """Units for each pairing: `units` deals, each played twice with seats swapped if `paired`, else once."""

    units: int
    paired: bool = True

    @property
    def games(self) -> int:
        """Return the number of games of each pairing."""
        return self.units * (2 if self.paired else 1)

    @property
    def design(self) -> str:
        """Return how a deal is played: games of another design on the same deal do not count."""
        return "pairs" if self.paired else "single games"


def deals_for(games: int, paired: bool = True) -> GamesPerPairing:
    """Return the deals for at least `games` games of each pairing, in whole pairs.

    >>> deals_for(5), deals_for(5, paired=False)
    (GamesPerPairing(units=3, paired=True), GamesPerPairing(units=5, paired=False))
    """
    return GamesPerPairing((games + 1) // 2 if paired else games, paired)


@dataclass(frozen=True)
class Meeting:
    """A pairing of a round with its result so far.

    round       number of the round, from 0
    a, b        the bots; None if not known yet, or if there is none (see `decided_by`)
    score       games and match points of `a` against `b`
    winner      the bot that won; None while undecided, and after a draw
    decided_by  "" while undecided, else "games", "match points", "seed", "draw", "walkover" (a bot does not answer), or
                "bye" (there is no `b`)
    """

    round: int
    a: str | None
    b: str | None
    score: PairingScore
    winner: str | None
    decided_by: str


class Schedule(ABC):
    """What every format provides. `bots` are in seed order: the order in which they were named."""

    fixed: ClassVar[bool] = False
    """True if all pairings and the number of games are known before the first game."""

    tiebreaks: ClassVar[Mapping[str, str]] = {}
    """What decides between equal points, the most important first: column and meaning."""

    bots: tuple[str, ...]

    @property
    @abstractmethod
    def deal_count(self) -> int:
        """Return the number of deals of a pairing, from 0 on; a larger schedule begins with those of a smaller one."""

    @property
    def stride(self) -> int:
        """Return the number of deals that are reserved for a unit; it is done if a game on the first of them is."""
        return 1

    @property
    @abstractmethod
    def design(self) -> str:
        """Return how games follow from a deal; games of another design are not those of this schedule."""

    @abstractmethod
    def pairings(self, done: ScheduleProgress) -> Sequence[Pairing]:
        """Return the pairings known so far, by number."""

    @abstractmethod
    def tasks(self, done: ScheduleProgress) -> Iterator[Task]:
        """Yield the units left to play that can be known from `done`, in order."""

    @abstractmethod
    def planned(self, done: ScheduleProgress) -> int:
        """Return the total number of games, as far as `done` fixes it: exact in most formats, else what is certain."""

    def ranking(self, done: ScheduleProgress, games: Iterable[GameResult] = ()) -> list[Place] | None:
        """Return the format's own ranking; None if the rating table is the ranking.

        `games` are all games played, perhaps read lazily: a format whose ranking follows from `done` ignores them.
        """
        return None

    def round_results(self, done: ScheduleProgress) -> list[list[Meeting]]:
        """Return the rounds known so far, with their results; empty for formats without rounds."""
        return []

    def units_done(self, done: ScheduleProgress) -> int:
        """Count the units that are done, for formats whose `expected` needs it."""
        return 0

    def expected(self, games: int, units: int) -> int | None:
        """Extrapolate the total number of games from `games` in `units`; None if `planned` is exact."""
        return None


def taking_turns(pairings: Sequence[Pairing], bots: Sequence[str], first_unit: int) -> dict[int, int]:
    """Return who begins the first game of each pairing, by the parity of its bots' places and of the unit.

    So each bot of a field begins about half of its games.
    """
    place = {bot: number for number, bot in enumerate(bots)}
    return {number: (first_unit + place[a] + place[b] + 1) % 2 for number, _, a, b in pairings}


def deal_tasks(
    pairings: Sequence[Pairing], units: range, paired: bool, begins: Mapping[int, int], done: ScheduleProgress
) -> Iterator[PairTask]:
    """Yield unit by unit all pairings on the deal of that number; skip what is done.

    Unless `paired`, the bots of a pairing begin in turn; `begins` holds by pairing who begins the first unit, 0 or 1.
    """
    for unit in units:
        for number, round_, a, b in pairings:
            if not done.has(number, unit):
                games = (0, 1) if paired else ((begins[number] + unit - units.start) % 2,)
                yield PairTask(number, unit, a, b, round_, games)


def margin(score: PairingScore) -> int:
    """Return how many more games bot `a` won than bot `b`."""
    return score.wins - score.losses


@dataclass(frozen=True)
class FormatInput:
    """The input of every format; `games` is the number of games of each pairing."""

    bots: tuple[str, ...]
    games: int
    paired: bool
    seed: int


@dataclass(frozen=True)
class Format:
    """One tournament format. `arena.tournament.formats.FORMATS` lists them all.

    `games_from`   settings that fix the number of games if `games` and `pairs` do not apply, else ""
    `size`         the setting of the format's own table that says how much is played, "" for `games`
    `own_deals`    each pairing has its own deals unless the settings say otherwise
    `two_bots`     only for two bots, with its own command
    `chained`      a game decides who begins the next
    `closed`       why a stored run takes no other bots, "" if bots may come, change and go
    `completed`    turns the settings of a command line into a full table, adding what a file would have to give
    `verdict`      makes the test that ends a run early, None if all games are always played
    """

    name: str
    help: str
    make: Callable[[FormatInput, Any], Schedule]
    games_from: str = ""
    size: str = ""
    own_deals: bool = False
    two_bots: bool = False
    chained: bool = False
    closed: str = ""
    completed: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict
    verdict: Callable[[Any], Any] | None = None

    @property
    def settings(self) -> type[FormatSettings]:
        """Return the class that declares the settings of the format's own table."""
        return FORMAT_SETTINGS.get(self.name, FormatSettings)
