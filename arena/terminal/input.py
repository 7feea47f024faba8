"""What a person may type at a decision, with answers to questions, and the news since the last one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from arena.bots.bot import Bot
from arena.errors import ArenaError, did_you_mean
from arena.game.engine import State, View
from arena.game.explain import face_up, read_side, strongest
from arena.game.moves import Event, Move, parse_move
from arena.game.rng import Rng
from arena.results.formats import shortened
from arena.results.positions import STONES, claim_verdict, is_clan, legend, move_words, side_formation
from arena.text import one_line


def short_name(name: str) -> str:
    """Return the name of a player, as short as a line needs it."""
    return shortened(one_line(name), 24)


# ---------------------------------------------------------------- decisions


LINE_COMMANDS = {
    "moves": "list the moves, with numbers to choose them by",
    "hint": "what the net would play",
    "why 3": "why stone 3 can be claimed, or what refutes it",
    "log": "what has happened so far",
    "cards": "what the abbreviations mean",
    "undo": "put back a card that you picked but have not placed yet",
    "resign": "give up the game",
    "quit": "leave; you can resume the game later",
    "help": "this list",
}
"""Commands that can be typed besides moves, and what they do."""
_SHORT = {"m": "moves", "?": "help", "h": "help", "q": "quit", "u": "undo", "exit": "quit"}


class Resigned(KeyboardInterrupt):
    """The person gives up the game. Passes through the referee, as Ctrl-C does."""


class Left(KeyboardInterrupt):
    """The person leaves and may resume the game later."""


class DecisionInput:
    """One decision of a person: `enter` takes what was typed and leaves the answer in `notes`.

    `choices` are the moves by their card (or other beginning) and their stone, 0 where a move has none. `heads` are
    those that go to stones, and `picked` is the one that waits for its stone.
    """

    def __init__(self, view: View, moves: list[Move], names: Sequence[str]) -> None:
        self.view = view
        self.moves = moves
        self.names = names
        self.notes = ""
        self.picked: str | None = None
        self._resigning = False
        self.choices: dict[str, dict[int, Move]] = {}
        for move in moves:
            head = "claim" if move.kind == "claim" else move.text.partition("@")[0]
            self.choices.setdefault(head, {})[move.stone or 0] = move
        self.heads = {
            head: by_stone for head, by_stone in self.choices.items() if 0 not in by_stone and head != "claim"
        }

    @property
    def asks(self) -> str:
        """The prompt, in a word or two."""
        if self.picked is not None:
            return f"{self.picked} to stone"
        return {"play": "your move", "scout": "draw"}.get(self.view.phase, self.view.phase)

    @property
    def prompt(self) -> str:
        """The moves in a line if they are few; otherwise how to write one."""
        if self.picked is not None:
            return f"{self.picked}: stone {_words(self.heads[self.picked])}? (undo takes the card back)"
        if len(self.moves) <= 6:
            return "Moves: " + ", ".join(move.text for move in self.moves)
        move = self.moves[0].text
        return f"Type a move such as {move}, a card and then its stone, or one of: {', '.join(LINE_COMMANDS)}"

    def enter(self, text: str) -> Move | None:
        """Return the move that was typed, or None; errors and answers go to the notes. Raises Resigned and Left."""
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
                self.notes = "Type resign again to give up the game."
            elif word == "quit":
                raise Left
            elif word.startswith("why") and (word == "why" or not word[3].isalpha()):
                self.notes = self._why(word[3:].strip())
            elif word in LINE_COMMANDS:
                self.notes = self._answer(word)
            else:
                return self._move(typed)
        except ArenaError as error:
            self.notes = str(error)
        return None

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
            self.picked = heads[typed.lower()]
            self.notes = self.prompt
            return None
        held = {card.lower() for card in self.view.hand}
        if typed.lower() in held and self.view.phase == "play" and not any(m.text == typed.lower() for m in self.moves):
            raise ArenaError(f"{typed} cannot be played now")
        return _read_move(typed, self.view, self.moves)

    def menu(self) -> str:
        """List all moves with their numbers, a line per card."""
        lines: dict[str, list[str]] = {}
        for number, move in enumerate(self.moves, start=1):
            head, sign, _ = move.text.partition("@")
            lines.setdefault(head if sign else "", []).append(f"{number} {move.text}")
        return "\n".join("  ".join(f"{text:<6}" for text in line).rstrip() for line in lines.values())

    def _why(self, number: str) -> str:
        if not number.isdecimal() or len(number) > 1:
            raise ArenaError("why needs the number of a stone, for example: why 3")
        return why(self.view, self.names, int(number))

    def _answer(self, word: str) -> str:
        if word == "moves":
            return self.menu()
        if word == "hint":
            return hint(self.view, self.moves)[0]
        if word == "undo":
            if self.picked is None:
                return "No card is picked. A move cannot be taken back once it is made: the other player has seen it."
            self.picked, gone = None, self.picked
            return f"{gone} is back in your hand. {self.prompt}"
        if word == "cards":
            return legend(self.view.rules)
        if word == "log":
            return "   ".join(str(event) for event in self.view.history) or "Nothing has happened yet."
        return "\n".join(f"{name:<8}{what}" for name, what in LINE_COMMANDS.items())


def _words(stones: Iterable[int]) -> str:
    numbers = [str(stone) for stone in stones]
    return " or ".join([", ".join(numbers[:-1]), numbers[-1]]) if len(numbers) > 1 else numbers[0]


class PersonInterface:
    """Watches a game, and asks a person who plays for moves; called from the thread of the game.

    This one takes note of nothing, and nobody plays.
    """

    def begun(self, state: State, seats: tuple[str, str]) -> None:
        """Take note of the deal; `seats` are the names of seat 0 and seat 1."""

    def moved(self, state: State, move: Move) -> None:
        """Take note of a move; `state` is the position after it and must not be changed."""

    def ask(self, view: View, moves: list[Move]) -> Move:
        """Wait for the move of the person. Raises Resigned and Left."""
        raise NotImplementedError


class Person(Bot):
    """A person as a player like any other. With `claims` the person claims stones, otherwise the engine does."""

    def __init__(self, screen: PersonInterface, claims: bool = False) -> None:
        self.auto_claim = not claims
        self._screen = screen

    def act(self, view: View, moves: list[Move]) -> Move:
        """Ask the person."""
        return self._screen.ask(view, moves)


# ---------------------------------------------------------------- news


_THIRD_PERSON = re.compile(r"^(draw|return|claim|play|take|discard|give|pass)(?:s|es)\b")


@dataclass
class News:
    """Follows a game as one seat sees it. `names` are in the order of the seats."""

    names: tuple[str, str]
    seat: int
    events: list[Event] = field(default_factory=list)
    _told: int = 0

    def look(self, state: State) -> View:
        """Take in what has happened, and return what the seat sees now."""
        fresh = state.events(self.seat, self._told)
        self.events += fresh
        self._told += len(fresh)
        return state.view(self.seat)

    @property
    def stones(self) -> frozenset[int]:
        """Stones that occur in the news."""
        return frozenset(event.stone for event in self.events if event.stone is not None)

    def text(self, words: Callable[[Event], str] = attrgetter("text")) -> str:
        """Return the news in a line, grouped by player; `words` words an event."""
        parts: list[str] = []
        seat = -1
        for event in self.events:
            said = self.said(event, words)
            parts.append(f"; {short_name(self.names[event.seat])}: {said}" if event.seat != seat else f", {said}")
            seat = event.seat
        return "".join(parts)[2:]

    def said(self, event: Event, words: Callable[[Event], str] = attrgetter("text")) -> str:
        """Word an event: in the second person for `you` (`draw r7`), in the third for others (`draws r7`)."""
        text = words(event)
        return _THIRD_PERSON.sub(r"\1", text) if self.names[event.seat].lower() == "you" else text

    def clear(self) -> None:
        """Forget the news, which has been seen."""
        self.events.clear()


# ---------------------------------------------------------------- answers


_HINTS = 3
_AT = re.compile(r" ?@ ?| (?=[0-9]+$)(?<!claim )(?<!why )")  # `r7 3` means `r7@3`


def hint(view: View, moves: list[Move]) -> tuple[str, Move]:
    """Name the moves after which the packaged net thinks a win most likely, given what this seat knows.

    Return the text and the first of the moves.
    """
    from arena.policy import load_net

    chances = load_net(view.rules).values(view, moves)
    best, *others = sorted(zip(moves, chances), key=lambda judged: -judged[1])[:_HINTS]
    if view.phase in ("draw", "scout"):  # the net judges these by a rule, without a chance
        return f"The net would {move_words(best[0], view.rules.edition).lower()}.", best[0]
    words = move_words(best[0], view.rules.edition)
    do = f"play {words} ({best[0]})" if best[0].kind in ("place", "mode") else words[0].lower() + words[1:]
    text = f"The net would {do}: {best[1]:.0%} to win by its estimate"
    after = f"; then {', '.join(f'{move} ({chance:.0%})' for move, chance in others)}" if others else ""
    return f"{text}{after}.", best[0]


def why(view: View, seats: Sequence[str], stone: int, brief: bool = False) -> str:
    """Describe a stone and whether either player could claim it: with the proof, or the cards that refute it.

    `seats` are the names of seat 0 and seat 1. With `brief` the claims of sides that are not complete are left out.
    """
    if not 1 <= stone <= 9:
        raise ArenaError(f"the stones are numbered 1 to 9; there is no stone {stone}")
    names = [short_name(name) for name in seats]
    owner, modes = view.owners[stone - 1], view.modes(stone)
    title = f"Stone {stone}" + (f" ({' and '.join(modes)})" if modes else "")
    verdicts = {seat: claim_verdict(view, seat, stone) for seat in (view.seat, 1 - view.seat)}
    if owner != ".":
        seat = "ab".index(owner)
        lines = [f"{title} belongs to {names[seat]}: {verdicts[seat].reason}."]
    else:
        lines = [f"{title} is free."]
        for seat, found in verdicts.items():
            if brief and side_formation(view, seat, stone) is None:
                continue
            can = "can claim it" if found.holds else "cannot claim it"
            reason = found.reason.replace("your side", "the side")
            reason = reason.replace("the other side could", f"{names[1 - seat]} could")
            lines.append(f"{'You' if names[seat] == 'you' else names[seat]} {can}: {reason}.")
    for seat in verdicts:
        side = " ".join(view.side(seat, stone))
        if owner == "." and (could := _could_become(view, seat, stone)):
            lines.append(f"{side} could become {could}.")
        if formation := side_formation(view, seat, stone):
            lines.append(f"{side} is {formation}.")
    return "\n".join(lines)


def _could_become(view: View, seat: int, stone: int) -> str:
    """Word the best that an incomplete side can become with cards that are not face up; "" for others."""
    rules = view.rules
    side = read_side(rules, view.side(seat, stone))
    if not 0 < side.size < view.capacity(stone):
        return ""
    rows = [view.side(player, other) for player in (0, 1) for other in STONES] + [view.row(0), view.row(1)]
    if seat != view.seat:
        rows.append(view.hand)
    known = face_up(
        rules, read_side(rules, ()), read_side(rules, ()), [card for row in rows for card in row if is_clan(card)]
    )
    found = strongest(rules, side, (1 << 6 * rules.values) - 1 & ~known, view.modes(stone))
    return f"{found[1]} with {' '.join(found[0])}" if found else ""


def _read_move(text: str, view: View, moves: list[Move]) -> Move:
    """Return the legal move that `text` names. Raises ArenaError, which says why it is not a move or not legal."""
    cleaned = _AT.sub("@", " ".join(text.split()))
    by_text = {move.text.lower(): move for move in moves}
    if cleaned.lower() in by_text:
        return by_text[cleaned.lower()]
    try:
        move = parse_move(cleaned.lower().replace("*j", "*J"))
    except ArenaError:
        near = did_you_mean(cleaned.lower(), [*by_text, *LINE_COMMANDS])
        raise ArenaError(
            f"'{cleaned[:40]}' is neither a move nor a command{near} (type 'moves' or 'help' to list them)"
        ) from None
    state = view.sample(Rng(0))  # consistent with what this seat knows, so the reason is the same
    state.apply(move)  # raises with the reason
    raise ArenaError(f"{move} is not one of the moves")
