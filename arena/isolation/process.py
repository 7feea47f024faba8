"""A bot's process: started with limits, spoken to through pipes with a deadline, ended with what it has started.

What is said here holds for both levels. At the level `process` the bot has a process, a session and limits of its
own, which keeps the games of others whole when it crashes and its memory apart from the runner's; it still has all
the rights of its user. At the level `sandbox` the same command runs inside of bubblewrap (see `sandbox`).
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from arena.errors import ArenaError
from arena.isolation.limits import MIB, BotLimits
from arena.isolation.sandbox.bubblewrap import sandboxed
from arena.processes.procfs import descendants
from arena.processes.rlimits import limits_setter
from arena.processes.tree import (
    PR_SET_PDEATHSIG,
    kill_group,
    kill_with_group,
    prctl,
    send_group_signal,
    send_signal,
)

LEVELS = ("process", "sandbox")
PIECE = 1 << 16
_COMPLAINTS = 20_000
IDLE_S = 0.05
"""Processor time beside its decisions that a bot may use in a game before it is stopped between them."""
_LONGEST_S = 3600.0  # of one wait: the system takes 24 days at most

#: Process numbers of the bots that run now, as this process knows them.
running: set[int] = set()


class CannotStart(ArenaError):
    """The command of a bot cannot be run."""


class Ended(Exception):
    """The process has ended, or has closed its output; `how` says it in words."""

    def __init__(self, how: str) -> None:
        super().__init__(how)
        self.how = how


class Overdue(Exception):
    """The deadline has passed. The process is still there."""


@dataclass(frozen=True)
class Launch:
    """How a bot's process is started.

    `argv` is the command, a program's path first; `folder` the bot's own, its working directory, read-only in the
    sandbox. `read_only` are further files and folders that the sandbox shows; `system` lets it show the system's
    programs, too. `environment` is the whole environment beside PATH, HOME and LANG.
    """

    argv: tuple[str, ...]
    folder: Path
    level: str
    limits: BotLimits = field(default_factory=BotLimits)
    read_only: tuple[Path, ...] = ()
    system: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)


class BotProcess:
    """A running bot. Not thread-safe. The thread that made it must live as long as it is wanted."""

    def __init__(self, launch: Launch) -> None:
        if os.name != "posix":
            raise CannotStart("bots in processes of their own need Linux or another Unix; use --isolation none")
        self.launch = launch
        self._how: str | None = None
        self._complaints = bytearray()
        self._dropped = False
        self._process = _started(launch)
        self.pid = self._process.pid
        self._bot_pid = self.pid
        self._idle_from = 0.0
        self._idle_s = 0.0
        self._frozen = False
        running.add(self.pid)
        self._in, self._out, self._err = _ends(self._process)
        for end in (self._in, self._out, self._err):
            os.set_blocking(end, False)
        self._readable = select.poll()
        self._readable.register(self._out, select.POLLIN)
        self._readable.register(self._err, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(self._in, select.POLLOUT)
        self._writable.register(self._err, select.POLLIN)

    def send(self, data: bytes, deadline: float) -> None:
        """Write all of `data`. `deadline` is a time of `time.monotonic`. Raises Ended, Overdue."""
        self._check()
        at = 0
        while True:
            try:
                at += os.write(self._in, data[at:] if at else data)
            except BlockingIOError:
                pass
            except OSError as error:  # EPIPE
                raise Ended(self._ended()) from error
            if at >= len(data):
                return
            self._wait(self._writable, self._in, deadline)

    def receive(self, deadline: float) -> bytes:
        """What the process has written since, at least one byte, at most `PIECE`. Raises Ended, Overdue."""
        self._check()
        while True:
            self._wait(self._readable, self._out, deadline)
            try:
                data = os.read(self._out, PIECE)
            except BlockingIOError:
                continue
            except OSError:
                data = b""
            if not data:
                raise Ended(self._ended())
            return data

    @property
    def ends(self) -> tuple[int, int]:
        """Our descriptors: to write to, and to read from."""
        return self._in, self._out

    def pending(self, wait_s: float = 0.0) -> bool:
        """Has the process written something that was not received yet, or ended? Waits so long for that."""
        if self._how is None and wait_s > 0:
            with contextlib.suppress(Overdue, Ended):
                self._wait(self._readable, self._out, time.monotonic() + wait_s)
        return self._how is None and any(end == self._out for end, _ in self._readable.poll(0))

    def _check(self) -> None:
        """Is it not closed? The numbers of its pipes may be those of other files by then."""
        if self._how is not None:
            raise Ended(self._how)

    def _wait(self, poll: select.poll, end: int, deadline: float) -> None:
        """Wait for a pipe, keeping what is written to stderr meanwhile."""
        while True:
            left = deadline - time.monotonic()
            try:
                ready = poll.poll(min(max(left, 0), _LONGEST_S) * 1000 + 1)
            except OSError as error:
                raise Ended(self._ended()) from error
            for descriptor, _ in ready:
                if descriptor == end:
                    return
            for descriptor, _ in ready:
                if descriptor == self._err and not self._listen():
                    for one in (self._readable, self._writable):
                        with contextlib.suppress(KeyError):
                            one.unregister(self._err)
            if not ready and left <= 0:
                raise Overdue
            if left <= 0:  # a flood of complaints must not hold us up
                raise Overdue

    def _listen(self) -> bool:
        """Read what was written to stderr; False at its end."""
        try:
            data = os.read(self._err, PIECE)
        except BlockingIOError:
            return True
        except OSError:
            return False
        room = _COMPLAINTS - len(self._complaints)
        self._complaints += data[:room]
        self._dropped |= len(data) > room
        return bool(data)

    def complaints(self) -> str:
        """What the process has written to stderr since the last call, at most 20,000 characters. Never waits."""
        if self._how is None:
            for _ in range(4):
                if not any(end == self._err for end, _ in self._readable.poll(0)) or not self._listen():
                    break
        text = self._complaints.decode("utf-8", "replace")
        if self._dropped:
            text += "\n[more is dropped]"
        self._complaints.clear()
        self._dropped = False
        return text

    @property
    def bot_pid(self) -> int:
        """The process of the bot itself: in the sandbox a descendant of bubblewrap's."""
        if self._bot_pid == self.pid and self.launch.level == "sandbox":
            line = descendants(self.pid)
            if len(line) >= 2:  # bubblewrap's init, and the bot
                self._bot_pid = line[-1]
        return self._bot_pid

    def cpu_seconds(self) -> float:
        """Processor time that the bot's process has used; 0 if the system does not tell."""
        try:
            return time.clock_gettime(~self.bot_pid << 3 | 2)  # the clock of a process, clock_getcpuclockid(3)
        except OSError:
            return 0.0

    def new_game(self) -> None:
        """Count anew what the bot does beside its decisions; one that was found at it stays under watch."""
        if not self.restless:
            self._idle_s = 0.0

    @property
    def restless(self) -> bool:
        """Was the bot seen to work beside its decisions? May be set, from what another process of it did."""
        return self._idle_s > IDLE_S

    @restless.setter
    def restless(self, seen: bool) -> None:
        self._idle_s = 2 * IDLE_S if seen else 0.0

    def wake(self) -> None:
        """Before a question: see how much the bot has worked since `rest`, and let it go on if it was stopped."""
        self._count()
        if self._frozen:
            self._signal(signal.SIGCONT)
            self._frozen = False

    def rest(self) -> None:
        """After an answer under a clock. A bot that goes on working while its opponent thinks, on the same core, is
        stopped until it is asked again: the time would be its opponent's."""
        self._count()
        if self.restless:
            self.halt()
        self._idle_from = self.cpu_seconds()

    def _count(self) -> None:
        if self._idle_from > 0:
            self._idle_s += max(self.cpu_seconds() - self._idle_from, 0.0)
            self._idle_from = 0.0

    def halt(self) -> None:
        """Stop the bot until it is asked something (`wake`): after a game under a clock, since others play then."""
        if not self._frozen and self._how is None and self._process.poll() is None:
            self._signal(signal.SIGSTOP)
            self._frozen = True

    def _signal(self, number: int) -> None:
        if self.launch.level == "process":
            send_group_signal(self.pid, number)
        else:
            send_signal(self.bot_pid, number)

    def _ended(self) -> str:
        """How the process has ended, when its pipe says that it has."""
        if self._how is not None:
            return self._how
        deadline = time.monotonic() + 1.0
        while self._process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        if self._process.returncode is None:
            return "it closed its output"
        return how_ended(self._process.returncode, self.launch.level)

    def close(self, grace_s: float = 0.0) -> str:
        """End the process and all that it has started, at once or after waiting `grace_s` for it to end by itself.

        Returns how it ended. May be called again.
        """
        if self._how is not None:
            return self._how
        process = self._process
        own = process.poll()
        followers = self._followers()  # before it knows: once it has ended, nobody can tell what it has started
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
        if grace_s > 0 and own is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                own = process.wait(grace_s)
        followers += self._followers()
        if own is None:
            kill_with_group(self.pid)
        else:
            kill_group(self.pid)
        process.wait()
        for pid in followers:  # those that have left the group
            send_signal(pid, signal.SIGKILL)
        while self._listen_rest():
            pass
        for end in (process.stdout, process.stderr):
            if end is not None:
                end.close()
        running.discard(self.pid)
        self._how = "it was stopped" if own is None else how_ended(own, self.launch.level)
        return self._how

    def _followers(self) -> list[int]:
        """What it has started, as far as that could outlive it."""
        return descendants(self.pid) if self.launch.level == "process" else []

    def _listen_rest(self) -> bool:
        """Read the last words, as far as they are there; something may still hold the pipe open."""
        before = len(self._complaints)
        return self._listen() and before < len(self._complaints) < _COMPLAINTS

    def __del__(self) -> None:
        if getattr(self, "_how", "") is None and hasattr(self, "_err"):
            self.close()


