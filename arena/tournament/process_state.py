"""Restore the state of the worker process that a bot may disturb by accident between games.

A bot can change the working directory, the recursion limit or the environment; the next game must not notice. A worker
whose bots leave threads or processes behind is replaced (`arena.tournament.runner.worker`).
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import random
import signal
import sys
import warnings

_SIGNALS = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGALRM", "SIGCHLD", "SIGUSR1", "SIGUSR2", "SIGPROF", "SIGVTALRM")
    if hasattr(signal, name)
)
_TIMERS = tuple(
    getattr(signal, name) for name in ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF") if hasattr(signal, name)
)


class ProcessState:
    """A snapshot of the process, which `restore` brings back.

    It covers the working directory, the environment, `sys.path`, the recursion limit, standard streams, warning
    filters, signal handlers and timers, and the garbage collector.
    """

    def __init__(self) -> None:
        self._folder = _folder()
        self._environment = dict(os.environ)
        self._path = list(sys.path)
        self._filters = list(warnings.filters)
        self._streams = (sys.stdin, sys.stdout, sys.stderr)
        self._signals = {number: signal.getsignal(number) for number in _SIGNALS}
        self._recursion_limit = sys.getrecursionlimit()
        self._collector = (gc.isenabled(), gc.get_threshold())

    def lift_limit(self) -> None:
        """Restore the recursion limit, before anything else is called after a bot's exception."""
        if sys.getrecursionlimit() != self._recursion_limit:
            sys.setrecursionlimit(self._recursion_limit)

    def restore(self) -> list[str]:
        """Restore everything; return the names of what had been changed."""
        changed = []
        if sys.getrecursionlimit() != self._recursion_limit:
            changed.append("recursion limit")
            self.lift_limit()
        if (gc.isenabled(), gc.get_threshold()) != self._collector:
            changed.append("garbage collector")
            enabled, threshold = self._collector
            gc.set_threshold(*threshold)
            (gc.enable if enabled else gc.disable)()
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
            warnings.resetwarnings()  # so that the C part notices the change
            warnings.filters[:] = self._filters  # type: ignore[index]
        if (sys.stdin, sys.stdout, sys.stderr) != self._streams:
            changed.append("standard streams")
            sys.stdin, sys.stdout, sys.stderr = self._streams
        return changed + self._restore_signals()

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


def _folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return None


# ---------------------------------------------------------------- global generators


def seed_generators(seed: int, numpy: bool) -> None:
    """Seed the global generators of `random` and, if wanted, `numpy`, for bots that draw from them."""
    random.seed(seed)
    if numpy:
        importlib.import_module("numpy.random").seed(seed & 0xFFFFFFFF)
