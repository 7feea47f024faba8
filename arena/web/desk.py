"""Who asks the databases: one thread for what is written and for accounts, one process for what pages show.

A page can take a second of computing (the ratings of a large league), and must not hold up the others meanwhile. So
pages are made apart, kept, and made anew when the league has changed; whoever asks in between gets the last one.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import sqlite3
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from arena.league.store import DATABASE, League, open_league
from arena.web.public import FIGURES, PAGES, NoPage, may_be, page
from arena.web.reader import SHARE, Reader, RemoteReader
from arena.web.store import WebStore

P = ParamSpec("P")
T = TypeVar("T")

LOOK_S = 0.5
"""Seconds between two looks at whether the league has changed."""
LEAST_S = 1.0
_MOST_PAGES = 1000


class Office:
    """The league and the accounts, for writing; for one thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = WebStore(folder)
        self._league: League | None = None
        self._watched = sqlite3.connect(
            f"{(folder / DATABASE).resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False, isolation_level=None
        )

    @property
    def league(self) -> League:
        """The league, opened when it is needed first."""
        if self._league is None:
            self._league = open_league(self.folder)
        return self._league

    def version(self) -> int:
        """A number that is another one when somebody has changed the league."""
        return int(self._watched.execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        """Let go of the databases."""
        self.store.close()
        self._watched.close()
        if self._league is not None:
            self._league.close()


@dataclass
class Kept:
    """A page that was made: its bytes, their type and hash, from which state of the league, when, how long it took."""

    body: bytes
    kind: bytes
    etag: bytes
    version: int
    made: float
    cost: float


class Desk:
    """What the application asks; an asynchronous context manager. `apart`: pages are made in a process of their own.

    `level`: where bots run, if not where the league's settings say.
    """

    def __init__(self, folder: Path, apart: bool = True, level: str | None = None) -> None:
        self.folder = folder
        self.version = 0
        self._apart = apart
        self.listeners = 0
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._making: dict[str, asyncio.Task[Kept]] = {}
        self._again = asyncio.Lock()  # one at a time, so that what nobody has seen yet waits for one at most
        self._changed = asyncio.Event()
        self._office_thread = ThreadPoolExecutor(1, "office")
        self._office: Office | None = None
        self._reader = (RemoteReader if apart else Reader)(folder, level)
        self._reader_thread = ThreadPoolExecutor(1, "reader")
        self._watch: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Desk:
        await self.office(Office.version)  # opens it, with an error if it cannot be
        for path in (*PAGES, *FIGURES) if self._apart else ():  # who asks first does not wait
            await self._make(path)
        self._watch = asyncio.create_task(self._look())
        return self

    async def __aexit__(self, *error: object) -> None:
        if self._watch is not None:
            self._watch.cancel()
        for task in self._making.values():
            task.cancel()
        if self._office is not None:
            await asyncio.get_running_loop().run_in_executor(self._office_thread, self._office.close)
        self._office_thread.shutdown()
        self._reader_thread.shutdown(wait=False, cancel_futures=True)
        self._reader.close()

    # ------------------------------------------------------------ asking

    async def office(self, what: Callable[Concatenate[Office, P], T], *args: P.args, **named: P.kwargs) -> T:
        """Something about accounts, or that writes."""

        def run() -> T:
            if self._office is None:
                self._office = Office(self.folder)
            return what(self._office, *args, **named)

        return await asyncio.get_running_loop().run_in_executor(self._office_thread, run)

    async def read(self, what: Callable[..., T], *args: Any) -> T:
        """Something that the pages show: a function of a Site, at the top level of its module."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._reader_thread, lambda: self._reader.run(what, *args))

    async def page(self, path: str) -> Kept:
        """A public page or figures: as they are, or as they were while they are made anew. NoPage if there are none."""
        if not may_be(path):
            raise NoPage("there is no such page")
        kept = self.at_hand(path)
        return await asyncio.shield(self._make(path)) if kept is None else kept

    def at_hand(self, path: str) -> Kept | None:
        """A public page as it was last made, None if it was not. If the league has changed, it is made anew."""
        kept = self._kept.get(path)
        if kept is None:
            return None
        if kept.version != self.version and time.monotonic() - kept.made > max(LEAST_S, SHARE * kept.cost):
            making = self._make(path, self._again)
            making.add_done_callback(lambda task: task.cancelled() or task.exception())  # the next one will see it
        self._kept.move_to_end(path)
        return kept

    def _make(self, path: str, turn: contextlib.AbstractAsyncContextManager[None] | None = None) -> asyncio.Task[Kept]:
        if path not in self._making:
            self._making[path] = asyncio.create_task(self._made(path, turn or contextlib.nullcontext()))
        return self._making[path]

    async def _made(self, path: str, turn: contextlib.AbstractAsyncContextManager[None]) -> Kept:
        try:
            async with turn:
                version, begun = self.version, time.monotonic()
                text = await self.read(page, path)
        except BaseException:
            self._kept.pop(path, None)
            raise
        finally:
            del self._making[path]
        body, now = text.encode(), time.monotonic()
        etag = hashlib.sha256(body).hexdigest()[:32]
        kind = b"application/json" if path in FIGURES else b"text/html; charset=utf-8"
        kept = Kept(body, kind, f'"{etag}"'.encode(), version, now, now - begun)
        self._kept[path] = kept
        if len(self._kept) > _MOST_PAGES:
            self._kept.popitem(last=False)
        return kept

    # ------------------------------------------------------------ changes

    async def _look(self) -> None:
        """See from time to time whether the league has changed."""
        seen = None
        while True:
            with contextlib.suppress(sqlite3.Error):
                now = await self.office(Office.version)
                if now != seen:
                    seen = now
                    self.touch()
            await asyncio.sleep(LOOK_S)

    def touch(self) -> None:
        """Something has changed: pages are made anew, and whoever listens is told."""
        self.version += 1
        self._changed.set()
        self._changed = asyncio.Event()

    async def changes(self, every_s: float = 1.0, silence_s: float = 15.0) -> AsyncIterator[int | None]:
        """Numbers of changes from now on, at most one in `every_s` seconds; None after `silence_s` without one."""
        self.listeners += 1
        try:
            seen = self.version
            while True:
                if seen == self.version:
                    try:
                        await asyncio.wait_for(self._changed.wait(), silence_s)
                    except TimeoutError:
                        yield None
                        continue
                seen = self.version
                yield seen
                await asyncio.sleep(every_s)
        finally:
            self.listeners -= 1
