"""`arena standings` and `arena rate`: the tables of a run, ratings of any list of games."""

from __future__ import annotations

import math
import shlex
from dataclasses import replace
from pathlib import Path

import click

from arena.cli.league.show import show_bot
from arena.cli.printing import counting, forfeit_code, print_report, refuse_options
from arena.errors import ArenaError
from arena.paths import input_name
from arena.results.bot_versions import versions_report
from arena.results.records import holds_records, read_game_list
from arena.results.run_data import RunData, choice_text, kept_bots, with_bots
from arena.results.run_standings import standings as compute
from arena.results.run_stats import stats_report
from arena.results.sources import (
    RecordFile,
    StoredComparison,
    StoredLeague,
    StoredRun,
    find_source,
    report_of,
    run_luck,
)
from arena.results.standings_report import list_report, standings_report
from arena.results.table import Report
from arena.results.words import stop_line
from arena.stats import DEFAULT_PRIOR
from arena.stats.frames import StatsError, require_bot
from arena.stats.ratings import rate as rate_games
from arena.text import counted, one_line
from arena.tournament.forfeits import ForfeitSummary


def standings_command(
    source: str,
    bot: str | None,
    everything: bool,
    error: float | None,
    prior: float | None,
    adjusted: bool,
    without: tuple[str, ...],
    only: tuple[str, ...],
    versions: bool,
    files: Path | None,
    to: Path | None,
    form: str,
) -> int:
    """Run `arena standings`."""
    if error is not None and not everything:
        raise click.UsageError("--error is for the statistics; add --all")
    if versions:
        refuse_options("does not go with --versions", "everything", "adjusted", "without", "only")
    if adjusted:
        refuse_options("does not go with --adjusted, which rates all games", "everything", "without", "only")
    found = find_source(source)
    if bot is not None:
        if not isinstance(found, StoredLeague):
            raise click.UsageError(f"BOT is one of a league; in a run: arena standings {shlex.quote(source)} --all")
        reason = f"is for the whole table; leave out {one_line(bot)}"
        refuse_options(reason, "everything", "prior", "adjusted", "without", "only", "versions")
        show_bot(found.path, bot, files, form, to)
        return 0
    refuse_options("is for one bot of a league; name it after the league", "files")
    if versions:
        if not isinstance(found, StoredRun | StoredComparison):
            raise ArenaError("--versions is for runs; the versions of a bot of a league: arena standings LEAGUE BOT")
        fields: list[ForfeitSummary] = []  # what a bot did before it changed does not count against the run

        def versions_of(run: RunData) -> Report:
            fields.append(run.forfeit_summary)
            return versions_report(run, prior)

        print_report(report_of(found, versions_of), form, to)
        return forfeit_code(fields)

    def report(run: RunData) -> Report:
        if everything:
            return stats_report(with_bots(run, without, only), error or 10.0, prior, to is not None or form != "table")
        luck = None
        if adjusted:
            with counting(len(run.columns), "luck of the draw") as on_progress:
                luck = run_luck(run.folder, on_progress)
        return standings_report(compute(with_bots(run, without, only), prior, luck=luck))

    shown = report_of(found, report)
    print_report(shown, form, to)
    return forfeit_code(shown.forfeits.values())


# ---------------------------------------------------------------- arena rate


def rate_command(
    source: str,
    prior: float | None,
    anchors: tuple[str, ...],
    no_first_advantage: bool,
    without: tuple[str, ...],
    only: tuple[str, ...],
    los: bool,
    form: str,
) -> int:
    """Run `arena rate`."""
    fixed = parse_anchors(anchors)
    first_advantage = 0.0 if no_first_advantage else None
    found = find_source(source)

    def rated_run(run: RunData) -> Report:
        run = with_bots(run, without, only)
        if not len(run.columns):
            raise StatsError(f"{one_line(run.name)}: no games yet")
        if los and run.is_stopped:
            raise ArenaError(f"--los does not apply to a test that was stopped by its result. {stop_line(run)}")
        for bot in fixed:
            require_bot(bot, run.columns.bots)
        run = replace(run, anchors=fixed or run.anchors, places=None, tiebreaks={}, rounds=())
        return standings_report(compute(run, prior, first_advantage=first_advantage), los=los)

    if isinstance(found, RecordFile) and not holds_records(found.path):
        games, left_out = read_game_list(found.path)
        bots = sorted({*games["first"], *games["second"]})
        kept = kept_bots(bots, without, only) if without or only else bots
        games = games[games["first"].isin(kept) & games["second"].isin(kept)]
        text = f"{input_name(source)}: {counted(len(games), 'game')}"
        if left_out:
            text += f", and {left_out} without a result or a known bot, which are left out"
        if without or only:
            text += f"\nOnly games {one_line(choice_text(bots, kept))}."
        prior = DEFAULT_PRIOR if prior is None else prior
        ratings = rate_games(games, prior=prior, anchors=fixed, first_advantage=first_advantage)
        report = list_report(input_name(source), text, ratings, los)
    else:
        report = report_of(found, rated_run)
    print_report(report, form)
    return forfeit_code(report.forfeits.values())


def parse_anchors(texts: tuple[str, ...]) -> dict[str, float]:
    """Read ratings to fix, from options such as greedy=100."""
    fixed: dict[str, float] = {}
    for text in texts:
        bot, equals, elo = text.rpartition("=")
        try:
            value = float(elo)
        except ValueError:
            value = math.nan
        if not (equals and bot and math.isfinite(value)):
            raise ArenaError(f"--anchor {text}: expected BOT=ELO, such as greedy=100")
        if bot in fixed:
            raise ArenaError(f"--anchor {text}: '{bot}' is anchored twice")
        fixed[bot] = value
    return fixed
