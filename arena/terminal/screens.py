"""How a person plays in a terminal: line by line, or on the whole screen."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Point
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI, AnyFormattedText
from prompt_toolkit.history import DummyHistory
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import Dimension, FormattedTextControl, HSplit, Layout, Window
from prompt_toolkit.layout.processors import AfterInput
from prompt_toolkit.widgets import FormattedTextToolbar, Label, TextArea
from rich.console import Console
from rich.text import Text

from arena.bots.output import BotOutput, redirected
from arena.game.engine import State, View
from arena.game.moves import Move
from arena.terminal.drawing import WIDTH, Scene, console_for, draw_board
from arena.terminal.input import DecisionInput, Left, News, PersonInterface
from arena.terminal.session import Session, end_text
from arena.text import printable_lines

_PATIENCE_S, _HEARD, _PAGE = 2.0, 5, 5
_KEYS = "↑↓ card  ←→ stone  Enter plays   help  hint  why 3  quit  undo  moves  resign"


class TerminalInterface(PersonInterface):
    """Follows a game, and keeps the news and the table as the person sees them."""

    news: News
    scene: Scene

    def __init__(self, person: str) -> None:
        self.person = person

    def begun(self, state: State, seats: tuple[str, str]) -> None:
        """Begin to follow a game; `seats` are the names of seat 0 and seat 1."""
        self.news = News(seats, seats.index(self.person))
        self._look(state)

    def moved(self, state: State, move: Move) -> None:
        """Follow a move."""
        self._look(state)

    def _look(self, state: State) -> None:
        view = self.news.look(state)
        self.scene = Scene(view, self.news.names, self.news.stones)


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
        session.play()
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
        decision = DecisionInput(view, moves, self.news.names)
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


# ---------------------------------------------------------------- on the whole screen


class FullScreen(TerminalInterface):
    """The table above, what happened below it, and a line to type in. PgUp and PgDn scroll the notes below the table.

    The game is played in a thread (`_play_behind`), which calls `ask`, `begun` and `moved`; everything else runs in the
    thread of the screen. A decision goes to the screen as a `DecisionInput`, and the move returns through a queue.
    """

    def __init__(self, person: str) -> None:
        super().__init__(person)
        self._heard: list[str] = []  # what bots have printed since the last decision
        self._decision: DecisionInput | None = None
        self._answers: queue.Queue[Move | BaseException] = queue.Queue()
        self._head: str | None = None  # what the arrow keys point at
        self._stone: int | None = None
        self._over: str | None = None
        self._notes, self._top = "", 0
        # prompt_toolkit takes from these colours what the terminal has
        self._console = Console(force_terminal=True, color_system="truecolor", legacy_windows=False)
        self._keys = KeyBindings()

        def accept(buffer: Buffer) -> bool:
            self._typed(buffer.text)
            return False  # what was typed does not stay

        self._line = TextArea(
            multiline=False,
            accept_handler=accept,
            history=DummyHistory(),
            prompt=lambda: [("bold", self._prompt())],
            input_processors=[AfterInput(self._pointed)],
        )
        notes = Window(
            FormattedTextControl(
                lambda: "\n".join(self._wrapped()),
                show_cursor=False,
                get_cursor_position=lambda: Point(0, self._top),
            ),
            height=Dimension(min=1),
            get_vertical_scroll=lambda window: self._top,
        )
        bar = FormattedTextToolbar(lambda: _KEYS if self._over is None else "Enter leaves", style="reverse")
        table = Label(self._table, wrap_lines=False)
        self._app: Application[None] = Application(
            layout=Layout(HSplit([table, notes, self._line, bar])), key_bindings=self._keys, full_screen=True
        )
        self._app.ttimeoutlen = 0.05  # Escape is a key here
        self._on("pageup", lambda: self._scroll(-_PAGE))
        self._on("pagedown", lambda: self._scroll(_PAGE))
        for key, cards, stones in (("up", -1, 0), ("down", 1, 0), ("left", 0, -1), ("right", 0, 1)):
            self._on(key, partial(self._point, cards, stones), lambda: bool(self._decision and not self._line.text))
        self._on("escape", self._put_back)
        self._on("c-c", self._leave)
        self._on("c-d", self._leave, lambda: not self._line.text)

    # ---- for the game, in its thread ------------------------------------------------------------------------

    def moved(self, state: State, move: Move) -> None:
        """Follow a move, and draw the table again."""
        super().moved(state, move)
        self._app.invalidate()

    def ask(self, view: View, moves: list[Move]) -> Move:
        """Wait for the move of the person."""
        decision = DecisionInput(view, moves, self.news.names)
        heard, self._heard = self._heard[-_HEARD:], []
        self._show("\n".join(filter(None, [self.news.text(), *heard, decision.prompt])))
        self.news.clear()
        self._decision = decision
        self._app.invalidate()
        answer = self._answers.get()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    # ---- the screen -----------------------------------------------------------------------------------------

    def run(self, session: Session) -> None:
        """Play to the end, or until the person leaves. What the game raises passes through, Left included."""

        def over() -> None:
            if session.result is None and not session.resigned:
                self._leave()
                return
            text = end_text(session)
            self._show(f"{self.news.text()}\n\n{text}".strip())
            self._over = text
            self._app.invalidate()

        game: Future[None] = Future()
        with _shown_output(session, lambda line: self._heard.append(line)):
            self._app.run(pre_run=lambda: _play_behind(session.play, over, game))
            self._answers.put(Left())  # to the next question
            wait([game], _PATIENCE_S)  # a bot may still be thinking; all moves are saved
        if game.done():
            game.result()
        if self._over is None:
            raise Left
        last = console_for()
        last.print(draw_board(self.scene))
        last.print(Text(printable_lines(f"\n{self._over}")))

    def _leave(self) -> None:
        """End the program; it may be called from any thread, and when it has ended."""

        def end() -> None:
            if self._app.is_running and not self._app.is_done:
                self._app.exit()

        if (loop := self._app.loop) is not None:
            loop.call_soon_threadsafe(end)

    def _show(self, text: str) -> None:
        """Replace the notes; the text may have been written by strangers."""
        shown = printable_lines(text)
        if shown != self._notes:
            self._notes, self._top = shown, 0

    def _scroll(self, lines: int) -> None:
        self._top = min(max(self._top + lines, 0), len(self._wrapped()) - 1)

    @property
    def _width(self) -> int:
        return self._app.output.get_size().columns

    def _wrapped(self) -> list[str]:
        """Return the notes as lines that fit, broken between words."""
        return [line.plain for line in Text(self._notes).wrap(self._console, max(self._width, 20))]

    def _table(self) -> AnyFormattedText:
        """Return the table, as wide as the terminal is now."""
        if not hasattr(self, "scene"):  # the game has not begun
            return ""
        if (width := self._width) < WIDTH:
            return f"The terminal is too narrow: it has {width} columns, and the table needs {WIDTH}.\n"
        with self._console.capture() as shown:
            scene = replace(self.scene, card=self._pointed_card, stone=self._stone)
            self._console.print(draw_board(scene, width), soft_wrap=True, end="")
        return ANSI(shown.get())

    @property
    def _pointed_card(self) -> str | None:
        head = self._head or (self._decision.picked if self._decision is not None else None)
        return None if head is None else head.removeprefix("return ").partition("=")[0]

    def _prompt(self) -> str:
        if self._over is not None:
            return ""
        return "... " if self._decision is None else f"{self._decision.asks}> "

    # ---- keys -----------------------------------------------------------------------------------------------

    def _on(self, key: str, action: Callable[[], object], when: Callable[[], bool] = lambda: True) -> None:
        """Bind a key to an action, in place of what it does otherwise, as long as `when` holds."""
        self._keys.add(key, filter=Condition(when), eager=True)(lambda event: action())

    def _put_back(self) -> None:
        self._head = self._stone = None
        if self._line.text:
            self._line.text = ""
        elif self._decision is not None and self._decision.picked is not None:
            self._enter("undo")

    def _typed(self, text: str) -> None:
        if self._over is not None:
            self._leave()
        elif self._decision is None:
            return
        elif not text.strip() and self._head is not None:
            self._answer(self._decision.choices[self._head][self._stone or 0])
        else:
            self._enter(text)

    def _enter(self, typed: str) -> None:
        decision = self._decision
        assert decision is not None
        try:
            move = decision.enter(typed)
        except KeyboardInterrupt as gone:
            self._answer(gone)
            return
        self._head, self._stone = decision.picked, None
        if decision.picked is not None:
            self._stone = min(decision.choices[decision.picked])
        if move is not None:
            self._answer(move)
        else:
            self._show(decision.notes)

    def _answer(self, answer: Move | BaseException) -> None:
        self._decision = None
        self._head = self._stone = None
        self._show("")
        self._answers.put(answer)

    def _point(self, cards: int, stones: int) -> None:
        """Point at the next card or stone in a direction; the first time at the first card."""
        decision = self._decision
        assert decision is not None
        heads = list(decision.choices)
        if self._head is None:
            self._head = heads[0]
        elif cards and decision.picked is None:
            self._head = heads[(heads.index(self._head) + cards) % len(heads)]
        possible = sorted(decision.choices[self._head])
        if self._stone not in possible:
            near = self._stone or 5
            self._stone = min(possible, key=lambda stone: abs(stone - near))
        elif stones:
            self._stone = possible[(possible.index(self._stone) + stones) % len(possible)]

    def _pointed(self) -> str:
        """Return the move that the arrow keys point at, to be shown behind the prompt."""
        decision, head = self._decision, self._head
        if decision is None or head is None or self._line.text:
            return ""
        return f"{decision.choices[head][self._stone or 0]}   (Enter plays it)"


class _Heard(logging.Handler):
    """Passes on the messages of the log, in which bots print."""

    def __init__(self, on_line: Callable[[str], None]) -> None:
        super().__init__()
        self._on_line = on_line

    def emit(self, record: logging.LogRecord) -> None:
        self._on_line(record.getMessage())


@contextmanager
def _shown_output(session: Session, on_line: Callable[[str], None]) -> Iterator[None]:
    """Pass on to `on_line`, line by line, what bots print and the log says, instead of writing it across the screen."""
    log = logging.getLogger("arena")
    handler = _Heard(on_line)
    level, propagate = log.level, log.propagate
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False
    try:
        with redirected(BotOutput(session.speaker)):
            yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
        log.propagate = propagate


def _play_behind(play: Callable[[], None], over: Callable[[], None], game: Future[None]) -> None:
    """Play in a thread, so that the screen responds while a bot thinks; then call `over` and end `game`."""

    def run() -> None:
        try:
            try:
                play()
            finally:
                over()
        except BaseException as error:
            game.set_exception(error)
        else:
            game.set_result(None)

    threading.Thread(target=run, daemon=True, name="game").start()
