"""Which games of a run a page holds: forfeits of each kind first, the others evenly spaced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from arena.tournament.match.results import GameResult
from arena.tournament.match.tasks import GameId
from arena.results.reading.game import GameFilter, Games
from arena.results.sources import FILE, LEAGUE, games_of

if TYPE_CHECKING:
    import pandas as pd

Forfeit = tuple[object, object]
"""Who forfeited a game and how; None where nobody did."""


def chosen_places(forfeits: Sequence[Forfeit], count: int) -> list[int]:
    """Places of `count` games: up to half of them a forfeit of each bot and kind, the rest evenly spaced.

    >>> chosen_places([(None, None)] * 5 + [("ann", "crash")] * 5, 4)
    [0, 3, 5, 7]
    """
    total = len(forfeits)
    if count < 1:
        return []
    if count >= total:
        return list(range(total))
    first: dict[Forfeit, int] = {}
    for at, one in enumerate(forfeits):
        if isinstance(one[1], str):
            first.setdefault(one, at)
    found = set(islice(first.values(), max(count // 2, 1)))
    left = count - len(found)
    if left > 0:
        others = [at for at in range(total) if at not in found]
        found |= {others[at * len(others) // left] for at in range(left)}
    return sorted(islice(sorted(found), count))


Found = list[tuple[str, GameResult]]
"""Games with their numbers, by which `arena replay` finds them, too."""


def sample(kind: str, place: Path, frame: pd.DataFrame, wanted: GameFilter, count: int) -> tuple[Found, int]:
    """Games to show, and among how many they were chosen; `frame` are those of a run, as it is scheduled."""
    with games_of(str(place)) as games:
        games.chosen(wanted)  # tells of bots that are not there
        if not wanted.all or kind in (FILE, LEAGUE):
            return _searched(games, wanted, count)
        forfeits = list(zip(frame["forfeit_by"].astype(object), frame["forfeit"].astype(object)))
        places = chosen_places(forfeits, count)
        ids = frame.iloc[places][["pairing", "deal", "game"]].itertuples(index=False)
        found = [games.identified(GameId(*map(int, one))) for one in ids]
        return _named(zip(places, found)), len(frame)


def _searched(games: Games, wanted: GameFilter, count: int) -> tuple[Found, int]:
    """The same where games can only be read one after the other."""
    every = [(at, (game.forfeit_by, game.forfeit)) for at, game in enumerate(games) if game in wanted]
    numbers = {every[at][0] for at in chosen_places([forfeit for _, forfeit in every], count)}
    return _named((at, game) for at, game in enumerate(games) if at in numbers), len(every)


def _named(found: Iterable[tuple[int, GameResult]]) -> Found:
    return [(str(at + 1), game) for at, game in found]
