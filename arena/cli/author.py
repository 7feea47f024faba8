"""What an author asks of a bot: `arena check`, `arena ladder` and `arena tune`."""

from __future__ import annotations

import shlex
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click

from arena.bots.bundle import bots_held
from arena.bots.spec import parse_spec
from arena.cli.group import INTERRUPTED
from arena.cli.options import PlayOptions
from arena.cli.playing import command_progress, end_progress, tell_left_out, with_settings_of
from arena.cli.printing import FORFEITED, forfeit_code, print_report, report_text
from arena.lab.rungs import GAMES_A_RUNG, ladder_config, place_sentence, stand
from arena.lab.tuning import DEFAULT, TUNED, Result, TuningTask
from arena.lab.tuning import tune as find
from arena.paths import RESULTS
from arena.results.run_standings import standings
from arena.results.standings_report import standings_report, write_run_files
from arena.results.table import Report, Table, difference_text, likelihood, percent
from arena.terminal.live import progress_for
from arena.text import one_line
from arena.tournament.folders import folder_name
from arena.tournament.inspection import DEFAULT_GAMES, RULES, Finding, RulesReport, check_bot, check_text
from arena.tournament.run_settings import Clock
from arena.tournament.runner.progress import RunStatus

# ---------------------------------------------------------------- arena check


_READY, NOT_READY = 0, 1


def check_command(
    bot: str,
    rules: tuple[str, ...],
    games: int | None,
    seconds: float,
    seed: int | None,
    clock: dict[str, int] | None,
    isolation: str,
    as_json: bool,
    strict: bool,
) -> int:
    """Run `arena check`."""
    if clock == {"bank_ms": 0}:
        raise click.UsageError("--move-ms +0 is a clock without any time")
    line = ""
    shown = progress_for(text=lambda status: line)

    def on_progress(progress: str) -> None:
        nonlocal line
        line = progress
        shown.update(RunStatus(0, 0))

    try:
        report = check_bot(
            bot,
            rules=rules or RULES,
            level=isolation,
            games=games or DEFAULT_GAMES,
            seed=seed,
            clock=Clock(**clock or {}),
            seconds=seconds,
            report=on_progress,
        )
    finally:
        if line:
            shown.end(RunStatus(0, 0), interrupted=False)
    if as_json:
        values = report.to_dict()
        kinds = {"rules": RulesReport, "findings": Finding}
        tables = [
            Table(name, "", values.pop(name), files=[field.name for field in fields(kind)])
            for name, kind in kinds.items()
        ]
        print_report(Report("", tables, about=values), "json")
    else:
        click.echo(check_text(report), nl=False)
    return NOT_READY if report.errors or (strict and report.warnings) else _READY


# ---------------------------------------------------------------- arena ladder


@bots_held()
def ladder_command(
    bot: str,
    rules: tuple[str, ...],
    games: int | None,
    isolation: str | None,
    workers: int | None,
    strict: bool,
) -> int:
    """Run `arena ladder`."""
    config = with_settings_of(ladder_config(), PlayOptions(workers=workers))
    shown, code = [], 0
    for name in rules or ("base",):
        run = stand(config, bot, name, games or GAMES_A_RUNG, isolation, command_progress())
        if run is None:
            click.echo("\nInterrupted; the same command resumes.", err=True)
            return INTERRUPTED
        table = standings(run)
        write_run_files(table, run.folder)
        end_progress()
        click.echo(f"{one_line(place_sentence(run))}\n")
        shown.append(run.forfeit_summary)
        folder = shlex.quote(run.folder)
        wide = f"arena standings {folder} --print wide"
        click.echo(report_text(replace(standings_report(table), next=""), "table", wide))
        click.echo(f"Stored in {run.folder}. Look at its games: arena replay {folder}")
        tell_left_out(run.left_out)
        code |= FORFEITED * bool(run.left_out)
    return code | forfeit_code(shown, strict)


# ---------------------------------------------------------------- arena tune


_DONE, NOT_BETTER = 0, 3
_FIGURES = ("games", "score", "elo", "elo_error95", "elo_low", "elo_high", "los")


def tune_command(
    workers: int | None,
    out: Path | None,
    as_json: bool,
    clock: dict[str, int] | None,
    rules: str | None,
    **values: Any,
) -> int:
    """Run `arena tune`."""
    task = TuningTask(rules=rules or "base", **values | (clock or {}))
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
