"""`arena rate`: ratings of any list of games."""

from __future__ import annotations

import math
from dataclasses import replace

from arena.cli.printing import forfeit_code, print_report
from arena.errors import ArenaError
from arena.paths import input_name
from arena.results.game_list import read_game_list
from arena.results.records import holds_records
from arena.results.run_data import RunData, choice_text, kept_bots, with_bots
from arena.results.run_standings import standings
from arena.results.sources import RecordFile, find_source, report_of
from arena.results.standings_report import list_report, standings_report
from arena.results.table import Report
from arena.results.words import stop_line
from arena.stats import DEFAULT_PRIOR
from arena.stats.frames import StatsError, require_bot
from arena.stats.ratings import rate as rate_games
from arena.text import counted, one_line
from arena.tournament.store.sqlite import StoreError


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
    try:
        found = find_source(source)
    except StoreError as error:
        raise ArenaError(f"{error}. To rate a list of games, name a file such as games.csv") from error

    def rated_run(run: RunData) -> Report:
        run = with_bots(run, without, only)
        if not len(run.columns):
            raise StatsError(f"{one_line(run.name)}: no games yet")
        if los and run.is_stopped:
            raise ArenaError(f"--los does not apply to a test that was stopped by its result. {stop_line(run)}")
        for bot in fixed:
            require_bot(bot, run.columns.bots)
        run = replace(run, anchors=fixed or run.anchors, places=None, tiebreaks={}, rounds=())
        return standings_report(standings(run, prior, first_advantage=first_advantage), los=los)

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
