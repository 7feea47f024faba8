"""`arena replay --ask`: a bot's author in one game."""

from __future__ import annotations

import shutil
from bdb import BdbQuit

import click

from arena.bots.loading import load_bot
from arena.bots.spec import find_bot
from arena.cli.main import INTERRUPTED
from arena.errors import ArenaError
from arena.game.engine import View
from arena.game.moves import Move
from arena.game.record import parse_record
from arena.results.decisions import decisions
from arena.results.records import StoredGame
from arena.terminal.debug import Answer, answers_of, seat_of
from arena.terminal.drawing import draw, signs_for
from arena.terminal.input import DecisionInput
from arena.terminal.lines import console_for
from arena.terminal.scene import scene_of_view
from arena.text import indented, one_line


def ask(stored: StoredGame, bot: str, player: str | None, move: int | None, debugger: bool) -> int:
    """Ask `bot` again at the decisions of a stored game and show its answers; the exit code.

    The bot takes the seat of `player`, by default that of the bot of its own name. With `move`, only the decision that
    made this move is shown. With `debugger`, Python's debugger stops in act there, or else at the last decision.
    """
    spec = find_bot(bot)
    seat = seat_of(stored, player or spec.name)
    loaded = load_bot(spec, capture=False)
    numbers = _numbers(stored, seat)
    if move is None and debugger:
        move = numbers[-1] if numbers else None
    if move is not None and move not in numbers:
        near = min(numbers, key=lambda number: abs(number - move), default=0)
        raise ArenaError(f"{one_line(spec.name)} made no decision at move {move} of this game; the nearest is {near}")

    def before(number: int, view: View, moves: tuple[Move, ...]) -> bool:
        if number == move:
            _show_question(view, moves, stored.names, number)
        return debugger and number == move

    if move is None:
        click.echo(" move   phase  then            now                    ms  of moves")
    differing = asked = 0
    try:
        for answer in answers_of(stored, loaded, seat, before):
            asked += 1
            differing += answer.differs
            if move is None:
                click.echo(_line(answer))
            elif answer.number == move:
                _show_answer(answer)
                break
    except BdbQuit:
        return INTERRUPTED
    if move is None:
        click.echo(f"\n{asked} decisions; {differing} differ from the game. Look at one with --move N.")
    return 0


def _numbers(stored: StoredGame, seat: int) -> list[int]:
    """The numbers of the moves that a seat decided, including the one at which it forfeited."""
    record = parse_record(stored.record)
    made = decisions(stored.result or record)
    numbers = [decision.number for decision in made if decision.seat == seat and decision.asked]
    lost = record.is_forfeit and record.winner == 1 - seat
    if lost and made and not made[-1].state_after().is_over and made[-1].state_after().turn == seat:
        numbers.append(len(made) + 1)
    return numbers


def _show_question(view: View, moves: tuple[Move, ...], names: tuple[str, str], number: int) -> None:
    console = console_for()
    scene = scene_of_view(view, names)
    click.echo(f"Move {number}, turn {view.turns}, phase {view.phase}. What the bot sees:\n")
    console.print(draw(scene, max(shutil.get_terminal_size().columns, 60), signs_for(console.encoding)))
    click.echo(f"\n{len(moves)} moves:\n{DecisionInput(view, list(moves), scene, '').menu()}\n")
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
