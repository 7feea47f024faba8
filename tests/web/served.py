"""A league served by real processes, for tests with browsers, load, and crashes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import urlopen

from arena.web.accounts import WebStore, invite

ARENA = (sys.executable, "-m", "arena.cli.main")
ROOT = Path(__file__).parents[2]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@dataclass
class Served:
    """A server that can be started, killed and restarted; its log is `log`."""

    folder: Path
    workers: int = 1
    options: tuple[str, ...] = ()
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        return self.folder.parent / "served.log"

    def start(self, patience_s: float = 120.0) -> None:
        command = [*ARENA, "serve", str(self.folder), "--port", str(self.port), "--workers", str(self.workers)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "ARENA_NO_PINNING": "1"}
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*command, *self.options], stdout=log, stderr=log, env=environment, cwd=self.folder.parent
            )
        end = time.monotonic() + patience_s
        while time.monotonic() < end:
            try:
                with urlopen(f"{self.url}/healthz", timeout=30) as answer:
                    assert answer.status == 200
                    return
            except OSError:
                assert self.process.poll() is None, self.log.read_text()
                time.sleep(0.1)
        raise AssertionError(f"the server does not answer: {self.log.read_text()[-2000:]}")

    def player_pids(self) -> list[int]:
        """Return the processes that play the league; of a server that was killed, one may be ending."""
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes().split(b"\0")
            except OSError:
                continue
            if b"work" in words and str(self.folder.resolve()).encode() in words:
                found.append(int(path.parent.name))
        return found

    def kill(self) -> None:
        """End the server at once, like a crash."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Stop the server with Ctrl-C; return its exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(120)

    def token(self, author: str, admin: bool = False) -> str:
        with WebStore(self.folder) as store:
            return invite(store, author, 1, admin)


@contextmanager
def served(folder: Path, workers: int = 1, *options: str) -> Iterator[Served]:
    """Serve the league in a folder."""
    found = Served(folder, workers, options)
    found.start()
    try:
        yield found
    finally:
        if found.process is not None and found.process.poll() is None:
            found.stop()
