"""A connection to the server: who sends slowly, or sends no end of headers, is not waited for.

uvicorn bounds how long a connection rests between two requests, and nothing before the first one or within one.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_S = 15.0
"""Seconds in which the head of a request has to arrive, and what is left of a body that is not wanted any more."""
HEAD_BYTES = 64 << 10
_LATE = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class Connection(HttpToolsProtocol):
    """uvicorn's, with bounds for what it reads before the application is asked; `Guard` bounds bodies."""

    head_s, head_bytes = HEAD_S, HEAD_BYTES

    _in_head = True  # nothing of a request, or a part of its head, has come
    _in_body = False
    _head = 0  # its bytes so far
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has connected, and is to say something soon."""
        super().connection_made(transport)
        self._hurry()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        self._relax()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Something has come; the head of a request must be whole in time, and not too large."""
        if self._in_head:
            self._head += len(data)
        super().data_received(data)
        if self._in_head and self._head and not self.transport.is_closing():
            if self._head > self.head_bytes:
                self.transport.write(_LARGE)
                self.transport.close()
            else:
                self._hurry()

    def on_message_begin(self) -> None:
        """The first bytes of a request have come."""
        self._in_head, self._head = True, self._head or 1
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The head of a request is whole."""
        self._in_head, self._in_body, self._head = False, True, 0
        self._relax()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The body of a request is whole: what comes next is another head."""
        self._in_head, self._in_body = True, False
        self._relax()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """A request is answered; if it is not read to its end, the rest must come in time."""
        super().on_response_complete()
        if self._in_body:
            self._hurry()

    def _hurry(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(self.head_s, self._end)

    def _relax(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _end(self) -> None:
        self._late = None
        if not self.transport.is_closing():
            if self._in_head:
                self.transport.write(_LATE)
            self.transport.close()
