"""Count who forfeited games, by bot and kind, and why: the reason is the line of a traceback that names the exception.

Whatever shows a rating or a verdict shows a `ForfeitSummary` of its games beside it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from arena.endings import AFTER
from arena.text import printable_lines
from arena.tournament.games import GameResult

_LONGEST = 200
_MOST = 1000
"""Different reasons counted for a bot and kind: some texts differ in every game."""


class ForfeitReason(NamedTuple):
    """The games that a bot forfeited in one way: number, most frequent reason in a line, name of its first game."""

    bot: str
    kind: str
    games: int
    reason: str
    game: str


@dataclass(frozen=True)
class ForfeitSummary:
    """Who forfeited, of the games that a rating or a verdict is about.

    reasons   a line for each bot and kind, the most frequent first
    games     the number of games of each bot, forfeited or not
    folder    what `arena replay` takes to show the games that `reasons` name; "" if nothing does
    """

    reasons: Sequence[ForfeitReason]
    games: Mapping[str, int]
    folder: str = ""

    @property
    def lost(self) -> dict[str, int]:
        """The number of games that each bot forfeited; bots that forfeited none are left out."""
        lost: dict[str, int] = {}
        for line in self.reasons:
            if line.kind != AFTER:
                lost[line.bot] = lost.get(line.bot, 0) + line.games
        return lost

    @property
    def always(self) -> list[str]:
        """The bots that forfeited every game they played: more games would not help."""
        return [bot for bot, games in self.lost.items() if games == self.games.get(bot)]

    @property
    def is_all(self) -> bool:
        """Whether every game was forfeited, by one bot or the other."""
        return 0 < 2 * sum(self.lost.values()) == sum(self.games.values())

    def values(self) -> list[dict[str, Any]]:
        """Return the lines for JSON: texts of bots, which may hold times and addresses."""
        return [line._asdict() | {"reason": printable_lines(line.reason)} for line in self.reasons]


class Reasons:
    """Counts the forfeits of games by bot, kind (`AFTER`: it failed in `end`) and reason."""

    def __init__(self) -> None:
        self._games: dict[tuple[str, str], int] = {}
        self._reasons: dict[tuple[str, str], dict[str, tuple[int, str]]] = {}  # number of games, first game

    def add(self, bot: str, kind: str, detail: str | None, game: str) -> None:
        """Count a game by its name; `detail` comes from its row."""
        who, reason = (bot, kind), reason_line(detail)[:_LONGEST]
        self._games[who] = self._games.get(who, 0) + 1
        reasons = self._reasons.setdefault(who, {})
        if reason in reasons or len(reasons) < _MOST:
            games, first = reasons.get(reason, (0, game))
            reasons[reason] = (games + 1, first)

    def add_game(self, game: GameResult) -> None:
        """Count a game if a bot forfeited it or failed after it."""
        if game.forfeit is not None and game.forfeit_by is not None:
            self.add(game.forfeit_by, game.forfeit, game.detail, game.name)
        for bot in game.failed_after:
            self.add(bot, AFTER, game.detail, game.name)

    def lines(self) -> list[ForfeitReason]:
        """Return a line for each bot and kind, the most frequent first."""
        lines = []
        for (bot, kind), games in self._games.items():
            reason, (_, first) = max(self._reasons[bot, kind].items(), key=lambda item: item[1][0])
            lines.append(ForfeitReason(bot, kind, games, reason, first))
        return sorted(lines, key=lambda line: (-line.games, line.bot, line.kind))


_FRAME = re.compile(r'\s+File "(.+?)", line (\d+)')


def reason_line(detail: str | None) -> str:
    """Return the line of a forfeit's detail that says what happened: the exception and its place, else the first line.

    Frames of a traceback are indented, and so are the last words of a process, which follow the reason. The place is
    the last frame in the file of the bot, where the traceback begins.

    >>> reason_line('in act: Traceback (most recent call last):\\n  File "/a/bot.py", line 3, in act\\nKeyError: 1\\n')
    'KeyError: 1 (bot.py, line 3)'
    >>> reason_line("in act: it ended itself with exit code 3\\n  last words")
    'in act: it ended itself with exit code 3'
    """
    lines = [line for line in (detail or "").split("\n") if line.strip()]
    raised = [line for before, line in pairwise(lines) if before[0].isspace() and not line[0].isspace()]
    if raised:
        frames = [match.groups() for line in lines if (match := _FRAME.match(line))]
        own = [number for path, number in frames if path == frames[0][0]]
        return raised[-1].strip() + (f" ({Path(frames[0][0]).name}, line {own[-1]})" if own else "")
    if lines and lines[0].endswith("(most recent call last):"):  # an exception group, framed with marks
        lines = [line.strip(" |+-") for line in reversed(lines) if line.strip(" |+-")]
    return lines[0].strip() if lines else ""
