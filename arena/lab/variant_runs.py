"""Play a comparison: the same bots on the same deals under several rule sets, a run for each in one folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path

from arena.game.rules import load_rules, preset_names
from arena.lab.notebook import Comparison, Run
from arena.lab.tournament import refuse_strangers, resume_run
from arena.results.comparison import (
    ComparisonConfig,
    ComparisonError,
    common_settings,
    known_comparison,
    read_comparison,
    write_comparison,
)
from arena.results.run_data import read_run
from arena.results.run_standings import standings
from arena.results.sources import StoredComparison
from arena.results.standings_report import write_run_files
from arena.results.until_error import MOST_GAMES, UntilError
from arena.terminal.live import progress_for
from arena.tournament.config import TournamentConfig, check_config
from arena.tournament.folders import find_folder, is_begun, is_comparison
from arena.tournament.runner.play_run import asks_for_more, play_run, require_bots
from arena.tournament.runner.progress import ProgressListener
from arena.tournament.store.reader import Reader
from arena.tournament.store.writer import setting_differences

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


def new_comparison(
    config: TournamentConfig, variants: Mapping[str, str], baseline: str | None, folder: Path
) -> ComparisonConfig:
    """Return the comparison to play in a folder, together with the variants already there.

    ComparisonError if the folder holds a comparison with other settings, or with bots whose source has changed.
    """
    wanted = ComparisonConfig(common_settings(config), variants, baseline, sources_of(config))
    there = known_comparison(folder)
    if there is None:
        return wanted
    name, before = next(iter(there.configs().items()))
    after = replace(there, settings=wanted.settings).configs()[name]
    if lines := setting_differences(before.canonical(), after.canonical()):
        grow = f"\nOr extend that comparison, if it has fewer: arena resume {folder} --games {config.games}"
        raise ComparisonError(
            f"{folder} holds a comparison with other settings; nothing was started.\n  "
            + "\n  ".join(lines)
            + "\nChoose another folder with --out, or start with the settings of that comparison."
            + (grow if [line.partition(": ")[0] for line in lines] == ["games"] else "")
        )
    check_sources(there, wanted.sources, folder)
    both = {**there.variants, **variants}
    return replace(wanted, variants=both, baseline=baseline or there.baseline)


def sources_of(config: TournamentConfig) -> dict[str, str]:
    """Return the hash of each bot's source as it is now."""
    return {bot.name: bot.source_hash for bot in config.find_bots()}


def check_sources(stored: ComparisonConfig, now: Mapping[str, str], folder: Path) -> None:
    """Check that the bots are those that the comparison was begun with; ComparisonError if not."""
    for bot, source in stored.sources.items():
        if now.get(bot, source) != source:
            raise ComparisonError(
                f"{folder}: the source of bot {bot} has changed since the comparison began; nothing was started."
                " Choose another folder with --out, or restore the file"
            )


def play_comparison(
    comparison: ComparisonConfig,
    folder: Path,
    config_of: Callable[[TournamentConfig], TournamentConfig],
    progress: Callable[[], ProgressListener | None],
    tell: Callable[[str], None],
    until: UntilError | None = None,
) -> bool:
    """Play what is left of each variant and write its tables; return whether all are complete.

    `config_of` may change settings that make no difference to the games; `tell` is called with the variant that is
    next. With `until`, all variants are extended together until the errors of all of them are small enough.
    """
    more: ComparisonConfig | None = comparison
    while more is not None:
        configs = {name: config_of(config) for name, config in more.configs().items()}
        for name, config in configs.items():
            if is_begun(folder / name):
                with Reader(folder / name) as reader:
                    asks_for_more(reader, config)  # refuse before any of them is extended
        if not folder.exists():
            require_bots(next(iter(configs.values())))
        folder.mkdir(parents=True, exist_ok=True)
        write_comparison(more, folder)
        tables = []
        for number, (name, config) in enumerate(configs.items(), start=1):
            tell(f"Variant {number} of {len(configs)}: {config.rules}")
            run_folder = folder / name
            report = play_run(config, run_folder, progress(), resume=is_begun(run_folder))
            if report.interrupted:
                return False
            tables.append(standings(read_run(run_folder)))
            write_run_files(tables[-1], run_folder)
        larger = None if until is None else until.look(tables, next(iter(more.configs().values())))
        more = None if larger is None else more.grown({"games": larger.games})
    return True


def resume(
    folder: str | PathLike[str],
    *,
    error: float | None = None,
    bots: Sequence[str] = (),
    workers: int | None = None,
    progress: bool = False,
    trust: bool = False,
    **more: int | None,
) -> Run | Comparison:
    """Play a stored run, or all variants of a comparison, to its end; return it as `arena.load` does.

    To extend it, give its new size: `games` per pairing, `rounds` (swiss), `matches` (series) or `max_pairs` (sprt).
    The result is the same as if that number had been asked for from the start. With `error`, play continues until the
    95% error of every rating (or only of `bots`) is at most `error` Elo, or up to `games` per pairing (default:
    100,000).

    Resuming runs the bots that the folder names; a folder that belongs to another user is refused without `trust`.
    Raises ArenaError for what the user can fix, KeyboardInterrupt after Ctrl-C (the games in progress are stored).
    """
    path = find_folder(fspath(folder))
    asked = {key: number for key, number in more.items() if number is not None}
    until = None if error is None else UntilError(error, bots, asked.pop("games", MOST_GAMES))
    if not is_comparison(path):
        return resume_run(fspath(folder), asked, until, workers=workers, progress=progress, trust=trust)
    comparison = read_comparison(path).grown(asked)
    config = next(iter(comparison.configs().values()))
    refuse_strangers(path, config, trust or comparison.is_own)
    if until is not None:
        until.check(config)
    check_sources(comparison, sources_of(config), path)

    def config_of(config: TournamentConfig) -> TournamentConfig:
        return config if workers is None else check_config(replace(config, workers=workers), "resume")

    if not play_comparison(
        comparison, path, config_of, lambda: progress_for() if progress else None, lambda _: None, until
    ):
        raise KeyboardInterrupt(f"what was played is stored in {path}; the same call resumes it")
    return Comparison(StoredComparison(path))
