"""What commands read: a run, a comparison, a league or a file of records, by its path or its name; and their games."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from arena.errors import did_you_mean
from arena.results.comparison import variant_folders
from arena.results.records import ReplayError, StoredGame, is_record, read_games, record_lines
from arena.text import first_line, one_line, quoted
from arena.tournament.folders import COMPARISON, Found, find_folder
from arena.tournament.forfeits import reason_line
from arena.tournament.games import GameId, GameResult
from arena.tournament.rows import game_fault
from arena.tournament.store.reader import Reader
from arena.tournament.store.sqlite import DATABASE, StoreError

if TYPE_CHECKING:
    from arena.league.store import League
    from arena.results.run import RunData
    from arena.results.table import Report

LEAGUE = "league.sqlite"
LEAGUES = Path("leagues")
FILE = "file"
_LONGEST_REASON = 60
_MOST_DIGITS = 18  # of the number of a game


def find(text: str) -> Found:
    """What a text names; StoreError if there is nothing."""
    if Path(text).is_file() and Path(text).name not in (DATABASE, COMPARISON):
        return Found(FILE, Path(text))
    if (Path(text) / LEAGUE).is_file():
        return Found(LEAGUE, Path(text))
    try:
        return find_folder(text)
    except StoreError:
        if (LEAGUES / text / LEAGUE).is_file():
            return Found(LEAGUE, LEAGUES / text)
        raise


def report_of(text: str, make: Callable[[RunData], Report]) -> Report:
    """A report on what a text names; on each variant if that is a comparison."""
    kind, folder = find(text)
    if kind != COMPARISON:
        return make(run_data(kind, folder))
    from arena.results.compare import by_variant

    return by_variant({rules: make(run_data(DATABASE, path)) for rules, path in variant_folders(folder).items()})


def run_data(kind: str, folder: Path) -> RunData:
    """A run, the games of a league that count for its table, or a file of records. ReplayError for a line at fault."""
    from arena.results.run import read_run, run_of  # numpy, which who looks at one game need not wait for

    if kind == FILE:
        return run_of(read_games(folder), folder, "records")
    if kind != LEAGUE:
        return read_run(folder)
    from arena.league.store import open_league

    with open_league(folder, write=False) as league:
        return run_of(_league_results(league, counting=True), league.folder, "league")


def _league_results(league: League, counting: bool) -> Iterator[GameResult]:
    """All games in the order of their deals, or only those that are `counting` for the table.

    Players are versions, such as `greedy v2`.
    """
    from arena.league import versions

    sides = {pairing: (a, b) for pairing, a, b in league.query("SELECT pairing, a, b FROM pairings")}
    states = (versions.ACTIVE, versions.REPLACED) if counting else ()
    labels = {version.id: version.label for version in versions.in_state(league, *states, retired=not counting)}
    for row in league.games():
        pairing = GameId.from_key(row.id).pairing
        if pairing not in sides:  # stored since they were read
            return
        a, b = sides[pairing]
        if a in labels and b in labels:
            yield GameResult.from_row(row, labels[a], labels[b])


# ---------------------------------------------------------------- games


@dataclass(frozen=True)
class GameFilter:
    """Which games are meant: those of `bot`, `against` another, with a `score` of the bot, decided by a forfeit, on a
    `deal`. None and False leave all games in.
    """

    bot: str | None = None
    against: str | None = None
    score: float | None = None
    forfeits: bool = False
    deal: int | None = None

    def __post_init__(self) -> None:
        if self.bot is None and (self.score is not None or self.against is not None):
            raise ReplayError("--against, --won, --lost and --drawn are about one bot; name it with --bot")

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


@dataclass(frozen=True)
class StoredGames:
    """The games of a run, a league, a comparison (one variant after the other) or a file, in order. See `games_of`.

    name    what holds them, as the user named it
    bots    names of the players, None if they are not known before the games
    read    reads the games from the beginning
    number  counts them, None: by reading them
    reader  of a run, which finds single games without reading all of them
    """

    name: str
    bots: Sequence[str] | None
    read: Callable[[], Iterable[GameResult]]
    number: Callable[[], int] | None = None
    reader: Reader | None = None

    def __iter__(self) -> Iterator[GameResult]:
        return iter(self.read())

    def count(self) -> int:
        """How many games there are."""
        return sum(1 for _ in self) if self.number is None else self.number()

    def chosen(self, wanted: GameFilter = ALL_GAMES) -> Iterator[GameResult]:
        """The games that are meant. ReplayError for bots that did not play."""
        for bot in (wanted.bot, wanted.against):
            if bot is not None and self.bots is not None and bot not in self.bots:
                known = f" (bots: {', '.join(map(one_line, self.bots[:10]))}{', ...' * (len(self.bots) > 10)})"
                raise ReplayError(f"{self.name} has no bot {quoted(bot)}{did_you_mean(bot, self.bots)}{known}")
        return iter(self) if wanted.all else (game for game in self if game in wanted)

    def game(self, text: str, wanted: GameFilter = ALL_GAMES) -> GameResult:
        """A game by its identity such as 0/12/1, or by its number among those that are meant, from 1.

        ReplayError or StoreError if it is not there.
        """
        if not (text.isascii() and text.isdecimal()):
            try:
                identity = GameId.parse(text)
            except ValueError as error:
                raise ReplayError(f"{error}; or give its number, from 1 to {self.count()}") from error
            if self.reader is not None:
                return self.reader.result(identity)
            for game in self:
                if game.id == identity:
                    return game
            raise ReplayError(f"there is no game {identity} in {self.name}")
        number = _number(text)
        for game in islice(self.chosen(wanted), max(number - 1, 0), number):
            return game
        there = self.count() if wanted.all else sum(1 for _ in self.chosen(wanted))
        named = "" if wanted.all else " such"
        raise ReplayError(f"{self.name} has no{named} game {text[:30]}; it holds {there}{named}, numbered from 1")

    def at(self, numbers: Sequence[int]) -> Iterator[GameResult]:
        """The games of these numbers, from 0 and ascending."""
        if self.reader is None:
            wanted = set(numbers)
            yield from (game for number, game in enumerate(self) if number in wanted)
            return
        columns = self.reader.columns()
        for number in numbers:
            key = (int(columns[name][number]) for name in GameId._fields)
            yield self.reader.result(GameId(*key))


@contextmanager
def games_of(text: str, counting: bool = False) -> Iterator[StoredGames]:
    """The games of what a text names; of a league with `counting` only those that count for its table."""
    kind, folder = find(text)
    if kind == LEAGUE:
        from arena.league import versions
        from arena.league.store import open_league

        with open_league(folder, write=False) as league:
            bots = [version.label for version in versions.in_state(league, retired=True)]
            count = None if counting else league.count_games
            yield StoredGames(str(folder), bots, lambda: _league_results(league, counting), count)
    elif kind == FILE:
        yield StoredGames(str(folder), None, lambda: read_games(folder))
    else:
        with ExitStack() as stack:
            folders = variant_folders(folder).values() if kind == COMPARISON else [folder]
            readers = [stack.enter_context(Reader(path)) for path in folders]
            yield StoredGames(
                str(folder),
                [bot.name for bot in readers[0].bots()],
                lambda: (game for reader in readers for game in reader.results()),
                lambda: sum(reader.count() for reader in readers),
                readers[0] if kind == DATABASE else None,
            )


def read_game(text: str, game: str | None, wanted: GameFilter = ALL_GAMES) -> StoredGame:
    """A game out of what a text names, or the record that it is.

    `game` is such as 0/12/1 (pairing/deal/game), of a comparison such as base/0/12/1, or its number from 1 in the file
    or the schedule, among the games that are `wanted`. None: the first. Raises ReplayError and StoreError.
    """
    if is_record(text):
        return StoredGame(text.strip())
    kind, folder = find(text)
    if kind == FILE and wanted.all and (game is None or game.isdecimal()):
        return _line(folder, game or "1")
    if kind == COMPARISON:
        folders = {path.name: path for path in variant_folders(folder).values()}
        variant, _, game = (game or next(iter(folders))).partition("/")
        if variant not in folders:
            example = f"{next(iter(folders))}/0/0/0 (there: {', '.join(folders)})"
            raise ReplayError(f"{variant[:30]}: name the variant, too, such as {example}")
        folder = folders[variant]
    with games_of(str(folder)) as games:
        return StoredGame.of(games.game(game or "1", wanted))


def _line(path: Path, game: str) -> StoredGame:
    """A record out of a file, which may also be one of a game that was broken off."""
    number = _number(game)
    for line in islice(record_lines(path), max(number - 1, 0), max(number, 0)):
        return StoredGame.of_record(line.record, number)
    count = sum(1 for _ in record_lines(path))
    raise ReplayError(f"{path} has no line {game[:30]}; it holds {count} records, numbered from 1")


def _number(text: str) -> int:
    """A number of decimal digits; 0, which no game has, for one that is too large for any."""
    return int(text) if len(text) <= _MOST_DIGITS else 0


# ---------------------------------------------------------------- lists of games


def list_games(text: str, wanted: GameFilter, limit: int) -> Iterator[str]:
    """A line for each game that is meant; those of a comparison below the folder of their variant."""
    kind, folder = find(text)
    for path in variant_folders(folder).values() if kind == COMPARISON else [folder]:
        with games_of(str(path)) as games:
            yield from _listed(games, wanted, limit)


def _listed(games: StoredGames, wanted: GameFilter, limit: int) -> Iterator[str]:
    """The games that are meant, a line each, the first `limit` of them (0: all)."""
    total = games.count()
    see = f"See one with: arena replay {shlex.quote(one_line(games.name))} GAME"
    if wanted.all:
        yield f"{one_line(games.name)} holds {total:,} games. {see}\n"
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
        yield f"\n{number:,} of {total:,} games in {one_line(games.name)}. {see}"


def game_line(game: GameResult) -> str:
    """A game in one line. Names and reasons are texts of strangers, and are cleaned."""
    score = {1.0: "1-0", 0.0: "0-1"}.get(game.score, "½-½")
    ending = game.ending
    if game.forfeit is not None:
        reason = first_line(reason_line(game.detail), _LONGEST_REASON)
        ending = f"{game.forfeit_by} forfeits: {game.forfeit}" + (f" ({reason})" if reason else "")
    return one_line(
        f"{game.id!s:>10}  {game.first} - {game.second}  {score}  stones {game.stones[0]}-{game.stones[1]}, {ending}"
    )


def game_faults(reader: Reader) -> Iterator[str | None]:
    """For each game of a run in schedule order what is wrong with it, or None."""
    config = reader.config()
    for result in reader.results():
        fault = game_fault(result, config["rules"], config["seed"])
        yield fault and one_line(f"game {result.id} ({result.first} - {result.second}): {fault}")
