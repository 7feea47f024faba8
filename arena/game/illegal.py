"""Why a move is not legal, in words: what is wrong, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.game.cards import ELITE_TEXTS, card_number
from arena.game.moves import MOVES

if TYPE_CHECKING:
    from arena.game.moves import Move
    from arena.game.turns import Turns

#: What each phase asks for.
ASKS = {
    "claim": "claims are decided now: a provable stone or 'no claim'",
    "play": "a card is to be played now",
    "take": "the ruse's target is to be taken now",
    "put": "the taken card is to be put somewhere now",
    "scout": "the recruiter draws now: 'draw clan' or 'draw tactic'",
    "return": "the recruiter puts cards back now: 'return CARD'",
    "draw": "a card is to be drawn now: 'draw clan' or 'draw tactic'",
    "over": "the game is over",
}
KINDS = {
    "claim": ("claim", "no claim"),
    "play": ("place", "mode", "ruse", "pass"),
    "take": ("take",),
    "put": ("place", "discard"),
    "scout": ("draw",),
    "return": ("return",),
    "draw": ("draw",),
    "over": (),
}


def why_illegal(state: Turns, move: Move) -> str:
    """A sentence that says why `move` is not legal in `state`."""
    return f"{move} is not legal: {_reason(state, move)}"


def _is_interned(move: Move) -> bool:
    return any(0 <= move.index < len(table) and table[move.index] is move for table in MOVES.values())


def _reason(state: Turns, move: Move) -> str:
    if not _is_interned(move):
        return "it was made by hand; moves come from legal_moves() or parse_move()"
    phase = state.phase
    for card in (move.card, move.binding):
        if card and card not in ELITE_TEXTS and card_number(card) < 60 and int(card[1:]) > state.rules.values:
            return f"there is no {card} in {state.rules.name}"
    if move.card in ("*7", "*8") and move.card != f"*{state.rules.spy_value}":
        return f"the spy of {state.rules.name} is *{state.rules.spy_value}"
    if move.kind not in KINDS[phase]:
        return ASKS[phase]
    if phase == "play":
        return _why_not_play(state, move)
    if phase == "take":
        return _why_not_take(state, move)
    if phase == "put":
        return _why_not_put(state, move)
    if phase == "return":
        return f"{move.card} is not in the hand"
    return _why_not_claim(state, move)  # both decks can be drawn from where a draw is a decision


def _why_not_play(state: Turns, move: Move) -> str:
    seat = state.turn
    if move.kind == "pass":
        return "a clan card can be played; only a player without a clan-card play may pass"
    assert move.card is not None
    if move.card not in state.hand_of(seat):
        return f"{move.card} is not in the hand"
    if card_number(move.card) >= 60:
        mine, other = state.tactics_played(seat), state.tactics_played(1 - seat)
        if mine > other:
            return f"the tactic limit: {mine} played, the opponent {other}; at most one more is allowed"
        if move.card == "*J" and state.joker_played(seat):
            return "a second joker cannot be played"
    if move.kind == "ruse":
        if move.card == "scout":
            return "both decks are empty"
        if move.card == "traitor" and all(_full_or_claimed(state, stone) for stone in range(1, 10)):
            return "no own side of an unclaimed stone has room"
        return "there is no card that it could take"
    assert move.stone is not None
    return _why_not_there(state, move, move.stone)


def _why_not_there(state: Turns, move: Move, stone: int) -> str:
    if state.owners[stone - 1] != ".":
        return f"stone {stone} is claimed"
    if move.kind == "place" and _full_or_claimed(state, stone):
        return f"the own side of stone {stone} is full ({state.capacity(stone)} cards)"
    if move.binding is None:
        example = f"{move.card}=r{1 if move.card in ('*J', '*123') else state.rules.spy_value}@{stone}"
        return f"in {state.rules.name} a wild card gets its colour and value when it is played: {example}"
    return f"in {state.rules.name} a wild card gets its colour and value at the claim: {move.card}@{stone}"


def _full_or_claimed(state: Turns, stone: int) -> bool:
    return state.owners[stone - 1] != "." or len(state.side(state.turn, stone)) >= state.capacity(stone)


def _why_not_take(state: Turns, move: Move) -> str:
    ruse = state.ruse_under_way
    seat = state.turn if ruse == "redeploy" else 1 - state.turn
    assert move.card is not None
    assert move.stone is not None
    there = [card.partition("=")[0] for card in state.side(seat, move.stone)]
    if move.card not in there:
        return f"{move.card} is not on {'the own' if seat == state.turn else 'the opposing'} side of stone {move.stone}"
    if state.owners[move.stone - 1] != ".":
        return f"stone {move.stone} is claimed"
    return f"{ruse} takes only clan cards" + ("" if ruse == "traitor" else f" in {state.rules.name}")


def _why_not_put(state: Turns, move: Move) -> str:
    if move.kind == "discard":
        return "the traitor's card must be put on an own side"
    if move.card != state.pending:
        return f"the card to be put is {state.pending}"
    assert move.stone is not None
    if (
        state.owners[move.stone - 1] == "."
        and not _full_or_claimed(state, move.stone)
        and (state.ruse_under_way == "redeploy" and move.stone == state.taken_from)
    ):
        return "the card may not go back onto the stone that it came from"
    return _why_not_there(state, move, move.stone)


def _why_not_claim(state: Turns, move: Move) -> str:
    stone = move.stone
    assert stone is not None  # 'no claim' is always legal in a window
    if state.owners[stone - 1] != ".":
        return f"stone {stone} is claimed"
    missing = state.capacity(stone) - len(state.side(state.turn, stone))
    if missing:
        return f"the own side of stone {stone} is not complete ({missing} missing)"
    return f"the opponent may still beat the own side of stone {stone} (arena explain shows how)"
