"""What a tournament format is: its name, its own settings, how its schedule is made, and what others need to know."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from arena.tournament.formats.schedule import Schedule

if TYPE_CHECKING:
    from arena.tournament.formats.sprt import SequentialTest


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
    """The settings of a format that has none; a format with settings declares them in a subclass."""

    def faults(self, bots: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield mistakes that only show when the settings are read together: a key ("": the table) and a sentence.

        `bots` are the names of the bots, empty if they could not be read.
        """
        yield from ()


@dataclass(frozen=True)
class Growth:
    """What a stored run may be given more of later, so that the games played so far stay as they are.

    `key` is the setting, and the option of `arena resume`; it belongs to the format's own table unless `common`.
    `noun` names it in messages. With `games_each`, the run may also be asked for `games`, rounded up to whole units.
    """

    key: str
    noun: str
    common: bool = False
    games_each: int = 0


GAMES = Growth("games", "games per pairing", common=True)
"""For formats in which every pairing that meets plays the same number of games."""


@dataclass(frozen=True)
class Format:
    """One tournament format. `arena.tournament.formats.FORMATS` lists them all.

    `games_from`   settings that fix the number of games if `games` and `pairs` do not apply, else ""
    `own_deals`    each pairing may have its own deals
    `two_bots`     only for two bots, with its own command
    `chained`      a game decides who begins the next
    `grows`        what a stored run may be given more of, None if nothing
    `completed`    turns the settings of the command line into a full table if a file would have to say more
    `verdict`      makes the test that ends a run early, None if all games are always played
    `round_view`   how its rounds are shown: as a list, as a bracket, or "" if it has none
    """

    name: str
    help: str
    make: Callable[[Design, Any], Schedule]
    settings: type[FormatSettings] = FormatSettings
    games_from: str = ""
    own_deals: bool = False
    two_bots: bool = False
    chained: bool = False
    grows: Growth | None = None
    completed: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict
    verdict: Callable[[Any], SequentialTest] | None = None
    round_view: Literal["", "rounds", "bracket"] = ""
