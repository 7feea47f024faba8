"""`arena export`, `report` and `plot`: write tables, records, pages and pictures of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import click

from arena.cli.options import (
    PATH,
    PATH_OR_STDOUT,
    PathOption,
    chosen_bots,
    chosen_games,
    complete_runs,
    counting,
    opened,
    prior,
    refuse_options,
    whole_option,
    write_page,
)
from arena.paths import input_name
from arena.results.data_formats import WORKBOOK, load_xlsxwriter, require_room, write_workbook
from arena.results.decisions import check_moves_file, write_moves
from arena.results.game_list import write_pgn
from arena.results.pages.figures import panels_of
from arena.results.pages.plots import PLOT_KINDS, save
from arena.results.pages.report import report_page
from arena.results.parquet import PARQUET, load_pyarrow
from arena.results.records import write_records
from arena.results.run_data import GameFilter
from arena.results.run_standings import RunStandings, standings
from arena.results.sources import Source, find_source
from arena.results.standings_report import workbook_tables
from arena.results.standings_report import write_run_files as write_tables
from arena.stats.frames import StatsError
from arena.text import one_line
from arena.tournament.games import GameResult
from arena.whole_file import make_folder


@click.command()
@click.argument("source", metavar="RUN|FILE", shell_complete=complete_runs)
@click.option(
    "--all", "everything", is_flag=True, help="Also write games.csv, and crosstable.csv for more than 100 bots."
)
@click.option(
    "-o", "--out", type=PATH, metavar="DIR|F.xlsx", help="Write to DIR (default: RUN), or all tables to one workbook."
)
@click.option(
    "--records",
    type=PathOption(allow_dash=True),
    metavar="F[.gz]",
    help="Write one record per line, for replay, verify and arena.load. -: stdout. F.parquet: a row per game.",
)
@click.option(
    "--moves",
    type=PathOption(allow_dash=True),
    metavar="F",
    help="Write one row per decision: .csv, .csv.gz or .parquet. -: stdout.",
)
@click.option(
    "--pgn",
    type=PathOption(allow_dash=True),
    metavar="F",
    help="Write players and results as PGN, for arena rate, Ordo and BayesElo. -: stdout.",
)
@chosen_games
def export_command(
    source: str,
    everything: bool,
    out: Path | None,
    records: str | None,
    moves: str | None,
    pgn: str | None,
    wanted: GameFilter,
) -> None:
    """Write the tables of RUN to files: standings.csv, crosstable.csv, summary.json and timing.csv.

    \b
    arena export latest --all
    arena export latest -o cup.xlsx
    arena export latest --records lost.txt --bot mybot --lost
    arena export latest --records games.parquet
    arena export latest --pgn games.pgn

    With --records, --moves or --pgn, only those files are written, with all games or those chosen by --bot and the
    options after it. A workbook has a sheet each for standings, crosstable and games. FILE, a file of records, has no
    tables. A file is written completely or not at all.
    """
    targets = (records, moves, pgn)
    if not any(targets):
        if not wanted.all:
            raise click.UsageError("--bot and similar options choose games for --records, --moves and --pgn; add one")
        _write_tables(source, everything, out, click.echo)
        return
    if targets.count("-") > 1:
        raise click.UsageError("only one of --records, --moves and --pgn can go to stdout")
    say = partial(click.echo, err="-" in targets)  # stdout then holds the data and nothing else
    if everything or out is not None:
        _write_tables(source, everything, out, say)
    if moves not in (None, "-"):
        check_moves_file(Path(moves))
    if records is not None and records.endswith(PARQUET):
        load_pyarrow(Path(records))
    found = find_source(source)
    files: tuple[tuple[str | None, Callable[[Iterable[GameResult], Path | None], int], str], ...] = (
        (records, write_records, "games"),
        (moves, write_moves, "decisions"),
        (pgn, partial(write_pgn, event=input_name(found.path.name)), "games"),
    )
    with found.games() as games:
        for target, write, what in files:
            if target is None:
                continue
            with counting(games.count() if wanted.all else None, "Writing") as step:
                number = write(_counted(games.chosen(wanted), step), None if target == "-" else Path(target))
            if target != "-":
                say(f"{number} {what} in {target}")


def _counted(games: Iterable[GameResult], step: Callable[[], object]) -> Iterator[GameResult]:
    for game in games:
        yield game
        step()


def _write_tables(source: str, everything: bool, out: Path | None, say: Callable[[object], None]) -> None:
    parts = find_source(source).parts()
    if out is not None and out.suffix.lower() == WORKBOOK:
        refuse_options("is for files of a folder; a workbook holds all tables", "everything")
        load_xlsxwriter(out)
        for rules, part in parts.items():
            with part.games(counting=True) as games:
                require_room(out, f"{rules} games".strip(), games.number() if games.number else 0)
        tables = [(rules, workbook_tables(_standings(part, whole=True))) for rules, part in parts.items()]
        sheets = {f"{rules} {table.name}".strip(): table for rules, each in tables for table in each}
        say(f"{write_workbook(sheets, out)} sheets in {one_line(str(out))}")
        return
    for rules, part in parts.items():
        found, target = _standings(part, whole=everything), part.path
        if out is not None:
            target = out / part.path.name if rules else out
            make_folder(target)
        for path in write_tables(found, target, everything):
            say(path)


def _standings(part: Source, whole: bool) -> RunStandings:
    found = standings(part.data(), whole=whole)
    if not found.rows:  # a new league
        raise StatsError(f"{input_name(part.path.name)}: no games yet")
    return found


@click.command()
@click.argument("source", metavar="RUN", shell_complete=complete_runs)
@click.option(
    "-o",
    "--out",
    type=PATH_OR_STDOUT,
    metavar="FILE",
    help="Default: report.html in the folder of the run; -: stdout.",
)
@click.option(
    "--replays",
    type=whole_option(0, 1000),
    default=20,
    show_default=True,
    metavar="N",
    help="Number of games to replay.",
)
@opened
@chosen_games
@chosen_bots
@prior
def report_command(
    source: str,
    out: Path | None,
    replays: int,
    opened: bool,
    wanted: GameFilter,
    without: tuple[str, ...],
    only: tuple[str, ...],
    prior: float | None,
) -> None:
    """Write RUN as one HTML page: standings, all statistics, and games to play through.

    \b
    arena report latest
    arena report latest --bot mybot --lost -o lost.html
    arena report latest --without random

    RUN is the folder of a run (or its name in results/, or 'latest'), even while it is being played, a comparison, a
    league, or a file of records. The page needs no network: send it, print it, open it anywhere. --bot and the options
    after it choose the games to replay; the figures are always about all games, but for those that --without and --only
    leave out.
    """
    found = find_source(source)
    if out is None:
        out = found.path / "report.html" if found.path.is_dir() else Path(f"{input_name(found.path.stem)}.html")
    write_page(report_page(found, replays, wanted, prior, without, only), out, opened)


@click.command()
@click.argument("source", metavar="RUN", shell_complete=complete_runs)
@click.option("--kind", type=click.Choice(PLOT_KINDS), default="standings", show_default=True, help="What to plot.")
@click.option(
    "-o",
    "--out",
    type=PATH,
    metavar="FILE",
    help="A file name that ends in .svg, .png or .pdf (default: KIND.svg).",
)
@prior
def plot_command(source: str, kind: str, out: Path | None, prior: float | None) -> None:
    """Draw a figure of RUN for a paper or a post.

    \b
    standings   ratings with their 95% errors
    crosstable  score of each bot against each other bot
    variants    win rates by rule set, for a comparison
    progress    ratings as more games are counted
    lengths     how many games took how many turns
    history     ratings of the versions of a bot by commit

    \b
    arena plot latest --kind progress -o progress.svg

    RUN is the folder of a run (or its name in results/, or 'latest'), a comparison, a league, or a file of records.
    PNG and PDF need CairoSVG: pip install 'schotten-arena[plot]'. In a notebook: arena.load(RUN).plot(KIND).
    """
    if kind in ("lengths", "variants"):
        refuse_options(f"is for ratings, which --kind {kind} does not show", "prior")
    path = out or Path(f"{kind}.svg")
    save(panels_of(find_source(source), kind, prior), path)
    click.echo(f"Written to {one_line(str(path))}", err=True)
