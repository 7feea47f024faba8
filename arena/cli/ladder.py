"""`arena ladder`: place a bot on the ladder of reference bots."""

from __future__ import annotations

import shlex
from dataclasses import replace

import click

from arena.bots.bundle import bots_held
from arena.cli.group import INTERRUPTED
from arena.cli.options import (
    PlayOptions,
)
from arena.cli.playing import command_progress, end_progress, tell_left_out, with_settings_of
from arena.cli.printing import FORFEITED, forfeit_code, report_text
from arena.lab.rungs import GAMES_A_RUNG, ladder_config, stand
from arena.results.run_standings import standings
from arena.results.standings_report import standings_report, write_run_files
from arena.results.words import forfeit_paragraph
from arena.text import one_line


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
        standing = stand(config, bot, name, games or GAMES_A_RUNG, isolation, command_progress())
        if standing is None:
            click.echo("\nInterrupted; the same command resumes.", err=True)
            return INTERRUPTED
        table = standings(standing.run)
        write_run_files(table, standing.run.folder)
        end_progress()
        click.echo(f"{one_line(standing.sentence())}\n")
        shown.append(standing.run.forfeit_summary)
        if standing.forfeited:
            click.echo(f"{forfeit_paragraph(shown[-1])}\n")
        else:
            wide = f"arena standings {shlex.quote(str(standing.run.folder))} --print wide"
            click.echo(report_text(replace(standings_report(table), next=""), "table", wide))
        folder = standing.run.folder
        click.echo(f"Stored in {folder}. Look at its games: arena replay {shlex.quote(folder)}")
        tell_left_out(standing.left_out)
        code |= FORFEITED * bool(standing.left_out)
    return code | forfeit_code(shown, strict)
