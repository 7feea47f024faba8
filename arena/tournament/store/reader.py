"""Reading a run: settings, games in schedule order, sums for standings. Works while the run goes on."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from arena.bots.spec import find_bot
from arena.endings import AFTER
from arena.errors import did_you_mean
from arena.paths import RESULTS
from arena.tournament.config import TournamentConfig
from arena.tournament.games import COLUMNS, GameId, GameResult, Pairing, Row, ScheduleProgress
from arena.tournament.store.columns import GameColumns, read_columns
from arena.tournament.store.sqlite import DATABASE, RUN, Connection, StoreError

SELECT_GAMES = f"SELECT {', '.join(COLUMNS)} FROM games"
_LARGEST_ID = 1 << 62


@dataclass(frozen=True)
class BotEntry:
    """A bot of a run: name in the tables, text that loads it, hash of its source, parameters."""

    name: str
    spec: str
    source: str
    params: dict[str, Any] = field(default_factory=dict)


class WorkSession(NamedTuple):
    """One stretch of work on a run: seconds since 1970, games stored in it, remarks (workers, executor)."""

    started: float
    ended: float
    games: int
    info: dict[str, Any]


def is_own_file(path: Path) -> bool:
    """Return whether a file belongs to the user of this process. Where files have no owner, all do."""
    return not hasattr(os, "getuid") or path.stat().st_uid == os.getuid()


class Reader:
    """A run's folder, open for reading. Use as a context manager, or call `close`."""

    def __init__(self, folder: Path | str) -> None:
        """StoreError if there is no run in the folder or its database cannot be read."""
        self.folder = Path(folder)
        if not (self.folder / DATABASE).is_file():
            raise StoreError(f"there is no run in {self.folder}: it holds no {DATABASE}")
        with RUN.guard(self.folder, "read"):
            self._db: Connection = RUN.open_reader(self.folder)
        self._columns: GameColumns | None = None
        self._pairings: dict[int, Pairing] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """Read one state of the database in several queries, also while a run goes on."""
        with RUN.guard(self.folder, "read"), self._db.snapshot():
            yield

    def _query(self, sql: str) -> list[Any]:
        with RUN.guard(self.folder, "read"):
            return self._db.execute(sql).fetchall()

    # ------------------------------------------------------------ the run

    def _table(self, key: str) -> dict[str, Any]:
        values = self._query(f"SELECT value FROM meta WHERE key = '{key}'")
        if not values:
            raise StoreError(f"the run in {self.folder} was never begun: its database holds no {key}")
        return self._parsed(values[0][0])

    def _parsed(self, text: str) -> dict[str, Any]:
        try:
            return dict(json.loads(text))
        except (ValueError, TypeError, RecursionError) as error:
            raise RUN.damaged(self.folder, "its settings cannot be read") from error

    def config(self) -> dict[str, Any]:
        """Return the settings that determine the results."""
        return self._table("config")

    def settings(self) -> dict[str, Any]:
        """Return all settings of the run, as given when it was begun."""
        return self._table("settings")

    def is_own(self) -> bool:
        """Return whether the run belongs to this user."""
        with RUN.guard(self.folder, "read"):
            return is_own_file(self.folder / DATABASE)

    def bots(self) -> list[BotEntry]:
        """Return the bots in seed order."""
        rows = self._query("SELECT name, spec, source, params FROM bots ORDER BY bot")
        if not all(isinstance(value, str) for row in rows for value in row):
            raise RUN.damaged(self.folder, "its bots cannot be read")
        return [BotEntry(name, spec, source, self._parsed(params)) for name, spec, source, params in rows]

    def pairings(self) -> dict[int, Pairing]:
        """Return the pairings that have games, by number."""
        names = dict(self._query("SELECT bot, name FROM bots"))
        rows = self._query("SELECT pairing, round, a, b FROM pairings")
        try:
            return {number: Pairing(number, round_, names[a], names[b]) for number, round_, a, b in rows}
        except KeyError:
            raise RUN.damaged(self.folder, "a pairing names a bot that does not exist") from None

    def sessions(self) -> list[WorkSession]:
        """Return the stretches of work, oldest first."""
        rows = self._query("SELECT started, ended, games, info FROM sessions ORDER BY session")
        return [WorkSession(started, ended, games, self._parsed(info)) for started, ended, games, info in rows]

    # ------------------------------------------------------------ single games

    def count(self, forfeited: bool = False) -> int:
        """Return the number of games stored, or of those that were forfeited."""
        where = "WHERE forfeit > 0" if forfeited else ""
        return int(self._query(f"SELECT count(*) FROM games {where}")[0][0])

    def last_deal(self) -> int:
        """Return the greatest deal of a stored game, -1 without games."""
        (key,) = self._query("SELECT max(id) FROM games")[0]
        return -1 if key is None else GameId.from_key(key).deal

    def rows(self, where: str = "", *args: object) -> Iterator[Row]:
        """Yield the stored rows in schedule order."""

        def selected() -> Iterator[Row]:
            yield from map(Row._make, self._db.execute(f"{SELECT_GAMES} {where} ORDER BY id", args))

        return RUN.in_batches(self.folder, selected())

    def results(self, where: str = "", *args: object) -> Iterator[GameResult]:
        """Yield the games in schedule order."""
        for row in self.rows(where, *args):
            yield self.readable(row)

    def result(self, identity: GameId) -> GameResult:
        """Return a game; StoreError if it does not exist."""
        if 0 <= identity.key < _LARGEST_ID:
            for game in self.results("WHERE id = ?", identity.key):
                return game
        low, high = self._query("SELECT min(id), max(id) FROM games")[0]
        there = "it holds no games yet"
        if low is not None:
            there = f"its games run from {GameId.from_key(low)} to {GameId.from_key(high)}"
        raise StoreError(f"there is no game {identity} in {self.folder}; {there}")

    def readable(self, row: Row) -> GameResult:
        """Return the readable form of a row. StoreError for one that this program cannot have written."""
        identity = GameId.from_key(row.id)
        if identity.pairing not in self._pairings:  # read once: there may be half a million of them
            self._pairings = self.pairings()
        try:
            if not isinstance(row.record, str):
                raise TypeError("a record is a text")
            pairing = self._pairings[identity.pairing]
            return GameResult.from_row(row, pairing.a, pairing.b, pairing.round)
        except (IndexError, KeyError, TypeError) as error:
            raise RUN.damaged(self.folder, f"game {identity} cannot be read") from error

    def faults(self) -> list[str]:
        """Return what is wrong with the database apart from the games themselves."""
        faults = RUN.faults(self._db, self.folder)
        if faults:
            return faults
        stored, sessions = self.count(), self.sessions()
        added = sum(session.games for session in sessions)
        if sessions and added != stored:
            return [f"{added:,} games were stored, but there are {stored:,}"]
        return []

    # ------------------------------------------------------------ all games

    def columns(self) -> GameColumns:
        """Return all games in schedule order with GAME_COLUMNS and CLOCK_COLUMNS; a Reader reads them once."""
        if self._columns is None:
            self._columns = self._read_columns()
        return self._columns

    def _read_columns(self, deal: int = 0) -> GameColumns:
        with self._snapshot():
            pairings, names = self.pairings(), [bot.name for bot in self.bots()]
            return read_columns(self._db, names, pairings, GameId(0, deal, 0).key)

    def progress(self) -> ScheduleProgress:
        """Return what is done, for `Schedule.tasks`."""
        return self.columns().progress()

    def pair_scores_from(self, deal: int) -> list[int]:
        """Return what bot `a` has of each pair in half points, 0..4, in a run with one pairing.

        The pairs are those on the deals from `deal` on, up to the first that is missing.
        """
        scores: list[int] = []
        deals, points = self._read_columns(deal).pairs()
        for number, score in zip(deals.tolist(), points.tolist()):
            if number != deal + len(scores):
                break
            scores.append(score)
        return scores

    def forfeit_reasons(self) -> list[ForfeitReason]:
        """Return why each bot forfeited games or failed after them (`AFTER`), the most frequent reason first."""
        reasons = Reasons()
        for game in self.results("WHERE forfeit_by > 0"):
            reasons.add_game(game)
        return reasons.lines()


