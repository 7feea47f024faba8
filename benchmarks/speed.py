"""Measure the speed of each part: `python -m benchmarks.speed [--only engine bots runs policy] [--rounds 3]`.

engine   samples of what a seat knows, played out at random
bots     games of two bots that take the first move: in a bare loop, under the referee, in processes, in the sandbox;
         and the start of an isolated bot
runs     stored games of a tournament with one worker and two, with the processor time of the workers and the parent
policy   decisions of the evaluator, the net and the search

Each figure is the best of the rounds, of which each measures everything once. Compare figures of one call: machines
differ, and other programs disturb.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from arena.bots.isolation.remote_bot import RemoteBot
from arena.bots.limits import BotLimits
from arena.bots.loading import load_bot
from arena.bots.spec import find_bot
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rng import Rng
from arena.game.rules import load_rules, preset_names
from arena.policy import Evaluator, Searcher, load_net
from arena.tournament.config import config_from_dict
from arena.tournament.games import PairTask
from arena.tournament.referee import Player, Referee
from arena.tournament.rows import GameSettings
from arena.tournament.runner.play_run import play_run

SETS = ("base", "tactical", "expert")
WARM_UP = 50


class Figure(NamedTuple):
    """A measured value; `more_is_better` says which of several rounds is the best."""

    name: str
    value: float
    unit: str
    more_is_better: bool = True


def seconds(work: Callable[..., object], *args: object, times: int = 1) -> float:
    """Return how long something takes."""
    start = time.perf_counter()
    for _ in range(times):
        work(*args)
    return time.perf_counter() - start


def engine() -> Iterator[Figure]:
    for name in (*SETS, *preset_names()):
        rules = load_rules(name)
        view, rng = State(rules, make_deal(rules, 1, 0)).view(0), Rng(1)
        taken = seconds(lambda view=view, rng=rng: view.sample(rng).rollout(rng), times=5_000)
        yield Figure(f"rollout of a sample, {name}", 1e6 * taken / 5_000, "µs", more_is_better=False)


def bare_loop(rules_name: str, pairs: int) -> None:
    """Play the first moves without views, records and bots."""
    rules = load_rules(rules_name)
    for number in range(pairs):
        for _ in range(2):
            state = State(rules, make_deal(rules, 1, number))
            while moves := state.legal_moves():
                state.apply(moves[0])


def refereed(rules_name: str, level: str, pairs: int) -> float:
    """Return how long the referee takes for games of two bots, after a warm-up."""
    rules, specs = load_rules(rules_name), [find_bot(f"{name}=first") for name in "ab"]
    players = [Player.of(load_bot(spec)) for spec in specs]
    if level != "none":
        players = [Player(spec.name, partial(RemoteBot, spec, rules, level, BotLimits())) for spec in specs]
    referee = Referee(GameSettings(rules, 1), players)
    try:
        for deal in range(WARM_UP):
            referee.play_unit(PairTask(0, deal, "a", "b"))
        return sum(seconds(referee.play_unit, PairTask(0, WARM_UP + deal, "a", "b")) for deal in range(pairs))
    finally:
        for player in players:
            player.close()


def start_up(level: str) -> float:
    """Return how long a bot's process takes until it can be asked for a move."""
    bot = RemoteBot(find_bot("first"), load_rules("base"), level, BotLimits())
    try:
        return seconds(bot.load) + seconds(bot.prepare)
    finally:
        bot.close()


def bots() -> Iterator[Figure]:
    for name in SETS:
        yield Figure(f"bare loop, {name}", 1000 / seconds(bare_loop, name, 500), "games/s")
        yield Figure(f"referee, {name}", 1000 / refereed(name, "none", 500), "games/s")
    for level in ("process", "sandbox"):
        yield Figure(f"referee, base, {level}", 1000 / refereed("base", level, 500), "games/s")
        yield Figure(f"start of a bot, {level}", 1000 * start_up(level), "ms", more_is_better=False)


def runs() -> Iterator[Figure]:
    for workers in (1, 2):
        specs = [{"spec": "first", "name": name} for name in "abcd"]
        config = config_from_dict({"bots": specs, "games": 2000, "seed": 5, "workers": workers})
        both = (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)
        before = [resource.getrusage(who).ru_utime for who in both]
        with tempfile.TemporaryDirectory() as folder:
            report = play_run(config, Path(folder) / "run")
        yield Figure(f"stored games, {workers} worker(s)", report.played / report.seconds, "games/s")
        for what, who, spent in zip(("workers", "parent"), both, before):
            each = 1e6 * (resource.getrusage(who).ru_utime - spent) / report.played
            yield Figure(f"processor time of the {what}, {workers} worker(s)", each, "µs/game", more_is_better=False)


def policy() -> Iterator[Figure]:
    for name in SETS:
        rules = load_rules(name)
        state = State(rules, make_deal(rules, 1, 0))
        view, moves = state.view(state.to_move), state.legal_moves()
        for what, player in (("odds", Evaluator()), ("net", load_net(rules))):
            spent = seconds(player.choose, state, moves, times=2000)
            yield Figure(f"first decision of {what}, {name}", spent / 2000 * 1e6, "µs", more_is_better=False)
        searcher = Searcher(load_net(rules))
        spent = seconds(searcher.choose, view, moves, Rng(1), 1000)
        yield Figure(f"node of a search, {name}", spent / searcher.nodes * 1e6, "µs", more_is_better=False)


PARTS = {part.__name__: part for part in (engine, bots, runs, policy)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    best: dict[str, Figure] = {}
    for _ in range(given.rounds):
        for figure in (figure for part in given.only for figure in PARTS[part]()):
            is_better = figure.name not in best or (figure.value > best[figure.name].value) == figure.more_is_better
            if is_better:
                best[figure.name] = figure
    for figure in best.values():
        print(f"{figure.name:44} {figure.value:12,.{0 if figure.value > 100 else 2}f} {figure.unit}")


if __name__ == "__main__":
    main()
