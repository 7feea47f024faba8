"""The services for request handlers: the databases, the public pages, and the signed-in account.

The event loop never waits for a database or for a page. One thread writes to the databases, another one reads, a third
one makes the pages. When the league has changed, it computes the standings, which takes a second in a large league.
Until then readers see the earlier pages, so nobody waits. A page is made when somebody first asks for it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address, ip_network
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from arena.web import accounts
from arena.web.accounts import Account, Stores
from arena.web.public import Site, Stored, open_site, public_page, web_page
from arena.web.web_games import PlayLimits, WebGames

_P = ParamSpec("_P")
_T = TypeVar("_T")
_log = logging.getLogger("arena.web")


POLL_S = 0.5
FRESH_S = 1.0
OUTDATED_S = 5.0
PAUSE_S = 0.1
MAX_PAGES = 300


@dataclass(frozen=True)
class WebSettings:
    """The settings of a server.

    upload_mb   MiB of the largest upload
    play        limits on games against bots
    level       isolation of bots; None: the league's setting, and the sandbox for games against bots
    secure      whether browsers connect only by HTTPS, so that cookies are marked as Secure
    """

    upload_mb: int = 8
    play: PlayLimits = field(default_factory=PlayLimits)
    level: str | None = None
    secure: bool = False


class StoreThread:
    """A thread with its own connections to the databases."""

    def __init__(self, folder: Path, name: str, write: bool = False) -> None:
        self._stores = Stores(folder, write)
        self._executor = ThreadPoolExecutor(1, name)

    async def run(self, what: Callable[[Stores], _T]) -> _T:
        """Return the result of a function of the databases; the functions run one at a time."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, what, self._stores)

    async def close(self) -> None:
        """Close the databases and end the thread."""
        await self.run(Stores.close)
        self._executor.shutdown()


class Backend:
    """The databases of a served league and its public pages; an asynchronous context manager."""

    def __init__(self, folder: Path, settings: WebSettings) -> None:
        self.folder = folder.resolve()
        self.settings = settings
        level = settings.level
        play_level = "process" if level == "none" else level or "sandbox"  # a bot must not hang a person's game
        self.games = WebGames(folder, play_level, settings.play)
        self._writer = StoreThread(self.folder, "writer", write=True)
        self._reader, self._maker = StoreThread(self.folder, "reader"), StoreThread(self.folder, "pages")
        self.write, self.read = self._writer.run, self._reader.run
        self._version = 0  # of the standings
        self._pages: dict[str, tuple[Stored, int, float]] = {}  # with their versions, and when they were made
        self._making: dict[str, asyncio.Task[Stored]] = {}
        self._turn = asyncio.Lock()
        self.uploading = asyncio.Lock()  # an upload is unpacked in memory, so one at a time

    async def __aenter__(self) -> Backend:
        self.league_name = await self.read(lambda stores: stores.league.name)
        await self.games.__aenter__()
        seen = await self._data_version()
        await self._renew()  # so that the first reader does not wait
        self._watching = asyncio.create_task(self._watch(seen))
        return self

    async def __aexit__(self, *error: object) -> None:
        self._watching.cancel()
        await self.games.__aexit__(*error)
        for thread in (self._maker, self._reader, self._writer):
            await thread.close()

    # ------------------------------------------------------------ pages

    async def site(self, what: Callable[Concatenate[Site, _P], _T], *args: _P.args, **values: _P.kwargs) -> _T:
        """Return the result of a function of the site, with the standings as they were last computed."""
        return await self._maker.run(lambda stores: what(self._site, *args, **values))

    async def page(self, path: str) -> Stored:
        """Return a public page, or figures as JSON. Raise NoPage if there is none at this address.

        While a page is made anew, readers see the one before, unless that is older than a few seconds.
        """
        page, version, made = self._pages.get(path, (None, 0, 0.0))
        if page is not None and version == self._version:
            return page
        is_recent = page is not None and time.monotonic() < made + OUTDATED_S
        if path not in self._making:
            self._making[path] = asyncio.create_task(self._make(path, is_recent))
            self._making[path].add_done_callback(lambda task: self._making.pop(path) and task.exception())
        if page is not None and is_recent:
            return page
        return await asyncio.shield(self._making[path])  # others also wait for it

    async def _make(self, path: str, is_recent: bool) -> Stored:
        """Make a page and keep it. If there is a recent one, take turns: pages made at a stretch hold up requests."""
        if is_recent:
            async with self._turn:
                await asyncio.sleep(PAUSE_S)
        version = self._version
        page = await self.site(public_page, path)
        self._pages.pop(path, None)
        self._pages[path] = page, version, time.monotonic()
        if len(self._pages) > MAX_PAGES:
            del self._pages[next(iter(self._pages))]  # the oldest
        return page

    async def _renew(self) -> float:
        """Compute the standings, from which all pages are made anew; return the processor time."""

        def new_site(stores: Stores) -> tuple[Site, float]:
            begun = time.thread_time()
            return open_site(stores.league, self.settings.level), time.thread_time() - begun

        self._site, seconds = await self._maker.run(new_site)
        self._version += 1
        return seconds

    # ------------------------------------------------------------ changes

    async def _watch(self, seen: int) -> None:
        """Renew the pages whenever this or another process has changed the league since the data version `seen`."""
        fresh_until = 0.0
        while True:
            await asyncio.sleep(POLL_S)
            try:
                now = await self._data_version()
                if now != seen and time.monotonic() >= fresh_until:
                    seconds = await self._renew()
                    seen, fresh_until = now, time.monotonic() + max(FRESH_S, 10 * seconds)  # a tenth of a core at most
            except Exception:  # such as a locked database; there will be another attempt
                _log.exception("the standings could not be computed")

    async def _data_version(self) -> int:
        """Return a number that is different after each change of the league by another connection."""
        return await self.read(lambda stores: int(stores.league.value("PRAGMA data_version")))


