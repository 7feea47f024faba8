"""What authors do: sign in, upload, see what has become of it, retire a bot. Each sees and changes only own bots."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from arena.errors import ArenaError
from arena.league import placement, versions
from arena.league.oversight import audit
from arena.league.rating import standings
from arena.league.store import League
from arena.league.submission import Submission
from arena.web import accounts, queue
from arena.web.accounts import SESSION_S, Account, Session
from arena.web.desk import Office
from arena.web.public import NoPage, Site, bot_values
from arena.web.queue import Limits
from arena.web.render import render
from arena.web.state import address, check_form, failed, see_other, session, state_of, too_many_attempts
from arena.web.uploads import read_upload

LONGEST_TOKEN = 200


def _shown(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    path = request.url.path.strip("/")
    values = {"live": False} | values
    return HTMLResponse(render(template, path, league=state_of(request).league, **values), status)


# ---------------------------------------------------------------- signing in


async def _sign_in_form(request: Request) -> Response:
    """The link of an invitation leads here. Following it changes nothing: mail programs follow links, too."""
    return _shown(request, "sign_in.html", token=request.query_params.get("token", "")[:LONGEST_TOKEN], fault="")


async def _sign_in(request: Request) -> Response:
    state = state_of(request)
    if state.attempts.blocked(address(request)):
        raise too_many_attempts()
    async with request.form(max_files=0, max_fields=2) as form:
        token = form.get("token")
    secret = None
    if isinstance(token, str) and len(token) <= LONGEST_TOKEN:
        secret = await state.desk.office(_begin, token.strip())
    if secret is None:
        failed(request)
        fault = "This token is not valid: it is misspelt, has expired, or was revoked."
        return _shown(request, "sign_in.html", 401, token="", fault=fault)
    answer = see_other(request, "me")
    answer.set_cookie(
        state.cookie, secret, max_age=int(SESSION_S), secure=state.settings.secure, httponly=True, samesite="lax"
    )
    return answer


def _begin(office: Office, token: str) -> str | None:
    secret = accounts.sign_in(office.store, token)
    if secret is not None:
        found = accounts.session_of(office.store, secret)
        audit.record(office.league, "web", "signed in", author=found.account.author if found else None)
    return secret


async def _sign_out(request: Request) -> Response:
    found, secret = await session(request)
    async with request.form(max_files=0, max_fields=2) as form:
        check_form(found, form.get("form"))
    await state_of(request).desk.office(_end, secret)
    answer = see_other(request, "sign-in")
    answer.delete_cookie(state_of(request).cookie, secure=state_of(request).settings.secure, httponly=True)
    return answer


def _end(office: Office, secret: str) -> None:
    accounts.sign_out(office.store, secret)


# ---------------------------------------------------------------- own bots


async def _me(request: Request) -> Response:
    try:
        found, _ = await session(request)
    except HTTPException:
        return see_other(request, "sign-in")
    state = state_of(request)
    mine, uploads = await state.desk.office(_overview, found.account)
    return _shown(
        request,
        "me.html",
        account=found.account,
        form=found.form,
        versions=mine,
        uploads=uploads,
        limits=state.settings.limits,
    )


def _overview(office: Office, account: Account) -> tuple[list[versions.Version], list[queue.Upload]]:
    return queue.of_author(office.league, account.author), queue.uploads_of(office.store, account)


async def _upload(request: Request) -> Response:
    found, _ = await session(request)
    limits = state_of(request).settings.limits
    async with request.form(max_files=1, max_fields=6, max_part_size=limits.mb << 20) as form:
        check_form(found, form.get("form"))
        file, text = form.get("file"), form.get("text")
        if isinstance(file, UploadFile) and file.filename:
            name, content = file.filename, await file.read()
        elif isinstance(text, str) and text.strip():
            asked = form.get("name")
            name = f"{asked}.py" if isinstance(asked, str) and asked.strip() else "bot.py"
            content = text.replace("\r\n", "\n").encode()
        else:
            raise HTTPException(400, "choose a file, or paste the text of a bot")
        called, entry = form.get("name"), form.get("entry")
    one = await take(request, found.account, name, content, str(called or "").strip(), str(entry or "").strip())
    return see_other(request, f"me/versions/{one.id}")


async def take(
    request: Request, account: Account, file: str, content: bytes, name: str, entry: str, again: bool = False
) -> versions.Version:
    """Take an upload: its version in the queue. ArenaError with the reason if it is not taken, which is kept, too."""
    state = state_of(request)
    if len(content) > state.settings.limits.mb << 20:
        raise HTTPException(413, f"that is too large: at most {state.settings.limits.mb} MiB")
    number = await state.desk.office(_begin_upload, account, state.settings.limits, file)
    try:
        submission = await asyncio.to_thread(read_upload, file, content, account.author, name or None, entry or None)
        one = await state.desk.office(_receive, number, submission, state.settings.limits, again)
    except ArenaError as error:
        await state.desk.office(_not_taken, number, str(error))
        state.metrics.uploads["refused"] += 1
        raise
    state.metrics.uploads["taken"] += 1
    state.desk.touch()
    return one


def _begin_upload(office: Office, account: Account, limits: Limits, file: str) -> int:
    return queue.begin_upload(office.store, account, limits, file)


def _receive(office: Office, number: int, what: Submission, limits: Limits, again: bool) -> versions.Version:
    return queue.receive(office.league, office.store, number, what, limits, again)


def _not_taken(office: Office, number: int, text: str) -> None:
    queue.end_upload(office.store, number, "not taken", text)


# ---------------------------------------------------------------- one of them


def own_version(league: League, account: Account, number: int) -> versions.Version:
    """A version of one's own; organisers have all. NoPage for others', as if they were not there."""
    if league.one("SELECT 1 FROM versions WHERE version = ?", number):
        one = versions.get(league, number)
        if account.admin or one.author == account.author:
            return one
    raise NoPage("you have no such version")


def own_bot(league: League, account: Account, name: str) -> versions.Version:
    """The last version of a bot of one's own."""
    found = [one for one in versions.in_state(league, retired=True) if one.name.lower() == name.lower()]
    if not found or not (account.admin or found[-1].author == account.author):
        raise NoPage("you have no such bot")
    return next((one for one in found if one.state == versions.ACTIVE), found[-1])


