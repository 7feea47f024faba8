"""What the full-screen programs share: a table above, notes below it, and one line to type in or keys to press."""

from __future__ import annotations

import io
import logging
import os
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from prompt_toolkit.application import Application, get_app
from prompt_toolkit.formatted_text import ANSI, AnyFormattedText
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import AnyContainer, Dimension, FormattedTextControl, Layout, Window
from prompt_toolkit.output import ColorDepth
from rich.console import Console

from arena.bots.output import BotOutput, redirected
from arena.terminal.drawing import draw
from arena.terminal.scene import Scene
from arena.terminal.session import Session
from arena.text import printable_lines

WIDTH = 60
"""The least width of a terminal that all is drawn on, in columns."""
_NOTES = 200


def table(scene: Scene) -> AnyFormattedText:
    """The table, as wide as the terminal is now."""
    width = get_app().output.get_size().columns
    if width < WIDTH:
        return f"The terminal is too narrow: it has {width} columns, and the table needs {WIDTH}.\n"
    console = Console(
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",  # prompt_toolkit finds the colours that the terminal has
        width=width,
        legacy_windows=False,
        no_color=bool(os.environ.get("NO_COLOR")) or None,
    )
    with console.capture() as shown:
        console.print(draw(scene, width), soft_wrap=True, end="")
    return ANSI(shown.get())


def fixed(content: Callable[[], AnyFormattedText], **options: object) -> Window:
    """A window as high as what it holds."""
    control = FormattedTextControl(content, show_cursor=False)
    return Window(control, dont_extend_height=True, wrap_lines=False, **options)  # type: ignore[arg-type]


def folded(line: str, width: int) -> list[str]:
    """A line in lines of at most `width`, broken between words; columns of short lines stay as they are."""
    if len(line) <= width:
        return [line]
    return textwrap.wrap(line, width, break_on_hyphens=False, drop_whitespace=True, replace_whitespace=False)


class Notes:
    """Text to read below the table; PgUp and PgDn scroll it where it is longer than its place."""

    def __init__(self) -> None:
        self.text = ""
        self.top = 0
        self.window = Window(
            FormattedTextControl(self._shown), wrap_lines=True, height=Dimension(min=1), always_hide_cursor=True
        )

    def show(self, text: str) -> None:
        """Replace what is there; the text may be a stranger's."""
        self.text, self.top = printable_lines(text), 0

    def add(self, line: str) -> None:
        """A line more at the end."""
        self.text = "\n".join([*self.text.split("\n")[-_NOTES:], printable_lines(line)]).lstrip("\n")

    def _shown(self) -> str:
        width = max(get_app().output.get_size().columns, 20)
        return "\n".join("\n".join(folded(line, width)) for line in self.text.split("\n")[self.top :])

    def bind(self, keys: KeyBindings) -> None:
        """Keys that scroll."""

        @keys.add("pageup")
        def _(event: object) -> None:
            self.top = max(self.top - 5, 0)

        @keys.add("pagedown")
        def _(event: object) -> None:
            self.top = min(self.top + 5, max(self.text.count("\n"), 0))


def application(container: AnyContainer, keys: KeyBindings) -> Application[None]:
    """A full-screen program; what is drawn is left to the terminal's colours."""
    depth = ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else None  # None: whatever the terminal can show
    made: Application[None] = Application(
        layout=Layout(container), key_bindings=keys, full_screen=True, color_depth=depth, mouse_support=False
    )
    made.ttimeoutlen = 0.05  # Escape is a key here
    made.timeoutlen = 0.2
    return made


class _Heard(logging.Handler):
    """Hands on what bots print."""

    def __init__(self, hear: Callable[[str], None]) -> None:
        super().__init__()
        self._hear = hear

    def emit(self, record: logging.LogRecord) -> None:
        self._hear(record.getMessage())


@contextmanager
def shown_output(session: Session, hear: Callable[[str], None]) -> Iterator[None]:
    """Meanwhile, what bots print and what the log says goes to `hear` by line, not across the screen."""
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


class Background:
    """Plays in a thread of its own, so that the screen responds while a bot thinks."""

    def __init__(self, play: Callable[[], None], done: Callable[[], None]) -> None:
        self.error: BaseException | None = None
        self._play, self._done = play, done
        self._thread = threading.Thread(target=self._run, daemon=True, name="game")

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def _run(self) -> None:
        try:
            self._play()
        except BaseException as error:
            self.error = error
        finally:
            self._done()

    def join(self, seconds: float) -> bool:
        """Wait for the end; returns whether the game is over."""
        self._thread.join(seconds)
        return not self._thread.is_alive()
