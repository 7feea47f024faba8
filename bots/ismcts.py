"""Information-set Monte Carlo tree search: one tree over what the seat knows, grown through samples of hidden cards.

Each round deals the hidden cards anew, goes down the tree by the moves that are legal in that deal, adds one move, and
asks the evaluator for the value of the position there (Cowling, Powley and Whitehouse 2012, with an evaluation in place
of random play to the end). The higher a move's mean value, and the fewer of its legal occasions it was tried on, the
sooner it is tried again (UCB1 for subsets of moves).

A position has some fifty moves, so few rounds see the same one twice. Moves are therefore added best first, and more of
them only as the visits of a position grow (progressive widening). `nodes` is the number of rounds.
"""

from __future__ import annotations

from math import log, sqrt

from arena import Bot, Move, State, View
from arena.policy import Evaluator


class Node:
    """A move in the tree: how often it was tried and legal, and the sum of its values for the seat that made it."""

    def __init__(self) -> None:
        self.tries = 0
        self.legal = 0
        self.total = 0.0
        self.moves: dict[Move, Node] = {}


class Ismcts(Bot):
    def __init__(self, nodes: int = 300, explore: float = 0.1, widen: float = 0.6) -> None:
        if nodes < 1:
            raise ValueError(f"nodes is at least 1, not {nodes}")
        self.nodes = nodes
        self.explore = explore
        self.widen = widen
        self.evaluator = Evaluator()

    def act(self, view: View, moves: list[Move]) -> Move:
        if view.phase in ("draw", "scout"):  # the evaluator judges these by a rule
            return self.evaluator.choose(view, moves)
        root = Node()
        for _ in range(self.nodes):
            self.round(root, view.sample(view.rng))
        return max(moves, key=lambda move: root.moves[move].tries if move in root.moves else 0)

    def round(self, node: Node, state: State) -> None:
        """Go down the tree in one deal, add a move, and record its value on the way back."""
        path: list[tuple[Node, int]] = []
        grown = False
        node.tries += 1
        while not state.is_over and not grown:
            legal = state.legal_moves()
            if len(legal) == 1 or state.phase in ("draw", "scout"):
                state.apply(self.evaluator.choose(state, legal))
                continue
            move, grown = self.select(node, state, legal)
            path.append((node.moves[move], state.to_move))
            node = node.moves[move]
            node.tries += 1
            state.apply(move)
        if state.is_over:
            value = 0.5 if state.winner is None else float(state.winner == 0)
        else:
            value = self.evaluator.value(state, state.to_move)
            value = 1.0 - value if state.to_move else value
        for node, seat in path:
            node.total += 1.0 - value if seat else value

    def select(self, node: Node, state: State, legal: list[Move]) -> tuple[Move, bool]:
        """Return the move to follow among the legal ones, and whether it is new to the tree."""
        known = [move for move in legal if move in node.moves]
        for move in known:
            node.moves[move].legal += 1
        if len(known) < len(legal) and len(known) < 1 + self.widen * sqrt(node.tries):
            fresh = [move for move in legal if move not in node.moves]
            move = self.evaluator.choose(state, fresh)
            node.moves[move] = Node()
            node.moves[move].legal = 1
            return move, True

        def bound(move: Move) -> float:
            child = node.moves[move]
            return child.total / child.tries + self.explore * sqrt(log(child.legal) / child.tries)

        return max(known, key=bound), False
