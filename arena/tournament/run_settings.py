"""The settings of a run, declared: names, bounds, choices and help, without what plays.

`arena.tournament.config` reads and checks them; the formats of tournaments take their own tables from here. Whatever
only names settings, such as the options of commands, needs neither numpy nor the engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from arena.bots.limits import ISOLATIONS, Limits
from arena.errors import did_you_mean
from arena.settings import REQUIRED, choice, flag, other, real, table, text, texts, whole

LARGEST_SEED = 2**63 - 1  # the largest number that TOML promises
MOST_BOTS = 5_000  # all pairings of a round robin have numbers below 2**PAIRING_BITS
MOST_DEALS = 100_000
MOST_WORKERS = 1024
LONGEST_TIME = 10**9  # milliseconds, eleven days
LONGEST_NAME = 255  # bytes of the name of a folder

ParamValue: TypeAlias = str | int | float | bool


LOCAL = "local"
"""The scheduler of games that are played by processes of this machine."""


@dataclass(frozen=True)
class BotSetting:
    """A bot of the tournament."""

    spec: str = text(REQUIRED, 4096, "name of a bot that comes with the program, its file, or package.module:Class")
    name: str = text(REQUIRED, 200, "name in the tables", unset="made from the spec")
    params: Mapping[str, ParamValue] = other(dict, "arguments for the bot's `__init__`, as a table")
    isolation: str | None = choice(None, ISOLATIONS, "where this bot runs", unset="like the other bots")
    labels: Mapping[str, str] = other(dict, "")  # the commit that it is from


@dataclass(frozen=True)
class Clock:
    """Thinking time in milliseconds: per decision, and a bank for the whole game. None: no limit."""

    move_ms: int | None = whole(None, 1, LONGEST_TIME, "milliseconds per decision", unset="no limit")
    bank_ms: int | None = whole(
        None,
        0,
        LONGEST_TIME,
        "extra milliseconds per game, used when a decision takes longer than `move_ms`",
        unset="none",
    )


# ---------------------------------------------------------------- tables of formats


@dataclass(frozen=True)
class FormatSettings:
    """The empty settings of a format; a format with settings declares them in a subclass."""

    def faults(self, bots: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield settings that conflict with each other: a key ("": the table) and what is wrong.

        `bots` are the names of the bots, empty if they could not be read.
        """
        yield from ()


