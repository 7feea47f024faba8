"""A run, a league or a file of records as plain values, from which every view starts; and a choice of its games."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arena.errors import ArenaError
from arena.league.views import Places
from arena.stats import DEFAULT_PRIOR
from arena.stats.frames import require_bot
from arena.stats.sprt import SprtResult
from arena.text import counted, one_line
from arena.tournament.config import TournamentConfig, config_from_dict
from arena.tournament.forfeits import ForfeitReason, ForfeitSummary, reason_line
from arena.tournament.formats.round_robin import FixedSchedule
from arena.tournament.formats.schedule import Meeting, Place
from arena.tournament.games import GameResult, ScheduleProgress
from arena.tournament.store.columns import GameColumns
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
    sessions  what a clock measured of them; only timing.csv has it
    forfeits  who forfeited games and why, the most frequent first; the reasons are never written to files
    left_out  why bots that the settings name did not play, or not to the end, in a line, by name: they could not be
              loaded, or did not answer
    labels    of versions of bots, by name: the commit, its subject and date, and how the version was named; of a league
              the version's name, author, number and hash
    folder    where the run is stored, as the user named it; "" if nowhere
    selection which games were kept after they were played; "" if all are there
    test      the state of its sequential test; None for another format
    prior     virtual draws per bot in its ratings, unless the user names another number
    anchors   ratings that are held fixed, by bot: a league's anchor
    centre    bots whose mean rating is 0 without an anchor, and which the table shows; empty: all. Of a league, the
              versions in its table
    before    of a league: the ratings and ranks of the table before, by the names of bots
    remarks   sentences that belong below its table
    """

    name: str
    config: Mapping[str, Any]
    columns: GameColumns
    sources: Mapping[str, str] = field(default_factory=dict)
    planned: int | None = None
    places: tuple[Place, ...] | None = None
    tiebreaks: Mapping[str, str] = field(default_factory=dict)
    rounds: Sequence[Sequence[Meeting]] = ()
    sessions: tuple[WorkSession, ...] = ()
    forfeits: tuple[ForfeitReason, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    folder: str = ""
    selection: str = ""
    test: SprtResult | None = None
    prior: float = DEFAULT_PRIOR
    anchors: Mapping[str, float] = field(default_factory=dict)
    centre: Sequence[str] = ()
    before: Places | None = None
    remarks: Sequence[str] = ()

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
    def is_stopped(self) -> bool:
        """Whether a sequential test has ended it, so that figures of fixed size do not hold."""
        return self.test is not None and self.test.verdict != "continue"

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
            sessions=tuple(reader.sessions()),
            forfeits=forfeits,
            left_out={bot: reason_line(text) for bot, text in reader.left_out().items()}
            | dict.fromkeys(reader.walkovers(), "it gave no answer, so its opponents won by walkovers"),
            labels={bot.name: bot.labels for bot in config.bots if bot.labels},
            folder=str(folder),
            test=None if verdict is None else verdict.result(),
        )


# ---------------------------------------------------------------- a choice of games, after they were played


def with_bots(run: RunData, without: Sequence[str], only: Sequence[str]) -> RunData:
    """Return the run with only the games of two bots that `kept_bots` keeps; the others leave its field."""
    if not (without or only):
        return run
    kept = kept_bots(run.bots, without, only)
    numbers = [number for number, bot in enumerate(run.columns.bots) if bot in kept]
    held = np.isin(run.columns["first"], numbers) & np.isin(run.columns["second"], numbers)
    if not held.any():
        raise ArenaError(f"{one_line(run.name)} has no game of {one_line(' and '.join(kept[:10]))}")
    columns = replace(run.columns, values={name: column[held] for name, column in run.columns.values.items()})
    return RunData(  # without what was measured or counted over all games
        name=run.name,
        config={**run.config, "bots": [bot for bot in run.config["bots"] if bot["name"] in kept]},
        columns=replace(columns, thinking=()),
        sources={bot: source for bot, source in run.sources.items() if bot in kept},
        folder=run.folder,
        forfeits=tuple(columns.forfeits()),
        prior=run.prior,
        anchors={bot: elo for bot, elo in run.anchors.items() if bot in kept},
        centre=run.centre,
        labels=run.labels,
        selection=choice_text(run.bots, kept),
    )


