"""A league served: the web application, and beside it the processes that do the work."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import uvicorn

from arena.bots.processes.command_line import command_of
from arena.bots.processes.priority import behind
from arena.errors import ArenaError
from arena.web.app import create_app
from arena.web.connection import Connection
from arena.web.state import WebSettings
from arena.web.store import WebStore

log = logging.getLogger("arena.web")
_PATIENCE_S = 30.0
_LOOK_S = 0.2
_FIRST_PAUSE_S, _LONGEST_PAUSE_S, _WELL_S = 1.0, 60.0, 60.0
_MOST_AT_ONCE = 1000
_SWITCH_S = 0.0005
"""Seconds that another thread may compute while the event loop waits; it waits so after each answer it has sent."""
NICE = 5
"""How far behind the web process workers and their bots come when both want a core: a quarter of it is left for them.

Less would have bots exceed their clocks, which count wall time, while many people read.
"""


def serve(
    folder: Path,
    host: str,
    port: int,
    workers: int,
    words: Sequence[str],
    settings: WebSettings,
    told: Callable[[int], None] = lambda port: None,
) -> None:
    """Serve a league until Ctrl-C or SIGTERM, with `workers` processes `arena league work` started with `words`.

    `told` hears the port when somebody can connect. ArenaError if nothing can be served.
    """
    app = create_app(folder, settings)
    WebStore(folder).close()  # its errors are told before anything has begun
    heard = _listening(host, port)
    logging.getLogger("arena.web").setLevel(logging.INFO)
    sys.setswitchinterval(_SWITCH_S)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=_MOST_AT_ONCE,
        http=Connection,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=5,
        ws="none",
    )
    server = uvicorn.Server(config)
    told(heard.getsockname()[1])
    with heard, Workers(folder, workers, words), contextlib.suppress(SystemExit):  # so it says that it did not start
        server.run([heard])
    if not server.started:
        raise ArenaError(f"{folder} cannot be served: the log above says why")


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        return socket.create_server((host, port), family=family, backlog=_MOST_AT_ONCE)
    except (OSError, UnicodeError) as error:
        reason = str(getattr(error, "strerror", None) or error).partition(" (while")[0]
        raise ArenaError(f"cannot listen at {host}, port {port}: {reason}. Choose others: --host, --port") from error


class Workers:
    """Processes that work on a league, each replaced when it ends; a context manager.

    They stop, after the games in hand, when this process ends, however that is.
    """

    def __init__(self, folder: Path, number: int, words: Sequence[str]) -> None:
        self._command = command_of("arena.cli.main", "league", "work", str(folder.resolve()), *words)
        self._number = number
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._mind, name="workers")

    def __enter__(self) -> Workers:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ending.set()
        self._thread.join()

    def _mind(self) -> None:
        """Start them, look after them, end them: in one thread, with which the kernel ends them."""
        slots = [_Slot(self._command) for _ in range(self._number)]
        while not self._ending.wait(_LOOK_S):
            for slot in slots:
                slot.mind()
        for slot in slots:
            slot.stop()
        end = time.monotonic() + _PATIENCE_S
        for slot in slots:
            slot.wait(end)


class _Slot:
    """One of the processes, or the pause before its next start."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None
        self._pause_s = _FIRST_PAUSE_S
        self._due = self._began = 0.0

    def mind(self) -> None:
        now = time.monotonic()
        if self._process is not None:
            code = self._process.poll()
            if code is None:
                return
            self._process = None
            lived = now - self._began
            self._pause_s = _FIRST_PAUSE_S if lived > _WELL_S else min(2 * self._pause_s, _LONGEST_PAUSE_S)
            self._due = now + self._pause_s
            log.warning("a worker ended with %s after %.0f s; the next one in %.0f s", code, lived, self._pause_s)
        if now >= self._due:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                preexec_fn=behind(os.getpid(), NICE, signal.SIGTERM),
                start_new_session=True,
            )
            self._began = now

    def stop(self) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.terminate()

    def wait(self, end: float) -> None:
        if self._process is None:
            return
        try:
            self._process.wait(max(end - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
