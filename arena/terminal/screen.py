"""A full-screen program with a table above, notes below it, and a line to type in.

prompt_toolkit and rich are imported only where a screen is made: commands that print need not wait for them.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TYPE_CHECKING

from arena.bots.output import BotOutput, redirected
from arena.terminal.drawing import WIDTH, draw_board
from arena.terminal.scene import Scene
from arena.terminal.session import Session
from arena.text import printable_lines

if TYPE_CHECKING:
    from prompt_toolkit.formatted_text import AnyFormattedText

_PAGE = 5


class Screen:
    """Shows a table, notes below it, a line to type in, and the keys. PgUp and PgDn scroll the notes.

    `typed` is called when the `line` is entered. It begins with `prompt` and ends with `hint`.
    """

    def __init__(
        self,
        table: Callable[[], Scene | str],
        keys: Callable[[], str],
        typed: Callable[[str], None],
        prompt: Callable[[], str],
        hint: Callable[[], str],
    ) -> None:
        from prompt_toolkit.application import Application
        from prompt_toolkit.buffer import Buffer
        from prompt_toolkit.data_structures import Point
        from prompt_toolkit.history import DummyHistory
        from prompt_toolkit.key_binding import KeyBindings
        from prompt_toolkit.layout import Dimension, FormattedTextControl, HSplit, Layout, Window
        from prompt_toolkit.layout.processors import AfterInput
        from prompt_toolkit.widgets import FormattedTextToolbar, Label, TextArea
        from rich.console import Console

        self._table = table
        self._notes = ""
        self._top = 0
        # prompt_toolkit takes from these colours what the terminal has
        self._console = Console(force_terminal=True, color_system="truecolor", legacy_windows=False)
        self._keys = KeyBindings()

        def accept(buffer: Buffer) -> bool:
            typed(buffer.text)
            return False  # what was typed does not stay

        self.line = TextArea(
            multiline=False,
            accept_handler=accept,
            history=DummyHistory(),
            prompt=lambda: [("bold", prompt())],
            input_processors=[AfterInput(hint)],
        )
        notes = Window(
            FormattedTextControl(self._shown_notes, show_cursor=False, get_cursor_position=lambda: Point(0, self._top)),
            height=Dimension(min=1),
            get_vertical_scroll=lambda window: self._top,
        )
        drawn, bar = Label(self._drawn_table, wrap_lines=False), FormattedTextToolbar(keys, style="reverse")
        self._app: Application[None] = Application(
            layout=Layout(HSplit([drawn, notes, self.line, bar])), key_bindings=self._keys, full_screen=True
        )
        self._app.ttimeoutlen = 0.05  # Escape is a key here
        self.on("pageup", action=lambda: self._scroll(-_PAGE))
        self.on("pagedown", action=lambda: self._scroll(_PAGE))

    def on(self, *keys: str, action: Callable[[], object], when: Callable[[], bool] = lambda: True) -> None:
        """Bind keys to an action, in place of what they do otherwise, as long as `when` holds."""
        from prompt_toolkit.filters import Condition

        for key in keys:
            self._keys.add(key, filter=Condition(when), eager=True)(lambda event: action())

    def run(self, begin: Callable[[], None]) -> None:
        """Show the screen until `leave`; `begin` is called first."""
        self._app.run(pre_run=begin)

    def leave(self) -> None:
        """End the program; it may be called from any thread, and when it has ended."""
        if (loop := self._app.loop) is not None:
            loop.call_soon_threadsafe(self._exit)

    def _exit(self) -> None:
        if self._app.is_running and not self._app.is_done:
            self._app.exit()

    def refresh(self) -> None:
        """Draw the screen again soon; it may be called from any thread."""
        self._app.invalidate()

    # ---- table and notes --------------------------------------------------------------------------------------------

    def show(self, text: str) -> None:
        """Replace the notes; the text may have been written by strangers."""
        shown = printable_lines(text)
        if shown != self._notes:
            self._notes, self._top = shown, 0

    def add(self, line: str) -> None:
        """Append a line to the notes."""
        self._notes = f"{self._notes}\n{printable_lines(line)}".lstrip("\n")
        self.refresh()

    def _scroll(self, lines: int) -> None:
        self._top = min(max(self._top + lines, 0), len(self._wrapped()) - 1)

    @property
    def _width(self) -> int:
        return self._app.output.get_size().columns

    def _wrapped(self) -> list[str]:
        """Return the notes as lines that fit, broken between words."""
        from rich.text import Text

        return [line.plain for line in Text(self._notes).wrap(self._console, max(self._width, 20))]

    def _shown_notes(self) -> str:
        return "\n".join(self._wrapped())

    def _drawn_table(self) -> AnyFormattedText:
        """Return the table, as wide as the terminal is now."""
        from prompt_toolkit.formatted_text import ANSI

        table, width = self._table(), self._width
        if isinstance(table, str):
            return table
        if width < WIDTH:
            return f"The terminal is too narrow: it has {width} columns, and the table needs {WIDTH}.\n"
        with self._console.capture() as shown:
            self._console.print(draw_board(table, width), soft_wrap=True, end="")
        return ANSI(shown.get())


class _Heard(logging.Handler):
    """Passes on the messages of the log, in which bots print."""

    def __init__(self, hear: Callable[[str], None]) -> None:
        super().__init__()
        self._hear = hear

    def emit(self, record: logging.LogRecord) -> None:
        self._hear(record.getMessage())


@contextmanager
def shown_output(session: Session, hear: Callable[[str], None]) -> Iterator[None]:
    """Pass on to `hear`, line by line, what bots print and the log says, instead of writing it across the screen."""
    log = logging.getLogger("arena")
    handler = _Heard(hear)
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


def play_behind(play: Callable[[], None], over: Callable[[], None], game: Future[None]) -> None:
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
