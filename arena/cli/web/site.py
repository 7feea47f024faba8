"""`arena league site`: the pages of a league as files."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.league.shared import league_argument


@click.command()
@league_argument
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def site(name: str, folder: Path) -> None:
    """Write the public pages of LEAGUE into DIR, for any web host: standings, bots, games, history, rules."""
    from arena.league.store import open_league
    from arena.web.site import write_site

    with open_league(name, write=False) as found:
        number = write_site(found, folder)
    click.echo(f"{number} pages in {folder}: begin at {folder / 'index.html'}")
