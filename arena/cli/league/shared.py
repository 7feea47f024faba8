"""What the commands of a league share: its table, the progress and outcome of submissions."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Self

import click

from arena.league.placement import SubmissionResult
from arena.league.player import LeagueBusy, LeagueSession, open_session
from arena.league.store import League, sole_league
from arena.league.views import forfeit_lines, forfeits_text
from arena.results.table import rating_text
from arena.terminal.live import progress_for, rate_text
from arena.text import indented
from arena.tournament.runner.progress import RunStatus

_WAIT_S = 0.5  # between two attempts to play a league that another process plays


def chosen_league(given: str | tuple[str, ...] | None) -> str:
    """Return the league that was named, or the only one there is."""
    names = (given,) if isinstance(given, str) else given or ()
    if len(names) > 1:
        raise click.UsageError(f"got unexpected extra argument ({names[1]})")
    return names[0] if names else str(sole_league(click.get_current_context().command_path))


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
            settings = league.settings
            if row.width is not None and row.width > settings.error and row.score.games >= settings.most_games:
                text += f" (wider than ±{settings.error:g}, but {settings.most_games} games is the limit)"
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