# ---------------------------------------------------------------- requests


def backend_of(request: Request) -> Backend:
    """Return the backend of the application that received a request."""
    return cast(Backend, request.app.state.backend)


def client_address(request: Request) -> str:
    """Return the address from which a request came; of IPv6 the network, whose addresses all belong to one customer."""
    host = request.client.host if request.client else ""
    with suppress(ValueError):
        address = ip_address(host)
        if isinstance(address, IPv6Address):
            return str(address.ipv4_mapped or ip_network((address, 64), strict=False))
    return host


def cookie(request: Request, what: str = "") -> str:
    """Return the value of our cookie for a session, or for `-guest` or `-scores`; "" if there is none."""
    return request.cookies.get(_cookie_name(request, what), "")


def set_cookie(request: Request, response: Response, value: str, what: str = "") -> None:
    """Set a cookie that scripts and other sites cannot read; without a value, delete it."""
    secure, age = backend_of(request).settings.secure, int(accounts.SESSION_S) if value else 0
    name = _cookie_name(request, what)
    response.set_cookie(name, value, max_age=age, secure=secure, httponly=True, samesite="lax")


def _cookie_name(request: Request, what: str) -> str:
    """Return the name of a cookie. With the prefix `__Host-`, no other host can have set it."""
    return f"{'__Host-' if backend_of(request).settings.secure else ''}arena{what}"


async def form_fields(request: Request) -> Mapping[str, str]:
    """Return the text fields of a form."""
    async with request.form(max_files=0, max_fields=8) as form:
        return {key: value for key, value in form.items() if isinstance(value, str)}


async def account_if_any(request: Request) -> Account | None:
    """Return the account that is signed in, None if there is none."""
    secret = cookie(request)
    return await backend_of(request).read(lambda stores: accounts.session_of(stores.web, secret)) if secret else None


async def signed_in(request: Request) -> Account:
    """Return the account that is signed in; raise HTTPException (401) if there is none."""
    account = await account_if_any(request)
    if account is None:
        raise HTTPException(401, "sign in with the token of your invitation; the organiser of the league sends them")
    return account


async def organiser(request: Request) -> Account:
    """Return the signed-in organiser's account; for everybody else raise a 404, as if there were no such page."""
    account = await signed_in(request)
    if not account.admin:
        raise HTTPException(404, "there is no such page")
    return account


async def bearer(request: Request) -> Account:
    """Return the account whose token an API request carries; raise HTTPException (401) without a valid one."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    valid = None
    if scheme.lower() == "bearer":
        valid = await backend_of(request).read(lambda stores: accounts.account_of(stores.web, token.strip()))
    if valid is None:
        raise HTTPException(401, "a valid token is needed: Authorization: Bearer TOKEN", {"www-authenticate": "Bearer"})
    return valid


def shown_message(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """Return a page at the address of a request, made for this request only."""
    path, league = request.url.path.strip("/"), backend_of(request).league_name
    return HTMLResponse(web_page(template, path, league=league, **values), status)


def see_other(request: Request, path: str) -> Response:
    """Return a redirection to another page of ours; its address is relative, for a server below a path."""
    root = "../" * (request.url.path.count("/") - 1)
    return RedirectResponse(f"{root}{path}" or ".", 303)
