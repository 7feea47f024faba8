"""Formats whose pairings are known beforehand: round robin, gauntlet and a match of two bots."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from arena.errors import ArenaError, did_you_mean
from arena.formats.format import Format, FormatSettings
from arena.formats.schedule import Deals, Schedule, check_bots, deal_tasks, deals_for
from arena.match.results import ScheduleProgress
from arena.match.tasks import Pairing, Task
from arena.settings import text


@dataclass(frozen=True)
class FixedSchedule(Schedule):
    """All pairings known beforehand: round robin, gauntlet, single match."""

    bots: tuple[str, ...]
    meetings: tuple[Pairing, ...]
    deals: Deals
    notes: tuple[str, ...] = ()

    format: ClassVar[str] = "round-robin"

    def pairings(self, done: ScheduleProgress) -> Sequence[Pairing]:
        return self.meetings

    def tasks(self, done: ScheduleProgress) -> Iterator[Task]:
        order = {bot: at for at, bot in enumerate(self.bots)}
        deals = self.deals
        yield from deal_tasks(self.meetings, range(deals.units), deals.paired, order, done, deals.own)

    def planned(self, done: ScheduleProgress) -> int:
        return len(self.meetings) * self.deals.games


class RoundRobin(FixedSchedule):
    """Every bot meets every other."""

    format: ClassVar[str] = "round-robin"


class Gauntlet(FixedSchedule):
    """One bot, the hero, meets all the others."""

    format: ClassVar[str] = "gauntlet"


class Match(FixedSchedule):
    """Two bots."""

    format: ClassVar[str] = "match"


def round_robin(bots: Sequence[str], games: int, paired: bool = True, own: bool = False) -> RoundRobin:
    """Each two bots play `games` games (rounded up to whole pairs), on the deals of all or on their `own`.

    >>> from arena.match.results import ScheduleProgress
    >>> schedule = round_robin(["a", "b", "c"], games=4)
    >>> [(t.a, t.b, t.deal) for t in schedule.tasks(ScheduleProgress())]
    [('a', 'b', 0), ('a', 'c', 0), ('b', 'c', 0), ('a', 'b', 1), ('a', 'c', 1), ('b', 'c', 1)]
    """
    names = check_bots(bots)
    deals, notes = deals_for(games, paired, own)
    return RoundRobin(names, _meetings(combinations(names, 2)), deals, notes)


def gauntlet(
    bots: Sequence[str], games: int, hero: str | None = None, paired: bool = True, own: bool = False
) -> Gauntlet:
    """The hero (default: the first bot) plays `games` games against each other bot; `own` as in `round_robin`."""
    names = check_bots(bots)
    hero = names[0] if hero is None else hero
    if hero not in names:
        near = did_you_mean(hero, names)
        raise ArenaError(f"the hero {hero!r} is not one of the bots ({', '.join(names)}){near}")
    deals, notes = deals_for(games, paired, own)
    return Gauntlet(names, _meetings((hero, bot) for bot in names if bot != hero), deals, notes)


def single_match(bots: Sequence[str], games: int, paired: bool = True) -> Match:
    """Two bots play `games` games."""
    names = check_bots(bots)
    if len(names) != 2:
        raise ArenaError(f"a match is between two bots, there are {len(names)}; for more use a round robin")
    deals, notes = deals_for(games, paired)
    return Match(names, _meetings([names]), deals, notes)


def _meetings(pairs: Iterable[tuple[str, ...]]) -> tuple[Pairing, ...]:
    return tuple(Pairing(number, 0, a, b) for number, (a, b) in enumerate(pairs))


@dataclass(frozen=True)
class GauntletSettings(FormatSettings):
    hero: str | None = text(None, 200, "name of the bot that meets all others", unset="the first")

    def faults(self, given: Collection[str], bots: Sequence[str]) -> Iterator[tuple[str, str]]:
        if self.hero is not None and bots and self.hero not in bots:
            near = did_you_mean(self.hero, bots)
            yield "hero", f"expected one of the bots ({', '.join(bots)}), found '{self.hero}'{near}"


ROUND_ROBIN = Format(
    "round-robin",
    "every bot meets every other",
    lambda design, _: round_robin(design.bots, design.games, design.paired, design.own_deals),
    own_deals=True,
)
GAUNTLET = Format(
    "gauntlet",
    "one bot, the hero, meets all others",
    lambda design, settings: gauntlet(design.bots, design.games, settings.hero, design.paired, design.own_deals),
    GauntletSettings,
    own_deals=True,
)
MATCH = Format(
    "match", "two bots", lambda design, _: single_match(design.bots, design.games, design.paired), two_bots=True
)
