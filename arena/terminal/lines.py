"""Play line by line, for simple terminals, pipes and screen readers; a game that was played, as text."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click
from rich.console import Console
from rich.text import Text

from arena.game.engine import State, View
from arena.game.moves import Move
from arena.game.record import parse_record
from arena.results.positions import Decision, decisions, ending_text, legend, shown_names
from arena.terminal.drawing import draw_board
from arena.terminal.input import DecisionInput, Left, Person, TerminalInterface
from arena.terminal.live import is_drawable
from arena.terminal.scene import Scene, short_name
from arena.terminal.session import Session, end_text
from arena.text import printable, printable_lines
from arena.tournament.games import GameResult


def console_for() -> Console:
    """Return a console for stdout that honours NO_COLOR and TERM=dumb and does not fold lines."""
    return Console(file=sys.stdout, highlight=False, markup=False, soft_wrap=True)


def on_screen() -> bool:
    """Return whether a game can be drawn on a terminal."""
    return is_drawable(sys.stdin, sys.stdout)


class LineInterface(TerminalInterface):
    """Prints the table at each decision and reads a line."""

    def __init__(self, person: str) -> None:
        super().__init__(person)
        self.console = console_for()
        self._told_keys = False

    def run(self, session: Session) -> None:
        """Play to the end. What the person raises passes through."""
        seating = session.seating
        self.say(f"{' against '.join(seating.names)}, rules {seating.rules.short_name}, seed {seating.seed}")
        session.play(Person(self, seating.claims))
        self.show()
        self.say(end_text(session))

    def show(self) -> None:
        """Print what has happened, and the table."""
        self.console.print()
        if self.news.events:
            self.say(self.news.text())
            self.console.print()
        self.news.clear()
        self.console.print(draw_board(self.scene))
        self.console.print()

    def say(self, text: str) -> None:
        """Print text that may have been written by strangers."""
        self.console.print(Text(printable_lines(text)))

    def ask(self, view: View, moves: list[Move]) -> Move:
        """Read the move of the person."""
        self.show()
        decision = DecisionInput(view, moves, self.scene)
        if not self._told_keys or len(moves) <= 6:
            self.say(decision.prompt)
            self._told_keys = True
        while True:
            try:
                typed = input(f"{decision.asks}> ")
            except EOFError:
                self.console.print()
                raise Left from None
            move = decision.enter(typed)
            if move is not None:
                return move
            self.say(decision.notes)


# ---------------------------------------------------------------- a game that was played


def print_game(game: GameResult) -> None:
    """Print a game as text: the board after each move."""
    record, names, made = parse_record(game.record), shown_names(game), decisions(game)
    console = console_for()
    click.echo(f"{legend(record.rules)}\n")

    def show(heading: str, state: State, changed: frozenset[int] = frozenset()) -> None:
        console.print(printable(heading), style="bold")
        console.print(draw_board(Scene(state, names, changed=changed)), end="\n\n")

    starter = record.deal.starter
    name = f"{short_name(names[starter])} (seat {'ab'[starter]})" if names[starter] else f"Seat {'ab'[starter]}"
    show(f"Cards dealt. {name} starts.", State(record.rules, record.deal, record.auto_claim))
    for decision in made:
        changed = frozenset(event.stone for event in decision.events if event.stone is not None)
        show(f"Move {decision.number} of {len(made)}: {_words(decision, names)}", decision.after, changed)
    click.echo(ending_text(game))


def _words(made: Decision, names: Sequence[str]) -> str:
    """Word what happened at a decision, with the number of legal moves, the thinking time and the bot's note."""

    def who(seat: int) -> str:
        return f"{'ab'[seat]} {short_name(names[seat])}".rstrip()

    events = [event.text if event.seat == made.seat else f"{who(event.seat)} {event.text}" for event in made.events]
    text = f"{who(made.seat)}: {', '.join(events) or made.move.text}"
    if len(made.legal) > 1:
        text += f"  ({len(made.legal)} legal moves{'' if made.ms is None else f', {made.ms:.2g} ms'})"
    return text if made.note is None else f"{text}  says: {made.note}"
