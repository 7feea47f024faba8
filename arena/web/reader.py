"""Who makes pages: a league open for reading, in this process or in one of its own."""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from arena.bots.processes.command_line import command_of
from arena.bots.processes.priority import behind
from arena.league.store import League, open_league
from arena.web.public import NoPage, Site, open_site

T = TypeVar("T")
SHARE = 5.0
"""What took a second to make is made again after so many seconds at the earliest."""


_NICE = 5
"""How far its own process comes behind the web process; pages that are made anew are not waited for."""


class Reader:
    """A league for reading, with its standings; for one thread or process."""

    def __init__(self, folder: Path, level: str | None = None) -> None:
        self._folder = folder
        self._level = level
        self._league: League | None = None
        self._site: Site | None = None
        self._stamp: object = None
        self._due = 0.0

    def run(self, what: Callable[..., T], *args: Any) -> T:
        """`what` with the league as it is now, or was a moment ago."""
        try:
            return what(self._now(), *args)
        except NoPage:
            raise
        except Exception:
            self.close()  # whatever it was: open it again for the next
            raise

    def _now(self) -> Site:
        if self._league is None:
            self._league = open_league(self._folder, write=False)
        stamp = self._league.one("PRAGMA data_version")
        if self._site is None or (stamp != self._stamp and time.monotonic() >= self._due):
            begun = time.monotonic()
            self._site, self._stamp = open_site(self._league, level=self._level), stamp
            self._due = time.monotonic() + SHARE * (time.monotonic() - begun)
        return self._site

    def close(self) -> None:
        """Let go of the league."""
        if self._league is not None:
            self._league.close()
        self._league = self._site = None


class RemoteReader:
    """A Reader in a process of its own, which is started when it is needed, and again when it has been killed."""

    def __init__(self, folder: Path, level: str | None = None) -> None:
        self._command = command_of("arena.web.reader", str(folder.resolve()), *([level] if level else []))
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, what: Callable[..., T], *args: Any) -> T:
        """`what`, a function of a Site at the top level of its module, with the league as it is now."""
        for last in (False, True):
            process = self._started()
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                pickle.dump((what, args), process.stdin)
                process.stdin.flush()
                done, found = pickle.load(process.stdout)
                break
            except (EOFError, OSError):
                self.close()
                if last:
                    raise
        if not done:
            raise found
        value: T = found
        return value

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
                preexec_fn=behind(os.getpid(), _NICE),
            )
        return self._process

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    assert pipe is not None
                    pipe.close()
            process.wait()


def _serve(folder: Path, level: str | None, questions: BinaryIO, answers: BinaryIO) -> None:
    """Answer questions until there are no more."""
    reader = Reader(folder, level)
    while True:
        try:
            what, args = pickle.load(questions)
        except EOFError:
            return
        try:
            answer = True, reader.run(what, *args)
        except Exception as error:
            answer = False, error
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints does not answer
    _serve(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None, sys.stdin.buffer, own)
