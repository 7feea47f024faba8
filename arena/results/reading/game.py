"""Stored games, one by one: which there are, what `arena replay` shows, whether they replay to their stored results."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from arena.errors import ArenaError, did_you_mean
from arena.game.record import parse_record, verify
from arena.results.records import (
    RecordLine,
    ReplayError,
    deal_number,
    game_of,
    is_record,
    read_games,
    record_lines,
)
from arena.text import first_line, one_line, quoted
from arena.tournament.match.results import GameResult
from arena.tournament.match.tasks import GameId
from arena.tournament.match.verify import game_fault
from arena.tournament.store.folders import run_folder
from arena.tournament.store.reader import Reader
from arena.tournament.store.reasons import reason_line
from arena.tournament.store.schema import DATABASE

LISTED = 20
_LONGEST_REASON = 60
_MOST_DIGITS = 18


@dataclass(frozen=True)
class StoredGame:
    """A game to show.

    record   its text (arena.game.record)
    names    the bots of seat 0 and seat 1, "" where they are not known
    reason   why it was forfeited, as the failing bot told it, or ""
    result   the game as it was stored; None for a bare record
    """

    record: str
    names: tuple[str, str] = ("", "")
    reason: str = ""
    result: GameResult | None = None

    @classmethod
    def of(cls, game: GameResult) -> StoredGame:
        """A game of a run."""
        names = (game.first, game.second)
        if parse_record(game.record).deal.starter:
            names = names[::-1]
        zero, one = ("" if name == sign else one_line(name) for name, sign in zip(names, "ab"))  # not known: its seat
        return cls(game.record, (zero, one), game.detail or "", game)


@dataclass(frozen=True)
class GameFilter:
    """Which games are meant: those of `bot`, `against` another, with a `score` of the bot, decided by a forfeit, on a
    `deal`. Without `bot`, `against` and `score` mean nothing. None and False leave all games in.
    """

    bot: str | None = None
    against: str | None = None
    score: float | None = None
    forfeits: bool = False
    deal: int | None = None

    @property
    def all(self) -> bool:
        """Are all games meant?"""
        return self == GameFilter()

    def __contains__(self, game: GameResult) -> bool:
        if self.deal is not None and game.id.deal != self.deal:
            return False
        if self.forfeits and game.forfeit is None:
            return False
        if self.bot is None:
            return True
        if self.bot not in (game.first, game.second):
            return False
        other = game.second if self.bot == game.first else game.first
        score = game.score if self.bot == game.first else 1 - game.score
        return self.against in (None, other) and self.score in (None, score)


ALL_GAMES = GameFilter()


class StoredGames:
    """The games of a run or of a file of records, in order. See `open_games`.

    `where` is how the user named them, `bots` the names of the players, None if they are not known before the games.
    """

    def __init__(self, where: str, bots: list[str] | None) -> None:
        self.where = where
        self.bots = bots

    def __iter__(self) -> Iterator[GameResult]:
        raise NotImplementedError

    def count(self) -> int:
        """How many games there are."""
        return sum(1 for _ in self)

    def chosen(self, wanted: GameFilter = ALL_GAMES) -> Iterator[GameResult]:
        """The games that are meant. ReplayError for bots that did not play."""
        for bot in (wanted.bot, wanted.against):
            if bot is not None and self.bots is not None and bot not in self.bots:
                known = f" (bots: {', '.join(map(one_line, self.bots[:10]))}{', ...' * (len(self.bots) > 10)})"
                raise ReplayError(f"{self.where} has no bot {quoted(bot)}{did_you_mean(bot, self.bots)}{known}")
        return iter(self) if wanted.all else (game for game in self if game in wanted)

    def one(self, game: str, wanted: GameFilter = ALL_GAMES) -> GameResult:
        """A game by its identity such as 0/12/1, or by its number among those that are meant, from 1."""
        if not (game.isascii() and game.isdecimal()):
            try:
                return self.identified(GameId.parse(game))
            except ValueError as error:
                raise ReplayError(f"{error}; or give its number, from 1 to {self.count()}") from error
        number = _number(game)
        for found in islice(self.chosen(wanted), max(number - 1, 0), number):
            return found
        there = self.count() if wanted.all else sum(1 for _ in self.chosen(wanted))
        such = "" if wanted.all else " such"
        raise ReplayError(f"{self.where} has no{such} game {game[:30]}; it holds {there}{such}, numbered from 1")

    def identified(self, identity: GameId) -> GameResult:
        """The game with an identity. ReplayError or StoreError if it is not there."""
        for game in self:
            if game.id == identity:
                return game
        raise ReplayError(f"there is no game {identity} in {self.where}")


class RunGames(StoredGames):
    """Those of a run."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(str(reader.folder), [bot.name for bot in reader.bots()])
        self._reader = reader

    def __iter__(self) -> Iterator[GameResult]:
        return self._reader.results()

    def count(self) -> int:
        return self._reader.count()

    def identified(self, identity: GameId) -> GameResult:
        return self._reader.result(identity)


