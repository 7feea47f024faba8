"""What the commands share that play tournaments: settings from options, a default folder, playing and showing."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.config.tournament import TournamentConfig
    from arena.report.run import RunData
    from arena.store.sequential_test import SequentialTest

DONE, FORFEITED, INTERRUPTED = 0, 1, 130
SPRT_FILE = "sprt.json"

_OPTIONS = ("games", "rules", "seed", "own_deals", "workers", "executor", "scheduler", "isolation")


# ---------------------------------------------------------------- settings


def from_options(
    format_: str, bots: Sequence[str], given: Mapping[str, Any], tables: Mapping[str, Any], name: str = ""
) -> TournamentConfig:
    """Settings from the command line alone; `tables` are further ones as a file would give them."""
    from arena.config.tournament import config_from_dict
    from arena.players.spec import find_bots

    specs = find_bots(tuple(bots))
    values = {"format": format_, "bots": [{"spec": one.spec, "name": one.name} for one in specs], **tables}
    return with_options(config_from_dict(values, "command line", name or run_name(format_, specs)), given)


def with_options(
    config: TournamentConfig, given: Mapping[str, Any], source: str = "command line"
) -> TournamentConfig:
    """Settings with the options of the command line, which take precedence; `source` is for messages."""
    from arena.config.tournament import config_from_dict

    values = config.to_dict()
    values |= {key: given[key] for key in _OPTIONS if given.get(key) is not None}
    clock = {key: given[key] for key in ("move_ms", "bank_ms") if given.get(key) is not None}
    values["clock"] = values.get("clock", {}) | clock
    if values.get("scheduler") is not None and given.get("executor") is None:
        values["executor"] = "dask"
    return config_from_dict(values, source, config.name, bot_fault, rules_fault)


def bot_fault(spec: str) -> str | None:
    """What is wrong with a bot's spec, or None."""
    from arena.players.spec import find_bot

    return _fault_of(find_bot, spec)


def rules_fault(name: str) -> str | None:
    """What is wrong with the name of a rule set, or None."""
    from arena.game.rules import load_rules

    return _fault_of(load_rules, name)


def _fault_of(load: Callable[[str], object], text: str) -> str | None:
    try:
        load(text)
    except ArenaError as error:
        return str(error)
    return None


def drawn_seed(isolated: bool = False) -> int:
    """A seed short enough to be read out; for strangers' bots one that cannot be found by trying."""
    return secrets.randbits(62) if isolated else secrets.randbelow(10**9)


# ---------------------------------------------------------------- folders


def run_name(start: str, bots: Sequence[Any]) -> str:
    """A name for a run without a file: how it is played, and its first bots (anything that has a `name`)."""
    shown = "-".join([start, *(bot.name for bot in bots[:4])] + ["and-more"] * (len(bots) > 4))
    return re.sub(r"[^\w.]+", "-", shown).strip("-.")[:60]


def marked_folder(name: str, settings: object, config: TournamentConfig) -> Path:
    """A folder in results/ with a mark that tells settings and sources of bots from others.

    So the same command with the same seed resumes its run, and another one never meets it.
    """
    from arena.players.spec import find_bot
    from arena.report.read_run import RESULTS

    sources = [find_bot(bot.spec, bot.params, bot.name).source_hash for bot in config.bots]
    text = json.dumps([settings, sources], sort_keys=True)
    return RESULTS / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _with_folder(config: TournamentConfig, folder: Path | None, named: bool) -> tuple[TournamentConfig, Path]:
    """Where a run goes: a folder of the name of its file, else a marked one, for which the seed must be drawn."""
    from arena.report.read_run import RESULTS

    if folder is not None:
        return config, folder
    if config.out is not None:
        return config, Path(config.out)
    if named:
        return config, RESULTS / config.name
    if config.seed is None:
        config = config.with_seed(drawn_seed(any(level != "none" for level in config.levels)))
    return config, marked_folder(config.name, config.canonical(), config)


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
    """Play, write the tables, show the standings; the exit code. `named`: the settings have a name of their own."""
    from arena.formats.sprt import SprtSettings
    from arena.processes.affinity import core_count
    from arena.report.sprt import sprt_line
    from arena.runner.progress import RunStatus, progress_for, rate_text
    from arena.runner.tournament import run_tournament
    from arena.store.sequential_test import SequentialTest

    config, folder = _with_folder(config, folder, named)
    settings = config.format_settings
    test = SequentialTest(settings) if isinstance(settings, SprtSettings) else None

    def test_text(status: RunStatus) -> str:
        assert test is not None
        return sprt_line(test.result()) + (f", {rate_text(status.rate)}" if status.rate > 0 else "")

    report = run_tournament(
        config,
        folder,
        workers=config.workers or core_count(),
        executor=config.executor,
        scheduler=config.scheduler,
        progress=progress_for(text=test_text if test else None),
        resume=resume,
        stop=test,
    )
    if report.interrupted:
        click.echo(
            f"\nInterrupted: {report.done} of {'at most ' if test else ''}{report.total} games are stored."
            " Resume with:\n"
            f"  arena resume {shlex.quote(str(folder))}",
            err=True,
        )
        return INTERRUPTED
    if not report.played:
        click.echo(f"All {report.done} games were played before, seed {report.seed}.", err=True)
    _show(folder, as_json, test)
    if strict and report.forfeits:
        click.echo(f"{report.forfeits} games were lost by forfeit (--strict).", err=True)
        return FORFEITED
    return DONE


def _show(folder: Path, as_json: bool, test: SequentialTest | None) -> None:
    from arena.report.export import export
    from arena.report.read_run import read_run
    from arena.report.standings import standings
    from arena.report.tables import forfeits, json_text, summary, terminal

    found = standings(read_run(folder))
    export(found, folder)
    if test is not None:
        _show_test(found.run, test, folder, as_json)
    elif as_json:
        click.echo(json_text(summary(found) | {"forfeits": forfeits(found), "folder": str(folder)}), nl=False)
    else:
        click.echo(err=True)  # an empty line after the progress
        click.echo(terminal(found))
        click.echo(f"Stored in {folder}. Look at a game: arena replay {shlex.quote(str(folder))}")


def _show_test(run: RunData, test: SequentialTest, folder: Path, as_json: bool) -> None:
    """Write sprt.json into the folder of a run and show where the test stands."""
    from arena.report.export import write_whole
    from arena.report.sprt import sprt_text, sprt_values
    from arena.report.tables import json_text

    result = test.result()
    one, two = run.bots
    config = run.config
    values = {
        "bot": one,
        "opponent": two,
        **sprt_values(result),
        "pairs": result.units,
        "max_pairs": test.max_pairs,
        "rules": config["rules"],
        "seed": config["seed"],
    }
    write_whole(folder / SPRT_FILE, [json_text(values)])
    if as_json:
        click.echo(json_text(values | {"folder": str(folder)}), nl=False)
        return
    click.echo(err=True)  # an empty line after the progress
    click.echo(f"{run.name}: {one} against {two}, rules {config['rules']}, seed {config['seed']}\n")
    click.echo(sprt_text(result, one, two), nl=False)
    if not test.decided:
        click.echo(f"The test was given up after {result.units:,} pairs; --max-pairs allows more.")
    click.echo(f"\nStored in {folder}. The table: arena standings {shlex.quote(str(folder))}")
