"""`arena export`, `report` and `plot`: write tables, records, pages and pictures of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import click

from arena.cli.printing import counting, refuse_options, write_page
from arena.paths import input_name
from arena.results.pages.figures import panels_of
from arena.results.pages.plots import picture, save
from arena.results.pages.report import report_page
from arena.results.positions import check_moves_file, write_moves
from arena.results.records import PARQUET, load_pyarrow, write_pgn, write_records
from arena.results.run_data import GameFilter
from arena.results.run_standings import RunStandings, standings
from arena.results.sources import Source, find_source
from arena.results.standings_report import workbook_tables
from arena.results.standings_report import write_run_files as write_tables
from arena.results.table import WORKBOOK, load_xlsxwriter, require_room, write_workbook
from arena.stats.frames import StatsError
from arena.text import one_line
from arena.tournament.games import GameResult
from arena.whole_file import make_folder


def export_command(
    source: str,
    everything: bool,
    out: Path | None,
    records: str | None,
    moves: str | None,
    pgn: str | None,
    wanted: GameFilter,
) -> None:
    """Run `arena export`."""
    targets = (records, moves, pgn)
    if not any(targets):
        if not wanted.all:
            raise click.UsageError("--bot and similar options choose games for --records, --moves and --pgn; add one")
        _write_tables(source, everything, out, click.echo)
        return
    if targets.count("-") > 1:
        raise click.UsageError("only one of --records, --moves and --pgn can go to stdout")
    on_written = partial(click.echo, err="-" in targets)  # stdout then holds the data and nothing else
    if everything or out is not None:
        _write_tables(source, everything, out, on_written)
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
                on_written(f"{number} {what} in {target}")


def _counted(games: Iterable[GameResult], step: Callable[[], object]) -> Iterator[GameResult]:
    for game in games:
        yield game
        step()


def _write_tables(source: str, everything: bool, out: Path | None, on_written: Callable[[object], None]) -> None:
    parts = find_source(source).parts()
    if out is not None and out.suffix.lower() == WORKBOOK:
        refuse_options("is for files of a folder; a workbook holds all tables", "everything")
        load_xlsxwriter(out)
        for rules, part in parts.items():
            with part.games(counting=True) as games:
                require_room(out, f"{rules} games".strip(), games.count())
        tables = [(rules, workbook_tables(_standings(part, whole=True))) for rules, part in parts.items()]
        sheets = {f"{rules} {table.name}".strip(): table for rules, each in tables for table in each}
        on_written(f"{write_workbook(sheets, out)} sheets in {one_line(str(out))}")
        return
    for rules, part in parts.items():
        found, target = _standings(part, whole=everything), part.path
        if out is not None:
            target = out / part.path.name if rules else out
            make_folder(target)
        for path in write_tables(found, target, everything):
            on_written(path)


def _standings(part: Source, whole: bool) -> RunStandings:
    found = standings(part.data(), whole=whole)
    if not found.rows:  # a new league
        raise StatsError(f"{input_name(part.path.name)}: no games yet")
    return found


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
    """Run `arena report`."""
    found = find_source(source)
    if out is None:
        out = found.path / "report.html" if found.path.is_dir() else Path(f"{input_name(found.path.stem)}.html")
    write_page(report_page(found, replays, wanted, prior, without, only), out, opened)


def plot_command(source: str, kind: str, out: Path | None) -> None:
    """Run `arena plot`."""
    path, panels = out or Path(f"{kind}.svg"), panels_of(find_source(source), kind)
    if str(path) == "-":
        click.echo(picture(panels), nl=False)
        return
    save(panels, path)
    click.echo(f"Written to {one_line(str(path))}", err=True)
