"""Messages to a wire bot, as plain values for JSON. `docs/wire.md` describes them for authors.

All messages are from the bot's point of view: `me` and `them` instead of seats, `mine` and `theirs` for sides.
Later versions of the program may add keys; bots ignore those they do not know.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from arena.bots.bot import BotFault, GameEnd, Setup, TimeLeft
from arena.bots.isolation.levels import HelloAnswer, Isolation, Launch
from arena.bots.limits import BotLimits
from arena.bots.spec import BotSpec
from arena.endings import ForfeitKind
from arena.errors import did_you_mean
from arena.game.engine import View
from arena.game.explain import why_illegal
from arena.game.moves import MOVES, Event, Move
from arena.text import quoted

#: The version of the protocol.
_VERSION = 3
#: The longest line, its end included, in both directions.
LONGEST_LINE = 1 << 16

WireMessage = dict[str, Any]


class LineEncoder:
    """Writes and reads the messages to a command. The answer to `hello` has its options: nothing is left to `make`."""

    noun, advice, loading = "line", "; each answer must end with a newline and be flushed at once", "hello"
    may_leave = True
    """The process may end after a game: the next one gets a new one."""
    is_direct = False
    wants_result = True

    def __init__(self, spec: BotSpec, level: str, limits: BotLimits) -> None:
        self.launch = launch_of(spec, level, limits)
        self.options = HelloAnswer()
        self._limits = limits
        self._number = 0  # of the last message
        self._seat = 0
        self._events_sent = 0

    def open(self, out: int, back: int) -> None:
        """Begin a conversation with a new process."""
        self._number = 0

    # ---- to the bot ----------------------------------------------------------------------------------------

    def hello(self) -> bytes:
        """Return the first message."""
        return line_of(hello(self._next(), self._limits))

    def make(self) -> bytes:
        """Return nothing: the bot was made before it has answered `hello`."""
        return b""

    def begin(self, setup: Setup) -> bytes:
        """Return the message that begins a game."""
        self._seat, self._events_sent = setup.seat, 0
        return line_of(begin(self._next(), setup))

    def ask(self, view: View, moves: list[Move], unread: bytearray) -> Move | bytes:
        """Return the message that asks for a move."""
        return line_of(act(self._next(), view, moves, self._news(view)))

    def end(self, view: View, result: GameEnd) -> bytes:
        """Return the message with the events that the bot has not seen yet, and the result."""
        return line_of(end(self._next(), self._seat, result, self._news(view)))

    def bye(self) -> bytes:
        """Return the last message."""
        return line_of(bye())

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _news(self, view: View) -> tuple[Event, ...] | None:
        """Return the events that were not sent yet, None if the bot does not want them."""
        if not self.options.events:
            return None
        history = view.history
        start, self._events_sent = self._events_sent, len(history)
        return history[start:]

    # ---- from the bot --------------------------------------------------------------------------------------

    def take(self, unread: bytearray) -> bytes | None:
        """Take the next line without its end from what was received; None if it is not complete."""
        end = unread.find(b"\n")
        if end < 0:
            if len(unread) < LONGEST_LINE:
                return None
            end = len(unread)  # too long already
        line = bytes(unread[:end])
        del unread[: end + 1]
        return line

    def read_hello(self, line: bytes) -> None:
        """Read the options of the bot."""
        self.options = read_hello(read_wire_answer(line, self._number))

    read_made = read_hello

    def read_done(self, line: bytes) -> None:
        """Read that a message was understood."""
        read_wire_answer(line, self._number)

    def move_reader(self, view: View, moves: list[Move]) -> Callable[[bytes], Move]:
        """Return a function that reads the answer to the last question, with its note."""

        def read(line: bytes) -> Move:
            answer = read_wire_answer(line, self._number)
            move = read_move(answer, view, moves)
            read_wire_note(answer, view)
            return move

        return read


def line_of(message: WireMessage) -> bytes:
    r"""Encode a message as a line of plain ASCII.

    >>> line_of({"type": "bye"})
    b'{"type":"bye"}\n'
    """
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def hello(number: int, limits: BotLimits) -> WireMessage:
    """Return the first message to a process. `number` is the id that the answer has to repeat."""
    return {
        "type": "hello",
        "id": number,
        "protocols": [_VERSION],
        "game": "schotten-totten",
        "limits": {
            "line_bytes": LONGEST_LINE,
            "loading_ms": round(1000 * limits.loading_s),
            "decision_ms": round(1000 * limits.decision_s),
            "memory_mb": limits.memory_mb,
        },
    }


def begin(number: int, setup: Setup) -> WireMessage:
    """Return the message that begins a game.

    The seed has 53 bits, which every language reads exactly (JavaScript's numbers have no more).
    """
    return {
        "type": "begin",
        "id": number,
        "seat": setup.seat,
        "starter": _who(setup.starter, setup.seat),
        "seed": setup.seed >> 11,
        "rules": {"name": setup.rules.name, "edition": setup.rules.edition, **setup.rules.options},
        "clock": _clock(setup.clock),
    }


def act(number: int, view: View, moves: Iterable[Move], events: Sequence[Event] | None) -> WireMessage:
    """Return the message that asks for a decision: all that the seat knows, and the moves.

    `events` are those not sent yet; None leaves them out.
    """
    seat = view.seat
    other = 1 - seat
    owners = view.owners
    names = {"ab"[seat]: "me", "ab"[other]: "them", ".": None}
    mine, theirs = view.mine, view.theirs
    clan, tactic = view.deck_counts
    modes_by = _modes_by(view)
    message: WireMessage = {
        "type": "act",
        "id": number,
        "phase": view.phase,
        "turns": view.turns,
        "passes": view.passes,
        "hand": view.hand,
        "stones": [
            {
                "mine": mine[s],
                "theirs": theirs[s],
                "owner": names[owners[s]],
                "modes": view.modes(s + 1),
                "modes_by": [modes_by[s + 1, mode] for mode in view.modes(s + 1)],
                "capacity": view.capacity(s + 1),
                "completed_first": _who(view.completed_first(s + 1), seat),
            }
            for s in range(9)
        ],
        "me": _player(view, seat),
        "them": _player(view, other),
        "decks": {"clan": clan, "tactic": tactic},
        "unseen": view.unseen,
        "known_in_hand": view.known_in_hand,
        "known_in_decks": [{"card": card, "deck": deck, "above": above} for card, deck, above in view.known_in_decks],
        "ruse": view.ruse_under_way,
        "pending": view.pending,
        "taken_from": view.taken_from,
        "clock": _clock(view.clock),
    }
    if events is not None:
        message["events"] = [_event(event, seat) for event in events]
    message["moves"] = [move.text for move in moves]
    return message


def end(number: int, seat: int, result: GameEnd, events: Sequence[Event] | None) -> WireMessage:
    """Return the message that ends a game which this seat has not forfeited."""
    message: WireMessage = {
        "type": "end",
        "id": number,
        "winner": _who(result.winner, seat),
        "stones_won": {"me": result.stones[seat], "them": result.stones[1 - seat]},
        "reason": result.reason,
        "forfeit": result.forfeit,
    }
    if events is not None:
        message["events"] = [_event(event, seat) for event in events]
    return message


def bye() -> WireMessage:
    """Return the last message. It has no id and needs no answer."""
    return {"type": "bye"}


# ---------------------------------------------------------------- pieces


def _who(who: int | None, seat: int) -> str | None:
    return None if who is None else "me" if who == seat else "them"


def _clock(clock: TimeLeft | None) -> WireMessage | None:
    if clock is None:
        return None
    move, bank = (None if part is None else round(part, 3) for part in clock)
    return {"move_ms": move, "bank_ms": bank}


def _player(view: View, seat: int) -> WireMessage:
    clan, tactic = view.hand_counts(seat)
    return {
        "clan_cards": clan,
        "tactic_cards": tactic,
        "tactics_played": view.tactics_played(seat),
        "joker_played": view.joker_played(seat),
        "row": view.row(seat),
    }


def _modes_by(view: View) -> dict[tuple[int | None, str | None], str | None]:
    """Return who played each combat mode, by its stone and its name."""
    if not any(view.modes(stone) for stone in range(1, 10)):
        return {}
    return {(event.stone, event.card): _who(event.seat, view.seat) for event in view.history if event.kind == "mode"}


def _event(event: Event, seat: int) -> WireMessage:
    return {
        "by": _who(event.seat, seat),
        "kind": event.kind,
        "text": event.text,
        "card": event.card,
        "stone": event.stone,
        "binding": event.binding,
        "deck": event.deck,
    }


# ---------------------------------------------------------------- answers


_LONGEST_NAME = 100
_LONGEST_MOVE = 20
_FLAGS = ("auto_claim", "ask_forced", "events")


def read_wire_answer(line: bytes, number: int) -> dict[str, Any]:
    r"""Parse the line that answers the message with the id `number`. Raises `BotFault` for anything else.

    >>> read_wire_answer(b'{"id":3,"move":"r7@3"}', 3)
    {'id': 3, 'move': 'r7@3'}
    >>> read_wire_answer(b'{"id":2,"move":"r7@3"}', 3)
    Traceback (most recent call last):
    arena.bots.bot.BotFault: (<ForfeitKind.PROTOCOL: 'protocol'>, 'answered the message with the id 2 instead of 3')
    """
    answer = _parse(line)
    if not isinstance(answer, dict):
        raise _fault(f"answered with {_kind(answer)} instead of an object", line)
    if "id" not in answer:
        raise _fault('the answer has no "id"', line)
    given = answer["id"]
    if type(given) is not int:
        raise _fault(f'the "id" of the answer is {_kind(given)}, not a whole number', line)
    if given != number:
        raise _fault(f"answered the message with the id {given} instead of {number}")
    if (error := answer.get("error")) is not None:
        if type(error) is not str:
            raise _fault(f'"error" is {_kind(error)}, not a string')
        raise BotFault(ForfeitKind.EXCEPTION, error)
    return answer


def read_hello(answer: dict[str, Any]) -> HelloAnswer:
    """Check the answer to `hello` and return the options in it.

    >>> read_hello({"id": 1, "protocol": 3, "events": True, "author": "me"})
    HelloAnswer(auto_claim=True, ask_forced=False, events=True)
    """
    version = answer.get("protocol")
    if type(version) is not int:
        raise _fault(f'the answer to hello needs "protocol", the version it speaks ({_VERSION}), as a whole number')
    if version != _VERSION:
        raise _fault(
            f"speaks version {version} of the protocol; this program speaks {_VERSION} (docs/wire.md, Versions)"
        )
    name = answer.get("name")
    if name is not None and (type(name) is not str or len(name) > _LONGEST_NAME):
        raise _fault(f'"name" is {_kind(name)}, not a string of up to {_LONGEST_NAME} characters')
    flags = {flag: answer[flag] for flag in _FLAGS if flag in answer}
    for flag, value in flags.items():
        if type(value) is not bool:
            raise _fault(f'"{flag}" is {_kind(value)}, not true or false')
    return HelloAnswer(**flags)


def read_move(answer: dict[str, Any], view: View, moves: Sequence[Move]) -> Move:
    """Return the move of an answer, which gives its text or its index in the list (from 0).

    Raises `BotFault`: `illegal move`, with the reason, for a move that is not in the list.
    """
    if "move" not in answer:
        raise _fault('the answer has no "move"')
    wanted = answer["move"]
    if type(wanted) is int:
        if 0 <= wanted < len(moves):
            return moves[wanted]
        raise BotFault(
            ForfeitKind.ILLEGAL_MOVE, f"move number {wanted} is not one of the {len(moves)} (counted from 0)"
        )
    if type(wanted) is not str:
        raise _fault(f'"move" is {_kind(wanted)}, neither a string nor a whole number')
    for move in moves:
        if move.text == wanted:
            return move
    known = _by_text(view.rules.spy_value).get(wanted)
    if known is not None:
        raise BotFault(ForfeitKind.ILLEGAL_MOVE, why_illegal(view, moves, known))
    near = did_you_mean(wanted, [move.text for move in moves]) if len(wanted) <= _LONGEST_MOVE else ""
    raise BotFault(ForfeitKind.ILLEGAL_MOVE, f"{quoted(wanted)} is not a move{near}")


def read_wire_note(answer: dict[str, Any], view: View) -> None:
    """Pass the note of an answer, if there is one, to the view; `View.note` checks its contents."""
    note = answer.get("note")
    if type(note) is dict:
        view.note(**note)
    elif note is not None:
        raise _fault(f'"note" is {_kind(note)}, not an object')


@cache
def _by_text(spy: int) -> dict[str, Move]:
    other = MOVES[15 - spy]
    return {move.text: move for table in (other, MOVES[spy]) for move in table}


# ---------------------------------------------------------------- strict JSON


def _parse(line: bytes) -> Any:
    if len(line) >= LONGEST_LINE:
        raise _fault(f"the answer is longer than {LONGEST_LINE} bytes", line)
    if not line.strip():
        raise _fault("answered with an empty line")
    if b"\0" in line:
        raise _fault("the answer contains a NUL", line)
    try:
        text = line.decode("utf-8-sig")  # with the byte order mark that some languages begin a stream with
    except UnicodeDecodeError as error:
        raise _fault(f"the answer is not UTF-8 (byte {error.start})", line) from None
    try:
        return json.loads(text, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise _fault(f"the answer is not valid JSON ({error.msg} at character {error.pos})", line) from None
    except (ValueError, RecursionError):  # a constant, thousands of digits, thousands of brackets
        raise _fault("the answer is not valid JSON", line) from None


def _constant(text: str) -> NoReturn:
    """Refuse NaN and Infinity, which Python reads although JSON has no such numbers."""
    raise ValueError(text)


# ---------------------------------------------------------------- words


def _kind(value: object) -> str:
    """Name the kind of a JSON value.

    >>> _kind(True), _kind([]), _kind(1.5)
    ('true', 'a list', 'a number with a fraction')
    """
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    names: dict[type, str] = {
        dict: "an object",
        list: "a list",
        str: "a string",
        int: "a whole number",
        float: "a number with a fraction",
    }
    return names[type(value)]


def _fault(what: str, line: bytes | None = None) -> BotFault:
    return BotFault(ForfeitKind.PROTOCOL, what if line is None else f"{what}: {quoted(line)}")


# ---------------------------------------------------------------- the command


def launch_of(spec: BotSpec, level: str, limits: BotLimits) -> Launch:
    """Return how to start a bot's command: in the folder of its first file; the sandbox also shows its other files."""
    others = tuple(path for path in map(Path, spec.files) if spec.folder not in (path, *path.parents))
    path = "/usr/local/bin:/usr/bin:/bin"
    settings: dict[str, str] = {}
    if not Isolation(level).confined:
        path = os.environ.get("PATH", path)
        settings = {name: value for name, value in os.environ.items() if name.startswith("BOT_")}
    return Launch(
        argv=spec.command,
        folder=spec.folder,
        level=level,
        limits=limits,
        read_only=others,
        system=True,
        environment=settings
        | {"PATH": path, "PYTHONUNBUFFERED": "1", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"},
    )
