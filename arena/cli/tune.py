"""`arena tune`: find good parameters of a bot by paired games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena.bots.spec import parse_spec
from arena.cli.group import INTERRUPTED
from arena.cli.printing import FORFEITED, forfeit_code, print_report
from arena.lab.tuning import DEFAULT, TUNED, Result, TuningTask
from arena.lab.tuning import tune as find
from arena.paths import RESULTS
from arena.results.table import Report, Table, difference_text, likelihood, percent
from arena.tournament.folders import folder_name

_DONE, NOT_BETTER = 0, 3
_FIGURES = ("games", "score", "elo", "elo_error95", "elo_low", "elo_high", "los")


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
    print_report(_report(result), "json" if as_json else "table")
    if forfeit_code([result.forfeits]) == FORFEITED:
        return FORFEITED
    return _DONE if result.better else NOT_BETTER


def _report(result: Result) -> Report:
    """Return the winner, which is called TUNED, and its confirmation."""
    lines = []
    for name, head in result.confirmed.items():
        opponent = f"{DEFAULT}, the bot as it was" if name == DEFAULT else name
        score = f"{percent(head.score)}% of {head.games} fresh games"
        chance = f"chance of being the stronger bot: {likelihood(head.los)}%"
        lines.append(f"{TUNED} against {opponent}: {score}, {difference_text(head)}, {chance}")
    if not result.better and not result.forfeits.always:
        lines.append("It is not shown to be stronger than the bot as it was; try more --games, --trials or --confirm.")
    rows = [{"opponent": name, **vars(head)} for name, head in result.confirmed.items()]
    confirmed = Table("confirmed", "", rows, files=("opponent", *_FIGURES))
    about = {"spec": result.spec, "params": result.params, "better": result.better}
    return Report(f"{TUNED} = {result.spec}", [confirmed], lines, about, forfeits={"": result.forfeits})
