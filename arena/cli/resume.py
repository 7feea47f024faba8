"""`arena resume`: play an interrupted run to its end, or extend a finished one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import click

from arena.cli.compare import resume_comparison
from arena.cli.options import (
    HOW_TO_PLAY,
    UNTIL_ERROR,
    WHAT_TO_SHOW,
    Decorator,
    Number,
    PlayOptions,
    complete_runs,
    games,
    play_options,
    trust,
    with_options,
)
from arena.cli.playing import confirm_bots, play_and_show, with_settings_of
from arena.errors import ArenaError
from arena.results.run_data import stored_config
from arena.results.sources import RecordFile, StoredComparison, StoredLeague, find_source
from arena.settings import settings_of
from arena.tournament.formats import FORMATS
from arena.tournament.growth import grown, option_of
from arena.tournament.store.reader import Reader


def _growth_options() -> Iterator[Decorator]:
    """Yield an option for each setting of a single format that makes a stored run larger."""
    for format_ in FORMATS.values():
        if (growth := format_.grows) is not None and not growth.common:
            number = Number(settings_of(format_.settings)[growth.key])
            help = f"Extend to N {growth.noun} ({format_.name})."
            yield click.option(option_of(growth.key), type=number, metavar="N", help=help)


@click.command()
@click.argument("source", metavar="RUN", shell_complete=complete_runs)
@with_options(*_growth_options())
@trust
@play_options(games, *UNTIL_ERROR, *HOW_TO_PLAY, *WHAT_TO_SHOW)
def resume_command(source: str, trust: bool, options: PlayOptions, **growth: int | None) -> int:
    """Play an interrupted RUN to its end, with the settings it was started with. RUN is a path or a name in results/.

    \b
    arena resume latest
    arena resume mycup --games 400

    With --games, --rounds, --matches, --max-pairs or --error, a finished run is extended. The result is the same as if
    that number had been asked for from the start. With --error, the exit code is 1 if the errors are still too large at
    the end. For a comparison, all variants are resumed.

    Resuming runs the bots that the folder names. If you did not create it, the bots are shown and you are asked first.
    """
    if options.error is None:  # otherwise --games is its limit
        growth["games"] = options.games
        options = replace(options, games=None)
    wanted = {key: number for key, number in growth.items() if number is not None}
    found = find_source(source)
    folder = found.path
    match found:
        case RecordFile():
            raise ArenaError(f"{source} is a file of records; only the folder of a run can be resumed")
        case StoredLeague():
            raise ArenaError(f"{source} is a league, which never ends; to play more games: arena league play {source}")
        case StoredComparison():
            return resume_comparison(folder, wanted, options, trust)
    with Reader(folder) as reader:
        settings = stored_config(reader)
        if not (trust or reader.is_own()):
            confirm_bots(folder, settings)
    message_source = f"settings of {folder}"
    settings = with_settings_of(grown(settings, wanted, message_source), options, message_source)
    return play_and_show(settings, replace(options, out=folder), resume=True)
