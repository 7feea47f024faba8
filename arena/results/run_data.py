"""A stored run, a league or a file of records as plain values, from which every view of its games starts."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arena.endings import ENDINGS, FORFEITS
from arena.paths import input_name
from arena.results.records import ReplayError
from arena.stats import DEFAULT_PRIOR
from arena.stats.sprt import SprtResult
from arena.tournament.config import TournamentConfig, config_from_dict
from arena.tournament.forfeits import ForfeitReason, ForfeitSummary, Reasons, reason_line
from arena.tournament.formats.round_robin import FixedSchedule
from arena.tournament.formats.schedule import Meeting, Place
from arena.tournament.games import GameResult, ScheduleProgress
from arena.tournament.store.columns import CLOCK_COLUMNS, GAME_COLUMNS, GameColumns, ThinkingTime
from arena.tournament.store.reader import Reader, WorkSession

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class RunData:
    """A run, finished or in progress.

    config    what determines the results, as stored with the run: format, bots, rules, seed, clock, ...
    sources   hash of each bot's source, by the bot's name
    columns   all games in schedule order
    planned   number of games in all, None if not known
    places    the format's own ranking, None where ratings rank the bots
    tiebreaks what decides between equal points in it: column and meaning
    rounds    the rounds of the format with their results; of a knockout the whole bracket; empty where there are none
    times, sessions   what a clock measured; only timing.csv has them
    forfeits  who forfeited games and why, the most frequent first; the reasons are never written to files
    left_out  why bots that the settings name did not play, or not to the end, in a line, by name: they could not be
              loaded, or did not answer
    labels    of versions of bots, by name: the commit, its subject and date, and how the version was named
    folder    where the run is stored, as the user named it; "" if nowhere
    selection what was said of the games to keep, after they were played; "" if all are there
    prior     virtual draws per bot in its ratings, unless the user names another number
    anchors   ratings that are held fixed, by bot: a league's anchor
    centre    bots whose mean rating is 0 where there is no anchor; empty: all. Of a league, the versions in its table
    """

    name: str
    config: Mapping[str, Any]
    columns: GameColumns
    sources: Mapping[str, str] = field(default_factory=dict)
    planned: int | None = None
    places: tuple[Place, ...] | None = None
    tiebreaks: Mapping[str, str] = field(default_factory=dict)
    rounds: Sequence[Sequence[Meeting]] = ()
    times: Sequence[ThinkingTime] = ()
    sessions: tuple[WorkSession, ...] = ()
    forfeits: tuple[ForfeitReason, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    folder: str = ""
    selection: str = ""
    prior: float = DEFAULT_PRIOR
    anchors: Mapping[str, float] = field(default_factory=dict)
    centre: Sequence[str] = ()

    @cached_property
    def games(self) -> pd.DataFrame:
        """One row per game in schedule order (arena.stats.frames.COLUMNS)."""
        return self.columns.frame()

    @property
    def bots(self) -> tuple[str, ...]:
        """The bots in the order in which they were named."""
        return tuple(str(bot["name"]) for bot in self.config["bots"])

    @cached_property
    def forfeit_summary(self) -> ForfeitSummary:
        """Who forfeited, of the games of the run."""
        return ForfeitSummary(self.forfeits, self.columns.games_by_bot(), self.folder)

    @property
    def complete(self) -> bool:
        """Whether all planned games are there."""
        return self.planned is not None and len(self.columns) >= self.planned


def asked_config(reader: Reader) -> TournamentConfig:
    """Return the settings with which a run was last played, also of bots that could not be loaded."""
    return config_from_dict(reader.settings(), source=f"settings stored in {reader.folder}")


def stored_config(reader: Reader) -> TournamentConfig:
    """Return the settings of a run as its tables show it, without bots that could not be loaded."""
    config, left_out = asked_config(reader), reader.left_out()
    return replace(config, bots=tuple(bot for bot in config.bots if bot.name not in left_out))


def read_run(folder: Path) -> RunData:
    """Read everything that reports show of a run, finished or in progress."""
    with Reader(folder) as reader:
        config = stored_config(reader)
        forfeits = tuple(reader.forfeit_reasons())  # before the games, of which there may be more a moment later
        columns = reader.columns()
        schedule = config.schedule()
        # the pairings of a fixed schedule do not depend on results, which are half a million in a large field
        done = ScheduleProgress() if isinstance(schedule, FixedSchedule) else reader.progress()
        planned, places = schedule.planned(done), schedule.ranking(done, reader.results())
        if (verdict := config.verdict()) is not None:
            verdict(reader)
            planned = verdict.planned
        return RunData(
            name=config.name,
            config=reader.config(),
            columns=columns,
            sources={bot.name: bot.source for bot in reader.bots()},
            planned=planned,
            places=None if places is None else tuple(places),
            tiebreaks=schedule.tiebreaks,
            rounds=schedule.round_results(done),
            times=columns.thinking,
            sessions=tuple(reader.sessions()),
            forfeits=forfeits,
            left_out={bot: reason_line(text) for bot, text in reader.left_out().items()}
            | dict.fromkeys(reader.walkovers(), "it gave no answer, so its opponents won by walkovers"),
            labels={bot.name: bot.labels for bot in config.bots if bot.labels},
            folder=str(folder),
        )


def read_sprt(run: RunData) -> SprtResult | None:
    """Return the state of a run's sequential test; None for another format, a league or a file of records."""
    if run.planned is None:
        return None
    with Reader(run.folder) as reader:
        test = stored_config(reader).verdict()
        if test is None:
            return None
        test(reader)
        return test.result()


