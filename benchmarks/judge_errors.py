"""Measure the error of the losses of `arena judge`, by the depth and tail of its playouts.

    python benchmarks/judge_errors.py base --positions 250

In positions of games of the net, one of its six best moves is compared with the move that a long search chooses. The
true loss is measured by playing both moves to the end with the net, in many samples; the judge has fewer samples and
stops earlier. Each depth gets the same number of decisions. The root mean square error is the judge's alone: the
variance of the true values' samples is subtracted.
"""

from __future__ import annotations

from itertools import count

import click
import numpy as np

from arena import Rng, State, load_rules, make_deal
from arena.game.engine import View
from arena.game.moves import Move
from arena.policy import Net, Searcher, load_net
from arena.results.judge import BY_RULE, sampled_chances

SHARE = 0.08
"""The share of positions to use: positions of one game are very similar."""
STRAY = 0.12
"""The share of moves that are chosen at random, so that games differ."""
AMONG = 6
LONG = 10_000
"""Decisions of the search that chooses the reference move."""


def loss(net: Net, view: View, moves: list[Move], rng: Rng, samples: int, depth: int, tail: int = 1) -> float:
    """Return the value of the second move minus the value of the first."""
    made, best = sampled_chances(net, view, moves, rng, samples, depth, tail)
    return best - made


@click.command(help=__doc__)
@click.argument("rules_name")
@click.option("--positions", default=250, show_default=True)
@click.option("--nodes", default=1000, show_default=True, help="Decisions for each comparison.")
@click.option("--depths", default="2:1,4:1,6:1,6:3,10:1,10:6", show_default=True, help="DEPTH:TAIL,...")
@click.option("--samples", default=500, show_default=True, help="For the truth.")
@click.option("--seed", default=1, show_default=True)
def main(rules_name: str, positions: int, nodes: int, depths: str, samples: int, seed: int) -> None:
    rules, net = load_rules(rules_name), load_net(rules_name)
    search = Searcher(net)
    looks = [(int(depth), int(tail)) for depth, tail in (one.split(":") for one in depths.split(","))]
    found: list[list[float]] = []
    for number in count():
        rng, state = Rng(seed + number), State(rules, make_deal(rules, seed, number))
        while not state.is_over and len(found) < positions:
            view, moves = state.view(state.to_move), state.legal_moves()
            if len(moves) > 1 and state.phase not in BY_RULE and rng.random() < SHARE:
                values = dict(zip(moves, net.values(view, moves)))
                made = rng.choice(sorted(moves, key=lambda move: -values[move])[:AMONG])
                best = search.choose(view, moves, rng, LONG)
                if made is not best:
                    pair = [made, best]
                    truths = [loss(net, view, pair, rng, samples // 2, 0) for _ in range(2)]
                    judged = [loss(net, view, pair, rng, max(nodes // (2 * look[0]), 1), *look) for look in looks]
                    found.append([*truths, values[best] - values[made], *judged])
            state.apply(rng.choice(moves) if rng.random() < STRAY else net.choose(view, moves))
        if len(found) >= positions:
            break
    numbers = np.array(found)
    truth = numbers[:, :2].mean(axis=1)
    noise = ((numbers[:, 0] - numbers[:, 1]) ** 2).mean() / 4
    print(f"{rules_name}: {positions} decisions, which lose {truth.mean():.2%} on the average")
    names = ["the net alone", *(f"depth {depth}, tail {tail}" for depth, tail in looks)]
    for name, column in zip(names, numbers.T[2:]):
        error = column - truth
        squares = max((error**2).mean() - noise, 0.0)
        print(f"  {name:<18} error {squares**0.5:.2%}, too much by {error.mean():+.2%}")


if __name__ == "__main__":
    main()