_LONGEST = 200
MOST = 1000
"""Reasons of a bot and kind that are counted apart: some texts differ in every game."""


class ForfeitReason(NamedTuple):
    """Number of games that a bot forfeited in one way, their most frequent reason in a line, and its first game."""

    bot: str
    kind: str
    games: int
    reason: str
    game: GameId


class Reasons:
    """Counts the forfeits of games by bot, kind (`AFTER`: it failed in `end`) and reason."""

    def __init__(self) -> None:
        self._games: dict[tuple[str, str], int] = {}
        self._reasons: dict[tuple[str, str], dict[str, tuple[int, GameId]]] = {}  # games, the first of them

    def add(self, bot: str, kind: str, detail: str | None, game: GameId) -> None:
        """Count a game; `detail` is what its row says of it."""
        who, reason = (bot, kind), reason_line(detail)[:_LONGEST]
        self._games[who] = self._games.get(who, 0) + 1
        reasons = self._reasons.setdefault(who, {})
        if reason in reasons or len(reasons) < MOST:
            games, first = reasons.get(reason, (0, game))
            reasons[reason] = (games + 1, first)

    def add_game(self, game: GameResult) -> None:
        """Count a game if somebody forfeited it or failed after it."""
        if game.forfeit is not None and game.forfeit_by is not None:
            self.add(game.forfeit_by, game.forfeit, game.detail, game.id)
        for bot in game.failed_after:
            self.add(bot, AFTER, game.detail, game.id)

    def lines(self) -> list[ForfeitReason]:
        """A line for each bot and kind, the most frequent first."""
        lines = []
        for (bot, kind), games in self._games.items():
            reason, (_, first) = max(self._reasons[bot, kind].items(), key=lambda item: item[1][0])
            lines.append(ForfeitReason(bot, kind, games, reason, first))
        return sorted(lines, key=lambda line: (-line.games, line.bot, line.kind))


