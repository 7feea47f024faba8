"""Play a comparison: the same bots on the same deals under several rule sets, a run for each in one folder."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from arena.bots.bundle import bots_held
from arena.game.rules import load_rules, preset_names
from arena.results.comparison import ComparisonConfig, write_comparison
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
def play_comparison(
    comparison: ComparisonConfig,
    folder: Path,
    config_of: Callable[[TournamentConfig], TournamentConfig],
    progress: Callable[[], ProgressListener | None],
    tell: Callable[[str], None],
    until: UntilError | None = None,
    again: Collection[str] = (),
) -> Mapping[str, str] | None:
    """Bring each variant up to date and write its tables; return why bots were left out, None if interrupted.

    `config_of` may change settings that make no difference to the games; `tell` is called with the variant that is
    next. With `until`, all variants are extended together until the errors of all of them are small enough.
    """
    left_out: dict[str, str] = {}
    more: ComparisonConfig | None = comparison
    while more is not None:
        configs = {name: config_of(config) for name, config in more.configs().items()}
        for name, config in configs.items():
            prepare(config, folder / name, again)  # refuse before anything is written
        folder.mkdir(parents=True, exist_ok=True)
        write_comparison(more, folder)
        tables = []
        for number, (name, config) in enumerate(configs.items(), start=1):
            tell(f"Variant {number} of {len(configs)}: {config.rules}")
            run_folder = folder / name
            report = play_run(config, run_folder, progress(), again=again)
            if report.stopped:
                return None
            left_out |= report.left_out
            tables.append(standings(read_run(run_folder)))
            write_run_files(tables[-1], run_folder)
        games = None if until is None else until.look(tables, next(iter(more.configs().values())))
        more, again = None if games is None else more.with_games(games), ()
    return left_out
