"""What commands read: a run, a comparison, a league or a file of records, by its path or its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from arena.results.reading.comparison import variant_folders
from arena.results.reading.game import ALL_GAMES, GameFilter, StoredGame, StoredGames, games_list, open_games, read_game
from arena.results.records import ReplayError, is_record
from arena.tournament.store.folders import COMPARISON, Found, find_folder
from arena.tournament.store.reader import Reader
from arena.tournament.store.schema import DATABASE, StoreError

if TYPE_CHECKING:
    from arena.results.reading.league_run import LeagueRecords
    from arena.results.reading.recorded_run import RecordsFile
    from arena.results.reading.run import RunData
    from arena.results.table import Report
    from arena.tournament.match.results import GameResult

LEAGUE = "league.sqlite"
LEAGUES = Path("leagues")
FILE = "file"

__all__ = [
    "COMPARISON",
    "DATABASE",
    "FILE",
    "LEAGUE",
    "find",
    "games_of",
    "list_games",
    "open_records",
    "read_one",
    "report_of",
    "run_data",
]


def find(text: str) -> Found:
    """What a text names; StoreError if there is nothing."""
    if Path(text).is_file():
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
    kind, place = find(text)
    if kind != COMPARISON:
        return make(run_data(kind, place))
    from arena.results.compare import by_variant
    from arena.results.reading.run import read_run

    return by_variant({rules: make(read_run(folder)) for rules, folder in variant_folders(place).items()})


def run_data(kind: str, place: Path) -> RunData:
    """A run, a league or a file of records."""
    from arena.results.reading.recorded_run import read_records  # pandas, which who looks at one game need not wait for
    from arena.results.reading.run import read_run

    if kind == FILE:
        return read_records(place)
    if kind != LEAGUE:
        return read_run(place)
    from arena.league.store import open_league
    from arena.results.reading.league_run import league_run

    with open_league(place, write=False) as league:
        return league_run(league)


@contextmanager
def games_of(text: str) -> Iterator[StoredGames]:
    """The games of what a text names."""
    kind, place = find(text)
    if kind == LEAGUE:
        from arena.league.store import open_league
        from arena.results.reading.league_run import LeagueGames

        with open_league(place, write=False) as league:
            yield LeagueGames(league)
    elif kind == COMPARISON:
        yield ComparisonGames(place)
    else:
        with open_games(str(place)) as games:
            yield games


@contextmanager
def open_records(kind: str, place: Path) -> Iterator[Reader | RecordsFile | LeagueRecords]:
    """What gives the records of a run, a league or a file one by one."""
    if kind == FILE:
        from arena.results.reading.recorded_run import RecordsFile

        yield RecordsFile(place)
    elif kind == LEAGUE:
        from arena.league.store import open_league
        from arena.results.reading.league_run import LeagueRecords

        with open_league(place, write=False) as league:
            yield LeagueRecords(league)
    else:
        with Reader(place) as reader:
            yield reader


def read_one(text: str, game: str | None, wanted: GameFilter) -> StoredGame:
    """A game out of what a text names, or the record that it is."""
    if is_record(text) or find(text).kind == FILE:
        return read_game(text, game, wanted)
    with games_of(text) as games:
        return StoredGame.of(games.one(game or "1", wanted))


def list_games(text: str, wanted: GameFilter, limit: int) -> Iterator[str]:
    """A line for each game that is meant; those of a comparison below the folder of their variant."""
    kind, place = find(text)
    folders = [str(one) for one in variant_folders(place).values()] if kind == COMPARISON else [str(place)]
    for folder in folders:
        with games_of(folder) as games:
            yield from games_list(games, wanted, limit)


class ComparisonGames(StoredGames):
    """The games of all variants, one variant after the other; one of them is such as base/0/12/1."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder), None)
        self._folders = list(variant_folders(folder).values())

    def __iter__(self) -> Iterator[GameResult]:
        return self.chosen()

    def chosen(self, wanted: GameFilter = ALL_GAMES) -> Iterator[GameResult]:
        for folder in self._folders:
            with open_games(str(folder)) as games:
                yield from games.chosen(wanted)

    def one(self, game: str, wanted: GameFilter = ALL_GAMES) -> GameResult:
        variant, _, rest = game.partition("/")
        for folder in self._folders:
            if folder.name == variant:
                with open_games(str(folder)) as games:
                    return games.one(rest or "1", wanted)
        names = ", ".join(folder.name for folder in self._folders)
        raise ReplayError(f"{game[:30]}: name the variant, too, such as {self._folders[0].name}/0/0/0 (there: {names})")
