"""Summarise the notes of bots: means by bot, and how well their chances to win came true."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from arena.game.record import parse_record
from arena.results.run_data import RunData
from arena.results.sources import find_source
from arena.stats.frames import Ints, deals_of
from arena.stats.intervals import clustered_error, mean_interval
from arena.tournament.games import GameResult

if TYPE_CHECKING:
    import pandas as pd


NOTE_COLUMNS = ["deal_seed", "pairing", "deal", "game", "bot", "score", "number", "note", "figure"]
BINS = 10
"""Parts of the range 0..1 of `value` for which a bot's reliability is shown."""


def run_notes(run: RunData) -> pd.DataFrame:
    """Return the notes in the games of a stored run, see `notes_frame`."""
    if not run.folder:
        return notes_frame(())
    with find_source(run.folder).games(counting=True) as games:
        reader = games.reader
        said = notes_frame(games if reader is None else reader.results("substr(record, -1) = '}'"))
    return said.merge(run.games[["pairing", "deal", "game"]]) if run.selection else said


def notes_frame(games: Iterable[GameResult]) -> pd.DataFrame:
    """Return a row for each number that a bot noted with a move, with NOTE_COLUMNS.

    `score` is the bot's score in the game, `number` the number of the move, `note` is `value`, `depth`, `nodes`
    or a name of the bot's own.
    """
    import pandas as pd  # slow to load

    return pd.DataFrame(
        [row for game in games if game.record.endswith("}") for row in _said(game)], columns=NOTE_COLUMNS
    )


def _said(game: GameResult) -> Iterator[tuple[object, ...]]:
    record = parse_record(game.record)
    for seat, notes in enumerate(record.notes):
        began = seat == record.deal.starter
        bot = game.first if began else game.second
        for number, note in notes.items():
            for name, figure in note.figures().items():
                yield game.deal_seed, *game.id, bot, game.score_of(bot), number, name, float(figure)


def _deals(said: pd.DataFrame) -> Ints:
    """Return what distinguishes the deals of notes."""
    return np.asarray(deals_of(said), np.int64)


def note_means(notes: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each bot and note: bot, note, moves, average, average_error95 (clustered by deal)."""
    import pandas as pd  # slow to load

    rows = [
        (bot, note, len(said), said["figure"].mean(), clustered_error(said["figure"], _deals(said)))
        for (bot, note), said in notes.groupby(["bot", "note"], sort=False)
    ]
    return pd.DataFrame(rows, columns=["bot", "note", "moves", "average", "average_error95"])


def calibration(notes: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each bot that noted its chance to win: bot, moves, brier, brier_error95, bias, bias_error95.

    `brier` is the mean square of value - score: 0 is perfect, and always saying 0.5 gives 0.25 if no game is drawn.
    `bias` is the mean of value - score: above 0, the bot was too optimistic. Errors are half the 95% interval,
    clustered by deal; that of `brier` is the larger part, as few surprises make it lopsided.
    """
    import pandas as pd  # slow to load

    rows = []
    for bot, said in notes[notes["note"] == "value"].groupby("bot", sort=False):
        off, deal = said["figure"] - said["score"], _deals(said)
        brier = mean_interval(off**2, deal)
        error = max(brier.mean - brier.low, brier.high - brier.mean)
        rows.append((bot, len(said), brier.mean, error, off.mean(), clustered_error(off, deal)))
    return pd.DataFrame(rows, columns=["bot", "moves", "brier", "brier_error95", "bias", "bias_error95"])


def reliability(notes: pd.DataFrame) -> pd.DataFrame:
    """Return results by the chance to win that bots noted: a row for each bot and tenth of the range that it used.

    Columns: bot, moves, said (mean of the chances), score, score_low, score_high (95%, clustered by deal).
    """
    import pandas as pd  # slow to load

    chances = notes[notes["note"] == "value"]
    chances = chances.assign(tenth=(chances["figure"] * BINS).astype(int).clip(upper=BINS - 1))
    rows = []
    for (bot, _), said in chances.groupby(["bot", "tenth"], sort=True):
        came = mean_interval(said["score"], _deals(said))
        rows.append((bot, len(said), said["figure"].mean(), came.mean, came.low, came.high))
    return pd.DataFrame(rows, columns=["bot", "moves", "said", "score", "score_low", "score_high"])
