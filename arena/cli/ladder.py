"""`arena ladder`: place a bot on the ladder of reference bots."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.main import INTERRUPTED
from arena.cli.options import (
    ISOLATION,
    PlayOptions,
    complete_bots,
    complete_configs,
    complete_rules,
    csv_folder,
    games,
    output,
    print_report,
    split_variants,
    workers,
)
from arena.cli.playing import with_settings_of
from arena.lab.ladder import MAX_GAMES, ladder_config, stand, standing_report


@click.command()
@click.argument("bot", shell_complete=complete_bots)
@click.option(
    "--rules",
    multiple=True,
    metavar="R",
    shell_complete=complete_rules,
    help="Rule sets, separated by commas or given several times (default: base).",
)
@games
@click.option(
    "--config",
    "file",
    default="ladder",
    show_default=True,
    metavar="CONFIG",
    shell_complete=complete_configs,
    help="The ladder: a tournament whose bots are its rungs, lowest first.",
)
@click.option("--isolation", type=ISOLATION, help="Where BOT runs: none (default), in this process, with your rights.")
@workers
@csv_folder
@output
def ladder(
    bot: str,
    rules: tuple[str, ...],
    games: int | None,
    file: str,
    isolation: str | None,
    workers: int | None,
    to: Path | None,
    form: str,
) -> int:
    """Find the rung on which BOT stands on the ladder of reference bots.

    \b
    arena ladder bots/mine.py --rules base,tactical

    BOT plays pairs of games against single rungs (at most --games per rung, by default 300) until it is clear whether
    it is 30 Elo stronger or weaker than the rung. The result is where BOT stands and what beats it. To resume, give the
    same command again. The rungs play each other with 'arena run ladder'.
    """
    config = with_settings_of(ladder_config(file), PlayOptions(workers=workers))
    standings = []
    for name in dict.fromkeys(split_variants(rules, "--rules") or ["base"]):
        standing = stand(config, bot, name, games or MAX_GAMES, isolation, tell=lambda text: click.echo(text, err=True))
        if not standing.complete:
            click.echo("\nInterrupted; the same command resumes.", err=True)
            return INTERRUPTED
        standings.append(standing)
    print_report(standing_report(standings), form, to)
    return 0
