"""Play line by line: for simple terminals, pipes and screen readers."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.text import Text

from arena.game.engine import View
from arena.game.moves import Move
from arena.terminal.drawing import draw_board
from arena.terminal.input import DecisionInput, Left, Person, TerminalInterface
from arena.terminal.live import is_drawable
from arena.terminal.session import Session, end_text
from arena.text import printable_lines


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
