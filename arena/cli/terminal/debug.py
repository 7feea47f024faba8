"""`arena debug`: a bot author in one game."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import click

from arena.cli import options
from arena.cli.main import INTERRUPTED
from arena.cli.options import complete_bots
from arena.errors import ArenaError
from arena.text import indented, one_line

if TYPE_CHECKING:
    from arena.game.engine import View
    from arena.game.moves import Move
    from arena.results.reading.game import StoredGame
    from arena.terminal.again import Answer


@click.command()
@click.argument("bot", shell_complete=complete_bots)
@click.option("--game", "game", nargs=2, required=True, metavar="DIR GAME", help="A game, named as for arena replay.")
@click.option("--step", type=options.whole(1), metavar="N", help="Show the decision that made move N.")
@click.option("--seat", type=click.Choice(("a", "b")), help="The seat to take if the bot did not play this game.")
@click.option("--pdb", "with_pdb", is_flag=True, help="Stop in act at that decision, in the Python debugger.")
def debug(bot: str, game: tuple[str, str], step: int | None, seat: str | None, with_pdb: bool) -> int:
    """Ask BOT again at its decisions of a stored game, here in this process.

    \b
    arena debug bots/mybot.py --game latest 17
    arena debug bots/mybot.py --game latest 17 --step 23 --pdb

    Without --step all its decisions are listed: what it chose then, what it chooses now, and its time. --step shows one
    of them: what the bot sees, its moves, what it prints, its answer. --pdb stops there, else at its last one.

    The bot is told everything from the beginning of the game on, so what it remembers and draws by chance is as it was;
    the game goes on with the moves that were played.
    """
    from bdb import BdbQuit

    from arena.bots.loading import load_bot
    from arena.bots.spec import find_bot
    from arena.results.reading.game import ALL_GAMES
    from arena.results.sources import read_one
    from arena.terminal.again import ask_again, seat_of

    stored = read_one(game[0], game[1], ALL_GAMES)
    spec = find_bot(bot)
    place = seat_of(stored, spec.name, seat)
    loaded = load_bot(spec, capture=False)
    numbers = _numbers(stored, place)
    if step is None and with_pdb:
        step = numbers[-1] if numbers else None
    if step is not None and step not in numbers:
        near = min(numbers, key=lambda one: abs(one - step), default=0)
        raise ArenaError(f"{one_line(spec.name)} made no decision at move {step} of this game; the nearest is {near}")

    def before(number: int, view: View, moves: tuple[Move, ...]) -> bool:
        if number == step:
            _show_question(view, moves, stored.names, number)
        return with_pdb and number == step

    if step is None:
        click.echo(" move   phase  then            now                    ms  of moves")
    differing = asked = 0
    try:
        for answer in ask_again(stored, loaded, place, before):
            asked += 1
            differing += answer.differs
            if step is None:
                click.echo(_line(answer))
            elif answer.number == step:
                _show_answer(answer)
                break
    except BdbQuit:
        return INTERRUPTED
    if step is None:
        click.echo(f"\n{asked} decisions, at {differing} of them another move than then. Look at one with --step N.")
    return 0


def _numbers(stored: StoredGame, seat: int) -> list[int]:
    """The moves of a game that were decisions of a seat, and the one that it did not make when it forfeited."""
    from arena.game.record import parse_record
    from arena.results.decisions import decisions

    record = parse_record(stored.record)
    made = decisions(stored.result or record)
    numbers = [one.number for one in made if one.seat == seat and one.asked]
    lost = record.is_forfeit and record.winner == 1 - seat
    if lost and made and not made[-1].state_after().is_over and made[-1].state_after().turn == seat:
        numbers.append(len(made) + 1)
    return numbers


def _show_question(view: View, moves: tuple[Move, ...], names: tuple[str, str], number: int) -> None:
    from arena.terminal.desk import Desk
    from arena.terminal.drawing import draw, signs_for
    from arena.terminal.lines import console_for
    from arena.terminal.scene import scene_of_view

    console = console_for()
    scene = scene_of_view(view, names)
    click.echo(f"Move {number}, turn {view.turns}, phase {view.phase}. What the bot sees:\n")
    console.print(draw(scene, max(shutil.get_terminal_size().columns, 60), signs_for(console.encoding)))
    click.echo(f"\n{len(moves)} moves:\n{Desk(view, list(moves), scene, '').menu()}\n")
    click.echo("--- the bot's own output " + "-" * 30)


def _show_answer(answer: Answer) -> None:
    click.echo("-" * 55)
    ms_then = "" if answer.ms_then is None else f", then {answer.ms_then:.3g} ms"
    then = "nothing: the game ended here by its forfeit" if answer.then is None else f"'{answer.then}'"
    if answer.fault:
        click.echo(f"It fails after {answer.ms:.3g} ms{ms_then}:\n  {indented(answer.fault)}\nThen it chose {then}.")
        return
    same = "the same as then" if not answer.differs else f"then it chose {then}"
    click.echo(f"It chooses '{answer.now}' in {answer.ms:.3g} ms{ms_then}; {same}.")


def _line(answer: Answer) -> str:
    now = str(answer.now) if answer.now is not None else f"fails: {one_line(answer.fault.strip().splitlines()[-1], 60)}"
    then = str(answer.then or "(forfeit)")
    sign = "*" if answer.differs else " "
    choice = f"{sign} {answer.view.phase:<7}{then:<16}{now:<16}"
    return f"{answer.number:>5} {choice}{answer.ms:9.3f} ms  1 of {len(answer.moves)}"
