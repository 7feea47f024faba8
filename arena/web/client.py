"""Asking the server of a league from elsewhere: what `arena submit --server` and `arena standings --server` do."""

from __future__ import annotations

import io
import json
import secrets
import stat
import time
import zipfile
from collections.abc import Callable, Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from arena.errors import ArenaError
from arena.league.submission import Submission
from arena.text import one_line, printable

_TIMEOUT_S = 60.0
_MOST_BYTES = 64 << 20
_POLL_S = 2.0
_TABLE_POLLS = 10
_LOCAL = ("127.0.0.1", "::1", "localhost")


class ServerError(ArenaError):
    """A server cannot be asked, or has refused."""

    def __init__(self, text: str, status: int = 0) -> None:
        super().__init__(text)
        self.status = status


class _Stay(HTTPRedirectHandler):
    """Follow nobody elsewhere: the token would go with the request."""

    def redirect_request(self, *args: Any, **named: Any) -> None:
        return None


class Server:
    """A server by its address, with a token for what needs one."""

    def __init__(self, url: str, token: str | None = None) -> None:
        """ServerError for an address that is none."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ServerError(f"expected an address such as https://league.example, found '{one_line(url, 80)}'")
        self.url = url.rstrip("/")
        self.plain = parts.scheme == "http" and parts.hostname not in _LOCAL
        self._token = token
        self._opener = build_opener(_Stay)

    def ask(self, path: str, body: bytes | None = None, kind: str = "") -> dict[str, Any]:
        """The JSON at an address below /api/v1/, as a GET or, with a body, a POST."""
        headers = {"accept": "application/json"} | ({"content-type": kind} if body is not None else {})
        if self._token is not None:
            headers["authorization"] = f"Bearer {self._token}"
        request = Request(f"{self.url}/api/v1/{path}", body, headers)
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as answer:
                return self._read(answer.read(_MOST_BYTES))
        except HTTPError as error:
            with error:
                text = self._reason(error.read(1 << 16)) or f"it answers {error.code}"
            if error.code == 401:
                text = "the token is not valid: it is misspelt, has expired, or was revoked"
            raise ServerError(f"{self.url}: {text}", error.code) from error
        except (HTTPException, OSError, URLError) as error:
            reason = getattr(error, "reason", None) or error
            reason = getattr(reason, "strerror", None) or reason
            raise ServerError(f"{self.url} cannot be reached: {one_line(str(reason), 200)}") from error

    def _read(self, text: bytes) -> dict[str, Any]:
        try:
            found = json.loads(text)
        except (RecursionError, ValueError):
            found = None
        if not isinstance(found, dict):
            raise ServerError(f"{self.url} is not the server of a league: it answers with something else")
        return found

    def _reason(self, text: bytes) -> str:
        try:
            return printable(str(self._read(text).get("error", "")))
        except ServerError:
            return ""

    def submit(self, what: Submission, again: bool = False) -> dict[str, Any]:
        """Submit a bot: how far it has come."""
        file, content = packed(what)
        values = {"name": what.name, "entry": what.entry, "again": "true" if again else ""}
        body, kind = form(values, file, content)
        return self.ask("submissions", body, kind)

    def wait(
        self, told: dict[str, Any], say: Callable[[dict[str, Any]], None], pause: Callable[[float], None] = time.sleep
    ) -> dict[str, Any]:
        """Wait until a submission is decided; `say` hears each time something has changed."""
        while True:
            say(told)
            if told.get("state") not in ("pending", "placing"):
                return told
            before = told
            while told == before:
                pause(_POLL_S)
                told = self.ask(f"submissions/{int(before['id'])}")

    def table(
        self, told: Mapping[str, Any] | None = None, pause: Callable[[float], None] = time.sleep
    ) -> dict[str, Any]:
        """The standings. A server keeps them for a while: what is `told` of a bot in the table is waited for."""
        found = self.ask("standings")
        for _ in range(_TABLE_POLLS if told is not None and told.get("state") == "active" else 0):
            lines = found.get("standings")
            if not isinstance(lines, list) or any(_is_of(line, told) for line in lines):
                break
            pause(_POLL_S)
            found = self.ask("standings")
        return found


def _is_of(line: Any, told: Any) -> bool:
    """Is a line of the table that of a submission?"""
    return isinstance(line, dict) and all(line.get(key) == told.get(key) for key in ("bot", "version"))


def packed(what: Submission) -> tuple[str, bytes]:
    """A submission as a file: as it is if it is one, else a zip of its files."""
    if len(what.files) == 1 and what.entry.partition(":")[0] == what.files[0].path and not what.files[0].executable:
        return what.files[0].path.rsplit("/", 1)[-1], what.files[0].content
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in what.files:
            one = zipfile.ZipInfo(file.path)
            one.external_attr = (stat.S_IFREG | (0o755 if file.executable else 0o644)) << 16
            one.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(one, file.content)
    return f"{what.name}.zip", out.getvalue()


def form(values: Mapping[str, str], file: str, content: bytes) -> tuple[bytes, str]:
    """A form with a file, and its content type."""
    edge = secrets.token_hex(16)
    parts = [
        f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in values.items()
    ]
    safe = file.replace("\\", "_").replace('"', "_")
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{safe}"\r\n'
    parts += [
        f"{head}Content-Type: application/octet-stream\r\n\r\n".encode(),
        content,
        b"\r\n",
        f"--{edge}--\r\n".encode(),
    ]
    return b"".join(parts), f"multipart/form-data; boundary={edge}"
