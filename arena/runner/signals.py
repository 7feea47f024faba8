"""Ctrl-C (SIGINT) and SIGTERM as requests to stop: one finishes the games in hand, a second stops at once."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any


class StopSignals:
    """Counts the requests to stop, as a context manager.

    Python handles signals in the main thread only; in any other nothing is counted and nothing changes.
    """

    def __init__(self) -> None:
        self.count = 0
        self._previous: dict[int, Any] = {}

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
            for number in (signal.SIGINT, signal.SIGTERM):
                self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
