"""`arena replay` and `arena judge`: list stored games, show one, or judge its moves."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.printing import given_options, print_report, refuse_options, write_page
from arena.results.judge import GameAnalysis, analyse, game_report
from arena.results.pages.game_data import replay_page
from arena.results.positions import moves_report
from arena.results.run_data import GameFilter
from arena.results.sources import find_source, holds_one_game, listed_report, named_game, read_game
from arena.terminal.drawing import print_game
from arena.tournament.games import GameResult


def replay_command(
    source: str,
    game: str | None,
    wanted: GameFilter,
    limit: int,
    record: bool,
    as_json: bool,
    out: Path | None,
    opened: bool,
) -> None:
    """Run `arena replay`."""
    forms = given_options("record", "as_json", "opened" if out is None else "out")
    if len(forms) > 1:
        raise click.UsageError(f"{' and '.join(forms)} were given together; choose one")
    if game is None and not holds_one_game(source):
        refuse_options("is for one game; name it, such as 1", "out", "opened")
        _list(source, wanted, limit, record, as_json)
        return
    refuse_options("is for a list of games; leave out GAME", "limit")
    found = read_game(source, game, wanted)
    if record:
        click.echo(found.record)
    elif as_json:
        print_report(moves_report(found), "json")
    elif out is not None or opened:
        _write_page(found, game, out, opened)
    else:
        print_game(found)


def _list(source: str, wanted: GameFilter, limit: int, record: bool, as_json: bool) -> None:
    found = find_source(source)
    if record:
        refuse_options("does not go with --record, which prints all", "limit")
        with found.games() as games:
            for chosen in games.chosen(wanted):
                click.echo(chosen.record)
    else:
        print_report(listed_report(found, wanted, limit), "json" if as_json else "table")


def judge_command(source: str, game: str | None, nodes: int, out: Path | None, opened: bool, form: str) -> None:
    """Run `arena judge`."""
    page = out is not None or opened
    if page:
        refuse_options("does not go with a page, which shows every decision", "form")
    judged = analyse(found := named_game(source, game), nodes)
    if page:
        _write_page(found, game, out, opened, judged)
    else:
        print_report(game_report(found, judged, form != "table"), form)


def _write_page(
    found: GameResult, game: str | None, out: Path | None, opened: bool, judged: GameAnalysis | None = None
) -> None:
    key = game or "1"
    write_page(replay_page(found, key, judged), out or Path(f"game-{key.replace('/', '-')}.html"), opened)
