"""`arena league create`, `arena league people`, `pause` and `retire`: what the organiser of a league does."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from arena.bots.isolation.process import require_isolation
from arena.cli.league.show import chosen_league, show_standings
from arena.cli.playing import read_settings
from arena.cli.printing import echo_json, print_report, refuse_options
from arena.errors import ArenaError
from arena.league import book, oversight
from arena.league.league_settings import load_settings
from arena.league.store import LEAGUES, League, create_league, open_league
from arena.league.views import describe
from arena.results.league import budget_table
from arena.results.table import Column, Report, Table
from arena.settings import merged
from arena.text import counted, one_line
from arena.web import accounts
from arena.web.accounts import WebStore


def create_command(
    name: str,
    config: Path | None,
    settings: tuple[str, ...],
    rules: str | None,
    clock: dict[str, int] | None,
    out: Path | None,
) -> None:
    """Run `arena league create`."""
    options: dict[str, Any] = {"rules": rules, "clock": clock}
    given = {key: value for key, value in options.items() if value is not None}
    checked = load_settings(config, name, merged(given, read_settings(settings)))
    require_isolation(checked.isolation)
    folder = LEAGUES / checked.name if out is None else out
    with create_league(folder, checked) as league:
        oversight.record(league, "create", "created", detail=describe(checked))
    click.echo(f"Created the league {checked.name} in {folder}: {describe(checked)}.")
    submit_to = checked.name if out is None else str(folder)
    click.echo(f"Submit a bot: arena submit bots/mine.py --league {shlex.quote(submit_to)}")


# ---------------------------------------------------------------- authors


def people_command(
    name: str | None,
    author: str | None,
    days: float,
    admin: bool,
    url: str | None,
    revoke: str | None,
    as_json: bool,
    settings: tuple[str, ...],
) -> None:
    """Run `arena league people`."""
    if author is not None and revoke is not None:
        raise click.UsageError("--invite and --revoke were given together; choose one")
    if author is None:
        refuse_options("belongs to --invite; add it", "days", "admin", "url")
    if revoke is not None:
        refuse_options("does not go with --revoke", "as_json")
    if url is not None and not url.startswith(("http://", "https://")):
        raise ArenaError(f"--url: expected an address such as https://league.example, found '{one_line(url, 60)}'")
    given = read_settings(settings)
    if given.keys() - {"budget"}:
        raise ArenaError(f"--set {settings[0]}: only [budget] can be changed, such as budget.submissions=10")
    new = {key: value or None for key, value in given.get("budget", {}).items()}  # 0: no limit
    with open_league(chosen_league(name)) as league:
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
        echo_json({"author": author, "token": token, "link": link})
        return
    click.echo(token)
    if link:
        click.echo(link)


def _list(league: League, as_json: bool) -> None:
    """Print the invitations, the limits, and what each author has used of them."""
    invitations: list[dict[str, Any]] = []
    if (league.folder / accounts.FILE).exists():
        with WebStore(league.folder) as store:
            invitations = accounts.invitations(store)
    settings = league.settings
    limits = {key: getattr(settings, key) for key in oversight.LIMITS}
    uses = oversight.uses(league)
    size = oversight.folder_bytes(league.folder)
    about = {"league": league.name, "limits": limits, "folder_bytes": size}
    until = Column("until (UTC)", cell=lambda line: line["expires"][:16].replace("T", " "))
    role = Column("role", "text", cell=lambda line: "organiser" if line["admin"] else "author")
    columns = [Column("author", "text"), role, Column("state", "text"), until]
    invited = Table("invitations", "Invited", invitations, columns if invitations else (), accounts.INVITATION)
    shown = ", ".join(f"{key} {'no limit' if value is None else value}" for key, value in limits.items())
    remarks = [f"Limits: {shown}.", f"The league's folder uses {size / (1 << 20):.1f} MiB."]
    heading = f"{league.name}: used in the last 24 hours"
    report = Report(heading, [budget_table(uses), invited], remarks, about)
    print_report(report, "json" if as_json else "table", wide="--json")


def pause_command(name: str | None, reason: str, undo: bool) -> None:
    """Run `arena league pause`."""
    name = chosen_league(name)
    if undo:
        refuse_options("is for a pause, not for its end", "reason")
    with open_league(name) as league:
        if undo:
            oversight.resume_league(league)
            click.echo(f"{league.name} is no longer paused.")
        else:
            oversight.pause_league(league, reason)
            click.echo(f"{league.name} is paused. To end the pause: arena league pause {shlex.quote(name)} --undo")


def retire_command(name: tuple[str, ...], bot: str, reason: str, undo: bool) -> None:
    """Run `arena league retire`."""
    with open_league(chosen_league(name)) as league:
        if undo:
            book.bring_back(league, bot, reason)
        else:
            book.retire(league, bot, reason)
        click.echo(f"{bot} is {'back' if undo else 'out of the table'}.", err=True)
        if bot == league.settings.anchor:
            scale = f"its rating is {league.settings.anchor_elo:g}" if undo else "without it, the table's average is 0"
            click.echo(f"It is the anchor: {scale}, so all ratings have moved.", err=True)
        show_standings(league, "table")
