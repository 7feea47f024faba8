"""Helpers for tests of the referee: bots by their files, referees for them, results without times."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from arena.bots.bot import TimeLeft
from arena.bots.loading import LoadedBot, load_bot
from arena.bots.spec import find_bot
from arena.endings import forfeit_of
from arena.game.rules import load_rules
from arena.tournament.games import CLOCKED, ROW_COLUMNS, PairTask, Row
from arena.tournament.referee import Player, Referee
from arena.tournament.rows import GameSettings

BOTS = Path(__file__).parents[2] / "data" / "bots"
_TIMELESS = [at for at, name in enumerate(ROW_COLUMNS) if name not in CLOCKED and name != "detail"]


def loaded(spec: str, name: str) -> LoadedBot:
    """Load a bot of tests/data/bots (`sleeper:ms=5`) or of the program (`greedy`), under a name."""
    stem, colon, params = spec.partition(":")
    own = BOTS / f"{stem}.py"
    return load_bot(find_bot(f"{own}{colon}{params}" if own.is_file() else spec, name=name))


def player(spec: str, name: str) -> Player:
    """Return the player of such a bot."""
    return Player.of(loaded(spec, name))


def referee(
    a: str, b: str, rules: str = "base", seed: int = 1, clock: TimeLeft | None = None, **options: Any
) -> Referee:
    """Return a referee for bots named `a` and `b`."""
    settings = GameSettings(load_rules(rules), seed, clock)
    return Referee(settings, [player(a, "a"), player(b, "b")], **options)


def play(referee: Referee, deals: Iterable[int]) -> list[Row]:
    """Play `a` against `b` on some deals."""
    return [row for deal in deals for row in referee.play_unit(PairTask(0, deal, "a", "b"))]


def timeless(rows: Iterable[Row]) -> list[tuple[Any, ...]]:
    """Return rows without measured times and tracebacks."""
    return [tuple(row[at] for at in _TIMELESS) for row in rows]


def forfeit(row: Row) -> tuple[str | None, str | None]:
    """Return the kind of the forfeit and the bot that forfeited, `a` or `b`."""
    began = "ab" if not row.id & 1 else "ba"
    by = row.forfeit_by
    return forfeit_of(row.forfeit), None if by == 0 else began[by - 1]


def detail(row: Row) -> str:
    """Return the remark on a forfeit."""
    text = row.detail
    assert isinstance(text, str)
    return text
