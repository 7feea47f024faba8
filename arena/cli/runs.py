"""`arena runs`: which runs there are."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli import options
from arena.cli.output import output, print_report
from arena.errors import ArenaError


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), required=False)
@click.option("--limit", type=options.whole(0), default=20, metavar="N", help="List N runs; 0: all. Default: 20.")
@output
def runs(folder: Path | None, limit: int, form: str) -> None:
    """List the runs and comparisons in FOLDER (default: results), the most recently played first.

    Commands that take a run find it by the name shown here; `latest` names the first of the list. Resume an
    interrupted run with: arena resume NAME
    """
    from arena.paths import RESULTS
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
