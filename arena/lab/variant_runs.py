"""Play a comparison: the same bots on the same deals under several rule sets, a run for each in one folder."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from arena.bots.bundle import bots_held
from arena.game.rules import load_rules, preset_names
from arena.results.run_data import read_run
from arena.results.run_standings import standings
from arena.results.standings_report import write_run_files
from arena.results.until_error import UntilError
from arena.tournament.config import TournamentConfig
from arena.tournament.runner.play_run import play_run, prepare
from arena.tournament.runner.progress import ProgressListener

ALL = "all"
"""In a list of variants, every rule set that comes with the program."""


def all_variants(variants: Sequence[str]) -> list[str]:
    """Return the rule sets named; `all` stands for every one that is not named itself."""
    known = {load_rules(name).canonical for name in variants if name != ALL}
    names: list[str] = []
    for name in variants:
        if name == ALL:
            names += [preset for preset in preset_names() if load_rules(preset).canonical not in known]
        else:
            names.append(name)
    return names


@bots_held()
def play_variants(
    configs: Mapping[Path, TournamentConfig],
    progress: Callable[[], ProgressListener | None],
    on_status: Callable[[str], None],
    until: UntilError | None = None,
    again: Collection[str] = (),
) -> Mapping[str, str] | None:
    """Bring each variant up to date and write its tables; return why bots were left out, None if interrupted.

    `configs` are the settings by folder; `on_status` is called with the variant that is next. With `until`, all
    variants are extended together until the errors of all of them are small enough.
    """
    left_out: dict[str, str] = {}
    games: int | None = None
    while True:
        if games is not None:
            configs, again = {folder: replace(config, games=games) for folder, config in configs.items()}, ()
        for folder, config in configs.items():
            prepare(config, folder, again)  # refuse before anything is written
        next(iter(configs)).parent.mkdir(parents=True, exist_ok=True)
        tables = []
        for number, (folder, config) in enumerate(configs.items(), start=1):
            on_status(f"Variant {number} of {len(configs)}: {config.rules}")
            report = play_run(config, folder, progress(), again=again)
            if report.stopped:
                return None
            left_out |= report.left_out
            tables.append(standings(read_run(folder)))
            write_run_files(tables[-1], folder)
        games = None if until is None else until.look(tables, next(iter(configs.values())))
        if games is None:
            return left_out
