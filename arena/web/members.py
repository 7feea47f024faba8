"""The pages of authors and organisers, for browsers and programs: uploads and their outcomes, retiring bots, inviting.

Authors see and change only their own bots.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from arena.errors import ArenaError
from arena.league import book, oversight, versions
from arena.league.league_settings import LeagueError
from arena.league.rating import league_standings
from arena.league.store import League
from arena.league.submission import read_upload
from arena.league.versions import OPEN, Version
from arena.league.views import chosen_version, last_games_by_opponent
from arena.results.league import log_table
from arena.results.table import json_text, rating_text
from arena.text import one_line, ordinal, utc_iso, whole_number
from arena.web import accounts
from arena.web.accounts import Account, Stores
from arena.web.backend import (
    account_if_any,
    backend_of,
    bearer,
    cookie,
    form_fields,
    organiser,
    see_other,
    set_cookie,
    shown_message,
    signed_in,
)
from arena.web.public import NoPage, Site, bot_values, card, lost_games

_MAX_REASON_CHARACTERS = 200
_LOG_ENTRIES = 200
_LISTED = 50  # submissions that were not taken
_GAMES_PER_OPPONENT = 20  # searched for losses by the page of a version


# ---------------------------------------------------------------- signing in


async def _sign_in_form(request: Request) -> Response:
    return shown_message(request, "sign_in.html", fault="")


async def _sign_in(request: Request) -> Response:
    backend = backend_of(request)
    token = (await form_fields(request)).get("token", "").strip()
    secret = await backend.write(lambda stores: accounts.sign_in(stores.web, token))
    if secret is None:
        fault = "This token is misspelt, has expired, or was revoked. The organiser can send you a new invitation."
        return shown_message(request, "sign_in.html", 401, fault=fault)
    response = see_other(request, "me")
    set_cookie(request, response, secret)
    return response


async def _sign_out(request: Request) -> Response:
    await signed_in(request)
    await backend_of(request).write(lambda stores: accounts.sign_out(stores.web, cookie(request)))
    response = see_other(request, "sign-in")
    set_cookie(request, response, "")
    return response


# ---------------------------------------------------------------- own bots


async def _me(request: Request) -> Response:
    account = await account_if_any(request)
    if account is None:
        return see_other(request, "sign-in")
    backend = backend_of(request)
    values = await backend.read(lambda stores: _overview(stores, account, backend.settings.upload_mb))
    return shown_message(request, "me.html", account=account, **values)


def _overview(stores: Stores, account: Account, upload_mb: int) -> dict[str, Any]:
    """Return the author's versions, each with its outcome, and the submissions that did not become a version."""
    league, author = stores.league, account.author
    own = [version for version in versions.in_state(league, retired=True) if version.author == author]
    bounds = league.settings
    limits = [f"{bounds.uploads} uploads an hour"] if bounds.uploads else []
    limits += [f"{bounds.bots} bots"] if bounds.bots else []
    return {
        "versions": [(version, outcome_text(league, version)) for version in own[::-1]],
        "limits": ", ".join([f"{upload_mb} MiB an upload", *limits]),
        "not_taken": oversight.entries(league, _LISTED, what="receive", author=author, outcome="refused")[::-1],
    }


async def _upload(request: Request) -> Response:
    account = await signed_in(request)
    async with request.form(max_files=1, max_fields=4) as form:
        version = await take_upload(request, account, form)
    return see_other(request, f"me/versions/{version.id}")


async def take_upload(request: Request, account: Account, form: FormData) -> Version:
    """Put an upload into the queue and return its version.

    If it is not taken, record this for the author and raise ArenaError.
    """
    backend = backend_of(request)
    most = backend.settings.upload_mb
    uploaded = form.get("file")
    if not isinstance(uploaded, UploadFile) or not uploaded.filename:
        raise HTTPException(400, "choose a file (the field 'file' of the form)")
    file = uploaded.filename
    name, entry, again = (str(form.get(key) or "").strip() for key in ("name", "entry", "again"))
    async with backend.uploading:
        await backend.read(lambda stores: oversight.check_uploads(stores.league, account.author))
        content = await uploaded.read()
        if len(content) > most << 20:
            raise HTTPException(413, f"that is too large: at most {most} MiB")
        try:
            submission = await asyncio.to_thread(
                read_upload, file, content, account.author, name or None, entry or None
            )
        except ArenaError as error:
            told = {"subject": one_line(file, 200), "author": account.author, "detail": str(error)}
            await backend.write(lambda stores: oversight.record(stores.league, "receive", "refused", **told))
            raise
        return await backend.write(lambda stores: book.enqueue(stores.league, submission, again == "true").version)


