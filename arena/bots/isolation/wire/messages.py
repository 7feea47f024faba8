"""Messages to a wire bot, as plain values for JSON. `docs/wire.md` describes them for authors.

All messages are from the bot's point of view: `me` and `them` instead of seats, `mine` and `theirs` for sides.
Later versions of the program may add keys; bots ignore those they do not know.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from arena.bots.bot import GameEnd, Setup, TimeLeft
from arena.bots.processes.limits import BotLimits
from arena.game.engine import View
from arena.game.event_log import Event
from arena.game.moves import Move

#: Versions of the protocol that this program speaks.
VERSIONS = (1, 2)
#: The longest line, its end included, in both directions.
LONGEST_LINE = 1 << 16

Message = dict[str, Any]


def line_of(message: Message) -> bytes:
    r"""A message as a line of plain ASCII.

    >>> line_of({"type": "bye"})
    b'{"type":"bye"}\n'
    """
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def hello(number: int, limits: BotLimits) -> Message:
    """The first message to a process. `number` is the id that the answer has to repeat."""
    return {
        "type": "hello",
        "id": number,
        "protocols": list(VERSIONS),
        "game": "schotten-totten",
        "limits": {
            "line_bytes": LONGEST_LINE,
            "loading_ms": round(1000 * limits.loading_s),
            "decision_ms": round(1000 * limits.decision_s),
            "memory_mb": limits.memory_mb,
        },
    }


def begin(number: int, setup: Setup) -> Message:
    """A new game. The seed has 53 bits, which every language reads exactly (JavaScript's numbers have no more)."""
    return {
        "type": "begin",
        "id": number,
        "seat": setup.seat,
        "starter": _who(setup.starter, setup.seat),
        "seed": setup.seed >> 11,
        "rules": {"name": setup.rules.name, "edition": setup.rules.edition, **setup.rules.options},
        "clock": _clock(setup.clock),
    }


def act(number: int, view: View, moves: Iterable[Move], events: Sequence[Event] | None) -> Message:
    """A decision: all that the seat knows, and the moves; `events` are those not sent yet, None to leave them out."""
    seat = view.seat
    other = 1 - seat
    owners = view.owners
    names = {"ab"[seat]: "me", "ab"[other]: "them", ".": None}
    mine, theirs = view.mine, view.theirs
    clan, tactic = view.deck_counts
    message: Message = {
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


def end(
    number: int, seat: int, result: GameEnd, events: Sequence[Event] | None, version: int = VERSIONS[-1]
) -> Message:
    """The end of a game that this seat has not forfeited, in a version of the protocol."""
    # in version 1 it has the name of a list in `act`, which decoders with types cannot read into one field
    won = "stones" if version == 1 else "stones_won"
    message: Message = {
        "type": "end",
        "id": number,
        "winner": _who(result.winner, seat),
        won: {"me": result.stones[seat], "them": result.stones[1 - seat]},
        "reason": result.reason,
        "forfeit": result.forfeit,
    }
    if events is not None:
        message["events"] = [_event(event, seat) for event in events]
    return message


def bye() -> Message:
    """The last message; it has no id and wants no answer."""
    return {"type": "bye"}


# ---------------------------------------------------------------- pieces


def _who(who: int | None, seat: int) -> str | None:
    return None if who is None else "me" if who == seat else "them"


def _clock(clock: TimeLeft | None) -> Message | None:
    if clock is None:
        return None
    move, bank = (None if part is None else round(part, 3) for part in clock)
    return {"move_ms": move, "bank_ms": bank}


def _player(view: View, seat: int) -> Message:
    clan, tactic = view.hand_counts(seat)
    return {
        "clan_cards": clan,
        "tactic_cards": tactic,
        "tactics_played": view.tactics_played(seat),
        "joker_played": view.joker_played(seat),
        "row": view.row(seat),
    }


def _event(event: Event, seat: int) -> Message:
    return {
        "by": _who(event.seat, seat),
        "kind": event.kind,
        "text": event.text,
        "card": event.card,
        "stone": event.stone,
        "binding": event.binding,
        "deck": event.deck,
    }
