"""`arena compare`: the same bots and the same deals under several rule sets."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli import options
from arena.cli.main import INTERRUPTED
from arena.cli.output import csv_folder, output, print_report
from arena.cli.playing import from_options
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.config.tournament import TournamentConfig


@click.command()
@click.argument("bots", nargs=-1, metavar="BOT...", shell_complete=options.complete_bots)
@click.option(
    "--variants",
    multiple=True,
    metavar="R,R,...",
    help="Rule sets, such as base,tactical:hand_size=6,scout_return=top,expert; may be repeated.",
)
@click.option(
    "--from",
    "stored",
    multiple=True,
    metavar="DIR...",
    help="Play nothing: compare stored runs or earlier comparisons.",
)
@options.what_to_play
@options.how_to_play
@options.where
@csv_folder
@output
def compare(
    bots: tuple[str, ...],
    variants: tuple[str, ...],
    stored: tuple[str, ...],
    out: Path | None,
    to: Path | None,
    form: str,
    **given: Any,
) -> int:
    """Play the same deals under several rule sets, and show what that changes.

    Every BOT plays every other in each variant, on the same deals as far as the decks allow. A variant is a rule
    set, with changed options or without; a comma before option=value continues the same variant. Each variant is a
    run of its own in DIR/VARIANT; the same command resumes an interrupted comparison.
    """  # fmt: skip
    if stored:
        if variants or out is not None or any(value is not None for key, value in given.items() if key != "rules"):
            raise ArenaError(
                "--from plays nothing; it cannot be combined with --variants, --out or options for playing"
            )
        folders = _folders([*stored, *bots])
    else:
        if given.pop("rules") is not None:
            raise ArenaError("--rules is for one rule set; name those to compare with --variants")
        played = _play(bots, split_variants(variants), out, given)
        if played is None:
            return INTERRUPTED
        folders = played
    _show(folders, form, to)
    return 0


def split_variants(texts: Sequence[str], option: str = "--variants") -> list[str]:
    """Split comma-separated rule sets; option=value belongs to the rule set before it.

    >>> split_variants(["base,tactical:hand_size=6,scout_return=top,expert"])
    ['base', 'tactical:hand_size=6,scout_return=top', 'expert']
    """
    found: list[str] = []
    for text in texts:
        begun = len(found)
        for part in (part.strip() for part in text.split(",")):
            if not part:
                raise ArenaError(f"{option} {text}: nothing between two commas")
            if re.fullmatch(r"[a-z_]+\s*=[^:]*", part) and not part.endswith(".toml"):
                if len(found) == begun or ":" not in found[-1]:
                    raise ArenaError(
                        f"{option} {text}: '{part}' changes an option, but there is no rule set"
                        " before it; write, for example, base:hand_size=7"
                    )
                found[-1] += f",{part}"
            else:
                found.append(part)
    return found


# ---------------------------------------------------------------- playing


def _play(bots: Sequence[str], variants: Sequence[str], out: Path | None, given: dict[str, Any]) -> list[Path] | None:
    """Play all variants. Returns their folders, or None if interrupted."""
    from arena.game.rules import load_rules
    from arena.tournament import drawn_seed, marked_folder, run_name

    if len(bots) < 2:
        raise ArenaError(f"expected at least two bots, found {len(bots)}{': ' + bots[0] if bots else ''}")
    if len(variants) < 2:
        raise ArenaError(
            f"expected at least two variants, found {len(variants)}; for example --variants base,tactical,expert"
        )
    names: dict[str, str] = {}
    rules: dict[str, str] = {}
    for variant in variants:
        name, canonical = folder_name(variant), load_rules(variant).canonical
        for other, known in ((names.get(name), variant), (rules.get(canonical), variant)):
            if other is not None:
                raise ArenaError(f"--variants: '{other}' and '{known}' are the same rule set")
        names[name] = rules[canonical] = variant
    configs = {
        name: from_options("round-robin", bots, given, {"rules": variant}, name) for name, variant in names.items()
    }
    if given["seed"] is None:
        # one seed for all: that of an interrupted comparison, or a new one
        seed = _stored_seed(out, list(configs)) if out is not None else None
        if seed is None:
            seed = drawn_seed(given.get("isolation") not in (None, "none"))
        configs = {name: config.with_seed(seed) for name, config in configs.items()}
    if out is None:
        one, *_ = configs.values()
        folder = marked_folder(run_name("compare", one.bot_names), [c.canonical() for c in configs.values()], one)
    else:
        folder = out
    for at, (name, config) in enumerate(configs.items(), start=1):
        click.echo(f"Variant {at} of {len(configs)}: {config.rules}", err=True)
        if not _play_one(config, folder / name):
            command = f" (--seed {config.seed}, --out {shlex.quote(str(folder))})"
            click.echo(f"\nInterrupted. Run the same command to resume{command}.", err=True)
            return None
    click.echo(f"Stored in {folder}.\n", err=True)
    return [folder / name for name in configs]


def folder_name(variant: str) -> str:
    """The folder of a variant.

    >>> folder_name("tactical:hand_size=6,scout_return=top"), folder_name("rules/mine.toml")
    ('tactical-hand_size=6-scout_return=top', 'rules-mine.toml')
    """
    return re.sub(r"[^\w.=+-]+", "-", variant).strip("-.")


def _stored_seed(folder: Path, names: Sequence[str]) -> int | None:
    from arena.store.reader import Reader
    from arena.store.schema import DATABASE

    for name in names:
        if (folder / name / DATABASE).is_file():
            with Reader(folder / name) as reader:
                return int(reader.config()["seed"])
    return None


def _play_one(config: TournamentConfig, folder: Path) -> bool:
    """Play a variant. Returns whether it was completed."""
    from arena.report.export import export
    from arena.report.read_run import read_run
    from arena.report.standings import standings
    from arena.runner.progress import progress_for
    from arena.tournament import play_config

    report = play_config(config, folder, progress_for())
    if report.interrupted:
        return False
    if report.played:
        export(standings(read_run(folder)), folder)
    return True


# ---------------------------------------------------------------- reading


def _folders(texts: Sequence[str]) -> list[Path]:
    """The named runs; those in a comparison's folder in alphabetical order of the variants."""
    from arena.paths import RESULTS
    from arena.store.folders import run_folder
    from arena.store.schema import DATABASE

    found: list[Path] = []
    for text in texts:
        for folder in (Path(text), RESULTS / text):
            inner = sorted(path.parent for path in folder.glob(f"*/{DATABASE}"))
            if inner and not (folder / DATABASE).is_file():
                found += inner
                break
        else:
            found.append(run_folder(text))
    seen: dict[Path, Path] = {}
    for folder in found:
        if folder.resolve() in seen:
            raise ArenaError(f"--from: {folder} is named twice")
        seen[folder.resolve()] = folder
    return found


def _show(folders: Sequence[Path], form: str, to: Path | None) -> None:
    from arena.report.compare import comparison, read_variants

    report = comparison(read_variants(folders))
    print_report(report, form, to)
