"""Connections that send slowly, without an end, or nothing at all."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest

pytest.importorskip("httptools", reason="the extra web is not installed")

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from arena.web.connection import Connection


class Hasty(Connection):
    head_s, head_bytes = 0.3, 10_000


async def _read(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def _unread(request: Request) -> Response:
    return PlainTextResponse("no")


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    app = Starlette(routes=[Route("/", _read, methods=["GET", "POST"]), Route("/no", _unread, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(app, http=Hasty, log_config=None, lifespan="off"))
    heard = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [heard]})
    thread.start()
    yield heard.getsockname()[1]
    server.should_exit = True
    thread.join()


def said(port: int, *parts: bytes, pause_s: float = 0.0) -> bytes:
    """All that the server says until it hangs up."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
        try:
            for part in parts:
                line.sendall(part)
                time.sleep(pause_s)
        except OSError:  # it has hung up
            pass
        answer = b""
        try:
            while more := line.recv(65536):
                answer += more
        except ConnectionResetError:
            pass
        return answer


POST = b"POST %s HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n"


def test_a_slow_head_is_not_waited_for(port: int) -> None:
    assert said(port, b"GET / HTTP/1.1\r\n", *[b"x: y\r\n"] * 30, pause_s=0.05).startswith(b"HTTP/1.1 408")


def test_whoever_says_nothing_is_not_waited_for(port: int) -> None:
    assert said(port).startswith(b"HTTP/1.1 408")


def test_a_slow_second_request_is_not_waited_for(port: int) -> None:
    answer = said(port, b"GET / HTTP/1.1\r\nhost: x\r\n\r\nGET / HTTP/1.1\r\n", *[b"x: y\r\n"] * 30, pause_s=0.05)
    assert answer.startswith(b"HTTP/1.1 200")
    assert b"HTTP/1.1 408" in answer


def test_a_head_has_an_end(port: int) -> None:
    assert b"HTTP/1.1 431" in said(port, b"GET / HTTP/1.1\r\n", *[b"x: " + b"y" * 5000 + b"\r\n"] * 3, pause_s=0.02)


def test_the_rest_of_what_was_answered_is_not_waited_for(port: int) -> None:
    begun = time.monotonic()
    answer = said(port, POST % (b"/no", 10**9), *[b"x"] * 100, pause_s=0.05)
    assert answer.startswith(b"HTTP/1.1 200")
    assert time.monotonic() - begun < 60


def test_a_body_may_take_longer_than_a_head(port: int) -> None:
    """Its time is the guard's business."""
    last = b"GET / HTTP/1.1\r\nconnection: close\r\n\r\n"
    answer = said(port, POST % (b"/", 10), *[b"x"] * 10, last, pause_s=0.06)
    assert answer.count(b"HTTP/1.1 200") == 2
    assert b"\r\n\r\n10HTTP" in answer
