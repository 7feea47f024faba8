"""What the moves of each bot lost on average, as `arena replay --judge` stores it in the folder of a run."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from pathlib import Path

from arena.errors import ArenaError

LOSSES = "losses.json"
_FORMAT = 1
_LARGEST_FILE = 32 << 20


@dataclass
class BotLosses:
    """Sums over the games of a bot. A loss is a part of the chance to win, so that 1 is a whole game.

    games      games judged
    decisions  decisions with a choice that were judged
    blunders   those that lost a tenth of the chance to win or more
    loss       the sum of all losses
    squares    sums over the games of loss², loss * decisions and decisions²
    """

    games: int = 0
    decisions: int = 0
    blunders: int = 0
    loss: float = 0.0
    squares: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def add(self, decisions: int, loss: float, blunders: int) -> None:
        """One more game."""
        self.games += 1
        self.decisions += decisions
        self.blunders += blunders
        self.loss += loss
        one, two, three = self.squares
        self.squares = (one + loss * loss, two + loss * decisions, three + decisions * decisions)

    @property
    def mean(self) -> float:
        """The average loss a move; nan without moves."""
        return self.loss / self.decisions if self.decisions else math.nan

    @property
    def error95(self) -> float:
        """Its 95% error, the moves of a game taken together; nan for fewer than two games."""
        if self.games < 2 or not self.decisions:
            return math.nan
        one, two, three = self.squares
        spread = max(one - 2 * self.mean * two + self.mean**2 * three, 0.0)
        return 1.96 * math.sqrt(spread * self.games / (self.games - 1)) / self.decisions


@dataclass
class RunLosses:
    """Those of all bots of a run. `judge` says by what they were judged, `nodes` with which budget a move."""

    judge: str
    nodes: int
    games: int = 0
    bots: dict[str, BotLosses] = field(default_factory=dict)

    def text(self) -> str:
        """The file."""
        bots = {name: astuple(one) for name, one in self.bots.items()}
        values = {"format": _FORMAT, "judge": self.judge, "nodes": self.nodes, "games": self.games, "bots": bots}
        return json.dumps(values, indent=1) + "\n"


def read_losses(folder: Path) -> RunLosses | None:
    """What is stored in the folder of a run, None if nothing is. ArenaError for a file that is not as written."""
    path = folder / LOSSES
    if not path.is_file():
        return None
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise ValueError("too large")
        values = json.loads(path.read_text(encoding="utf-8"))
        if values["format"] != _FORMAT:
            raise ValueError("another format")
        bots = {str(name): _bot(row) for name, row in values["bots"].items()}
        return RunLosses(str(values["judge"])[:80], _whole(values["nodes"]), _whole(values["games"]), bots)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ArenaError(
            f"{path} is not as arena replay --judge wrote it ({error!r}); delete it, or analyse again"
        ) from None


def _bot(row: list[object]) -> BotLosses:
    games, decisions, blunders, loss, squares = row
    if not isinstance(squares, list) or len(squares) != 3:
        raise ValueError("three sums")
    one, two, three = map(_real, squares)
    return BotLosses(_whole(games), _whole(decisions), _whole(blunders), _real(loss), (one, two, three))


def _whole(value: object) -> int:
    if type(value) is not int or not 0 <= value < 1 << 62:
        raise ValueError("a whole number")
    return value


def _real(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < 1e15:
        raise ValueError("a number")
    return float(value)


def sorted_bots(losses: RunLosses) -> Mapping[str, BotLosses]:
    """The bots, the least loss first."""
    return dict(sorted(losses.bots.items(), key=lambda one: (one[1].mean, one[0])))
