"""`arena check`: what a bot's author runs before submitting it."""

from __future__ import annotations

from dataclasses import fields

import click

from arena.cli.printing import print_report
from arena.results.table import Report, Table
from arena.terminal.live import progress_for
from arena.tournament.inspection import DEFAULT_GAMES, RULES, Finding, RulesReport, check_bot, check_text
from arena.tournament.run_settings import Clock
from arena.tournament.runner.progress import RunStatus

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
