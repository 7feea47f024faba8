"""A run that goes on until its errors are small enough: `--error` of the commands that play.

The errors are looked at where a run of so many games would have ended, at numbers of games that are the same for every
run, so neither workers nor interruptions change where it stops. What stops a run here are the errors, not the ratings:
that biases the ratings less than a sequential test does, but a little.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arena.errors import ArenaError, did_you_mean
from arena.results.run import read_run, stored_config
from arena.results.standings import RunStandings, standings
from arena.tournament.config import TournamentConfig, check
from arena.tournament.folders import is_begun
from arena.tournament.formats.schedule import GAMES
from arena.tournament.growth import grown
from arena.tournament.store.reader import Reader

MOST_GAMES = 100_000
"""Games of each pairing at which it is given up, if nothing else is said."""


def next_stop(units: int) -> int:
    """The next number of deals at which errors are looked at: every 10 up to 200, then every 5 to 10%.

    >>> [next_stop(units) for units in (0, 10, 95, 190, 200, 480, 960, 1000, 12345)]
    [10, 20, 100, 200, 220, 500, 1000, 1100, 13000]
    """
    scale: int = 10 ** max(len(str(units)) - 2, 1)
    lead = units // (10 * scale)
    step = scale * (1 if lead < 2 else 2 if lead < 5 else 5)
    return (units // step + 1) * step


def largest_error(standings_: RunStandings, bots: Sequence[str]) -> tuple[float, str]:
    """The largest 95% error in the table and whose it is, of some bots or of all; infinite for a bot without one."""
    errors = [
        (math.inf if math.isnan(row["elo_error95"]) else float(row["elo_error95"]), str(row["bot"]))
        for row in standings_.rows
        if not bots or row["bot"] in bots
    ]
    return max(errors, key=lambda error: error[0])


@dataclass
class UntilError:
    """Lets a run grow until the 95% errors of `bots` (none: of all) are at most `error` Elo, or to `most` games.

    `worst` is the largest error when it was last looked at, and whose; `games` of each pairing there were then.
    """

    error: float
    bots: Sequence[str] = ()
    most: int = MOST_GAMES
    worst: tuple[float, str] = (math.inf, "")
    games: int = 0

    def check(self, config: TournamentConfig) -> None:
        """ArenaError for what cannot be asked of a run."""
        if not (math.isfinite(self.error) and self.error > 0):
            raise ArenaError(f"--error {self.error:g}: expected a 95% error in Elo above 0")
        if config.form.grows != GAMES:
            raise ArenaError(f"--error: {config.format} does not grow by games of each pairing, as a round robin does")
        for bot in self.bots:
            if bot not in config.bot_names:
                known = ", ".join(config.bot_names)
                raise ArenaError(f"--bot {bot}: no such bot{did_you_mean(bot, config.bot_names)} ({known})")

    def begin(self, config: TournamentConfig) -> TournamentConfig:
        """The settings of a new run up to where errors are looked at first. ArenaError as `check`."""
        self.check(config)
        games = min(next_stop(0) * (2 if config.pairs else 1), self.most)
        return check(replace(config, games=games))

    def go_on(self, config: TournamentConfig, folder: Path) -> TournamentConfig:
        """As many games as the run in a folder has been asked for, if it is there and larger."""
        if not is_begun(folder):
            return config
        with Reader(folder) as reader:
            stored = stored_config(reader)
        games = max(stored.games, config.games) if stored.form.grows == GAMES else config.games
        return check(replace(config, games=games))

    @property
    def reached(self) -> bool:
        return self.worst[0] <= self.error

    def look(self, runs: Sequence[RunStandings], config: TournamentConfig) -> TournamentConfig | None:
        """The settings of the next stop for complete runs of `config`; None if the errors are small, or at `most`."""
        units, _ = config.schedule().extent
        per_unit = 2 if config.pairs else 1
        self.games = units * per_unit
        self.worst = max((largest_error(run, self.bots) for run in runs), key=lambda run: run[0])
        games = min(next_stop(units) * per_unit, self.most)
        if self.reached or games <= self.games:
            return None
        return grown(config, {"games": games}, "settings")

    def __call__(self, reader: Reader) -> TournamentConfig | None:
        """As `look`, for the stored run of a session."""
        return self.look([standings(read_run(reader.folder))], stored_config(reader))

    @property
    def options(self) -> str:
        """The options of `arena resume` that ask for this.

        >>> UntilError(10.0, ["two words"], 500).options
        " --error 10 --bot 'two words' --games 500"
        """
        bots = "".join(f" --bot {shlex.quote(bot)}" for bot in self.bots)
        return f" --error {self.error:g}{bots}" + (f" --games {self.most}" if self.most != MOST_GAMES else "")

    @property
    def state(self) -> str:
        """Where it stands, in words.

        >>> UntilError(10.0, worst=(12.34, "greedy"), games=200).state
        '± 12.3 Elo (greedy) after 200 games of each pairing, ± 10 wanted'
        """
        error, bot = self.worst
        shown = f"± {error:.1f} Elo ({bot})" if math.isfinite(error) else f"no error yet ({bot})"
        return f"{shown} after {self.games:,} games of each pairing, ± {self.error:g} wanted"
