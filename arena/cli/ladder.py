"""`arena ladder`: place a bot on the ladder of reference bots."""

from __future__ import annotations

import shlex
from dataclasses import replace

import click

from arena.bots.bundle import bots_held
from arena.cli.group import INTERRUPTED
from arena.cli.options import (
    FORFEITED,
    ISOLATION,
    PlayOptions,
    complete_bots,
    complete_configs,
    forfeit_code,
    games,
    quiet,
    report_text,
    rule_sets,
    strict,
    verbose,
    wide,
    workers,
)
from arena.cli.playing import command_progress, tell_left_out, with_settings_of
from arena.lab.rungs import GAMES_A_RUNG, ladder_config, stand
from arena.results.forfeit_lines import forfeit_paragraph
from arena.results.run_standings import standings
from arena.results.standings_report import standings_report, write_run_files
from arena.text import one_line


@click.command()
@click.argument("bot", shell_complete=complete_bots)
@rule_sets("base")
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
@strict
@wide
@quiet
@verbose
@bots_held()
def ladder_command(
    bot: str,
    rules: tuple[str, ...],
    games: int | None,
    file: str,
    isolation: str | None,
    workers: int | None,
    strict: bool,
) -> int:
    """Play BOT against every rung of the ladder of reference bots, and say where it stands.

    \b
    arena ladder bots/mine.py --rules base,tactical

    BOT plays pairs of games against each rung (--games per rung, by default 100). It is stronger or weaker than a rung
    if the 95% interval of their Elo difference says so. Each rule set is a run in results/, which 'arena standings' and
    'arena replay' read. To resume, give the same command again. The rungs play each other with 'arena run ladder'.

    The exit code is 1 if BOT or a rung forfeited every game, or a rung cannot be loaded, or with --strict any game.
    """
    config = with_settings_of(ladder_config(file), PlayOptions(workers=workers))
    shown, code = [], 0
    for name in rules or ("base",):
        standing = stand(config, bot, name, games or GAMES_A_RUNG, isolation, command_progress())
        if standing is None:
            click.echo("\nInterrupted; the same command resumes.", err=True)
            return INTERRUPTED
        table = standings(standing.run)
        write_run_files(table, standing.run.folder)
        click.echo(err=True)  # an empty line after the progress
        click.echo(f"{one_line(standing.sentence())}\n")
        shown.append(standing.run.forfeit_summary)
        if standing.forfeited:
            click.echo(f"{forfeit_paragraph(shown[-1])}\n")
        else:
            click.echo(report_text(replace(standings_report(table), next=""), "table"))
        folder = standing.run.folder
        click.echo(f"Stored in {folder}. Look at its games: arena replay {shlex.quote(folder)}")
        tell_left_out(standing.left_out)
        code |= FORFEITED * bool(standing.left_out)
    return code | forfeit_code(shown, strict)
