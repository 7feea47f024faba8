"""Messages to a wire bot, as plain values for JSON. `docs/wire.md` describes them for authors.

All messages are from the bot's point of view: `me` and `them` instead of seats, `mine` and `theirs` for sides.
Later versions of the program may add keys; bots ignore those they do not know.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from arena.bots.bot import BotFault, GameEnd, Setup, TimeLeft
from arena.bots.limits import BotLimits, HelloAnswer, Isolation, Launch
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
        limits = {
            "line_bytes": LONGEST_LINE,
            "loading_ms": round(1000 * self._limits.loading_s),
            "decision_ms": round(1000 * self._limits.decision_s),
            "memory_mb": self._limits.memory_mb,
        }
        return self._line("hello", protocols=[_VERSION], game="schotten-totten", limits=limits)

    def make(self) -> bytes:
        """Return nothing: the bot was made before it has answered `hello`."""
        return b""

    def begin(self, setup: Setup) -> bytes:
        """Return the message that begins a game.

        The seed has 53 bits, which every language reads exactly (JavaScript's numbers have no more).
        """
        self._seat, self._events_sent = setup.seat, 0
        return self._line(
            "begin",
            seat=setup.seat,
            starter=_who(setup.starter, setup.seat),
            seed=setup.seed >> 11,
            rules={"name": setup.rules.name, "edition": setup.rules.edition, **setup.rules.options},
            clock=_clock(setup.clock),
        )

    def ask(self, view: View, moves: list[Move], unread: bytearray) -> Move | bytes:
        """Return the message that asks for a move."""
        return self._line("act", **position(view), **self._news(view), moves=[move.text for move in moves])

    def end(self, view: View, result: GameEnd) -> bytes:
        """Return the message with the events that the bot has not seen yet, and the result."""
        seat = self._seat
        return self._line(
            "end",
            winner=_who(result.winner, seat),
            stones_won={"me": result.stones[seat], "them": result.stones[1 - seat]},
            reason=result.reason,
            forfeit=result.forfeit,
            **self._news(view),
        )

    def bye(self) -> bytes:
        """Return the last message. It has no id and needs no answer."""
        return line_of({"type": "bye"})

    def _line(self, kind: str, **content: Any) -> bytes:
        self._number += 1
        return line_of({"type": kind, "id": self._number, **content})

    def _news(self, view: View) -> WireMessage:
        """Return the events that were not sent yet, if the bot wants them."""
        if not self.options.events:
            return {}
        history = view.history
        start, self._events_sent = self._events_sent, len(history)
        return {"events": [_event(event, self._seat) for event in history[start:]]}

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
        answer = self.read_done(line)
        version = answer.get("protocol")
        if type(version) is not int:
            raise _fault(f'the answer to hello needs "protocol", the version it speaks ({_VERSION}), as a whole number')
        if version != _VERSION:
            raise _fault(
                f"speaks version {version} of the protocol; this program speaks {_VERSION} (docs/wire.md, Versions)"
            )
        name = answer.get("name")
        if name is not None and (type(name) is not str or len(name) > _LONGEST_NAME):
            raise _fault(f'"name" is not a string of up to {_LONGEST_NAME} characters', line)
        flags = {flag: answer[flag] for flag in _FLAGS if flag in answer}
        for flag, value in flags.items():
            if type(value) is not bool:
                raise _fault(f'"{flag}" is neither true nor false', line)
        self.options = HelloAnswer(**flags)

    read_made = read_hello

    def read_done(self, line: bytes) -> dict[str, Any]:
        """Read the answer to the last message; it may say why the bot cannot go on."""
        answer = _parse(line)
        if not isinstance(answer, dict):
            raise _fault("the answer is not an object", line)
        number = answer.get("id")
        if type(number) is not int:
            raise _fault('the answer has no "id", or one that is not a whole number', line)
        if number != self._number:
            raise _fault(f"answered the message with the id {number} instead of {self._number}")
        if (error := answer.get("error")) is not None:
            if type(error) is not str:
                raise _fault('"error" is not a string', line)
            raise BotFault(ForfeitKind.EXCEPTION, error)
        return answer

    def read_move(self, view: View, moves: list[Move], line: bytes) -> Move:
        """Read the answer to the last question: the text of a move or its index in the list (from 0), and a note.

        An illegal move is a fault with its reason. `View.note` checks the contents of a note.
        """
        answer = self.read_done(line)
        wanted = answer.get("move")
        if type(wanted) is int:
            if not 0 <= wanted < len(moves):
                what = f"move number {wanted} is not one of the {len(moves)} (counted from 0)"
                raise BotFault(ForfeitKind.ILLEGAL_MOVE, what)
            move = moves[wanted]
        elif type(wanted) is str:
            move = _named(wanted, view, moves)
        else:
            raise _fault('the answer has no "move", or one that is neither a string nor a whole number', line)
        note = answer.get("note")
        if type(note) is dict:
            view.note(**note)
        elif note is not None:
            raise _fault('"note" is not an object', line)
        return move


def line_of(message: WireMessage) -> bytes:
    r"""Encode a message as a line of plain ASCII.

    >>> line_of({"type": "bye"})
    b'{"type":"bye"}\n'
    """
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def position(view: View) -> WireMessage:
    """Return all that a seat knows."""
    seat = view.seat
    other = 1 - seat
    owners = view.owners
    names = {"ab"[seat]: "me", "ab"[other]: "them", ".": None}
    mine, theirs = view.mine, view.theirs
    clan, tactic = view.deck_counts
    modes_by = _modes_by(view)
    return {
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


def _named(wanted: str, view: View, moves: Sequence[Move]) -> Move:
    """Return the move called `wanted`; BotFault with the reason if it is not in the list."""
    for move in moves:
        if move.text == wanted:
            return move
    known = _by_text(view.rules.spy_value).get(wanted)
    if known is not None:
        raise BotFault(ForfeitKind.ILLEGAL_MOVE, why_illegal(view, moves, known))
    near = did_you_mean(wanted, [move.text for move in moves]) if len(wanted) <= _LONGEST_MOVE else ""
    raise BotFault(ForfeitKind.ILLEGAL_MOVE, f"{quoted(wanted)} is not a move{near}")


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
