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

from arena.match.results import (
    COLUMNS,
    ENDINGS,
    FORFEITS,
    WIN_POINTS,
    GameResult,
    PairingScore,
    Row,
    ScheduleProgress,
    points_of,
)
from arena.match.tasks import PAIRING_BITS, GameId, Pairing
from arena.store.schema import DATABASE, RUN, StoreError

if TYPE_CHECKING:
    import pandas as pd

_BATCH = 20_000
_LONGEST_REASON = 200
_MOST_REASONS = 1000  # of a bot and kind that are counted apart: some texts differ in every game
_DEAL_SHIFT = PAIRING_BITS + 1
_PAIRING_GAME = (1 << _DEAL_SHIFT) - 1  # the low bits of an identity

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


_ADDED = (*range(9), 11)  # places of a cell's sums after its key, and of its maxima
_GREATEST = (9, 10)


def _cell_score(cell: PairingSums) -> PairingScore:
    won, drawn, lost = (cell.games if cell.score == score else 0 for score in (2, 1, 0))
    first = WIN_POINTS * cell.games if won else cell.stones_first
    second = WIN_POINTS * cell.games if lost else cell.stones_second
    if cell.game:
        return PairingScore(cell.games, lost, drawn, won, second, first)
    return PairingScore(cell.games, won, drawn, lost, first, second)


