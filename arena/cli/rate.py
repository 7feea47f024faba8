"""`arena rate`: ratings of any list of games."""

from __future__ import annotations

import math

import click
import pandas as pd

from arena.cli.options import chosen_bots, complete_runs, forfeit_code, output, print_report, prior
from arena.errors import ArenaError
from arena.paths import input_name
from arena.results.game_list import read_game_list
from arena.results.ratings_report import ratings_report
from arena.results.records import holds_records
from arena.results.run_data import RunData, choice_text, kept_bots, with_bots
from arena.results.sources import RecordFile, find_source
from arena.results.standings_report import zero_text
from arena.stats import DEFAULT_PRIOR
from arena.stats.frames import StatsError
from arena.stats.ratings import rate as rate_games
from arena.text import counted, one_line
from arena.tournament.store.sqlite import StoreError


@click.command()
@click.argument("source", metavar="FILE|RUN", shell_complete=complete_runs)
@prior
@click.option("--anchor", "anchors", multiple=True, metavar="BOT=ELO", help="Fix a bot's rating; may be repeated.")
@click.option("--no-first-advantage", is_flag=True, help="Fix the advantage of moving first at 0.")
@chosen_bots
@click.option("--los", is_flag=True, help="Add the likelihood that each bot is stronger than each other.")
@output
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
    """Rate the bots in a list of games, or in a run.

    \b
    arena rate games.csv --anchor greedy=100
    arena rate latest --los
    arena rate latest --without random
    arena export latest --pgn - | arena rate -

    FILE is a CSV file with the header first,second,score or first,second,score,deal: the bot that moved first, the
    other bot, the points of the first (1, 0.5 or 0) and, if games share their cards, any label for the deal. The header
    white,black,result (1-0, 1/2-1/2 or 0-1), semicolons or tabs instead of commas, and the tags of a PGN file are read
    as well. RUN is a run, a league or a file of records. '-' stands for a file on standard input.

    The exit code is 1 if a bot forfeited every game; lists of games do not tell.
    """
    fixed = parse_anchors(anchors)
    games, left_out, run = _read_games(source)
    bots = sorted({*games["first"], *games["second"]})
    kept = kept_bots(bots, without, only) if without or only else bots
    games = games[games["first"].isin(kept) & games["second"].isin(kept)]
    if run is not None:  # on its own scale: a league has a prior, an anchor, and an average of its own
        run = with_bots(run, without, only)
        prior = run.prior if prior is None else prior
        fixed = fixed or dict(run.anchors)
    rated = rate_games(
        games,
        prior=DEFAULT_PRIOR if prior is None else prior,
        anchors=fixed,
        centre=() if run is None else run.centre,
        first_advantage=0.0 if no_first_advantage else None,
    )
    heading = f"{input_name(source)}: {counted(len(games), 'game')}"
    if left_out:
        heading += f", and {left_out} without a result, which are left out"
    if without or only:
        heading += f"\nOnly games where {one_line(choice_text(bots, kept))}."
    if run is None:
        report = ratings_report(rated, los, heading)
    else:
        report = ratings_report(rated, los, heading, run.forfeit_summary, zero_text(run))
    print_report(report, form)
    return forfeit_code(report.forfeits)


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


def _read_games(source: str) -> tuple[pd.DataFrame, int, RunData | None]:
    """Read the games of a file or run (first, second, score, and deal if known), and count those without a result.

    The run is None for a list of games, which does not show forfeits.
    """
    try:
        found = find_source(source)
    except StoreError as error:
        raise ArenaError(f"{error}. To rate a list of games, name a file such as games.csv") from error
    if isinstance(found, RecordFile) and not holds_records(found.path):
        return *read_game_list(found.path), None
    run = found.data()
    games = run.games
    if not len(games):
        raise StatsError(f"{found.path}: no games yet")
    return games.filter(["first", "second", "score", "deal_seed", "deal"]), 0, run
