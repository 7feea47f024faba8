"""`arena run`, `match`, `tournament` and `resume`: play games and show the standing."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli import options
from arena.errors import ArenaError, did_you_mean

if TYPE_CHECKING:
    from arena.config.tournament import TournamentConfig
    from arena.runner.sprt import Watch

FORMATS = ("round-robin", "gauntlet", "swiss", "knockout", "series")
DONE, FAULTS, INTERRUPTED = 0, 1, 130


class RunError(ArenaError):
    """A run cannot begin as asked."""


@click.command()
@click.argument("config", shell_complete=options.complete_configs)
@options.own_deals
@options.what_to_play
@options.how_to_play
@options.where
@options.what_to_show
def run(config: str, out: Path | None, as_json: bool, strict: bool, **given: Any) -> int:
    """Play the tournament that CONFIG describes: a TOML file, or the name of one that came with the program.

    Options go before what stands in the file. The same command again goes on where the run was interrupted.
    """
    from arena.config.tournament import load_config

    settings = load_config(config_path(config), bot_fault, rules_fault)
    settings = changed(settings, given)
    return play(settings, out, as_json, strict)


@click.command()
@click.argument("a", shell_complete=options.complete_bots)
@click.argument("b", shell_complete=options.complete_bots)
@options.what_to_play
@options.how_to_play
@options.where
@options.what_to_show
def match(a: str, b: str, out: Path | None, as_json: bool, strict: bool, **given: Any) -> int:
    """Bot A against bot B, 100 games unless you say otherwise.

    A bot is a name (random), a file (bots/mine.py) or package.module:Class, with parameters behind a colon
    (bots/mine.py:depth=2) and a name of its own in front if need be (deep=bots/mine.py:depth=2).
    """
    return play(from_options("match", (a, b), given), out, as_json, strict, named=False)


@click.command()
@click.argument("bots", nargs=-1, required=True, metavar="BOT...", shell_complete=options.complete_bots)
@click.option("--format", "format_", type=click.Choice(FORMATS), default="round-robin", show_default=True)
@click.option("--rounds", type=click.IntRange(min=1), help="Of a swiss tournament, or games of a series.")
@click.option("--target", type=click.IntRange(min=1), help="Points that end a series (default: 20).")
@click.option("--matches", type=click.IntRange(min=1), help="Series for each two bots (default: 1).")
@options.own_deals
@options.what_to_play
@options.how_to_play
@options.where
@options.what_to_show
def tournament(
    bots: tuple[str, ...], format_: str, out: Path | None, as_json: bool, strict: bool, **given: Any
) -> int:
    """Every BOT against every other, or in another format; in a gauntlet the first against all others.

    Bots are named as in 'arena match'.
    """
    return play(from_options(format_, bots, given), out, as_json, strict, named=False)


@click.command()
@click.argument("folder", shell_complete=options.complete_runs)
@options.how_to_play
@options.what_to_show
def resume(folder: str, as_json: bool, strict: bool, **given: Any) -> int:
    """Go on with the run in FOLDER (a path, or a name in results/), with the settings it was begun with."""
    from arena.report.read_run import run_folder, stored_config
    from arena.store.reader import Reader

    place = run_folder(folder)
    with Reader(place) as reader:
        settings = stored_config(reader)
    settings = changed(settings, given, f"settings of {place}")
    return play(settings, place, as_json, strict, resume=True)


# ---------------------------------------------------------------- settings


def config_path(text: str) -> Path:
    """The file of a tournament: a path, or a bare name from ./configs or those that came with the program."""
    from arena.paths import data_folder

    path = Path(text)
    if path.suffix == ".toml" or path.name != text or path.is_file():
        return path  # load_config says what is wrong with it
    folders = (Path("configs"), data_folder("configs"))
    for folder in folders:
        if (folder / f"{text}.toml").is_file():
            return folder / f"{text}.toml"
    names = sorted({file.stem for folder in folders for file in folder.glob("*.toml")})
    raise RunError(
        f"unknown tournament '{text}'{did_you_mean(text, names)}"
        f" (known by name: {', '.join(names)}; others by file, such as configs/mine.toml)"
    )


def bot_fault(spec: str) -> str | None:
    """What is wrong with a bot's spec, or None."""
    from arena.players.spec import find_bot

    try:
        find_bot(spec)
    except ArenaError as error:
        return str(error)
    return None


def rules_fault(name: str) -> str | None:
    """What is wrong with the name of a rule set, or None."""
    from arena.game.rules import load_rules

    try:
        load_rules(name)
    except ArenaError as error:
        return str(error)
    return None


def changed(
    config: TournamentConfig, given: Mapping[str, Any], source: str = "command line"
) -> TournamentConfig:
    """The settings of a file with the options of the command line before them; `source` is for messages."""
    from arena.config.tournament import config_from_dict

    values = config.to_dict()
    for key in ("games", "rules", "seed", "own_deals", "workers", "executor", "scheduler", "isolation"):
        if given.get(key) is not None:
            values[key] = given[key]
    clock = {key: given[key] for key in ("move_ms", "bank_ms") if given.get(key) is not None}
    values["clock"] = values.get("clock", {}) | clock
    if values.get("scheduler") is not None and given.get("executor") is None:
        values["executor"] = "dask"
    return config_from_dict(values, source, config.name, bot_fault, rules_fault)