def outcome_text(league: League, version: Version) -> str:
    """Return the outcome for a version in words: `placed 2nd of 7, +88 (+61 -58)`, as it was then."""
    if version.state in OPEN:
        return "being placed" if version.state == versions.PLACING else "waiting to be checked"
    if version.state == versions.REFUSED:
        return "refused"
    later = f", replaced {version.reason}" if version.state == versions.REPLACED else ""
    later += ", retired" if version.retired else ""
    for rank, elo, minus, plus, bots in league.query(
        "SELECT rank, elo, minus, plus, (SELECT count(*) FROM ratings o WHERE o.event = r.event) FROM ratings r"
        " WHERE version = ? ORDER BY event LIMIT 1",
        version.id,
    ):
        rating = "" if elo is None else f", {rating_text(elo, plus, minus)}"
        return f"placed {ordinal(rank)} of {bots}{rating}{later}"
    return f"placed{later}"


def progress(league: League, version: Version) -> dict[str, Any]:
    """Return the progress of a version as plain values.

    `ahead` is the number of submissions taken up before it (None once it is worked on or decided), `warnings` are from
    its check, `waits` says why submissions have to wait.
    """
    values: dict[str, Any] = {
        "id": version.id,
        "bot": version.name,
        "version": version.number,
        "author": version.author,
        "state": version.state,
        "outcome": outcome_text(league, version),
        "submitted": utc_iso(version.submitted),
        "decided": version.decided and utc_iso(version.decided),
        "reason": version.reason,
        "retired": version.retired is not None,
        "retired_reason": version.retired_reason,
        "held": False,
        "ahead": None,
        "waits": "",
        "warnings": [
            entry["detail"]
            for entry in oversight.entries(league, since=version.submitted, what="check", subject=version.label)
        ],
        "entry": version.entry,
        "hash": version.hash,
    }
    if version.state in OPEN:
        held = oversight.activity(league).get("version")
        values["held"] = version.id == held
        if not values["held"]:
            queue = [other.id for other in versions.waiting(league) if other.id != held]
            values["ahead"] = queue.index(version.id) if version.id in queue else 0
            values["waits"] = oversight.paused(league)
    return values


# ---------------------------------------------------------------- one of them


def own_version(league: League, account: Account, number: int) -> Version:
    """Return one of the account's versions; organisers own all. Raise NoPage for others, as if they did not exist."""
    if league.value("SELECT 1 FROM versions WHERE version = ?", number):
        version = versions.get(league, number)
        if account.admin or version.author == account.author:
            return version
    raise NoPage("you have no such version")


def own_bot(league: League, account: Account, name: str) -> Version:
    """Return the active version of one of the account's bots, or the last one. Raise NoPage for others' bots."""
    with suppress(LeagueError):
        version = chosen_version(league, name, None)
        if account.admin or version.author == account.author:
            return version
    raise NoPage("you have no such bot")


async def _version(request: Request) -> Response:
    account = await signed_in(request)
    number = whole_number(request.path_params["number"])
    return HTMLResponse(await backend_of(request).site(version_page, account, number))


def version_page(site: Site, account: Account, number: int) -> str:
    """Return the page that shows the progress of a version."""
    version = own_version(site.league, account, number)
    table = league_standings(site.league, version) if version.state == versions.PLACING else site.table
    latest = last_games_by_opponent(site.league, version, _GAMES_PER_OPPONENT)
    return site.render(
        "version.html",
        f"me/versions/{number}",
        account=account,
        version=version,
        progress=progress(site.league, version),
        lost=[card(site, game) for game in lost_games(latest, version)],
        standing=table.row_of(version.id),
        settings=site.league.settings,
        live=version.state in OPEN,
    )


async def _again(request: Request) -> Response:
    account = await signed_in(request)
    backend, number = backend_of(request), whole_number(request.path_params["number"])
    await backend.write(lambda stores: check_again(stores, account, number))
    return see_other(request, f"me/versions/{number}")


def check_again(stores: Stores, account: Account, number: int) -> None:
    """Put a refused version of the account back into the queue; this counts as an upload."""
    version = own_version(stores.league, account, number)
    submission = versions.submission_of_version(stores.league, version)
    oversight.check_uploads(stores.league, account.author)
    book.enqueue(stores.league, submission, True)


async def _bot(request: Request) -> Response:
    account = await signed_in(request)
    name = request.path_params["name"]
    return HTMLResponse(await backend_of(request).site(own_bot_page, account, name))


def own_bot_page(site: Site, account: Account, name: str) -> str:
    """Return the page of a bot with the parts that only its author may see."""
    values = bot_values(site, own_bot(site.league, account, name), private=True)
    return site.render("bot.html", f"me/bots/{name}", account=account, own=True, **values)


async def _retire(request: Request) -> Response:
    account = await signed_in(request)

    def retire(stores: Stores) -> None:
        bot = own_bot(stores.league, account, request.path_params["name"])
        book.retire(stores.league, bot.name, "by its author")

    await backend_of(request).write(retire)
    return see_other(request, "me")


# ---------------------------------------------------------------- organisers


