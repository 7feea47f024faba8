"""Folders that somebody else may have written: what going on with them would run, and the question whether it may."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.errors import ArenaError
from arena.text import one_line

if TYPE_CHECKING:
    from arena.tournament.config.tournament import TournamentConfig

_LONGEST = 200
_SHOWN = 40


def require_trust(place: Path, config: TournamentConfig, trust: bool) -> bool:
    """Ask before a run that this user has not begun starts anything of a stranger's. ArenaError if it must not.

    Was the folder trusted, so that it need not be asked again? False for one that starts only this program's own bots.
    """
    lines = _started(config)
    if not lines:
        return False
    if trust:
        return True
    shown = "\n  ".join(lines[:_SHOWN] + [f"... and {len(lines) - _SHOWN} more"] * (len(lines) > _SHOWN))
    text = (
        f"{one_line(str(place))} was begun by somebody else, or by an older version of the program. Going on with it"
        f" would run, with your rights unless sandboxed:\n  {shown}"
    )
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ArenaError(f"{text}\nNothing was started. Look at these, then give the same command with --trust")
    click.echo(text, err=True)
    if not click.confirm("Run that?", default=False, err=True):
        raise ArenaError("nothing was started")
    return True


def _started(config: TournamentConfig) -> list[str]:
    """What a run starts besides this program's own bots on this machine, a line each."""
    from arena.bots.processes.affinity import core_count

    lines = [
        one_line(f"{bot.name}: {bot.spec} {dict(bot.params) or ''}".rstrip() + f" (isolation {level})", _LONGEST)
        for bot, level in zip(config.bots, config.levels)
        if not _is_own(bot.spec)
    ]
    if config.executor != "local" or config.scheduler is not None:
        where = config.scheduler or "on this machine"
        lines.append(one_line(f"executor {config.executor}, scheduler {where}", _LONGEST))
    if config.workers is not None and config.workers > 2 * core_count():
        lines.append(f"{config.workers} worker processes")
    return lines


def _is_own(spec: str) -> bool:
    """Is it one of the bots that come with the program?"""
    from arena.bots.spec import find_bot, parse_spec
    from arena.paths import data_folder

    try:
        if not re.fullmatch(r"\w+", parse_spec(spec).target):
            return False
        return Path(find_bot(spec).path).parent == data_folder("bots").resolve()
    except ArenaError:
        return False
