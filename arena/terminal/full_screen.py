"""Play on the whole screen: the table above, what happened below it, and a line to type in."""

from __future__ import annotations

import queue
from concurrent.futures import Future, wait
from dataclasses import replace
from functools import partial

from rich.text import Text

from arena.game.engine import State, View
from arena.game.moves import Move
from arena.terminal.drawing import draw_board
from arena.terminal.input import DecisionInput, Left, Person, TerminalInterface
from arena.terminal.lines import console_for
from arena.terminal.scene import Scene
from arena.terminal.screen import Screen, play_behind, shown_output
from arena.terminal.session import Session, end_text
from arena.text import printable_lines

_PATIENCE_S, _HEARD = 2.0, 5
_KEYS = "↑↓ card  ←→ stone  Enter plays   help  hint  why 3  quit  undo  moves  resign"


class FullScreen(TerminalInterface):
    """The screen of a person at the table.

    The game is played in a thread (`play_behind`), which calls `ask`, `begun` and `moved`; everything else runs in the
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
        self._screen = Screen(self._table, self._keys, self._typed, self._prompt, self._pointed)
        self._bind()

    # ---- for the game, in its thread ------------------------------------------------------------------------

    def moved(self, state: State, move: Move) -> None:
        """Follow a move, and draw the table again."""
        super().moved(state, move)
        self._screen.refresh()

    def ask(self, view: View, moves: list[Move]) -> Move:
        """Wait for the move of the person."""
        decision = DecisionInput(view, moves, self.scene)
        heard, self._heard = self._heard[-_HEARD:], []
        self._screen.show("\n".join(filter(None, [self.news.text(), *heard, decision.prompt])))
        self.news.clear()
        self._decision = decision
        self._screen.refresh()
        answer = self._answers.get()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    # ---- the screen -----------------------------------------------------------------------------------------

    def run(self, session: Session) -> None:
        """Play to the end, or until the person leaves. What the game raises passes through, Left included."""

        def over() -> None:
            if session.result is None and not session.resigned:
                self._screen.leave()
                return
            text = end_text(session)
            self._screen.show(f"{self.news.text()}\n\n{text}".strip())
            self._over = text
            self._screen.refresh()

        game: Future[None] = Future()
        person = Person(self, session.seating.claims)
        with shown_output(session, self._hear):
            self._screen.run(lambda: play_behind(lambda: session.play(person), over, game))
            self._answers.put(Left())  # to the next question
            wait([game], _PATIENCE_S)  # a bot may still be thinking; all moves are saved
        if game.done():
            game.result()
        if self._over is None:
            raise Left
        last = console_for()
        last.print(draw_board(self.scene))
        last.print(Text(printable_lines(f"\n{self._over}")))

    def _hear(self, line: str) -> None:
        """Show what a bot has printed."""
        self._heard.append(line)
        if self._decision is None:
            self._screen.add(line)

    def _table(self) -> Scene | str:
        return replace(self.scene, card=self._pointed_card, stone=self._stone) if hasattr(self, "scene") else ""

    def _keys(self) -> str:
        return _KEYS if self._over is None else "Enter leaves"

    @property
    def _pointed_card(self) -> str | None:
        head = self._head or (self._decision.picked if self._decision is not None else None)
        return None if head is None else head.removeprefix("return ").partition("=")[0]

    def _prompt(self) -> str:
        if self._over is not None:
            return ""
        return "... " if self._decision is None else f"{self._decision.asks}> "

    # ---- keys -----------------------------------------------------------------------------------------------

    def _bind(self) -> None:
        for key, cards, stones in (("up", -1, 0), ("down", 1, 0), ("left", 0, -1), ("right", 0, 1)):
            self._screen.on(key, action=partial(self._point, cards, stones), when=self._may_point)
        self._screen.on("escape", action=self._put_back)
        self._screen.on("c-c", action=self._screen.leave)
        self._screen.on("c-d", action=self._screen.leave, when=lambda: not self._screen.line.text)

    def _may_point(self) -> bool:
        return self._decision is not None and not self._screen.line.text

    def _put_back(self) -> None:
        self._head = self._stone = None
        if self._screen.line.text:
            self._screen.line.text = ""
        elif self._decision is not None and self._decision.picked is not None:
            self._enter("undo")

    def _typed(self, text: str) -> None:
        if self._over is not None:
            self._screen.leave()
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
            self._screen.show(decision.notes)

    def _answer(self, answer: Move | BaseException) -> None:
        self._decision = None
        self._head = self._stone = None
        self._screen.show("")
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
        if decision is None or head is None or self._screen.line.text:
            return ""
        return f"{decision.choices[head][self._stone or 0]}   (Enter plays it)"