async def _version(request: Request) -> Response:
    found, _ = await session(request)
    page = await state_of(request).desk.read(version_page, found, request.path_params["number"])
    return HTMLResponse(page)


def version_page(site: Site, found: Session, number: int) -> str:
    """How far a version has come."""
    one = own_version(site.league, found.account, number)
    told = queue.progress(site.league, one.id)
    place = site.table.row_of(one.id)
    if one.state == versions.PLACING:
        place = standings(site.league, one).row_of(one.id)
    live = one.state in versions.OPEN
    return site.render(
        "version.html",
        f"me/versions/{number}",
        one=told,
        place=place,
        form=found.form,
        settings=site.league.settings,
        live=live,
    )


async def _again(request: Request) -> Response:
    found, _ = await session(request)
    async with request.form(max_files=0, max_fields=2) as form:
        check_form(found, form.get("form"))
    number = request.path_params["number"]
    await state_of(request).desk.office(check_again, found.account, number, state_of(request).settings.limits)
    state_of(request).desk.touch()
    return see_other(request, f"me/versions/{number}")


def check_again(office: Office, account: Account, number: int, limits: Limits) -> None:
    """Put a refused version of one's own into the queue once more; it counts as an upload."""
    one = own_version(office.league, account, number)
    files = tuple(versions.files_of(office.league, one.id))
    upload = queue.begin_upload(office.store, account, limits, f"{one.label} once more")
    try:
        queue.receive(
            office.league, office.store, upload, Submission(one.name, one.author, one.entry, files), limits, True
        )
    except ArenaError as error:
        queue.end_upload(office.store, upload, "not taken", str(error))
        raise


async def _bot(request: Request) -> Response:
    found, _ = await session(request)
    return HTMLResponse(await state_of(request).desk.read(my_bot_page, found, request.path_params["name"]))


def my_bot_page(site: Site, found: Session, name: str) -> str:
    """All about a bot, with what only its author may see."""
    one = own_bot(site.league, found.account, name)
    return site.render(
        "my_bot.html", f"me/bots/{name}", form=found.form, live=False, **bot_values(site, one, private=True)
    )


async def _retire(request: Request) -> Response:
    found, _ = await session(request)
    async with request.form(max_files=0, max_fields=2) as form:
        check_form(found, form.get("form"))
    await state_of(request).desk.office(retire, found.account, request.path_params["name"], "by its author", False)
    state_of(request).desk.touch()
    return see_other(request, "me")


def retire(office: Office, account: Account, name: str, reason: str, undo: bool) -> None:
    """Retire a bot of one's own, or bring it back."""
    placement.retire(office.league, own_bot(office.league, account, name).name, reason, undo)


ROUTES = [
    Route("/sign-in", _sign_in_form),
    Route("/sign-in", _sign_in, methods=["POST"]),
    Route("/sign-out", _sign_out, methods=["POST"]),
    Route("/me", _me),
    Route("/me/upload", _upload, methods=["POST"]),
    Route("/me/versions/{number:int}", _version),
    Route("/me/versions/{number:int}/again", _again, methods=["POST"]),
    Route("/me/bots/{name}", _bot),
    Route("/me/bots/{name}/retire", _retire, methods=["POST"]),
]
