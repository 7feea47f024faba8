"""Play until the errors of a run are small enough: `--error` of the commands that play.

The errors are checked where a run of that many games would have ended, at numbers of games that are the same for every
run, so neither workers nor interruptions, nor games that were stored before, change where it stops. A run is stopped by
its errors, not by its ratings: that biases the ratings less than a sequential test does, but a little.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace

from arena.errors import ArenaError, did_you_mean
from arena.results.run_data import read_run, stored_config
from arena.results.run_standings import RunStandings, standings
from arena.tournament.config import TournamentConfig, check_config
from arena.tournament.store.reader import Reader

MOST_GAMES = 100_000
"""The default for the most games of each pairing."""


def next_stop(units: int) -> int:
    """Return the next number of deals at which errors are checked: every 10 up to 200, then every 5 to 10%.

    >>> [next_stop(units) for units in (0, 10, 95, 190, 200, 480, 960, 1000, 12345)]
    [10, 20, 100, 200, 220, 500, 1000, 1100, 13000]
    """
    scale: int = 10 ** max(len(str(units)) - 2, 1)
    lead = units // (10 * scale)
    step = scale * (1 if lead < 2 else 2 if lead < 5 else 5)
    return (units // step + 1) * step


def largest_error(standings_: RunStandings, bots: Sequence[str]) -> tuple[float, str]:
    """Return the largest 95% error of some bots (or all) and its bot; infinite for a bot without an error.

    It is the longer side of a bot's interval, but the shorter one of a bot that is far from the average: the other may
    have no end however long it plays.
    """
    errors, rated = [], standings_.ratings
    near = {} if rated is None else dict(zip(rated.bots, rated.near))
    for row in standings_.rows:
        if not bots or row["bot"] in bots:
            side = max if near.get(row["bot"], True) else min
            error = side(row["elo_plus"], row["elo_minus"])
            errors.append((math.inf if math.isnan(error) else float(error), str(row["bot"])))
    return max(errors, key=lambda error: error[0])


@dataclass
class UntilError:
    """Extend a run until the 95% errors of `bots` (none: of all) are at most `error` Elo, or to `most` games.

    `worst` is the largest error at the last check, with its bot; `games` is the number per pairing at that time.
    """

    error: float
    bots: Sequence[str] = ()
    most: int = MOST_GAMES
    worst: tuple[float, str] = (math.inf, "")
    games: int = 0

    def begin(self, config: TournamentConfig) -> TournamentConfig:
        """Return the settings of a run up to the first check of errors. ArenaError for those that cannot have one."""
        if not (math.isfinite(self.error) and self.error > 0):
            raise ArenaError(f"--error {self.error:g}: expected a 95% error in Elo above 0")
        if config.form.games_from or config.form.closed:
            raise ArenaError(f"--error: {config.format} does not grow by games of each pairing, as a round robin does")
        if config.deals:
            raise ArenaError("--error asks for more deals until the errors are small; this run has a list of deals")
        for bot in self.bots:
            if bot not in config.bot_names:
                known = ", ".join(config.bot_names)
                raise ArenaError(f"--bot {bot}: no such bot{did_you_mean(bot, config.bot_names)} ({known})")
        games = min(next_stop(0) * (2 if config.pairs else 1), self.most)
        return check_config(replace(config, games=games))

    @property
    def reached(self) -> bool:
        """Whether the errors are small enough."""
        return self.worst[0] <= self.error

    def look(self, runs: Sequence[RunStandings], config: TournamentConfig) -> int | None:
        """Return the games per pairing at the next check, for complete runs of `config`; None if it is time to stop."""
        units, per_unit = config.schedule().deal_count, 2 if config.pairs else 1
        self.games = units * per_unit
        self.worst = max((largest_error(run, self.bots) for run in runs), key=lambda run: run[0])
        games = min(next_stop(units) * per_unit, self.most)
        return None if self.reached or games <= self.games else games

    def __call__(self, reader: Reader) -> int | None:
        """Call `look` for the stored run of a session."""
        return self.look([standings(read_run(reader.folder))], stored_config(reader))

    @property
    def options(self) -> str:
        """The options of `arena run` that continue this.

        >>> UntilError(10.0, ["two words"], 500).options
        " --error 10 --bot 'two words' --games 500"
        """
        bots = "".join(f" --bot {shlex.quote(bot)}" for bot in self.bots)
        return f" --error {self.error:g}{bots}" + (f" --games {self.most}" if self.most != MOST_GAMES else "")

    @property
    def state(self) -> str:
        """The state, in words.

        >>> UntilError(10.0, worst=(12.34, "greedy"), games=200).state
        '± 12.3 Elo (greedy) after 200 games of each pairing, ± 10 wanted'
        """
        error, bot = self.worst
        shown = f"± {error:.1f} Elo ({bot})" if math.isfinite(error) else f"no error yet ({bot})"
        return f"{shown} after {self.games:,} games of each pairing, ± {self.error:g} wanted"
