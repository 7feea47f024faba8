"""`arena league work`, and what all commands that play a league share: progress, waiting, outcomes."""

from __future__ import annotations

import math
import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Self

import click

from arena.bots.cores import core_count
from arena.cli.group import INTERRUPTED
from arena.cli.league.show import chosen_league, show_standings
from arena.league.placement import LeagueWork, SubmissionResult
from arena.league.player import LeagueBusy, LeagueSession, open_session
from arena.league.store import League, open_league
from arena.league.views import forfeit_lines, forfeits_text
from arena.results.table import rating_text
from arena.terminal.live import progress_for, rate_text
from arena.text import indented
from arena.tournament.runner.progress import RunStatus

_WAIT_S = 0.5  # between two attempts to play a league that another process plays


def tell_result(league: League, result: SubmissionResult) -> None:
    """Print the outcome of a submission on stderr."""
    version = result.version
    for warning in result.warnings:
        click.echo(f"{version.label}: {indented(warning)}", err=True)
    if result.waits:
        text = (
            f"{version.label} is {version.state} and waits: {indented(result.waits)}. {result.games} of its games are"
            f" stored. To continue as soon as possible: arena league work {shlex.quote(str(league.folder))}"
        )
    elif result.interrupted:
        text = (
            f"Interrupted: {version.label} is {version.state}, {result.games:,} games are stored. Resume with:\n"
            f"  arena league work {shlex.quote(str(league.folder))}"
        )
    elif result.standings is None:
        text = f"{version.label} is refused: {indented(version.reason)}"
    else:
        row = result.standings.row_of(version.id)
        text = f"{version.label} is accepted"
        if row is not None and row.elo is not None:
            text += (
                f": {rating_text(row.elo, row.plus, row.minus)} Elo after {row.score.games:,} games, place {row.rank}"
            )
        if lost := forfeits_text(forfeit_lines(league, version)):
            look = f"arena standings {shlex.quote(str(league.folder))} {version.name}"
            text += f". It forfeited {lost} of them: {look}"
    click.echo(text, err=True)


@contextmanager
def session_in_turn(
    league: League,
    command: str,
    workers: int,
    isolation: str | None,
    progress: LeagueProgress,
    trust: bool,
    until: Callable[[], bool] = lambda: False,
) -> Iterator[LeagueSession | None]:
    """Begin a session as soon as no other process plays the league; yield None if `until` is true before."""
    with ExitStack() as stack:
        session, is_told = None, False
        while session is None and not until():
            try:
                opened = open_session(league, command, workers, isolation, progress.add, progress.say, trust)
                session = stack.enter_context(opened)
            except LeagueBusy as busy:
                if not is_told:
                    click.echo(f"Waiting: {indented(str(busy))}", err=True)
                    is_told = True
                time.sleep(_WAIT_S)
        yield session


class LeagueProgress:
    """Shows on stderr what a league plays: live on a terminal, as plain lines elsewhere."""

    def __init__(self) -> None:
        self._doing = ""
        self._games = 0
        self._begun = time.monotonic()
        self._shown = progress_for(text=self._text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def _text(self, status: RunStatus) -> str:
        return f"{self._doing}: {status.done:,} games, {rate_text(status.rate)}"

    def _status(self) -> RunStatus:
        return RunStatus(self._games, 0, self._games / max(time.monotonic() - self._begun, 1e-3))

    def add(self, games: int) -> None:
        """Count games that were stored."""
        self._games += games
        self._shown.update(self._status())

    def say(self, text: str) -> None:
        """Begin a new activity, with its own count of games."""
        if text == self._doing:
            return
        self.end()
        self._doing = text
        self._begun = time.monotonic()
        self._shown.note(text)

    def end(self) -> None:
        """Leave the last line as it stands."""
        if self._games:
            self._shown.end(self._status(), interrupted=False)
        self._games, self._doing = 0, ""


def work_command(
    name: str | None,
    play: bool,
    max_games: int | None,
    workers: int | None,
    isolation: str | None,
    trust: bool,
    form: str,
) -> int:
    """Run `arena league work`."""
    if play and max_games is not None:
        raise click.UsageError("--play goes on until Ctrl-C and --max-games does not; give one of them")
    with open_league(chosen_league(name)) as league:
        left = False

        def on_result(result: SubmissionResult) -> None:
            nonlocal left
            left = result.interrupted and not result.waits
            progress.end()
            tell_result(league, result)

        cores = workers or (1 if max_games is None else core_count())
        with (
            LeagueProgress() as progress,
            session_in_turn(league, "league work", cores, isolation, progress, trust) as session,
        ):
            assert session is not None
            games = math.inf if play else max_games or 0
            played = LeagueWork(session, on_result).go_on(games, waits=max_games is None)
            stopped = session.signals.stopping
        show_standings(league, form, played=played, interrupted=stopped)
    return INTERRUPTED if stopped and max_games is not None and (left or played < max_games) else 0