# ---------------------------------------------------------------- starting


def _started(launch: Launch) -> subprocess.Popen[bytes]:
    argv = list(launch.argv)
    passed: list[int] = []
    if launch.level == "sandbox":
        argv, passed = sandboxed(launch)
    elif launch.level not in LEVELS:
        raise ValueError(f"a bot's process has the level {' or '.join(LEVELS)}, not {launch.level!r}")
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8", **launch.environment}
    try:
        return subprocess.Popen(
            argv,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=launch.folder,
            env=environment,
            pass_fds=passed,
            process_group=0,
            preexec_fn=_preparation(launch),
        )
    except OSError as error:
        what = f"folder {launch.folder}" if str(error.filename) == str(launch.folder) else argv[0]
        raise CannotStart(f"cannot start {what}: {error.strerror}{_remedy(error, argv[0])}") from None
    except subprocess.SubprocessError as error:
        raise CannotStart(f"cannot start {argv[0]}: {error}") from None
    finally:
        for end in passed:
            os.close(end)


def _ends(process: subprocess.Popen[bytes]) -> tuple[int, int, int]:
    pipes = (process.stdin, process.stdout, process.stderr)
    return tuple(pipe.fileno() for pipe in pipes if pipe is not None)  # type: ignore[return-value]


def _remedy(error: OSError, program: str) -> str:
    if error.errno == errno.EACCES:
        return f"; make it executable: chmod +x {program}"
    if error.errno == errno.ENOEXEC:
        return "; it is no program: a script needs a first line such as #!/usr/bin/env python3"
    return ""


