"""Estimate the luck of the draw: how much better the cards drawn in a game were than expected.

At each draw the packaged net values every card that could have been drawn, for the player who drew it (both hands open,
after the opponent's likely reply). Luck is the value of the card drawn minus the mean of all, and so has mean zero
(Burch, Schmid, Moravcik, Bowling: AIVAT, 2016; arXiv 1612.06915). The initial hands need no term: in the two games of a
pair the bots swap them. No game is judged twice: the results are kept in the folder of the run.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from arena.errors import ArenaError
from arena.game.engine import State
from arena.game.record import Record, RecordError, parse_record
from arena.game.rules import Rules
from arena.paths import weights_hash
from arena.tournament.games import GameResult
from arena.whole_file import ExportError, write_whole

if TYPE_CHECKING:
    from arena.policy import Evaluator

LUCK = "luck.json"
PARTS = 3
DRAWS_A_PART = 14
"""A game of the base rules has 42 draws."""
_DIGITS = 6
_WEIGHTS = {"base": (0.41, 0.58, 0.79), "tactical": (0.59, 0.64, 0.65)}
"""By part of the game: least squares over 400 deals each of greedy, counter, odds and net, seed 7."""


def game_luck(record: Record, net: Evaluator) -> list[float]:
    """Return the luck of a game's first player, in points, for PARTS parts of the game.

    Raises RecordError if the record does not replay.
    """
    state = State(record.rules, record.deal, record.auto_claim)
    parts, draws = [0.0] * PARTS, 0
    for number, move in enumerate(record.moves, 1):
        before = state.copy()
        try:
            state.apply(move)
        except ArenaError as error:
            raise RecordError(f"record, move {number} ({move}): {error}") from None
        if values := net.draw_values(before, state):
            luck = values[0] - math.fsum(values) / len(values)
            parts[min(draws // DRAWS_A_PART, PARTS - 1)] += luck if before.to_move == record.deal.starter else -luck
            draws += 1
    return [round(part, _DIGITS) + 0.0 for part in parts]


def fixed_luck(parts: Sequence[float], rules: Rules) -> float:
    """Return the luck of the first player, with fixed weights, not fitted to the games at hand."""
    return math.fsum(weight * part for weight, part in zip(_WEIGHTS["tactical" if rules.tactics else "base"], parts))


class JudgedLuck:
    """Judges the luck in the games of a run; games judged before are read from its folder, if there is one."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._known = {} if folder is None else _read(folder)
        self._fresh = 0

    @property
    def judged(self) -> int:
        """Return the number of games whose luck is known."""
        return len(self._known)

    def of(self, game: GameResult) -> Sequence[float]:
        """Return the luck of the first player, in points, by part of the game; 0 if the record does not replay."""
        key = hashlib.sha256(game.record.encode()).hexdigest()[:24]  # the same record, whatever becomes of the run
        known = self._known.get(key)
        if known is not None:
            return known
        try:
            record = parse_record(game.record)
            parts = game_luck(record, net_of(record.rules))
        except RecordError:
            parts = [0.0] * PARTS
        if self._folder is not None:
            self._known[key] = parts
            self._fresh += 1
        return parts

    def of_pairs(self, games: Iterable[GameResult], rules: Rules) -> Iterator[float]:
        """Yield for each two games the luck of the bot that begins the first, in points per game, by fixed weights."""
        both = iter(games)
        for begun, answered in zip(both, both):
            yield (fixed_luck(self.of(begun), rules) - fixed_luck(self.of(answered), rules)) / 2

    def save(self, often: bool = False) -> None:
        """Store newly judged games in the folder; if `often`, only when a tenth is new.

        A folder that cannot be written stays as it is.
        """
        least = 100 + len(self._known) // 10 if often else 1
        if self._folder is None or self._fresh < least:
            return
        text = json.dumps({"net": weights_hash(), "games": self._known}, separators=(",", ":"))
        with suppress(ExportError):
            write_whole(self._folder / LUCK, [text, "\n"], follow=False)
            self._fresh = 0


@lru_cache(maxsize=4)
def net_of(rules: Rules) -> Evaluator:
    """Return the net that judges. UnfitEngineError if nothing is compiled."""
    from arena.policy import load_net

    return load_net(rules)


def _read(folder: Path) -> dict[str, list[float]]:
    """Read what the same net judged; nothing if the file is missing or incomplete."""
    try:
        values = json.loads((folder / LUCK).read_text(encoding="utf-8"))
        if values["net"] != weights_hash():
            return {}
        games: dict[str, list[float]] = values["games"]
        return games
    except (OSError, ValueError, KeyError):
        return {}
