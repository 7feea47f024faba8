"""`arena stats`: everything that a run says besides its ranking."""

from __future__ import annotations

import math
from pathlib import Path

import click

from arena.cli.options import complete_runs
from arena.cli.output import chosen, output
from arena.errors import ArenaError


class StatsUseError(ArenaError):
    """The options for the statistics make no sense."""


@click.command()
@click.argument("folder", shell_complete=complete_runs)
@click.option(
    "--error",
    type=float,
    default=10.0,
    metavar="ELO",
    help="Show how many more pairs would bring the 95 % error down to this.  [default: 10]",
)
@click.option("--prior", type=float, metavar="N", help="Virtual draws per bot in the ratings (default: 2).")
@click.option(
    "--csv",
    "to",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Also write all tables to this folder, as tidy CSV.",
)
@output
def stats(folder: str, error: float, prior: float | None, to: Path | None, format_: str | None, as_json: bool) -> None:
    """Show all statistics of the run in FOLDER (a path, or a name in results/), even while it is running.

    Ratings, scores by bot and by opponent with their errors, how many pairs are still needed, the first player,
    length, stones and points, endings, forfeits, thinking time. CSV and JSON have more tables than the terminal.
    """
    from arena.report.export import write_csv
    from arena.report.formats import write
    from arena.report.read_run import read_run
    from arena.report.run_stats import stats_report
    from arena.stats.ratings import DEFAULT_PRIOR
    from arena.store.folders import run_folder

    form = chosen(format_, as_json)
    if not (math.isfinite(error) and error > 0):
        raise StatsUseError(f"--error {error:g}: expected a 95 % error in Elo above 0")
    report = stats_report(read_run(run_folder(folder)), error, DEFAULT_PRIOR if prior is None else prior)
    click.echo(write(report, form), nl=False)
    if to is not None:
        for path in write_csv(report, to):
            click.echo(path, err=True)
