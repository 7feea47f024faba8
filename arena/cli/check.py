"""`arena check`: what a bot's author runs before submitting it."""

from __future__ import annotations

from dataclasses import fields

import click

from arena.cli import options
from arena.results.table import Report, Table
from arena.tournament.config import Clock

_READY, NOT_READY = 0, 1
SECONDS = 60


@click.command()
@click.argument("bot", shell_complete=options.complete_bots)
@options.rule_sets("base,tactical,expert")
@click.option("--games", type=options.whole_option(2, 1_000_000), metavar="N", help="Games per rule set (default: 40).")
@click.option(
    "--seconds",
    type=options.real_option(1, 1_000_000),
    metavar="S",
    default=SECONDS,
    show_default=True,
    help="Play as many of the games as fit into this time, at least one.",
)
@click.option(
    "--seed",
    type=options.SEED,
    metavar="S",
    show_default="random",
    help="Repeat the games of an earlier check with this seed.",
)
@options.with_options(*options.CLOCK)
@click.option(
    "--isolation",
    type=options.ISOLATION,
    default="sandbox",
    show_default=True,
    help="Where the bot runs. With none or process, it has all your rights.",
)
@options.as_json
@click.option("--strict", is_flag=True, help="Exit with code 1 also if there are only warnings.")
def check_command(
    bot: str,
    rules: tuple[str, ...],
    games: int | None,
    seconds: float,
    seed: int | None,
    move_ms: int | None,
    bank_ms: int | None,
    isolation: str,
    as_json: bool,
    strict: bool,
) -> int:
    """Check BOT before you submit it: whether it forfeits and repeats its decisions, and how fast it is.

    \b
    arena check bots/mine.py
    arena check bots/mine.py --rules base --games 12 --strict

    BOT is named as in 'arena match', with parameters if needed. It plays against 'random' and against itself, as in a
    league; then the same games are played again, in reverse order and with another hash seed.

    Exit code 1 if there is an error (with --strict, also if there is a warning).
    """
    from arena.terminal.live import progress_for
    from arena.tournament.inspection import DEFAULT_GAMES, RULES, Finding, RulesReport, check_bot, check_text
    from arena.tournament.runner.progress import RunStatus

    if bank_ms == 0 and move_ms is None:
        raise click.UsageError("--bank-ms 0 without --move-ms is a clock without any time")
    line = ""
    shown = progress_for(text=lambda status: line)

    def tell(progress: str) -> None:
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
            clock=Clock(move_ms, bank_ms),
            seconds=seconds,
            report=tell,
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
        options.print_report(Report("", tables, about=values), "json")
    else:
        click.echo(check_text(report), nl=False)
    return NOT_READY if report.errors or (strict and report.warnings) else _READY