async def _admin(request: Request) -> Response:
    return await _admin_page(request, await organiser(request))


async def _admin_page(
    request: Request, account: Account, links: Mapping[str, str] | None = None, faults: Sequence[str] = ()
) -> Response:
    """Return the organisers' page with new links by author, and why other authors were not invited."""
    values = await backend_of(request).read(league_overview)
    return shown_message(request, "admin.html", account=account, links=links or {}, faults=faults, **values)


def league_overview(stores: Stores) -> Mapping[str, Any]:
    """Return the values for the organisers' page."""
    league = stores.league
    known = versions.in_state(league, retired=True)
    return {
        "pause": oversight.paused(league),
        "invited": accounts.invitations(stores.web)[::-1],
        "bots": [version for version in known if version.state == versions.ACTIVE],
        "waiting": [version for version in known if version.state in OPEN],
        "refused": [version for version in known if version.state == versions.REFUSED][::-1],
        "log": log_table(oversight.entries(league, _LOG_ENTRIES)[::-1]),
    }


async def _act(request: Request) -> Response:
    """Handle a form of the organisers' page: an action `do` on a bot, an author or a version `what`, for a `reason`."""
    account = await organiser(request)
    fields = await form_fields(request)
    do, what, reason = (fields.get(key, "") for key in ("do", "what", "reason"))
    backend = backend_of(request)
    if do == "check":
        number = whole_number(what)
        await backend.write(lambda stores: check_again(stores, account, number))
    elif do == "invite":
        tokens, faults = await backend.write(lambda stores: invite_authors(stores, what, account.author))
        page = request.headers.get("referer", str(request.url))  # a proxy may serve us below a path
        links = {author: accounts.sign_in_link(page.rpartition("/")[0], token) for author, token in tokens.items()}
        return await _admin_page(request, account, links, faults)
    else:
        text = one_line(reason, _MAX_REASON_CHARACTERS) or f"by {account.author}"
        await backend.write(lambda stores: organise(stores, do, what, text, account.author))
    return see_other(request, "admin")


def invite_authors(stores: Stores, names: str, by: str) -> tuple[dict[str, str], list[str]]:
    """Invite authors as `accounts.invite_all` does, and log it."""
    tokens, faults = accounts.invite_all(stores.web, names)
    with stores.league.change():
        for author in tokens:
            oversight.record(stores.league, "invite", "invited", author=author, detail=f"by {by}")
    return tokens, faults


def organise(stores: Stores, do: str, what: str, reason: str, by: str) -> None:
    """Do what an organiser asks. Raise LeagueError if it cannot be done."""
    league = stores.league
    if do == "pause":
        oversight.pause_league(league, reason)
    elif do == "resume":
        oversight.resume_league(league)
    elif do == "retire":
        book.retire(league, what, reason)
    elif do == "return":
        book.bring_back(league, what)
    elif do == "revoke":
        number = accounts.revoke(stores.web, what)
        oversight.record(league, "invite", "revoked", author=what, detail=f"{number} tokens, by {by}")


# ---------------------------------------------------------------- programs; the page "Write a bot" documents it


def json_response(values: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return values as a JSON response."""
    return Response(json_text(values), status, headers, media_type="application/json")


async def _who(request: Request) -> Response:
    """Say who is signed in, for scripts of the public pages, which are the same for everybody."""
    account = await account_if_any(request)
    if account is None:
        return json_response({"author": None, "admin": False})
    return json_response({"author": account.author, "admin": account.admin})


async def _submit(request: Request) -> Response:
    account = await bearer(request)
    async with request.form(max_files=1, max_fields=4) as form:
        version = await take_upload(request, account, form)
    values = await backend_of(request).read(lambda stores: progress(stores.league, version))
    return json_response(values, 202 if version.state in OPEN else 200)


async def _submission(request: Request) -> Response:
    account, number = await bearer(request), whole_number(request.path_params["number"])

    def values(stores: Stores) -> dict[str, Any]:
        return progress(stores.league, own_version(stores.league, account, number))

    return json_response(await backend_of(request).read(values))


MEMBER_ROUTES = [
    Route("/sign-in", _sign_in_form),
    Route("/sign-in", _sign_in, methods=["POST"]),
    Route("/sign-out", _sign_out, methods=["POST"]),
    Route("/me", _me),
    Route("/me/upload", _upload, methods=["POST"]),
    Route("/me/versions/{number}", _version),
    Route("/me/versions/{number}/again", _again, methods=["POST"]),
    Route("/me/bots/{name}", _bot),
    Route("/me/bots/{name}/retire", _retire, methods=["POST"]),
    Route("/admin", _admin),
    Route("/admin", _act, methods=["POST"]),
    Route("/api/v1/me", _who),
    Route("/api/v1/submissions", _submit, methods=["POST"]),
    Route("/api/v1/submissions/{number}", _submission),
]
