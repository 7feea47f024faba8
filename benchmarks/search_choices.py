"""Measure the gain per decision of settings of `Searcher`, faster than by playing games.

    python benchmarks/search_choices.py base depth=10,tail=1,nodes=1000 depth=6,tail=3,nodes=1000

In positions of games between a search and `odds`, all settings choose a move. Where the moves differ, the net continues
from each in common samples, 12 decisions deep and to the end; the results are compared with the first setting, in
percent of a game, with the 95% error. Differences of 0.5% per decision are visible with 100 positions.
"""

from __future__ import annotations

from itertools import count
from time import process_time

import click
import numpy as np

from arena import Rng, State, load_rules, make_deal
from arena.game.engine import View
from arena.game.moves import Move
from arena.policy import Evaluator, Playout, Searcher, load_net

SHARE = 0.12
"""The share of positions to use: positions of one game are very similar."""
DEEP = {"12 deep": 12, "to the end": 0}


class Choice:
    """A searcher, its budget, and the time that it took."""

    def __init__(self, text: str, rules: str) -> None:
        given = dict(part.split("=") for part in text.split(","))
        self.nodes = int(given.pop("nodes", "3000"))
        opponent = Evaluator() if given.pop("opponent", "net") == "odds" else None
        whole = "depth", "tail", "width"
        settings = {key: int(value) if key in whole else float(value) for key, value in given.items()}
        self.searcher = Searcher(load_net(rules), opponent=opponent, **settings)  # type: ignore[arg-type]
        self.text, self.seconds = text, 0.0

    def choose(self, view: View, moves: list[Move], seed: int) -> Move:
        begun = process_time()
        move = self.searcher.choose(view, moves, Rng(seed), self.nodes)
        self.seconds += process_time() - begun
        return move


def results(view: View, moves: set[Move], playout: Playout, samples: int, depth: int, seed: int) -> dict[Move, float]:
    """Return the mean result of each move over common samples."""
    totals = dict.fromkeys(moves, 0.0)
    rng = Rng(seed)
    for _ in range(samples if len(moves) > 1 else 0):
        sample = view.sample(rng)
        for move in totals:
            state = sample.copy()
            state.apply(move)
            totals[move] += playout.play(state, depth, view.seat)
    return {move: total / samples for move, total in totals.items()}


@click.command(help=__doc__)
@click.argument("rules")
@click.argument("settings", nargs=-1, required=True)
@click.option("--positions", default=100, show_default=True)
@click.option("--samples", default=200, show_default=True, help="For each move that was chosen.")
@click.option("--seed", default=1, show_default=True)
def main(rules: str, settings: tuple[str, ...], positions: int, samples: int, seed: int) -> None:
    choices = [Choice(text, rules) for text in settings]
    net, odds = load_net(rules), Evaluator()
    guide, playout = Searcher(net, opponent=odds), Playout(net)
    found: dict[str, list[list[float]]] = {name: [] for name in DEEP}
    for number in count():
        rng, state = Rng(seed + number), State(load_rules(rules), make_deal(load_rules(rules), seed, number))
        while not state.is_over and len(found["12 deep"]) < positions:
            view, moves, hero = state.view(state.to_move, rng), state.legal_moves(), state.to_move == number % 2
            if hero and len(moves) > 1 and state.phase == "play" and rng.random() < SHARE:
                at = 1_000_000 * seed + len(found["12 deep"])
                chosen = [choice.choose(view, moves, at) for choice in choices]
                for name, depth in DEEP.items():
                    ends = results(view, {*chosen}, playout, samples, depth, at)
                    found[name].append([ends[move] for move in chosen])
            state.apply(guide.choose(view, moves, rng, 200) if hero else odds.choose(view, moves))
        if len(found["12 deep"]) >= positions:
            break
    for at, choice in enumerate(choices):
        print(f"{choice.text}: {1000 * choice.seconds / positions:.0f} ms CPU a decision")
        for name, rows in found.items():
            gains = np.array([row[at] - row[0] for row in rows])
            print(f"  {name}: {100 * gains.mean():+.2f} ± {196 * gains.std() / positions**0.5:.2f} %")


if __name__ == "__main__":
    main()
