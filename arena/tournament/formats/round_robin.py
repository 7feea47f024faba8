"""Formats whose pairings are known in advance: round robin, gauntlet and match."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from arena.errors import did_you_mean
from arena.settings import text
from arena.tournament.formats.schedule import (
    GAMES_A_PAIRING,
    Deals,
    Format,
    FormatSettings,
    Schedule,
    deal_tasks,
    deals_for,
    taking_turns,
)
from arena.tournament.games import Pairing, ScheduleProgress, Task


@dataclass(frozen=True)
class FixedSchedule(Schedule):
    """A schedule whose pairings are all known in advance."""

    fixed: ClassVar[bool] = True

    bots: tuple[str, ...]
    meetings: tuple[Pairing, ...]
    deals: Deals

    @property
    def extent(self) -> tuple[int, int]:
        """Return the deals of each pairing, and for each of them the deals of all pairings."""
        return self.deals.units, len(self.meetings) if self.deals.own else 1

    def pairings(self, done: ScheduleProgress) -> Sequence[Pairing]:
        """Return all pairings."""
        return self.meetings

    def tasks(self, done: ScheduleProgress) -> Iterator[Task]:
        """Yield the units left to play."""
        deals, begins = self.deals, taking_turns(self.meetings, self.bots, 0)
        yield from deal_tasks(self.meetings, range(deals.units), deals.paired, begins, done, deals.own)

    def planned(self, done: ScheduleProgress) -> int:
        """Return the number of games."""
        return len(self.meetings) * self.deals.games


def round_robin(bots: Sequence[str], games: int, paired: bool = True, own: bool = False) -> FixedSchedule:
    """Let every two bots play `games` games (rounded up to whole pairs), on shared deals or each pairing on its `own`.

    >>> from arena.tournament.games import ScheduleProgress
    >>> schedule = round_robin(["a", "b", "c"], games=4)
    >>> [(t.a, t.b, t.deal) for t in schedule.tasks(ScheduleProgress())]
    [('a', 'b', 0), ('a', 'c', 0), ('b', 'c', 0), ('a', 'b', 1), ('a', 'c', 1), ('b', 'c', 1)]
    """
    return fixed_schedule(bots, combinations(bots, 2), games, paired, own)


def gauntlet(
    bots: Sequence[str], games: int, hero: str | None = None, paired: bool = True, own: bool = False
) -> FixedSchedule:
    """Let the hero (default: the first bot) play `games` games against each other bot; `own` as in `round_robin`."""
    hero = hero or bots[0]
    return fixed_schedule(bots, ((hero, bot) for bot in bots if bot != hero), games, paired, own)


def fixed_schedule(
    bots: Sequence[str], pairs: Iterable[tuple[str, str]], games: int, paired: bool = True, own: bool = False
) -> FixedSchedule:
    """Let each of these pairs of bots play `games` games; `own` as in `round_robin`."""
    meetings = tuple(Pairing(number, 0, a, b) for number, (a, b) in enumerate(pairs))
    return FixedSchedule(tuple(bots), meetings, deals_for(games, paired, own))


@dataclass(frozen=True)
class GauntletSettings(FormatSettings):
    """The settings of a gauntlet."""

    hero: str | None = text(None, 200, "name of the bot that plays all others", unset="the first")

    def faults(self, bots: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield a fault unless the hero is one of the bots."""
        if self.hero is not None and bots and self.hero not in bots:
            near = did_you_mean(self.hero, bots)
            yield "hero", f"expected one of the bots ({', '.join(bots)}), found '{self.hero}'{near}"


ROUND_ROBIN = Format(
    "round-robin",
    "every bot plays every other bot",
    lambda design, _: round_robin(design.bots, design.games, design.paired, design.own_deals),
    own_deals=True,
    grows=GAMES_A_PAIRING,
)
GAUNTLET = Format(
    "gauntlet",
    "one bot, the hero, plays all the others",
    lambda design, settings: gauntlet(design.bots, design.games, settings.hero, design.paired, design.own_deals),
    GauntletSettings,
    own_deals=True,
    grows=GAMES_A_PAIRING,
)
MATCH = Format(
    "match",
    "two bots",
    lambda design, _: round_robin(design.bots, design.games, design.paired),
    two_bots=True,
    grows=GAMES_A_PAIRING,
)
