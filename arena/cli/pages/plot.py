"""`arena plot`: a figure of a run for a paper or a post."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.options import PRIOR, complete_runs
from arena.results.pages.plots import KINDS, save
from arena.text import one_line


@click.command()
@click.argument("source", shell_complete=complete_runs)
@click.option("--kind", type=click.Choice(KINDS), default=KINDS[0], show_default=True, help="What to plot.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A name that ends in .svg, .png or .pdf. Default: KIND.svg in this folder.",
)
@click.option("--prior", type=PRIOR, metavar="N", help="Virtual draws per bot in the ratings (default: 2).")
def plot(source: str, kind: str, out: Path | None, prior: float | None) -> None:
    """Draw the figures of SOURCE for a paper or a post.

    \b
    standings   ratings with their 95% errors
    crosstable  score of each bot against each other bot
    variants    win rates by rule set (for a comparison)
    progress    ratings as more and more games are counted
    lengths     how many games took how many turns

    SOURCE is the folder of a run (or its name in results/, or `latest`), a comparison, a league, or a file of records.
    PNG and PDF need CairoSVG: pip install 'schotten-arena[plot]'. In a notebook: arena.load(SOURCE).plot(KIND).
    """
    from arena.results.pages.figures import panels_of
    from arena.stats.ratings import DEFAULT_PRIOR

    path = out or Path(f"{kind}.svg")
    save(panels_of(source, kind, DEFAULT_PRIOR if prior is None else prior), path)
    click.echo(f"Written to {one_line(str(path))}", err=True)
