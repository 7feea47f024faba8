"""Reading a run: settings, games in schedule order, sums for standings. Works while the run goes on."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from arena.endings import AFTER, ENDINGS, forfeit_of
from arena.match.results import (
    COLUMNS,
    WIN_POINTS,
    GameResult,
    PairingScore,
    Row,
    ScheduleProgress,
)
from arena.match.tasks import GameId, Pairing, game_key
from arena.store.schema import DATABASE, RUN, StoreError

if TYPE_CHECKING:
    import pandas as pd

_BATCH = 20_000
_LONGEST_REASON = 200
MOST_REASONS = 1000  # of a bot and kind that are counted apart: some texts differ in every game

GAME_COLUMNS = (
    "pairing", "deal", "game", "round", "first", "second", "score", "stones_first", "stones_second",
    "points_first", "points_second", "turns", "plies", "ending", "forfeit", "forfeit_by",
    "decisions_first", "decisions_second",
)  # fmt: skip
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


class PairingSums(NamedTuple):
    """Sums over the games of a pairing with the same bot beginning (`game`), the same score and ending.

    "first" is the bot that began; `score` in half points of it; `us` are microseconds.
    """

    pairing: int
    game: int
    score: int
    ending: str
    games: int
    stones_first: int
    stones_second: int
    turns: int
    plies: int
    decisions_first: int
    decisions_second: int
    us_first: int
    us_second: int
    max_us_first: int
    max_us_second: int
    us: int


def _score_of(sums: PairingSums) -> PairingScore:
    won, drawn, lost = (sums.games if sums.score == score else 0 for score in (2, 1, 0))
    first = WIN_POINTS * sums.games if won else sums.stones_first
    second = WIN_POINTS * sums.games if lost else sums.stones_second
    if sums.game:
        return PairingScore(sums.games, lost, drawn, won, second, first)
    return PairingScore(sums.games, won, drawn, lost, first, second)


class ForfeitReason(NamedTuple):
    """Number of games that a bot forfeited in one way, their most frequent reason in a line, and its first game."""

    bot: str
    kind: str
    games: int
    reason: str
    game: GameId


def reason_line(detail: str | None) -> str:
    """The line of a forfeit's detail that says what happened: of a traceback the exception, else the first line.

    Frames of a traceback are set in, and so are the last words of a process, which stand below the reason.

    >>> reason_line("in act: Traceback (most recent call last):\\n  File ...\\nKeyError: 'play'\\n")
    "KeyError: 'play'"
    >>> reason_line("in act: it ended itself with exit code 3\\n  last words")
    'in act: it ended itself with exit code 3'
    """
    lines = [line for line in (detail or "").split("\n") if line.strip()]
    raised = [line for before, line in pairwise(lines) if before[0].isspace() and not line[0].isspace()]
    if raised:
        return raised[-1].strip()
    if lines and lines[0].endswith("(most recent call last):"):  # a group of exceptions, in a frame of marks
        lines = [line.strip(" |+-") for line in reversed(lines) if line.strip(" |+-")]
    return lines[0].strip() if lines else ""


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
            self._db: sqlite3.Connection = RUN.open_reader(self.folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    def _query(self, sql: str, args: Iterable[object] = ()) -> Iterator[tuple[Any, ...]]:
        return RUN.stream(self._db, self.folder, sql, args)

    def _json(self, key: str) -> dict[str, Any]:
        for (value,) in self._query("SELECT value FROM meta WHERE key = ?", (key,)):
            return dict(json.loads(value))
        raise StoreError(f"the run in {self.folder} was never begun: its database holds no {key}")

    # ------------------------------------------------------------ the run

    def config(self) -> dict[str, Any]:
        """The settings that determine the results."""
        return self._json("config")

    def settings(self) -> dict[str, Any]:
        """All settings of the run, as given when it was begun."""
        return self._json("settings")

    def bots(self) -> list[BotEntry]:
        """The bots in seed order."""
        rows = self._query("SELECT name, spec, source, params FROM bots ORDER BY bot")
        return [BotEntry(name, spec, source, json.loads(params)) for name, spec, source, params in rows]

    def pairings(self) -> dict[int, Pairing]:
        """The pairings that have games, by number."""
        rows = self._query(
            "SELECT p.pairing, p.round, a.name, b.name FROM pairings p JOIN bots a ON a.bot = p.a"
            " JOIN bots b ON b.bot = p.b ORDER BY p.pairing"
        )
        return {row[0]: Pairing(*row) for row in rows}

    def sessions(self) -> list[WorkSession]:
        """The stretches of work, oldest first."""
        rows = self._query("SELECT started, ended, games, info FROM sessions ORDER BY session")
        return [WorkSession(started, ended, games, json.loads(info)) for started, ended, games, info in rows]

    # ------------------------------------------------------------ games

    def count(self, forfeited: bool = False) -> int:
        """Games stored, or those of them that were forfeited."""
        return int(next(self._query(f"SELECT count(*) FROM games{' WHERE forfeit > 0' * forfeited}"))[0])

    def last_deal(self) -> int:
        """The greatest deal of a stored game, -1 without games."""
        (last,) = next(self._query("SELECT max(id) FROM games"))
        return -1 if last is None else GameId.from_key(last).deal

    def rows(self) -> Iterator[Row]:
        """All stored rows in schedule order."""
        return self._query(f"SELECT {', '.join(COLUMNS)} FROM games ORDER BY id")

    def records(self) -> Iterator[tuple[int, int, str]]:
        """Identity, half points of the bot that began, and record of all games in schedule order."""
        return self._query("SELECT id, score, record FROM games ORDER BY id")

    def results(self) -> Iterator[GameResult]:
        """All games in schedule order."""
        pairings = _Pairings(self)
        for row in self.rows():
            pairing = pairings[GameId.from_key(row[0]).pairing]
            yield GameResult.from_row(row, pairing.a, pairing.b, pairing.round)

    def result(self, identity: GameId) -> GameResult:
        """One game; StoreError if it is not there."""
        sql = f"SELECT {', '.join(COLUMNS)} FROM games WHERE id = ?"
        for row in self._query(sql, (identity.key,)):
            pairing = self.pairings()[identity.pairing]
            return GameResult.from_row(row, pairing.a, pairing.b, pairing.round)
        raise StoreError(f"there is no game {identity} in {self.folder}; {self._range()}")

    def _range(self) -> str:
        for low, high in self._query("SELECT min(id), max(id) FROM games WHERE id >= 0"):
            if low is not None:
                return f"its games run from {GameId.from_key(low)} to {GameId.from_key(high)}"
        return "it holds no games yet"

    def table(self, clock: bool = False) -> Iterator[tuple[Any, ...]]:
        """Games as plain tuples in schedule order: GAME_COLUMNS, and CLOCK_COLUMNS too if asked."""
        columns = ", ".join(GAME_COLUMNS + (CLOCK_COLUMNS if clock else ()))
        columns = columns.replace("forfeit_by", "CASE WHEN forfeit IS NOT NULL THEN forfeit_by END")
        return self._query(f"SELECT {columns} FROM game_list")

    def frame(self) -> pd.DataFrame:
        """All games as a data frame with GAME_COLUMNS and CLOCK_COLUMNS, in schedule order.

        Names and endings are categories, so a million games take some 100 MB.
        """
        from arena.store.frames import games_frame  # pandas is heavy

        names = [bot.name for bot in self.bots()]
        with RUN.guard(self.folder, "read"):
            return games_frame(self._db, names, self.pairings, GAME_COLUMNS + CLOCK_COLUMNS)

    # ------------------------------------------------------------ sums

    def pairing_sums(self) -> list[PairingSums]:
        """Sums for the standings: a few lines a pairing, however many games there are."""
        sums = ", ".join(f"sum({name})" for name in PairingSums._fields[5:13])
        rows = self._query(
            f"SELECT pairing, game, score, ending, count(*), {sums}, max(max_us_first), max(max_us_second), sum(us)"
            " FROM games GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"
        )
        return [PairingSums._make((*row[:3], ENDINGS[row[3]], *row[4:])) for row in rows]

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """Put several questions to one state of the database, also while a run goes on."""
        with RUN.guard(self.folder, "read"):
            self._db.execute("BEGIN")
            try:
                yield
            finally:
                self._db.execute("COMMIT")

    def scores(self) -> dict[int, PairingScore]:
        """Score of each pairing, seen from its bot `a`."""
        done = ScheduleProgress()
        for sums in self.pairing_sums():
            done.add_score(sums.pairing, _score_of(sums))
        return {pairing: done.score(pairing) for pairing in done.scored()}

    def progress(self) -> ScheduleProgress:
        """What is done, for `Schedule.tasks`: one pass over the identities."""
        done = ScheduleProgress()
        with self._snapshot():
            for pairing, deal in self._query("SELECT pairing, deal FROM games ORDER BY id"):
                done.add_deal(pairing, deal)
        for pairing, score in self.scores().items():
            done.add_score(pairing, score)
        return done

    def pentanomial(self) -> dict[int, tuple[int, int, int, int, int]]:
        """Whole pairs of each pairing by the score of its bot `a`: (0, 1/2, 1, 3/2, 2) points of two."""
        counts: dict[int, list[int]] = {}
        rows = self._query(
            "SELECT g.pairing, g.score + 2 - h.score, count(*)"
            " FROM games g JOIN games h ON h.id = g.id + 1 WHERE g.game = 0 GROUP BY 1, 2"
        )
        for pairing, score, pairs in rows:
            counts.setdefault(pairing, [0] * 5)[score] = pairs
        return {pairing: (c[0], c[1], c[2], c[3], c[4]) for pairing, c in sorted(counts.items())}

    def pair_scores_from(self, deal: int) -> list[int]:
        """What bot `a` has of each pair in half points, 0..4: in a run with one pairing, on the deals from `deal` on
        up to the first that is not there."""
        rows = self._query(
            "SELECT g.deal, g.score + 2 - h.score FROM games g JOIN games h ON h.id = g.id + 1"
            " WHERE g.id >= ? AND g.game = 0 ORDER BY g.id",
            (game_key(0, deal, 0),),
        )
        scores: list[int] = []
        for at, score in rows:
            if at != deal + len(scores):
                break
            scores.append(score)
        return scores

    def forfeit_reasons(self) -> list[ForfeitReason]:
        """What each bot forfeited games by, and failed by after games (`AFTER`), the most frequent first."""
        pairings = _Pairings(self)
        found: dict[tuple[str, int], dict[str, list[int]]] = {}  # bot and kind -> reason -> games, first of them
        games: Counter[tuple[str, int]] = Counter()
        rows = self._query(
            "SELECT id, pairing, game, forfeit, forfeit_by, detail FROM games WHERE forfeit_by > 0 ORDER BY forfeit, id"
        )
        for key, pairing, game, kind, by, detail in rows:
            reason = reason_line(detail)[:_LONGEST_REASON]
            sides = pairings.sides(pairing, game)
            for who in [(sides[by - 1], kind)] if kind else [(sides[at], 0) for at in (0, 1) if by >> at & 1]:
                games[who] += 1
                reasons = found.setdefault(who, {})
                if reason in reasons:
                    reasons[reason][0] += 1
                elif len(reasons) < MOST_REASONS:
                    reasons[reason] = [1, key]
        lines = []
        for (bot, kind), number in games.items():
            reason, (_, first) = max(found[bot, kind].items(), key=lambda item: item[1][0])
            lines.append(ForfeitReason(bot, forfeit_of(kind) or AFTER, number, reason, GameId.from_key(first)))
        return sorted(lines, key=lambda line: (-line.games, line.bot, line.kind))

    def times(self) -> dict[str, list[int]]:
        """Histogram of thinking times of each bot, 256 counts; see `results.time_quantile`."""
        import numpy as np

        pairings = _Pairings(self)
        packed = {bot.name: bytearray() for bot in self.bots()}
        for pairing, game, first, second in self._query("SELECT pairing, game, hist_first, hist_second FROM games"):
            one, two = pairings.sides(pairing, game)
            packed[one] += first
            packed[two] += second
        counts = {}
        for bot, data in packed.items():
            pairs = np.frombuffer(data, dtype=np.uint8).reshape(-1, 2)
            sums = np.bincount(pairs[:, 0], weights=pairs[:, 1], minlength=256)
            counts[bot] = [int(n) for n in sums]
        return counts


class _Pairings(dict[int, Pairing]):
    """The pairings of a run that may go on: those stored since are read when they are asked for."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader.pairings())
        self._reader = reader

    def __missing__(self, number: int) -> Pairing:
        self.update(self._reader.pairings())
        return dict(self)[number]

    def sides(self, pairing: int, game: int) -> tuple[str, str]:
        """The bot that began a game, and the other."""
        _, _, a, b = self[pairing]
        return (b, a) if game else (a, b)
