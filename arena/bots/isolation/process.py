"""A bot's process: started with limits, ended with all that it has started, kept quiet while others think.

At the level `process` the bot has a process, a session and limits of its own, which keeps the games of others whole
when it crashes and its memory apart from the runner's; it still has all the rights of its user. At the level
`sandbox` the same command runs inside of bubblewrap (see `arena.bots.isolation.bubblewrap`).
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import signal
import subprocess
import time
import weakref
from collections.abc import Callable
from typing import NamedTuple

from arena.bots.isolation.bubblewrap import require_bubblewrap, sandboxed
from arena.bots.isolation.levels import CannotStart, Isolation, Launch
from arena.bots.isolation.pipe import PipedProcess
from arena.bots.processes.limits import BOT_GOES, MIB, BotLimits, let_go_first, limits_setter
from arena.bots.processes.procfs import descendants
from arena.bots.processes.tree import (
    exit_text,
    kill_group,
    kill_with_group,
    send_group_signal,
    send_signal,
    stay_behind,
    tie_to_parent,
)

PONDERING_S = 0.05
"""Processor time off its turn that a bot may use in a game before it is stopped between its decisions."""

#: PIDs of the bots that run now, as this process knows them.
running: set[int] = set()

_watched: weakref.WeakSet[BotProcess] = weakref.WeakSet()
_looks_at_all_at = 0.0
_beats: list[Callable[[], object]] = []


def own_children() -> set[int]:
    """The children of this process that are its own doing, and not left behind by a bot."""
    return set(running)


def while_waiting(beat: Callable[[], object]) -> None:
    """Have `beat` called from time to time while this process waits for a bot, to show that it is alive."""
    _beats.append(beat)


def watch_bots() -> None:
    """End those of the bots of this process that have more than they may; looks from time to time only."""
    global _looks_at_all_at
    now = time.monotonic()
    if now >= _looks_at_all_at:
        _looks_at_all_at = now + LOOK_AT_ALL_S
        for process in list(_watched):
            process.look()


def require_isolation(level: str) -> None:
    """`ArenaError` with the remedy if this machine cannot isolate bots like that."""
    if Isolation(level).confined:
        require_bubblewrap()


class BotProcess(PipedProcess):
    """A running bot. Not thread-safe. The thread that made it must live as long as it is wanted."""

    def __init__(self, launch: Launch) -> None:
        if os.name != "posix":
            raise CannotStart("bots in processes of their own need Linux or another Unix; use --isolation none")
        self.launch = launch
        self.level = Isolation(launch.level)
        super().__init__(_start(launch, self.level), self._exit_text)
        self._bot_pid = self.pid
        self._excess: str | None = None
        self.ponders = False
        """True once the bot was seen to work off its turn; may be set if another process of the bot was."""
        self._pondering_from = 0.0
        self._pondered_s = 0.0
        self._suspended = False
        running.add(self.pid)
        _watched.add(self)

    def _exit_text(self, code: int) -> str:
        return self._excess or how_ended(code, self.level)

    @property
    def bot_pid(self) -> int:
        """The process of the bot itself: in the sandbox a descendant of bubblewrap's."""
        if self._bot_pid == self.pid and self.level.confined:
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

    # ---- its share -----------------------------------------------------------------------------------------

    def watch(self) -> None:
        """It is waited for: see that neither it nor any other bot of this process has more than it may."""
        for beat in _beats:
            beat()
        self.look()
        watch_bots()

    def look(self) -> None:
        """Kill it if it has more memory or threads than it may (see `memory_watch`); how it ended says so."""
        if self.ended is None and self._excess is None and not self._suspended:
            share = taken(self.bot_pid)
            self._excess = share and share.excess(self.launch.limits, self.level.confined)
            if self._excess is not None:
                send_signal(self.bot_pid, signal.SIGKILL)

    # ---- off its turn --------------------------------------------------------------------------------------

    def new_game(self) -> None:
        """Start counting again what the bot does off its turn; one that was caught pondering stays under watch."""
        self._pondered_s = 0.0

    def wake(self) -> None:
        """Before a question: see how much the bot has worked since `rest`, and let it go on if it was stopped."""
        self._count_pondering()
        if self._suspended:
            self._signal(signal.SIGCONT)
            self._suspended = False

    def rest(self) -> None:
        """After an answer under a clock. A bot that goes on working while its opponent thinks, on the same core, is
        stopped until it is asked again: the time would be its opponent's."""
        self._count_pondering()
        if self.ponders:
            self.suspend()
        self._pondering_from = self.cpu_seconds()

    def suspend(self) -> None:
        """Stop the bot until it is asked something (`wake`): after a game under a clock, since others play then, and
        while another process of the same bot plays the other game of a pair."""
        if not self._suspended and self.ended is None and self.popen.poll() is None:
            self._signal(signal.SIGSTOP)
            self._suspended = True

    def _count_pondering(self) -> None:
        if self._pondering_from > 0:
            self._pondered_s += max(self.cpu_seconds() - self._pondering_from, 0.0)
            self.ponders |= self._pondered_s > PONDERING_S
            self._pondering_from = 0.0

    def _signal(self, number: int) -> None:
        if self.level.confined:
            if self.bot_pid != self.pid:  # bubblewrap itself must go on: it starts the bot, and tells of its end
                send_signal(self.bot_pid, number)
        else:
            send_group_signal(self.pid, number)

    # ---- its end -------------------------------------------------------------------------------------------

    def close(self, grace_s: float = 0.0) -> str:
        """End the process and all that it has started, at once or after waiting `grace_s` for it to end by itself.

        Returns how it ended. May be called again.
        """
        if self.ended is not None:
            return self.ended
        code = self.popen.poll()
        followers = self._followers()  # before its end: after that, nobody can tell what it has started
        if self.popen.stdin is not None:
            with contextlib.suppress(OSError):
                self.popen.stdin.close()
        if grace_s > 0 and code is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = self.popen.wait(grace_s)
        followers += self._followers()
        if code is None:
            kill_with_group(self.pid)
        else:
            kill_group(self.pid)
        self.popen.wait()
        for pid in followers:  # those that have left the group
            send_signal(pid, signal.SIGKILL)
        self.close_pipes()
        running.discard(self.pid)
        _watched.discard(self)
        self.ended = self._excess or ("it was stopped" if code is None else self.exit_text(code))
        return self.ended

    def _followers(self) -> list[int]:
        """What it has started, as far as that could outlive it."""
        return [] if self.level.confined else descendants(self.pid)

    def __del__(self) -> None:
        if getattr(self, "ended", "") is None and hasattr(self, "_suspended"):
            self.close()


