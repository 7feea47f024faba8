"""`arena runs`: which runs there are."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.options import whole
from arena.cli.output import output, print_report
from arena.errors import ArenaError
from arena.paths import RESULTS
from arena.results.run_list import run_lines, runs_report


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
    root = RESULTS if folder is None else folder
    if folder is not None and not folder.is_dir():
        raise ArenaError(f"there is no folder {folder}")
    lines = run_lines(root)
    shown = lines[:limit] if limit else lines
    if not lines and form == "table":
        click.echo(f"No runs in {root} yet. Play one: arena run quick")
        return
    print_report(runs_report(root, shown, len(lines)), form)
