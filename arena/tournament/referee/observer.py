"""Whoever looks on while games are played: a live board, a data set in the making."""

from __future__ import annotations

from typing import Protocol

from arena.game.engine import State
from arena.game.moves import Move
from arena.tournament.match.results import Row
from arena.tournament.match.tasks import GameTask


class Observer(Protocol):
    """Is told of each game of a referee; it must not change the state. What it raises is not a bot's fault."""

    def before(self, task: GameTask, state: State) -> None:
        """A game begins: the cards are dealt, the bots are made."""

    def step(self, state: State, move: Move) -> None:
        """A move was made, forced ones included; `state` is the position after it."""

    def after(self, state: State, row: Row) -> None:
        """The game is over, whatever has ended it."""
