"""What a tournament format is: a name, settings of its own, and how its schedule is made."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.tournament.formats.schedule import Schedule


@dataclass(frozen=True)
class Design:
    """What every format is given. `games` for each pairing; `own_deals`: no deal is played by two pairings."""

    bots: tuple[str, ...]
    games: int
    paired: bool
    own_deals: bool
    seed: int


@dataclass(frozen=True)
class FormatSettings:
    """The settings of a format without any; others declare theirs in a subclass."""

    def faults(self, given: Collection[str], bots: Sequence[str]) -> Iterator[tuple[str, str]]:
        """What is wrong with the settings together: pairs of a key ("": the table) and a sentence.

        `given` are the keys that the table has; `bots` the names of the bots, empty if they could not be read.
        """
        yield from ()


@dataclass(frozen=True)
class Format:
    """One tournament format. `arena.tournament.formats.registry` lists them all.

    `games_from`   settings that fix the number of games where `games` and `pairs` do not apply, else ""
    `own_deals`    may each pairing have deals of its own?
    `two_bots`     only for two bots; such a format has a command of its own
    `chained`      does a game decide who begins the next?
    `grows`        the setting that a run may be given more of later, "" if none: what was played stays as it is
    `completed`    settings of the command line, completed where a file would have to say more
    """

    name: str
    help: str
    make: Callable[[Design, Any], Schedule]
    settings: type[FormatSettings] = FormatSettings
    games_from: str = ""
    own_deals: bool = False
    two_bots: bool = False
    chained: bool = False
    grows: str = ""
    completed: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict
