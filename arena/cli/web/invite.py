"""`arena league invite`: who may sign in to a league on the web."""

from __future__ import annotations

import time
from urllib.parse import quote

import click

from arena.cli import options
from arena.cli.league.shared import league_argument, print_json
from arena.errors import ArenaError
from arena.text import counted, one_line


@click.command()
@league_argument
@click.argument("author", required=False)
@click.option(
    "--days",
    type=options.real(0.001, 3650),
    default=90,
    show_default=True,
    metavar="N",
    help="Days for which the invitation is valid.",
)
@click.option(
    "--admin", is_flag=True, help="Make the author an organiser, who may pause the league, retire bots and invite."
)
@click.option("--url", metavar="URL", help="Also print a link for signing in at the server with this address.")
@click.option("--revoke", is_flag=True, help="Revoke all invitations of AUTHOR and sign them out.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def invite(
    name: str, author: str | None, days: float, admin: bool, url: str | None, revoke: bool, as_json: bool
) -> None:
    """Invite AUTHOR to LEAGUE: print a token for signing in and for programs. It is shown only once.

    Without AUTHOR, list the invitations. An author may have several.
    """
    from arena.league.oversight import audit
    from arena.league.store import open_league
    from arena.web import accounts
    from arena.web.accounts import WebStore

    with open_league(name) as league, WebStore(league.folder) as store:
        if author is None:
            now = time.time()
            lines = [vars(invited) | {"state": invited.state(now)} for invited in accounts.invitations(store)]
            if as_json:
                print_json({"league": league.name, "invitations": lines})
                return
            for line in lines:
                until = time.strftime("%Y-%m-%d", time.gmtime(line["expires"]))
                role = " (organiser)" if line["admin"] else ""
                click.echo(f"{one_line(line['author'])}{role}: {line['state']}, until {until}")
            if not lines:
                click.echo("Nobody has been invited yet.")
            return
        if revoke:
            number = accounts.revoke(store, author)
            audit.record(league, "invite", "revoked", author=author, detail=f"{number} tokens")
            click.echo(f"{counted(number, 'invitation')} of {one_line(author)} revoked.")
            return
        token = accounts.invite(store, author, days, admin)
        audit.record(league, "invite", "invited", author=author, detail="as an organiser" if admin else "")
    if url is not None and not url.startswith(("http://", "https://")):
        raise ArenaError(f"--url: expected an address such as https://league.example, found '{one_line(url, 60)}'")
    link = f"{url.rstrip('/')}/sign-in#token={quote(token)}" if url else None
    if as_json:
        print_json({"author": author, "token": token, "link": link})
        return
    click.echo(token)
    if link:
        click.echo(link)
