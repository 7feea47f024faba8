"""`arena league create` and `arena league people`: create a league, and manage its authors."""

from __future__ import annotations

import json
import shlex
import time
import tomllib
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from arena.bots.isolation.process import require_isolation
from arena.cli.league.shared import league_argument
from arena.cli.options import BANK_MS, ISOLATION, PATH, as_json, print_report, real_option, rules, whole_option
from arena.errors import ArenaError
from arena.league import oversight
from arena.league.league_settings import load_settings, merged
from arena.league.store import LEAGUES, League, create_league, open_league
from arena.league.views import describe
from arena.results.data_formats import json_text
from arena.results.league import budget_table
from arena.results.table import Report, Table
from arena.text import counted, one_line
from arena.web import accounts
from arena.web.accounts import Invitation, WebStore


@click.command()
@click.argument("name")
@click.option("--config", type=PATH, metavar="FILE.toml", help="Settings of the league.")
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of the file, such as placement.error=30."
)
@rules
@click.option("--isolation", type=ISOLATION, help="Where bots run (default: sandbox).")
@click.option(
    "--move-ms", type=BANK_MS, metavar="MS", help="Time per decision, in milliseconds (default: 1000; 0: no limit)."
)
@click.option("--bank-ms", type=BANK_MS, metavar="MS", help="Extra time per game, in milliseconds.")
@click.option(
    "-o",
    "--out",
    type=PATH,
    metavar="DIR",
    help="The folder of the league (default: leagues/NAME).",
)
def create_command(
    name: str,
    config: Path | None,
    settings: tuple[str, ...],
    rules: str | None,
    isolation: str | None,
    move_ms: int | None,
    bank_ms: int | None,
    out: Path | None,
) -> None:
    """Create the league NAME. Its settings cannot be changed later; options take precedence over the file.

    \b
    arena league create open --rules tactical --set placement.error=30
    arena league create open --config open.toml

    To start a file from an example: arena config leagues/open > open.toml
    """
    clock = {key: ms for key, ms in (("move_ms", move_ms), ("bank_ms", bank_ms)) if ms is not None}
    options: dict[str, Any] = {"rules": rules, "isolation": isolation, "clock": clock or None}
    given = {key: value for key, value in options.items() if value is not None}
    checked = load_settings(config, name, merged(given, read_settings(settings)))
    require_isolation(checked.isolation)
    folder = LEAGUES / checked.name if out is None else out
    with create_league(folder, checked) as league:
        oversight.record(league, "create", "created", detail=describe(checked))
    click.echo(f"Created the league {checked.name} in {folder}: {describe(checked)}.")
    submit_to = checked.name if out is None else str(folder)
    click.echo(f"Submit a bot: arena submit bots/mine.py --league {shlex.quote(submit_to)}")


def read_settings(texts: Sequence[str]) -> dict[str, Any]:
    """Return settings as a TOML file gives them, parsed from KEY=VALUE; strings need no quotes.

    >>> read_settings(["placement.error=30", "rating.anchor=greedy"])
    {'placement': {'error': 30}, 'rating': {'anchor': 'greedy'}}
    """
    settings: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        for line in (text, f"{key}={json.dumps(value.strip())}"):
            try:
                table = tomllib.loads(line)
                break
            except tomllib.TOMLDecodeError:
                table = {}
        if not table or not equals:
            raise ArenaError(f"--set {text}: expected KEY=VALUE, such as placement.error=30")
        settings = merged(settings, table)
    return settings


# ---------------------------------------------------------------- authors


