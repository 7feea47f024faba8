"""A file of records as the plain values of a run, for `arena.load`."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from arena.endings import ENDINGS, FORFEITS
from arena.results.reading.run import RunData
from arena.results.records import ReplayError, read_games
from arena.stats.games import by_appearance
from arena.tournament.match.results import GameResult
from arena.tournament.store.columns import CLOCK_COLUMNS, GAME_COLUMNS, GameColumns
from arena.tournament.store.reasons import Reasons

FORMAT = "records"
"""What stands for the format of a tournament: nobody knows how the games were arranged."""


class RecordsFile:
    """The games of a file, for who wants their records one by one, as those of a run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def records(self) -> Iterator[tuple[int, int, str]]:
        """Identity, half points of the bot that began, and record of all games."""
        for game in read_games(self.path):
            yield game.id.key, round(2 * game.score), game.record


def read_records(path: Path) -> RunData:
    """The games of a file of records as a run without clock, plan and ranking of its own.

    Records of several runs may stand in one file: games on different cards get deals of different numbers, and
    pairings that mean different bots, rounds or rule sets are numbered anew. Raises ReplayError for a line that cannot
    be read, and for a game that is there twice.
    """
    return run_of(read_games(path), path, FORMAT)


def run_of(games: Iterable[GameResult], path: Path, form: str) -> RunData:
    """As `read_records`, for games from elsewhere: `path` and `form` say where."""
    columns: dict[str, array[Any]] = {name: array("q") for name in _COUNTS}
    names: dict[str, int] = {}
    pairings: dict[tuple[int, int, int, int, str], int] = {}
    seeds: dict[str, int] = {}
    rules: dict[str, int] = {}
    reasons = Reasons()
    for game in games:
        head = game.record.split(" ", 3)
        seed = head[2].partition(":")[0]
        first, second = (names.setdefault(bot, len(names)) for bot in (game.first, game.second))
        pairing = (game.id.pairing, game.round, min(first, second), max(first, second), head[1])
        row = {
            "pairing": pairings.setdefault(pairing, len(pairings)),
            "deal": game.id.deal,
            "game": game.id.game,
            "round": game.round,
            "first": first,
            "second": second,
            "score": round(2 * game.score),
            "stones_first": game.stones[0],
            "stones_second": game.stones[1],
            "points_first": game.points[0],
            "points_second": game.points[1],
            "turns": game.turns,
            "plies": game.plies,
            "ending": ENDINGS.index(game.ending),
            "forfeit": -1 if game.forfeit is None else FORFEITS.index(game.forfeit),
            "forfeit_by": -1 if game.forfeit_by is None else names[game.forfeit_by],
            "decisions_first": game.decisions[0],
            "decisions_second": game.decisions[1],
            "seed": seeds.setdefault(seed, len(seeds)),
        }
        rules.setdefault(head[1], len(rules))
        reasons.add_game(game)
        for name, value in row.items():
            columns[name].append(value)
    read = {name: np.frombuffer(values, np.int64) for name, values in columns.items()}
    seed_of = read.pop("seed")
    if len(seeds) > 1:
        _, deal = np.unique(read["deal"], return_inverse=True)
        read["deal"], _ = by_appearance(seed_of * (int(deal.max()) + 1) + deal)
    if len({number for number, *_ in pairings}) == len(pairings):  # each number has one meaning: it stays
        read["pairing"] = np.array([number for number, *_ in pairings], np.int64)[read["pairing"]]
    config: dict[str, Any] = {
        "format": form,
        "bots": [{"name": name} for name in names],
        "rules": ", ".join(rules),
        "seed": int(only) if len(seeds) == 1 and (only := next(iter(seeds))) != "cards" else None,
    }
    forfeits = tuple(reasons.lines())
    return RunData(path.name, config, _columns(path, read, list(names)), forfeits=forfeits, folder=str(path))


_COUNTS = (*GAME_COLUMNS, "seed")
_SMALL = {
    "pairing": np.int32,
    "deal": np.int64,
    "turns": np.int32,
    "plies": np.int32,
    "round": np.int32,
    "decisions_first": np.int32,
    "decisions_second": np.int32,
    "first": np.int32,
    "second": np.int32,
    "forfeit_by": np.int32,
}


def _columns(path: Path, read: dict[str, Any], names: list[str]) -> GameColumns:
    columns = {name: values.astype(_SMALL.get(name, np.int8)) for name, values in read.items()}
    columns |= {"score": read["score"] / 2} | dict.fromkeys(CLOCK_COLUMNS, np.full(len(read["score"]), np.nan))
    _, deal = np.unique(read["deal"], return_inverse=True)
    game, number = by_appearance((read["pairing"] * (int(deal.max(initial=0)) + 1) + deal) << 1 | read["game"])
    if number < len(game):
        row = int(np.argmax(game != np.arange(len(game))))
        first, second = (names[read[seat][row]] for seat in ("first", "second"))
        raise ReplayError(
            f"{path}: record {row + 1} is a game that was there before: {first} against {second},"
            f" deal {read['deal'][row]}"
        )
    return GameColumns(names, {name: columns[name] for name in (*GAME_COLUMNS, *CLOCK_COLUMNS)})
