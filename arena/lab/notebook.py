"""A stored run as pandas frames, for notebooks: `run = arena.load("results/quick")`.

Frames are made on first access and then stay the same object; copy one before you change it. `COLUMNS` explains the
columns.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.game.rules import load_rules
from arena.results.pages.figures import panel_of, panels_of
from arena.results.pages.plots import Plot, picture, save
from arena.results.pages.render import table_html
from arena.results.positions import PLAY_COLUMNS, plays_frame
from arena.results.run_data import RunData
from arena.results.run_standings import CROSS_COLUMNS, STANDING_COLUMNS, RunStandings, rate_run, standings
from arena.results.run_stats import SUPERIORITY_COLUMNS, pairings_frame, run_frames, superiority_frame, time_frame
from arena.results.sources import RecordFile, Source, StoredComparison, find_source
from arena.results.standings_report import standings_report, write_run_files
from arena.results.table import RATING_COLUMNS, Report, meanings
from arena.results.variant_report import comparison, read_variants
from arena.results.words import said_above
from arena.stats.frames import GAME_FACTS as GAME_COLUMNS
from arena.stats.frames import GameArrays, StatsError, by_seat
from arena.stats.pairs import pair_cells
from arena.stats.ratings import Ratings
from arena.stats.sprt import SprtResult
from arena.tournament.forfeits import ForfeitSummary

if TYPE_CHECKING:
    import pandas as pd

FRAME_COLUMNS: dict[str, dict[str, str]] = {
    "games": {"round": "round of the format, from 0", **GAME_COLUMNS},
    "pairs": {
        **{name: GAME_COLUMNS[name] for name in ("deal_seed", "pairing", "deal")},
        "bot": "the bot that scored the points (the first of the two in alphabetical order)",
        "opponent": "its opponent",
        "points": "points of the bot in both games, 0..2",
        "cell": "0..4: twice the points, the index of the pentanomial counts",
    },
    "standings": meanings(STANDING_COLUMNS),
    "crosstable": meanings(CROSS_COLUMNS),
    "ratings": meanings(RATING_COLUMNS),
    "los": meanings(SUPERIORITY_COLUMNS),
    "pairings": meanings(["bot", "opponent", "games", "wins", "draws", "losses", "score", "unit", "units", "flag"])
    | {
        "elo": "Elo difference from these games alone; missing if there is only a bound",
        "elo_error95": "half the 95% interval",
    }
    | meanings(["elo_low", "elo_high", "normalized_elo", "los", "units_needed"]),
    "forfeits": meanings(["bot", "kind", "games", "reason", "game"]),
    "plays": PLAY_COLUMNS,
    "time": meanings(["bot", "decisions", "ms_mean", "ms_p50", "ms_p99", "ms_max", "ms_total"]),
}
"""The meaning of the columns of each frame of a `Run`."""


class Picture:
    """Plots that a notebook shows; `panels` are the figures by title ("" for none)."""

    def __init__(self, panels: Mapping[str, Plot]) -> None:
        self.panels = panels

    def _repr_svg_(self) -> str:
        return picture(self.panels)

    def save(self, path: str | Path) -> None:
        """Write an SVG, PNG or PDF file, as the ending of its name says.

        Raises ArenaError for other endings, and for PNG and PDF if CairoSVG (the extra `plot`) is not installed.
        """
        save(self.panels, Path(path))


class Run:
    """A stored run. See `load`."""

    def __init__(self, source: Source) -> None:
        self.folder = source.path
        self._source = source
        self._data: RunData = source.data()

    def __repr__(self) -> str:
        bots = ", ".join(self.bots[:5]) + (", ..." if len(self.bots) > 5 else "")
        seed = "" if self.seed is None else f", seed {self.seed}"
        return f"<Run {self.name}: {len(self.games)} games of {bots}; rules {self.rules}{seed}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the heading, the standings and their plot, with escaped names."""
        report = standings_report(self._standings)
        return f"{_shown(report)}\n{self.plot()._repr_svg_()}"

    def plot(self, kind: str = "standings") -> Picture:
        """Draw what `arena plot` draws: standings, crosstable, progress or lengths.

        Raises StatsError if there is nothing to show.
        """
        return Picture(panel_of(self._data, kind))

    @property
    def name(self) -> str:
        """Return the name of the run."""
        return self._data.name

    @property
    def config(self) -> Mapping[str, Any]:
        """Return what determines the results: format, bots, rules, seed, clock, ..."""
        return self._data.config

    @property
    def bots(self) -> tuple[str, ...]:
        """Return the names of the bots, in the order in which they were given."""
        return self._data.bots

    @property
    def rules(self) -> str:
        """Return the rule set."""
        return str(self.config["rules"])

    @property
    def seed(self) -> int | None:
        """Return the seed of all deals; None for records of several runs."""
        seed: int | None = self.config["seed"]
        return seed

    @property
    def complete(self) -> bool:
        """Return whether all games have been played."""
        return self._data.complete

    @property
    def games(self) -> pd.DataFrame:
        """Return one row per game in schedule order; times in ms. All functions of arena.stats accept it."""
        return self._data.games

    def by_seat(self) -> pd.DataFrame:
        """Return two rows per game, one per bot: bot, opponent, seat (`first` or `second`), score, stones, points, ...

        The other columns are as in `games`. The rows of the first players come first.
        """
        return by_seat(self.games)

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """Return a row for each complete pair: two games on one deal, seats swapped. The unit of evidence."""
        import pandas as pd  # slow to load

        if not len(self.games):
            return pd.DataFrame(columns=list(FRAME_COLUMNS["pairs"]))
        return pair_cells(self.games[["deal_seed", "pairing", "deal", "first", "second", "score"]])

    @cached_property
    def standings(self) -> pd.DataFrame:
        """Return the standings, first place first."""
        import pandas as pd  # slow to load

        return pd.DataFrame(self._standings.rows)

    @cached_property
    def crosstable(self) -> pd.DataFrame:
        """Return a row for each bot and opponent that met."""
        import pandas as pd  # slow to load

        return pd.DataFrame(self._standings.met, columns=CROSS_COLUMNS)

    @cached_property
    def forfeits(self) -> pd.DataFrame:
        """Return a row for each bot that forfeited games, and kind, the most frequent first; none if no bot did."""
        import pandas as pd  # slow to load

        return pd.DataFrame(self.forfeit_summary.values(), columns=list(FRAME_COLUMNS["forfeits"]))

    @property
    def forfeit_summary(self) -> ForfeitSummary:
        """Return who forfeited games; `always` are the bots that forfeited every game."""
        return self._data.forfeit_summary

    @cached_property
    def rated(self) -> Ratings:
        """Return the fitted ratings themselves, with covariance, `los()` and `difference(a, b)`."""
        return rate_run(self._data, self._played)

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """Return the ratings with errors, best first."""
        return self.rated.frame()

    @cached_property
    def los(self) -> pd.DataFrame:
        """Return for every two bots the difference of ratings, its error, and the likelihood of superiority."""
        return superiority_frame(self.rated)

    @cached_property
    def pairings(self) -> pd.DataFrame:
        """Return the difference of every two bots that met, from their pairs alone; units_needed is for ± 10 Elo."""
        return pairings_frame(self._played, 10.0)

    @cached_property
    def plays(self) -> pd.DataFrame:
        """Return a row for each game and tactic card: how often each side played it. Read from the records."""
        if " " in self.rules:
            raise StatsError(f"{self.folder} holds records of several rule sets; load each one separately")
        with self._source.games(counting=True) as games:
            frame = plays_frame(games, load_rules(self.rules))
        if isinstance(self._source, RecordFile):  # numbered as in `games`
            for name in ("deal_seed", "pairing", "deal", "game"):
                cards = len(frame) // max(len(self.games), 1)
                frame[name] = self.games[name].repeat(cards).to_numpy().astype("int64")
        return frame

    @cached_property
    def time(self) -> pd.DataFrame:
        """Return the thinking time of each bot, ms per decision."""
        return time_frame(self._data)

    def tables(self, error: float = 10.0, prior: float | None = None) -> dict[str, pd.DataFrame]:
        """Return all frames of `arena standings --all`, by name."""
        return run_frames(self._data, error, prior)

    @cached_property
    def sprt(self) -> SprtResult:
        """Return the state of a sequential test: verdict, llr, units (pairs), estimate.

        Raises StatsError unless the format of the run is sprt.
        """
        if (result := self._data.test) is None:
            raise StatsError(f"{self.folder}: the format is {self.config['format']}, not sprt")
        return result

    def export(self) -> None:
        """Write the tables into the folder of the run, as `arena run` does."""
        if isinstance(self._source, RecordFile):
            raise StatsError(f"{self.folder} is a file of records, which has no folder for tables")
        write_run_files(self._standings, self.folder)

    @property
    def _played(self) -> GameArrays:
        if not len(self.games):
            raise StatsError(f"{self.folder}: no games yet")
        return self._data.columns.games()

    @cached_property
    def _standings(self) -> RunStandings:
        return standings(self._data, whole=True)


