"""Watching a game on the whole screen: at a chosen pace, step by step, back and forth."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import AnyFormattedText
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import HSplit

from arena.results.board import ending_text
from arena.results.records import StoredGame
from arena.terminal.session import Session
from arena.terminal.timeline import Timeline
from arena.terminal.widgets import Background, Notes, application, fixed, shown_output, table

PACES = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Seconds per move, from quick to slow."""
_HANDS = ((True, True), (True, False), (False, True), (False, False))
_KEYS = "space play  ←→ step  home end  c C claim  + - pace  h hands  f turn  q quit"


class Viewer:
    """Shows a timeline. It may grow meanwhile, by a game that is played in a thread."""

    def __init__(self, timeline: Timeline, pace: float = 1.0, begin: int = 0, playing: bool = True) -> None:
        self._timeline = timeline
        self._number = begin
        self._playing = playing
        self._pace = min(PACES, key=lambda seconds: abs(seconds - pace))
        self._hands = 0
        self._seat = 0
        self._wakes = asyncio.Event()
        self._notes = Notes()
        self._heard: list[str] = []
        self._app = self._make()

    def run(self) -> None:
        """Show a game that is complete."""
        self._app.run(pre_run=self._begin)

    def run_session(self, session: Session) -> None:
        """Show a game while it is played. What it raises passes through."""

        def over() -> None:
            if session.result is not None:
                self._timeline.result = ending_text(StoredGame.of(session.result))
            self._app.invalidate()

        game = Background(session.play, over)

        def begin() -> None:
            self._begin()
            game.start()

        with shown_output(session, self._heard.append):
            self._app.run(pre_run=begin)
        if game.error is not None:
            raise game.error

    def _begin(self) -> None:
        self._app.create_background_task(self._advance())

    async def _advance(self) -> None:
        while True:
            try:
                await asyncio.wait_for(self._wakes.wait(), self._pace)
                self._wakes.clear()
            except TimeoutError:
                if self._playing and self._number < self._last:
                    self._number += 1
                self._app.invalidate()

    @property
    def _last(self) -> int:
        return max(len(self._timeline.moments) - 1, 0)

    # ---- what is seen ---------------------------------------------------------------------------------------

    def _make(self) -> Application[None]:
        keys = KeyBindings()
        self._bind(keys)
        self._notes.bind(keys)
        body = HSplit([fixed(self._table), self._notes.window, fixed(lambda: _KEYS, style="reverse", height=1)])
        return application(body, keys)

    def _table(self) -> AnyFormattedText:
        if not self._timeline.moments:
            return "Starting the bots ..."
        self._notes.show(self._text())
        return table(self._timeline.scene(self._number, self._seat, _HANDS[self._hands]))

    def _text(self) -> str:
        timeline, number = self._timeline, self._number
        pace = f"{self._pace:g} s per move" if self._playing else "paused"
        lines = ["", f"{timeline.heading(number)}  ({pace})"]
        if number == self._last and timeline.result:
            lines += ["", timeline.result]
        return "\n".join(lines + self._heard[-3:])

    # ---- keys -----------------------------------------------------------------------------------------------

    def _bind(self, keys: KeyBindings) -> None:
        def on(key: str, action: Callable[[], None]) -> None:
            def pressed(event: KeyPressEvent) -> None:
                action()
                self._wakes.set()  # start the time to the next step again

            keys.add(key)(pressed)

        for key in ("right", "n", "enter"):
            on(key, lambda: self._go(self._number + 1))
        for key in ("left", "b"):
            on(key, lambda: self._go(self._number - 1))
        on("home", lambda: self._go(0))
        on("end", lambda: self._go(self._last))
        on("c", lambda: self._go(self._timeline.claim(self._number, 1)))
        on("C", lambda: self._go(self._timeline.claim(self._number, -1)))
        on("space", self._toggle)
        on("+", lambda: self._change(-1))
        on("-", lambda: self._change(1))
        on("h", lambda: setattr(self, "_hands", (self._hands + 1) % len(_HANDS)))
        on("f", lambda: setattr(self, "_seat", 1 - self._seat))
        for key in ("q", "c-c", "c-d", "escape"):
            keys.add(key)(lambda event: self._app.exit())

    def _go(self, number: int) -> None:
        self._playing = False
        self._number = min(max(number, 0), self._last)

    def _toggle(self) -> None:
        self._playing = not self._playing
        if self._playing and self._number == self._last and self._timeline.result:
            self._number = 0

    def _change(self, step: int) -> None:
        number = PACES.index(self._pace) + step
        self._pace = PACES[min(max(number, 0), len(PACES) - 1)]