@click.command()
@league_argument
@click.option("--invite", "author", metavar="AUTHOR", help="Invite AUTHOR, and print a token to sign in with.")
@click.option(
    "--days",
    type=real_option(0.001, 3650),
    default=90,
    show_default=True,
    metavar="N",
    help="With --invite: valid for N days.",
)
@click.option(
    "--admin",
    is_flag=True,
    help="With --invite: make AUTHOR an organiser, who may pause the league, retire bots and invite.",
)
@click.option(
    "--url", metavar="URL", help="With --invite: also print a link for signing in at the server with this address."
)
@click.option("--revoke", metavar="AUTHOR", help="Revoke all invitations of AUTHOR, and sign AUTHOR out.")
@click.option("--uploads", type=whole_option(0), metavar="N", help="Limit each author to N uploads an hour.")
@click.option("--bots", type=whole_option(0), metavar="N", help="Limit each author to N bots.")
@click.option("--submissions", type=whole_option(0), metavar="N", help="Limit each author to N submissions a day.")
@click.option("--author-mb", type=whole_option(0), metavar="N", help="Limit each author's files to N MiB.")
@click.option("--disk-mb", type=whole_option(0), metavar="N", help="Limit the league's folder to N MiB.")
@as_json
def people_command(
    name: str,
    author: str | None,
    days: float,
    admin: bool,
    url: str | None,
    revoke: str | None,
    as_json: bool,
    **limits: int | None,
) -> None:
    """Invite authors to LEAGUE; show and limit what they use. Without options, list everybody.

    \b
    arena league people open --invite Ada --url https://league.example
    arena league people open --submissions 10 --author-mb 50

    A token is shown only once; an author may have several. A limit of 0 means no limit.
    """
    if author is not None and revoke is not None:
        raise click.UsageError("--invite and --revoke were given together; choose one")
    if author is None and (admin or url is not None):
        raise click.UsageError("--admin and --url belong to --invite; add it")
    if url is not None and not url.startswith(("http://", "https://")):
        raise ArenaError(f"--url: expected an address such as https://league.example, found '{one_line(url, 60)}'")
    new = {key: value or None for key, value in limits.items() if value is not None}  # 0: no limit
    with open_league(name) as league:
        if new:
            oversight.change_limits(league, new)
        if author is not None:
            _invite(league, author, days, admin, url, as_json)
        elif revoke is not None:
            with WebStore(league.folder) as store:
                number = accounts.revoke(store, revoke)
            oversight.record(league, "invite", "revoked", author=revoke, detail=f"{number} tokens")
            click.echo(f"{counted(number, 'invitation')} of {one_line(revoke)} revoked.")
        else:
            _list(league, as_json)


def _invite(league: League, author: str, days: float, admin: bool, url: str | None, as_json: bool) -> None:
    with WebStore(league.folder) as store:
        token = accounts.invite(store, author, days, admin)
    oversight.record(league, "invite", "invited", author=author, detail="as an organiser" if admin else "")
    link = accounts.sign_in_link(url, token) if url else None
    if as_json:
        click.echo(json_text({"author": author, "token": token, "link": link}), nl=False)
        return
    click.echo(token)
    if link:
        click.echo(link)


def _list(league: League, as_json: bool) -> None:
    """Print the invitations, the limits, and what each author has used of them."""
    now = time.time()
    invitations: list[dict[str, Any]] = []
    if (league.folder / accounts.FILE).exists():
        with WebStore(league.folder) as store:
            invitations = [vars(each) | {"state": each.state(now)} for each in accounts.invitations(store)]
    settings = league.stored_settings()
    limits = {key: getattr(settings, key) for key in oversight.LIMITS}
    uses = [vars(use) for use in oversight.uses(league)]
    size = oversight.folder_bytes(league.folder)
    about = {"league": league.name, "limits": limits, "folder_bytes": size}
    invited = Table("invitations", "", invitations, files=(*(field.name for field in fields(Invitation)), "state"))
    remarks = []
    for line in invitations:
        until = time.strftime("%Y-%m-%d", time.gmtime(line["expires"]))
        role = " (organiser)" if line["admin"] else ""
        remarks.append(f"Invited: {one_line(line['author'])}{role}: {line['state']}, until {until}")
    shown = ", ".join(f"{key} {'no limit' if value is None else value}" for key, value in limits.items())
    remarks += [f"Limits: {shown}.", f"The league's folder uses {size / (1 << 20):.1f} MiB."]
    heading = f"{league.name}: used in the last 24 hours"
    print_report(Report(heading, [budget_table(uses), invited], remarks, about), "json" if as_json else "table")
