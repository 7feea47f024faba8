"""`arena runs` and `arena verify`: list runs, delete what is of no use, and check that their games replay."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path

import click

from arena.bots.bundle import BUNDLES, remove_bundles
from arena.cli.printing import counting, print_report, refuse_options
from arena.errors import ArenaError
from arena.league.league_settings import LeagueError
from arena.league.store import open_league
from arena.league.verification import league_faults, verified_games
from arena.paths import RESULTS
from arena.results.records import verify_file
from arena.results.run_list import RUNNING, run_rows, runs_report
from arena.results.sources import RecordFile, Source, StoredComparison, StoredLeague, StoredRun, find_source
from arena.results.standings_report import CROSSTABLE, STANDINGS, SUMMARY, TIMING
from arena.results.table import Report, Table, by_variant
from arena.text import counted, one_line, printable
from arena.tournament.folders import inner_runs
from arena.tournament.games import GameResult
from arena.tournament.luck import LUCK
from arena.tournament.rows import game_faults
from arena.tournament.runner.logs import LOG
from arena.tournament.store.folder_lock import is_in_use
from arena.tournament.store.reader import Reader
from arena.tournament.store.sqlite import DATABASE
from arena.tournament.store.writer import open_store


def runs_command(folder: Path | None, limit: int, prune: bool, source: str | None, yes: bool, form: str) -> None:
    """Run `arena runs`."""
    if yes and not prune and source is None:
        raise click.UsageError("--yes belongs to --prune or --trim; add one")
    if prune or source is not None:
        refuse_options("is for the list; nothing is listed here", "form")
    if source is not None:
        refuse_options("does not go with --trim, which names the one RUN it is about", "prune", "limit")
        if folder is not None:
            raise click.UsageError("--trim names the one RUN it is about; leave out FOLDER")
        _trim(source, yes)
        return
    root = RESULTS if folder is None else folder
    if folder is not None and not folder.is_dir():
        raise ArenaError(f"there is no folder {folder}")
    lines = run_rows(root)
    if prune:
        _prune(root, [line["name"] for line in lines[limit:] if limit and line["state"] != RUNNING], yes)
        return
    shown = lines[:limit] if limit else lines
    if not lines and form == "table":
        click.echo(f"No runs in {root} yet. Play one: arena run quick")
        return
    print_report(runs_report(root, shown, len(lines)), form)


def _prune(root: Path, names: Sequence[str], yes: bool) -> None:
    """Delete runs, after asking."""
    folders = [root / name for name in names if not (root / name).is_symlink()]
    if not folders:
        click.echo(f"Nothing to delete in {root}.")
        return
    size = sum(path.lstat().st_size for folder in folders for path in _own_files(folder))
    shown = [one_line(folder.name, 60) for folder in folders[:SHOWN]]
    click.echo("\n".join(shown + [f"... and {len(folders) - SHOWN} more"] * (len(folders) > SHOWN)))
    question = f"Delete {counted(len(folders), 'run')} with all games, which frees {size / 1e6:,.1f} MB?"
    if not yes and not click.confirm(question, default=False):
        raise ArenaError("nothing was deleted")
    running = {line["name"] for line in run_rows(root) if line["state"] == RUNNING}  # some may have begun meanwhile
    gone = [folder for folder in folders if folder.name not in running]
    for folder in gone:
        places = [*inner_runs(folder), folder]
        for path in _own_files(folder):
            path.unlink()
        for place in places:
            remove_bundles(place / BUNDLES)  # of a run that was killed
            with suppress(OSError):  # it holds other files
                place.rmdir()
        if folder.exists():
            click.echo(f"Kept the other files in {one_line(str(folder))}.")
    click.echo(f"Deleted {counted(len(gone), 'run')}.")


_OWN = (
    *(STANDINGS, CROSSTABLE, TIMING, SUMMARY, "games.csv", "report.html", LUCK),
    *(LOG, f"{LOG}.1", ".lock", ".lock-journal", f"{DATABASE}-wal", f"{DATABASE}-shm", DATABASE),
)
"""What this program writes into the folder of a run or a comparison, the database last: with it goes the run."""


def _own_files(folder: Path) -> list[Path]:
    """Return the files of a run, or of a comparison and its runs, without those of users."""
    places = [*inner_runs(folder), folder]
    return [path for name in _OWN for place in places if (path := place / name).is_file() or path.is_symlink()]


def _trim(source: str, yes: bool) -> None:
    """Delete the games of a run that no table shows, after asking."""
    found = find_source(source)
    if not isinstance(found, StoredRun | StoredComparison):
        what = "a league, which shows" if isinstance(found, StoredLeague) else "a file of records, which holds"
        raise ArenaError(f"{one_line(str(found.path))} is {what} all its games; --trim takes a run")
    hidden: dict[Path, int] = {}
    for part in found.parts().values():
        if is_in_use(part.path):
            raise ArenaError(f"{one_line(str(part.path))} is being played; wait for it, or stop it")
        with Reader(part.path) as reader:
            if games := reader.count_hidden():
                hidden[part.path] = games
    if not hidden:
        click.echo(f"Nothing to delete: the tables of {one_line(str(found.path))} show all its games.")
        return
    lines = [
        f"{one_line(str(folder))} holds {counted(games, 'game')} that no table shows"
        for folder, games in hidden.items()
    ]
    if len(lines) > 1:
        click.echo("\n".join(lines))
        lines = [f"All {counted(sum(hidden.values()), 'game')}"]
    if not yes:
        if not sys.stdin.isatty():
            raise ArenaError(f"{lines[0]}. Nothing was deleted; to delete them without a question, add --yes")
        if not click.confirm(f"{lines[0]}: delete them?", default=False):
            raise ArenaError("nothing was deleted")
    _delete(hidden)


def _delete(hidden: Mapping[Path, int]) -> None:
    """Delete games that no table shows; of several runs none, if one of them is being played."""
    before = _bytes_of(hidden)
    with ExitStack() as opened:
        stores = {folder: opened.enter_context(closing(open_store(folder))) for folder in hidden}
        for folder, store in stores.items():
            store.prune(hidden[folder])
        click.echo(f"Deleted {counted(sum(hidden.values()), 'game')}.")
        for store in stores.values():
            store.compact()
    click.echo(f"{DATABASE}: {before / 1e6:,.1f} MB before, {_bytes_of(hidden) / 1e6:,.1f} MB now.")


def _bytes_of(folders: Iterable[Path]) -> int:
    """Return the size of the databases of runs, with their logs."""
    return sum(path.stat().st_size for folder in folders for path in folder.glob(f"{DATABASE}*"))


SHOWN, SHOWN_FAULTS = 20, 20


def verify_command(source: str, as_json: bool) -> int:
    """Run `arena verify`."""
    parts: dict[str, Replayed] = {}
    for rules, part in find_source(source).parts().items():
        parts[rules] = _replay_all(part)
        if not as_json:
            click.echo(f"{rules}: " if rules else "", nl=False)
            parts[rules].show("file" if isinstance(part, RecordFile) else "database")
    if as_json:
        print_report(by_variant({rules: one.report for rules, one in parts.items()}), "json")
    return 0 if all(one.sound for one in parts.values()) else 1


@dataclass(frozen=True)
class Replayed:
    """The games of a run or file that were replayed, the number of `bad` ones, and all `faults` in sentences."""

    name: str
    games: int
    bad: int
    faults: Sequence[str]

    @property
    def sound(self) -> bool:
        """Whether no fault was found."""
        return not self.faults

    @property
    def report(self) -> Report:
        """What JSON has about them."""
        about = {"name": self.name, "sound": self.sound, "games": self.games, "bad": self.bad}
        faults = Table("faults", "", [{"fault": fault} for fault in self.faults], files=("fault",))
        return Report("", [faults], about=about)

    def show(self, what: str) -> None:
        """Print the faults and a verdict about `what` holds the games."""
        for line in self.faults[:SHOWN_FAULTS]:
            click.echo(printable(line))
        if len(self.faults) > SHOWN_FAULTS:
            click.echo(f"... and {len(self.faults) - SHOWN_FAULTS} more")
        if self.bad:
            click.echo(f"{self.bad:,} of {self.games:,} games do not replay to their stored results.", err=True)
        elif self.faults:
            click.echo(f"The {what} is damaged.", err=True)
        else:
            click.echo(f"{self.games:,} games replayed, all with their stored results.")


def _replay_all(part: Source) -> Replayed:
    """Verify a run, a league or a file of records."""
    path = part.path
    if isinstance(part, RecordFile):
        return _replayed(path, [], verify_file(path), None)
    if isinstance(part, StoredLeague):
        try:
            with open_league(path, write=False) as league, league.snapshot():
                return _replayed(path, league_faults(league), _named(verified_games(league)), league.count_games())
        except LeagueError as error:  # too damaged to be opened
            return Replayed(str(path), 0, 0, [one_line(str(error))])
    with Reader(path) as reader:
        faults = reader.faults()
        if not faults and not reader.is_begun:
            raise ArenaError(f"there is no run in {one_line(str(path))} yet: it was never begun")
        return _replayed(path, faults, _named(_checked(reader)), reader.count())


def _checked(reader: Reader) -> Iterator[tuple[GameResult, str | None]]:
    """Yield each game of a run with what is wrong with it, or None; damaged settings raise with the first."""
    yield from game_faults(reader.results(), reader.config())


def _named(games: Iterable[tuple[GameResult, str | None]]) -> Iterator[str | None]:
    """Yield for each game what is wrong with it, after its name, or None."""
    for game, fault in games:
        yield fault and one_line(f"game {game.name}: {fault}")


def _replayed(path: Path, damage: Iterable[str], games: Iterator[str | None], total: int | None) -> Replayed:
    """Collect the faults of a database and of its games, None for a sound game."""
    faults = list(damage)
    count = bad = 0
    with counting(total, "Replaying") as tick:
        try:
            for fault in games:
                count += 1
                tick()
                if fault is not None:
                    bad += 1
                    faults.append(fault)
        except ArenaError as error:
            faults.append(str(error))
    return Replayed(str(path), count, bad, faults)
