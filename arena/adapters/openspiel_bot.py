"""Bots of OpenSpiel as bots here (needs the extra `openspiel`).

    import pyspiel
    from arena.adapters.openspiel_bot import OpenSpielBot

    class Mine(OpenSpielBot):
        def make(self, game, player, seed):
            return ...  # a pyspiel.Bot

What such a bot sees is a sample: a state that agrees with all that its seat knows, in which the hidden cards are drawn
anew for each decision. So a bot that searches the state given (such as OpenSpiel's MCTS) searches one possible deal,
and `samples` of them vote.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from arena.adapters.openspiel_game import NAME, SchottenGame
from arena.bots.bot import Bot, Setup
from arena.game.engine import View
from arena.game.moves import Move


class OpenSpielBot(Bot):
    """Override `make`. `samples`: how many samples are shown for each decision; the move chosen most often is made."""

    def __init__(self, samples: int = 1) -> None:
        if samples < 1:
            raise ValueError(f"samples is at least 1, not {samples}")
        self.samples = samples
        self.game: SchottenGame | None = None

    def make(self, game: Any, player: int, seed: int) -> Any:
        """The bot of OpenSpiel for a game as `player` (0 begins). All its chance must come from `seed`, below 2**32."""
        raise NotImplementedError("override make(game, player, seed)")

    def begin(self, setup: Setup) -> None:
        """A new game, a new bot."""
        import pyspiel

        if self.game is None or self.game.rules != setup.rules:
            self.game = pyspiel.load_game(NAME, {"rules": setup.rules.canonical})
        self.player = setup.seat
        self.bot = self.make(self.game, self.player, setup.seed % (1 << 32))

    def act(self, view: View, moves: list[Move]) -> Move:
        """What the bot chooses, in most of the samples."""
        assert self.game is not None
        votes: Counter[int] = Counter()
        for _ in range(self.samples):
            votes[int(self.bot.step(self.game.state_of(view, view.rng)))] += 1
        return self.game.actions.move(max(sorted(votes), key=votes.__getitem__))
