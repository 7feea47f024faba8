"""The messages between the runner and the child that plays a Python bot: small, binary, one after the other.

A message is the length of its body (4 bytes), its kind (1 byte) and the body, without gaps. The runner asks, the child
answers each message. What the child sends is not trusted: fields are fixed,
lengths are bounded, and nothing is unpickled or evaluated.

========== ======================================================================================================
LOAD       JSON: the bot's spec, the rules, where Python finds packages. Answer: DONE, or FAULT
MAKE       make the bot. Answer: MADE, or FAULT
BEGIN      a game begins: seat, starter, seed, clock. Answer: DONE, or FAULT
ASK        a number that the answer must repeat, clock, and a view (`arena.game.packing`). Answer: ANSWER with the
           number of a move, NOTED with a note as well, or FAULT
END        the rest of a game's events and its result. Answer: DONE, or FAULT
========== ======================================================================================================
"""

from __future__ import annotations

import json
import struct
from typing import Any, NamedTuple

from arena.bots.bot import BotFault, TimeLeft
from arena.endings import ForfeitKind
from arena.game.packing import ANSWER, ASK, QUESTION, REPLY
from arena.text import printable

__all__ = ["ANSWER", "ASK", "QUESTION", "REPLY"]

HEAD = struct.Struct("=IB")
# ASK is 4 and ANSWER 13: the engine writes these messages
LOAD, MAKE, BEGIN, END = 1, 2, 3, 5
DONE, MADE, FAULT, NOTED = 11, 12, 14, 15

#: Seat, who starts, seed, flags, milliseconds for a move and in the bank.
BEGINNING = struct.Struct("=BBQBdd")
#: Length of the result's JSON.
ENDING = struct.Struct("=I")
#: Number of the question, number of the move.
ANSWERING = struct.Struct("=IH")
#: The longest note, as JSON in ASCII.
LONGEST_NOTE = 1 << 12
#: Number of the question (0: none), hook, kind.
FAULTY = struct.Struct("=IBB")

MOVE_MS, _BANK_MS = 1, 2
AUTO_CLAIM, ASK_FORCED, WANTS_RESULT = 1, 2, 4
HOOKS = ("loading", "__init__", "begin", "observe", "act", "end")
MESSAGE_KINDS = (ForfeitKind.EXCEPTION, ForfeitKind.ILLEGAL_MOVE)

#: The longest body that a child may send.
LONGEST_MESSAGE = 1 << 15
_TEXT = 8000


class Message(NamedTuple):
    """A kind, such as `ASK`, and a body."""

    kind: int
    body: bytes


def pack_message(kind: int, body: bytes = b"") -> bytes:
    """Return the bytes of a message.

    >>> pack_message(MAKE).hex(" ")
    '00 00 00 00 02'
    """
    return HEAD.pack(len(body), kind) + body


def clock_flags(clock: TimeLeft | None) -> tuple[int, float, float]:
    """Return a clock as the fields of a message: flags, and two numbers."""
    if clock is None:
        return 0, 0.0, 0.0
    move, bank = clock
    flags = (move is not None) * MOVE_MS | (bank is not None) * _BANK_MS
    return flags, move or 0.0, bank or 0.0


def read_clock(flags: int, move: float, bank: float) -> TimeLeft | None:
    """Read the clock from the fields of a message.

    >>> read_clock(*clock_flags(TimeLeft(100, None)))
    TimeLeft(move_ms=100, bank_ms=None)
    """
    if not flags & (MOVE_MS | _BANK_MS):
        return None
    return TimeLeft(move if flags & MOVE_MS else None, bank if flags & _BANK_MS else None)


def fault_message(question: int, hook: str, kind: str, text: str) -> bytes:
    """Return the message in which a child reports a failure of its bot."""
    body = FAULTY.pack(question, HOOKS.index(hook), MESSAGE_KINDS.index(kind))
    return pack_message(FAULT, body + text.encode("utf-8", "replace")[:_TEXT])


def take_message(unread: bytearray) -> Message | None:
    """Take the next message from what a child has written; None if it is not complete. `BotFault` for nonsense."""
    if len(unread) < HEAD.size:
        return None
    size, kind = HEAD.unpack_from(unread)
    if not DONE <= kind <= NOTED or size > LONGEST_MESSAGE:
        raise BotFault(ForfeitKind.PROTOCOL, f"sent something that is no answer: {bytes(unread[:40])!r}")
    end = HEAD.size + size
    if len(unread) < end:
        return None
    body = bytes(unread[HEAD.size : end])
    del unread[:end]
    return Message(kind, body)


def read_answer(message: Message, question: int) -> tuple[int, dict[str, Any] | None]:
    """Read the number of the move, and the note if there is one; `View.note` checks the content of that.

    `BotFault` for a fault, an answer to something else, or nonsense.
    """
    if message.kind == FAULT:
        raise read_fault(message, question)
    body, text = message.body[: ANSWERING.size], message.body[ANSWERING.size :]
    if message.kind not in (ANSWER, NOTED) or len(body) < ANSWERING.size or (text and message.kind == ANSWER):
        raise BotFault(ForfeitKind.PROTOCOL, "sent something that is no answer to the question")
    number, move = ANSWERING.unpack(body)
    if number != question:
        raise BotFault(ForfeitKind.PROTOCOL, "answered a question that was not asked, or answered twice")
    if message.kind == ANSWER:
        return move, None
    try:
        note = json.loads(text) if len(text) <= LONGEST_NOTE else None
    except (ValueError, RecursionError):
        note = None
    if not isinstance(note, dict):
        raise BotFault(ForfeitKind.PROTOCOL, f"sent something that is no note: {text[:40]!r}")
    return move, note


def read_fault(message: Message, question: int) -> BotFault:
    """Read the failure that a child reports."""
    if message.kind != FAULT or len(message.body) < FAULTY.size:
        return BotFault(ForfeitKind.PROTOCOL, "sent something that is no answer to the question")
    number, hook, kind = FAULTY.unpack_from(message.body)
    if number != question or hook >= len(HOOKS) or kind >= len(MESSAGE_KINDS):
        return BotFault(ForfeitKind.PROTOCOL, "told of a failure that nobody asked for")
    clean = printable(message.body[FAULTY.size :][:_TEXT].decode("utf-8", "replace"))
    is_whole = MESSAGE_KINDS[kind] == ForfeitKind.ILLEGAL_MOVE or HOOKS[hook] == "loading"
    return BotFault(MESSAGE_KINDS[kind], clean if is_whole else f"in {HOOKS[hook]}: {clean}")
