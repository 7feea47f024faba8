"""The games of a check: what is played, compared and measured. What it means is for `findings`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from arena.bots.isolation.audit import Attempt
from arena.game.rules import load_rules
from arena.league.check.budget import Phase, TimeBudget
from arena.league.check.compare_games import Divergence, divergence
from arena.league.check.metrics import MemoryMeter
from arena.league.check.report import Memory, Omissions, OpponentScore
from arena.league.check.sessions import (
    AGAINST,
    ITSELF,
    OTHER,
    STEADY,
    STRONGER,
    CheckSession,
    CheckSettings,
    OpenSession,
    open_session,
)
from arena.tournament.match.results import GameResult
from arena.tournament.match.tasks import GameTask, PairTask

_SAME_FAULTS = 6
"""Games forfeited in a rule set after which no more are played there; of those that cost time, one is enough."""
_LEAST = 2
"""Games that are played in each part of a check, whatever the time."""
_ALONE, _FEW = 3, 16
"""Games that are played each in a process of its own; only one if few games are wanted at all."""
_OUT_OF_TIME = "out of time (--seconds)"


class _TimeIsUp(Exception):
    """There is no time left for what is under way."""


@dataclass
class Comparison:
    """Games that were played again in some way: how many, how many differed, and the first that did."""

    games: int = 0
    different: int = 0
    first: Divergence | None = None

    def add(self, other: Comparison) -> None:
        self.games += other.games
        self.different += other.different
        self.first = self.first or other.first


@dataclass
class Trials:
    """All games of a check, phase by phase; each phase is called for a rule set, in any number of them."""

    settings: CheckSettings
    rules: Sequence[str]
    games: int
    budget: TimeBudget
    open_session: OpenSession = open_session
    rows: dict[str, list[GameResult]] = field(default_factory=dict)
    timed: dict[str, list[GameResult]] = field(default_factory=dict)
    memory: dict[str, Memory] = field(default_factory=dict)
    scores: dict[str, tuple[OpponentScore, ...]] = field(default_factory=dict)
    attempts: list[Attempt] = field(default_factory=list)
    printed: int = 0
    threads: int = 0
    flags: tuple[bool, bool] | None = None
    again: Comparison = field(default_factory=Comparison)
    order: Comparison = field(default_factory=Comparison)
    single: Comparison = field(default_factory=Comparison)
    step: Comparison = field(default_factory=Comparison)
    step_failed: bool = False
    by_hash: bool | None = False
    omissions: Omissions = field(default_factory=Omissions)

    @property
    def listened(self) -> bool:
        """Could it be heard what the bot asks the system for?"""
        return self.settings.level != "none" and not self.settings.spec.command

    def clean(self) -> list[str]:
        """The rule sets in which games were played and none was forfeited."""
        return [one for one in self.rules if self.rows.get(one) and not any(row.forfeit for row in self.rows[one])]

    # ------------------------------------------------------------ phases

    def play_all(self, strength: bool) -> None:
        """All phases, in all rule sets in which they make sense."""
        for rules in self.rules:
            self.play(rules)
        for phase in (self.repeat, self.reorder, self.alone, self.together):
            for rules in self.clean():
                phase(rules)
        if strength:
            for rules in self.clean():
                self.strength(rules)

    def play(self, rules: str) -> None:
        """Play the games for the first time, listening to what the bot asks the system for."""
        self.budget.begin(Phase.PLAY, rules)
        stuck = self._hangs()
        rows = self.rows[rules] = []
        if rules != self.rules[0] and not self.budget.fits():
            self.omissions.add(f"{rules}: all games, {_OUT_OF_TIME}")
            return
        if stuck is not None:
            self.omissions.add(f"{rules}: all games, since the bot does not answer in {stuck}")
            return
        with closing(self._session(rules, audit=True)) as session:
            try:
                for task in _games_of(self.settings.units(self.games)):
                    rows.append(session.game(task))
                    self.budget.played(1, len(rows))
                    if len(rows) < self.games and self._ends(rules, rows):
                        break
            finally:
                session.close()  # what it has written comes now
                self.attempts += session.attempts
                self.printed += session.printed
            self.flags = session.flags

    def _ends(self, rules: str, rows: Sequence[GameResult]) -> bool:
        """Is it to stop before all games are played?"""
        if _enough_faults(rows):
            why = "since the bot forfeits"
        elif len(rows) >= _LEAST and self.budget.over():
            why = _OUT_OF_TIME
        else:
            return False
        self.omissions.add(f"{rules}: {self.games - len(rows)} of {self.games} games, {why}")
        return True

    def _hangs(self) -> str | None:
        """A rule set in which it lost by time without a clock: there each such game takes a minute."""
        if self.settings.time_left is not None:
            return None
        return next((one for one, rows in self.rows.items() if any(row.forfeit == "timeout" for row in rows)), None)

    def repeat(self, rules: str) -> None:
        """The same games in fresh processes, in which sets have another order. Measures time and memory."""
        self.budget.begin(Phase.REPEAT, rules)
        rows = self.timed[rules] = []
        if rules != self.rules[0] and not self.budget.fits():
            self.omissions.add(f"{rules}: repeated games, {_OUT_OF_TIME}")
            return
        with closing(self._session(rules, OTHER)) as session:
            session.ready()
            meter = MemoryMeter(session)
            for row in self._played(session, _games_of(self._units(rules))):
                rows.append(row)
                if row.id.game:  # after both games of a unit
                    meter.measure(2)
            self.threads = max(self.threads, meter.threads)
        found = meter.memory()
        if found is not None:
            self.memory[rules] = found
        before = self.again.different
        self.again.add(self._compare(rules, rows))
        if self.again.different > before == 0 and self.settings.level != "none":
            self.by_hash = self._same_with_steady_hashes(rules, rows)

    def _same_with_steady_hashes(self, rules: str, others: Sequence[GameResult]) -> bool | None:
        """Is it only the order of sets that makes the difference in these games? None if out of time."""
        with closing(self._session(rules)) as session:
            rows = list(self._played(session, _games_of(self._units(rules))[: len(others)]))
        if self._compare(rules, rows).different:
            return False
        return True if self._compare(rules, others[: len(rows)]).different else None

    @property
    def repeatable(self) -> bool:
        """Are decisions the same at least where sets have the same order?"""
        return self.again.different == 0 or self.by_hash is True

    def reorder(self, rules: str) -> None:
        """The same games in reverse order."""

        def play() -> list[GameResult]:
            with closing(self._session(rules)) as session:
                return list(self._played(session, _games_of(self._units(rules)[::-1])))

        if self._has_room(Phase.ORDER, rules, "games in reverse order"):
            self._compare_twice(self.order, rules, play)

    def alone(self, rules: str) -> None:
        """Some games each in fresh processes."""
        units = self._units(rules)

        def play() -> list[GameResult]:
            rows: list[GameResult] = []
            count = _ALONE if self.games > _FEW else 1
            for task in _spread([task for unit in units for task in reversed(unit.game_tasks())], count):
                with closing(self._session(rules)) as session:
                    rows.append(session.game(task))
                self.budget.played(1, len(rows))
                if self.budget.over():
                    break
            return rows

        # with one unit, the first and the last game were alone already
        if len(units) > 1 and self._has_room(Phase.ALONE, rules, "games alone"):
            self._compare_twice(self.single, rules, play)

    def together(self, rules: str) -> None:
        """Games against itself many at once, as fast bots are played in a run."""
        units = [unit for unit in self._units(rules) if unit.pairing == ITSELF]

        def play() -> list[GameResult]:
            with closing(self._session(rules)) as session:
                rows = list(self._played(session, units[0].game_tasks()))
                try:
                    found = session.together(units[1:], self._look)
                except _TimeIsUp:
                    self.omissions.add(f"{rules}: many games at once, {_OUT_OF_TIME}")
                    return []
            if found is None:  # slow bots, and those with observe and end, are never played so
                return []
            rows += [row for unit in found for row in unit]
            self.budget.played(len(rows) - 2, len(rows))
            self.step_failed = self.step_failed or len(found) < len(units) - 1
            return rows

        never = self.settings.level == "none" or self.settings.spec.command or self.settings.time_left
        if not never and len(units) > 2 and self._has_room(Phase.TOGETHER, rules, "many games at once"):
            self._compare_twice(self.step, rules, play)

    def strength(self, rules: str) -> None:
        """Games against bots of the program."""
        self.budget.begin(Phase.STRENGTH, rules)
        if not self.budget.room():
            self.omissions.add(f"{rules}: strength, {_OUT_OF_TIME}")
            return
        found: list[OpponentScore] = []
        with closing(self._session(rules)) as session:
            for pairing in (AGAINST, STRONGER):
                scores: Counter[int] = Counter()
                units = [self.settings.unit(pairing, deal) for deal in range(max(self.games // 4, 2))]
                for row in self._played(session, _games_of(units)):
                    score = round(2 * row.score)
                    scores[2 - score if row.id.game else score] += 1
                found.append(OpponentScore(self.settings.opponent(pairing), scores[2], scores[1], scores[0]))
        self.scores[rules] = tuple(found)

    # ------------------------------------------------------------ pieces

    def _session(self, rules: str, hash_seed: str = STEADY, audit: bool = False) -> CheckSession:
        return self.open_session(self.settings, load_rules(rules), hash_seed, audit)

    def _units(self, rules: str) -> list[PairTask]:
        """The units that were played, both games of them."""
        return self.settings.units(self.games)[: len(self.rows[rules]) // 2]

    def _played(self, session: CheckSession, tasks: Sequence[GameTask]) -> Iterator[GameResult]:
        """Play games as long as there is time, at least two, and tell after each."""
        for number, task in enumerate(tasks, start=1):
            row = session.game(task)
            self.budget.played(1, number)
            yield row
            if number >= _LEAST and self.budget.over():
                break

    def _look(self) -> bool:
        """Between two rounds of many games: tell, and raise if time is up, since all of them are under way."""
        self.budget.say(0)
        if self.budget.over():
            raise _TimeIsUp
        return False

    def _has_room(self, phase: Phase, rules: str, what: str) -> bool:
        if not self.repeatable:
            return False
        self.budget.begin(phase, rules)
        if not self.budget.room():
            self.omissions.add(f"{rules}: {what}, {_OUT_OF_TIME}")
            return False
        return True

    def _compare_twice(self, into: Comparison, rules: str, play: Callable[[], list[GameResult]]) -> None:
        """Play games in some way and compare them with the first time.

        If they differ, they are played in that way once more: if that differs, too, it is not the other games.
        """
        rows = play()
        found = self._compare(rules, rows)
        if found.different:
            for one, two in zip(rows, play()):
                unsteady = self._divergence(rules, one, two)
                if unsteady is not None:
                    self.again.add(Comparison(1, 1, unsteady))
                    return
        into.add(found)

    def _compare(self, rules: str, rows: Iterable[GameResult]) -> Comparison:
        """Games that were played again, beside the first time."""
        into = Comparison()
        before = {row.id: row for row in self.rows[rules]}
        for row in rows:
            found = self._divergence(rules, before[row.id], row)
            into.add(Comparison(1, found is not None, found))
        return into

    def _divergence(self, rules: str, before: GameResult, after: GameResult) -> Divergence | None:
        what = "a game that was played again"
        return self.omissions.guard(what, lambda: divergence(self.settings, rules, before, after), None)


def _enough_faults(rows: Sequence[GameResult]) -> bool:
    kinds = [row.forfeit for row in rows if row.forfeit]
    return len(kinds) >= _SAME_FAULTS or "timeout" in kinds or kinds.count("crash") >= 2


def _games_of(units: Iterable[PairTask]) -> list[GameTask]:
    return [task for unit in units for task in unit.game_tasks()]


def _spread(items: Sequence[GameTask], count: int) -> list[GameTask]:
    """Some of the items, spread evenly, without both ends."""
    step = len(items) / (count + 1)
    places = dict.fromkeys(int(step * number) for number in range(1, count + 1))
    return [items[at] for at in places if at < len(items)]
