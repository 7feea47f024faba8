"""`arena tune`: parameters of a bot, found by paired games."""

from __future__ import annotations

import re
from pathlib import Path

import click

from arena.bots.spec import parse_spec
from arena.cli.main import INTERRUPTED
from arena.cli.options import (
    CLOCK,
    PATH,
    as_json,
    complete_bots,
    complete_rules,
    seed,
    whole,
    with_options,
    workers,
)
from arena.lab.tuning import DEFAULT, Result, Task, read_parameters, result_values, spec_with, stored_seed
from arena.lab.tuning import tune as find
from arena.paths import RESULTS
from arena.results.data_formats import json_text
from arena.results.table import difference_text, likelihood, percent
from arena.tournament.folders import drawn_seed

DONE, NOT_BETTER = 0, 3


@click.command()
@click.argument("bot", shell_complete=complete_bots)
@click.option(
    "--param", "params", multiple=True, metavar="NAME:RANGE", help="Such as depth:1..6, boldness:0..1, style:a|b."
)
@click.option("--against", multiple=True, metavar="BOT", help="Opponent; may be repeated (default: BOT as it is).")
@click.option("--trials", type=whole(1, 10_000), default=24, show_default=True, metavar="N", help="Proposals to try.")
@click.option(
    "--games", type=whole(2, 10**6), default=100, show_default=True, metavar="N", help="Games per pairing in a trial."
)
@click.option(
    "--confirm", type=whole(2, 10**6), default=400, show_default=True, metavar="N", help="Games per pairing at the end."
)
@click.option(
    "--rules", metavar="R", default="base", shell_complete=complete_rules, show_default=True, help="Rule set."
)
@seed
@with_options(*CLOCK)
@workers
@click.option("-o", "--out", type=PATH, metavar="DIR", help="Where to store the runs (default: results/tune-BOT).")
@as_json
def tune(
    bot: str,
    params: tuple[str, ...],
    against: tuple[str, ...],
    trials: int,
    games: int,
    confirm: int,
    rules: str,
    seed: int | None,
    move_ms: int | None,
    bank_ms: int | None,
    workers: int | None,
    out: Path | None,
    as_json: bool,
) -> int:
    """Find good parameters for BOT by playing pairs of games.

    \b
    arena tune mybot --param depth:1..6 --param boldness:0..1

    Proposals (by optuna) play the same deals; the best ones play on with fresh deals; the winner then meets BOT as it
    is, and the opponents, on deals that were not used before. The same seed gives the same result for any number of
    workers. To resume an interrupted tuning, give the same command again. Each step is stored as a run.

    Exit codes: 0 the winner is stronger than BOT as it is (with a likelihood above 95%), 3 this was not shown.
    """
    parameters = read_parameters(bot, params)
    target = Path(parse_spec(bot).target).stem
    folder = out or RESULTS / f"tune-{re.sub(r'[^0-9A-Za-z_]+', '-', target).strip('-')}"
    if seed is None:
        seed = stored_seed(folder)
    limits: dict[str, float] = {key: ms for key, ms in (("move_ms", move_ms), ("bank_ms", bank_ms)) if ms is not None}
    task = Task(
        bot,
        tuple(parameters),
        against=against,
        trials=trials,
        games=games,
        confirm=confirm,
        rules=rules,
        seed=drawn_seed() if seed is None else seed,
        clock=limits or None,
    )
    click.echo(f"tuning in {folder}, seed {task.seed}", err=True)
    try:
        result = find(task, folder, workers, lambda line: click.echo(line, err=True))
    except KeyboardInterrupt:
        click.echo(f"\nInterrupted. The same command resumes {folder}.", err=True)
        return INTERRUPTED
    if as_json:
        click.echo(json_text(result_values(result)), nl=False)
    else:
        _show(task, result)
    return DONE if result.better else NOT_BETTER


def _show(task: Task, result: Result) -> None:
    """Print the winner, its fresh games and what was not shown."""
    click.echo(f"winner    {spec_with(task.bot, result.winner.params)}")
    for name, head in result.confirmed.items():
        opponent = "as it was" if name == DEFAULT else name
        score = f"{percent(head.score)}% of {head.games} fresh games"
        click.echo(f"against   {opponent}: {score}, {difference_text(head)}, LOS {likelihood(head.los)}%")
    if not result.better:
        click.echo("It was not shown to be stronger; more --games, --trials or --confirm may tell.")
    if result.winner.forfeits:
        click.echo(f"It lost {result.winner.forfeits} games by forfeit while it was tuned.")
