"""The luck of stored games (arena.policy.luck), judged once: a run's folder keeps it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from arena.game.record import RecordError, parse_record
from arena.game.rules import Rules
from arena.policy import load_net
from arena.policy.luck import PARTS, fixed_luck, game_luck
from arena.policy.weights import packaged_hash
from arena.tournament.games import GameResult

LUCK = "luck.json"
"""In a run's folder, what was judged, so that no game is judged twice."""


class JudgedLuck:
    """What luck gave in the games of a run; those judged before are read from its folder, if there is one."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._known = {} if folder is None else _read(folder)
        self._fresh = 0

    def of(self, game: GameResult) -> Sequence[float]:
        """What luck gave the first player, in points, by part of the game; 0 if the record does not replay."""
        key = str(game.id)
        known = self._known.get(key)
        if known is not None:
            return known
        try:
            record = parse_record(game.record)
            parts = game_luck(record, _net(record.rules))
        except RecordError:
            parts = [0.0] * PARTS
        if self._folder is not None:
            self._known[key] = parts
            self._fresh += 1
        return parts

    def of_pairs(self, games: Iterable[GameResult], rules: Rules) -> Iterator[float]:
        """For each two games, what luck gave the bot that begins the first, in points per game, by fixed weights."""
        both = iter(games)
        for begun, answered in zip(both, both):
            yield (fixed_luck(self.of(begun), rules) - fixed_luck(self.of(answered), rules)) / 2

    def save(self, often: bool = False) -> None:
        """Write to the folder what was judged since; if `often`, only when a tenth is new.

        A folder that cannot be written stays as it is.
        """
        least = 100 + len(self._known) // 10 if often else 1
        if self._folder is None or self._fresh < least:
            return
        text = json.dumps({"net": packaged_hash(), "games": self._known}, separators=(",", ":"))
        made = self._folder / f".{LUCK}.{os.getpid()}.part"
        with suppress(OSError):
            made.unlink(missing_ok=True)  # else it could be a link to anywhere
            with open(made, "x", encoding="utf-8") as file:
                file.write(f"{text}\n")
            made.replace(self._folder / LUCK)
            self._fresh = 0


_net = lru_cache(maxsize=4)(load_net)


def _read(folder: Path) -> dict[str, list[float]]:
    """What is stored of the same net; nothing if there is no such file, or half of one."""
    try:
        values = json.loads((folder / LUCK).read_text(encoding="utf-8"))
        if values["net"] != packaged_hash():
            return {}
        games: dict[str, list[float]] = values["games"]
        return games
    except (OSError, ValueError, KeyError):
        return {}
