"""A bot's process: started with limits, ended with everything it has started, stopped while others think.

At the level `process` the bot has a process, a session and limits of its own, which keeps the games of others whole
when it crashes and its memory apart from the runner's; it still has all the rights of its user. At the level
`sandbox` the same command runs inside of bubblewrap (see `arena.bots.isolation.sandbox`).
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import select
import signal
import subprocess
import time
import weakref
from collections.abc import Callable

from arena.bots.cores import lower_session
from arena.bots.isolation.sandbox import require_bubblewrap, sandboxed
from arena.bots.limits import BOT_OOM_SCORE, BotLimits, CannotStart, Isolation, Launch, limits_setter, set_oom_score
from arena.bots.processes import (
    descendants,
    exit_text,
    kill_with_group,
    read_text,
    send_group_signal,
    send_signal,
    tie_to_parent,
)

PIECE = 1 << 16


class ProcessEnded(Exception):
    """The process has ended, or has closed its output; the text says how."""


class DeadlinePassed(Exception):
    """The process did not read or write in time. It is still there."""


PONDERING_S = 0.05
"""Processor time off its turn that a bot may use in a game before it is stopped between its decisions."""

LOOK_S = 0.05
"""Seconds between two checks of what all bots use: their threads may go on working while their opponents think."""
SLACK_MB = 64
"""MiB beside its data that a process may have: the stack of its first thread, changed code, page tables."""
_FIELDS = re.compile(r"^(RssAnon|RssShmem|VmSwap|VmPTE|Threads):\s+(\d+)", re.MULTILINE)

_running: weakref.WeakSet[BotProcess] = weakref.WeakSet()
_looks_at = 0.0


def own_children() -> set[int]:
    """Return the PIDs of the bots that run now: children that this process started, not what bots left behind."""
    return {process.pid for process in _running}


def watch_bots() -> None:
    """End bots of this process that use more than they may; look from time to time only."""
    global _looks_at
    now = time.monotonic()
    if now >= _looks_at:
        _looks_at = now + LOOK_S
        for process in list(_running):
            process.look()


def require_isolation(level: str) -> None:
    """Raise `ArenaError` with the remedy if this machine cannot isolate bots at this level."""
    if Isolation(level).confined:
        require_bubblewrap()


class BotProcess:
    """A running bot, whose stdin, stdout and stderr are pipes to us. Not thread-safe.

    Deadlines are times of `time.monotonic`. `send` and `receive` raise `ProcessEnded` and `DeadlinePassed`. The thread
    that made it must live as long as the process. `on_output` is called with what it writes to stderr, and `beat` from
    time to time while we wait for it.
    """

    def __init__(
        self,
        launch: Launch,
        on_output: Callable[[bytes], object] = lambda data: None,
        beat: Callable[[], object] = lambda: None,
    ) -> None:
        if os.name != "posix":
            raise CannotStart("bots in processes of their own need Linux or another Unix; use --isolation none")
        self.launch = launch
        self.level = Isolation(launch.level)
        self.popen = process = _start(launch, self.level)
        self.pid = self._bot_pid = process.pid
        self.ended: str | None = None
        """How the process ended, once it is closed."""
        pipes = process.stdin, process.stdout, process.stderr
        self._in, self._out, self._err = ends = [pipe.fileno() for pipe in pipes if pipe is not None]
        self.ends = self._in, self._out
        """Our descriptors: to write to, and to read from."""
        self._on_output = on_output
        self._beat = beat
        for end in ends:
            os.set_blocking(end, False)
        self._readable = select.poll()
        self._readable.register(self._out, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(self._in, select.POLLOUT)
        for poll in (self._readable, self._writable):
            poll.register(self._err, select.POLLIN)
        self._excess = ""  # what it had too much of
        self._ponders = False  # whether it was seen to work off its turn
        self._pondering_from = 0.0
        self._pondered_s = 0.0
        self.suspended = False
        """True while it is stopped; it continues when it is asked something."""
        _running.add(self)

    # ---- its pipes -----------------------------------------------------------------------------------------

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
        """Return what the process has written, at least one byte, at most `PIECE`."""
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
        """Return whether the process has ended or written something not received yet; wait up to `wait_s` for it."""
        if self.ended is None and wait_s > 0:
            with contextlib.suppress(DeadlinePassed, ProcessEnded):
                self._wait(self._readable, self._out, time.monotonic() + wait_s)
        return self.ended is None and any(end == self._out for end, _ in self._readable.poll(0))

    def hear(self) -> None:
        """Hear what was written to stderr, without waiting; of a flood, a part."""
        for _ in range(4):
            if self.ended is not None or not self._hear_piece():
                break

    def _check_open(self) -> None:
        """Raise `ProcessEnded` if it is closed: the numbers of its pipes may belong to other files by now."""
        if self.ended is not None:
            raise ProcessEnded(self.ended)

    def _wait(self, poll: select.poll, end: int, deadline: float) -> None:
        """Wait for a pipe, and hear what is written to stderr meanwhile."""
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
                if descriptor == self._err and self._hear_piece() is False:
                    for watched in (self._readable, self._writable):
                        with contextlib.suppress(KeyError):
                            watched.unregister(self._err)
            if left <= 0:  # even while stderr is flooded
                raise DeadlinePassed
            self._beat()
            watch_bots()

    def _hear_piece(self) -> bool | None:
        """Read some of what was written to stderr; return False at its end, None if there is nothing now."""
        try:
            data = os.read(self._err, PIECE)
        except BlockingIOError:
            return None
        except OSError:
            return False
        if data:
            self._on_output(data)
        return bool(data)

    def _how_ended(self) -> str:
        """Describe how the process ended, after its pipe was closed."""
        if self.ended is not None:
            return self.ended
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._excess or how_ended(self.popen.wait(1.0), self.level)
        return "it closed its output"

    # ---- what it uses --------------------------------------------------------------------------------------

    @property
    def bot_pid(self) -> int:
        """The process of the bot itself: in the sandbox a descendant of bubblewrap's."""
        if self._bot_pid == self.pid and self.level.confined:
            line = descendants(self.pid)
            if len(line) >= 2:  # bubblewrap's init, and the bot
                self._bot_pid = line[-1]
        return self._bot_pid

    def cpu_seconds(self) -> float:
        """Return the processor time that the bot's process has used; 0 if it is not known."""
        try:
            return time.clock_gettime(~self.bot_pid << 3 | 2)  # the clock of a process, clock_getcpuclockid(3)
        except OSError:
            return 0.0

    def look(self) -> None:
        """Kill it if it has more memory or threads than it may; how it ended says so."""
        if self.ended is None and not self._excess:
            status = read_text(f"/proc/{self.bot_pid}/status")
            self._excess = excess(status, self.launch.limits, self.level.confined)
            if self._excess:
                send_signal(self.bot_pid, signal.SIGKILL)

    # ---- off its turn --------------------------------------------------------------------------------------

    def new_game(self) -> None:
        """Start counting again what the bot does off its turn; one that was caught pondering stays under watch."""
        self._pondered_s = 0.0

    def wake(self) -> None:
        """Count how much the bot has worked since `rest`, and continue it if it was stopped; call before a question."""
        self._count_pondering()
        if self.suspended:
            self._signal(signal.SIGCONT)
            self.suspended = False

    def rest(self) -> None:
        """Stop a bot that works while its opponent thinks on the same core; call after an answer under a clock.

        It continues when it is asked again: the time would be its opponent's.
        """
        self._count_pondering()
        if self._ponders:
            self.suspend()
        self._pondering_from = self.cpu_seconds()

    def suspend(self) -> None:
        """Stop the bot until it is asked something (`wake`), because others play under a clock."""
        if not self.suspended and self.ended is None and self.popen.poll() is None:
            self._signal(signal.SIGSTOP)
            self.suspended = True

    def _count_pondering(self) -> None:
        if self._pondering_from > 0:
            self._pondered_s += max(self.cpu_seconds() - self._pondering_from, 0.0)
            self._ponders |= self._pondered_s > PONDERING_S
            self._pondering_from = 0.0

    def _signal(self, number: int) -> None:
        if self.level.confined:
            if self.bot_pid != self.pid:  # bubblewrap itself must go on: it starts the bot, and reports its end
                send_signal(self.bot_pid, number)
        else:
            send_group_signal(self.pid, number)

    # ---- its end -------------------------------------------------------------------------------------------

    def close(self, grace_s: float = 0.0) -> str:
        """End the process and everything it has started, at once or after waiting `grace_s` for it to end by itself.

        Return how it ended. Can be called again.
        """
        if self.ended is not None:
            return self.ended
        code = self.popen.poll()
        followers = [] if self.level.confined else descendants(self.pid)  # afterwards it is unknown what it has started
        if self.popen.stdin is not None:
            with contextlib.suppress(OSError):
                self.popen.stdin.close()
        if grace_s > 0 and code is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = self.popen.wait(grace_s)
        followers += [] if self.level.confined else descendants(self.pid)
        if code is None:
            kill_with_group(self.pid)
        else:
            send_group_signal(self.pid, signal.SIGKILL)
        self.popen.wait()
        for pid in followers:  # those that have left the group
            send_signal(pid, signal.SIGKILL)
        self.hear()
        for end in (self.popen.stdout, self.popen.stderr):
            if end is not None:
                end.close()
        _running.discard(self)
        self.ended = self._excess or ("it was stopped" if code is None else how_ended(code, self.level))
        return self.ended

    def __del__(self) -> None:
        if getattr(self, "ended", "") is None and hasattr(self, "suspended"):
            self.close()


