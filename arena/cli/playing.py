"""Shared by the commands that play tournaments: settings from options, play, and what is shown."""

from __future__ import annotations

import json
import shlex
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from arena.bots.cores import core_count
from arena.bots.output import PRINTED
from arena.bots.spec import BotSpec
from arena.cli.group import INTERRUPTED
from arena.cli.options import QUIET, PlayOptions, option_of
from arena.cli.printing import FORFEITED, forfeit_code, print_report, report_text
from arena.errors import ArenaError
from arena.game.rules import load_rules
from arena.paths import RESULTS
from arena.results.run_data import read_run
from arena.results.run_standings import RunStandings, standings
from arena.results.standings_report import standings_report, write_run_files
from arena.results.table import Report, Table, by_variant
from arena.results.until_error import MOST_GAMES, UntilError
from arena.results.words import sprt_line, sprt_text
from arena.settings import as_dict, merged
from arena.terminal.live import StatusText, figures, forfeits_so_far, progress_for, rate_text
from arena.text import counted, one_line, printable_lines
from arena.tournament.config import TournamentConfig, config_from_dict, with_settings
from arena.tournament.folders import run_name, with_folder
from arena.tournament.formats.round_robin import StoredSprt
from arena.tournament.luck import net_of
from arena.tournament.run_settings import LOCAL
from arena.tournament.runner.logs import LOG
from arena.tournament.runner.play_run import Prepared, play_run, prepare, with_stored_seed
from arena.tournament.runner.progress import ProgressListener

ALL_PLAYED = 0
VERDICT_CODES = {"H1": ALL_PLAYED, "H0": 3, "continue": 4}
"""Exit codes of a sequential test by its verdict; `--strict` and Ctrl-C come first."""
LONGEST_BOT_LINE = 200

_SETTINGS = ("games", "rules", "seed", "deals", "workers", "scheduler", "isolation")


def config_of(
    format_: str, specs: Sequence[BotSpec], options: PlayOptions, tables: Mapping[str, Any], name: str = ""
) -> TournamentConfig:
    """Return the settings of a command line without a file; `tables` adds settings in the form of a file."""
    bots_ = [{"spec": spec.spec, "name": spec.name, "labels": spec.labels} for spec in specs]
    values = {"format": format_, "bots": bots_, **tables}
    name = name or run_name(format_, [spec.name for spec in specs])
    return with_settings_of(config_from_dict(values, "command line", name), options)


def with_settings_of(config: TournamentConfig, options: PlayOptions, source: str = "command line") -> TournamentConfig:
    """Return the config with the options of the command line, which take precedence; `source` is for messages."""
    values = {key: value for key in _SETTINGS if (value := getattr(options, key)) is not None}
    given = read_settings(options.settings)
    for key in given.keys() & {"bots", "format"}:
        raise click.UsageError(f"--set {key}: the command says which {key}")
    for key in values.keys() & given.keys():
        raise click.UsageError(f"{option_of(key)} and --set {key} were given together")
    if options.clock is not None:
        if "clock" in given:
            raise click.UsageError("--move-ms and --set clock were given together; write --move-ms MS+BANK")
        given["clock"] = options.clock
    stored = as_dict(config) | {config.format: as_dict(config.format_settings)}
    values |= {
        key: merged(stored.get(key) or {}, value) if isinstance(value, dict) else value for key, value in given.items()
    }
    if options.error is not None:
        values.pop("games", None)  # the limit of --error
    return with_settings(config, values, source, exist=True)


def read_settings(texts: Sequence[str]) -> dict[str, Any]:
    """Return settings as a TOML file gives them, parsed from KEY=VALUE; strings need no quotes.

    >>> read_settings(["placement.error=30", "rating.anchor=greedy"])
    {'placement': {'error': 30}, 'rating': {'anchor': 'greedy'}}
    """
    settings: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        for line in (text, f"{key}={json.dumps(value.strip())}"):
            try:
                table = tomllib.loads(line)
                break
            except tomllib.TOMLDecodeError:
                table = {}
        if not table or not equals:
            raise ArenaError(f"--set {text}: expected KEY=VALUE, such as clock.bank_ms=9000")
        settings = merged(settings, table)
    return settings


