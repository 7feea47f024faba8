"""A client for the server of a league, used by `arena submit --server`.

The server may be anybody's, so answers are checked and their text is made safe for a terminal.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from arena.errors import ArenaError
from arena.league.submission import Submission, packed
from arena.text import one_line, printable_lines

_TIMEOUT_S = 60.0
_MAX_BYTES = 64 << 20
_POLL_S = 2.0
_LOCAL = ("127.0.0.1", "::1", "localhost")
_PROGRESS = {
    "id": int,
    "bot": str,
    "version": int,
    "state": str,
    "held": bool,
    "reason": str,
    "waits": str,
    "outcome": str,
}


class ServerError(ArenaError):
    """A server that cannot be reached, has refused a request, or sent an invalid answer."""

    def __init__(self, text: str, status: int = 0) -> None:
        super().__init__(text)
        self.status = status


class _NoRedirect(HTTPRedirectHandler):
    """A handler that follows no redirection, because the token would be sent along."""

    def redirect_request(self, *args: Any, **named: Any) -> None:
        return None


class Server:
    """A server with its address, and a token for requests that need one."""

    def __init__(self, url: str, token: str | None = None) -> None:
        """Parse the address. Raise ServerError if it is invalid."""
        try:
            parts = urlsplit(url)
            known = parts.scheme in ("http", "https") and parts.hostname
        except ValueError:
            known = None
        if not known:
            raise ServerError(f"expected an address such as https://league.example, found '{one_line(url, 80)}'")
        self.url = url.rstrip("/")
        self.plain = parts.scheme == "http" and parts.hostname not in _LOCAL
        self._token = token
        self._opener = build_opener(_NoRedirect)

    def ask(self, path: str, body: bytes | None = None, kind: str = "") -> dict[str, Any]:
        """Return the JSON at an address below /api/v1/, by POST if there is a body, else by GET.

        Raise ServerError on failure.
        """
        headers = {"accept": "application/json"} | ({"content-type": kind} if body is not None else {})
        if self._token is not None:
            headers["authorization"] = f"Bearer {self._token}"
        request = Request(f"{self.url}/api/v1/{path}", body, headers)
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as answer:
                return self._read(answer.read(_MAX_BYTES))
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
            values = json.loads(text)
        except (RecursionError, ValueError):
            values = None
        if not isinstance(values, dict):
            raise self._nonsense()
        return values

    def _nonsense(self) -> ServerError:
        return ServerError(f"{one_line(self.url, 80)} does not answer like the server of a league")

    def _reason(self, text: bytes) -> str:
        try:
            return printable_lines(str(self._read(text).get("error", "")))
        except ServerError:
            return ""

    def submit(self, submission: Submission, again: bool = False) -> dict[str, Any]:
        """Submit a bot and return its progress."""
        values = {"name": submission.name, "entry": submission.entry, "again": "true" if again else ""}
        body, kind = form(values, f"{submission.name}.zip", packed(submission))
        return self._checked(self.ask("submissions", body, kind))

    def _checked(self, progress: dict[str, Any]) -> dict[str, Any]:
        """Return an answer about a submission with text that is safe to print.

        Raise ServerError if something is missing.
        """
        if not all(type(progress.get(key)) is kind for key, kind in _PROGRESS.items()):
            raise self._nonsense()
        return {key: printable_lines(value) if isinstance(value, str) else value for key, value in progress.items()}

    def wait(
        self,
        progress: dict[str, Any],
        say: Callable[[dict[str, Any]], None],
        pause: Callable[[float], None] = time.sleep,
    ) -> dict[str, Any]:
        """Wait until a submission is decided and return its progress; `say` is called after each change."""
        while True:
            say(progress)
            if progress["state"] not in ("pending", "placing"):
                return progress
            before = progress
            while progress == before:
                pause(_POLL_S)
                progress = self._checked(self.ask(f"submissions/{before['id']}"))


def form(values: Mapping[str, str], file: str, content: bytes) -> tuple[bytes, str]:
    """Return the body of a form with a file, and its content type."""
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
