"""`arena judge`: where a stored game turned, and which moves were mistakes."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.options import (
    PATH_OR_STDOUT,
    complete_runs,
    opened,
    output,
    print_report,
    refuse_options,
    whole_option,
    write_page,
)
from arena.results.judge import analyse, game_report
from arena.results.pages.game_data import replay_page
from arena.results.sources import named_game


@click.command()
@click.argument("source", metavar="RUN", shell_complete=complete_runs)
@click.argument("game", required=False)
@click.option(
    "--nodes",
    type=whole_option(0, 10**7),
    default=2000,
    show_default=True,
    metavar="N",
    help="Nodes searched per move; 0: the net alone.",
)
@click.option("--all", "everything", is_flag=True, help="Show every decision.")
@click.option(
    "-o",
    "--out",
    type=PATH_OR_STDOUT,
    metavar="FILE",
    help="Write the game as an HTML page with the chances to win (-: stdout).",
)
@opened
@output
def judge_command(
    source: str, game: str | None, nodes: int, everything: bool, out: Path | None, opened: bool, form: str
) -> None:
    """Show the chance to win after each move of GAME, its turning points and blunders.

    \b
    arena judge latest 17
    arena judge latest mybot/greedy/3 --nodes 200 --open

    RUN and GAME are as for 'arena replay', which lists the games. Each move is judged by what its player could know,
    with the net and the search of the bot champion. --open without -o writes game-GAME.html.
    """
    page = out is not None or opened
    if page:
        refuse_options("does not go with a page, which shows every decision", "everything", "form", "wide")
    judged = analyse(found := named_game(source, game), nodes)
    if page:
        key = game or "1"
        write_page(replay_page(found, key, judged), out or Path(f"game-{key.replace('/', '-')}.html"), opened)
    else:
        print_report(game_report(found, judged, everything), form)
