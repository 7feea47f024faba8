"""Talking to a process through its pipes: nothing waits beyond a deadline, and stderr never blocks it."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import time
from collections.abc import Callable

PIECE = 1 << 16
#: Seconds between two looks at what a process has, while it is waited for.
LOOK_S = 0.05
_STDERR_BYTES = 20_000


class ProcessEnded(Exception):
    """The process has ended, or has closed its output; `how` says it in words."""

    def __init__(self, how: str) -> None:
        super().__init__(how)
        self.how = how


class DeadlinePassed(Exception):
    """The process did not read or write in time. It is still there."""


class PipedProcess:
    """A process whose stdin, stdout and stderr are pipes to us. Not thread-safe.

    Deadlines are times of `time.monotonic`. `send` and `receive` raise `ProcessEnded` and `DeadlinePassed`.
    """

    def __init__(self, process: subprocess.Popen[bytes], exit_text: Callable[[int], str]) -> None:
        """`exit_text` puts an exit code into words."""
        self.popen = process
        self.pid = process.pid
        self.exit_text = exit_text
        self.ended: str | None = None
        """How it ended, once it is closed."""
        pipes = process.stdin, process.stdout, process.stderr
        self._in, self._out, self._err = ends = [pipe.fileno() for pipe in pipes if pipe is not None]
        self.ends = self._in, self._out
        """Our descriptors: to write to, and to read from."""
        self._stderr = bytearray()
        self._dropped = False
        self._looks_at = 0.0
        for end in ends:
            os.set_blocking(end, False)
        self._readable = select.poll()
        self._readable.register(self._out, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(self._in, select.POLLOUT)
        for poll in (self._readable, self._writable):
            poll.register(self._err, select.POLLIN)

    def send(self, data: bytes, deadline: float) -> None:
        """Write all of `data`."""
        self._check_open()
        sent = 0
        while True:
            try:
                sent += os.write(self._in, data[sent:] if sent else data)
            except BlockingIOError:
                pass
            except OSError as error:  # EPIPE
                raise ProcessEnded(self._how_ended()) from error
            if sent >= len(data):
                return
            self._wait(self._writable, self._in, deadline)

    def receive(self, deadline: float) -> bytes:
        """What the process has written since, at least one byte, at most `PIECE`."""
        self._check_open()
        while True:
            self._wait(self._readable, self._out, deadline)
            try:
                data = os.read(self._out, PIECE)
            except BlockingIOError:
                continue
            except OSError:
                data = b""
            if not data:
                raise ProcessEnded(self._how_ended())
            return data

    def pending(self, wait_s: float = 0.0) -> bool:
        """True if the process has ended, or has written something not received yet. Waits up to `wait_s` for that."""
        if self.ended is None and wait_s > 0:
            with contextlib.suppress(DeadlinePassed, ProcessEnded):
                self._wait(self._readable, self._out, time.monotonic() + wait_s)
        return self.ended is None and any(end == self._out for end, _ in self._readable.poll(0))

    def read_stderr(self) -> str:
        """What the process has written to stderr since the last call, at most 20,000 characters. Never waits."""
        if self.ended is None:
            for _ in range(4):
                if not any(end == self._err for end, _ in self._readable.poll(0)) or not self._keep_stderr():
                    break
        text = self._stderr.decode("utf-8", "replace")
        if self._dropped:
            text += "\n[more is dropped]"
        self._stderr.clear()
        self._dropped = False
        return text

    def close_pipes(self) -> None:
        """Keep the last words, as far as they are there, and close our ends."""
        while True:  # something may still hold the pipe open
            before = len(self._stderr)
            if not self._keep_stderr() or not before < len(self._stderr) < _STDERR_BYTES:
                break
        for end in (self.popen.stdout, self.popen.stderr):
            if end is not None:
                end.close()

    def _check_open(self) -> None:
        """Once it is closed, the numbers of its pipes may be those of other files."""
        if self.ended is not None:
            raise ProcessEnded(self.ended)

    def _wait(self, poll: select.poll, end: int, deadline: float) -> None:
        """Wait for a pipe, keeping what is written to stderr meanwhile."""
        while True:
            left = deadline - time.monotonic()
            try:
                ready = poll.poll(min(max(left, 0), LOOK_S) * 1000 + 1)
            except OSError as error:
                raise ProcessEnded(self._how_ended()) from error
            for descriptor, _ in ready:
                if descriptor == end:
                    return
            for descriptor, _ in ready:
                if descriptor == self._err and not self._keep_stderr():
                    for watched in (self._readable, self._writable):
                        with contextlib.suppress(KeyError):
                            watched.unregister(self._err)
            if left <= 0:  # even while stderr is flooded
                raise DeadlinePassed
            if time.monotonic() >= self._looks_at:
                self._looks_at = time.monotonic() + LOOK_S
                self.watch()

    def watch(self) -> None:
        """Called from time to time while it is waited for."""

    def _keep_stderr(self) -> bool:
        """Read what was written to stderr; False at its end."""
        try:
            data = os.read(self._err, PIECE)
        except BlockingIOError:
            return True
        except OSError:
            return False
        room = _STDERR_BYTES - len(self._stderr)
        self._stderr += data[:room]
        self._dropped |= len(data) > room
        return bool(data)

    def _how_ended(self) -> str:
        """How the process has ended, when its pipe says that it has."""
        if self.ended is not None:
            return self.ended
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.exit_text(self.popen.wait(1.0))
        return "it closed its output"