def confirm_bots(folder: Path, config: TournamentConfig) -> None:
    """Ask whether the bots of a folder that belongs to another user may be run. ArenaError if not."""
    lines = [
        one_line(
            f"{bot.name}: {bot.spec} {dict(bot.params) or ''}".rstrip() + f" (isolation {level})", LONGEST_BOT_LINE
        )
        for bot, level in zip(config.bots, config.levels)
    ]
    bots = "\n  ".join(lines)
    text = f"You did not create {one_line(str(folder))}. To play on runs these bots with your user account:\n  {bots}"
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ArenaError(f"{text}\nNothing was started. If you know these bots, add --trust")
    click.echo(text, err=True)
    if not click.confirm("Continue?", default=False, err=True):
        raise ArenaError("nothing was started")


def until_error(options: PlayOptions) -> UntilError | None:
    """Return what --error, --bot and --games ask for, None without --error."""
    if options.error is not None:
        return UntilError(options.error, options.rating_of, options.games or MOST_GAMES)
    if options.rating_of:
        raise ArenaError("--bot names the bot whose rating --error E is about; add --error")
    return None


def play_and_show(config: TournamentConfig, options: PlayOptions, named: bool = True) -> int:
    """Play, write the tables, show the standings; return the exit code. `named`: the settings have their own name."""
    until = until_error(options)
    if until is not None:
        config = until.begin(config)
    config, folder = with_folder(config, options.out, named)
    if options.dry_run:
        return show_plans({"": (config, folder)}, options)
    warn_of_workers(config)
    test = config.verdict()
    if getattr(config.format_settings, "adjusted", False):
        net_of(load_rules(config.rules))  # which is refused without compiled files, before the folder exists
    progress = command_progress(_line_of(test, until))
    report = play_run(config, folder, progress, verdict=test, more=until, again=options.again)
    if report.interrupted:
        click.echo(
            f"\nInterrupted: {report.done:,} of {'at most ' if test else ''}{report.total:,} games are stored."
            " Play the others with:\n"
            f"  arena run {shlex.quote(str(folder))}{'' if until is None else until.options}",
            err=True,
        )
        return INTERRUPTED
    if not report.played:
        click.echo(f"All {report.done:,} games were played before, seed {report.seed}.", err=True)
    table = standings(read_run(folder))
    _show(table, folder, options.as_json, test)
    if report.left_out:
        tell_left_out(report.left_out)
        return FORFEITED
    small_enough = until is None or tell_error(until)
    if forfeit_code([table.run.forfeit_summary], options.strict) == FORFEITED or not small_enough:
        return FORFEITED
    return ALL_PLAYED if test is None else VERDICT_CODES[test.result().verdict]


def warn_of_workers(config: TournamentConfig) -> None:
    """Warn on stderr if a clock runs while bots wait for a core."""
    workers, cores = config.workers or 0, core_count()
    if config.clocked and config.scheduler == LOCAL and workers > cores:
        share = f"{workers} workers share {counted(cores, 'core')}"
        click.echo(f"{share}: a clock also runs while a bot waits for its core.", err=True)


def show_plans(runs: Mapping[str, tuple[TournamentConfig, Path]], options: PlayOptions) -> int:
    """Show what would be played and why, by variant; return the exit code: 1 if a bot would be left out."""
    reports, left_out = {}, dict[str, str]()
    for variant, (config, folder) in runs.items():
        run = prepare(with_stored_seed(config, folder), folder, options.again)
        reports[variant] = _plan_report(run, variant, options)
        left_out.update(run.left_out)
    print_report(by_variant(reports), "json" if options.as_json else "table")
    tell_left_out(left_out)
    return FORFEITED if left_out else ALL_PLAYED


