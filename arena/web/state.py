"""What the handlers of the application have in common: settings, who asks, where to go next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from arena.web import accounts
from arena.web.accounts import Account, Session
from arena.web.desk import Desk, Office
from arena.web.guard import Attempts, Metrics
from arena.web.playing.tables import PlayLimits, Tables
from arena.web.queue import Limits


@dataclass(frozen=True)
class WebSettings:
    """How a league is served.

    limits   what an author may do
    play     what people who play against bots may use
    level    where bots run; None: as the league's settings say, those that people play against in the sandbox
    secure   browsers reach it by HTTPS only: cookies are never sent otherwise
    body_s   seconds in which a request has to arrive
    """

    limits: Limits = field(default_factory=Limits)
    play: PlayLimits = field(default_factory=PlayLimits)
    level: str | None = None
    secure: bool = False
    body_s: float = 60.0


@dataclass(frozen=True)
class State:
    """What an application holds."""

    desk: Desk
    settings: WebSettings
    metrics: Metrics
    attempts: Attempts
    tables: Tables
    league: str

    @property
    def cookie(self) -> str:
        """The name of the cookie of sessions; with the prefix, no other host can have set it."""
        return "__Host-arena" if self.settings.secure else "arena"


def state_of(request: Request) -> State:
    """The state of the application that a request came to."""
    return cast(State, request.app.state.arena)


def address(request: Request) -> str:
    """The address that a request came from."""
    return request.client.host if request.client else ""


async def session(request: Request) -> tuple[Session, str]:
    """The session of a request and its secret; a 401 if there is none."""
    secret = request.cookies.get(state_of(request).cookie, "")
    found = await state_of(request).desk.office(_session, secret) if secret else None
    if found is None:
        raise HTTPException(401, "Sign in first.")
    return found, secret


def _session(office: Office, secret: str) -> Session | None:
    return accounts.session_of(office.store, secret)


async def organiser(request: Request) -> Session:
    """The session of an organiser; a 404 for all others, who need not know that there is something."""
    found, _ = await session(request)
    if not found.account.admin:
        raise HTTPException(404, "there is no such page")
    return found


async def bearer(request: Request) -> Account:
    """Whose token a request to the API carries; a 401 without one."""
    state = state_of(request)
    if state.attempts.blocked(address(request)):
        raise too_many_attempts()
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    found = await state.desk.office(_account, token.strip()) if kind.lower() == "bearer" else None
    if found is None:
        if token:
            failed(request)
        raise HTTPException(401, "a valid token is needed: Authorization: Bearer TOKEN", {"www-authenticate": "Bearer"})
    return found


def _account(office: Office, token: str) -> Account | None:
    found = accounts.account_of(office.store, token)
    return found and found[1]


def failed(request: Request) -> None:
    """Count a token that is not valid."""
    state = state_of(request)
    state.attempts.note(address(request))
    state.metrics.failures += 1


def too_many_attempts() -> HTTPException:
    """The answer to who has tried too many tokens."""
    return HTTPException(429, "too many tokens that are not valid; try again in some minutes", {"retry-after": "300"})


def check_form(found: Session, text: Any) -> None:
    """A 403 unless a form was made by us for this session."""
    import hmac

    if not isinstance(text, str) or not hmac.compare_digest(text.encode(), found.form.encode()):
        raise HTTPException(403, "this form is not from your session; go back, reload the page and try again")


def see_other(request: Request, path: str) -> Response:
    """Go on to another page of ours; the address is relative, for a server below a path."""
    root = "../" * (request.url.path.count("/") - 1)
    return RedirectResponse(f"{root}{path}" or ".", 303)
