"""`arena tune`: parameters of a bot, found by paired games."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli import options
from arena.cli.main import INTERRUPTED

if TYPE_CHECKING:
    from arena.lab.tuning import Result, Task

DONE, NOT_BETTER = 0, 3


@click.command()
@click.argument("bot", shell_complete=options.complete_bots)
@click.option(
    "--param", "params", multiple=True, metavar="NAME:RANGE", help="Such as depth:1..6, boldness:0..1, style:a|b."
)
@click.option("--against", multiple=True, metavar="BOT", help="Opponent; may be repeated. Default: BOT as it is.")
@click.option("--trials", type=options.whole(1, 10_000), default=24, show_default=True, help="Proposals to try.")
@click.option(
    "--games", type=options.whole(2, 10**6), default=100, show_default=True, help="Games per trial and opponent."
)
@click.option(
    "--confirm", type=options.whole(2, 10**6), default=400, show_default=True, help="Fresh games to confirm the winner."
)
@click.option("--rules", metavar="R", default="base", shell_complete=options.complete_rules, help="Default: base.")
@click.option("--seed", type=options.SEED, metavar="S", help="Default: drawn at random, and shown.")
@click.option("--move-ms", type=options.MOVE_MS, metavar="MS", help="Time for each decision.")
@click.option("--bank-ms", type=options.BANK_MS, metavar="MS", help="Extra time for the whole game.")
@options.workers
@click.option("--out", type=options.NewFolder(), metavar="DIR", help="Default: results/tune-BOT.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def tune(
    bot: str,
    params: tuple[str, ...],
    seed: int | None,
    move_ms: float | None,
    bank_ms: float | None,
    workers: int | None,
    out: Path | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Find parameters of BOT by paired games: arena tune mybot --param depth:1..6 --param boldness:0..1

    Proposals (by optuna) play the same deals; the best go through a race on fresh ones; the winner then meets BOT as it
    is, and the opponents, on deals that played no part in the choice. The same seed gives the same result for any
    number of workers. The same command resumes an interrupted tuning; each step is a stored run in the folder.

    Exit codes: 0 the winner is stronger than BOT as it is (likelihood above 95 %), 3 that was not shown.
    """
    from arena.bots.spec import parse_spec
    from arena.lab.tournament import drawn_seed
    from arena.lab.tuning import Task, read_parameters, stored_seed
    from arena.lab.tuning import tune as find
    from arena.paths import RESULTS

    parameters = read_parameters(bot, params)
    target = Path(parse_spec(bot).target).stem
    folder = out or RESULTS / f"tune-{re.sub(r'[^0-9A-Za-z_]+', '-', target).strip('-')}"
    if seed is None:
        seed = stored_seed(folder)
    clock = {key: ms for key, ms in (("move_ms", move_ms), ("bank_ms", bank_ms)) if ms is not None}
    given["against"] = tuple(given["against"])
    task = Task(bot, tuple(parameters), seed=drawn_seed() if seed is None else seed, clock=clock or None, **given)
    click.echo(f"tuning in {folder}, seed {task.seed}", err=True)
    try:
        found = find(task, folder, workers, lambda line: click.echo(line, err=True))
    except KeyboardInterrupt:
        click.echo(f"\nInterrupted. The same command resumes {folder}.", err=True)
        return INTERRUPTED
    _show(task, found, as_json)
    return DONE if found.better else NOT_BETTER


def _show(task: Task, found: Result, as_json: bool) -> None:
    from arena.lab.tuning import DEFAULT, result_values, spec_with
    from arena.results.formats.json import json_text
    from arena.results.table import difference_text, likelihood, percent

    if as_json:
        click.echo(json_text(result_values(found)), nl=False)
        return
    click.echo(f"winner    {spec_with(task.bot, found.winner.params)}")
    for name, head in found.confirmed.items():
        whom = "as it was" if name == DEFAULT else name
        score = f"{percent(head.score)} % of {head.games} fresh games"
        click.echo(f"against   {whom}: {score}, {difference_text(head)}, LOS {likelihood(head.los)} %")
    if not found.better:
        click.echo("That it is stronger is not shown; more --games, --trials or --confirm may tell.")
    if found.winner.forfeits:
        click.echo(f"It lost {found.winner.forfeits} games by forfeit while it was tuned.")
