"""`arena check`: what a bot's author runs before submitting it."""

from __future__ import annotations

import shutil
import sys
import time

import click

from arena.cli import options
from arena.cli.main import INTERRUPTED
from arena.league.check import GAMES, RULES, check_bot
from arena.league.check_report import report_text
from arena.text import json_text
from arena.tournament.config.tournament import Clock

READY, NOT_READY = 0, 1
QUICK_GAMES = 12
SECONDS = 60


@click.command()
@click.argument("bot", shell_complete=options.complete_bots)
@click.option(
    "--rules",
    multiple=True,
    metavar="R",
    shell_complete=options.complete_rules,
    help="Rule sets, separated by commas or given several times (default: base,tactical,expert).",
)
@click.option("--games", type=options.whole(2, 1_000_000), metavar="N", help="Games per rule set (default: 40).")
@click.option("--quick", is_flag=True, help=f"Same as --games {QUICK_GAMES}, for CI.")
@click.option(
    "--seconds",
    type=options.real(1, 1_000_000),
    metavar="S",
    default=SECONDS,
    show_default=True,
    help="Play as many of the games as fit into this time, at least two per rule set.",
)
@click.option(
    "--seed",
    type=options.SEED,
    metavar="S",
    show_default="drawn",
    help="Play the games of an earlier check with this seed.",
)
@options.clock
@click.option(
    "--isolation",
    type=options.ISOLATION,
    default="sandbox",
    show_default=True,
    help="Where the bot runs. With none or process, it has all your rights.",
)
@click.option("--strength", is_flag=True, help="Also play against greedy, and show the scores.")
@click.option("--ladder", is_flag=True, help="Also show its place on the ladder of reference bots.")
@options.as_json
@click.option("--strict", is_flag=True, help="Exit with code 1 also if there are only warnings.")
def check(
    bot: str,
    rules: tuple[str, ...],
    games: int | None,
    quick: bool,
    seconds: float,
    seed: int | None,
    move_ms: int | None,
    bank_ms: int | None,
    isolation: str,
    strength: bool,
    ladder: bool,
    as_json: bool,
    strict: bool,
) -> int:
    """Check BOT before you submit it: does it forfeit, does it repeat its decisions, how fast is it?

    \b
    arena check bots/mine.py
    arena check bots/mine.py --rules base --quick --strict

    BOT is named as in 'arena match', with parameters if needed. It plays against 'random' and against itself, as in a
    league; then the same games are played again, in reverse order and with another hash seed.

    Exit code 1 if there is an error (with --strict, also if there is a warning).
    """
    if quick and games is not None:
        raise click.UsageError(f"--quick means --games {QUICK_GAMES}, but --games {games} was given, too")
    if bank_ms == 0 and move_ms is None:
        raise click.UsageError("--bank-ms 0 without --move-ms is a clock without any time")
    wanted = None if games is None else games + games % 2  # each deal is played twice
    line = _Line()
    try:
        report = check_bot(
            bot,
            rules=tuple(dict.fromkeys(options.split_variants(rules, "--rules"))) or RULES,
            level=isolation,
            games=QUICK_GAMES if quick else wanted or GAMES,
            seed=seed,
            clock=Clock(move_ms, bank_ms),
            seconds=seconds,
            strength=strength,
            report=line.show,
        )
    finally:
        line.end()
    values = report.to_dict() if as_json else {}
    if not as_json:
        click.echo(report_text(report), nl=False)
    if ladder:
        from arena.cli.ladder import for_check

        place = None if report.errors else for_check(bot, [played.rules for played in report.rules], isolation, as_json)
        if place is None and not report.errors:
            return INTERRUPTED
        values["ladder"] = place
        if not as_json:
            click.echo(f"\n{place or 'Not placed on the ladder, because it has errors.'}", nl=not place)
    if as_json:
        click.echo(json_text(values))
    return NOT_READY if report.errors or (strict and report.warnings) else READY


class _Line:
    """Progress on stderr: on a terminal one line that is rewritten, else a line every few seconds."""

    def __init__(self) -> None:
        self.terminal = sys.stderr.isatty()
        self.every = 0.1 if self.terminal else 5.0
        self.next = time.monotonic() + (0.3 if self.terminal else 3.0)
        self.open = False

    def show(self, progress: str) -> None:
        now = time.monotonic()
        if now < self.next:
            return
        self.next = now + self.every
        if self.terminal:
            width = shutil.get_terminal_size().columns - 1
            click.echo(f"\r\x1b[K{progress[:width]}", nl=False, err=True)
            self.open = True
        else:
            click.echo(progress, err=True)

    def end(self) -> None:
        if self.open:
            click.echo("\r\x1b[K", nl=False, err=True)
            self.open = False