# ---------------------------------------------------------------- starting


def _preparation(limits: BotLimits, confined: bool) -> Callable[[], None]:
    """Return what a new process does before its program begins: limits, and its end when this process ends."""
    set_limits = limits_setter(limits.memory_mb * MIB, limits.file_mb * MIB, limits.files, limits.cpu_s, confined)
    die_with_parent = tie_to_parent(os.getpid())

    def prepare() -> None:
        die_with_parent()
        if confined:
            stay_behind()
        set_limits()
        let_go_first(BOT_GOES)

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
    return CannotStart(f"cannot start {what}: {error.strerror}{_remedy(error, program)}")


def _remedy(error: OSError, program: str) -> str:
    if error.errno == errno.EACCES:
        return f"; make it executable: chmod +x {program}"
    if error.errno == errno.ENOEXEC:
        return "; not executable; a script needs a shebang such as #!/usr/bin/env python3"
    return ""


def how_ended(code: int, level: str = Isolation.PROCESS) -> str:
    """The exit code of a bot's process in words; bubblewrap reports a signal as 128 plus its number.

    >>> how_ended(3), how_ended(-9), how_ended(139, "sandbox")
    ('it ended itself with exit code 3', 'it was killed by SIGKILL', 'it was killed by SIGSEGV')
    >>> how_ended(254, "sandbox")  # as of a shell that cannot start a program
    'it ended itself with exit code 254'
    """
    if level == Isolation.SANDBOX and 128 < code <= 128 + max(signal.valid_signals()):
        code = 128 - code
    reasons = {-signal.SIGXCPU: " (its processor time is used up)", -signal.SIGXFSZ: " (a file grew too large)"}
    return exit_text(code) + reasons.get(code, "")


# ---------------------------------------------------------------- what it takes


LOOK_AT_ALL_S = 0.25
"""Seconds between two looks at all others: without a clock their threads may go on working."""
SLACK_MB = 64
"""What a process may have beside its data: the stack of its first thread, code that was changed, page tables."""

_FIELDS = re.compile(rb"^(RssAnon|RssShmem|VmSwap|VmPTE|Threads):\s+(\d+)", re.MULTILINE)


class Taken(NamedTuple):
    """What a process has: MiB of memory, MiB of these that are page tables, threads."""

    memory_mb: int
    tables_mb: int
    threads: int

    def excess(self, limits: BotLimits, threads: bool = True) -> str | None:
        """What of it is beyond the limits, in words; None if nothing. `threads`: count those, too.

        >>> Taken(2049, 1, 3).excess(BotLimits()), Taken(1, 1, 65).excess(BotLimits())
        ('it had 2,049 MiB of memory, more than its 1,024', 'it had 65 threads, more than its 64')
        >>> Taken(2049, 2048, 3).excess(BotLimits())
        'it had 2,049 MiB of memory, 2,048 of them page tables, more than its 1,024'
        """
        if self.memory_mb > limits.memory_mb + SLACK_MB:
            mostly = f", {self.tables_mb:,} of them page tables" if self.tables_mb > SLACK_MB else ""
            return f"it had {self.memory_mb:,} MiB of memory{mostly}, more than its {limits.memory_mb:,}"
        if threads and self.threads > limits.processes:
            return f"it had {self.threads:,} threads, more than its {limits.processes}"
        return None


def taken(pid: int) -> Taken | None:
    """What a process has; None if the system does not tell."""
    try:
        file = os.open(f"/proc/{pid}/status", os.O_RDONLY)
        try:
            return read_status(os.read(file, 8192))
        finally:
            os.close(file)
    except OSError:
        return None


def read_status(text: bytes) -> Taken:
    """What a process has, from the text of `/proc/PID/status`.

    >>> read_status(b"RssAnon:\\t 2097152 kB\\nVmPTE:\\t 1024 kB\\nThreads:\\t3\\n")
    Taken(memory_mb=2049, tables_mb=1, threads=3)
    """
    figures = {name: int(value) for name, value in _FIELDS.findall(text)}
    threads = figures.pop(b"Threads", 0)
    return Taken(sum(figures.values()) >> 10, figures.get(b"VmPTE", 0) >> 10, threads)
