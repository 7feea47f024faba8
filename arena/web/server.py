"""A league on the web: the server, and the process that checks and places submissions."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import uvicorn

from arena.bots.cores import lower_priority
from arena.errors import ArenaError
from arena.web.accounts import WebStore
from arena.web.app import MAX_HEAD_BYTES, create_app
from arena.web.backend import WebSettings

_log = logging.getLogger("arena.web")
_PATIENCE_S = 30.0
_PLAYER_PAUSE_S = 5.0  # at most, until a player that has ended is replaced
MAX_CONNECTIONS = 1000
_SWITCH_S = 0.0005  # after this time a thread that makes a page gives way to the event loop
_M_MMAP_THRESHOLD, _LARGE_BLOCK = -3, 1 << 20  # a block of this size goes back to the system when it is freed
_NICE = 5  # the player and its bots leave 3/4 of a core to the server; with less, bots would exceed their clocks


def serve(
    folder: Path,
    host: str,
    port: int,
    command: Sequence[str] | None,
    settings: WebSettings,
    on_start: Callable[[int], None] = lambda port: None,
) -> None:
    """Serve a league until Ctrl-C or SIGTERM, beside a process that plays it with `command` (None: without one).

    `on_start` is called with the port when the server listens. Raise ArenaError if nothing can be served.
    """
    app = create_app(folder, settings)
    WebStore(folder).close()  # so that its errors are raised first
    listening = _listen(host, port)
    logging.getLogger("uvicorn.access").setLevel(logging.INFO)
    sys.setswitchinterval(_SWITCH_S)
    with contextlib.suppress(AttributeError, OSError):  # only glibc keeps what an upload took
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _LARGE_BLOCK)
    config = uvicorn.Config(
        app,
        log_config=None,
        server_header=False,
        limit_concurrency=MAX_CONNECTIONS,
        loop="asyncio",  # uvloop accepts one connection between two rounds of requests: with 200 readers that took 5 s
        http="h11",  # takes one pipelined request at a time, where httptools keeps all of them in memory
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=5,
        ws="none",
    )
    server = uvicorn.Server(config)
    on_start(listening.getsockname()[1])
    with listening, _terminable(), PlayerProcess(command), contextlib.suppress(SystemExit):  # also: it did not start
        server.run([listening])
    if not server.started:
        raise ArenaError(f"{folder} cannot be served: the log above says why")


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    """Have SIGTERM raise SystemExit, so that the player is ended: uvicorn sends it again after it has stopped."""

    def end(number: int, frame: object) -> None:
        raise SystemExit

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        return socket.create_server((host, port), family=family, backlog=MAX_CONNECTIONS)
    except (OSError, UnicodeError) as error:
        reason = str(getattr(error, "strerror", None) or error).partition(" (while")[0]
        raise ArenaError(
            f"cannot listen on {host}, port {port}: {reason}. Choose another address or port with --host or --port"
        ) from error


class PlayerProcess:
    """The process that plays a served league, replaced when it ends; a context manager. `None`: there is none.

    When this process ends, for whatever reason, it stops after its current games.
    """

    def __init__(self, command: Sequence[str] | None) -> None:
        self._command = command
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._keep_running, name="player")

    def __enter__(self) -> PlayerProcess:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ending.set()
        self._thread.join()

    def _keep_running(self) -> None:
        """Start, replace and end the process, all in one thread: it ends when the thread does."""
        if self._command is None:
            return
        process = self._start(self._command)
        while not self._ending.wait(_PLAYER_PAUSE_S):
            if process.poll() is not None:
                _log.warning("the player ended with exit code %s and is replaced", process.returncode)
                process = self._start(self._command)
        process.terminate()
        try:
            process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _start(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            preexec_fn=lower_priority(os.getpid(), _NICE, signal.SIGTERM),
            start_new_session=True,
        )
