"""Formats whose pairings are known in advance: round robin, gauntlet, match, and the sequential test of two bots.

A game of two bots depends on nothing but their names and the deal: not on the other bots, nor on the order in which the
bots are listed. So a stored run can take new bots, and lose some, without a change in the games of the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from arena.game.rng import derive_seed
from arena.game.rules import load_rules
from arena.stats.sprt import AdjustedSprt, Sprt, SprtResult, SprtTest
from arena.tournament.formats.schedule import Format, GamesPerPairing, Schedule, deal_tasks, deals_for
from arena.tournament.games import GameId, Pairing, ScheduleProgress, Task
from arena.tournament.luck import JudgedLuck
from arena.tournament.run_settings import SprtSettings
from arena.tournament.store.reader import Reader


@dataclass(frozen=True)
class FixedSchedule(Schedule):
    """A schedule whose pairings are all known in advance."""

    fixed: ClassVar[bool] = True

    bots: tuple[str, ...]
    meetings: tuple[Pairing, ...]
    deals: GamesPerPairing

    @property
    def deal_count(self) -> int:
        """Return the number of deals."""
        return self.deals.units

    @property
    def design(self) -> str:
        """Return whether both games of a deal are played."""
        return self.deals.design

    def pairings(self, done: ScheduleProgress) -> Sequence[Pairing]:
        """Return all pairings."""
        return self.meetings

    def tasks(self, done: ScheduleProgress) -> Iterator[Task]:
        """Yield the units left to play."""
        deals = self.deals
        begins = {} if deals.paired else {number: _starter(a, b) for number, _, a, b in self.meetings}
        yield from deal_tasks(self.meetings, range(deals.units), deals.paired, begins, done)

    def planned(self, done: ScheduleProgress) -> int:
        """Return the number of games."""
        return len(self.meetings) * self.deals.games


def _starter(a: str, b: str) -> int:
    """Return who begins on deal 0 where each deal is played once: 0 or 1, about half of a bot's opponents."""
    return derive_seed(0, "who begins", a, b) & 1


def round_robin(bots: Sequence[str], games: int, paired: bool = True) -> FixedSchedule:
    """Let every two bots play `games` games (rounded up to whole pairs); each deal goes round by round.

    >>> from arena.tournament.games import ScheduleProgress
    >>> schedule = round_robin(["a", "b", "c", "d"], games=2)
    >>> [f"{task.a}{task.b}" for task in schedule.tasks(ScheduleProgress())]
    ['ad', 'bc', 'ac', 'bd', 'ab', 'cd']
    """
    return fixed_schedule(bots, circle(bots), games, paired)


def circle(bots: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield every two bots once, in rounds in which each bot meets one other: the circle method.

    With an odd number of bots, one rests in each round. So at any moment every bot has played about as often.
    """
    seats: list[str | None] = [*bots, *[None] * (len(bots) % 2)]
    for _ in range(len(seats) - 1):
        for near, far in zip(seats[: len(seats) // 2], reversed(seats)):
            if near is not None and far is not None:
                yield near, far
        seats.insert(1, seats.pop())


def gauntlet(bots: Sequence[str], games: int, heroes: Sequence[str] = (), paired: bool = True) -> FixedSchedule:
    """Let each hero (default: the first bot) play `games` games against each bot that is not one."""
    heroes = heroes or bots[:1]
    others = [bot for bot in bots if bot not in heroes]
    return fixed_schedule(bots, ((hero, bot) for bot in others for hero in heroes), games, paired)


def fixed_schedule(
    bots: Sequence[str], pairs: Iterable[tuple[str, str]], games: int, paired: bool = True
) -> FixedSchedule:
    """Let each of these pairs of bots play `games` games; the bot whose name sorts first is `a`."""
    meetings = tuple(Pairing(number, 0, min(pair), max(pair)) for number, pair in enumerate(pairs))
    return FixedSchedule(tuple(bots), meetings, deals_for(games, paired))


ROUND_ROBIN = Format(
    "round-robin",
    "every bot plays every other bot",
    lambda given, _: round_robin(given.bots, given.games, given.paired),
    own_deals=True,
)
GAUNTLET = Format(
    "gauntlet",
    "one bot, the hero, or several play all the others",
    lambda given, settings: gauntlet(given.bots, given.games, settings.hero, given.paired),
    own_deals=True,
)
MATCH = Format(
    "match",
    "two bots",
    lambda given, _: round_robin(given.bots, given.games, given.paired),
    two_bots=True,
)


# ---------------------------------------------------------------- the sequential test


class StoredSprt:
    """Reads the pairs that a run has stored since the last call.

    Its state depends only on the pairs, from the first on without a gap, not on when they are read.
    """

    def __init__(self, settings: SprtSettings) -> None:
        self.max_pairs = settings.max_pairs
        model: Literal["logistic", "normalized"] = "logistic" if settings.model == "logistic" else "normalized"
        test = SprtTest(settings.elo0, settings.elo1, settings.alpha, settings.beta, model)
        self._sprt: Sprt | AdjustedSprt = AdjustedSprt(test) if settings.adjusted else Sprt(test)
        self._luck: JudgedLuck | None = None
        self._read = 0

    def __call__(self, run: Reader) -> int | None:
        """Read new pairs; return the number of pairs that decide the test, None while it is undecided."""
        cells = run.pair_scores_from(self._read)[: max(self.max_pairs - self._read, 0)]
        if isinstance(self._sprt, AdjustedSprt):
            self._sprt.extend(zip(cells, self._luck_from(run)))
        else:
            self._sprt.extend(cells)
        self._read += len(cells)
        if self._luck is not None:
            self._luck.save(often=not (self.decided or self._read == self.max_pairs))
        return self._sprt.units if self.decided else None

    def _luck_from(self, run: Reader) -> Iterator[float]:
        """Yield the luck of the first bot in each of the next pairs; a pair is judged only when it is reached."""
        self._luck = self._luck or JudgedLuck(run.folder)
        games = run.results("id >= ?", GameId(0, self._read, 0).key)
        first, second = (bot.name for bot in run.bots())
        sign = 1 if first < second else -1  # the bot whose name sorts first begins the first game of a pair
        return (sign * luck for luck in self._luck.of_pairs(games, load_rules(run.config()["rules"])))

    @property
    def decided(self) -> bool:
        """Return whether one of the hypotheses was accepted."""
        return self._sprt.verdict != "continue"

    @property
    def planned(self) -> int:
        """Return the number of games of the whole test, as far as it is known."""
        return 2 * (self._sprt.units if self.decided else self.max_pairs)

    def result(self) -> SprtResult:
        """Return the state of the test."""
        return self._sprt.result()


SPRT = Format(
    "sprt",
    "two bots, until one of two hypotheses is accepted",
    lambda given, settings: round_robin(given.bots, 2 * settings.max_pairs),
    games_from="sprt.max_pairs",
    size="max_pairs",
    two_bots=True,
    verdict=StoredSprt,
)