class ForfeitCount(NamedTuple):
    """Number of games that a bot forfeited for one reason."""

    bot: str
    kind: str
    games: int


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

    def count(self) -> int:
        """Games stored."""
        return int(next(self._query("SELECT count(*) FROM games"))[0])

    def rows(self) -> Iterator[Row]:
        """All stored rows in schedule order."""
        return self._query(f"SELECT {', '.join(COLUMNS)} FROM games ORDER BY id")

    def records(self) -> Iterator[tuple[int, int, str]]:
        """Identity, half points of the bot that began, and record of all games in schedule order."""
        return self._query("SELECT id, score, record FROM games ORDER BY id")

    def results(self) -> Iterator[GameResult]:
        """All games in schedule order."""
        pairings = self.pairings()
        for row in self.rows():
            number = GameId.from_key(row[0]).pairing
            if number not in pairings:  # stored since the pairings were read
                pairings = self.pairings()
            pairing = pairings[number]
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
        names = self.pairings()
        clocks = ", us_first, us_second" if clock else ""
        sql = (
            "SELECT id, score, stones_first, stones_second, turns, plies, ending, forfeit, forfeit_by,"
            f" decisions_first, decisions_second{clocks} FROM games ORDER BY id"
        )
        for key, score, mine, theirs, turns, plies, ending, forfeit, by, one, two, *us in self._query(sql):
            pairing, deal, game = GameId.from_key(key)
            if pairing not in names:
                names = self.pairings()
            _, round_, first, second = names[pairing]
            if game:
                first, second = second, first
            yield (
                pairing, deal, game, round_, first, second, score / 2, mine, theirs,
                *points_of(score, mine, theirs), turns, plies, ENDINGS[ending], FORFEITS[forfeit],
                (None, first, second)[by], one, two, *(t / 1000 for t in us),
            )  # fmt: skip

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
        sql = (
            f"SELECT (id & {_PAIRING_GAME}) << 4 | (score << 2) | ending AS who, count(*), {sums},"
            " max(max_us_first), max(max_us_second), sum(us) FROM games WHERE id >= ? AND id < ? GROUP BY who"
        )
        found: dict[int, list[int]] = {}
        with self._snapshot():
            for low, high in self._stretches():
                for who, *more in self._query(sql, (low, high)):
                    have = found.get(who)
                    if have is None:
                        found[who] = more
                        continue
                    for at in _ADDED:
                        have[at] += more[at]
                    for at in _GREATEST:
                        if more[at] > have[at]:
                            have[at] = more[at]
        return [
            PairingSums(who >> 5, who >> 4 & 1, who >> 2 & 3, ENDINGS[who & 3], *sums)
            for who, sums in sorted(found.items())
        ]

    def _stretches(self) -> Iterator[tuple[int, int]]:
        """Ranges of identities with some thousand games each: sorting those is faster than all at once."""
        for low, high, games in self._query("SELECT min(id), max(id), count(*) FROM games"):
            if games:
                first, last = low >> _DEAL_SHIFT, high >> _DEAL_SHIFT
                step = max(100, 2000 * (last - first + 1) // games)
                for deal in range(first, last + 1, step):
                    yield deal << _DEAL_SHIFT, deal + step << _DEAL_SHIFT

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
        for cell in self.pairing_sums():
            done.add_score(cell.pairing, _cell_score(cell))
        return {pairing: done.score(pairing) for pairing in done.scored()}

    def progress(self) -> ScheduleProgress:
        """What is done, for `Schedule.tasks`: one pass over the identities."""
        done = ScheduleProgress()
        mask = _PAIRING_GAME >> 1
        with self._snapshot():
            for (key,) in self._query("SELECT id FROM games ORDER BY id"):
                done.add_deal(key >> 1 & mask, key >> _DEAL_SHIFT)
        for pairing, score in self.scores().items():
            done.add_score(pairing, score)
        return done

    def pentanomial(self) -> dict[int, tuple[int, int, int, int, int]]:
        """Whole pairs of each pairing by the score of its bot `a`: (0, 1/2, 1, 3/2, 2) points of two."""
        counts: dict[int, list[int]] = {}
        rows = self._query(
            f"SELECT g.id >> 1 & {_PAIRING_GAME >> 1}, g.score + 2 - h.score, count(*)"
            " FROM games g JOIN games h ON h.id = g.id + 1 WHERE g.id & 1 = 0 GROUP BY 1, 2"
        )
        for pairing, cell, pairs in rows:
            counts.setdefault(pairing, [0] * 5)[cell] = pairs
        return {pairing: (c[0], c[1], c[2], c[3], c[4]) for pairing, c in sorted(counts.items())}

    def pair_scores_from(self, deal: int) -> list[int]:
        """Cells of a run with one pairing, on the deals from `deal` on up to the first that is not there.

        The cell of a pair is what bot `a` has of it in half points, 0..4.
        """
        rows = self._query(
            f"SELECT g.id >> {_DEAL_SHIFT}, g.score + 2 - h.score FROM games g JOIN games h ON h.id = g.id + 1"
            " WHERE g.id >= ? AND g.id & 1 = 0 ORDER BY g.id",
            (deal << _DEAL_SHIFT,),
        )
        cells: list[int] = []
        for at, cell in rows:
            if at != deal + len(cells):
                break
            cells.append(cell)
        return cells

    def forfeits(self) -> list[ForfeitCount]:
        """How many games each bot forfeited, by kind; bots without forfeits are left out."""
        pairings = self.pairings()
        counts: dict[tuple[str, int], int] = {}
        rows = self._query(
            f"SELECT id & {_PAIRING_GAME} AS who, forfeit, forfeit_by, count(*) FROM games"
            " WHERE forfeit > 0 GROUP BY 1, 2, 3"
        )
        for who, kind, by, games in rows:
            pairing = pairings[who >> 1]
            # game 0: a began. So the bot at fault is b if exactly one of "b began" and "the second" is true.
            bot = pairing.b if (who & 1) ^ (by == 2) else pairing.a
            counts[bot, kind] = counts.get((bot, kind), 0) + games
        return [ForfeitCount(bot, str(FORFEITS[kind]), games) for (bot, kind), games in sorted(counts.items())]

    def forfeit_reasons(self) -> list[ForfeitReason]:
        """What each bot forfeited games by, the most frequent first."""
        pairings = self.pairings()
        found: dict[tuple[str, int], dict[str, list[int]]] = {}  # bot and kind -> reason -> games, first of them
        games: Counter[tuple[str, int]] = Counter()
        rows = self._query(
            "SELECT id, forfeit, forfeit_by, detail FROM games WHERE forfeit > 0 ORDER BY forfeit, id"
        )
        for key, kind, by, detail in rows:
            identity = GameId.from_key(key)
            if identity.pairing not in pairings:  # stored since the pairings were read
                pairings = self.pairings()
            _, _, a, b = pairings[identity.pairing]
            who = (b if identity.game ^ (by == 2) else a, kind)
            games[who] += 1
            reasons = found.setdefault(who, {})
            reason = reason_line(detail)[:_LONGEST_REASON]
            if reason in reasons:
                reasons[reason][0] += 1
            elif len(reasons) < _MOST_REASONS:
                reasons[reason] = [1, key]
        lines = []
        for (bot, kind), number in games.items():
            reason, (_, first) = max(found[bot, kind].items(), key=lambda item: item[1][0])
            lines.append(ForfeitReason(bot, str(FORFEITS[kind]), number, reason, GameId.from_key(first)))
        return sorted(lines, key=lambda line: (-line.games, line.bot, line.kind))

    def times(self) -> dict[str, list[int]]:
        """Histogram of thinking times of each bot, 256 counts; see `results.time_quantile`."""
        import numpy as np

        pairings = self.pairings()
        counts = {bot.name: np.zeros(256, dtype=np.int64) for bot in self.bots()}
        with RUN.guard(self.folder, "read"):
            cursor = self._db.execute(f"SELECT id & {_PAIRING_GAME}, hist_first, hist_second FROM games")
            while rows := cursor.fetchmany(_BATCH):
                packed: dict[str, list[bytes]] = {bot: [] for bot in counts}
                for who, first, second in rows:
                    if who >> 1 not in pairings:
                        pairings = self.pairings()
                    _, _, a, b = pairings[who >> 1]
                    if who & 1:
                        a, b = b, a
                    packed[a].append(first)
                    packed[b].append(second)
                for bot, blobs in packed.items():
                    pairs = np.frombuffer(b"".join(blobs), dtype=np.uint8).reshape(-1, 2)
                    sums = np.bincount(pairs[:, 0], weights=pairs[:, 1], minlength=256)
                    counts[bot] += sums.astype(np.int64)
        return {bot: [int(n) for n in sums] for bot, sums in counts.items()}
