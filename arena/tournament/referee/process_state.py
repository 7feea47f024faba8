"""The state of the process that a bot may disturb, and its restoration between games.

A bot inside the worker can change the working directory, the recursion limit and much else, by accident or
not. The next game must not notice. What cannot be put back (threads that go on) is reported, so that the
worker is replaced.
"""

from __future__ import annotations

import builtins
import contextlib
import gc
import os
import signal
import sys
import threading
import warnings
from typing import Any

_SIGNALS = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGALRM", "SIGCHLD", "SIGUSR1", "SIGUSR2", "SIGPROF", "SIGVTALRM")
    if hasattr(signal, name)
)
_TIMERS = tuple(
    getattr(signal, name) for name in ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF") if hasattr(signal, name)
)
#: Under names of our own, which a bot that changes the built-in ones leaves as they are.
_BUILTINS, _ANYTHING = vars(builtins), BaseException


class ProcessState:
    """A snapshot of the process; `restore` brings it back to that.

    Watched are: built-in names, working directory, environment, `sys.path`, recursion limit, standard streams, trace
    and profile functions, warning filters, signal handlers and timers, switch interval, garbage collector.
    """

    def __init__(self) -> None:
        self._threads = set(threading.enumerate())
        self._folder = _folder()
        self._environment = dict(os.environ)
        self._path = list(sys.path)
        self._builtins = dict(_BUILTINS)
        self._filters = list(warnings.filters)
        self._streams = (sys.stdin, sys.stdout, sys.stderr)
        self._signals = {number: signal.getsignal(number) for number in _SIGNALS}
        self._limits = self._numbers()

    @staticmethod
    def _numbers() -> dict[str, Any]:
        return {
            "recursion limit": sys.getrecursionlimit(),
            "switch interval": sys.getswitchinterval(),
            "garbage collector": (gc.isenabled(), gc.get_threshold()),
            "trace function": sys.gettrace(),
            "profile function": sys.getprofile(),
        }

    def lift_limit(self) -> None:
        """Give the recursion limit back, before anything else is called after a bot's exception."""
        limit = self._limits["recursion limit"]
        if sys.getrecursionlimit() != limit:
            sys.setrecursionlimit(limit)

    def restore(self) -> list[str]:
        """Put everything back; names of what had been changed."""
        renamed = self._restore_builtins()  # first: what follows uses them
        changed = ["built-in names"] * renamed + self._restore_numbers()
        if _folder() != self._folder and self._folder is not None:
            changed.append("working directory")
            os.chdir(self._folder)
        if os.environ != self._environment:
            changed.append("environment")
            os.environ.clear()
            os.environ.update(self._environment)
        if sys.path != self._path:
            changed.append("sys.path")
            sys.path[:] = self._path
        if warnings.filters != self._filters:
            changed.append("warning filters")
            warnings.resetwarnings()  # tells the C part that the list has changed
            warnings.filters[:] = self._filters  # type: ignore[index]
        if (sys.stdin, sys.stdout, sys.stderr) != self._streams:
            changed.append("standard streams")
            sys.stdin, sys.stdout, sys.stderr = self._streams
        return changed + self._restore_signals()

    def _restore_builtins(self) -> bool:
        try:
            if self._builtins == _BUILTINS:  # of the same objects, which takes 3 microseconds
                return False
        except _ANYTHING:  # out of a bot's __eq__
            pass
        _BUILTINS.clear()
        _BUILTINS.update(self._builtins)
        return True

    def _restore_numbers(self) -> list[str]:
        now = self._numbers()
        changed = [name for name, value in self._limits.items() if now[name] != value]
        self.lift_limit()
        if "switch interval" in changed:
            sys.setswitchinterval(self._limits["switch interval"])
        if "garbage collector" in changed:
            enabled, threshold = self._limits["garbage collector"]
            gc.set_threshold(*threshold)
            (gc.enable if enabled else gc.disable)()
        if "trace function" in changed:
            sys.settrace(self._limits["trace function"])
        if "profile function" in changed:
            sys.setprofile(self._limits["profile function"])
        return changed

    def _restore_signals(self) -> list[str]:
        changed = []
        for number, handler in self._signals.items():
            if signal.getsignal(number) is not handler and handler is not None:
                changed.append(f"handler of {signal.Signals(number).name}")
                with contextlib.suppress(ValueError):  # only the main thread may
                    signal.signal(number, handler)
        for timer in _TIMERS:
            if signal.getitimer(timer) != (0.0, 0.0):
                changed.append("timer")
                signal.setitimer(timer, 0)
        return changed

    def threads(self) -> list[str]:
        """The names of threads that were started since and are still running."""
        return [one.name for one in threading.enumerate() if one not in self._threads and one.is_alive()]


def _folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return None
