"""Measure the score of moving first by strength: `python -m benchmarks.first_move base --games 1000`.

Each player plays itself, one game per deal. `odds` and `net` look one move ahead; the numbers are the nodes of a search
over the net. The last column is the net's expectation before the first move.
"""

from __future__ import annotations

import click
import numpy as np

from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rng import Rng, derive_seed
from arena.game.rules import Rules, load_rules
from arena.policy import Evaluator, Searcher, load_net
from arena.policy.selfplay import play_games

#: Games of a player that looks one move ahead, per game of a search.
MORE = 20


def searched(rules: Rules, seed: int, games: int, nodes: int) -> list[float]:
    """Return the score of the first seat in games of a search against itself."""
    searcher, scores = Searcher(load_net(rules)), []
    for number in range(games):
        state = State(rules, make_deal(rules, seed, number))
        rng = Rng(derive_seed(seed, "first move", number))
        first = state.to_move
        while not state.is_over:
            moves = state.legal_moves()
            view = state.view(state.to_move)
            state.apply(moves[0] if len(moves) == 1 else searcher.choose(view, moves, rng, nodes))
        scores.append(0.5 if state.winner is None else float(state.winner == first))
    return scores


def one_ply(rules: Rules, seed: int, games: int, player: Evaluator) -> list[float]:
    """Return the score of the first seat in games of an evaluator against itself."""
    results = play_games(rules, (player, player), 0, games, seed)
    starters = [make_deal(rules, seed, number).starter for number in range(games)]
    return [0.5 if winner == 2 else float(winner == first) for (winner, _, _), first in zip(results, starters)]


def shown(name: str, scores: list[float]) -> str:
    error = 1.96 * float(np.std(scores, ddof=1)) / len(scores) ** 0.5
    return f"{name:<12}{100 * float(np.mean(scores)):>7.1f} ± {100 * error:.1f} %  of {len(scores)} games"


@click.command(help="What moving first scores under RULES.")
@click.argument("rules", nargs=-1, required=True)
@click.option("--games", type=click.IntRange(2, 1_000_000), default=500, show_default=True, help="Games of a search.")
@click.option("--nodes", type=click.IntRange(1, 100_000), multiple=True, default=(50, 300), show_default=True)
@click.option("--seed", type=int, default=2029, show_default=True)
def main(rules: tuple[str, ...], games: int, nodes: tuple[int, ...], seed: int) -> None:
    """Run the command line."""
    for name in rules:
        known = load_rules(name)
        net = load_net(known)
        click.echo(name)
        for player, evaluator in (("odds", Evaluator()), ("net", net)):
            click.echo(shown(player, one_ply(known, seed, MORE * games, evaluator)))
        for count in nodes:
            click.echo(shown(f"{count} nodes", searched(known, seed, games, count)))
        states = [State(known, make_deal(known, seed, number)) for number in range(1000)]
        expected = np.mean([max(net.values(state, state.legal_moves())) for state in states])
        click.echo(f"{'expected':<12}{100 * float(expected):>7.1f} %  by the net")


if __name__ == "__main__":
    main()
