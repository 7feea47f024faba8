"""Random games of other libraries, for comparison with ours: card games of OpenSpiel, PettingZoo and RLCard, and chess.

Every library is used as its own examples use it: one Python loop asks for the legal moves and plays one of them.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from random import Random
from typing import TypeAlias

from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rules import load_rules

RandomGame: TypeAlias = Callable[[Random], int]
"""Play one game and return the number of decisions in it."""


@dataclass(frozen=True)
class PlayoutSpeed:
    """How fast random games of a library are: per second of CPU time on one core."""

    library: str
    game: str
    games_per_second: float
    decisions_per_game: float

    @property
    def decisions_per_second(self) -> float:
        """The figure to compare, as games differ in length."""
        return self.games_per_second * self.decisions_per_game


@dataclass(frozen=True)
class _Library:
    title: str
    package: str
    games: Sequence[str]
    playout: Callable[[str], RandomGame]


def playout_speeds(rule_sets: Sequence[str], rounds: int, seconds: float) -> list[PlayoutSpeed]:
    """Measure random games of ours and of the libraries that are installed: medians of interleaved rounds."""
    playouts = list(_playouts(rule_sets))
    rates: list[list[tuple[float, float]]] = [[] for _ in playouts]
    for number in range(rounds):
        for (_, _, play), its in zip(playouts, rates):
            its.append(_rate(play, Random(number), seconds))
    return [
        PlayoutSpeed(
            library, game, statistics.median(rate for rate, _ in its), statistics.mean(size for _, size in its)
        )
        for (library, game, _), its in zip(playouts, rates)
    ]


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
    for library in _LIBRARIES:
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


_LIBRARIES = (
    _Library("OpenSpiel", "open_spiel", ("gin_rummy", "hearts", "leduc_poker"), _open_spiel),
    _Library("PettingZoo", "pettingzoo", ("leduc_holdem_v4", "texas_holdem_v4"), _pettingzoo),
    _Library("RLCard", "rlcard", ("gin-rummy",), _rlcard),
    _Library("python-chess", "chess", ("chess",), _chess),
)