def from_options(format_: str, bots: tuple[str, ...], given: Mapping[str, Any]) -> TournamentConfig:
    """Settings from the command line alone."""
    from arena.config.tournament import config_from_dict
    from arena.players.spec import find_bots

    specs = find_bots(bots)
    values: dict[str, Any] = {"format": format_, "bots": [{"spec": s.spec, "name": s.name} for s in specs]}
    if format_ == "swiss" and given.get("rounds") is not None:
        values["swiss"] = {"rounds": given["rounds"]}
    if format_ == "series":
        names = ("rounds", "target", "matches")
        values["series"] = {key: given[key] for key in names if given.get(key) is not None}
        if not {"rounds", "target"} & values["series"].keys():
            values["series"]["target"] = 20
    _refuse_strangers(format_, given)
    shown = "-".join([spec.name for spec in specs[:4]] + ["and-more"] * (len(specs) > 4))
    name = re.sub(r"[^\w.]+", "-", f"{format_}-{shown}").strip("-.")[:60]
    return changed(config_from_dict(values, "command line", name), given)


def _refuse_strangers(format_: str, given: Mapping[str, Any]) -> None:
    belongs = {"rounds": ("swiss", "series"), "target": ("series",), "matches": ("series",)}
    for key, formats in belongs.items():
        if given.get(key) is not None and format_ not in formats:
            raise RunError(f"--{key} belongs to --format {' or '.join(formats)}, but the format is {format_}")


def default_folder(config: TournamentConfig, named: bool) -> Path:
    """results/NAME; for a run without a file, with a mark that tells its settings and bots from others.

    So the same command with the same seed goes on with its run, and another one never meets it.
    """
    from arena.players.spec import find_bot
    from arena.report.read_run import RESULTS

    if named:
        return RESULTS / config.name
    sources = [find_bot(bot.spec, bot.params, bot.name).source_hash for bot in config.bots]
    settings = json.dumps([config.canonical(), sources], sort_keys=True)
    return RESULTS / f"{config.name}-{hashlib.sha256(settings.encode()).hexdigest()[:8]}"


# ---------------------------------------------------------------- playing


def play(
    config: TournamentConfig,
    folder: Path | None,
    as_json: bool,
    strict: bool,
    *,
    resume: bool = False,
    named: bool = True,
) -> int:
    """Play, write the tables, show the standing; the exit code."""
    from arena.formats.sprt import SprtSettings
    from arena.runner.progress import progress_for
    from arena.runner.sprt import Watch
    from arena.runner.tournament import run_tournament

    if folder is None and config.out is not None:
        folder = Path(config.out)
    if folder is None:
        if not named and config.seed is None:
            config = config.with_seed(drawn_seed(any(level != "none" for level in config.levels)))
        folder = default_folder(config, named)
    settings = config.format_settings
    test = Watch(settings) if isinstance(settings, SprtSettings) else None
    report = run_tournament(
        config,
        folder,
        workers=config.workers or cores(),
        executor=config.executor,
        scheduler=config.scheduler,
        progress=progress_for(text=test.text if test else None),
        resume=resume,
        stop=test,
    )
    if report.interrupted:
        click.echo(
            f"\nInterrupted: {report.done} of {'at most ' if test else ''}{report.total} games are stored."
            " Go on with:\n"
            f"  arena resume {shlex.quote(str(folder))}",
            err=True,
        )
        return INTERRUPTED
    if not report.played:
        click.echo(f"All {report.done} games were played before, seed {report.seed}.", err=True)
    _show(folder, as_json, test)
    if strict and report.forfeits:
        click.echo(f"{report.forfeits} games were lost by forfeit (--strict).", err=True)
        return FAULTS
    return DONE


def _show(folder: Path, as_json: bool, test: Watch | None = None) -> None:
    from arena.report.export import export
    from arena.report.read_run import read_run
    from arena.report.standings import standings
    from arena.report.tables import forfeits, json_text, summary, terminal

    found = standings(read_run(folder))
    export(found, folder)
    if test is not None:
        from arena.runner.sprt import show_run

        show_run(found.run, test, folder, as_json)
        return
    if as_json:
        click.echo(json_text(summary(found) | {"forfeits": forfeits(found), "folder": str(folder)}), nl=False)
        return
    click.echo(err=True)  # an empty line after the progress
    click.echo(terminal(found))
    click.echo(f"Stored in {folder}. Look at a game: arena replay {shlex.quote(str(folder))}")


def drawn_seed(isolated: bool = False) -> int:
    """A seed short enough to be read out; for strangers' bots one that cannot be found by trying."""
    return secrets.randbits(62) if isolated else secrets.randbelow(10**9)


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
