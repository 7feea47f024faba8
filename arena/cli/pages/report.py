"""`arena report`: a run as one page of HTML."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.options import PRIOR, chosen_games, complete_runs, whole
from arena.cli.output import write_page
from arena.text import one_line

if TYPE_CHECKING:
    from arena.results.reading.game import GameFilter


@click.command()
@click.argument("source", shell_complete=complete_runs)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FILE",
    help="Default: report.html in the folder of the run; -: stdout.",
)
@click.option(
    "--games",
    "count",
    type=whole(0, 1000),
    default=20,
    show_default=True,
    metavar="N",
    help="Games to replay.",
)
@chosen_games
@click.option("--prior", type=PRIOR, metavar="N", help="Virtual draws per bot in the ratings (default: 2).")
@click.option("--follow", "live", is_flag=True, help="Write the page anew as games come in, until the run ends.")
def report(source: str, out: Path | None, count: int, wanted: GameFilter, prior: float | None, live: bool) -> None:
    """Write SOURCE as one page of HTML: standings, all statistics, and games to play through.

    SOURCE is the folder of a run (or its name in results/, or `latest`), even while it is running, a comparison or a
    league, or a file of records. The file needs no network: send it, print it, open it anywhere. --bot and the other
    options choose among which games those to replay are; the figures are always of all.

    With --follow the page in the browser reloads itself while the run is in progress, and keeps its place.
    """
    from arena.results.pages.report import follow, followed, report_page
    from arena.results.sources import find
    from arena.results.whole_file import write_whole
    from arena.stats.ratings import DEFAULT_PRIOR

    place = find(source).folder
    if out is None:
        out = place / "report.html" if place.is_dir() else Path(f"{place.stem}.html")
    weight = DEFAULT_PRIOR if prior is None else prior
    if not live:
        write_page(report_page(source, count, wanted, weight), out)
        return
    if str(out) == "-":
        raise click.UsageError("--follow writes a file again and again; name it with -o")
    followed(source)
    click.echo(f"Writing {one_line(str(out.absolute()))} while the run goes on; open it in a browser.", err=True)
    line = follow(source, lambda page: write_whole(out, [page]), count, wanted, weight)
    click.echo(f"{line.games:,} games; the run is {line.state}.", err=True)
