"""`arena replay`: show a stored game."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import options
from arena.cli.options import chosen_games, complete_runs
from arena.cli.output import write_page
from arena.text import indented

if TYPE_CHECKING:
    from arena.results.board import Step
    from arena.results.reading.game import GameFilter, StoredGame

KEYS = "Enter: next, b: back, 12: to move 12, c: next claim, e: end, a: all, q: quit"


@click.command()
@click.argument("source", shell_complete=complete_runs)
@click.argument("game", required=False)
@chosen_games
@click.option("--limit", type=options.whole(0), default=20, metavar="N", help="List N games; 0: all. Default: 20.")
@click.option("--move", "begin", type=options.whole(0), default=0, metavar="N", help="Begin after move N.")
@click.option("--all", "whole", is_flag=True, help="Show the whole game at once, without waiting for Enter.")
@click.option("--color/--no-color", default=False, help="Show cards in their colours.")
@click.option("--record", "as_record", is_flag=True, help="Print only the game's record.")
@click.option("--html", "as_html", is_flag=True, help="Write the game and its chances to win as a page of HTML.")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path, allow_dash=True), metavar="FILE", help="Of the page; -: stdout."
)
def replay(
    source: str,
    game: str | None,
    wanted: GameFilter,
    limit: int,
    begin: int,
    whole: bool,
    color: bool,
    as_record: bool,
    as_html: bool,
    out: Path | None,
) -> None:
    """Show a game on a board, move by move: forward, back, or to any move.

    SOURCE is the folder of a run (or its name in results/, or `latest`), a comparison or a league, a file of records
    (arena export --records, or the CSV of a league), or a record itself. GAME is a game of the run, such as 0/12/1
    (pairing/deal/game), or its number from 1; in a comparison base/0/12/1 or base/3; in a file its line. Without GAME
    the games of a run are listed: all, or those that --bot and the other options choose, among which GAME then counts.
    A game lost by forfeit ends with the reason.
    """
    from arena.results.reading.game import is_file
    from arena.results.records import is_record
    from arena.results.sources import games_of, list_games, read_one

    if out is not None and not as_html:
        raise click.UsageError("-o is for a page; add --html")
    if as_html and as_record:
        raise click.UsageError("--html and --record were both given; choose one")
    if as_html and game is None and wanted.all and not is_record(source):
        raise click.UsageError(f"--html writes one game; name it, such as 1 ('arena report {source}' writes several)")
    if game is None and not as_html and not is_record(source) and not (is_file(source) and wanted.all):
        if not as_record:
            for line in list_games(source, wanted, limit):
                click.echo(line)
            return
        with games_of(source) as games:
            for one in games.chosen(wanted):
                click.echo(one.record)
        return
    stored = read_one(source, game, wanted)
    if as_html:
        from arena.results.pages.games import replay_page

        key = game or "1"
        write_page(replay_page(stored, key), out or Path(f"game-{key.replace('/', '-')}.html"))
    elif as_record:
        click.echo(stored.record)
    else:
        _show(stored, begin, whole or not (sys.stdin.isatty() and sys.stdout.isatty()), color)


def show_whole(stored: StoredGame, begin: int = 0) -> None:
    """Print a game from a move on."""
    _show(stored, begin, True, False)


def _show(stored: StoredGame, begin: int, whole: bool, color: bool) -> None:
    from arena.game.record import parse_record
    from arena.results.board import legend, result_line, step_text, steps

    record = parse_record(stored.record)
    shown = steps(stored.result or record)
    last = len(shown) - 1
    if begin > last:
        raise click.UsageError(f"--move {begin}: the game has {last} moves")
    click.echo(f"{legend(record.rules)}\n", color=color)
    at: int | None = begin
    while at is not None:
        click.echo(f"{step_text(shown[at], last, stored.names, color)}\n", color=color)
        if at == last:
            click.echo(result_line(record, stored.names))
            if stored.reason.strip():
                click.echo(f"  {indented(stored.reason.rstrip())}")
        if whole:
            at = at + 1 if at < last else None
        else:
            at, whole = _next(shown, at)


def _next(shown: list[Step], at: int) -> tuple[int | None, bool]:
    """Where to go from a step (None: away), and whether to show all from there, as the person says."""
    last = len(shown) - 1
    while True:
        answer = click.prompt(KEYS, default="", show_default=False).strip().lower()
        if answer.startswith("q") or (at == last and answer in ("", "a", "e")):
            return None, False
        if answer in ("", "a"):
            return at + 1, answer == "a"
        if answer == "b":
            return max(at - 1, 0), False
        if answer == "e":
            return last, False
        if answer == "c":
            owners = shown[at].state.owners
            return next((step.number for step in shown[at:] if step.state.owners != owners), last), False
        if answer.isdecimal() and int(answer[:9]) <= last:
            return int(answer[:9]), False
        click.echo(f"There is no '{answer[:20]}'; the moves are 0 (the deal) to {last}.")
