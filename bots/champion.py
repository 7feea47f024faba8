"""The strongest bot of the collection: tries the net's best moves in samples of the hidden cards, six decisions deep.

`nodes` limits the decisions that the search looks at for one decision of the game; games then repeat to the byte. By
default a decision takes 25 to 60 ms on average, depending on machine and rules, and some take several times as long.
With `ms` the bot thinks for that time instead, or for less if the clock is tighter. `generation` 1 is the first net
that was packaged with the search of its time, ten decisions deep: an opponent that stays the same.
"""

from __future__ import annotations

from arena import Bot, Move, Setup, View
from arena.policy import Searcher, load_net


class Champion(Bot):
    def __init__(self, nodes: int = 1000, ms: float = 0.0, generation: int = 0) -> None:
        if nodes < 1 or not 0 <= ms < 60_000:
            raise ValueError("nodes is at least 1, ms from 0 to below 60000")
        self.nodes = nodes
        self.ms = ms
        self.generation = generation

    def begin(self, setup: Setup) -> None:
        if getattr(self, "rules", None) != setup.rules:
            self.rules = setup.rules
            net = load_net(setup.rules, self.generation)
            self.searcher = Searcher(net, depth=10, tail=1) if self.generation else Searcher(net)

    def act(self, view: View, moves: list[Move]) -> Move:
        nodes, ms = (10**9, self.ms) if self.ms else (self.nodes, 0.0)
        if view.clock is not None:
            each, bank = view.clock.move_ms or 0, view.clock.bank_ms or 0
            budget = max(0.5 * each, min(0.8 * each, each - 12)) + 0.03 * bank  # 12 ms: the machine may be busy
            if not ms or budget < ms:
                ms = budget
        move = self.searcher.choose(view, moves, view.rng, nodes, ms / 1000)
        if view.phase in ("play", "take", "put"):  # for draws and returns the net has rules, not chances
            view.note(value=self.searcher.value, nodes=self.searcher.nodes)
        return move
