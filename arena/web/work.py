"""The work that is queued: submissions are checked and placed as they come, until somebody asks to stop."""

from __future__ import annotations

import time
from collections.abc import Callable

from arena.league.match_runner import LeagueSession
from arena.league.placement import SubmissionResult, handle_waiting
from arena.league.play import play_games
from arena.league.rating import standings

LOOK_S = 0.5
STRETCH = 40
"""Games that are played beyond placement before the next look for submissions."""


def work(session: LeagueSession, play: bool, told: Callable[[SubmissionResult], None] = lambda result: None) -> None:
    """Check and place what is submitted, until Ctrl-C or SIGTERM; with `play`, play on while nothing waits."""
    while session.wait_while_paused():
        results = handle_waiting(session)
        for result in results:
            told(result)
        if results or session.stopping:
            continue
        if play and len(standings(session.league).rows) > 1:
            play_games(session, STRETCH, told)
        else:
            time.sleep(LOOK_S)
            session.process.beat()
