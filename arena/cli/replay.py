"""`arena replay` and `arena verify`: show stored games, and check them."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from arena.text import indented

if TYPE_CHECKING:
    from arena.report.read_game import StoredGame

SHOWN_FAULTS = 20


@click.command()
@click.argument("source")
@click.argument("game", required=False)
@click.option("--all", "whole", is_flag=True, help="Show the whole game at once, without waiting for Enter.")
@click.option("--color/--no-color", default=False, help="Show cards in their colours.")
@click.option("--record", "as_record", is_flag=True, help="Print only the game's record.")
def replay(source: str, game: str | None, whole: bool, color: bool, as_record: bool) -> None:
    """Show a game on a board, move by move.

    SOURCE is the folder of a run (or its name in results/), a file with one record per line, or a record
    itself. GAME is a game of the run, such as 0/12/1 (pairing/deal/game) or its number in the schedule
    from 1; for a file it is the line number. Without GAME the first games of a run are listed. A game lost
    by forfeit ends with the reason.
    """
    from arena.report.read_game import games_list, is_run, read_game
    from arena.store.folders import run_folder

    if game is None and is_run(source):
        click.echo(games_list(run_folder(source)), nl=False)
        return
    stored = read_game(source, game)
    if as_record:
        click.echo(stored.record)
    else:
        _show(stored, whole or not (sys.stdin.isatty() and sys.stdout.isatty()), color)


def _show(stored: StoredGame, whole: bool, color: bool) -> None:
    from arena.game.record import parse_record
    from arena.report.board import legend, result_line, step_text, steps

    record = parse_record(stored.record)
    click.echo(f"{legend(record.rules)}\n", color=color)
    for step in steps(record):
        click.echo(f"{step_text(step, len(record.moves), stored.names, color)}\n", color=color)
        if not whole and step.number < len(record.moves):
            answer = click.prompt("Enter: next move, a: all, q: quit", default="", show_default=False)
            if answer.strip().lower().startswith("q"):
                return
            whole = answer.strip().lower().startswith("a")
    click.echo(result_line(record, stored.names))
    if stored.reason.strip():
        click.echo(f"  {indented(stored.reason.rstrip())}")


@click.command()
@click.argument("folder")
def verify(folder: str) -> int:
    """Replay every game of the run in FOLDER and compare the result with the stored one.

    The exit code is 1 if any game differs.
    """
    from arena.report.read_game import game_faults
    from arena.store.folders import run_folder
    from arena.store.reader import Reader

    faults: list[str] = []
    with Reader(run_folder(folder)) as reader:
        count = reader.count()
        shown = click.progressbar(
            length=count, label="Replaying", file=sys.stderr, update_min_steps=max(count // 200, 1)
        )
        with shown if sys.stderr.isatty() else nullcontext() as bar:
            for fault in game_faults(reader):
                if fault is not None:
                    faults.append(fault)
                if bar is not None:
                    bar.update(1)
    if not faults:
        click.echo(f"{count} games replayed, all with their stored results.")
        return 0
    for line in faults[:SHOWN_FAULTS]:
        click.echo(line)
    if len(faults) > SHOWN_FAULTS:
        click.echo(f"... and {len(faults) - SHOWN_FAULTS} more")
    click.echo(f"{len(faults)} of {count} games do not replay to their stored results.", err=True)
    return 1
