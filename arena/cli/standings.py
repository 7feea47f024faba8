"""`arena runs` and `arena standings`: which runs there are, and their tables."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.options import ERROR, complete_runs, prior, whole
from arena.cli.output import csv_folder, output, print_report
from arena.errors import ArenaError
from arena.paths import RESULTS
from arena.results.sources import LEAGUE, find, report_of
from arena.results.standings import standings as compute
from arena.results.standings_report import standings_report
from arena.stats.ratings import DEFAULT_PRIOR


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), required=False)
@click.option("--limit", type=whole(0), default=20, show_default=True, metavar="N", help="List N runs; 0: all.")
@output
def runs(folder: Path | None, limit: int, form: str) -> None:
    """List the runs and comparisons in FOLDER (default: results), the most recently played first.

    \b
    arena runs
    arena runs --limit 0 --json

    Commands that take a RUN find it by the name shown here; 'latest' is the first in the list.
    """
    from arena.results.run_list import run_lines, runs_report

    root = RESULTS if folder is None else folder
    if folder is not None and not folder.is_dir():
        raise ArenaError(f"there is no folder {folder}")
    lines = run_lines(root)
    shown = lines[:limit] if limit else lines
    if not lines and form == "table":
        click.echo(f"No runs in {root} yet. Play one: arena run quick")
        return
    print_report(runs_report(root, shown, len(lines)), form)


@click.command()
@click.argument("source", metavar="RUN", required=False, shell_complete=complete_runs)
@click.option("--all", "everything", is_flag=True, help="Show all statistics, and all lines of a large field.")
@click.option(
    "--error",
    type=ERROR,
    metavar="E",
    help="With --all: show how many more pairs would bring each 95% error down to E Elo (default: 10).",
)
@prior
@click.option("--server", metavar="URL", help="Show the table of a league on the web, instead of a RUN.")
@csv_folder
@output
def standings(
    source: str | None,
    everything: bool,
    error: float | None,
    prior: float | None,
    server: str | None,
    to: Path | None,
    form: str,
) -> None:
    """Show the standings of RUN, even while it is being played. RUN is a path, a name in results/, or 'latest'.

    \b
    arena standings latest
    arena standings mycup --all --csv tables

    For a comparison, show one table per variant. For a league, show its table.

    With --all, show all statistics: ratings, scores by bot and by opponent with their errors, how many more pairs are
    needed, the advantage of moving first, length, stones and points, endings, forfeits and thinking time. CSV and JSON
    have more tables than the terminal.
    """
    if (source is None) == (server is None):
        raise click.UsageError("give either a RUN or --server URL")
    if error is not None and not everything:
        raise click.UsageError("--error is for the statistics; add --all")
    if server is not None:
        from arena.cli.web.ask import show_standings_of

        show_standings_of(server, form)
        return
    assert source is not None
    weight = DEFAULT_PRIOR if prior is None else prior
    if everything:
        from arena.results.run_stats import stats_report

        print_report(report_of(source, lambda run: stats_report(run, error or 10.0, weight, True)), form, to)
        return
    kind, folder = find(source)
    if kind == LEAGUE:
        from arena.cli.league.shared import show_league

        show_league(folder, form)
        return
    print_report(report_of(source, lambda run: standings_report(compute(run, weight))), form, to)