class FileGames(StoredGames):
    """Those of a file of records."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path), None)
        self._path = path

    def __iter__(self) -> Iterator[GameResult]:
        return read_games(self._path)


def is_file(source: str) -> bool:
    """Whether `source` is a file of records and no run."""
    return Path(source).is_file() and Path(source).name != DATABASE


@contextmanager
def open_games(source: str) -> Iterator[StoredGames]:
    """The games of a run, by its folder or its name in results/, or of a file of records."""
    if is_file(source):
        yield FileGames(Path(source))
        return
    with Reader(run_folder(source)) as reader:
        yield RunGames(reader)


def read_game(source: str, game: str | None, wanted: GameFilter = ALL_GAMES) -> StoredGame:
    """A game out of `source`: a record, a file of records, or the folder (or name) of a run.

    `game` is such as 0/12/1 (pairing/deal/game), or its number from 1 in the file or the schedule, among the games that
    are `wanted`. None: the first. Raises ReplayError and StoreError.
    """
    if is_record(source):
        return StoredGame(source.strip())
    if is_file(source) and wanted.all and (game is None or game.isdecimal()):
        return _line(Path(source), game or "1")
    with open_games(source) as games:
        return StoredGame.of(games.one(game or "1", wanted))


def _line(path: Path, game: str) -> StoredGame:
    """A record out of a file, which may also be one of a game that was broken off."""
    number = _number(game)
    for line in islice(record_lines(path), max(number - 1, 0), max(number, 0)):
        return game_of_line(line, number)
    count = sum(1 for _ in record_lines(path))
    raise ReplayError(f"{path} has no line {game[:30]}; it holds {count} records, numbered from 1")


def game_of_line(line: RecordLine, number: int = 1) -> StoredGame:
    """The game of a line, which may also be one that was broken off."""
    try:
        found = game_of(line, number, {})
    except ArenaError:
        return _broken_off(line)
    return StoredGame.of(found)


def _broken_off(line: RecordLine) -> StoredGame:
    """A game without a result that counts, with the names that its line tells."""
    record = "; ".join(line.record.split("; ", 3)[:3])
    try:
        parsed = parse_record(line.record)
        about = {**line.about, **parsed.about}
    except ArenaError:  # whoever shows it says what is wrong
        return StoredGame(line.record)
    names = [one_line(str(about.get(name, "")), 1000) for name in ("first", "second")]
    if parsed.deal.starter:
        names.reverse()
    return StoredGame(record, (names[0], names[1]))


def _number(text: str) -> int:
    """A number of decimal digits; 0, which no game has, for one that is too large for any."""
    digits = text.lstrip("0")
    return int(digits) if 0 < len(digits) <= _MOST_DIGITS else 0


def games_list(games: StoredGames, wanted: GameFilter = ALL_GAMES, limit: int = LISTED) -> Iterator[str]:
    """The games that are meant, a line each, the first `limit` of them (0: all)."""
    total = games.count()
    see = f"See one with: arena replay {shlex.quote(one_line(games.where))} GAME"
    if wanted.all:
        yield f"{one_line(games.where)} holds {total:,} games. {see}\n"
    number = 0
    for number, game in enumerate(games.chosen(wanted), start=1):
        if not limit or number <= limit:
            yield game_line(game)
        elif wanted.all:
            number = total
            break
    if limit and number > limit:
        yield f"       ...  and {number - limit} more (--limit 0 lists all)"
    if not wanted.all:
        yield f"\n{number:,} of {total:,} games in {one_line(games.where)}. {see}"


def game_line(game: GameResult) -> str:
    """A game in one line.

    Names and reasons are texts of strangers, and are cleaned.
    """
    score = {1.0: "1-0", 0.0: "0-1"}.get(game.score, "½-½")
    ending = game.ending
    if game.forfeit is not None:
        reason = first_line(reason_line(game.detail), _LONGEST_REASON)
        ending = f"{game.forfeit_by} forfeits: {game.forfeit}" + (f" ({reason})" if reason else "")
    return one_line(
        f"{game.id!s:>10}  {game.first} - {game.second}  {score}  stones {game.stones[0]}-{game.stones[1]}, {ending}"
    )


# ---------------------------------------------------------------- verifying


def verify_file(path: Path) -> Iterator[str | None]:
    """For each record of a file what is wrong with it, or None."""
    for at, line in enumerate(record_lines(path)):
        try:
            state = verify(line.record)
            game = game_of(line, at, {})
        except ArenaError as error:
            yield one_line(f"{line.place}: {error}")
            continue
        deal = deal_number(parse_record(line.record), game.id.deal)
        told = {"turns": (state.turns, game.turns), "deal": (deal, game.id.deal)}
        faults = [
            f"{name}: {two} is written, the record gives {one}" for name, (one, two) in told.items() if one != two
        ]
        yield f"{line.place}: {faults[0]}" if faults else None


def game_faults(reader: Reader) -> Iterator[str | None]:
    """For each game of a run in schedule order what is wrong with it, or None."""
    config = reader.config()
    for result in reader.results():
        fault = game_fault(result, config["rules"], config["seed"])
        yield fault and one_line(f"game {result.id} ({result.first} - {result.second}): {fault}")
