"""The services for request handlers: the databases, the public pages, and the signed-in account.

The event loop never waits for a database or for a page. One thread writes to the databases, another one reads. A
separate process makes the pages, because the standings of a large league take a second to compute. When the league has
changed, they are computed once for all pages; until then readers see the earlier pages, so nobody waits.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address, ip_network
from pathlib import Path
from typing import Any, TypeVar, cast

from anyio import CapacityLimiter, to_process, to_thread
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from arena.errors import ArenaError
from arena.web import accounts
from arena.web.accounts import Account, Stores
from arena.web.play_tables import PlayLimits, Tables
from arena.web.public import NoPage, PublicPage, close_site, may_be, new_edition, public_page, web_page, with_site

_T = TypeVar("_T")
_log = logging.getLogger("arena.web")


class NumberConvertor(IntegerConvertor):
    """A number in an address, as large as the database can hold."""

    regex = "[0-9]{1,18}"


register_url_convertor("number", NumberConvertor())

POLL_S = 0.5
FRESH_S = 1.0
MAX_PAGES = 1000
MAX_RENEWED_PAGES = 50


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

    def __init__(self, folder: Path, write: bool) -> None:
        self._stores = Stores(folder, write)
        self._executor = ThreadPoolExecutor(1, "writer" if write else "reader")

    async def run(self, what: Callable[[Stores], _T]) -> _T:
        """Return the result of a function of the databases; the functions run one at a time."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, what, self._stores)

    async def close(self) -> None:
        """Close the databases and end the thread."""
        await self.run(Stores.close)
        self._executor.shutdown()


@dataclass
class Edition:
    """The public pages made from the standings at one version of the league; `asked` are those that were requested."""

    pages: dict[str, PublicPage]
    version: int
    fresh_until: float
    asked: set[str] = field(default_factory=set)


class Backend:
    """The databases of a served league and its public pages; an asynchronous context manager.

    With `apart`, pages are made in a separate process, otherwise in a thread.
    """

    def __init__(self, folder: Path, settings: WebSettings, apart: bool) -> None:
        self.folder = folder.resolve()
        self._apart = apart
        self.settings = settings
        self.version = 0
        level = settings.level
        play_level = "process" if level == "none" else level or "sandbox"  # a bot must not hang a person's game
        self.tables = Tables(folder, play_level, settings.play)
        self._writer, self._reader = StoreThread(self.folder, True), StoreThread(self.folder, False)
        self.write, self.read = self._writer.run, self._reader.run
        self._page_process = CapacityLimiter(1)
        self._making = asyncio.Lock()
        self.uploading = asyncio.Lock()  # an upload is unpacked in memory, so one at a time

    async def __aenter__(self) -> Backend:
        self.league_name = await self.read(lambda stores: stores.league.name)
        await self.tables.__aenter__()
        await self._renew()  # so that the first reader does not wait
        self._watching = [asyncio.create_task(self._watch()), asyncio.create_task(self._keep_fresh())]
        return self

    async def __aexit__(self, *error: object) -> None:
        for task in self._watching:
            task.cancel()
        await self.tables.__aexit__(*error)
        if not self._apart:  # otherwise the process ends with the event loop
            await self._on_site(close_site)
        await self._reader.close()
        await self._writer.close()

    # ------------------------------------------------------------ pages

    async def site(self, what: Callable[..., _T], *args: Any) -> _T:
        """Return the result of a function of a Site and `args`; the function must be at the top level of its module."""
        return await self._on_site(with_site, what, args)

    async def _on_site(self, what: Callable[..., _T], *args: Any) -> _T:
        run = to_process.run_sync if self._apart else to_thread.run_sync
        return await run(what, self.folder, self.settings.level, *args, limiter=self._page_process)

    async def page(self, path: str) -> PublicPage:
        """Return a public page, or figures as JSON. Raise NoPage if there is none at this address."""
        if not may_be(path):
            raise NoPage("there is no such page")
        edition = self._edition
        if path not in edition.pages:
            async with self._making:  # many may ask for it: only the first request makes it
                if path not in edition.pages:
                    made = await self.site(public_page, path)
                    if len(edition.pages) >= MAX_PAGES:
                        oldest = next(iter(edition.pages))
                        del edition.pages[oldest]
                        edition.asked.discard(oldest)
                    edition.pages[path] = made
        edition.asked.add(path)
        return edition.pages[path]

    async def _renew(self, asked: Collection[str] | None = None) -> None:
        """Compute the standings and make the pages that were `asked` for (None: all)."""
        version = self.version
        pages, seconds = await self._on_site(new_edition, None if asked is None else [*asked], MAX_RENEWED_PAGES)
        fresh_until = time.monotonic() + max(FRESH_S, 10 * seconds)  # a tenth of a core at most is spent on pages
        self._edition = Edition(pages, version, fresh_until)

    async def _keep_fresh(self) -> None:
        """Renew the pages when the league has changed."""
        while True:
            await asyncio.sleep(POLL_S)
            if self.version != self._edition.version and time.monotonic() >= self._edition.fresh_until:
                try:
                    await self._renew(self._edition.asked)
                except Exception:  # such as a killed process; the next attempt gets a new one
                    _log.exception("the pages could not be made")

    # ------------------------------------------------------------ changes

    async def _watch(self) -> None:
        """Increase `version` whenever this or another process has changed the league."""
        seen = None
        while True:
            with suppress(ArenaError):
                now = await self.read(Stores.data_version)
                if now != seen:
                    seen = now
                    self.version += 1
            await asyncio.sleep(POLL_S)


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


def cookie_name(settings: WebSettings) -> str:
    """Return the name of the session cookie. With the prefix `__Host-`, no other host can have set it."""
    return "__Host-arena" if settings.secure else "arena"


def set_cookie(response: Response, settings: WebSettings, name: str, value: str) -> None:
    """Set a cookie that scripts and other sites cannot read."""
    response.set_cookie(
        name, value, max_age=int(accounts.SESSION_S), secure=settings.secure, httponly=True, samesite="lax"
    )


async def account_if_any(request: Request) -> Account | None:
    """Return the account that is signed in, None if there is none."""
    backend = backend_of(request)
    secret = request.cookies.get(cookie_name(backend.settings), "")
    return await backend.read(lambda stores: accounts.session_of(stores.web, secret)) if secret else None


async def signed_in(request: Request) -> Account:
    """Return the account that is signed in; raise HTTPException (401) if there is none."""
    account = await account_if_any(request)
    if account is None:
        raise HTTPException(401, "Sign in first.")
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
    return valid[1]


def shown_message(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """Return a page at the address of a request, made for this request only."""
    path, league = request.url.path.strip("/"), backend_of(request).league_name
    return HTMLResponse(web_page(template, path, league=league, live=False, **values), status)


def see_other(request: Request, path: str) -> Response:
    """Return a redirection to another page of ours; its address is relative, for a server below a path."""
    root = "../" * (request.url.path.count("/") - 1)
    return RedirectResponse(f"{root}{path}" or ".", 303)
