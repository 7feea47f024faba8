"""What organisers do: invite and revoke, pause, retire and bring back, see the log."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from arena.league import placement, versions
from arena.league.oversight import audit
from arena.league.oversight import pause as pauses
from arena.results.league import log_table
from arena.text import one_line
from arena.web import accounts
from arena.web.accounts import Invitation, Session
from arena.web.desk import Office
from arena.web.members import check_again
from arena.web.render import render
from arena.web.state import check_form, organiser, see_other, state_of

_LONGEST = 200
_LOG = 200


async def _admin(request: Request) -> Response:
    found = await organiser(request)
    values = await state_of(request).desk.office(overview)
    return _shown(request, found, values)


def _shown(request: Request, found: Session, values: Mapping[str, Any], made: str = "") -> Response:
    league = state_of(request).league
    page = render("admin.html", "admin", league=league, live=False, form=found.form, made=made, **values)
    return HTMLResponse(page)


def overview(office: Office) -> dict[str, Any]:
    """What the page of the organiser shows."""
    league, now = office.league, time.time()
    invited: list[tuple[Invitation, str]] = [(one, one.state(now)) for one in accounts.invitations(office.store)][::-1]
    every = versions.in_state(league, retired=True)
    return {
        "pause": pauses.paused(league),
        "invited": invited,
        "bots": [one for one in every if one.state == versions.ACTIVE],
        "waiting": [one for one in every if one.state in versions.OPEN],
        "refused": [one for one in every if one.state == versions.REFUSED][::-1],
        "log": log_table([vars(entry) for entry in audit.entries(league, _LOG)[::-1]]),
    }


async def _act(request: Request) -> Response:
    """One of the organiser's forms: `do` says what, `what` to which bot, author or version, `reason` why."""
    found = await organiser(request)
    async with request.form(max_files=0, max_fields=5) as form:
        check_form(found, form.get("form"))
        do, what, reason = (str(form.get(key) or "") for key in ("do", "what", "reason"))
    state = state_of(request)
    if do == "check":
        await state.desk.office(check_again, found.account, int(what) if what.isdecimal() else 0, state.settings.limits)
    else:
        token = await state.desk.office(act, do, what, one_line(reason, _LONGEST), found.account.author)
        if token:
            values = await state.desk.office(overview)
            return _shown(request, found, values, token)
    state.desk.touch()
    return see_other(request, "admin")


def act(office: Office, do: str, what: str, reason: str, by: str) -> str:
    """Do what the organiser asks; a new token, or "". LeagueError if it cannot be done."""
    league = office.league
    reason = reason or f"by {by}"
    if do == "pause":
        pauses.pause(league, reason)
    elif do == "resume":
        pauses.go_on(league)
    elif do in ("retire", "return"):
        placement.retire(league, what, "" if do == "return" else reason, do == "return")
    elif do == "invite":
        token = accounts.invite(office.store, what)
        audit.record(league, "invite", "invited", author=what, detail=f"by {by}")
        return token
    elif do == "revoke":
        number = accounts.revoke(office.store, what)
        audit.record(league, "invite", "revoked", author=what, detail=f"{number} tokens, by {by}")
    return ""


ROUTES = [Route("/admin", _admin), Route("/admin", _act, methods=["POST"])]