# ---------------------------------------------------------------- starting


def _preparation(limits: BotLimits, confined: bool) -> Callable[[], None]:
    """Return a function that a new process calls before its program begins: limits, and its end when this one ends."""
    set_limits = limits_setter(limits, confined)
    die_with_parent = tie_to_parent(os.getpid())

    def prepare() -> None:
        die_with_parent()
        if confined:
            lower_session()
        set_oom_score(BOT_OOM_SCORE)
        set_limits()

    return prepare


def _start(launch: Launch, level: Isolation) -> subprocess.Popen[bytes]:
    argv = list(launch.argv)
    passed: list[int] = []
    if level.confined:
        argv, passed = sandboxed(launch)
    try:
        return subprocess.Popen(
            argv,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=launch.folder,
            env=launch.whole_environment,
            pass_fds=passed,
            process_group=None if level.confined else 0,
            start_new_session=level.confined,  # bubblewrap's own would come after a moment without a group and a parent
            preexec_fn=_preparation(launch.limits, level.confined),
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise _cannot_start(error, launch, argv[0]) from None
    finally:
        for end in passed:
            os.close(end)


def _cannot_start(error: OSError | subprocess.SubprocessError, launch: Launch, program: str) -> CannotStart:
    if not isinstance(error, OSError):
        return CannotStart(f"cannot start {program}: {error}")
    what = f"folder {launch.folder}" if str(error.filename) == str(launch.folder) else program
    hint = "; not executable; a script needs a shebang such as #!/usr/bin/env python3"
    return CannotStart(f"cannot start {what}: {error.strerror}{hint if error.errno == errno.ENOEXEC else ''}")


def how_ended(code: int, level: str = Isolation.PROCESS) -> str:
    """Describe the exit code of a bot's process; bubblewrap reports a signal as 128 plus its number.

    >>> how_ended(3), how_ended(-9), how_ended(139, "sandbox")
    ('it ended itself with exit code 3', 'it was killed by SIGKILL', 'it was killed by SIGSEGV')
    >>> how_ended(254, "sandbox")  # as from a shell that cannot start a program
    'it ended itself with exit code 254'
    """
    if level == Isolation.SANDBOX and 128 < code <= 128 + max(signal.valid_signals()):
        code = 128 - code
    reasons = {-signal.SIGXCPU: " (its processor time is used up)", -signal.SIGXFSZ: " (a file grew too large)"}
    return exit_text(code) + reasons.get(code, "")


def excess(status: str, limits: BotLimits, threads: bool = True) -> str:
    """Say what exceeds the limits by the text of `/proc/PID/status`; "" if nothing does or that is not known.

    `threads`: check their number as well.

    >>> excess("RssAnon:\\t 2097152 kB\\nVmPTE:\\t 1024 kB\\nThreads:\\t3\\n", BotLimits())
    'it had 2,049 MiB of memory, more than its 1,024'
    >>> excess("RssAnon:\\t 1024 kB\\nVmPTE:\\t 2097152 kB\\n", BotLimits())
    'it had 2,049 MiB of memory, more than its 1,024'
    >>> excess("Threads:\\t65\\n", BotLimits())
    'it had 65 threads, more than its 64'
    """
    figures = {name: int(value) for name, value in _FIELDS.findall(status)}
    count = figures.pop("Threads", 0)
    memory_mb = sum(figures.values()) >> 10
    if memory_mb > limits.memory_mb + SLACK_MB:
        return f"it had {memory_mb:,} MiB of memory, more than its {limits.memory_mb:,}"
    if threads and count > limits.processes:
        return f"it had {count:,} threads, more than its {limits.processes}"
    return ""
