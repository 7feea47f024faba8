"""What a person types at a decision, and what it means: a move, a part of one, or a question."""

from __future__ import annotations

from arena.bots.bot import Bot
from arena.errors import ArenaError, did_you_mean
from arena.game.engine import View
from arena.game.moves import Move
from arena.results.board import legend
from arena.terminal.advice import hint_text, read_move, why
from arena.terminal.scene import Scene

COMMANDS = {
    "moves": "list the moves, with numbers to choose them by",
    "hint": "what the evaluator would play",
    "why 3": "why stone 3 can be claimed, or what refutes it",
    "log": "what has happened so far",
    "cards": "what the abbreviations mean",
    "undo": "take back a card that is picked and not yet placed",
    "save": "write the game to its file; this is also done after every move",
    "resign": "give the game up",
    "quit": "leave; the game can be resumed",
    "help": "this list",
}
"""What can be typed besides moves, and what it does."""
_SHORT = {"m": "moves", "?": "help", "h": "help", "q": "quit", "u": "undo", "exit": "quit"}


class Resigned(KeyboardInterrupt):
    """The person gives the game up. It passes through the referee, as Ctrl-C does."""


class Left(KeyboardInterrupt):
    """The person leaves, and may come back."""


class Desk:
    """One decision of a person. `enter` takes what was typed; `notes` is what there is to read then.

    `picked` is the card (or the beginning of a move) that waits for a stone. `heads` are all such, with their moves by
    stone; `choices` are all moves in the same form, under stone 0 where a move has none.
    """

    def __init__(self, view: View, moves: list[Move], scene: Scene, saved_to: str) -> None:
        self.view = view
        self.moves = moves
        self.scene = scene
        self.notes = ""
        self.picked: str | None = None
        self._saved_to = saved_to
        self._resigning = False
        self.heads: dict[str, dict[int, Move]] = {}
        self.choices: dict[str, dict[int, Move]] = {}
        for move in moves:
            head, at, _ = move.text.partition("@")
            if at and move.stone is not None:
                self.heads.setdefault(head, {})[move.stone] = move
            if move.kind == "claim":
                head = move.kind
            self.choices.setdefault(head, {})[move.stone or 0] = move

    @property
    def asks(self) -> str:
        """What is asked for, in a word or two."""
        if self.picked is not None:
            return f"{self.picked} to stone"
        words = {
            "claim": "claim",
            "play": "your move",
            "take": "take",
            "put": "put",
            "scout": "draw",
            "return": "return",
            "draw": "draw",
        }
        return words[self.view.phase]

    @property
    def prompt(self) -> str:
        """The moves in a line, where they are few; else how they are written."""
        if self.picked is not None:
            return f"{self.picked}: stone {_words(self.heads[self.picked])}? (undo takes the card back)"
        if len(self.moves) <= 6:
            return "Moves: " + ", ".join(move.text for move in self.moves)
        one = self.moves[0].text
        return f"A move such as {one}, a card and then a stone, or: {', '.join(COMMANDS)}"

    def completions(self, text: str) -> list[str]:
        """What can be typed on, moves first."""
        begun = text.lower().lstrip()
        if self.picked is not None:
            return [str(stone) for stone in self.heads[self.picked] if str(stone).startswith(begun)]
        found = [move.text for move in self.moves if move.text.lower().startswith(begun)]
        return found + [word for word in COMMANDS if begun and word.startswith(begun)]

    def enter(self, text: str) -> Move | None:
        """The move that was typed, None for all else. Raises Resigned and Left; what is wrong goes to the notes."""
        typed = " ".join(text.split())
        word = typed.lower()
        word = _SHORT.get(word, word)
        resigning, self._resigning = self._resigning, False
        try:
            if not word:
                self.notes = self.prompt
            elif word == "resign":
                if resigning:
                    raise Resigned
                self._resigning = True
                self.notes = "Type resign once more to give the game up."
            elif word == "quit":
                raise Left
            elif word.startswith("why") and (word == "why" or not word[3].isalpha()):
                self.notes = self._why(word[3:].strip())
            elif word in COMMANDS:
                self.notes = self._answer(word)
            else:
                return self._move(typed)
        except ArenaError as error:
            self.notes = str(error)
        return None

    def pick(self, head: str) -> None:
        """Choose a card, to be placed next."""
        self.picked = head
        self.notes = self.prompt

    def _move(self, typed: str) -> Move | None:
        if self.picked is not None and typed.isdecimal():
            stones = self.heads[self.picked]
            if typed not in map(str, stones):
                raise ArenaError(f"{self.picked} cannot go to stone {typed[:9]}; it can go to {_words(stones)}")
            return stones[int(typed)]
        if typed.isdecimal():
            if not 1 <= int(typed[:9]) <= len(self.moves):
                raise ArenaError(f"there is no move {typed[:9]}; they are numbered 1 to {len(self.moves)} ('moves')")
            return self.moves[int(typed) - 1]
        heads = {head.lower(): head for head in self.heads}
        if typed.lower() in heads:
            self.pick(heads[typed.lower()])
            return None
        held = {card.lower() for card in self.view.hand}
        if typed.lower() in held and self.view.phase == "play" and not any(m.text == typed.lower() for m in self.moves):
            raise ArenaError(f"{typed} cannot be played now")
        if typed.isalpha() and len(typed) > 2 and (near := did_you_mean(typed.lower(), [*COMMANDS])):
            raise ArenaError(f"'{typed[:40]}' is neither a move nor a command{near}")
        return read_move(typed, self.view, self.moves)

    def menu(self) -> str:
        """All moves with their numbers, those of a card in one line."""
        lines: dict[str, list[str]] = {}
        for at, move in enumerate(self.moves, start=1):
            head, placed, _ = move.text.partition("@")
            lines.setdefault(head if placed else "", []).append(f"{at} {move.text}")
        return "\n".join("  ".join(f"{one:<6}" for one in line).rstrip() for line in lines.values())

    def _why(self, number: str) -> str:
        if not number.isdecimal() or len(number) > 1:
            raise ArenaError("why needs the number of a stone, such as: why 3")
        return why(self.scene, int(number))

    def _answer(self, word: str) -> str:
        if word == "moves":
            return self.menu()
        if word == "hint":
            return hint_text(self.view, self.moves)
        if word == "undo":
            if self.picked is None:
                return "Nothing is picked. A move that was made stays made: the other player has seen it."
            self.picked, gone = None, self.picked
            return f"{gone} is back in your hand. {self.prompt}"
        if word == "save":
            return f"Saved in {self._saved_to}."
        if word == "cards":
            return legend(self.view.rules)
        if word == "log":
            return "   ".join(str(event) for event in self.view.history) or "Nothing has happened yet."
        return "\n".join(f"{name:<8}{what}" for name, what in COMMANDS.items())


def _words(stones: object) -> str:
    numbers = [str(stone) for stone in stones]  # type: ignore[attr-defined]
    return " or ".join([", ".join(numbers[:-1]), numbers[-1]]) if len(numbers) > 1 else numbers[0]


class Ask:
    """Whoever can put a decision to a person: the two kinds of screens."""

    def ask(self, view: View, moves: list[Move]) -> Move:
        """The move that the person makes. Raises Resigned and Left."""
        raise NotImplementedError


class Person(Bot):
    """A person as a player like any other. `claims`: the person claims stones; else the engine does, when it can."""

    def __init__(self, screen: Ask, claims: bool = False) -> None:
        self.auto_claim = not claims
        self._screen = screen

    def act(self, view: View, moves: list[Move]) -> Move:
        return self._screen.ask(view, moves)