# ---------------------------------------------------------------- games from elsewhere


def run_of(games: Iterable[GameResult], path: Path) -> RunData:
    """Return the games of a file of records, `path`, as a run without clock, plan and ranking of its own.

    Records of several runs may stand in one file: pairings that mean different bots, rounds or rule sets are numbered
    anew. Raises ReplayError for a game that is there twice.
    """
    columns: dict[str, array[Any]] = {name: array("q") for name in GAME_COLUMNS}
    names: dict[str, int] = {}
    pairings: dict[tuple[int, int, int, int, str], int] = {}
    seen: set[tuple[int, int, int, int]] = set()
    seeds: set[str] = set()
    reasons = Reasons()
    for game in games:
        _, rules, deal, *_ = game.record.split(" ", 3)
        seeds.add(deal.partition(":")[0])
        first, second = (names.setdefault(bot, len(names)) for bot in (game.first, game.second))
        pairing = (game.id.pairing, game.round, min(first, second), max(first, second), rules)
        key = (game.deal_seed, pairings.setdefault(pairing, len(pairings)), game.id.deal, game.id.game)
        if key in seen:
            raise ReplayError(
                f"{path}: record {len(seen) + 1} is a game that was there before: {game.first} against {game.second},"
                f" deal {game.id.deal}"
            )
        seen.add(key)
        values = (
            *key,
            game.round,
            first,
            second,
            round(2 * game.score),
            *game.stones,
            *game.points,
            game.turns,
            game.plies,
            ENDINGS.index(game.ending),
            -1 if game.forfeit is None else FORFEITS.index(game.forfeit),
            -1 if game.forfeit_by is None else names[game.forfeit_by],
            *game.decisions,
        )
        for column, value in zip(columns.values(), values, strict=True):
            column.append(value)
        reasons.add_game(game)
    read: dict[str, Any] = {name: np.frombuffer(values, np.int64) for name, values in columns.items()}
    read |= {"score": read["score"] / 2} | dict.fromkeys(CLOCK_COLUMNS, np.full(len(seen), np.nan))
    if len({number for number, *_ in pairings}) == len(pairings):  # each number has one meaning: it stays
        read["pairing"] = np.array([number for number, *_ in pairings], np.int64)[read["pairing"]]
    config: dict[str, Any] = {
        "format": "records",
        "bots": [{"name": name} for name in names],
        "rules": ", ".join(dict.fromkeys(rules for *_, rules in pairings)),
        "seed": int(seeds.pop()) if len(seeds) == 1 and seeds != {"cards"} else None,
    }
    return RunData(
        input_name(path.name), config, GameColumns(list(names), read), forfeits=tuple(reasons.lines()), folder=str(path)
    )