@dataclass(frozen=True)
class GauntletSettings(FormatSettings):
    """The settings of a gauntlet."""

    hero: tuple[str, ...] = texts(
        200, "name of the bot that plays all others, or names of several, which do not meet", unset="the first"
    )

    def faults(self, bots: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield faults unless the heroes are some of the bots, each named once."""
        if not bots:
            return
        for number, hero in enumerate(self.hero):
            if hero not in bots:
                yield "hero", f"expected one of the bots ({', '.join(bots)}), found '{hero}'{did_you_mean(hero, bots)}"
            elif hero in self.hero[:number]:
                yield "hero", f"'{hero}' is named twice"
        if {*bots} <= {*self.hero}:
            yield "hero", "every bot is a hero, so none can meet another; leave one out, or use round-robin"


@dataclass(frozen=True)
class SwissSettings(FormatSettings):
    """The settings of a swiss tournament."""

    rounds: int | None = whole(
        None, 1, 100_000, "rounds", unset="the fewest that leave at most one bot with all rounds won"
    )


@dataclass(frozen=True)
class KnockoutSettings(FormatSettings):
    """The settings of a knockout."""

    extra: int = whole(4, 0, 1_000_000, "most extra deals for a drawn pairing")


NEXT_STARTERS = ("winner", "loser", "alternate")


@dataclass(frozen=True)
class SeriesSettings(FormatSettings):
    """The settings of series; either `rounds` or `target` is set."""

    matches: int = whole(1, 1, 10**9, "series per pairing")
    next_starter: str = choice(
        "winner", NEXT_STARTERS, "who begins the next game; after a drawn game, the bot that did not begin it"
    )
    rounds: int | None = whole(None, 1, 1_000_000, "games per series", unset="until the target is reached")
    target: int | None = whole(
        None, 1, 1_000_000, "points that end a series", unset="20 on the command line, unless rounds are given"
    )

    def faults(self, bots: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield a fault unless either rounds or a target are given."""
        if (self.rounds is None) == (self.target is None):
            given = "found neither" if self.rounds is None else "found both"
            yield "", f"expected either rounds (games of a series) or target (points to reach), {given}"


_MOST_ELO = {"logistic": 800, "normalized": 200}  # by model
MODELS = tuple(_MOST_ELO)
_ELO = {"least": -800, "most": 800}
_RATE = {"above": 0, "below": 0.5, "noun": "an error rate"}


@dataclass(frozen=True)
class SprtSettings(FormatSettings):
    """The hypotheses, in Elo of the `model`, the error rates, and the most pairs to play."""

    elo0: float = real(0.0, "H0: the first bot is this much stronger, in Elo", **_ELO)
    elo1: float = real(10.0, "H1: it is this much stronger; the closer the two, the more pairs it takes", **_ELO)
    alpha: float = real(0.05, "probability of accepting H1 although H0 holds", **_RATE)
    beta: float = real(0.05, "probability of accepting H0 although H1 holds", **_RATE)
    model: str = choice("logistic", MODELS, "scale of `elo0` and `elo1`")
    adjusted: bool = flag(False, "test pairs with the luck of the draw taken out, which takes about 0.1 s per pair")
    max_pairs: int = whole(  # with a greater number the same test continues
        1_000_000, 1, 10**9, "pairs after which the test ends undecided", shapes_results=False
    )

    def faults(self, bots: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield hypotheses out of bounds or in the wrong order."""
        limit = _MOST_ELO[self.model]
        for key, elo in (("elo0", self.elo0), ("elo1", self.elo1)):
            if abs(elo) > limit:
                yield key, f"expected {self.model} Elo from -{limit} to {limit}, found {elo:g}"
        if not self.elo0 < self.elo1:
            yield "", f"elo0 ({self.elo0:g}) must be less than elo1 ({self.elo1:g})"


FORMAT_SETTINGS: dict[str, type[FormatSettings]] = {
    "round-robin": FormatSettings,
    "gauntlet": GauntletSettings,
    "swiss": SwissSettings,
    "knockout": KnockoutSettings,
    "match": FormatSettings,
    "series": SeriesSettings,
    "sprt": SprtSettings,
}
"""The settings that each format has of its own; what plays it is in `arena.tournament.formats`."""

# ---------------------------------------------------------------- all


@dataclass(frozen=True)
class RunSettings:
    """All settings of a run; `format_settings` is the table of the format."""

    name: str = text(REQUIRED, LONGEST_NAME, "name of the run", unset="the name of the file")
    format: str = choice("round-robin", FORMAT_SETTINGS, "which bots meet, and when")
    bots: tuple[BotSetting, ...] = other(
        tuple, "list of names, files, patterns (`class/*.py`) and folders (`class/`), or tables with settings"
    )
    exclude: tuple[str, ...] = texts(
        4096, "files, patterns and folders that `bots` shall not include, such as `class/helper*.py`"
    )  # applied when a list of bots is read, and empty in its result
    games: int = whole(100, 1, 10**9, "games per pairing, rounded up to whole pairs")
    rules: str = text("base", 4096, "rule set, single options changed after a colon: `tactical:hand_size=6`")
    seed: int | None = whole(None, 0, LARGEST_SEED, "everything random derives from it", unset="chosen and printed")
    pairs: bool = flag(
        True, "play each deal twice with the seats swapped; if false, play it once and let the bots begin in turn"
    )
    own_deals: bool | None = flag(
        None,
        "every pairing has its own deals; if false, all pairings play the same cards",
        unset="true in round robins and gauntlets",
    )
    deals: tuple[str, ...] = other(
        tuple,
        "list of the deals that every pairing plays, in order, as records write them: `42:17` (seed and number) or"
        " `cards:...`; `games` is then enough for all of them by default",
    )
    clock: Clock = table(Clock, "thinking time; a bot that exceeds it forfeits the game")
    workers: int | None = whole(None, 1, MOST_WORKERS, "worker processes", unset="one per core")
    scheduler: str = text(
        LOCAL, 4096, "address of a Dask scheduler, tcp://HOST:8786, whose cluster plays; `local` for this machine"
    )
    notes: bool = flag(True, "keep what bots say with their moves (`view.note`)")
    isolation: str = choice(
        "none",
        ISOLATIONS,
        "where bots run: inside the workers, each in its own process, or there without network and files",
    )
    limits: Limits = table(Limits, "what workers and bots may use before they are stopped")
    out: str | None = text(None, 4096, "folder of the results", unset="results/NAME")
    format_settings: FormatSettings = other(FormatSettings, "")
