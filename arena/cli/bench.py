"""`arena bench`: the speed of the engine, and perft, to compare engines."""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import click
from tabulate import tabulate

from arena.adapters.other_games import PlayoutSpeed, playout_speeds
from arena.bots.loading import load_bot
from arena.bots.spec import first_on_path
from arena.cli.options import DEAL, SEED, as_json, rule_sets, whole_option
from arena.game import engine
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.rng import Rng
from arena.game.rules import Rules, load_rules
from arena.paths import PACKAGE
from arena.tournament.games import GameTask
from arena.tournament.referee import Player, Referee
from arena.tournament.rows import GameSettings

ROUNDS = 5
RULE_SETS = ("base", "tactical", "expert")
_GAMES = {"engine": 40_000, "referee": 3_000, "oracle": 12}
"""Games per round for the compiled engine; the uncompiled one plays one in 200 of them."""
_PLAYOUT_S = 0.5
_HAS_ORACLE = (PACKAGE.parent / "tests" / "oracle").is_dir()


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
    """Measure the speed of the engine: random games inside it, games of Python bots, and games of other libraries.

    \b
    arena bench --quick
    arena bench --perft 4 --rules tactical --divide

    Machines differ and are noisy: rates are medians of CPU time over several rounds, and only their ratios matter. Of
    OpenSpiel, PettingZoo, RLCard and python-chess, those that are installed play as well (pip install
    'schotten-arena[bench]'). In a checkout, the engine is compared with the slow, literal engine of the tests.

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
    rounds, scale = (1, 0.1) if quick else (ROUNDS, 1.0)
    rates = measure(rules or RULE_SETS, rounds, scale)
    speeds = playout_speeds(rules or RULE_SETS, rounds, scale * _PLAYOUT_S)
    if as_json:
        click.echo(json.dumps(rates | {"playouts": [_values(speed) for speed in speeds]}, indent=2))
    else:
        click.echo(f"{_in_words(rates)}\n\n{_side_by_side(speeds)}")


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
        if _HAS_ORACLE:
            jobs["oracle", name] = _oracle(rules)
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
        times_oracle = round(own / rate["oracle", name]) if _HAS_ORACLE else None
        figures = {"games_per_second": round(own), "times_base": times_base, "times_oracle": times_oracle}
        result["engine"][name] = figures
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


def _oracle(rules: Rules) -> Callable[[int, int], object]:
    """Return a function that plays random games of the slow, literal engine of the tests."""
    with first_on_path(PACKAGE.parent):
        from tests.oracle import Options, Oracle

    def play(games: int, start: int) -> None:
        for number in range(start, start + games):
            deal, rng = make_deal(rules, 1, number), Rng(number)
            tactic = [f"*{rules.spy_value}" if card == "*7" else card for card in deal.tactic]
            game = Oracle(Options.like(rules), deal.clan, tactic, deal.starter)
            while not game.is_over:
                game.apply(rng.choice(game.legal_moves()))

    return play


def _in_words(rates: dict[str, Any]) -> str:
    heads = ["rule set", "random games/s in the engine", "games/s of Python bots"]
    rows = [
        [name, f"{own['games_per_second']:,}", f"{rates['python_bots'][name]['games_per_second']:,}"]
        for name, own in rates["engine"].items()
    ]
    if _HAS_ORACLE:
        heads.append("engine x oracle")
        rows = [[*row, f"{rates['engine'][row[0]]['times_oracle']:,}"] for row in rows]
    why = "ARENA_PURE is set" if os.environ.get("ARENA_PURE") else "no compiler at installation?"
    kind = "compiled" if rates["compiled"] else f"uncompiled ({why})"
    table = tabulate(rows, heads, stralign="right")
    return f"{table}\n\nGames per second of CPU time on one core, engine {kind}."


def _side_by_side(speeds: Sequence[PlayoutSpeed]) -> str:
    rows = [
        [speed.library, speed.game, *(f"{value:,.0f}" for value in list(_values(speed).values())[2:])]
        for speed in speeds
    ]
    heads = ["library", "game", "games/s", "decisions per game", "decisions/s"]
    table = tabulate(rows, heads, colalign=("left", "left", "right", "right", "right"))
    more = "" if len({speed.library for speed in speeds}) > 1 else " For others: pip install 'schotten-arena[bench]'."
    return f"{table}\n\nRandom games, all played by a loop in Python that asks for the legal moves.{more}"


def _values(speed: PlayoutSpeed) -> dict[str, Any]:
    return vars(speed) | {"decisions_per_second": speed.decisions_per_second}
