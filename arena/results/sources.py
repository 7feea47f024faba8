"""Open runs, comparisons, leagues and files of records, each by its path or its name."""

from __future__ import annotations

import math
import shlex
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from arena.endings import ENDINGS, FORFEITS
from arena.errors import ArenaError, did_you_mean
from arena.league import versions
from arena.league.store import LEAGUE_DATABASE, LEAGUES, League, open_league
from arena.league.views import places, table_before
from arena.paths import STDIN, input_name
from arena.results.positions import result_values
from arena.results.records import ReplayError, game_of, is_record, read_games, record_lines
from arena.results.run_data import ALL_GAMES, GameFilter, RunData, known_bot, read_run
from arena.results.table import Column, Report, Table, TableRow, by_variant
from arena.stats.frames import Floats
from arena.text import first_line, one_line, quoted, utc_iso
from arena.tournament.config import config_file
from arena.tournament.folders import find_folder, variant_runs
from arena.tournament.forfeits import Reasons, reason_line
from arena.tournament.games import GameResult, game_name
from arena.tournament.luck import PARTS, JudgedLuck
from arena.tournament.store.columns import CLOCK_COLUMNS, GAME_COLUMNS, GameColumns
from arena.tournament.store.reader import Reader
from arena.tournament.store.sqlite import DATABASE, StoreError

_LONGEST_REASON = 60
_MOST_DIGITS = 18  # of the number of a game


@dataclass(frozen=True)
class Source(ABC):
    """Something that holds games. `path` is its folder or its file."""

    path: Path

    def parts(self) -> dict[str, Source]:
        """Return the runs of a comparison by rule set, in order; anything else is its own only part, named ""."""
        return {"": self}

    @abstractmethod
    def games(self, counting: bool = False) -> AbstractContextManager[StoredGames]:
        """Open the games; with `counting`, only the games of a league that count for its table."""

    @abstractmethod
    def data(self) -> RunData:
        """Read all games as one run. ReplayError if a line cannot be read, or for a comparison."""

    def game(self, text: str | None, wanted: GameFilter) -> GameResult:
        """Return a game by its name, such as ann/bob/12, or by its number among the games `wanted`; None: the first.

        Raises ReplayError and StoreError if it does not exist.
        """
        with self.games() as games:
            return games.game(text or "1", wanted)


@dataclass(frozen=True)
class StoredRun(Source):
    """The folder of a run."""

    @contextmanager
    def games(self, counting: bool = False) -> Iterator[StoredGames]:
        """Open the games in schedule order."""
        with Reader(self.path) as reader:
            bots = [bot.name for bot in reader.bots()]
            yield StoredGames(str(self.path), bots, reader.results, reader)

    def data(self) -> RunData:
        """Read the run."""
        return read_run(self.path)


@dataclass(frozen=True)
class StoredComparison(Source):
    """The folder of a comparison, with the folder of a run for each variant."""

    def parts(self) -> dict[str, Source]:
        """Return the runs by rule set, in order."""
        return {rules: StoredRun(folder) for rules, folder in variant_runs(self.path).items()}

    @contextmanager
    def games(self, counting: bool = False) -> Iterator[StoredGames]:
        """Open the games, one variant after the other."""
        with ExitStack() as stack:
            readers = [stack.enter_context(Reader(part.path)) for part in self.parts().values()]
            yield StoredGames(
                str(self.path),
                [bot.name for bot in readers[0].bots()],
                lambda: (game for reader in readers for game in reader.results()),
            )

    def data(self) -> RunData:
        """Raise ReplayError: a comparison is more than one run."""
        raise ReplayError(f"{self.path} is a comparison; name the folder of one of its runs")

    def game(self, text: str | None, wanted: GameFilter) -> GameResult:
        """Return a game of one variant, such as base/ann/bob/12."""
        parts = {part.path.name: part for part in self.parts().values()}
        first = next(iter(parts))
        variant, _, inner = (text or first).partition("/")
        if variant not in parts:
            raise ReplayError(
                f"{variant[:30]}: name the variant as well, such as {first}/1 (there: {', '.join(parts)})"
            )
        return parts[variant].game(inner, wanted)


@dataclass(frozen=True)
class StoredLeague(Source):
    """The folder of a league. Its players are versions, such as `greedy v2`."""

    @contextmanager
    def games(self, counting: bool = False) -> Iterator[StoredGames]:
        """Open all games in the order of their deals, or only those `counting` for the table."""
        with open_league(self.path, write=False) as league:
            reader = league.reader(hidden=not counting)
            bots = [bot.name for bot in (reader.bots() if counting else reader.entries().values())]
            yield StoredGames(str(self.path), bots, reader.results, reader)

    def data(self) -> RunData:
        """Read the games that count for the table as a run."""
        with open_league(self.path, write=False) as league:
            return league_run(league)


