"""`arena rate`: rate the bots in any list of games."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.options import complete_runs, prior
from arena.cli.output import output, print_report
from arena.errors import ArenaError
from arena.results.ratings import ratings_report
from arena.results.sources import LEAGUE
from arena.stats.frames import StatsError, check_games, read_games_csv
from arena.stats.pairs import counts_between
from arena.stats.ratings import DEFAULT_PRIOR, by_pairs
from arena.stats.ratings import rate as rate_games
from arena.tournament.store.folders import run_folder
from arena.tournament.store.reader import Reader
from arena.tournament.store.schema import DATABASE, StoreError

if TYPE_CHECKING:
    import pandas as pd


@click.command()
@click.argument("source", metavar="FILE.csv|RUN", shell_complete=complete_runs)
@prior
@click.option("--anchor", "anchors", multiple=True, metavar="BOT=ELO", help="Fix a bot's rating; may be repeated.")
@click.option("--no-first-advantage", is_flag=True, help="Fix the advantage of moving first at 0.")
@click.option("--nash", is_flag=True, help="Add Nash averaging, for fields like rock-paper-scissors.")
@click.option("--los", is_flag=True, help="Add the likelihood that each bot is stronger than each other.")
@output
def rate(
    source: str,
    prior: float | None,
    anchors: tuple[str, ...],
    no_first_advantage: bool,
    nash: bool,
    los: bool,
    form: str,
) -> None:
    """Rate the bots in a list of games, or in a run.

    \b
    arena rate games.csv --anchor greedy=100
    arena rate latest --los

    FILE.csv has the header first,second,score or first,second,score,deal: the bot that moved first, the other bot, the
    points of the first (1, 0.5 or 0) and, if games share their cards, any label for the deal. RUN is the folder of a
    run, or its name in results/.
    """
    fixed = parse_anchors(anchors)
    games = read_games(source)
    found = rate_games(
        games,
        prior=DEFAULT_PRIOR if prior is None else prior,
        anchors=fixed,
        first_advantage=0.0 if no_first_advantage else None,
        disconnected="separate",
    )
    if len(found.bots) == 2 and prior is None and not fixed and not no_first_advantage:
        found = by_pairs(found, counts_between(games, *found.bots))  # as in the standings of a run
    averaged = None
    if nash:
        from arena.stats.nash import nash_ratings

        averaged = nash_ratings(games, ratings=found)
    print_report(ratings_report(found, averaged, los, heading=f"{source}: {len(games)} games"), form)


def parse_anchors(texts: tuple[str, ...]) -> dict[str, float]:
    """Ratings to fix, from texts such as greedy=100."""
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


def read_games(source: str) -> pd.DataFrame:
    """The games of a CSV file or of a run: first, second, score, and deal if known."""
    path = Path(source)
    if (path / LEAGUE).is_file():
        raise ArenaError(f"{source} is a league; for its ratings: arena standings {source} --all")
    if path.name != DATABASE and (path.is_file() or path.suffix.lower() == ".csv"):
        games = read_games_csv(path)
    else:
        try:
            folder = run_folder(str(path.parent) if path.name == DATABASE else source)
        except StoreError as error:
            raise ArenaError(f"{error}. To rate a list of games, name a file such as games.csv") from error
        with Reader(folder) as reader:
            games = reader.frame()
        if not len(games):
            raise StatsError(f"{folder}: no games yet")
        games = check_games(games, what=str(folder))
    return games.filter(["first", "second", "score", "deal"])
