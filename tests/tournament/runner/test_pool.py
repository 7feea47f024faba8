"""How a pool hands out units to its workers, and how signals stop it."""

from __future__ import annotations

import os
import signal

from arena.tournament.runner.pool import StopSignals


def test_signals_are_counted_and_given_back() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with StopSignals() as signals:
        assert not signals.stopping
        os.kill(os.getpid(), signal.SIGINT)
        assert (signals.stopping, signals.at_once) == (True, False)
        os.kill(os.getpid(), signal.SIGTERM)
        assert signals.at_once
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
