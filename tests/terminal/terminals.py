"""Run a program in a pseudo-terminal and show its screen."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import pexpect
import pyte

DOWN = "\x1b[B"
CTRL_C, CTRL_D = "\x03", "\x04"
_PATIENCE_S = 120


def _hear_hangups() -> None:
    """Restore the signal, because children of `nohup` ignore a closed terminal."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Terminal:
    """`arena ARGS` in a terminal of this size; `lines` is its screen."""

    def __init__(
        self, *args: object, cwd: Path, columns: int = 80, rows: int = 24, env: dict[str, str] | None = None
    ) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self.screen)
        self.raw = ""
        outside = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "LINES")}
        here = {"TERM": "xterm-256color", "ARENA_NO_PINNING": "1", "LANG": "C.UTF-8", "PYTHONUTF8": "1"}
        self._process = pexpect.spawn(
            sys.executable,
            ["-m", "arena.cli.main", *map(str, args)],
            cwd=str(cwd),
            env={**outside, **here, **(env or {})},
            dimensions=(rows, columns),
            encoding="utf-8",
            preexec_fn=_hear_hangups,
        )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.isalive():
            self._process.kill(signal.SIGKILL)
            self._process.wait()
        self._process.close()

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def _read(self, seconds: float) -> bool:
        """Read the next output; return False at its end."""
        try:
            piece = self._process.read_nonblocking(65536, seconds)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += piece
        self._stream.feed(piece)
        return True

    def settle(self, fits: Callable[[str], bool]) -> None:
        """Wait until the screen fits and has not changed for a twentieth of a second."""
        self.wait_until(fits)
        before = None
        while before != self.raw:
            before = self.raw
            assert self._read(0.05), f"its end:\n{self.text}"
            self.wait_until(fits)

    def wait(self, *texts: str) -> None:
        """Wait until all these strings are on the screen."""
        self.wait_until(lambda text: all(one in text for one in texts), str(texts))

    def wait_until(self, fits: Callable[[str], bool], what: str = "") -> None:
        """Wait until the screen fits."""
        end = time.monotonic() + _PATIENCE_S
        alive = True
        while not fits(self.text):
            assert alive, f"{what} not in, at its end:\n{self.text}"
            assert time.monotonic() < end, f"{what} not in:\n{self.text}"
            alive = self._read(0.05)

    def type(self, keys: str) -> None:
        self._process.send(keys)

    def enter(self, text: str, *seen: str) -> None:
        """Type a line and wait for the response."""
        self.type(text + "\r")
        self.wait(*seen)

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        self._process.setwinsize(rows, columns)

    def signal(self, number: signal.Signals) -> None:
        self._process.kill(number)

    def close(self) -> int:
        """Close the terminal while the program runs; return the exit code."""
        self._process.ptyproc.fileobj.close()
        self._process.wait()
        return int(self._process.exitstatus if self._process.exitstatus is not None else -self._process.signalstatus)

    def end(self) -> int:
        """Wait for the end of the program; return its exit code."""
        end = time.monotonic() + _PATIENCE_S
        while self._read(0.2) and time.monotonic() < end:
            pass
        if time.monotonic() >= end:
            self._process.kill(signal.SIGKILL)
        self._process.wait()
        return int(self._process.exitstatus if self._process.exitstatus is not None else -self._process.signalstatus)
