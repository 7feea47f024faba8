"""`arena resume`: bring a run up to date with its own settings, or with more or fewer games."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import click

from arena.cli.compare import resume_comparison
from arena.cli.options import (
    HOW_TO_PLAY,
    UNTIL_ERROR,
    UP_TO_DATE,
    WHAT_TO_SHOW,
    Decorator,
    Number,
    PlayOptions,
    complete_runs,
    games,
    option_of,
    play_options,
    trust,
    with_options,
)
from arena.cli.playing import confirm_bots, play_and_show, with_settings_of
from arena.errors import ArenaError
from arena.lab.tournament import resized
from arena.results.run_data import asked_config
from arena.results.sources import RecordFile, StoredComparison, StoredLeague, find_source
from arena.settings import settings_of
from arena.tournament.formats import FORMATS
from arena.tournament.store.reader import Reader


def _size_options() -> Iterator[Decorator]:
    """Yield an option for each setting of a single format that says how much is played."""
    for form in FORMATS.values():
        if form.size:
            setting = settings_of(form.settings)[form.size]
            help = f"{setting.help[0].upper()}{setting.help[1:]} ({form.name})."
            yield click.option(option_of(form.size), type=Number(setting), metavar="N", help=help)


@click.command()
@click.argument("source", metavar="RUN", shell_complete=complete_runs)
@with_options(*_size_options())
@trust
@play_options(games, *UNTIL_ERROR, *HOW_TO_PLAY, *UP_TO_DATE, *WHAT_TO_SHOW)
def resume_command(source: str, trust: bool, options: PlayOptions, **sizes: int | None) -> int:
    """Bring RUN up to date with the settings it was last played with. RUN is a path or a name in results/.

    \b
    arena resume latest
    arena resume mycup --games 400

    Games that are missing are played: of an interrupted run, of bots that have changed since, or as many more as
    --games, --rounds, --matches, --max-pairs or --error ask for. The result is the same as if that number had been
    asked for from the start. With --error, the exit code is 1 if the errors are still too large at the end. For a
    comparison, all variants are resumed. A tournament with a file is brought up to date by 'arena run FILE'.

    Resuming runs the bots that the folder names. If you did not create it, the bots are shown and you are asked first.
    """
    asked = {key: number for key, number in sizes.items() if number is not None}
    found = find_source(source)
    folder = found.path
    match found:
        case RecordFile():
            raise ArenaError(f"{source} is a file of records; only the folder of a run can be resumed")
        case StoredLeague():
            raise ArenaError(
                f"{source} is a league, which never ends; to play more games: arena league work {source} --play"
            )
        case StoredComparison():
            return resume_comparison(folder, asked, options, trust)
    with Reader(folder) as reader:
        settings = asked_config(reader)
        if not (trust or reader.is_own()):
            confirm_bots(folder, settings)
    message_source = f"settings of {folder}"
    settings = with_settings_of(resized(settings, asked, message_source), options, message_source)
    return play_and_show(settings, replace(options, out=folder))
