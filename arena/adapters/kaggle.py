"""Bots from functions `agent(observation, configuration)`, the form of Kaggle's simulation competitions.

A bot file holds the function and one more line:

    from arena.adapters.kaggle import kaggle_bot

    def agent(observation, configuration):
        return observation.moves[0]

    act = kaggle_bot(agent)

The agent returns the text of a move, or its place in `observation.moves`. It is called for every choice, so it may be
called several times in a turn, and never if there is only one legal move.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from arena.bots.bot import Act
from arena.game.engine import View
from arena.game.moves import Move
from arena.text import quoted

Agent = Callable[..., Any]
_STONES = range(1, 10)


class Struct(dict[str, Any]):
    """A dictionary whose keys are also attributes, as in Kaggle's environments."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name}; there are {', '.join(self)}") from None


def observation_of(view: View, moves: list[Move]) -> Struct:
    """Return what an agent sees, as plain values. Stones are places 0..8 of lists.

    step                    turns begun before this one: 0 in the first turn of the game
    player                  the agent's seat, 0 or 1
    phase                   the kind of decision: play, draw, take, put, scout, return
    moves                   the legal moves, as texts such as r7@3
    hand, unseen            the agent's cards; clan cards that are neither face up nor among them
    mine, theirs            the cards at each stone
    owners                  for each stone `mine`, `theirs` or None
    modes                   for each stone fog and mud
    beside                  cards face up beside the board, [mine, theirs]
    decks, hands            cards left in [clan, tactic deck]; of the opponent's hand [clan, tactic cards]
    pending                 the card that a ruse has taken, or None
    history                 what this seat saw, as texts
    remainingOverageTime    seconds left in the bank of the game; None without one
    """
    me, other = view.seat, 1 - view.seat
    signs = {"ab"[me]: "mine", "ab"[other]: "theirs"}
    bank = None if view.clock is None else view.clock.bank_ms
    return Struct(
        step=view.turns - 1,
        player=me,
        phase=view.phase,
        moves=[move.text for move in moves],
        hand=list(view.hand),
        unseen=list(view.unseen),
        mine=[list(cards) for cards in view.mine],
        theirs=[list(cards) for cards in view.theirs],
        owners=[signs.get(owner) for owner in view.owners],
        modes=[list(view.modes(stone)) for stone in _STONES],
        beside=[list(view.row(me)), list(view.row(other))],
        decks=list(view.deck_counts),
        hands=list(view.hand_counts(other)),
        pending=view.pending,
        history=[str(event) for event in view.history],
        remainingOverageTime=None if bank is None else bank / 1000,
    )


def configuration_of(view: View) -> Struct:
    """Return the rule set's name, all its options, and `actTimeout` in seconds (None without a clock)."""
    move_ms = None if view.clock is None else view.clock.move_ms
    timeout = None if move_ms is None else move_ms / 1000
    return Struct(rules=view.rules.name, **view.rules.options, actTimeout=timeout)


def kaggle_bot(agent: Agent) -> Act:
    """Return a function `act` for an agent that takes an observation, or an observation and the configuration."""
    takes = len(inspect.signature(agent).parameters)

    def act(view: View, moves: list[Move]) -> Move:
        given = (observation_of(view, moves), configuration_of(view))
        answer = agent(*given[:takes])
        if isinstance(answer, str):
            for move in moves:
                if move.text == answer:
                    return move
            raise ValueError(f"the agent returned {quoted(answer)}, which is not one of observation.moves")
        try:
            index: int = answer.__index__()
        except AttributeError:
            raise TypeError(
                f"the agent returned a {type(answer).__name__}; return the text of a move, or its place in"
                " observation.moves"
            ) from None
        if not 0 <= index < len(moves):
            raise ValueError(f"the agent returned {index}; the places in observation.moves are 0 to {len(moves) - 1}")
        return moves[index]

    return act
