"""`arena tune`: find good parameters of a bot by paired games."""

from __future__ import annotations

from pathlib import Path

import click

from arena.bots.spec import parse_spec
from arena.cli.group import INTERRUPTED
from arena.cli.options import (
    CLOCK,
    FORFEITED,
    PATH,
    as_json,
    complete_bots,
    complete_rules,
    echo_json,
    forfeit_code,
    gathered,
    seed,
    strict,
    whole_option,
    workers,
)
from arena.lab.tuning import DEFAULT, TUNED, Result, TuningTask
from arena.lab.tuning import tune as find
from arena.paths import RESULTS
from arena.results.forfeit_lines import forfeit_paragraph
from arena.results.table import difference_text, likelihood, percent
from arena.tournament.folders import folder_name

_DONE, NOT_BETTER = 0, 3
_MANY = whole_option(2, 10**6)


@click.command(context_settings={"show_default": True})
@gathered(
    TuningTask,
    "task",
    click.argument("bot", shell_complete=complete_bots),
    click.option(
        "--param", "params", multiple=True, metavar="NAME:RANGE", help="Such as depth:1..6, boldness:0..1, style:a|b."
    ),
    click.option("--against", multiple=True, metavar="BOT", help="Opponent; may be repeated (default: BOT as it is)."),
    click.option(
        "--trials", type=whole_option(1, 10_000), default=TuningTask.trials, metavar="N", help="Proposals to try."
    ),
    click.option("--games", type=_MANY, default=TuningTask.games, metavar="N", help="Games per pairing in a trial."),
    click.option(
        "--confirm", type=_MANY, default=TuningTask.confirm, metavar="N", help="Games per pairing at the end."
    ),
    click.option("--rules", default=TuningTask.rules, metavar="R", shell_complete=complete_rules, help="Rule set."),
    seed,
    *CLOCK,
)
@workers
@click.option("-o", "--out", type=PATH, metavar="DIR", help="Where to store the tuning (default: results/tune-BOT).")
@as_json
@strict
def tune_command(task: TuningTask, workers: int | None, out: Path | None, as_json: bool, strict: bool) -> int:
    """Find good parameters for BOT by playing pairs of games.

    \b
    arena tune mybot --param depth:1..6 --param boldness:0..1

    Optuna proposes parameters. All proposals play the same deals; those that fall behind are stopped early. The best
    one then meets BOT as it is, and the opponents, on deals that were not used before. The same seed gives the same
    result for any number of workers. The same command continues an interrupted tuning; with more --trials, or
    games to --confirm, it continues a finished one.

    Exit codes: 0 the winner is stronger than BOT as it is (with a likelihood above 95%), 3 this was not shown, 1 a bot
    forfeited every game of the confirmation, or with --strict any.
    """
    target = folder_name(Path(parse_spec(task.bot).target).stem)
    folder = out or RESULTS / f"tune-{target}"
    try:
        result = find(task, folder, workers, lambda line: click.echo(line, err=True))
    except KeyboardInterrupt:
        click.echo(f"\nInterrupted. The same command goes on in {folder}.", err=True)
        return INTERRUPTED
    if as_json:
        echo_json(result.values())
    else:
        _show(result)
    if forfeit_code([result.forfeits], strict) == FORFEITED:
        return FORFEITED
    return _DONE if result.better else NOT_BETTER


def _show(result: Result) -> None:
    """Print the winner and its confirmation, forfeits first."""
    if said := forfeit_paragraph(result.forfeits):
        click.echo(f"In the confirmation, where {TUNED} is the winner and {DEFAULT} the bot as it was:\n{said}\n")
    click.echo(f"winner    {result.spec}")
    for name, head in result.confirmed.items():
        opponent = "as it was" if name == DEFAULT else name
        score = f"{percent(head.score)}% of {head.games} fresh games"
        chance = f"chance of being the stronger bot: {likelihood(head.los)}%"
        click.echo(f"against   {opponent}: {score}, {difference_text(head)}, {chance}")
    if not result.better and not result.forfeits.always:
        click.echo("It is not shown to be stronger than the bot as it was; try more --games, --trials or --confirm.")
