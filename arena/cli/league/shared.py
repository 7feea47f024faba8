"""What the commands of a league share: the table, the progress and the fate of submissions in words, JSON."""

from __future__ import annotations

import math
import shlex
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli import options
from arena.cli.output import print_report
from arena.text import indented

if TYPE_CHECKING:
    from arena.league.placement import SubmissionResult
    from arena.league.rating import Standings
    from arena.league.settings import LeagueSettings
    from arena.league.store import League

league_argument = click.argument("name", metavar="LEAGUE", shell_complete=options.complete_leagues)


def describe(settings: LeagueSettings) -> str:
    """The settings in one line."""
    clock = settings.clock
    times = [f"{clock.move_ms} ms a decision"] if clock.move_ms else []
    times += [f"a bank of {clock.bank_ms} ms"] if clock.bank_ms else []
    return f"rules {settings.rules}, isolation {settings.isolation}, {' and '.join(times) or 'no clock'}"


def show_league(folder: Path, form: str) -> None:
    """Print the table of the league in a folder."""
    from arena.league.rating import standings
    from arena.league.store import open_league

    with open_league(folder, write=False) as found:
        show_standings(found, standings(found), form)


def show_standings(found: League, table: Standings, form: str, more: dict[str, Any] | None = None) -> None:
    """Print the table as it is now; `more` goes into the JSON as well."""
    from arena.league.views import standing_lines, table_before, waiting
    from arena.report.league import standing_table
    from arena.report.table import Report

    before, since = table_before(found, table)
    lines = standing_lines(found, table.rows, before)
    if form == "json":
        print_json(
            {
                **(more or {}),
                "league": found.name,
                "settings": asdict(found.settings),
                "games": table.total,
                "change_since_event": None if since is None else since.id,
                "standings": lines,
                "first_advantage": table.first_advantage[0],
                "first_advantage_error95": table.first_advantage[1],
                "waiting": waiting(found),
                "notes": list(table.notes),
            }
        )
        return
    bots = f"{len(lines)} bot{'s' * (len(lines) != 1)}"
    heading = f"{found.name}: {describe(found.settings)}; {bots}, {table.total} games"
    if not lines:
        click.echo(f"{heading}\n\nNo bot is in the table yet.")
        return
    remarks = _remarks(found, table, None if since is None else since.id)
    print_report(Report(heading, [standing_table(lines)], remarks), form)


def _remarks(found: League, table: Standings, since: int | None) -> list[str]:
    from arena.league.views import waiting

    anchor = found.settings.anchor
    zero = "mean of the table 0" if anchor is None else f"{anchor} = {found.settings.anchor_elo:g}"
    remarks = [f"Elo: {zero}; 95 % errors, clustered by deal. Prior: {found.settings.prior:g} virtual draws a bot."]
    if since is not None:
        common = ", beside the mean move of all" if anchor is None else ""
        remarks[0] += f" Change: since event {since}{common}."
    elo, error = table.first_advantage
    if not math.isnan(error):
        remarks.append(f"First player's advantage: {elo:+z.0f} ± {error:.0f} Elo.")
    remarks += [f"{note[0].upper()}{note[1:]}." for note in table.notes]
    if len(table.rows) == 1 and not table.total:
        name = shlex.quote(found.name)
        remarks.append(f"A bot alone has no rating. Submit others, such as: arena submit random --league {name}")
    left = ", ".join(f"{one['bot']} v{one['version']} ({one['state']})" for one in waiting(found))
    if left:
        remarks.append(f"Not in the table yet: {left}.")
    return remarks


def tell_result(league: League, result: SubmissionResult) -> None:
    """Say on stderr what has become of a submission."""
    from arena.league.games import forfeits

    one = result.version
    for warning in result.warnings:
        click.echo(f"{one.label}: {indented(warning)}", err=True)
    if result.waits:
        text = (
            f"{one.label} is {one.state} and waits: {indented(result.waits)}. {result.games} of its games are stored."
            f" 'arena league play {shlex.quote(str(league.folder))}' takes it up when it can."
        )
    elif result.interrupted:
        text = (
            f"Interrupted: {one.label} is {one.state}, {result.games} games are stored. Resume with:\n"
            f"  arena league play {shlex.quote(str(league.folder))}"
        )
    elif result.standings is None:
        text = f"{one.label} is refused: {indented(one.reason)}"
    else:
        row = result.standings.row_of(one.id)
        text = f"{one.label} is accepted"
        if row is not None and row.elo is not None:
            error = "" if row.error is None else f" ± {row.error:.0f}"
            text += f": {row.elo:+z.0f}{error} Elo after {row.games} games, place {row.rank}"
            settings = league.settings
            if row.error is not None and row.error > settings.error and row.games >= settings.most_games:
                text += f" (wider than ±{settings.error:g}, but {settings.most_games} games is the limit)"
        lost = sum(forfeit.games for forfeit in forfeits(league, [one.id]))
        if lost:
            text += f". It forfeited {lost} of them: arena league show {shlex.quote(league.name)} {one.name}"
        if result.replaced is not None and result.replaced.id != one.id:
            text += f". It replaces v{result.replaced.number}"
    click.echo(text, err=True)


class LeagueProgress:
    """Shows progress on stderr: one line that is rewritten on a terminal, plain lines elsewhere."""

    def __init__(self) -> None:
        from arena.runner.progress import progress_for

        self._doing = ""
        self._games = 0
        self._begun = time.monotonic()
        self._shown = progress_for(text=lambda status: self._text())

    def _text(self) -> str:
        seconds = time.monotonic() - self._begun
        rate = self._games / seconds if seconds > 0 else 0.0
        return f"{self._doing}: {self._games:,} games, {rate:,.0f} games/s"

    def add(self, games: int) -> None:
        """Count games that were stored."""
        from arena.runner.progress import RunStatus

        self._games += games
        self._shown.update(RunStatus(self._games, 0, 0.0, None, list))

    def say(self, text: str) -> None:
        """Begin something else."""
        self._doing = text
        self._games = 0
        self._begun = time.monotonic()
        self._shown.note(text)

    def end(self) -> None:
        """Leave the last line as it stands."""
        if self._games:
            self._shown.note(self._text())


def print_json(values: dict[str, Any]) -> None:
    """Print values as JSON, with null for numbers that are not finite."""
    from arena.report.formats.json import json_text

    click.echo(json_text(_finite(values)), nl=False)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
