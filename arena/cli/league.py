"""`arena league`: a standing league of submitted bots."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli import options
from arena.cli.main import Entry, LazyGroup
from arena.cli.output import chosen, output
from arena.text import indented

if TYPE_CHECKING:
    from arena.league.rating import Standings
    from arena.league.store import League

INTERRUPTED = 130

SET_UP, LOOK, RUN = "Set up", "Look", "Run"
COMMANDS: dict[str, Entry] = {
    "create": Entry("arena.cli.league:create", "Make a league.", SET_UP),
    "list": Entry("arena.cli.league:list_", "All leagues here.", SET_UP),
    "standings": Entry("arena.cli.league:standings", "The table, now or as it was.", LOOK),
    "history": Entry("arena.cli.league:history", "What has happened.", LOOK),
    "show": Entry("arena.cli.league:show", "A bot: versions, opponents, forfeits.", LOOK),
    "export": Entry("arena.cli.league:export", "All games as CSV.", LOOK),
    "fetch": Entry("arena.cli.league:fetch", "Write a bot's files as they were submitted.", LOOK),
    "play": Entry("arena.cli.league:play", "Make the table surer by more games.", RUN),
    "retire": Entry("arena.cli.league:retire", "Take a bot out of the table.", RUN),
}

_NAME = click.argument("name", metavar="LEAGUE", shell_complete=options.complete_leagues)


@click.group(cls=LazyGroup, entries=COMMANDS, epilog="Bots come in with: arena submit BOT --league LEAGUE")
def league() -> None:
    """A standing league: bots are submitted, checked, placed and rated together.

    LEAGUE is a name in leagues/, or the folder of a league.
    """


# ---------------------------------------------------------------- set up


@click.command()
@click.argument("name")
@click.option(
    "--config", type=click.Path(path_type=Path), metavar="FILE.toml", help="Settings of the league."
)
@click.option("--dir", "folder", type=click.Path(path_type=Path), help="Default: leagues/NAME.")
@click.option("--rules", metavar="R", shell_complete=options.complete_rules, help="Default: base.")
@click.option(
    "--isolation",
    type=click.Choice(("none", "process", "sandbox")),
    help="Where bots run (default: sandbox).",
)
@click.option(
    "--move-ms", type=click.IntRange(min=0), help="Time for a decision (default: 1000; 0: no limit)."
)
@click.option("--bank-ms", type=click.IntRange(min=0), help="Extra time for a whole game (default: none).")
@click.option(
    "--error", type=float, metavar="ELO", help="95 % error at which a placement ends (default: 40)."
)
@click.option("--most-games", type=int, metavar="N", help="... or after so many games (default: 1000).")
@click.option("--sample", type=int, metavar="N", help="Opponents at a time in a placement (default: 8).")
@click.option("--games", type=int, metavar="N", help="Games against each of them at a time (default: 10).")
@click.option("--anchor", metavar="BOT", help="Hold this bot's rating (default: the mean is 0).")
@click.option("--anchor-elo", type=float, metavar="ELO", help="... at this value (default: 0).")
@click.option("--prior", type=float, metavar="N", help="Virtual draws a bot in the rating (default: 2).")
def create(name: str, config: Path | None, folder: Path | None, **given: Any) -> None:
    """Make the league NAME. Options go before what stands in the file; both are fixed from then on."""
    from arena.league.match_runner import check_isolation
    from arena.league.settings import load_settings, settings_from_dict
    from arena.league.store import LEAGUES, create_league

    values = _nested(given)
    if config is None:
        settings = settings_from_dict(values, name, "command line")
    else:
        settings = load_settings(config, name, values)
    check_isolation(settings.isolation)
    place = LEAGUES / settings.name if folder is None else folder
    create_league(place, settings).close()
    asked = settings.name if folder is None else str(place)
    click.echo(f"Created the league {settings.name} in {place}: {describe(settings)}.")
    click.echo(f"Submit a bot: arena submit bots/mine.py --league {shlex.quote(asked)}")


def _nested(given: dict[str, Any]) -> dict[str, Any]:
    """Options as they would stand in the file."""
    tables = {
        "clock": ("move_ms", "bank_ms"),
        "placement": ("error", "most_games", "sample", "games"),
        "rating": ("anchor", "anchor_elo", "prior"),
    }
    values: dict[str, Any] = {key: given[key] for key in ("rules", "isolation") if given.get(key) is not None}
    for table, keys in tables.items():
        found = {key: given[key] for key in keys if given.get(key) is not None}
        if found:
            values[table] = found
    return values


def describe(settings: Any) -> str:
    """The settings in a line."""
    clock = settings.clock
    times = [f"{clock.move_ms} ms a decision"] if clock.move_ms else []
    times += [f"a bank of {clock.bank_ms} ms"] if clock.bank_ms else []
    return f"rules {settings.rules}, isolation {settings.isolation}, {' and '.join(times) or 'no clock'}"


@click.command("list")
@output
def list_(format_: str | None, as_json: bool) -> None:
    """All leagues in leagues/."""
    form = chosen(format_, as_json)
    _one_core()
    from arena.errors import ArenaError
    from arena.league.store import LEAGUES, league_names
    from arena.league.views import league_line
    from arena.report.formats import write
    from arena.report.league import leagues_table
    from arena.report.table import Report

    lines, unread = [], []
    for name in league_names():
        try:
            lines.append({"name": name} | league_line(LEAGUES / name))
        except ArenaError as error:
            unread.append({"name": name, "reason": str(error)})
    for one in unread:
        click.echo(f"{indented(one['name'])} cannot be read: {indented(one['reason'])}", err=True)
    if form == "json":
        _json({"leagues": lines, "unread": unread})
    elif not lines and unread:
        click.echo("No league in leagues/ can be read.")
    elif not lines:
        click.echo("There are no leagues in leagues/. Make one: arena league create NAME")
    else:
        click.echo(write(Report("", [leagues_table(lines)]), form), nl=False)


# ---------------------------------------------------------------- look


@click.command()
@_NAME
@click.option("--at", metavar="WHEN", help="As it was after an event (its number), or at a date in UTC.")
@click.option("--history", type=click.IntRange(min=1), metavar="N", help="Ratings after each of N events.")
@output
def standings(name: str, at: str | None, history: int | None, format_: str | None, as_json: bool) -> None:
    """Show the table of LEAGUE, with what the last event has changed. Works while others play."""
    form = chosen(format_, as_json)
    if at is not None and history is not None:
        raise click.UsageError("--at and --history were both given; choose one")
    _one_core()
    from arena.league.rating import standings
    from arena.league.store import open_league

    with open_league(name, write=False) as found:
        if at is not None:
            _show_past(found, at, form)
        elif history is not None:
            _show_history(found, history, form)
        else:
            show_standing(found, standings(found), form)


def show_standing(found: League, table: Standings, form: str, more: dict[str, Any] | None = None) -> None:
    """Print the table as it is now; `more` is what JSON holds beside it."""
    from arena.league.views import standing_lines, table_before, waiting
    from arena.report.formats import write
    from arena.report.league import standing_table
    from arena.report.table import Report

    before, since = table_before(found, table)
    lines = standing_lines(found, table, before)
    if form == "json":
        _json(
            {
                **(more or {}),
                "league": found.name,
                "settings": found.settings.to_dict(),
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
    click.echo(write(Report(heading, [standing_table(lines)], remarks), form), nl=False)


def _remarks(found: League, table: Standings, since: int | None) -> list[str]:
    import math

    from arena.league.views import waiting

    anchor = found.settings.anchor
    zero = "mean of the table 0" if anchor is None else f"{anchor} = {found.settings.anchor_elo:g}"
    remarks = [
        f"Elo: {zero}; 95 % errors, clustered by deal. Prior: {found.settings.prior:g} virtual draws a bot."
    ]
    if since is not None:
        common = ", beside the mean move of all" if anchor is None else ""
        remarks[0] += f" Change: since event {since}{common}."
    elo, error = table.first_advantage
    if not math.isnan(error):
        remarks.append(f"First player's advantage: {elo:+z.0f} ± {error:.0f} Elo.")
    remarks += [f"{note[0].upper()}{note[1:]}." for note in table.notes]
    left = ", ".join(f"{one['bot']} v{one['version']} ({one['state']})" for one in waiting(found))
    if left:
        remarks.append(f"Not in the table yet: {left}.")
    return remarks


def _show_past(found: League, at: str, form: str) -> None:
    from arena.league import events
    from arena.league.views import stored_lines
    from arena.report.formats import write
    from arena.report.league import standing_table, when
    from arena.report.table import Report

    event = events.event_at(found, at)
    table = events.table_at(found, event.id)
    lines = stored_lines(found, table, events.table_at(found, event.id - 1))
    if form == "json":
        _json({"league": found.name, "event": event.id, "happened": event.happened, "games": event.total,
               "standings": lines})  # fmt: skip
        return
    heading = f"{found.name} after event {event.id}, {when(event.happened)} UTC: {event.total} games"
    if lines:
        click.echo(write(Report(heading, [standing_table(lines)]), form), nl=False)
    else:
        click.echo(f"{heading}\n\nNo bot was in the table.")


def _show_history(found: League, last: int, form: str) -> None:
    from arena.league.views import rating_history
    from arena.report.formats import write
    from arena.report.league import rating_history_table
    from arena.report.table import Report

    shown, lines = rating_history(found, last)
    numbers = [event.id for event in shown]
    if form == "json":
        _json({"league": found.name, "events": [vars(event) for event in shown], "ratings": lines})
    elif not lines:
        click.echo(f"{found.name}: no bot was in the table yet")
    else:
        heading = f"{found.name}: Elo after each of the last {len(numbers)} events"
        table = rating_history_table(numbers, lines)
        click.echo(write(Report(heading, [table]), form), nl=False)


@click.command()
@_NAME
@output
def history(name: str, format_: str | None, as_json: bool) -> None:
    """What has happened in LEAGUE: submissions, replaced and retired bots, play, and what ratings became."""
    form = chosen(format_, as_json)
    _one_core()
    from arena.league.store import open_league
    from arena.league.views import history_lines
    from arena.report.formats import write
    from arena.report.league import history_table
    from arena.report.table import Report

    with open_league(name, write=False) as found:
        lines = history_lines(found)
        if form == "json":
            _json({"league": found.name, "events": lines})
        else:
            click.echo(write(Report(found.name, [history_table(lines)]), form), nl=False)


@click.command()
@_NAME
@click.argument("bot")
@click.option("--version", "number", type=click.IntRange(min=1), metavar="V", help="Default: the active one.")
@click.option("--against", metavar="OTHER", help="Only the games against this bot.")
@output
def show(
    name: str, bot: str, number: int | None, against: str | None, format_: str | None, as_json: bool
) -> None:
    """Show BOT: its versions, whom the active one has met, and the games it forfeited."""
    form = chosen(format_, as_json)
    _one_core()
    from arena.league import versions, views
    from arena.league.rating import standings
    from arena.league.store import open_league
    from arena.report.formats import write
    from arena.report.league import forfeits_table, opponents_table, versions_table
    from arena.report.table import Report

    with open_league(name, write=False) as found:
        table = standings(found)
        one = views.chosen_version(found, bot, number)
        rows = views.version_lines(found, bot, table)
        opponents = views.opponent_lines(found, one, table)
        if against is not None:
            other = versions.of_bot(found, against)[0].name
            opponents = [line for line in opponents if line["opponent"] == other]
        faults = views.forfeit_lines(found, one)
        if form == "json":
            _json({"league": found.name, "bot": one.name, "author": one.author, "version": one.number,
                   "versions": rows, "opponents": opponents, "forfeits": faults})  # fmt: skip
            return
        author = f" by {one.author}" if one.author else ""
        tables = [
            versions_table(rows),
            opponents_table(opponents, f"{one.label} against"),
            forfeits_table(faults),
        ]
        remarks = [f"{against} was never met by {one.label}."] if against and not opponents else []
        if one.retired is not None:
            remarks.append(
                f"Retired {versions.date(one.retired)}{f': {one.retired_reason}' * bool(one.retired_reason)}"
            )
        if one.reason:
            remarks.append(f"{one.label} {one.state}: {indented(one.reason)}")
        click.echo(write(Report(f"{one.name}{author}", tables, remarks), form), nl=False)


@click.command()
@_NAME
@click.option("--to", type=click.Path(path_type=Path), metavar="FILE.csv", help="Default: to the terminal.")
def export(name: str, to: Path | None) -> None:
    """Write all games of LEAGUE with their records as CSV, which 'arena ratings' reads."""
    import io
    import sys

    from arena.league.store import open_league
    from arena.league.views import export_games
    from arena.report.export import write_whole

    with open_league(name, write=False) as found:
        if to is None:
            export_games(found, sys.stdout)
            return
        text = io.StringIO()
        number = export_games(found, text)
        write_whole(to, [text.getvalue()])
        click.echo(f"{number} games in {to}", err=True)


@click.command()
@_NAME
@click.argument("bot")
@click.option("--version", "number", type=click.IntRange(min=1), metavar="V", help="Default: the active one.")
@click.option("--to", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Where to.")
def fetch(name: str, bot: str, number: int | None, to: Path) -> None:
    """Write the files of BOT into a folder, as they were submitted. Nothing of them is run."""
    from arena.league.store import open_league
    from arena.league.views import chosen_version
    from arena.league.views import fetch as write

    with open_league(name, write=False) as found:
        one = chosen_version(found, bot, number)
        for path in write(found, one, to):
            click.echo(path)


# ---------------------------------------------------------------- run


@click.command()
@_NAME
@click.option(
    "--games", type=click.IntRange(min=1), metavar="N", help="Stop after N games (default: Ctrl-C)."
)
@options.workers
@options.isolation_of_play
@output
def play(
    name: str,
    games: int | None,
    workers: int | None,
    isolation: str | None,
    format_: str | None,
    as_json: bool,
) -> int:
    """Play the least certain pairings of LEAGUE, until Ctrl-C or for N games, and show the table.

    Submissions that were not finished are finished first. Several of these may run side by side.
    """
    form = chosen(format_, as_json)
    _one_core()
    from arena.cli.submit import tell_outcome
    from arena.league.match_runner import open_session
    from arena.league.placement import handle_waiting
    from arena.league.play import play_games
    from arena.league.rating import standings
    from arena.league.store import open_league
    from arena.processes.affinity import core_count

    with open_league(name) as found:
        tell = Teller()
        with open_session(found, "play", workers or core_count(), isolation, tell) as session:
            outcomes = handle_waiting(session, tell.say)
            for outcome in outcomes:
                tell_outcome(found, outcome)
            played = 0
            if not session.stopping:
                played = play_games(session, games, tell.say).games
            stopped = session.stopping
        tell.end()
        show_standing(found, standings(found), form, {"played": played, "interrupted": stopped})
    unfinished = any(outcome.interrupted for outcome in outcomes) or (games is not None and played < games)
    return INTERRUPTED if stopped and unfinished else 0


@click.command()
@_NAME
@click.argument("bot")
@click.option("--reason", default="", help="Why, for the history.")
@click.option("--undo", is_flag=True, help="Bring it back.")
@output
def retire(name: str, bot: str, reason: str, undo: bool, format_: str | None, as_json: bool) -> None:
    """Take BOT out of the table of LEAGUE. Its games count no more, and stay in the history."""
    form = chosen(format_, as_json)
    _one_core()
    from arena.league.placement import retire as change
    from arena.league.store import open_league

    with open_league(name) as found:
        after = change(found, bot, reason, undo)
        click.echo(f"{bot} is {'back' if undo else 'out of the table'}.", err=True)
        if bot == found.settings.anchor:
            scale = f"{found.settings.anchor_elo:g} again" if undo else "none: the mean of the table is 0"
            click.echo(f"It is the anchor. Its rating is {scale}, so all ratings have moved.", err=True)
        show_standing(found, after, form)


# ---------------------------------------------------------------- what commands share


class Teller:
    """Says on stderr what is going on: a line that is rewritten on a terminal, plain lines elsewhere."""

    def __init__(self) -> None:
        import time

        from arena.runner.progress import RunStatus, progress_for

        self._now: Callable[[], float] = time.monotonic
        self._status = RunStatus
        self._begun = self._now()
        self._doing = ""
        self._games = 0
        self._shown = progress_for(text=lambda status: f"{self._doing}: {self._text()}")

    def _text(self) -> str:
        seconds = self._now() - self._begun
        rate = self._games / seconds if seconds > 0 else 0.0
        return f"{self._games:,} games, {rate:,.0f} games/s"

    def __call__(self, games: int) -> None:
        """So many more games are stored."""
        self._games += games
        self._shown.update(self._status(self._games, 0, 0.0, 0.0, None, list))

    def say(self, text: str) -> None:
        """Something else is being done from now on."""
        self._doing = text
        self._games = 0
        self._begun = self._now()
        self._shown.note(text)

    def end(self) -> None:
        """Leave the line that was rewritten."""
        if self._games:
            self._shown.note(f"{self._doing}: {self._text()}")


def _json(values: dict[str, Any]) -> None:
    from arena.report.formats.json import json_text

    click.echo(json_text(_finite(values)), nl=False)


def _finite(value: Any) -> Any:
    """Plain values in which what is not known is null."""
    import math

    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _one_core() -> None:
    """Fits of some thousand bots gain little by more threads, and the games need the cores."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