def _plan_report(run: Prepared, variant: str, options: PlayOptions) -> Report:
    plan = run.plan
    about = {key: getattr(plan, key) for key in ("is_new", "missing", "at_most", "stays", "hidden", "seconds", "gone")}
    about |= {"versions": plan.versions, "left_out": run.left_out}
    changes = Table("changes", "", [vars(change) for change in plan.changes], files=("why", "bot", "games"))
    more = [] if options.error is None else ["More follow until the errors are small enough (--error)."]
    return Report(f"{variant}: {plan}" if variant else str(plan), [changes], more, about)


def tell_left_out(left_out: Mapping[str, str]) -> None:
    """Say on stderr which bots did not play, with the whole reasons for their authors."""
    for bot, reason in left_out.items():
        click.echo(f"\n{one_line(bot)} was left out: {printable_lines(reason)}", err=True)


def _line_of(test: StoredSprt | None, until: UntilError | None) -> StatusText | None:
    """Return the figures of a run that ends when a test is decided or errors are small enough; None for others."""
    if until is not None:
        return lambda status: f"{figures(status)}  |  {until.state}{forfeits_so_far(status)}"
    if test is not None:
        return lambda status: (
            sprt_line(test.result())
            + (f", {rate_text(status.rate)}" if status.rate > 0 else "")
            + forfeits_so_far(status)
        )
    return None


def command_progress(text: StatusText | None = None) -> ProgressListener:
    """Return the display of a run: as `progress_for`, but nothing with `-q`."""
    if click.get_current_context().meta.get(QUIET):
        return ProgressListener()
    return progress_for(text)


def end_progress() -> None:
    """Set the progress apart from what follows."""
    if not click.get_current_context().meta.get(QUIET):
        click.echo(err=True)


def tell_error(until: UntilError) -> bool:
    """Report on stderr how large the errors are; return whether they are small enough."""
    if until.reached:
        click.echo(f"All errors are small enough: {until.state}.", err=True)
    else:
        click.echo(f"Stopped: {until.state}. Allow more with --games.", err=True)
    return until.reached


def _show(table: RunStandings, folder: Path, as_json: bool, test: StoredSprt | None) -> None:
    write_run_files(table, folder)
    if as_json:
        report = standings_report(table)
        print_report(replace(report, about={**report.about, "folder": str(folder)}), "json")
    elif test is not None:
        _show_test(table, test, folder)
    else:
        end_progress()
        name = shlex.quote(folder.name if folder.parent == RESULTS else str(folder))
        click.echo(report_text(standings_report(table), "table", f"arena standings {name} --print wide"))
        if (log := folder / LOG).is_file() and PRINTED in log.read_text(encoding="utf-8", errors="replace"):
            click.echo(f"What bots printed is in {log}.")
        click.echo(f"Stored in {folder}. Look at its games: arena replay {name}")


def _show_test(table: RunStandings, test: StoredSprt, folder: Path) -> None:
    """Show where the test of a run stands."""
    result, run, config = test.result(), table.run, table.run.config
    bot, opponent = run.bots
    end_progress()
    name = shlex.quote(str(folder))
    answer = sprt_text(result, bot, opponent).splitlines()
    if result.verdict == "continue" and not table.always_forfeiting:
        more = f"arena run {name} --set sprt.max_pairs={2 * test.max_pairs}"
        answer.append(f"Undecided after {result.units:,} pairs; to allow more: {more}")
    heading = f"{run.name}: {bot} against {opponent}, rules {config['rules']}, seed {config['seed']}"
    stored = [f"Stored in {folder}. Show the table: arena standings {name}"]
    print_report(Report(heading, [], stored, answer=answer, forfeits={"": run.forfeit_summary}), "table")
