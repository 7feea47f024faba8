"""`arena compare`: play the same bots on the same deals under several rule sets."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from arena.cli.group import INTERRUPTED
from arena.cli.options import PlayOptions, split_variants
from arena.cli.playing import (
    command_progress,
    config_of,
    show_plans,
    tell_error,
    tell_left_out,
    until_error,
    warn_of_workers,
)
from arena.cli.printing import forfeit_code, print_report, refuse_options
from arena.errors import ArenaError
from arena.game.rules import load_rules, written_out
from arena.lab.tournament import all_variants, play_variants
from arena.results.formats import PRINT_WIDE
from arena.results.sources import StoredRun, find_source
from arena.results.variant_report import comparison, read_variants
from arena.tournament.bot_list import FieldBot, command_field
from arena.tournament.config import TournamentConfig
from arena.tournament.folders import folder_name, marked_folder, run_name, variant_runs, with_drawn_seed
from arena.tournament.store.reader import Reader


def compare_command(
    bots: tuple[str, ...],
    variants: tuple[str, ...],
    baseline: str | None,
    stored: tuple[str, ...],
    exclude: tuple[str, ...],
    options: PlayOptions,
    to: Path | None,
    form: str,
) -> int:
    """Run `arena compare`."""
    if stored:
        played = [param.name or "" for param in click.get_current_context().command.params]
        reading = ("bots", "stored", "baseline", "to", "form")
        refuse_options(
            "does not go with --from, which plays nothing", *(name for name in played if name not in reading)
        )
        return show_comparison(_folders([*stored, *bots]), baseline, form, to)
    field = command_field(bots, exclude)
    if len(field) < 2:
        found = ": " + field[0].spec if field else ""
        raise ArenaError(f"expected at least two bots, found {len(field)}{found}")
    if len(field) == 2 and not variants and baseline is None:
        first, second = (shlex.quote(bot.spec) for bot in field)
        raise ArenaError(
            "expected rule sets to compare, for example --variants base,tactical,expert; to compare two bots under one"
            f" rule set: arena match {first} {second}, or arena sprt {first} {second}"
        )
    names = _folder_names(all_variants(split_variants(variants)), baseline)
    configs = _configs(field, names, options)
    if options.dry_run:
        plans = {config.rules: (config, folder) for folder, config in configs.items()}
        return show_plans(plans, replace(options, as_json=form == "json"))
    code = _play(configs, options)
    if code != INTERRUPTED:
        chosen = "" if baseline is None else f" --baseline {shlex.quote(baseline)}"
        wide = f"arena compare --from {shlex.quote(str(next(iter(configs)).parent))}{chosen} {PRINT_WIDE}"
        code |= show_comparison(list(configs), baseline, form, to, options.strict, wide)
    return code


# ---------------------------------------------------------------- playing


def _configs(field: Sequence[FieldBot], names: Mapping[str, str], options: PlayOptions) -> dict[Path, TournamentConfig]:
    """Return the settings of each variant by the folder of its run; `names` are the variants by the folders' names."""
    until, out = until_error(options), options.out
    bots = [bot.table() for bot in field]
    configs = {
        name: config_of("round-robin", (), options, {"rules": rules, "bots": bots}, name)
        for name, rules in names.items()
    }
    if until is not None:
        configs = {name: until.begin(each) for name, each in configs.items()}
    config = _with_common_seed(next(iter(configs.values())), out)
    assert config.seed is not None
    configs = {name: each.with_seed(config.seed) for name, each in configs.items()}
    if out is None:
        canonical = [each.canonical() for each in configs.values()]
        out = marked_folder(run_name("compare", config.bot_names), canonical, config)
    return {out / name: each for name, each in configs.items()}


def _with_common_seed(config: TournamentConfig, out: Path | None) -> TournamentConfig:
    """Return the config with one seed for all variants: its own, that of the runs in the folder, or a new one."""
    stored = {} if out is None else variant_runs(out)
    if not stored:
        return with_drawn_seed(config)
    with Reader(next(iter(stored.values()))) as reader:
        seed = reader.config()["seed"]
    if config.seed not in (None, seed):
        raise ArenaError(f"{out} holds runs with seed {seed}, not {config.seed}. Choose another folder with --out")
    return config.with_seed(seed)


_DONE, TOO_LARGE = 0, 1
"""Exit codes; TOO_LARGE if --error was given and not reached, or if a bot was left out."""


def _folder_names(variants: Sequence[str], baseline: str | None) -> dict[str, str]:
    """Return the variants by the names of their folders, with the baseline, which comes first if it was not named."""
    rules = {variant: load_rules(variant).canonical for variant in variants}
    if baseline is not None and load_rules(baseline).canonical not in rules.values():
        rules = {baseline: load_rules(baseline).canonical, **rules}
        variants = [baseline, *variants]
    if len(variants) < 2:
        raise ArenaError(
            f"expected at least two variants, found {len(variants)}; for example --variants base,tactical,expert"
        )
    names: dict[str, str] = {}
    known: dict[str, str] = {}
    for variant in variants:
        name = folder_name(variant)
        for other in (names.get(name), known.get(rules[variant])):
            if other is not None:
                raise ArenaError(f"--variants: '{other}' and '{variant}' are the same rule set")
        names[name] = known[rules[variant]] = variant
    return {name: written_out(variant) for name, variant in names.items()}


def _play(configs: Mapping[Path, TournamentConfig], options: PlayOptions) -> int:
    """Play what is left of a comparison and return the exit code."""
    until = until_error(options)
    folder, config = next((path.parent, config) for path, config in configs.items())
    warn_of_workers(config)
    try:
        on_status = partial(click.echo, err=True)
        left_out = play_variants(configs, command_progress, on_status, until, options.again)
    except KeyboardInterrupt:
        left_out = None
    if left_out is None:
        same = "the same command" if options.out else f"the same command and --out {shlex.quote(str(folder))}"
        click.echo(f"\nInterrupted, seed {config.seed}. Play the rest with {same}.", err=True)
        return INTERRUPTED
    small_enough = until is None or tell_error(until)
    tell_left_out(left_out)
    click.echo(f"Stored in {folder}.\n", err=True)
    return _DONE if small_enough and not left_out else TOO_LARGE


# ---------------------------------------------------------------- reading


def _folders(texts: Sequence[str]) -> list[Path]:
    """Return the folders of the runs named; a comparison gives those of its variants, in order."""
    folders: list[Path] = []
    for text in texts:
        for part in find_source(text).parts().values():
            if not isinstance(part, StoredRun):
                raise ArenaError(f"--from {text}: expected a run or a comparison")
            folders.append(part.path)
    return folders


def show_comparison(
    folders: Sequence[Path],
    baseline: str | None,
    form: str,
    to: Path | None,
    strict: bool = False,
    wide: str = PRINT_WIDE,
) -> int:
    """Show the tables of stored variants, with `wide` as what to type for hidden columns; return the exit code."""
    report = comparison(read_variants(folders), baseline)
    print_report(report, form, to, wide)
    return forfeit_code(report.forfeits.values(), strict)
