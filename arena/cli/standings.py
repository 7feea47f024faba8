"""`arena standings`: show the tables of a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from arena.cli.league.tables import show_league, show_standings_of
from arena.cli.options import (
    ERROR_TYPE,
    adjusted,
    chosen_bots,
    complete_runs,
    csv_folder,
    forfeit_code,
    luck_of,
    output,
    print_report,
    prior,
)
from arena.errors import ArenaError
from arena.results.bot_versions import versions_report
from arena.results.run_data import RunData
from arena.results.run_standings import standings as compute
from arena.results.run_stats import stats_report
from arena.results.selected import selected, with_bots
from arena.results.sources import RecordFile, Source, StoredLeague, find_source, report_of
from arena.results.standings_report import standings_report
from arena.results.table import Report
from arena.stats.metrics import read_metric
from arena.stats.selection import ExpressionError
from arena.text import one_line


@click.command()
@click.argument("source", metavar="RUN", required=False, shell_complete=complete_runs)
@click.option("--all", "everything", is_flag=True, help="Show all statistics, and all lines of a large field.")
@click.option(
    "--error",
    type=ERROR_TYPE,
    metavar="E",
    help="With --all: show how many more pairs would bring each 95% error down to E Elo (default: 10).",
)
@prior
@adjusted
@chosen_bots
@click.option("--where", metavar="EXPR", help="Rate only the games for which EXPR holds, such as 'turns > 50'.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME=WHAT",
    help="Add a column, such as length='mean turns'; may be repeated. Shown with --wide.",
)
@click.option("--versions", is_flag=True, help="Compare the versions of bots that changed, against the bots of now.")
@click.option("--server", metavar="URL", help="Show the table of a league on the web, instead of a RUN.")
@csv_folder
@output
def standings_command(
    source: str | None,
    everything: bool,
    error: float | None,
    prior: float | None,
    adjusted: bool,
    without: tuple[str, ...],
    only: tuple[str, ...],
    where: str | None,
    metrics: tuple[str, ...],
    versions: bool,
    server: str | None,
    to: Path | None,
    form: str,
) -> int:
    """Show the standings of RUN, even while it is being played. RUN is a path, a name in results/, or 'latest'.

    \b
    arena standings latest
    arena standings mycup --all --csv tables
    arena standings mycup --versions
    arena standings mycup --without random

    For a comparison, show one table per variant. For a league, show its table.

    With --all, show all statistics: ratings, scores by bot and by opponent with their errors, how many more pairs are
    needed, the advantage of moving first, length, stones and points, endings, forfeits and thinking time. CSV and JSON
    have more tables than the terminal.

    With --versions, show whether changes of bots have helped: all versions of a bot that the run holds, each against
    the bots that play now, and the difference of the one that plays from each other one on the games that both played.

    --without, --only and --where select games after they were played, and the table says so: a choice made with the
    results in view proves little. EXPR may contain numbers, quoted strings, lists in brackets, comparisons, and, or,
    not, in, + - * / and the names turns, plies, ending, forfeit and forfeit_by ('' without a forfeit), pairing, deal,
    game, round, first and second (the bots in order of play), score (of the first), stones_first, points_first,
    decisions_first, ms_first (total), tactics_first (tactic cards played), early_claims_first (stones claimed while the
    other side was not full), the same names with _second, rules, and its options such as rules.hand_size. EXPR is
    evaluated as in Python; division by 0 gives NaN.

    The exit code is 1 if a bot forfeited every game of RUN.
    """
    if (source is None) == (server is None):
        raise click.UsageError("give either a RUN or --server URL")
    if error is not None and not everything:
        raise click.UsageError("--error is for the statistics; add --all")
    selects = bool(without or only or where is not None)
    if versions and (everything or adjusted or selects or metrics or server is not None):
        raise click.UsageError(
            "--versions has tables of its own, of a run; "
            "drop --all, --adjusted, --without, --only, --where and --metric"
        )
    if server is not None:
        show_standings_of(server, form, to)
        return 0
    assert source is not None
    if adjusted and selects:
        raise click.UsageError("--adjusted is for all games; drop --without, --only and --where")
    if metrics and everything:
        raise click.UsageError("--metric is for the standings; without --all")
    more = parse_metrics(metrics)
    found = find_source(source)
    if versions:
        _require_run(found)
        return _shown(report_of(found, lambda run: versions_report(run, prior)), form, to)
    if isinstance(found, StoredLeague) and not (everything or selects or adjusted or more):
        show_league(found.path, form, to)
        return 0

    def report(run: RunData) -> Report:
        luck = luck_of(run.folder, len(run.columns)) if adjusted else None
        run = with_bots(replace(run, metrics={**run.metrics, **more}), without, only)
        if where is not None:
            run = selected(run, where)
        if everything:
            return stats_report(run, error or 10.0, prior, True, luck)
        return standings_report(compute(run, prior, luck=luck))

    return _shown(report_of(found, report), form, to)


def _shown(report: Report, form: str, to: Path | None) -> int:
    """Print a report; return the exit code."""
    print_report(report, form, to)
    return forfeit_code(report.forfeits)


def _require_run(found: Source) -> None:
    """Raise ArenaError for what holds no versions as a run does."""
    name = one_line(str(found.path))
    match found:
        case StoredLeague():
            raise ArenaError(
                f"--versions: {name} is a league; to see the versions of a bot: arena league show {name} BOT"
            )
        case RecordFile():
            raise ArenaError(
                f"--versions: {name} is a file of records, which tells no versions of a bot apart; name a run"
            )


def parse_metrics(texts: tuple[str, ...]) -> dict[str, str]:
    """Read metrics by name, from options such as length=mean turns."""
    metrics: dict[str, str] = {}
    for text in texts:
        name, _, what = text.partition("=")
        try:
            read_metric(name, what)
        except ExpressionError as error:
            raise ArenaError(f"--metric {one_line(name, 50)}: {error}") from None
        metrics[name] = what
    return metrics
