"""`arena report` and `arena plot`: pages and pictures of results."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.options import chosen_games, complete_runs, prior, whole
from arena.cli.output import write_page
from arena.results.pages.plots import KINDS, save
from arena.results.reading.game import GameFilter
from arena.results.sources import find
from arena.results.whole_file import write_whole
from arena.stats.ratings import DEFAULT_PRIOR
from arena.text import one_line


@click.command()
@click.argument("source", metavar="RUN", shell_complete=complete_runs)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FILE",
    help="Default: report.html in the folder of the run; -: stdout.",
)
@click.option(
    "--replays", type=whole(0, 1000), default=20, show_default=True, metavar="N", help="Number of games to replay."
)
@chosen_games
@prior
@click.option("--follow", "live", is_flag=True, help="Update the page as games come in, until the run ends.")
def report(source: str, out: Path | None, replays: int, wanted: GameFilter, prior: float | None, live: bool) -> None:
    """Write RUN as one HTML page: standings, all statistics, and games to play through.

    \b
    arena report latest
    arena report latest --bot mybot --lost -o lost.html

    RUN is the folder of a run (or its name in results/, or 'latest'), even while it is being played, a comparison, a
    league, or a file of records. The page needs no network: send it, print it, open it anywhere. --bot and the options
    after it choose the games to replay; the figures are always about all games.

    With --follow, the page in the browser reloads itself while the run is in progress.
    """
    from arena.results.pages.report import follow, followed, report_page

    place = find(source).folder
    if out is None:
        out = place / "report.html" if place.is_dir() else Path(f"{place.stem}.html")
    weight = DEFAULT_PRIOR if prior is None else prior
    if not live:
        write_page(report_page(source, replays, wanted, weight), out)
        return
    if str(out) == "-":
        raise click.UsageError("--follow writes a file again and again; name it with -o")
    followed(source)
    click.echo(f"Writing {one_line(str(out.absolute()))} until the run ends; open it in a browser.", err=True)
    line = follow(source, lambda page: write_whole(out, [page]), replays, wanted, weight)
    click.echo(f"{line.games:,} games; the run is {line.state}.", err=True)


@click.command()
@click.argument("source", metavar="RUN", shell_complete=complete_runs)
@click.option("--kind", type=click.Choice(KINDS), default=KINDS[0], show_default=True, help="What to plot.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A file name that ends in .svg, .png or .pdf (default: KIND.svg).",
)
@prior
def plot(source: str, kind: str, out: Path | None, prior: float | None) -> None:
    """Draw a figure of RUN for a paper or a post.

    \b
    standings   ratings with their 95% errors
    crosstable  score of each bot against each other bot
    variants    win rates by rule set, for a comparison
    progress    ratings as more and more games are counted
    lengths     how many games took how many turns

    \b
    arena plot latest --kind progress -o progress.svg

    RUN is the folder of a run (or its name in results/, or 'latest'), a comparison, a league, or a file of records.
    PNG and PDF need CairoSVG: pip install 'schotten-arena[plot]'. In a notebook: arena.load(RUN).plot(KIND).
    """
    from arena.results.pages.figures import panels_of

    path = out or Path(f"{kind}.svg")
    save(panels_of(source, kind, DEFAULT_PRIOR if prior is None else prior), path)
    click.echo(f"Written to {one_line(str(path))}", err=True)
