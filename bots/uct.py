"""Determinized UCT: a tree for each of several samples of the hidden cards, and random games at the leaves.

Each sample is searched as a game of open cards by UCT (Kocsis and Szepesvari 2006): go down by the moves with the
greatest upper bound, add a position, play on at random, record the result on the way back. The bot makes the move that
the trees have tried most often. The trees know the cards of their sample, which is the known weakness of this family:
it plans with cards that it cannot know (strategy fusion, Frank and Basin 1998).
"""

from __future__ import annotations

from math import inf, log, sqrt

from arena import Bot, Move, State, View


class Node:
    """A position in one sample: how often it was reached, and the points of the seat that moved there."""

    def __init__(self) -> None:
        self.tries = 0
        self.points = 0.0
        self.children: dict[Move, Node] = {}


class Uct(Bot):
    """A bot with `rollouts` per decision, over `samples` trees; `explore` is the weight of seldom tried moves."""

    def __init__(self, rollouts: int = 1600, samples: int = 8, explore: float = 0.5) -> None:
        if rollouts < 1 or samples < 1:
            raise ValueError(f"rollouts and samples are at least 1, not {rollouts} and {samples}")
        self.rollouts = rollouts
        self.samples = samples
        self.explore = explore

    def act(self, view: View, moves: list[Move]) -> Move:
        tries = dict.fromkeys(moves, 0)
        for _ in range(self.samples):
            sample, root = view.sample(view.rng), Node()
            for _ in range(max(self.rollouts // self.samples, 1)):
                self.try_once(root, sample.copy(), view)
            for move, child in root.children.items():
                tries[move] += child.tries
        return max(moves, key=tries.__getitem__)

    def try_once(self, node: Node, state: State, view: View) -> None:
        """Go from the root to a new position, play a random game, and take the result back to the root."""
        path: list[tuple[Node, int]] = []
        fresh = False
        node.tries += 1
        while not state.is_over and not fresh:
            seat, move = state.to_move, self.choose(node, state.legal_moves(), view)
            fresh = move not in node.children
            node = node.children.setdefault(move, Node())
            node.tries += 1
            path.append((node, seat))
            state.apply(move)
        winner = state.rollout(view.rng)
        for node, seat in path:
            node.points += 0.5 if winner == 2 else float(winner == seat)

    def choose(self, node: Node, moves: list[Move], view: View) -> Move:
        """Return a random untried move, or else the one with the greatest upper bound."""
        untried = [move for move in moves if move not in node.children]
        if untried:
            return view.rng.choice(untried)
        width = self.explore * sqrt(log(node.tries))

        def bound(move: Move) -> float:
            child = node.children[move]
            return child.points / child.tries + width / sqrt(child.tries) if child.tries else inf

        return max(moves, key=bound)
