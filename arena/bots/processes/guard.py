"""Ends the process groups that a process has started when that process is killed.

The kernel ends a child with its parent only once the child has asked for it, and forgets that when the child makes one
of its own: bubblewrap does so, and asks again a moment later. A process that is killed in that moment left one behind
for ever. So a shell, in a session of its own, is told of each group and waits at a pipe whose other end only that
process holds; at its end, it kills the groups that are left. It ignores all signals but those that nobody can ignore.
"""

from __future__ import annotations

import atexit
import itertools
import os
import signal
import subprocess

_SHELL = "/bin/sh"
#: "+ NAME GROUP" adds a group, "- NAME" takes it off.
_SCRIPT = """
groups=
while read -r sign name group; do
    case $sign in
        +) groups="$groups $name:$group" ;;
        -) left=
            for one in $groups; do
                case $one in "$name":*) ;; *) left="$left $one" ;; esac
            done
            groups=$left ;;
    esac
done
for one in $groups; do kill -9 "-${one#*:}"; done
"""
_PATIENCE_S = 5.0


class Guard:
    """The guard of this process. `add` is for the new process itself, before it runs its program."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._names = itertools.count()
        self._shell = subprocess.Popen(
            [_SHELL, "-c", _SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
            env={},
            preexec_fn=_ignore_signals,
        )
        assert self._shell.stdin is not None
        self.pid = self._shell.pid
        self._end = self._shell.stdin.fileno()
        os.set_blocking(self._end, False)
        self._is_deaf = False
        atexit.register(self.close)

    def is_there(self) -> bool:
        """Does it still wait, and read what it is told?"""
        return self.owner == os.getpid() and self._shell.poll() is None and not self._is_deaf

    def new_name(self) -> int:
        """A name for the group of a process that is to be started."""
        return next(self._names)

    def add(self, name: int) -> None:
        """Have the group of the calling process killed when the owner of this guard is gone.

        The caller was forked to become another program, for which SIGPIPE was set back to what ends a process.
        """
        before = signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        self._tell(f"+ {name} {os.getpgid(0)}\n")
        signal.signal(signal.SIGPIPE, before)

    def remove(self, name: int) -> None:
        """That group has ended."""
        self._tell(f"- {name}\n")

    def _tell(self, line: str) -> None:
        try:
            os.write(self._end, line.encode())
        except BlockingIOError:  # it was stopped
            self._is_deaf = True
        except OSError:  # it was killed
            pass

    def close(self) -> None:
        """End the guard, and with it the groups that are left. In a fork of its owner: let go of it."""
        atexit.unregister(self.close)
        if self._shell.stdin is not None:
            self._shell.stdin.close()
        self._end = -1  # its number may soon be that of another file
        if self.owner == os.getpid():
            try:
                self._shell.wait(0 if self._is_deaf else _PATIENCE_S)
            except subprocess.TimeoutExpired:
                self._shell.kill()
                self._shell.wait()


def _ignore_signals() -> None:
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
        signal.signal(number, signal.SIG_IGN)


_guard: Guard | None = None


def guard() -> Guard | None:
    """The guard of this process, started when it is first asked for or was killed; None where there is no shell."""
    global _guard
    if (_guard is None or not _guard.is_there()) and os.access(_SHELL, os.X_OK):
        if _guard is not None:
            _guard.close()
        _guard = Guard()
    return _guard


def guard_pids() -> set[int]:
    """The guard among the children of this process."""
    return {_guard.pid} if _guard is not None and _guard.owner == os.getpid() else set()