def kept_bots(bots: Sequence[str], without: Sequence[str], only: Sequence[str]) -> list[str]:
    """Return the bots that are named in `only` (all, if it is empty) and not in `without`.

    Raise ArenaError for a bot that is not there, and for fewer than two bots left.

    >>> kept_bots(["ann", "bob", "cid"], ["cid"], []), kept_bots(["ann", "bob", "cid"], [], ["bob,cid"])
    (['ann', 'bob'], ['bob', 'cid'])
    """
    left_out, wanted = named_bots(without, bots), named_bots(only, bots)
    for bot in (*left_out, *wanted):
        require_bot(bot, bots)
    kept = [bot for bot in bots if bot not in left_out and (bot in wanted or not wanted)]
    if len(kept) < 2:
        raise ArenaError(f"--without and --only leave {counted(len(kept), 'bot')}, expected two or more")
    return kept


def named_bots(texts: Sequence[str], bots: Sequence[str]) -> list[str]:
    """Return the bots named in options: one each, or several with commas between them. A name may hold commas."""
    return [known_bot(bot, bots) for text in texts for bot in ([text] if text in bots else text.split(","))]


def known_bot(name: str, bots: Sequence[str]) -> str:
    """Return the last version of a league's bot that is named without one; any other name as it is.

    >>> known_bot("ann", ["ann v1", "ann v2", "bob v1"]), known_bot("ann", ["ann", "ann v2"])
    ('ann v2', 'ann')
    """
    found = [bot for bot in bots if re.fullmatch(rf"{re.escape(name)} v\d+", bot)]
    return max(found, key=lambda bot: int(bot.rpartition("v")[2])) if found and name not in bots else name


def choice_text(bots: Sequence[str], kept: Sequence[str]) -> str:
    """Name the bots that are left out, or all that are `kept`, whatever is shorter.

    >>> choice_text(["ann", "bob", "cid"], ["ann", "bob"]), choice_text(["a", "b", "c", "d"], ["a", "b"])
    ('without cid', 'of a, b')
    """
    left_out = [bot for bot in bots if bot not in kept]
    return f"without {', '.join(left_out)}" if len(left_out) < len(kept) else f"of {', '.join(kept)}"


@dataclass(frozen=True)
class GameFilter:
    """Which games are wanted; None and False leave all games in.

    bot, against   a player of the game, and its opponent
    score          score of `bot`: 1, 0.5 or 0
    forfeits       only games decided by a forfeit
    deal           number of the deal
    field          two of these play
    """

    bot: str | None = None
    against: str | None = None
    score: float | None = None
    forfeits: bool = False
    deal: int | None = None
    field: frozenset[str] | None = None

    def __post_init__(self) -> None:
        if self.bot is None and (self.score is not None or self.against is not None):
            raise ArenaError("--against, --won and --lost are about one bot; name it with --bot")

    @property
    def all(self) -> bool:
        """Whether all games are wanted."""
        return self == GameFilter()

    def __contains__(self, game: GameResult) -> bool:
        if self.deal is not None and game.id.deal != self.deal:
            return False
        if self.forfeits and game.forfeit is None:
            return False
        if self.field is not None and not self.field.issuperset((game.first, game.second)):
            return False
        if self.bot is None:
            return True
        if self.bot not in (game.first, game.second):
            return False
        opponent = game.second if self.bot == game.first else game.first
        return self.against in (None, opponent) and self.score in (None, game.score_of(self.bot))


ALL_GAMES = GameFilter()
