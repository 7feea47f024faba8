"""`arena standings` and `arena export`: the tables of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import options
from arena.cli.options import chosen_games, complete_runs
from arena.cli.output import counting, output, print_report
from arena.cli.web.ask import show_standings_of

if TYPE_CHECKING:
    from arena.results.reading.game import GameFilter
    from arena.tournament.match.results import GameResult


@click.command()
@click.argument("folder", required=False)
@output
@click.option("--server", metavar="URL", help="The table of a league on the web, instead of FOLDER.")
@click.option("--prior", type=options.PRIOR, default=None, help="Virtual draws per bot in the rating (default: 2).")
@click.option("--all", "whole", is_flag=True, help="Show all lines of a field of more than 100 bots.")
def standings(folder: str | None, form: str, server: str | None, prior: float | None, whole: bool) -> None:
    """Show the standings of the run in FOLDER (a path, or a name in results/), even while it is running.

    Of a comparison those of each variant; of a league its table, as arena league standings does.
    """
    if (folder is None) == (server is None):
        raise click.UsageError("give either FOLDER or --server URL")
    if server is not None:
        show_standings_of(server, form)
        return
    assert folder is not None
    from arena.results.sources import LEAGUE, find, report_of
    from arena.results.standings import standings as compute
    from arena.results.standings_report import standings_report
    from arena.stats.ratings import DEFAULT_PRIOR

    kind, place = find(folder)
    if kind == LEAGUE:
        from arena.cli.league.shared import show_league

        show_league(place, form)
        return
    weight = DEFAULT_PRIOR if prior is None else prior
    print_report(report_of(folder, lambda run: standings_report(compute(run, weight), whole)), form)


@click.command()
@click.argument("source", metavar="FOLDER|FILE", shell_complete=complete_runs)
@click.option("--games", is_flag=True, help="Also write games.csv, one line per game.")
@click.option("--crosstable", is_flag=True, help="Also crosstable.csv of a field of more than 100 bots.")
@click.option("--to", type=click.Path(path_type=Path), metavar="DIR", help="Write to this folder instead of FOLDER.")
@click.option(
    "--records", metavar="F[.gz]", help="Write one record per line, for replay, verify and arena.load. -: stdout."
)
@click.option("--moves", metavar="F", help="Write one row per decision: .parquet, .csv or .csv.gz. -: CSV to stdout.")
@chosen_games
def export(
    source: str,
    games: bool,
    crosstable: bool,
    to: Path | None,
    records: str | None,
    moves: str | None,
    wanted: GameFilter,
) -> None:
    """Write standings.csv, crosstable.csv, summary.json and timing.csv of the run in FOLDER.

    With --records or --moves only those files are written, with all games or those that --bot and the other options
    choose; FILE, a file of records, has no tables. A file is written whole or not at all.
    """
    if records is None and moves is None:
        if not wanted.all:
            raise click.UsageError("--bot and the options like it choose games for --records and --moves")
        _export_tables(source, games, crosstable, to)
        return
    if records == moves == "-":
        raise click.UsageError("--records and --moves cannot both go to stdout")
    if games or crosstable or to is not None:
        _export_tables(source, games, crosstable, to)
    from arena.results.moves import check_name, write_moves
    from arena.results.records import write_records
    from arena.results.sources import games_of

    if moves not in (None, "-"):
        check_name(Path(moves))
    with games_of(source) as found:
        for place, write, what in ((records, write_records, "games"), (moves, write_moves, "decisions")):
            if place is None:
                continue
            with counting(found.count() if wanted.all else None, "Writing") as seen:
                number = write(_counted(found.chosen(wanted), seen), None if place == "-" else Path(place))
            if place != "-":
                click.echo(f"{number} {what} in {place}")


def _counted(games: Iterable[GameResult], seen: Callable[[], object]) -> Iterator[GameResult]:
    for game in games:
        yield game
        seen()


def _export_tables(source: str, games: bool, crosstable: bool, to: Path | None) -> None:
    from arena.results.export import export as write
    from arena.results.export import make_folder
    from arena.results.reading.comparison import variant_folders
    from arena.results.sources import find, run_data
    from arena.results.standings import standings as compute
    from arena.tournament.store.folders import COMPARISON

    kind, place = find(source)
    runs = [(kind, place)] if kind != COMPARISON else [("", one) for one in variant_folders(place).values()]
    for what, folder in runs:
        into = folder if to is None else to
        if to is not None:
            into = to / folder.name if kind == COMPARISON else to
            make_folder(into)
        for path in write(compute(run_data(what, folder), whole=crosstable), into, games):
            click.echo(path)
