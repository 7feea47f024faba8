"""Plan what a run must play to hold what its settings ask for: like `make`, a tournament plays only what is missing.

A stored game depends on the shape of the run (`TournamentConfig.shape`), on its deal and on its two bots, and on
nothing else. So it stays true when bots come, change or go, and a run brought up to date in any number of steps is the
same as one played from the start with the last settings.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arena.bots.cores import core_count
from arena.bots.spec import BotSpec
from arena.endings import FORFEITS, ForfeitKind
from arena.text import counted, one_line, time_about
from arena.tournament.config import TournamentConfig
from arena.tournament.formats.schedule import Schedule
from arena.tournament.games import Pairing, ScheduleProgress, stored_deal_seed
from arena.tournament.store.columns import GameColumns, StoredPairing
from arena.tournament.store.reader import BotEntry, Reader
from arena.tournament.store.sqlite import StoreError
from arena.tournament.store.writer import Wanted

_SHOWN = 10  # bots and settings named in a message
MANY_VERSIONS = 3
"""The number of versions from which on the choice of the best of them is worth a sentence."""
BEST_OF_MANY = (
    "all met the same deals, so the best of them looks better than it is; to test a version on fresh deals: arena sprt"
)


class Why(StrEnum):
    """Why games are played: because a bot is new, has changed or is back, was to play again, or games are missing."""

    NEW = "new"
    CHANGED = "changed"
    BACK = "back"
    AGAIN = "again"
    MORE = "more"
    LEFT = "left"


_WORDS = {
    Why.NEW: "is new",
    Why.CHANGED: "changed",
    Why.BACK: "is back",
    Why.AGAIN: "plays again",
    Why.MORE: "more",
    Why.LEFT: "left to play",
}


@dataclass(frozen=True)
class Change:
    """Games to play and why: the bot is new, has changed, is back or plays again; without a bot, others are missing."""

    why: Why
    bot: str
    games: int


@dataclass(frozen=True)
class Plan:
    """What a run plays to be up to date.

    done      what is stored of it
    silence   the bot that does not answer, if what is stored says so
    changes   games to play by their reason; those of two new bots count for the first
    gone      bots that are not in the tables any more
    stays     stored games that the tables show
    hidden    stored games that they do not show
    missing   games to play, as far as they are known
    seconds   about how long that takes, None if it is not known
    is_new    nothing is stored yet
    versions  of bots that have changed: how many versions have played, with the one that follows
    at_most   fewer games may be enough
    """

    wanted: Wanted
    done: ScheduleProgress
    silence: Silence | None = None
    changes: tuple[Change, ...] = ()
    gone: tuple[str, ...] = ()
    stays: int = 0
    hidden: int = 0
    missing: int = 0
    seconds: float | None = None
    is_new: bool = True
    versions: Mapping[str, int] = field(default_factory=dict)
    at_most: bool = False

    @property
    def has_news(self) -> bool:
        """Return whether it does more than go on with a run."""
        return bool(self.gone) or any(change.why != Why.LEFT for change in self.changes)

    def __str__(self) -> str:
        """Return the plan in sentences."""
        most = "at most " if self.at_most else ""
        if self.is_new:
            return f"{most}{counted(self.missing, 'game')} of {counted(len(self.wanted.field), 'bot')}.".capitalize()
        said = [_sentence(change, most) for change in self.changes[:_SHOWN]]
        if rest := self.changes[_SHOWN:]:
            said.append(f"{counted(len(rest), 'more bot')}: {counted(sum(change.games for change in rest), 'game')}.")
        bot, number = max(self.versions.items(), key=lambda item: item[1], default=("", 0))
        if number >= MANY_VERSIONS:
            said.append(f"This is version {number} of {one_line(bot)}: {BEST_OF_MANY}.")
        if self.gone:
            more = f" and {len(self.gone) - _SHOWN} more" if len(self.gone) > _SHOWN else ""
            said.append(f"{one_line(', '.join(self.gone[:_SHOWN]))}{more} left the tables.")
        if not self.missing:
            said.append("Nothing is left to play.")
        elif not self.changes:  # in a format that takes no other bots
            said.append(f"{most}{counted(self.missing, 'game')} left to play.".capitalize())
        said.append(f"{counted(self.stays, 'game')} {'stays' if self.stays == 1 else 'stay'}.")
        if self.hidden:
            said.append(f"{self.hidden:,} more are stored but not shown.")
        if self.missing and self.seconds is not None:
            said.append(f"About {time_about(self.seconds)}.")
        return " ".join(said)


def _sentence(change: Change, most: str) -> str:
    games = most + counted(change.games, "game")
    if not change.bot:
        return f"{games} {_WORDS[change.why]}."
    more = f": {games}" if change.games else ""  # all of them may be against bots that were named before
    again = " again" if more and change.why == Why.CHANGED else ""
    return f"{one_line(change.bot)} {_WORDS[change.why]}{more}{again}."


def entries_of(config: TournamentConfig, bots: Sequence[BotSpec]) -> list[BotEntry]:
    """Return the bots as a run stores them."""
    return [
        BotEntry(bot.name, bot.spec, bot.source_hash, dict(bot.params), level)
        for bot, level in zip(bots, config.levels)
    ]


def plan_run(
    config: TournamentConfig,
    bots: Sequence[BotSpec],
    stored: Reader | None,
    *,
    asked: TournamentConfig | None = None,
    left_out: Mapping[str, str] | None = None,
    again: Collection[str] = (),
) -> Plan:
    """Plan a run of these settings, which have a seed, in a folder that holds the run `stored` or none.

    `asked` are the settings with the bots that are `left_out`, and why. The bots named in `again` play all their games
    again. StoreError if the stored games have another shape.
    """
    schedule, entries = config.schedule(), entries_of(config, bots)
    known = {} if stored is None else stored.entries()
    if stored is not None and not (stored.is_begun and stored.count_all()):
        stored = None
    numbers = {entry.identity: number for number, entry in known.items()}  # of several, the last
    for entry in entries:
        if entry.name in again:
            numbers.pop(entry.identity, None)
    new = [entry for entry in entries if entry.identity not in numbers]
    numbers |= {entry.identity: number for number, entry in enumerate(new, max(known, default=-1) + 1)}
    wanted = Wanted(
        config=config.canonical(),
        settings=(asked or config).to_dict(),
        shape=config.shape(),
        field=[numbers[entry.identity] for entry in entries],
        new=new,
        pairings=(),
        deals=schedule.deal_count,
        left_out=left_out or {},
    )
    done = stored.progress() if stored is not None and config.form.closed else ScheduleProgress()
    wanted = replace(wanted, pairings=shown_pairings(schedule, done, wanted))
    plan = Plan(wanted, done, at_most=config.form.verdict is not None)
    if stored is None:
        return replace(plan, missing=schedule.planned(done))
    _check_shape(stored, config, wanted)
    current = {entry.name: entry.identity for entry in stored.bots()}
    gone = tuple(name for name in current if name not in config.bot_names and name not in wanted.left_out)
    plan = replace(plan, gone=gone, is_new=False)
    if config.form.closed:
        missing, hidden = schedule.planned(done) - done.games, stored.count_all() - done.games
        return replace(plan, missing=max(missing, 0), stays=done.games, hidden=hidden)
    names = {entry.name for entry in known.values()}
    reasons: dict[str, Why] = {}
    for entry in entries:
        if entry.name in again:
            reasons[entry.name] = Why.AGAIN
        elif entry.name not in names:
            reasons[entry.name] = Why.NEW
        elif current.get(entry.name) != entry.identity:
            is_back = entry not in new or entry.name not in current
            reasons[entry.name] = Why.BACK if is_back else Why.CHANGED
    plan = _with_stored_games(plan, schedule, config, stored)
    verdict = config.verdict()
    if verdict is not None and stored.config() == wanted.config and not (reasons or verdict(stored) is None):
        shown = stored.count()  # the test is decided: nothing is missing
        return replace(plan, stays=shown, hidden=stored.count_all() - shown)
    number = Counter(entry.name for entry in (*known.values(), *new))
    versions = {bot: number[bot] for bot, why in reasons.items() if why == Why.CHANGED}
    return _counted(replace(plan, versions=versions), schedule, config, stored, reasons)


def shown_pairings(schedule: Schedule, done: ScheduleProgress, wanted: Wanted) -> list[StoredPairing]:
    """Return the pairings of the schedule that are known by now, but walkovers, as the store has them."""
    numbers = dict(zip((bot["name"] for bot in wanted.config["bots"]), wanted.field))
    return [
        StoredPairing(number, round_, numbers[a], numbers[b], stored_deal_seed(wanted.config, a, b), schedule.design)
        for number, round_, a, b in schedule.pairings(done)
        if not (done.walkovers and done.is_walkover(Pairing(number, round_, a, b)))
    ]


def _check_shape(stored: Reader, config: TournamentConfig, wanted: Wanted) -> None:
    """Raise StoreError if the games of a run have another shape than those of the settings."""
    there, asked = stored.shape(), dict(wanted.shape)
    if there["rules"] != asked["rules"] and stored.config()["rules"] != config.rules:  # as the user wrote them
        there["rules"], asked["rules"] = stored.config()["rules"], config.rules
    lines = setting_differences(there, asked)
    if config.form.closed and wanted.new:
        lines += [f"bot {bot.name}: it has changed since the run began" for bot in wanted.new if not lines]
    if not lines:
        return
    shown = [*lines[:_SHOWN], *[f"and {len(lines) - _SHOWN:,} more"] * (len(lines) > _SHOWN)]
    why = "every game there depends on these settings"
    if config.form.closed:
        why = f"a {config.format} run takes no other bots or games, because {config.form.closed}"
    raise StoreError(
        f"{stored.folder} holds games with other settings; nothing was started.\n  "
        + "\n  ".join(shown)
        + f"\nChoose another folder with --out, or start with the settings of that run: {why}."
    )


def setting_differences(there: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """Return the differences of two configs, one line each.

    >>> setting_differences({"seed": 7, "clock": {"move_ms": 5}}, {"seed": 8, "clock": {"move_ms": 5}})
    ['seed: 7 there, 8 asked for']
    """
    old, new = _flat(there), _flat(asked)
    nothing = "nothing"
    return [
        f"{key}: {json.dumps(old[key]) if key in old else nothing} there,"
        f" {json.dumps(new[key]) if key in new else nothing} asked for"
        for key in sorted(old.keys() | new.keys())
        if key not in old or key not in new or old[key] != new[key]
    ]


def _flat(value: Any, prefix: str = "") -> dict[str, Any]:
    if isinstance(value, Mapping) and value:
        parts = (_flat(v, f"{prefix}.{k}" if prefix else str(k)) for k, v in value.items())
        return {key: leaf for part in parts for key, leaf in part.items()}
    return {prefix: value}


def _with_stored_games(plan: Plan, schedule: Schedule, config: TournamentConfig, stored: Reader) -> Plan:
    """Return the plan with what is stored of it, under the numbers that its pairings have in the schedule."""
    numbers = {pairing[1:]: pairing.number for pairing in plan.wanted.pairings}
    shown = {pairing: numbers.get(known[1:]) for pairing, known in stored.stored_pairings().items()}
    names = dict(zip(plan.wanted.field, config.bot_names))
    games = stored.columns_of(names, shown, schedule.deal_count, thinking=False)
    done = games.progress()
    silence = None if config.clocked else first_silent(games, schedule, done)
    return replace(plan, done=done, silence=silence, stays=len(games), hidden=stored.count_all() - len(games))


def _counted(
    plan: Plan, schedule: Schedule, config: TournamentConfig, stored: Reader, reasons: Mapping[str, Why]
) -> Plan:
    """Return the plan with the games that are missing by their reasons."""
    pairings, units = schedule.pairings(plan.done), -(-schedule.deal_count // schedule.stride)
    games_of_unit = schedule.planned(ScheduleProgress()) / len(pairings) / units  # a series may have any number
    missing: list[tuple[str, str, int]] = []
    games = Counter[str]()
    for number, _, a, b in pairings:
        if left := round((units - plan.done.units(number, schedule.stride)) * games_of_unit):
            missing.append((a, b, left))
            games[next((bot for bot in reasons if bot in (a, b)), "")] += left
    changes = [Change(why, bot, games[bot]) for bot, why in reasons.items()]
    if games[""]:
        grows = schedule.deal_count > stored.deal_count() and stored.config() != plan.wanted.config
        changes.append(Change(Why.MORE if grows else Why.LEFT, "", games[""]))
    return replace(
        plan,
        changes=tuple(changes),
        missing=sum(games.values()),
        seconds=_seconds(missing, config, stored) if missing else None,
    )


def _seconds(missing: Iterable[tuple[str, str, int]], config: TournamentConfig, stored: Reader) -> float | None:
    """Estimate how long the missing games take; a bot without games takes as long as its other versions."""
    entries, pairings = stored.entries(), stored.stored_pairings()
    halves: dict[str, list[float]] = {}
    for pairing, seconds in stored.seconds_by_pairing().items():
        for bot in (pairings[pairing].a, pairings[pairing].b):
            halves.setdefault(entries[bot].name, []).append(seconds / 2)
    if not halves:
        return None
    means = {name: sum(times) / len(times) for name, times in halves.items()}
    usual = sum(means.values()) / len(means)
    work = sum(games * (means.get(a, usual) + means.get(b, usual)) for a, b, games in missing)
    return work / (config.workers or core_count())


# ---------------------------------------------------------------- bots that do not answer

FEWEST = 3
"""Games lost because no answer came after which a bot may be left out, as one that cannot be loaded: waiting for it in
every game helps nobody. Without a clock, each such answer costs the whole time that is waited for it."""


class Silence(NamedTuple):
    """A bot that did not answer in `silent` of its first `games` games, the last of them in the pairing `number`."""

    bot: str
    silent: int
    games: int
    number: int

    def text(self, limit_s: float) -> str:
        """Say why the bot is left out."""
        games = f"in {self.silent} of its first {self.games} games"
        return f"it gave no answer within {limit_s:g} s {games}; it plays again when it has changed, or with --again"


def suspects(games: GameColumns) -> set[str]:
    """Return the bots that did not answer in most of their games so far."""
    seats = np.concatenate([games["first"], games["second"]])
    played = np.bincount(seats, minlength=len(games.bots))
    silent = np.bincount(games["forfeit_by"][_is_late(games)], minlength=len(games.bots))
    return {games.bots[bot] for bot in np.flatnonzero(2 * silent > played).tolist()}


def _is_late(games: GameColumns) -> npt.NDArray[np.bool_]:
    late: npt.NDArray[np.bool_] = games["forfeit"] == FORFEITS.index(ForfeitKind.TIMEOUT)
    return late


def first_silent(games: GameColumns, schedule: Schedule, done: ScheduleProgress) -> Silence | None:
    """Return the bot that is left out first; None if there is none yet.

    In the order of the schedule it is the first that lost at least FEWEST games because no answer came, more than half
    of its games so far. That follows from the stored games alone, in whatever order they were played. With a clock
    nobody is left out.

    `games` and `done` describe the stored games of the schedule. Only games before the first missing one count, so the
    answer does not depend on which later games are stored.
    """
    late = np.flatnonzero(_is_late(games) & (games["deal"] < schedule.deal_count))
    if len(late) < FEWEST:
        return None
    if (missing := next(schedule.tasks(done), None)) is not None:
        deal, number = games["deal"][late], games["pairing"][late]
        late = late[(deal < missing.deal) | ((deal == missing.deal) & (number < missing.pairing))]
    silent = Counter[int]()
    for row in late.tolist():
        bot = int(games["forfeit_by"][row])
        silent[bot] += 1
        played = int(((games["first"][: row + 1] == bot) | (games["second"][: row + 1] == bot)).sum())
        if silent[bot] >= FEWEST and 2 * silent[bot] > played:
            return Silence(games.bots[bot], silent[bot], played, int(games["pairing"][row]))
    return None
