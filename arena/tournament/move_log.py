"""The move log: what a worker is doing right now, in memory that its supervisor can read.

A bot that never returns, or ends the process, cannot be noticed from inside. So the referee keeps a
log: it writes the number of each move as it is made, one write a decision, into a buffer that can be shared
with a supervisor in another process. When the log has not changed for longer than a decision may take, the bot
to move hangs; when the process has died, that bot has killed it. The position is found again by playing the
moves, so the record of such a game is complete up to the decision that ended it.

The buffer holds 16-bit numbers: the stage, the key of the game (`GameId.key`) in four parts, the time that the clock
leaves in two, and the moves.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from struct import Struct
from typing import Any

IDLE, IN_PLAY = 0, 1
#: Hooks other than `act`: the stage is the hook plus 1 for the bot that began the game, 2 for the other.
INIT, IN_BEGIN, IN_END = 4, 8, 12
#: Added to the stage for seat 0 and seat 1 if its claims are automatic.
AUTO = (16, 32)
#: Added to the stage of `END`: the code of the forfeit that ended the game, and 1 or 2 for the bot that forfeited.
FORFEIT, LOSER = 64, 512
_HOOKS = {INIT: "__init__", IN_BEGIN: "begin", IN_END: "end"}

#: Numbers in a buffer. The longest game has far fewer decisions: each turn plays a card or passes.
SIZE = 4096
FIRST = 7
EMPTY = 0xFFFF

_KEY = Struct("=Q")
_TIME_LEFT = Struct("=I")
_MOST_MS = (1 << 32) - 1
_EMPTY = array("H", [EMPTY]) * SIZE


def new_buffer() -> array[int]:
    """Make a buffer for this process alone."""
    buffer = _EMPTY[:]
    buffer[:FIRST] = array("H", bytes(2 * FIRST))
    return buffer


def shared_buffer(memory: Any, clear: bool = False) -> memoryview[int]:
    """Make a buffer of `2 * SIZE` bytes of memory: `multiprocessing.RawArray("B", 2 * SIZE)` or an `mmap`.

    Use `clear` once for new memory, before a referee writes into it.
    """
    buffer = memoryview(memory).cast("B").cast("H")
    if clear:
        buffer[:] = memoryview(new_buffer())
    return buffer


def write_key(buffer: Any, key: int) -> None:
    """Note which game is being played."""
    _KEY.pack_into(buffer, 2, key)


def write_time_left(buffer: Any, ms: float) -> None:
    """Note what the clock leaves to the bot that is called next."""
    _TIME_LEFT.pack_into(buffer, 10, int(min(max(ms, 0), _MOST_MS)))


def clear_moves(buffer: Any, stop: int) -> None:
    """Empty the places of moves before number `stop`."""
    buffer[FIRST:stop] = _EMPTY[FIRST:stop]


@dataclass(frozen=True, slots=True)
class LogSnapshot:
    """The content of a move log at one moment. Two equal snapshots mean that nothing has happened in between.

    `key` identifies the game; `hook` is what is being called, `act` or one of `__init__`, `begin`,
    `end`, and None if no game is being played. `role` is 1 for a hook of the bot that began the game, 2
    of the other, 0 for `act`, where the position shows whose decision it is. `moves` are the numbers of the moves made;
    `auto_claim` says by seat whether claims are automatic. `forfeit` is the code of the forfeit that had ended the game
    when `end` was called, and `loser` the role of the bot that forfeited; else 0. `time_left_s` is what the clock, if
    there is one, left to the bot when it was called.
    """

    key: int
    hook: str | None
    role: int
    moves: tuple[int, ...]
    auto_claim: tuple[bool, bool]
    forfeit: int = 0
    loser: int = 0
    time_left_s: float = 0.0


def read_snapshot(buffer: Any) -> LogSnapshot:
    """Read a move log."""
    values = buffer.tolist()
    values.append(EMPTY)
    stage = values[0]
    key: int = _KEY.unpack_from(buffer, 2)[0]
    moves = tuple(values[FIRST : values.index(EMPTY, FIRST)])
    role = stage & 3 if stage & 12 else 0
    hook = None if not stage & 15 else _HOOKS.get(stage & 12, "act")
    auto = (bool(stage & AUTO[0]), bool(stage & AUTO[1]))
    time_left_s = _TIME_LEFT.unpack_from(buffer, 10)[0] / 1000
    return LogSnapshot(key, hook, role, moves, auto, stage // FORFEIT & 7, stage // LOSER & 3, time_left_s)
