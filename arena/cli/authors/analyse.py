"""`arena analyse`: how good the moves of a game, or of all games of a run, were."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.options import chosen_games, complete_runs, whole
from arena.cli.output import counting, output, print_report, write_page

if TYPE_CHECKING:
    from arena.results.reading.game import GameFilter

NODES = 2000


@click.command()
@click.argument("source", shell_complete=complete_runs)
@click.argument("game", required=False)
@chosen_games
@click.option(
    "--nodes",
    type=whole(0, 10**7),
    metavar="N",
    help="Decisions of the net spent on each move; 0: the net alone. Default: 2000 for a game, 0 for a run.",
)
@click.option("--all", "every", is_flag=True, help="Of a game: show every decision.")
@click.option("--html", type=click.Path(path_type=Path, allow_dash=True), metavar="FILE", help="Of a game: its page.")
@output
def analyse(
    source: str,
    game: str | None,
    wanted: GameFilter,
    nodes: int | None,
    every: bool,
    html: Path | None,
    form: str,
) -> None:
    """Judge the moves of a game: the chance to win after each, turning points and blunders.

    SOURCE and GAME are those of arena replay. Each move is judged by what its player could know, by the net and search
    that the bot champion plays with; the same budget gives the same numbers. With --html the game is written as a page
    with the chances above the board.

    Without GAME all games of a run are judged, and what the moves of each bot lost on average is stored beside the run:
    arena stats shows it, too.
    """
    from arena.results.records import is_record
    from arena.results.sources import read_one

    if game is None and not is_record(source) and wanted.all:
        if every or html is not None:
            raise click.UsageError("--all and --html are for one game; name it, such as 1")
        _run(source, nodes or 0, form)
        return
    from arena.results.analysis import game_report
    from arena.results.judge import analyse as judge

    stored = read_one(source, game, wanted)
    found = judge(stored, NODES if nodes is None else nodes)
    if html is not None:
        from arena.results.pages.games import replay_page

        write_page(replay_page(stored, game or "1", found), html)
        return
    print_report(game_report(stored, found, every), form)


def _run(source: str, nodes: int, form: str) -> None:
    from arena.results.analysis import run_losses, run_report
    from arena.results.sources import COMPARISON, DATABASE, find, games_of
    from arena.results.whole_file import write_whole
    from arena.tournament.store.losses import LOSSES

    kind, place = find(source)
    if kind == COMPARISON:
        raise click.UsageError(f"{source} is a comparison; name the folder of one of its runs")
    with games_of(source) as games:
        there = games.count()
        with counting(there, "Judging") as seen:
            found = run_losses(games, nodes, seen)
    if kind == DATABASE:
        write_whole(place / LOSSES, [found.text()], follow=False)
    print_report(run_report(place.name, found, there), form)
