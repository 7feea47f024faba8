"""What every request has to pass and every answer carries: bounds of size and time, origins, headers, counts, logs."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger("arena.web")

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
SAFE = ("GET", "HEAD")
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
API = "/api/"
_SMALL = 64 << 10
"""Bytes of a body where nothing is uploaded."""
_ROOM = 64 << 10
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, math.inf)


@dataclass
class Metrics:
    """What was counted since the start."""

    requests: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    seconds: Counter[float] = field(default_factory=Counter)
    total_s: float = 0.0
    uploads: Counter[str] = field(default_factory=Counter)
    failures: int = 0

    def add(self, method: str, place: str, status: int, seconds: float) -> None:
        """Count a request."""
        self.requests[method, place, status] += 1
        self.total_s += seconds
        self.seconds[next(edge for edge in BUCKETS if seconds <= edge)] += 1


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, *, upload_bytes: int, body_s: float, metrics: Metrics, secure: bool) -> None:
        self._app = app
        self._upload_bytes = upload_bytes + _ROOM
        self._body_s = body_s
        self._metrics = metrics
        headers = HEADERS | ({"strict-transport-security": "max-age=31536000"} if secure else {})
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        begun = time.monotonic()
        status, size = 0, 0

        async def answer(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
                told = {name.lower() for name, _ in message["headers"]}
                more = [pair for pair in self._headers if pair[0] not in told]
                message = {**message, "headers": [*message["headers"], *more]}
            size += len(message.get("body", b""))
            await send(message)

        try:
            fault = self._fault(scope)
            if fault is not None:
                await fault(scope, receive, answer)
            else:
                await self._app(scope, self._bounded(scope, receive), answer)
        except Exception:
            if not status:
                await PlainTextResponse("something went wrong here; it has been noted", 500)(scope, receive, answer)
            log.exception("%s %s", scope["method"], scope["path"])
        finally:
            self._note(scope, status, size, time.monotonic() - begun)

    def _fault(self, scope: Scope) -> PlainTextResponse | None:
        """The answer to a request that goes no further, None for one that does."""
        headers = Headers(scope=scope)
        method = scope["method"]
        if method in SAFE:
            return None
        if method != "POST":
            return PlainTextResponse("only GET, HEAD and POST are known", 405, {"allow": "GET, HEAD, POST"})
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in FORMS:
            return PlainTextResponse(f"a body is {' or '.join(FORMS)}", 415)
        if not scope["path"].startswith(API) and not same_origin(headers):
            return PlainTextResponse("this request came from another site, and nothing was done", 403)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 15 or int(length) > self._most(scope):
            return self._too_large(scope)
        return None

    def _most(self, scope: Scope) -> int:
        """Bytes that the body of a request may have."""
        return self._upload_bytes if scope["path"] in UPLOADS else _SMALL

    def _too_large(self, scope: Scope) -> PlainTextResponse:
        return PlainTextResponse(
            f"that is too large: at most {self._most(scope) >> 10} KiB", 413, {"connection": "close"}
        )

    def _bounded(self, scope: Scope, receive: Receive) -> Receive:
        """The body of a request, which has an end in size and in time."""
        left, end = self._most(scope), time.monotonic() + self._body_s
        done = False

        async def bounded() -> Message:
            nonlocal left, done
            if done:
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), max(end - time.monotonic(), 0.0))
            except TimeoutError:
                raise HTTPException(408, "the request took too long", {"connection": "close"}) from None
            left -= len(message.get("body", b""))
            if left < 0:
                raise HTTPException(
                    413, f"that is too large: at most {self._most(scope) >> 10} KiB", {"connection": "close"}
                )
            done = not message.get("more_body", False)
            return message

        return bounded

    def _note(self, scope: Scope, status: int, size: int, seconds: float) -> None:
        place = place_of(scope["path"])
        self._metrics.add(scope["method"] if scope["method"] in (*SAFE, "POST") else "other", place, status, seconds)
        client = scope.get("client")
        line = {
            "time": round(time.time(), 3),
            "method": scope["method"][:20],
            "path": scope["path"][:200],
            "status": status,
            "bytes": size,
            "ms": round(1000 * seconds, 1),
            "client": client[0] if client else None,
        }
        log.info("%s", json.dumps(line))


UPLOADS = ("/me/upload", "/api/v1/submissions")
_PLACES = (
    "live",
    "events",
    "history",
    "rules",
    "write",
    "bots",
    "games",
    "me",
    "admin",
    "api",
    "static",
    "sign-in",
    "sign-out",
    "healthz",
    "metrics",
    "skeleton.py",
    "play",
)


def place_of(path: str) -> str:
    """What a path is counted under: the first part, if it is one of ours."""
    first = path.strip("/").partition("/")[0]
    return "/" if not first else f"/{first}" if first in _PLACES else "other"


def same_origin(headers: Headers) -> bool:
    """Does a request come from one of our own pages, or from no page at all?

    Browsers say so with each form (`Sec-Fetch-Site`, `Origin`); programs say nothing.
    """
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    if origin is None:
        return True
    return urlsplit(origin).netloc == headers.get("host")


class Attempts:
    """What somebody has tried, such as tokens from an address: too often in a while, and no more is looked at."""

    def __init__(self, most: int = 10, window_s: float = 300.0, now: Callable[[], float] = time.monotonic) -> None:
        self._most, self._window_s, self._now = most, window_s, now
        self._times: OrderedDict[str, deque[float]] = OrderedDict()

    def blocked(self, who: str) -> bool:
        """Has somebody tried too often?"""
        times = self._times.get(who)
        while times and times[0] < self._now() - self._window_s:
            times.popleft()
        return times is not None and len(times) >= self._most

    def note(self, who: str) -> None:
        """Note an attempt."""
        self._times.setdefault(who, deque(maxlen=self._most)).append(self._now())
        self._times.move_to_end(who)
        if len(self._times) > 10_000:
            self._times.popitem(last=False)
