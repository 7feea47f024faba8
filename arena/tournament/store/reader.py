"""Reading a run: settings, games in schedule order, sums for standings. Works while the run goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from arena.endings import AFTER, forfeit_of
from arena.tournament.match.results import GameResult, PairingScore, Row, ScheduleProgress
from arena.tournament.match.tasks import PAIRING_BITS, GameId, Pairing
from arena.tournament.store.columns import GameColumns, game_columns
from arena.tournament.store.figures import Figures, PairingSums, figures_of
from arena.tournament.store.games import judged_games, read_games
from arena.tournament.store.ownership import MARK, is_marked, run_text
from arena.tournament.store.reasons import ForfeitReason, Reasons
from arena.tournament.store.schema import DATABASE, RUN, StoreError
from arena.tournament.store.sqlite import Connection
from arena.tournament.store.tables import LARGEST

if TYPE_CHECKING:
    import pandas as pd

GAME_COLUMNS = (
    "pairing",
    "deal",
    "game",
    "round",
    "first",
    "second",
    "score",
    "stones_first",
    "stones_second",
    "points_first",
    "points_second",
    "turns",
    "plies",
    "ending",
    "forfeit",
    "forfeit_by",
    "decisions_first",
    "decisions_second",
)
"""Columns of a table of games that are the same for every run of the same settings."""
CLOCK_COLUMNS = ("ms_first", "ms_second")
"""Thinking times in milliseconds, measured by a clock."""


@dataclass(frozen=True)
class BotEntry:
    """A bot of a run: name in the tables, text that loads it, hash of its source, parameters."""

    name: str
    spec: str
    source: str
    params: dict[str, Any] = field(default_factory=dict)


def _config_fault(config: dict[str, Any]) -> str | None:
    """What is wrong with the settings that determine the results as far as reports show them; None if nothing is."""
    kinds = {"format": str, "rules": str, "seed": int, "bots": list, "clock": dict, "games": int, "pairs": bool}
    for key, kind in kinds.items():
        if type(config.get(key)) is not kind and not (key in ("games", "pairs") and key not in config):
            return key
    sound = all(type(bot) is dict and type(bot.get("name")) is str for bot in config["bots"])
    return None if sound and type(config.get("isolated", [])) is list else "bots"


class WorkSession(NamedTuple):
    """One stretch of work on a run: seconds since 1970, games stored in it, remarks (workers, executor)."""

    started: float
    ended: float
    games: int
    info: dict[str, Any]


class Reader:
    """A run's folder, open for reading. Use as a context manager, or call `close`."""

    def __init__(self, folder: Path | str) -> None:
        """StoreError if there is no run in the folder or its database cannot be read."""
        self.folder = Path(folder)
        if not (self.folder / DATABASE).is_file():
            raise StoreError(f"there is no run in {self.folder}: it holds no {DATABASE}")
        with RUN.guard(self.folder, "read"):
            RUN.check_files(self.folder)
            self._db: Connection = RUN.open_reader(self.folder, tidy=True)
        self._figures: Figures | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    def _rows(self, table: str) -> list[Any]:
        return RUN.read(self._db, self.folder, table)

    def _json(self, key: str) -> dict[str, Any]:
        value = self.meta().get(key)
        if value is None:
            raise StoreError(f"the run in {self.folder} was never begun: its database holds no {key}")
        try:
            return dict(json.loads(value))
        except (ValueError, TypeError, RecursionError) as error:
            raise RUN.damaged(self.folder, f"its {key} cannot be read") from error

    def meta(self) -> dict[str, str]:
        """All settings as texts."""
        return dict(self._rows("meta"))

    # ------------------------------------------------------------ the run

    def config(self) -> dict[str, Any]:
        """The settings that determine the results."""
        config = self._json("config")
        if (fault := _config_fault(config)) is not None:
            raise RUN.damaged(self.folder, f"its settings were not written by this program ({fault})")
        return config

    def settings(self) -> dict[str, Any]:
        """All settings of the run, as given when it was begun."""
        return self._json("settings")

    def is_ours(self) -> bool:
        """Was the run begun by this user, with the settings and the bots that it holds?"""
        return is_marked(self.meta().get(MARK), run_text(self.meta(), self.bots()))

    def bots(self) -> list[BotEntry]:
        """The bots in seed order."""
        return [
            BotEntry(name, spec, source, json.loads(params)) for _, name, spec, source, params in self._rows("bots")
        ]

    def pairings(self) -> dict[int, Pairing]:
        """The pairings that have games, by number."""
        with self._snapshot():
            rows = RUN.check_rows(self._db, self.folder, "bots", "pairings")
        names = {row[0]: row[1] for row in rows["bots"]}
        if any(number >> PAIRING_BITS or a == b for number, _, a, b in rows["pairings"]):
            raise RUN.damaged(self.folder, "a pairing is not valid")
        return {number: Pairing(number, round_, names[a], names[b]) for number, round_, a, b in rows["pairings"]}

    def sessions(self) -> list[WorkSession]:
        """The stretches of work, oldest first."""
        return [
            WorkSession(started, ended, games, json.loads(info))
            for _, started, ended, games, info in self._rows("sessions")
        ]

    # ------------------------------------------------------------ games

    @property
    def has_checksums(self) -> bool:
        """Do the rows have checksums? Those of older versions have none."""
        return self._db.sealed

    def count(self, forfeited: bool = False) -> int:
        """Games stored, or those of them that were forfeited."""
        if forfeited:
            return self.figures().forfeits
        return RUN.stamp(self._db, self.folder)[0]

    def figures(self) -> Figures:
        """The numbers of all games, each checked; a Reader reads them once."""
        if self._figures is None:
            with self._snapshot():
                pairings, names = self.pairings(), [bot.name for bot in self.bots()]
                self._figures = figures_of(self._db, names, pairings)
        return self._figures

    def check_blocks(self) -> None:
        """StoreError unless the blocks say what the rows of their games do."""
        if not self._db.has_blocks:
            return
        with self._snapshot():
            pairings, names = self.pairings(), [bot.name for bot in self.bots()]
            one, two = (figures_of(self._db, names, pairings, blocks=blocks) for blocks in (True, False))
        same = all((one.columns[name] == column).all() for name, column in two.columns.items())
        if not same or (one.times != two.times).any():
            raise RUN.damaged(self.folder, "its blocks do not say what the rows of their games do")

    @property
    def known_figures(self) -> Figures | None:
        """The figures if they were read."""
        return self._figures

    def last_deal(self) -> int:
        """The greatest deal of a stored game, -1 without games."""
        with RUN.guard(self.folder, "read"):
            (last,) = self._db.execute("SELECT max(id) FROM games NOT INDEXED").fetchone()
        return GameId.from_key(last).deal if type(last) is int else -1

    def rows(self) -> Iterator[Row]:
        """All stored rows in schedule order, each checked."""
        return self._games()

    def _games(self, where: str = "", *args: object) -> Iterator[Row]:
        return RUN.checked(self.folder, read_games(self._db, self._db.sealed, where, *args))

    def judged_rows(self) -> Iterator[tuple[Row, str | None]]:
        """All stored rows in schedule order, each with what is wrong with it, or None: for those that look for damage.

        A row with a fault may hold anything. At last StoreError if there are not as many as were stored.
        """
        return RUN.checked(self.folder, judged_games(self._db, self._db.sealed))

    def records(self) -> Iterator[tuple[int, int, str]]:
        """Identity, half points of the bot that began, and record of all games in schedule order."""
        for row in self.rows():
            yield row[0], row[1], row[18]

    def results(self) -> Iterator[GameResult]:
        """All games in schedule order."""
        return map(self._pairings.result, self.rows())

    def result(self, identity: GameId) -> GameResult:
        """One game; StoreError if it is not there."""
        if 0 <= identity.key <= LARGEST:
            for row in self._games("WHERE id = ?", identity.key):
                return self._pairings.result(row)
        raise StoreError(f"there is no game {identity} in {self.folder}; {self._range()}")

    def readable(self) -> Callable[[Row], GameResult]:
        """What makes the readable form of rows."""
        return self._pairings.result

    @cached_property
    def _pairings(self) -> _Pairings:
        """The pairings, read once: there may be half a million of them."""
        return _Pairings(self)

    def _range(self) -> str:
        with RUN.guard(self.folder, "read"):
            low, high = self._db.execute("SELECT min(id), max(id) FROM games NOT INDEXED").fetchone()
        if type(low) is int and low >= 0:
            return f"its games run from {GameId.from_key(low)} to {GameId.from_key(high)}"
        return "it holds no games yet"

    def table(self, clock: bool = False) -> Iterator[tuple[Any, ...]]:
        """Games as plain tuples in schedule order: GAME_COLUMNS, and CLOCK_COLUMNS too if asked."""
        for game in self.results():
            row = (
                *game.id,
                game.round,
                game.first,
                game.second,
                game.score,
                *game.stones,
                *game.points,
                game.turns,
                game.plies,
                game.ending,
                game.forfeit,
                game.forfeit_by,
                *game.decisions,
            )
            yield row + game.ms if clock else row

    def columns(self) -> GameColumns:
        """All games in schedule order with GAME_COLUMNS and CLOCK_COLUMNS."""
        return game_columns(self.figures(), GAME_COLUMNS + CLOCK_COLUMNS)

    def frame(self) -> pd.DataFrame:
        """The same as a data frame."""
        return self.columns().frame()

    # ------------------------------------------------------------ sums

    def bot_times(self) -> dict[str, tuple[int, int, int]]:
        """Of each bot: its decisions, the microseconds that they took in all, and the longest of them."""
        return self.figures().bot_times()

    def pairing_sums(self) -> list[PairingSums]:
        """Sums for the standings: a few lines a pairing, however many games there are."""
        return self.figures().pairing_sums()

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """Put several questions to one state of the database, also while a run goes on."""
        with RUN.guard(self.folder, "read"), self._db.snapshot():
            yield

    def scores(self) -> dict[int, PairingScore]:
        """Score of each pairing, seen from its bot `a`."""
        return self.figures().scores()

    def progress(self) -> ScheduleProgress:
        """What is done, for `Schedule.tasks`."""
        return self.figures().progress()

    def pentanomial(self) -> dict[int, tuple[int, int, int, int, int]]:
        """Whole pairs of each pairing by the score of its bot `a`: (0, 1/2, 1, 3/2, 2) points of two."""
        counts: dict[int, list[int]] = {}
        pairing, _, score = self.figures().pairs()
        for number, points in zip(pairing.tolist(), score.tolist()):
            counts.setdefault(number, [0] * 5)[points] += 1
        return {number: (c[0], c[1], c[2], c[3], c[4]) for number, c in sorted(counts.items())}

    def pair_scores_from(self, deal: int) -> list[int]:
        """What bot `a` has of each pair in half points, 0..4: in a run with one pairing, on the deals from `deal` on
        up to the first that is not there."""
        scores: list[int] = []
        _, deals, points = self._figures_from(deal).pairs()
        for at, score in zip(deals.tolist(), points.tolist()):
            if at >= deal:
                if at != deal + len(scores):
                    break
                scores.append(score)
        return scores

    def _figures_from(self, deal: int) -> Figures:
        """The numbers of the games on the deals from `deal` on, perhaps of others."""
        return self.figures()

    def forfeit_reasons(self) -> list[ForfeitReason]:
        """What each bot forfeited games by, and failed by after games (`AFTER`), the most frequent first."""
        pairings, reasons = self._pairings, Reasons()
        failed = self.figures().columns["forfeit_by"].any()
        for row in self._games("WHERE forfeit_by > 0") if failed else ():
            identity, kind, by = GameId.from_key(row[0]), forfeit_of(row[3]), row[4]
            sides = pairings.sides(identity.pairing, identity.game)
            for bot in [sides[by - 1]] if kind else [sides[at] for at in (0, 1) if by >> at & 1]:
                reasons.add(bot, kind or AFTER, row[19], identity)
        return reasons.lines()

    def times(self) -> dict[str, list[int]]:
        """Histogram of thinking times of each bot, 256 counts; see `results.time_quantile`."""
        return {bot: counts.tolist() for bot, counts in zip(self.figures().bots, self.figures().times)}


class _Pairings(dict[int, Pairing]):
    """The pairings of a run that may go on: those stored since are read when they are asked for."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader.pairings() if reader.known_figures is None else reader.known_figures.pairings)
        self._reader = reader

    def __missing__(self, number: int) -> Pairing:
        self.update(self._reader.pairings())
        if number not in self:
            raise RUN.damaged(self._reader.folder, f"there are games of the pairing {number}, but no such pairing")
        return self[number]

    def sides(self, pairing: int, game: int) -> tuple[str, str]:
        """The bot that began a game, and the other."""
        _, _, a, b = self[pairing]
        return (b, a) if game else (a, b)

    def result(self, row: Row) -> GameResult:
        """The readable form of a row."""
        pairing = self[GameId.from_key(row[0]).pairing]
        return GameResult.from_row(row, pairing.a, pairing.b, pairing.round)
