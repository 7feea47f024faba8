"""The application: which address shows or does what."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from arena.errors import ArenaError
from arena.league.store import league_folder
from arena.web import admin, api, members
from arena.web.desk import Desk, Kept, Office
from arena.web.guard import API, SAFE, Attempts, Guard, Metrics
from arena.web.playing import pages as playing
from arena.web.playing.tables import Tables
from arena.web.public import SKELETON_NAME, NoPage, skeleton
from arena.web.render import STATIC, render, static_file
from arena.web.state import State, WebSettings, state_of

MOST_LISTENERS = 500


def create_app(folder: Path, settings: WebSettings | None = None, apart: bool = True) -> Starlette:
    """The web application of the league in a folder.

    `apart`: pages are made in a process of their own. LeagueError if there is no league.
    """
    folder = league_folder(folder)
    settings = settings or WebSettings()
    metrics, level = Metrics(), settings.level
    beside = "process" if level == "none" else level or "sandbox"  # a bot that hangs must not hang a person's game

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with Desk(folder, apart, level) as desk, Tables(folder, beside, settings.play) as tables:
            app.state.arena = State(desk, settings, metrics, Attempts(), tables, await desk.office(_name))
            yield

    guard = Middleware(
        Guard, upload_bytes=settings.limits.mb << 20, body_s=settings.body_s, metrics=metrics, secure=settings.secure
    )
    return Starlette(
        routes=[*_ROUTES, *members.ROUTES, *admin.ROUTES, *api.ROUTES, *playing.ROUTES, Route("/{path:path}", _page)],
        middleware=[guard, Middleware(_AtHand)],
        lifespan=lifespan,
        exception_handlers={HTTPException: _refused, NoPage: _no_page, ArenaError: _failed},
    )


def _name(office: Office) -> str:
    return office.league.name


# ---------------------------------------------------------------- what everybody may see


async def _page(request: Request) -> Response:
    """What everybody may see, kept until the league changes."""
    return _AsKept(await state_of(request).desk.page(request.path_params["path"]))


class _AtHand:
    """Sends public pages that are at hand before anything else is looked at: most requests are for them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kept = None
        if scope["type"] == "http" and scope["method"] in SAFE:
            kept = scope["app"].state.arena.desk.at_hand(scope["path"][1:])
        await (self._app if kept is None else _AsKept(kept))(scope, receive, send)


class _AsKept(Response):
    """A page that was made, or that it has not changed."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self.background = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kept = self._kept
        headers = [(b"etag", kept.etag), (b"cache-control", b"no-cache")]
        known = (b"if-none-match", kept.etag) in scope["headers"]
        body = b"" if known else kept.body
        if not known:
            headers += [(b"content-type", kept.kind), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 304 if known else 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        raise NoPage("there is no such file")
    return Response(static_file(name), media_type=STATIC[name][1], headers={"cache-control": "max-age=3600"})


async def _no_icon(request: Request) -> Response:
    """Browsers ask for one."""
    return Response(status_code=204, headers={"cache-control": "max-age=86400"})


async def _skeleton(request: Request) -> Response:
    headers = {"content-disposition": f'attachment; filename="{SKELETON_NAME}.py"'}
    return PlainTextResponse(skeleton(), headers=headers)


async def _events(request: Request) -> Response:
    """Server-sent events: `change` each time something has happened in the league."""
    desk = state_of(request).desk
    if desk.listeners >= MOST_LISTENERS:
        return PlainTextResponse("too many listen already", 503, {"retry-after": "60"})

    async def stream() -> AsyncIterator[bytes]:
        yield b"retry: 5000\n\n"
        async for number in desk.changes():
            yield b": \n\n" if number is None else f"event: change\ndata: {number}\n\n".encode()

    return StreamingResponse(stream(), media_type="text/event-stream", headers={"x-accel-buffering": "no"})


_ROUTES = [
    Route("/static/{name}", _static),
    Route("/skeleton.py", _skeleton),
    Route("/events", _events),
    Route("/favicon.ico", _no_icon),
]


# ---------------------------------------------------------------- what goes wrong


def _message(
    request: Request, status: int, title: str, text: str, headers: Mapping[str, str] | None = None
) -> Response:
    if request.url.path.startswith(API):
        return api.fault(status, text, headers)
    page = render(
        "message.html",
        request.url.path.strip("/"),
        league=state_of(request).league,
        title=title,
        text=text,
        back=None,
        live=False,
    )
    return HTMLResponse(page, status, headers)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    title = {404: "Not found", 401: "Sign in first", 403: "Not allowed", 405: "Not possible here"}
    return _message(
        request, error.status_code, title.get(error.status_code, "Not possible"), error.detail, error.headers
    )


async def _no_page(request: Request, error: Exception) -> Response:
    return _message(request, 404, "Not found", str(error))


async def _failed(request: Request, error: Exception) -> Response:
    return _message(request, 400, "That did not work", str(error))
