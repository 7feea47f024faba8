"""Compare random games of ours with card games of OpenSpiel, PettingZoo and RLCard, and with chess.

    python -m benchmarks.libraries [--quick]

Every library is used as its own examples use it: one Python loop asks for the legal moves and plays one of them. Those
that are not installed are left out.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from random import Random
from typing import NamedTuple, TypeAlias

import click
from tabulate import tabulate

from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rules import load_rules

RandomGame: TypeAlias = Callable[[Random], int]
"""Play one game and return the number of decisions in it."""
ROUNDS, SECONDS = 5, 0.5


class Library(NamedTuple):
    title: str
    package: str
    games: Sequence[str]
    playout: Callable[[str], RandomGame]


@click.command(help=__doc__.partition("\n")[0])
@click.option("--rules", default="base,tactical,expert", show_default=True, help="Rule sets of ours.")
@click.option("--quick", is_flag=True, help="Take one short round, for a rough estimate.")
def main(rules: str, quick: bool) -> None:
    """Print a table: medians of interleaved rounds, per second of processor time on one core."""
    playouts = list(_playouts(rules.split(",")))
    rates: list[list[tuple[float, float]]] = [[] for _ in playouts]
    for number in range(1 if quick else ROUNDS):
        for (_, _, play), found in zip(playouts, rates):
            found.append(_rate(play, Random(number), SECONDS * (0.1 if quick else 1)))
    rows = []
    for (library, game, _), found in zip(playouts, rates):
        games, decisions = statistics.median(rate for rate, _ in found), statistics.mean(size for _, size in found)
        rows.append([library, game, *(f"{value:,.0f}" for value in (games, decisions, games * decisions))])
    heads = ["library", "game", "games/s", "decisions per game", "decisions/s"]
    click.echo(tabulate(rows, heads, colalign=("left", "left", "right", "right", "right")))


def _rate(play: RandomGame, rng: Random, seconds: float) -> tuple[float, float]:
    """Return games per second and decisions per game."""
    games = decisions = 0
    start = time.process_time()
    while (spent := time.process_time() - start) < seconds or not games:
        decisions += play(rng)
        games += 1
    return games / spent, decisions / games


def _playouts(rule_sets: Sequence[str]) -> Iterator[tuple[str, str, RandomGame]]:
    for name in rule_sets:
        yield "arena", name, _arena(name)
    for library in LIBRARIES:
        for game in library.games:
            try:
                play = library.playout(game)
            except ImportError:
                continue
            yield f"{library.title} {version(library.package)}", game, play


def _arena(rules_name: str) -> RandomGame:
    rules = load_rules(rules_name)

    def play(rng: Random) -> int:
        state = State(rules, make_deal(rules, 1, rng.getrandbits(30)))
        decisions = 0
        while moves := state.legal_moves():
            state.apply(rng.choice(moves))
            decisions += 1
        return decisions

    return play


def _open_spiel(name: str) -> RandomGame:
    import pyspiel

    game = pyspiel.load_game(name)

    def play(rng: Random) -> int:
        state = game.new_initial_state()
        decisions = 0
        while not state.is_terminal():
            decisions += not state.is_chance_node()
            state.apply_action(rng.choice(state.legal_actions()))
        return decisions

    return play


def _pettingzoo(name: str) -> RandomGame:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    from pettingzoo.classic import leduc_holdem_v4, texas_holdem_v4

    env = {"leduc_holdem_v4": leduc_holdem_v4, "texas_holdem_v4": texas_holdem_v4}[name].env()

    def play(rng: Random) -> int:
        env.reset(seed=rng.getrandbits(30))
        decisions = 0
        for agent in env.agent_iter():
            observation, _, is_over, is_cut, _ = env.last()
            if is_over or is_cut:
                env.step(None)
            else:
                env.step(env.action_space(agent).sample(observation["action_mask"]))
                decisions += 1
        return decisions

    return play


def _rlcard(name: str) -> RandomGame:
    import rlcard

    env = rlcard.make(name)

    def play(rng: Random) -> int:
        state, _ = env.reset()
        decisions = 0
        while not env.is_over():
            state, _ = env.step(rng.choice(list(state["legal_actions"])))
            decisions += 1
        return decisions

    return play


def _chess(name: str) -> RandomGame:
    import chess

    def play(rng: Random) -> int:
        board = chess.Board()
        while not board.is_game_over():
            board.push(rng.choice(list(board.legal_moves)))
        return len(board.move_stack)

    return play


LIBRARIES = (
    Library("OpenSpiel", "open_spiel", ("gin_rummy", "hearts", "leduc_poker"), _open_spiel),
    Library("PettingZoo", "pettingzoo", ("leduc_holdem_v4", "texas_holdem_v4"), _pettingzoo),
    Library("RLCard", "rlcard", ("gin-rummy",), _rlcard),
    Library("python-chess", "chess", ("chess",), _chess),
)

if __name__ == "__main__":
    main()