@dataclass(frozen=True)
class RecordFile(Source):
    """A file of records."""

    @contextmanager
    def games(self, counting: bool = False) -> Iterator[StoredGames]:
        """Open the games in the order of the lines."""
        yield StoredGames(str(self.path), None, lambda: read_games(self.path))

    def data(self) -> RunData:
        """Read the games as a run."""
        return run_of(read_games(self.path), self.path)

    def game(self, text: str | None, wanted: GameFilter) -> GameResult:
        """Return a game by its line, which may hold one that counts in no table, or as for other sources."""
        if not wanted.all or not (text or "1").isdecimal():
            return super().game(text, wanted)
        number = _number(text or "1")
        for _, record in islice(record_lines(self.path), max(number - 1, 0), max(number, 0)):
            return game_of(record, number)
        name, count = input_name(self.path), sum(1 for _ in record_lines(self.path))
        raise ReplayError(f"{name} has no line {(text or '1')[:30]}; it holds {count} records, numbered from 1")


def find_source(text: str) -> Source:
    """Find what `text` names: a path, a name in results/ or leagues/, `latest`, or `-`, a file on standard input.

    StoreError if there is nothing.
    """
    path = Path(text)
    if path == STDIN or (path.is_file() and path.name != DATABASE):
        return RecordFile(path)
    if (path / LEAGUE_DATABASE).is_file():
        return StoredLeague(path)
    try:
        folder = find_folder(text)
    except StoreError:
        if (LEAGUES / text / LEAGUE_DATABASE).is_file():
            return StoredLeague(LEAGUES / text)
        raise
    return StoredComparison(folder) if variant_runs(folder) else StoredRun(folder)


def run_to_play(text: str) -> StoredRun | None:
    """Find the run to bring up to date: a folder, or a name in results/ that no tournament has.

    None for the file or the name of a tournament. ReplayError for a comparison or a league, StoreError if there is
    nothing.
    """
    file, path = config_file(text), Path(text)
    is_stored = path.name == DATABASE
    is_stored |= any((path / name).is_file() for name in (DATABASE, LEAGUE_DATABASE))
    if file is not None and not file.is_dir() and not is_stored:
        return None
    try:
        found = find_source(text)
    except StoreError:
        if file is None:
            return None  # `named_config` lists the names of tournaments
        raise
    if isinstance(found, StoredLeague):
        raise ReplayError(
            f"{text} is a league, which never ends; to play more games: arena league work {shlex.quote(text)} --play"
        )
    if isinstance(found, StoredComparison):
        name, one = one_line(str(found.path)), next(iter(found.parts().values()))
        raise ReplayError(
            f"{name} is a comparison. To bring all its variants up to date, give its command again: arena compare BOT"
            f"... --variants R,R,... --out {shlex.quote(name)}. To play on one: arena run {shlex.quote(str(one.path))}"
        )
    assert isinstance(found, StoredRun), text
    return found


def report_of(source: Source, make: Callable[[RunData], Report]) -> Report:
    """Make a report of a source; for a comparison, one report of all its variants."""
    return by_variant({rules: make(part.data()) for rules, part in source.parts().items()})


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