def _preparation(launch: Launch) -> Callable[[], None]:
    """What happens in the new process before its program begins: limits, core, death with the parent."""
    limits = launch.limits
    set_limits = limits_setter(limits.memory_mb * MIB, limits.file_mb * MIB, limits.files, limits.cpu_s)
    parent = os.getpid()
    die = prctl()

    def prepare() -> None:
        set_limits()
        if die is not None:
            die(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != parent:
                os._exit(1)

    return prepare


# ---------------------------------------------------------------- ending


def how_ended(code: int, level: str = "process") -> str:
    """The exit code of a bot's process in words; bubblewrap reports a signal as 128 and its number.

    >>> how_ended(3), how_ended(-9), how_ended(139, "sandbox")
    ('it ended itself with exit code 3', 'it was killed by SIGKILL', 'it was killed by SIGSEGV')
    >>> how_ended(254, "sandbox")  # as of a shell that cannot start a program
    'it ended itself with exit code 254'
    """
    if level == "sandbox" and 128 < code <= 128 + max(signal.valid_signals()):
        code = 128 - code
    if code >= 0:
        return f"it ended itself with exit code {code}"
    name = str(-code)
    with contextlib.suppress(ValueError):
        name = signal.Signals(-code).name
    reasons = {"SIGXCPU": " (its processor time is used up)", "SIGXFSZ": " (a file grew too large)"}
    return f"it was killed by {name}{reasons.get(name, '')}"
