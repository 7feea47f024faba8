"""`arena bench`: the speed of the engine, as ratios measured in one run; and perft, to compare engines.

Machines differ and are noisy, so rates are medians of CPU time over several rounds, and only their ratios matter.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import click
from tabulate import tabulate

from arena.bots.loading import load_bot
from arena.cli.options import DEAL, SEED, as_json, complete_rules, gathered, split_variants, whole
from arena.game import engine
from arena.game.deals import make_deal
from arena.game.engine import State
from arena.game.record import parse_record, replay
from arena.game.rules import Rules, load_rules
from arena.tournament.match.tasks import GameTask
from arena.tournament.referee.player import Player
from arena.tournament.referee.referee import Referee
from arena.tournament.referee.rows import GameSettings

ROUNDS = 5
RULE_SETS = ("base", "tactical", "expert")
GAMES = {"engine": 40_000, "loop": 3_000, "referee": 3_000}
"""Games per round for the compiled engine; the uncompiled one plays one in 200 of them."""


@dataclass(frozen=True)
class PerftOptions:
    """What `--perft` counts: sequences of `perft` moves from a deal, or from the end of the record `after`."""

    perft: int | None
    seed: int
    deal: int
    after: str | None
    divide: bool
    chosen_claims: bool


@click.command()
@click.option(
    "--rules",
    "names",
    multiple=True,
    metavar="R",
    shell_complete=complete_rules,
    help="Rule sets, separated by commas or given several times (default: base,tactical,expert; with --perft: base).",
)
@click.option("--quick", is_flag=True, help="Take one short round, for a rough estimate.")
@gathered(
    PerftOptions,
    "counting",
    click.option("--perft", type=whole(0, 12), metavar="DEPTH", help="Count the sequences of DEPTH moves (decisions)."),
    click.option(
        "--seed", type=SEED, default=1, show_default=True, metavar="S", help="With --perft: seed of the deal."
    ),
    click.option(
        "--deal", type=DEAL, default=0, show_default=True, metavar="N", help="With --perft: number of the deal."
    ),
    click.option("--after", metavar="RECORD", help="With --perft: start at the end of this record, not at a deal."),
    click.option("--divide", is_flag=True, help="With --perft: count each first move separately."),
    click.option("--chosen-claims", is_flag=True, help="With --perft: claims are moves, instead of automatic."),
)
@as_json
def bench(names: tuple[str, ...], quick: bool, counting: PerftOptions, as_json: bool) -> None:
    """Measure the speed of the engine: random games inside it, and games of Python bots.

    \b
    arena bench --quick
    arena bench --perft 4 --rules tactical --divide

    With --perft, count the sequences of DEPTH moves instead, to compare engines: if the counts agree, so do the rules.
    Games that end earlier do not count. Draws follow the deal, so nothing is random.
    """
    names = tuple(split_variants(names, "--rules"))
    if counting.perft is not None:
        if len(names) > 1:
            raise click.UsageError("--perft counts the moves of one rule set; give --rules once")
        _perft(names[0] if names else "base", counting, counting.perft, as_json)
        return
    if counting != PerftOptions(None, 1, 0, None, False, False):
        raise click.UsageError(
            "--seed, --deal, --after, --divide and --chosen-claims are for counting; add --perft DEPTH"
        )
    rates = measure(list(names or RULE_SETS), *((1, 0.1) if quick else (ROUNDS, 1.0)))
    click.echo(json.dumps(rates, indent=2) if as_json else _in_words(rates))


def _perft(rules_name: str, options: PerftOptions, depth: int, as_json: bool) -> None:
    """Count move sequences and print how many there are."""
    if options.after is not None:
        state = replay(parse_record(options.after))
    else:
        rules = load_rules(rules_name)
        automatic = not options.chosen_claims
        state = State(rules, make_deal(rules, options.seed, options.deal), (automatic, automatic))
    start = time.perf_counter()
    counts: dict[str, int] = {}
    if options.divide and depth:
        for move in state.legal_moves():
            after = state.copy()
            after.apply(move)
            counts[move.text] = after.perft(depth - 1)
    leaves = sum(counts.values()) if counts else state.perft(depth)
    seconds = time.perf_counter() - start
    if as_json:
        values: dict[str, Any] = {"rules": state.rules.name, "depth": depth, "leaves": leaves}
        if options.divide:
            values["divide"] = counts
        click.echo(json.dumps(values))
        return
    for text, count in counts.items():
        click.echo(f"{text:<16}{count:>16,}")
    click.echo(f"{leaves:,} sequences of {depth} moves ({seconds:.2f} s)")


def measure(names: list[str], rounds: int, scale: float) -> dict[str, Any]:
    """Games per second of CPU time on one core, medians of interleaved rounds."""
    compiled = not engine.__file__.endswith(".py")
    share = scale * (1.0 if compiled else 0.005)
    jobs: dict[tuple[str, str], tuple[Callable[[int, int], object], int]] = {}
    for name in names:
        rules = load_rules(name)
        jobs["engine", name] = (partial(engine.play_random_games, rules), _games("engine", share))
    for name in names:
        rules = load_rules(name)
        jobs["bare_loop", name] = (partial(_play_loop, rules), _games("loop", share))
        jobs["referee", name] = (_referee(rules), _games("referee", share))
    rates: dict[tuple[str, str], list[float]] = {key: [] for key in jobs}
    for number in range(rounds):
        for key, (play, games) in jobs.items():
            start = time.process_time()
            play(games, number * games)
            rates[key].append(games / max(time.process_time() - start, 1e-9))
    rate = {key: statistics.median(values) for key, values in rates.items()}
    result: dict[str, Any] = {"compiled": compiled, "engine": {}, "python_bots": {"bare_loop": {}, "referee": {}}}
    for name in names:
        own = rate["engine", name]
        result["engine"][name] = {
            "games_per_second": round(own),
            "times_base": round(own / rate["engine", names[0]], 3),
        }
        loop, referee = rate["bare_loop", name], rate["referee", name]
        result["python_bots"]["bare_loop"][name] = {"games_per_second": round(loop)}
        result["python_bots"]["referee"][name] = {
            "games_per_second": round(referee),
            "times_bare_loop": round(referee / loop, 3),
        }
    return result


def _games(kind: str, share: float) -> int:
    return max(3, int(GAMES[kind] * share))


def _play_loop(rules: Rules, games: int, start: int) -> None:
    """A bare loop around the engine with two Python bots, which pick the first and the last legal move."""
    deals = [make_deal(rules, 1, start + number) for number in range(min(games, 100))]
    bots = (lambda moves: moves[0], lambda moves: moves[-1])
    for number in range(games):
        state = State(rules, deals[number % len(deals)])
        while not state.is_over:
            state.apply(bots[state.turn](state.legal_moves()))


def _referee(rules: Rules) -> Callable[[int, int], object]:
    """The full referee with two bots that play the first legal move."""
    referee = Referee(
        GameSettings(rules, 1), [Player("first", load_bot("first").make), Player("again", load_bot("first").make)]
    )

    def play(games: int, start: int) -> None:
        for number in range(start, start + games):
            names = ("first", "again") if number % 2 else ("again", "first")
            referee.play(GameTask(0, number // 2, number % 2, *names, 0))

    return play


def _in_words(rates: dict[str, Any]) -> str:
    rows = []
    for name, own in rates["engine"].items():
        loop = rates["python_bots"]["bare_loop"][name]["games_per_second"]
        referee = rates["python_bots"]["referee"][name]["games_per_second"]
        rows.append([name, f"{own['games_per_second']:,}", f"{loop:,}", f"{referee:,}"])
    heads = ["rule set", "random games/s in the engine", "Python bots, bare loop", "through the referee"]
    table = tabulate(rows, heads, stralign="right")
    kind = "compiled" if rates["compiled"] else "uncompiled (no compiler at installation?)"
    return f"{table}\n\nGames per second of CPU time on one core, engine {kind}."
