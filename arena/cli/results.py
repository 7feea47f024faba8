"""`arena standings` and `arena export`: the tables of a run."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.output import output, print_report


@click.command()
@click.argument("folder")
@output
@click.option(
    "--prior", type=click.FloatRange(min=0), default=None, help="Virtual draws per bot in the rating (default: 2)."
)
def standings(folder: str, form: str, prior: float | None) -> None:
    """Show the standings of the run in FOLDER (a path, or a name in results/), even while it is running."""
    from arena.report.read_run import read_run
    from arena.report.standings import standings as compute
    from arena.report.standings_report import standings_report
    from arena.stats.ratings import DEFAULT_PRIOR
    from arena.store.folders import run_folder

    found = compute(read_run(run_folder(folder)), DEFAULT_PRIOR if prior is None else prior)
    print_report(standings_report(found), form)


@click.command()
@click.argument("folder")
@click.option("--games", is_flag=True, help="Also write games.csv, one line per game.")
@click.option("--to", type=click.Path(path_type=Path), help="Write to this folder instead of FOLDER.")
def export(folder: str, games: bool, to: Path | None) -> None:
    """Write standings.csv, crosstable.csv, summary.json and timing.csv of the run in FOLDER."""
    from arena.report.export import export as write
    from arena.report.read_run import read_run
    from arena.report.standings import standings as compute
    from arena.store.folders import run_folder

    source = run_folder(folder)
    for path in write(compute(read_run(source)), source if to is None else to, games):
        click.echo(path)
