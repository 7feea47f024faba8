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
    from arena.web.public import write_site

    with open_league(name, write=False) as league:
        number = write_site(league, folder)
    click.echo(f"Wrote {number} pages to {folder}; start with {folder / 'index.html'}")
