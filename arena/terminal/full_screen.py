"""A game on the whole screen: the table above, what happened below it, and a line to type in."""

from __future__ import annotations

import queue
from collections.abc import Callable

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import AnyFormattedText
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import BufferControl, HSplit, Window
from prompt_toolkit.layout.processors import AfterInput, BeforeInput
from rich.console import Console
from rich.text import Text

from arena.game.engine import State, View
from arena.game.moves import Move
from arena.terminal.drawing import draw
from arena.terminal.input import DecisionInput, Left, Person, TerminalInterface
from arena.terminal.session import Session
from arena.terminal.widgets import WIDTH, Background, Notes, application, fixed, shown_output, table
from arena.text import printable_lines

_PATIENCE_S, _HEARD = 2.0, 5
_KEYS = "↑↓ card  ←→ stone  Enter plays   help  hint  why 3  quit  undo  moves  resign"


class FullScreen(TerminalInterface):
    """The screen of a person at the table.

    The game is played in a thread (`Background`): `ask`, `begun` and `moved` are called there, all else in the thread
    of the screen. A decision goes to the screen as a `DecisionInput` and comes back through a queue.
    """

    def __init__(self, person: str) -> None:
        super().__init__(person)
        self._left = False
        self._notes = Notes()
        self._heard: list[str] = []  # what bots have printed since the last decision
        self._decision: DecisionInput | None = None
        self._answers: queue.Queue[Move | BaseException] = queue.Queue()
        self._head: str | None = None  # what the arrow keys point at
        self._stone: int | None = None
        self._over: str | None = None
        self._input = Buffer(multiline=False)
        self._app: Application[None] = self._make()

    # ---- for the game, in its thread ------------------------------------------------------------------------

    def moved(self, state: State, move: Move) -> None:
        """A move was made."""
        if self._left:  # while a bot was thinking
            raise Left
        super().moved(state, move)
        self._app.invalidate()

    def ask(self, view: View, moves: list[Move]) -> Move:
        """The move that the person makes."""
        decision = DecisionInput(view, moves, self.scene)
        heard, self._heard = self._heard[-_HEARD:], []
        self._notes.show("\n".join(filter(None, [self.news.text(), *heard, decision.prompt])))
        self.news.clear()
        self._head = self._stone = None
        self._decision = decision
        self._app.invalidate()
        answer = self._answers.get()
        self._decision = None
        if isinstance(answer, BaseException):
            raise answer
        return answer

    # ---- the screen -----------------------------------------------------------------------------------------

    def run(self, session: Session, end: Callable[[Session], str]) -> None:
        """Play to the end, or until the person leaves; `end` says in words how it ended.

        What the game raises passes through, Left included.
        """

        def over() -> None:
            if session.result is None and not session.resigned:
                self._leave()
                return
            text = end(session)
            self._notes.show(f"{self.news.text()}\n\n{text}".strip())
            self._over = text
            self._app.invalidate()

        game = Background(lambda: session.play(Person(self, session.seating.claims)), over)
        with shown_output(session, self._hear):
            self._app.run(pre_run=game.start)
            self._left = True
            self._answers.put(Left())
            game.join(_PATIENCE_S)  # a bot may think on; all moves are saved
        if game.error is not None:
            raise game.error
        if self._over is None:
            raise Left
        last = Console(highlight=False, markup=False, soft_wrap=True)
        last.print(draw(self.scene, max(last.width, WIDTH)))
        last.print(Text(printable_lines(f"\n{self._over}")))

    def _hear(self, line: str) -> None:
        """A bot has printed something."""
        self._heard.append(line)
        if self._decision is None:
            self._notes.add(line)
            self._app.invalidate()

    def _leave(self) -> None:
        loop = self._app.loop
        if loop is not None:
            loop.call_soon_threadsafe(lambda: self._app.exit() if self._app.is_running else None)

    def _make(self) -> Application[None]:
        keys = KeyBindings()
        self._bind(keys)
        self._notes.bind(keys)
        line = Window(
            BufferControl(self._input, input_processors=[BeforeInput(self._prompt, "bold"), AfterInput(self._pointed)]),
            height=1,
            dont_extend_height=True,
        )
        body = HSplit(
            [
                fixed(self._table),
                self._notes.window,
                line,
                fixed(lambda: _KEYS if self._over is None else "Enter leaves", style="reverse", height=1),
            ]
        )
        return application(body, keys)

    def _table(self) -> AnyFormattedText:
        return table(self.scene.pointing(self._pointed_card, self._stone)) if hasattr(self, "scene") else ""

    @property
    def _pointed_card(self) -> str | None:
        head = self._head or (self._decision.picked if self._decision is not None else None)
        return None if head is None else head.removeprefix("return ").partition("=")[0]

    def _prompt(self) -> str:
        if self._over is not None:
            return ""
        return "... " if self._decision is None else f"{self._decision.asks}> "

    # ---- keys -----------------------------------------------------------------------------------------------

    def _bind(self, keys: KeyBindings) -> None:
        pointing = Condition(lambda: self._decision is not None and not self._input.text)

        @keys.add("enter")
        def _(event: KeyPressEvent) -> None:
            self._entered()

        for key, cards, stones in (("up", -1, 0), ("down", 1, 0), ("left", 0, -1), ("right", 0, 1)):
            keys.add(key, filter=pointing)(lambda event, c=cards, s=stones: self._point(c, s))

        @keys.add("escape", eager=True)
        def _(event: KeyPressEvent) -> None:
            self._head = self._stone = None
            if self._input.text:
                self._input.reset()
            elif self._decision is not None and self._decision.picked is not None:
                self._enter("undo")

        @keys.add("c-c")
        @keys.add("c-d", filter=Condition(lambda: not self._input.text))
        def _(event: KeyPressEvent) -> None:
            self._app.exit()

    def _entered(self) -> None:
        typed = self._input.text
        self._input.reset()
        if self._over is not None:
            self._app.exit()
        elif self._decision is None:
            return
        elif not typed.strip() and self._head is not None:
            self._answer(self._decision.choices[self._head][self._stone or 0])
        else:
            self._enter(typed)

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
            self._notes.show(decision.notes)

    def _answer(self, answer: Move | BaseException) -> None:
        self._decision = None
        self._head = self._stone = None
        self._notes.show("")
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
        """The move that is pointed at, behind the prompt."""
        decision, head = self._decision, self._head
        if decision is None or head is None or self._input.text:
            return ""
        return f"{decision.choices[head][self._stone or 0]}   (Enter plays it)"
