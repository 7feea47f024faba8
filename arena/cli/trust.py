"""Folders of other users: the question whether their bots may be run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.errors import ArenaError
from arena.text import one_line

if TYPE_CHECKING:
    from arena.tournament.config.tournament import TournamentConfig

_LONGEST_LINE = 200
_MOST_LINES = 40


def confirm_bots(folder: Path, config: TournamentConfig) -> None:
    """Ask whether the bots of a folder that belongs to another user may be run. ArenaError if not."""
    lines = [
        one_line(f"{bot.name}: {bot.spec} {dict(bot.params) or ''}".rstrip() + f" (isolation {level})", _LONGEST_LINE)
        for bot, level in zip(config.bots, config.levels)
    ]
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES:] = [f"... and {len(lines) - _MOST_LINES} more"]
    bots = "\n  ".join(lines)
    text = f"You did not create {one_line(str(folder))}. Resuming it runs these bots with your user account:\n  {bots}"
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ArenaError(f"{text}\nNothing was started. If you know these bots, add --trust")
    click.echo(text, err=True)
    if not click.confirm("Continue?", default=False, err=True):
        raise ArenaError("nothing was started")
