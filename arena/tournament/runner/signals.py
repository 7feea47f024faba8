"""Ctrl-C (SIGINT), SIGTERM and a closed terminal (SIGHUP) as requests to stop.

One finishes the games in hand, a second stops at once. After `nohup` a closed terminal is no request.
"""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType
from typing import Any

_SIGHUP: int | None = getattr(signal, "SIGHUP", None)  # not on Windows


class StopSignals:
    """Counts the requests to stop, as a context manager.

    Python handles signals in the main thread only; in any other nothing is counted and nothing changes.
    """

    def __init__(self) -> None:
        self.count = 0
        self._previous: dict[int, Any] = {}
        self._shown: list[int] = []

    @property
    def stopping(self) -> bool:
        """Has somebody asked to stop?"""
        return self.count > 0

    @property
    def at_once(self) -> bool:
        """Has somebody asked again, not waiting for the games in hand?"""
        return self.count > 1

    def __enter__(self) -> StopSignals:
        if threading.current_thread() is threading.main_thread():
            self._shown = [descriptor for descriptor in (1, 2) if os.isatty(descriptor)]
            for number in (signal.SIGINT, signal.SIGTERM, _SIGHUP):
                if number is not None and not (number == _SIGHUP and signal.getsignal(number) == signal.SIG_IGN):
                    self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        if number == _SIGHUP:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            for descriptor in self._shown:  # whoever writes to a terminal that has gone fails
                os.dup2(nowhere, descriptor)
            os.close(nowhere)
