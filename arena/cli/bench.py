"""`arena bench`: the speed of the engine, and perft, to compare engines."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import click
from tabulate import tabulate

from arena.bots.loading import load_bot
from arena.cli.options import DEAL, SEED, as_json, rule_sets, whole_option
from arena.game import engine
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rules import Rules, load_rules
from arena.tournament.games import GameTask
from arena.tournament.referee import Player, Referee
from arena.tournament.rows import GameSettings

ROUNDS = 5
RULE_SETS = ("base", "tactical", "expert")
_GAMES = {"engine": 40_000, "referee": 3_000}
"""Games per round for the compiled engine; the uncompiled one plays one in 200 of them."""


@click.command()
@rule_sets("base,tactical,expert; with --perft: base")
@click.option("--quick", is_flag=True, help="Take one short round, for a rough estimate.")
@click.option(
    "--perft", type=whole_option(0, 12), metavar="DEPTH", help="Count the sequences of DEPTH moves (decisions)."
)
@click.option("--divide", is_flag=True, help="With --perft: count each first move separately.")
@click.option("--seed", type=SEED, metavar="S", help="With --perft: seed of the deal (default: 1).")
@click.option("--deal", type=DEAL, metavar="N", help="With --perft: number of the deal (default: 0).")
@as_json
def bench_command(
    rules: tuple[str, ...],
    quick: bool,
    perft: int | None,
    divide: bool,
    seed: int | None,
    deal: int | None,
    as_json: bool,
) -> None:
    """Measure the speed of the engine: random games inside it, and games of Python bots.

    \b
    arena bench --quick
    arena bench --perft 4 --rules tactical --divide

    Machines differ and are noisy: rates are medians of CPU time over several rounds, and only their ratios matter.

    With --perft, count the sequences of DEPTH moves instead, to compare engines: if the counts agree, so do the rules.
    Games that end earlier do not count. Draws follow the deal, so nothing is random.
    """
    if perft is not None:
        if len(rules) > 1:
            raise click.UsageError("--perft counts the moves of one rule set; give --rules once")
        counted = load_rules(rules[0] if rules else "base")
        state = State(counted, make_deal(counted, 1 if seed is None else seed, deal or 0))
        _perft(state, perft, divide, as_json)
        return
    if divide or seed is not None or deal is not None:
        raise click.UsageError("--divide, --seed and --deal are for counting; add --perft DEPTH")
    rates = measure(rules or RULE_SETS, *((1, 0.1) if quick else (ROUNDS, 1.0)))
    click.echo(json.dumps(rates, indent=2) if as_json else _in_words(rates))


def _perft(state: State, depth: int, divide: bool, as_json: bool) -> None:
    """Count move sequences and print the counts."""
    start = time.perf_counter()
    counts: dict[str, int] = {}
    if divide and depth:
        for move in state.legal_moves():
            after = state.copy()
            after.apply(move)
            counts[move.text] = after.perft(depth - 1)
    leaves = sum(counts.values()) if counts else state.perft(depth)
    seconds = time.perf_counter() - start
    if as_json:
        values: dict[str, Any] = {"rules": state.rules.name, "depth": depth, "leaves": leaves}
        click.echo(json.dumps(values | ({"divide": counts} if divide else {})))
        return
    for text, count in counts.items():
        click.echo(f"{text:<16}{count:>16,}")
    click.echo(f"{leaves:,} sequences of {depth} moves ({seconds:.2f} s)")


def measure(names: Sequence[str], rounds: int, scale: float) -> dict[str, Any]:
    """Measure games per second of CPU time on one core: medians of interleaved rounds."""
    compiled = not engine.__file__.endswith(".py")
    share = scale * (1.0 if compiled else 0.005)
    games = {kind: max(3, int(number * share)) for kind, number in _GAMES.items()}
    jobs: dict[tuple[str, str], Callable[[int, int], object]] = {}
    for name in names:
        rules = load_rules(name)
        jobs["engine", name] = partial(engine.play_random_games, rules)
        jobs["referee", name] = _referee(rules)
    rates: dict[tuple[str, str], list[float]] = {job: [] for job in jobs}
    for number in range(rounds):
        for job, play in jobs.items():
            start = time.process_time()
            play(games[job[0]], number * games[job[0]])
            rates[job].append(games[job[0]] / max(time.process_time() - start, 1e-9))
    rate = {job: statistics.median(values) for job, values in rates.items()}
    result: dict[str, Any] = {"compiled": compiled, "engine": {}, "python_bots": {}}
    for name in names:
        own = rate["engine", name]
        times_base = round(own / rate["engine", names[0]], 3)
        result["engine"][name] = {"games_per_second": round(own), "times_base": times_base}
        result["python_bots"][name] = {"games_per_second": round(rate["referee", name])}
    return result


def _referee(rules: Rules) -> Callable[[int, int], object]:
    """Return a function that plays games: the full referee, and two bots that play the first legal move."""
    referee = Referee(
        GameSettings(rules, 1), [Player("first", load_bot("first").make), Player("again", load_bot("first").make)]
    )

    def play(games: int, start: int) -> None:
        for number in range(start, start + games):
            names = ("first", "again") if number % 2 else ("again", "first")
            referee.play(GameTask(0, number // 2, number % 2, *names, 0))

    return play


def _in_words(rates: dict[str, Any]) -> str:
    rows = [
        [name, f"{own['games_per_second']:,}", f"{rates['python_bots'][name]['games_per_second']:,}"]
        for name, own in rates["engine"].items()
    ]
    table = tabulate(rows, ["rule set", "random games/s in the engine", "games/s of Python bots"], stralign="right")
    kind = "compiled" if rates["compiled"] else "uncompiled (no compiler at installation?)"
    return f"{table}\n\nGames per second of CPU time on one core, engine {kind}."
