"""`arena tune`: find good parameters of a bot by paired games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena.bots.spec import parse_spec
from arena.cli.group import INTERRUPTED
from arena.cli.printing import FORFEITED, echo_json, forfeit_code
from arena.lab.tuning import DEFAULT, TUNED, Result, TuningTask
from arena.lab.tuning import tune as find
from arena.paths import RESULTS
from arena.results.table import difference_text, likelihood, percent
from arena.results.words import forfeit_paragraph
from arena.tournament.folders import folder_name

_DONE, NOT_BETTER = 0, 3


def tune_command(
    workers: int | None,
    out: Path | None,
    as_json: bool,
    clock: dict[str, int] | None,
    **values: Any,
) -> int:
    """Run `arena tune`."""
    task = TuningTask(**values | (clock or {}))
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
    if forfeit_code([result.forfeits]) == FORFEITED:
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
