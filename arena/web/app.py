"""The application: its addresses, the requests that it refuses, the headers of every response, and errors."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.errors import ArenaError
from arena.league.store import league_folder
from arena.web import members, play_pages
from arena.web.backend import Backend, WebSettings, backend_of, shown_message
from arena.web.public import STATIC, NoPage, Stored, static_file
from arena.web.web_games import CannotPlay

MAX_HEAD_BYTES = 64 << 10
MAX_FORM_BYTES = 64 << 10
API = "/api/"
UPLOADS = ("/me/upload", "/api/v1/submissions")
HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src"
    " 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def create_app(folder: Path, settings: WebSettings | None = None) -> Starlette:
    """Return the web application of the league in a folder. Raise LeagueError if there is no league."""
    folder = league_folder(folder)
    settings = settings or WebSettings()

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with Backend(folder, settings) as backend:
            app.state.backend = backend
            yield

    return Starlette(
        routes=[*members.MEMBER_ROUTES, *play_pages.PLAY_ROUTES, *_ROUTES],
        middleware=[Middleware(Guard, settings=settings), Middleware(GZipMiddleware, compresslevel=5)],
        lifespan=lifespan,
        exception_handlers={
            HTTPException: _refused,
            NoPage: _no_page,
            CannotPlay: _not_now,
            ArenaError: _failed,
            ClientDisconnect: _broken_off,
            500: _broken,
        },
    )


# ---------------------------------------------------------------- every request


class Guard:
    """Middleware that refuses large requests and requests from other sites, and adds headers."""

    def __init__(self, app: ASGIApp, settings: WebSettings) -> None:
        self._app = app
        self._max_upload_bytes = (settings.upload_mb << 20) + MAX_FORM_BYTES
        self._secure = settings.secure
        headers = HEADERS | ({"strict-transport-security": "max-age=31536000"} if settings.secure else {})
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                names = {name for name, _ in message["headers"]}
                more = [header for header in self._headers if header[0] not in names]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        app = self._refusal(scope) or self._app
        await app(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        """Return the response to a request that is refused, None for any other."""
        path, headers = scope["path"], Headers(scope=scope)
        head = [scope["raw_path"], scope["query_string"], *itertools.chain.from_iterable(scope["headers"])]
        if sum(map(len, head)) > MAX_HEAD_BYTES:  # h11 takes more if it arrives at once
            return PlainTextResponse("the headers are too large", 431, {"connection": "close"})
        if not path.isprintable():  # routes ignore a newline at the end
            return PlainTextResponse("there is no such page", 404)
        if scope["method"] != "POST":  # nothing else is changed here, and no other body is read
            return None
        charset = headers.get("content-type", "").lower().partition("charset=")[2].partition(";")[0].strip('" ')
        if charset not in ("", "utf-8"):  # some Python codecs fail in unexpected ways
            return PlainTextResponse("forms must be in UTF-8", 415)
        if not path.startswith(API) and not is_same_origin(headers, "https" if self._secure else scope["scheme"]):
            return PlainTextResponse("this request came from another site, so nothing was done", 403)
        length, most = headers.get("content-length", ""), self._max_upload_bytes if path in UPLOADS else MAX_FORM_BYTES
        if not length or "transfer-encoding" in headers:
            return PlainTextResponse("the header Content-Length is required", 411, {"connection": "close"})
        if int(length) > most:  # the server has checked that it is a number, and reads no more than it says
            limit = f"{most >> 20} MiB" if most >> 20 else f"{most >> 10} KiB"
            text = f"that is too large: at most {limit}"
            return _message(Request(scope), 413, "Too large", text, {"connection": "close"})
        return None


def is_same_origin(headers: Headers, scheme: str) -> bool:
    """Return whether a request comes from one of our own pages, served by `scheme`, or from no page at all.

    Browsers say so with each form (`Sec-Fetch-Site`, `Origin`); programs say nothing.
    """
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is None or origin == f"{scheme}://{headers.get('host')}"


# ---------------------------------------------------------------- pages for everybody


async def _page(request: Request) -> Response:
    return _stored(request, await backend_of(request).page(request.path_params["path"]), "no-cache")


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        raise NoPage("there is no such file")
    return _stored(request, static_file(name), "max-age=3600")


def _stored(request: Request, what: Stored, caching: str) -> Response:
    """Return a page or a file, compressed if the reader takes that, or that the reader has it already."""
    headers = {"etag": what.etag, "cache-control": caching, "vary": "accept-encoding"}
    known = request.headers.get("if-none-match", "")
    if what.etag.removeprefix("W/") in known:  # a list of tags, which proxies make weak
        return Response(status_code=304, headers=headers)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(what.body, 200, headers, what.media_type)
    return Response(what.packed, 200, headers | {"content-encoding": "gzip"}, what.media_type)


async def _no_icon(request: Request) -> Response:
    """Return nothing for the icon that browsers request."""
    return Response(status_code=204, headers={"cache-control": "max-age=86400"})


async def _health(request: Request) -> Response:
    """Return a line of text if the league can be read."""
    games = await backend_of(request).read(lambda stores: stores.league.count_games())
    return PlainTextResponse(f"ok {games} games\n")


_ROUTES = [
    Route("/static/{name}", _static),
    Route("/healthz", _health),
    Route("/favicon.ico", _no_icon),
    Route("/{path:path}", _page),
]


# ---------------------------------------------------------------- errors


def _message(
    request: Request, status: int, title: str, text: str, headers: Mapping[str, str] | None = None
) -> Response:
    if request.url.path.startswith(API):
        return members.json_response({"error": text}, status, headers)
    part = request.url.path.split("/")[1]
    if status == 401:
        steps = [("sign-in", "Sign in")]
    elif request.method == "POST":
        steps = [(part, "Back")] + [("write", "How to write a bot")] * (part == "me")
    else:
        steps = [("play", "Play a bot"), ("", "See the standings")]
    response = shown_message(request, "page.html", status, title=title, text=text, steps=steps)
    response.headers.update(headers or {})
    return response


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    titles = {404: "Not found", 401: "This page is for authors", 403: "Not allowed", 405: "Not possible here"}
    title = titles.get(error.status_code, "Not possible")
    return _message(request, error.status_code, title, error.detail, error.headers)


async def _no_page(request: Request, error: Exception) -> Response:
    return _message(request, 404, "Not found", str(error))


async def _not_now(request: Request, error: Exception) -> Response:
    return _message(request, 429, "Not now", str(error))


async def _failed(request: Request, error: Exception) -> Response:
    return _message(request, 400, "That did not work", str(error))


async def _broken_off(request: Request, error: Exception) -> Response:
    return Response(status_code=400)  # nobody reads it


async def _broken(request: Request, error: Exception) -> Response:
    return PlainTextResponse("something went wrong here; it has been logged", 500, HEADERS)