_FRAME = re.compile(r'\s+File "(.+?)", line (\d+)')


def reason_line(detail: str | None) -> str:
    """The line of a forfeit's detail that says what happened: the exception and its place, else the first line.

    Frames of a traceback are set in, and so are the last words of a process, which stand below the reason. The place
    is the last one in the file of the bot, which the traceback begins with.

    >>> reason_line('in act: Traceback (most recent call last):\\n  File "/a/bot.py", line 3, in act\\nKeyError: 1\\n')
    'KeyError: 1 (bot.py, line 3)'
    >>> reason_line("in act: it ended itself with exit code 3\\n  last words")
    'in act: it ended itself with exit code 3'
    """
    lines = [line for line in (detail or "").split("\n") if line.strip()]
    raised = [line for before, line in pairwise(lines) if before[0].isspace() and not line[0].isspace()]
    if raised:
        frames = [match.groups() for line in lines if (match := _FRAME.match(line))]
        own = [number for path, number in frames if path == frames[0][0]]
        return raised[-1].strip() + (f" ({Path(frames[0][0]).name}, line {own[-1]})" if own else "")
    if lines and lines[0].endswith("(most recent call last):"):  # a group of exceptions, in a frame of marks
        lines = [line.strip(" |+-") for line in reversed(lines) if line.strip(" |+-")]
    return lines[0].strip() if lines else ""


LATEST = "latest"
"""Names the run in results/ that was worked on last, wherever a run is asked for."""
COMPARISON = "comparison.json"
"""What the folder of a comparison holds beside a folder for each variant's run."""


class Found(NamedTuple):
    """A folder and the file that says what it is: DATABASE or COMPARISON."""

    kind: str
    folder: Path


def find_folder(text: str) -> Found:
    """A run or a comparison, by its path or by its name in results/, or `latest`. StoreError if there is none."""
    for folder in _places(text):
        if (folder / DATABASE).is_file():
            return Found(DATABASE, folder)
        if is_comparison(folder):
            return Found(COMPARISON, folder)
    return Found(DATABASE, run_folder(text))


def is_comparison(folder: Path) -> bool:
    """Return whether the folder holds a comparison."""
    return (folder / COMPARISON).is_file()


def inner_runs(folder: Path) -> list[Path]:
    """The folders of runs in a folder that is none itself, in alphabetical order."""
    if not folder.is_dir() or (folder / DATABASE).is_file():
        return []
    return sorted(path.parent for path in folder.glob(f"*/{DATABASE}"))


def is_begun(folder: Path) -> bool:
    """Is there a run with settings in the folder?"""
    if not (folder / DATABASE).is_file():
        return False
    with Reader(folder) as reader, contextlib.suppress(StoreError):
        return bool(reader.config())
    return False


def _places(text: str) -> Iterator[Path]:
    """The folders that a text may mean, the first that holds something is meant."""
    yield Path(text)
    yield RESULTS / text
    if Path(text).name in (DATABASE, COMPARISON):
        yield Path(text).parent
    if text == LATEST:
        found = latest()
        if found is None:
            raise StoreError(f"there is no run in {RESULTS}/ yet; name a folder, or play one: arena run quick")
        yield found.folder
    marked = [found for found in runs_in(RESULTS) if found.folder.name[:-_MARK] == f"{text}-"]
    if marked:  # `mybot-random` for the last of mybot-random-x7ab and others
        yield max(marked, key=last_worked_on).folder