def league_run(league: League) -> RunData:
    """Return the games that count for the table of a league as a run, whose bots are versions."""
    settings = league.settings
    with league.snapshot():
        reader = league.reader(hidden=False)
        forfeits, columns = tuple(reader.forfeit_reasons()), reader.columns()
        accepted = versions.in_state(league, versions.ACTIVE, versions.REPLACED)
        waiting = versions.in_state(league, versions.PENDING, versions.PLACING)
        before, since = table_before(league)
    table = [version for version in accepted if version.state == versions.ACTIVE]
    numbers = {*columns["first"].tolist(), *columns["second"].tolist()}
    played = [bot for number, bot in enumerate(columns.bots) if number in numbers]
    anchors = {version.label: settings.anchor_elo for version in table if version.name == settings.anchor}
    anchors = {bot: elo for bot, elo in anchors.items() if bot in played}
    remarks = []
    if settings.anchor is not None and not anchors:
        remarks.append(f"The anchor {settings.anchor} is not in the table or has no games, so the mean is 0.")
    if not table:
        remarks.append("No bot is in the table yet.")
    if len(table) == 1 and not len(columns):
        name = shlex.quote(str(league.folder))
        other = "greedy" if table[0].name == "random" else "random"
        remarks.append(f"A single bot has no rating. Submit another one, such as: arena submit {other} --league {name}")
    if waiting:
        remarks.append(f"Not in the table yet: {', '.join(f'{bot.label} ({bot.state})' for bot in waiting)}.")
    config: dict[str, Any] = {
        "format": "league",
        "bots": [{"name": bot} for bot in dict.fromkeys([*played, *(version.label for version in table)])],
        "rules": settings.rules,
        "seed": None,
        "settings": asdict(settings),
        "change_since_event": since,
        "waiting": [{"bot": bot.label, "state": bot.state, "submitted": utc_iso(bot.submitted)} for bot in waiting],
    }
    return RunData(
        league.name,
        config,
        columns,
        forfeits=forfeits,
        folder=str(league.folder),
        prior=settings.prior,
        anchors=anchors,
        centre=[version.label for version in table],
        labels={
            bot.label: {"name": bot.name, "version": bot.number, "author": bot.author or "", "hash": bot.hash}
            for bot in accepted
        },
        before=places(before),
        remarks=remarks,
    )


# ---------------------------------------------------------------- games


@dataclass(frozen=True)
class StoredGames:
    """The games of a run, a league, a comparison (one variant after the other) or a file, in order.

    name    path of what holds them, as the user named it
    bots    names of the players, None if they are not known before the games
    read    reads the games from the beginning
    reader  reader of a run, which counts the games and finds single ones without reading all of them
    """

    name: str
    bots: Sequence[str] | None
    read: Callable[[], Iterable[GameResult]]
    reader: Reader | None = None

    def __iter__(self) -> Iterator[GameResult]:
        return iter(self.read())

    def count(self) -> int:
        """Count the games."""
        return sum(1 for _ in self) if self.reader is None else self.reader.count()

    def chosen(self, wanted: GameFilter = ALL_GAMES) -> Iterator[GameResult]:
        """Yield the games that are wanted. ReplayError for bots that did not play."""
        bots = self.bots or ()
        wanted = replace(
            wanted,
            bot=wanted.bot and known_bot(wanted.bot, bots),
            against=wanted.against and known_bot(wanted.against, bots),
        )
        for bot in (wanted.bot, wanted.against):
            if bot is not None and self.bots is not None and bot not in self.bots:
                known = f" (bots: {', '.join(map(one_line, self.bots[:10]))}{', ...' * (len(self.bots) > 10)})"
                raise ReplayError(f"{self.name} has no bot {quoted(bot)}{did_you_mean(bot, self.bots)}{known}")
        return iter(self) if wanted.all else (game for game in self if game in wanted)

    def game(self, text: str, wanted: GameFilter = ALL_GAMES) -> GameResult:
        """Return a game by its name, such as ann/bob/12, or by its number among the games `wanted`, from 1.

        Raises ReplayError and StoreError if it does not exist.
        """
        if not (text.isascii() and text.isdecimal()):
            if self.reader is not None:
                return self.reader.result(*self._names_in(text))
            for game in self:
                if game.name == text:
                    return game
            raise ReplayError(self._no_game(text))
        number = _number(text)
        for game in islice(self.chosen(wanted), max(number - 1, 0), number):
            return game
        there = self.count() if wanted.all else sum(1 for _ in self.chosen(wanted))
        named = "" if wanted.all else " such"
        raise ReplayError(f"{self.name} has no{named} game {text[:30]}; it holds {there}{named}, numbered from 1")

    def _names_in(self, text: str) -> tuple[str, str, int]:
        """Return the bots and the deal in the name of a game; names of bots may hold slashes."""
        names, _, deal = text.rpartition("/")
        for first in self.bots or ():
            second = names.removeprefix(f"{first}/")
            is_number = deal.isascii() and deal.isdecimal() and len(deal) <= _MOST_DIGITS
            if is_number and second in (self.bots or ()) and names == f"{first}/{second}":
                return first, second, int(deal)
        raise ReplayError(self._no_game(text))

    def _no_game(self, text: str) -> str:
        bots = self.bots or ("ann", "bob")
        return (
            f"there is no game {quoted(text)} in {self.name}; a game is named FIRST/SECOND/DEAL, such as"
            f" {game_name(bots[0], bots[1], 0)}, in which {bots[0]} begins; or its number, 1 to {self.count()}"
        )

    def at(self, numbers: Sequence[int], columns: GameColumns | None = None) -> Iterator[GameResult]:
        """Yield the games of these numbers, from 0 and ascending; `columns` are all games, if they have been read."""
        if self.reader is None:
            wanted = set(numbers)
            yield from (game for number, game in enumerate(self) if number in wanted)
            return
        columns = columns or self.reader.columns()
        for number in numbers:
            first, second = (columns.bots[int(columns[seat][number])] for seat in ("first", "second"))
            yield self.reader.result(first, second, int(columns["deal"][number]))

    def spaced(self, most: int) -> tuple[Iterator[GameResult], str]:
        """Return at most `most` games, evenly spaced, and a note about the games left out, "" if none."""
        total = self.count()
        numbers = range(0, total, math.ceil(total / most) or 1) if most else range(0)
        note = "" if len(numbers) == total else f"From {len(numbers)} of {total} games, evenly spaced."
        return self.at(numbers), note


