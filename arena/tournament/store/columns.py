"""All games of a run as columns of numbers, from which tables are counted and pandas frames are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from arena.endings import ENDINGS, FORFEITS
from arena.stats.games import Games, by_appearance, numbered
from arena.tournament.match.results import WIN_POINTS
from arena.tournament.match.tasks import PAIRING_BITS

if TYPE_CHECKING:
    import pandas as pd

    from arena.tournament.store.figures import Figures

_CATEGORIES = {"ending": ENDINGS, "forfeit": FORFEITS}
_NAMES = ("first", "second", "forfeit_by")


@dataclass(frozen=True)
class GameColumns:
    """Games in schedule order: the columns of `arena.stats.frames.COLUMNS` and `round` as arrays.

    first, second and forfeit_by are places in `bots`, ending and forfeit those in ENDINGS and FORFEITS; -1: none.
    """

    bots: Sequence[str]
    values: Mapping[str, npt.NDArray[Any]]

    def __len__(self) -> int:
        return len(self.values["score"])

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        return self.values[name]

    def games(self) -> Games:
        """What ratings and pairs are computed from."""
        n = len(self)
        coded, place = numbered(np.concatenate([self["first"], self["second"]]).astype(np.int64))
        names = [self.bots[at] for at in coded.tolist()]
        order = sorted(range(len(names)), key=names.__getitem__)
        number = np.empty(len(names), dtype=np.int64)
        number[order] = np.arange(len(names))
        deal = self["deal"].astype(np.int64)
        cluster, clusters = by_appearance(deal)
        first, second = number[place[:n]], number[place[n:]]
        pair = deal << PAIRING_BITS | self["pairing"]
        return Games(tuple(names[at] for at in order), first, second, self["score"], cluster, clusters, pair)

    def frame(self) -> pd.DataFrame:
        """The games as a data frame. Names and endings are categories, so a million games take some 100 MB."""
        import pandas as pd  # slow to load

        names = pd.Index(list(self.bots))
        found: dict[str, Any] = dict(self.values)
        found |= {name: pd.Categorical.from_codes(found[name], names) for name in _NAMES}
        for name, words in _CATEGORIES.items():
            found[name] = pd.Categorical.from_codes(found[name], pd.Index(words))
        return pd.DataFrame(found)


def game_columns(found: Figures, columns: Sequence[str]) -> GameColumns:
    """The games in schedule order with `columns`: points in the place of half points, milliseconds."""
    place = {name: at for at, name in enumerate(found.bots)}
    sides = np.zeros((max(found.pairings, default=0) + 1, 3), dtype=np.int32)
    for number, round_, a, b in found.pairings.values():
        sides[number] = (place[a], place[b], round_)
    read = found.columns
    pairing, game, score = read["pairing"], read["game"], read["score"]
    by = np.where(read["forfeit"], read["forfeit_by"], 0)
    first, second = sides[pairing, game], sides[pairing, 1 - game]
    values = read | {
        "round": sides[pairing, 2],
        "first": first,
        "second": second,
        "score": score / 2,
        "points_first": np.where(score == 2, WIN_POINTS, read["stones_first"]).astype(np.int8),
        "points_second": np.where(score == 0, WIN_POINTS, read["stones_second"]).astype(np.int8),
        "forfeit": read["forfeit"] - 1,
        "forfeit_by": np.choose(by, (-1, first, second)),
        "ms_first": read["us_first"] / 1000,
        "ms_second": read["us_second"] / 1000,
    }
    return GameColumns(found.bots, {name: values[name] for name in columns})