def runs_in(root: Path) -> list[Found]:
    """The runs and comparisons in a folder, by their names."""
    return sorted(Found(kind, path.parent) for kind in (DATABASE, COMPARISON) for path in root.glob(f"*/{kind}"))


def last_worked_on(stored: Found) -> float:
    """When a game was last stored in a run or a comparison, or it was begun; seconds since 1970."""
    folders = inner_runs(stored.folder) if stored.kind == COMPARISON else [stored.folder]
    return max(map(_last_session, folders), default=_changed(stored.folder))


def _last_session(folder: Path) -> float:
    with contextlib.suppress(StoreError), Reader(folder) as reader:
        sessions = reader.sessions()
        if sessions:
            return max(session.ended for session in sessions)
    return _changed(folder / DATABASE)


def _changed(path: Path) -> float:
    with contextlib.suppress(OSError):
        return path.stat().st_mtime
    return 0.0


def latest() -> Found | None:
    """The run or comparison in results/ that was worked on last; None without any."""
    return max(runs_in(RESULTS), key=last_worked_on, default=None)


def run_folder(text: str) -> Path:
    """The folder of an existing run, by its path, by its name in results/, or `latest`. StoreError if there is none."""
    for folder in _places(text):
        if (folder / DATABASE).is_file():
            return folder
    for folder in _places(text):
        if inner := inner_runs(folder):
            some = f"{', '.join(map(str, inner[:10]))}{', ...' * (len(inner) > 10)}"
            raise StoreError(f"{folder} holds several runs; name one of them: {some}")
    names = sorted(path.parent.name for path in RESULTS.glob(f"*/{DATABASE}"))
    near = did_you_mean(Path(text).name, names)
    if Path(text).name != text:
        raise StoreError(f"there is no run in {text}")
    known = f"; {RESULTS}/ has {', '.join(names[:10])}{', ...' if len(names) > 10 else ''}" if names else ""
    raise StoreError(f"no run named '{text}'{near} (looked in ./{text} and {RESULTS}/{text}{known})")


# ---------------------------------------------------------------- new runs

_MARK = 4  # letters and digits: few enough to be typed, and a million of them


def drawn_seed(isolated: bool = False) -> int:
    """A seed of at most eight digits; for isolated bots, one that cannot be found by trying."""
    return secrets.randbits(62) if isolated else secrets.randbelow(10**8)


def run_name(format_: str, bots: Sequence[str]) -> str:
    """A name for a run without a file: its first bots, and how it is played, unless each bot simply meets the others.

    >>> run_name("match", ["mybot", "greedy"]), run_name("swiss", ["mybot", "greedy", "odds", "net", "uct"])
    ('mybot-greedy', 'swiss-mybot-greedy-and-3-more')
    """
    start = [] if format_ in ("match", "round-robin") else [format_]
    shown = bots if len(bots) <= 3 else [*bots[:2], f"and-{len(bots) - 2}-more"]
    return re.sub(r"[^\w.]+", "-", "-".join([*start, *shown])).strip("-.")[:40] or format_


def folder_name(text: str) -> str:
    """The folder of a variant or a match.

    >>> folder_name("tactical:hand_size=6,scout_return=top"), folder_name("rules/mine.toml")
    ('tactical-hand_size=6-scout_return=top', 'rules-mine.toml')
    """
    return re.sub(r"[^\w.=+-]+", "-", text).strip("-.")


def marked_folder(name: str, settings: object, config: TournamentConfig) -> Path:
    """A folder in results/ with a mark that tells settings and sources of bots from others.

    So the same command with the same seed resumes its run, and another one never meets it.
    """
    sources = [find_bot(bot.spec, bot.params, bot.name).source_hash for bot in config.bots]
    text = json.dumps([settings, sources], sort_keys=True)
    mark = base64.b32encode(hashlib.sha256(text.encode()).digest())[:_MARK].decode().lower()
    return RESULTS / f"{name}-{mark}"


def with_folder(config: TournamentConfig, folder: Path | None, named: bool) -> tuple[TournamentConfig, Path]:
    """Where a run goes: a folder of the name of its file, else a marked one, for which the seed must be drawn."""
    if folder is not None:
        return config, folder
    if config.out is not None:
        return config, Path(config.out)
    if named:
        return config, RESULTS / config.name
    if config.seed is None:
        config = config.with_seed(drawn_seed(any(level != "none" for level in config.levels)))
    return config, marked_folder(config.name, config.canonical(), config)