class Comparison(Mapping[str, Run]):
    """The runs of a comparison by rule set, in the order in which they were begun. See `load`.

    `folder` holds the runs.
    """

    def __init__(self, source: StoredComparison) -> None:
        self.folder = source.path
        self._source = source
        self._runs = {rules: Run(part) for rules, part in source.parts().items()}

    def __repr__(self) -> str:
        return f"<Comparison {self.folder.name}: {', '.join(self)}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: win rates by rule set and their plot, with escaped names."""
        report = comparison(read_variants([run.folder for run in self.values()]))
        return f"{_shown(report)}\n{self.plot()._repr_svg_()}"

    def plot(self, kind: str = "variants") -> Picture:
        """Draw win rates by rule set, or for each rule set one of the plots of `Run.plot`."""
        return Picture(panels_of(self._source, kind))

    def __getitem__(self, rules: str) -> Run:
        return self._runs[rules]

    def __iter__(self) -> Iterator[str]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)

    @property
    def games(self) -> pd.DataFrame:
        """Return the games of all runs with the column `variant`, for the functions of arena.stats.variants."""
        import pandas as pd  # slow to load

        return pd.concat([run.games.assign(variant=rules) for rules, run in self.items()], ignore_index=True)

    def tables(self, baseline: str | None = None) -> dict[str, pd.DataFrame]:
        """Return all frames of `arena compare`, by name."""
        report = comparison(read_variants([run.folder for run in self.values()]), baseline)
        return {table.name: table.frame() for table in report.tables}


def _shown(report: Report) -> str:
    """Return the heading of a report, its first table, and who forfeited, as HTML."""
    said = "".join(f"<p>{html.escape(line)}</p>\n" for line in said_above(report))
    return f"<p><b>{html.escape(report.heading)}</b></p>\n{said}{table_html(report.tables[0])}"


def load(folder: str | Path) -> Run | Comparison:
    """Read a run, finished or in progress, by its folder or its name in results/, as a `Run`.

    A comparison is read as a `Comparison`, a mapping from rule sets to runs. A league, by its folder or its name in
    leagues/, is a run of the games that count for its table, with versions as bots. A file of records (`arena export
    --records`) is a run without times, with its bots in order of appearance.

    A run in progress is read as it is now; load it again for more. Raises ArenaError if there is none, or if a line
    cannot be read.
    """
    source = find_source(str(folder))
    return Comparison(source) if isinstance(source, StoredComparison) else Run(source)
