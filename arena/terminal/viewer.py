"""Watch a game on the whole screen: at a chosen pace or step by step, back and forth."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future

from arena.results.positions import ending_text
from arena.terminal.scene import Scene
from arena.terminal.screen import Screen, play_behind, shown_output
from arena.terminal.session import Session
from arena.terminal.timeline import Timeline

PACES = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Seconds per move, from fast to slow."""
_HANDS = ((True, True), (True, False), (False, True), (False, False))
_KEYS = "space play  ←→ step  home end  c C claim  + - pace  h hands  f turn  q quit"


class Viewer:
    """Shows a timeline, which may grow meanwhile: then the game is played in a thread."""

    def __init__(self, timeline: Timeline, pace: float = 1.0, begin: int = 0, playing: bool = True) -> None:
        self._timeline = timeline
        self._number = begin
        self._playing = playing
        self._pace = min(PACES, key=lambda seconds: abs(seconds - pace))
        self._hands = 0
        self._seat = 0
        self._wakes = asyncio.Event()
        self._heard: list[str] = []
        self._screen = Screen(self._table, lambda: _KEYS)
        self._bind()

    def run(self) -> None:
        """Show a complete game."""
        self._screen.run(meanwhile=self._advance)

    def run_session(self, session: Session) -> None:
        """Show a game while it is played. What it raises passes through."""

        def over() -> None:
            if session.result is None:
                game.add_done_callback(lambda _: self._screen.leave())  # not before the game holds its error
                return
            self._timeline.result = ending_text(session.result)
            self._screen.refresh()

        game: Future[None] = Future()
        with shown_output(session, self._heard.append):
            self._screen.run(lambda: play_behind(session.play, over, game), self._advance)
        if game.done():
            game.result()

    async def _advance(self) -> None:
        while True:
            try:
                await asyncio.wait_for(self._wakes.wait(), self._pace)
                self._wakes.clear()
            except TimeoutError:
                if self._playing and self._number < self._last:
                    self._number += 1
                self._screen.refresh()

    @property
    def _last(self) -> int:
        return max(len(self._timeline.moments) - 1, 0)

    # ---- what is seen ---------------------------------------------------------------------------------------

    def _table(self) -> Scene | str:
        if not self._timeline.moments:
            return "Starting the bots ..."
        self._screen.show(self._text())
        return self._timeline.scene(self._number, self._seat, _HANDS[self._hands])

    def _text(self) -> str:
        timeline, number = self._timeline, self._number
        pace = f"{self._pace:g} s per move" if self._playing else "paused"
        lines = ["", f"{timeline.heading(number)}  ({pace})"]
        if number == self._last and timeline.result:
            lines += ["", timeline.result]
        return "\n".join(lines + self._heard[-3:])

    # ---- keys -----------------------------------------------------------------------------------------------

    def _bind(self) -> None:
        on = self._screen.on
        on("right", "n", "enter", action=lambda: self._go(self._number + 1))
        on("left", "b", action=lambda: self._go(self._number - 1))
        on("home", action=lambda: self._go(0))
        on("end", action=lambda: self._go(self._last))
        on("c", action=lambda: self._go(self._timeline.claim(self._number, 1)))
        on("C", action=lambda: self._go(self._timeline.claim(self._number, -1)))
        on("space", action=self._toggle)
        on("+", action=lambda: self._change(-1))
        on("-", action=lambda: self._change(1))
        on("h", action=lambda: setattr(self, "_hands", (self._hands + 1) % len(_HANDS)))
        on("f", action=lambda: setattr(self, "_seat", 1 - self._seat))
        on("q", "c-c", "c-d", "escape", action=self._screen.leave)

    def _go(self, number: int) -> None:
        self._playing = False
        self._number = min(max(number, 0), self._last)

    def _toggle(self) -> None:
        self._playing = not self._playing
        self._wakes.set()  # wait the whole pace before the next step
        if self._playing and self._number == self._last and self._timeline.result:
            self._number = 0

    def _change(self, step: int) -> None:
        number = PACES.index(self._pace) + step
        self._pace = PACES[min(max(number, 0), len(PACES) - 1)]
        self._wakes.set()
