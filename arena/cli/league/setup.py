"""`arena league create` and `arena league list`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from arena.bots.isolation.levels import ISOLATIONS
from arena.cli import options
from arena.cli.league.shared import print_json
from arena.cli.output import output, print_report
from arena.text import indented

_TIME = options.BANK_MS


def _n(name: str) -> options.Number:
    """A number with the bounds of a setting of leagues."""
    return options.as_set("arena.league.settings:LeagueSettings", name)


@click.command()
@click.argument("name")
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE.toml", help="Settings of the league.")
@click.option("--dir", "folder", type=click.Path(path_type=Path), help="Default: leagues/NAME.")
@click.option("--rules", metavar="R", shell_complete=options.complete_rules, help="Default: base.")
@click.option("--isolation", type=click.Choice(ISOLATIONS), help="Where bots run (default: sandbox).")
@click.option("--move-ms", type=_TIME, help="Milliseconds per decision (default: 1000; 0: no limit).")
@click.option("--bank-ms", type=_TIME, help="Extra milliseconds per game (default: none).")
@click.option("--no-pairs", is_flag=True, help="Play each deal once instead of twice with the seats swapped.")
@click.option("--shared-deals", is_flag=True, help="Give pairings that play at the same time the same deals.")
@click.option("--error", type=_n("error"), metavar="ELO", help="A placement ends at this 95 % error (default: 40).")
@click.option("--most-games", type=_n("most_games"), metavar="N", help="... or after N games (default: 1000).")
@click.option("--sample", type=_n("sample"), metavar="N", help="Opponents at a time during a placement (default: 8).")
@click.option("--games", type=_n("games"), metavar="N", help="Games against each opponent at a time (default: 10).")
@click.option("--anchor", metavar="BOT", help="Hold this bot's rating (default: the mean is 0).")
@click.option("--anchor-elo", type=_n("anchor_elo"), metavar="ELO", help="... at this value (default: 0).")
@click.option("--prior", type=_n("prior"), metavar="N", help="Virtual draws per bot in the rating (default: 2).")
@click.option("--submissions", type=_n("submissions"), metavar="N", help="New contents per author in 24 hours.")
@click.option("--author-mb", type=_n("author_mb"), metavar="N", help="MiB that the files of an author's bots may take.")
@click.option("--disk-mb", type=_n("disk_mb"), metavar="N", help="MiB that the league's folder may take.")
def create(name: str, config: Path | None, folder: Path | None, **given: Any) -> None:
    """Create the league NAME. Options override the file; the settings cannot be changed later."""
    from arena.bots.isolation.process import require_isolation
    from arena.league.oversight import audit
    from arena.league.settings import load_settings
    from arena.league.store import LEAGUES, create_league
    from arena.league.views import describe

    settings = load_settings(config, name, _nested(given))
    require_isolation(settings.isolation)
    place = LEAGUES / settings.name if folder is None else folder
    with create_league(place, settings) as made:
        audit.record(made, "create", "created", detail=describe(settings))
    asked = settings.name if folder is None else str(place)
    click.echo(f"Created the league {settings.name} in {place}: {describe(settings)}.")
    click.echo(f"Submit a bot: arena submit bots/mine.py --league {shlex.quote(asked)}")


def _nested(given: dict[str, Any]) -> dict[str, Any]:
    """The options as a settings file would give them."""
    tables = {
        "clock": ("move_ms", "bank_ms"),
        "placement": ("error", "most_games", "sample", "games"),
        "rating": ("anchor", "anchor_elo", "prior"),
        "budget": ("submissions", "author_mb", "disk_mb"),
    }
    values: dict[str, Any] = {key: given[key] for key in ("rules", "isolation") if given.get(key) is not None}
    values |= {"pairs": False} if given.get("no_pairs") else {}
    values |= {"own_deals": False} if given.get("shared_deals") else {}
    for table, keys in tables.items():
        found = {key: given[key] for key in keys if given.get(key) is not None}
        if found:
            values[table] = found
    return values


@click.command("list")
@output
def list_(form: str) -> None:
    """List the leagues in leagues/."""
    from arena.errors import ArenaError
    from arena.league.store import LEAGUES, league_names
    from arena.league.views import league_line
    from arena.results.league import leagues_table
    from arena.results.table import Report

    lines, unread = [], []
    for name in league_names():
        try:
            lines.append({"name": name} | league_line(LEAGUES / name))
        except ArenaError as error:
            unread.append({"name": name, "reason": str(error)})
    for one in unread:
        click.echo(f"{indented(one['name'])} cannot be read: {indented(one['reason'])}", err=True)
    if form == "json":
        print_json({"leagues": lines, "unread": unread})
    elif not lines and unread:
        click.echo("No league in leagues/ can be read.")
    elif not lines:
        click.echo("There are no leagues in leagues/. Create one: arena league create NAME")
    else:
        print_report(Report("", [leagues_table(lines)]), form)
