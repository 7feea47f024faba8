"""`arena replay`: list stored games, or show one as text, as JSON or as a page."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.options import (
    PATH_OR_STDOUT,
    as_json,
    chosen_games,
    complete_runs,
    given_options,
    opened,
    print_report,
    refuse_options,
    whole_option,
    write_page,
)
from arena.results.pages.game_data import replay_page
from arena.results.positions import moves_report
from arena.results.run_data import GameFilter
from arena.results.sources import find_source, holds_one_game, list_games, listed_report, read_game
from arena.terminal.lines import print_game


@click.command()
@click.argument("source", metavar="RUN", shell_complete=complete_runs)
@click.argument("game", required=False)
@chosen_games
@click.option("--limit", type=whole_option(0), default=20, show_default=True, metavar="N", help="List N games; 0: all.")
@click.option("--record", is_flag=True, help="Print only the records of the games.")
@as_json
@click.option("--move", type=whole_option(0), metavar="N", help="Begin the text after move N.")
@click.option("-o", "--out", type=PATH_OR_STDOUT, metavar="FILE", help="Write the game as an HTML page (-: stdout).")
@opened
def replay_command(
    source: str,
    game: str | None,
    wanted: GameFilter,
    limit: int,
    record: bool,
    as_json: bool,
    move: int | None,
    out: Path | None,
    opened: bool,
) -> None:
    """List the games of RUN, or show GAME: as text, as JSON, or as a page that plays it.

    \b
    arena replay latest --bot mybot --lost
    arena replay latest 17
    arena replay latest 17 --open

    RUN is the folder of a run (or its name in results/, or 'latest'), a comparison or a league, a file of records
    (arena export --records; '-' for standard input), or a record itself. GAME is a game of the run, such as
    greedy/odds/12 (greedy begins, deal 12), or its number from 1; in a comparison base/greedy/odds/12 or base/3; in a
    file its line. --bot and the options after it choose games, and GAME then counts among these. A game lost by forfeit
    ends with the reason.

    --json prints the listed games, or all of GAME with its moves. --open without -o writes game-GAME.html.

    'arena judge' finds the mistakes of a game, and 'arena debug' asks a bot again.
    """
    forms = given_options("record", "as_json", "move", "opened" if out is None else "out")
    if len(forms) > 1:
        raise click.UsageError(f"{' and '.join(forms)} were given together; choose one")
    if game is None and not holds_one_game(source):
        refuse_options("is for one game; name it, such as 1", "move", "out", "opened")
        _list(source, wanted, limit, record, as_json)
        return
    refuse_options("is for a list of games; leave out GAME", "limit")
    found, key = read_game(source, game, wanted), game or "1"
    if record:
        click.echo(found.record)
    elif as_json:
        print_report(moves_report(found), "json")
    elif out is not None or opened:
        write_page(replay_page(found, key), out or Path(f"game-{key.replace('/', '-')}.html"), opened)
    else:
        print_game(found, move or 0)


def _list(source: str, wanted: GameFilter, limit: int, record: bool, as_json: bool) -> None:
    found = find_source(source)
    if record:
        refuse_options("does not go with --record, which prints all", "limit")
        with found.games() as games:
            for chosen in games.chosen(wanted):
                click.echo(chosen.record)
    elif as_json:
        print_report(listed_report(found, wanted, limit), "json")
    else:
        for line in list_games(found, wanted, limit):
            click.echo(line)
