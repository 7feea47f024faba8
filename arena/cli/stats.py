"""`arena stats`: everything that a run says besides its ranking."""

from __future__ import annotations

import math
from pathlib import Path

import click

from arena.cli import options
from arena.cli.options import complete_runs
from arena.cli.output import csv_folder, output, print_report
from arena.errors import ArenaError


@click.command()
@click.argument("folder", shell_complete=complete_runs)
@click.option(
    "--error",
    type=options.ERROR,
    default=10.0,
    metavar="ELO",
    help="Show how many more pairs would bring the 95 % error down to this.  [default: 10]",
)
@click.option("--prior", type=options.PRIOR, metavar="N", help="Virtual draws per bot in the ratings (default: 2).")
@click.option(
    "--all", "whole", is_flag=True, help="Of a field of more than 100 bots also the tables by opponent, and all lines."
)
@csv_folder
@output
def stats(folder: str, error: float, prior: float | None, whole: bool, to: Path | None, form: str) -> None:
    """Show all statistics of the run in FOLDER (a path, or a name in results/), even while it is running.

    Ratings, scores by bot and by opponent with their errors, how many pairs are still needed, the first player,
    length, stones and points, endings, forfeits, thinking time. CSV and JSON have more tables than the terminal.
    """
    from arena.results.run_stats import stats_report
    from arena.results.sources import report_of
    from arena.stats.ratings import DEFAULT_PRIOR

    if not (math.isfinite(error) and error > 0):
        raise ArenaError(f"--error {error:g}: expected a 95 % error in Elo above 0")
    weight = DEFAULT_PRIOR if prior is None else prior
    report = report_of(folder, lambda run: stats_report(run, error, weight, whole))
    print_report(report, form, to)