def read_game(text: str, game: str | None, wanted: GameFilter = ALL_GAMES) -> GameResult:
    """Return a game of what `text` names (see `Source.game`), or the game of the record that `text` is."""
    return game_of(text) if is_record(text) else find_source(text).game(game, wanted)


def holds_one_game(source: str) -> bool:
    """Return whether this is a record, or names a file that holds one, such as a game of `arena play`."""
    if is_record(source):
        return True
    found = find_source(source)
    return isinstance(found, RecordFile) and len([*islice(record_lines(found.path), 2)]) == 1


def named_game(source: str, game: str | None) -> GameResult:
    """Return a game by its name or number; without one, the only game that there is."""
    if game is None and not holds_one_game(source):
        raise ArenaError(f"name a game, such as 1 ('arena replay {one_line(source)}' lists them)")
    return read_game(source, game)


def _number(text: str) -> int:
    """Return a number of decimal digits; 0, which no game has, if it is too large for any game."""
    return int(text) if len(text) <= _MOST_DIGITS else 0


def run_luck(source: str | Path, on_progress: Callable[[], object] = lambda: None) -> Floats:
    """Return the first player's luck in all games of a run or a file of records, in their order: (games, parts).

    Call `on_progress` for each game. A stored run keeps the results, also those of a call that is interrupted.
    """
    found = find_source(str(source))
    luck = JudgedLuck(found.path if isinstance(found, StoredRun) else None)
    rows = []
    with found.games(counting=True) as games:
        for game in games:
            rows.append(luck.of(game))
            luck.save(often=True)
            on_progress()
    luck.save()
    return np.array(rows, dtype=np.float64).reshape(-1, PARTS)


# ---------------------------------------------------------------- lists of games


def listed_report(source: Source, wanted: GameFilter, limit: int) -> Report:
    """Return the games that are wanted, at most `limit` of each part of the source (0: all)."""
    return by_variant({rules: _listed_part(part, wanted, limit) for rules, part in source.parts().items()})


def _listed_part(part: Source, wanted: GameFilter, limit: int) -> Report:
    with part.games() as games:
        total, chosen = games.count(), games.chosen(wanted)
        rows = [result_values(game) for game in islice(chosen, limit or None)]
        found = total if wanted.all else len(rows) + sum(1 for _ in chosen)
        name = one_line(input_name(games.name))
        heading = f"{name} holds {total:,} games." if wanted.all else f"{found:,} of {total:,} games in {name}."
        if rows:
            heading += f" See one with: arena replay {shlex.quote(one_line(games.name))} GAME"
        left = [f"{found - len(rows):,} more (--limit 0 lists all)."] if found > len(rows) else []
        table = Table("games", "", rows, _COLUMNS if rows else (), files=(*rows[0],) if rows else ("name",))
        return Report(heading, [table], left, {"name": games.name, "chosen": found, "total": total})


def _ending(row: TableRow) -> str:
    if row["forfeit"] is None:
        return str(row["ending"])
    reason = first_line(reason_line(row["detail"]), _LONGEST_REASON)
    return f"{row['forfeit_by']} forfeits: {row['forfeit']}" + (f" ({reason})" if reason else "")


_COLUMNS = (
    Column("game", "name", "name"),
    Column("result", cell=lambda row: {1.0: "1-0", 0.0: "0-1"}.get(row["score"], "½-½")),
    Column("stones", cell=lambda row: f"{row['stones_first']}-{row['stones_second']}"),
    Column("ending", "text", cell=_ending),
)
