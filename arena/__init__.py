"""Schotten-Totten arena: bots, tournaments and statistics for the card game Schotten-Totten.

Everything that bots, scripts, tests and notebooks need is imported from here: `from arena import Bot, play_game`.
A name is loaded when it is first asked for, so that `import arena` stays light, in the processes of bots too.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.errors import ArenaError
    from arena.game.deals import Deal, make_deal
    from arena.game.engine import State, View
    from arena.game.event_log import Event
    from arena.game.moves import Move, parse_move
    from arena.game.rng import Rng
    from arena.game.rules import Rules, load_rules
    from arena.notebook import Run, load
    from arena.play import PlayedGame, play_game
    from arena.players.bot import Bot, GameEnd, Setup, TimeLeft

__all__ = [
    "ArenaError",
    "Bot",
    "Deal",
    "Event",
    "GameEnd",
    "Move",
    "PlayedGame",
    "Rng",
    "Rules",
    "Run",
    "Setup",
    "State",
    "TimeLeft",
    "View",
    "load",
    "load_rules",
    "make_deal",
    "parse_move",
    "play_game",
]

_HOMES = {
    "arena.errors": ("ArenaError",),
    "arena.game.deals": ("Deal", "make_deal"),
    "arena.game.engine": ("State", "View"),
    "arena.game.event_log": ("Event",),
    "arena.game.moves": ("Move", "parse_move"),
    "arena.game.rng": ("Rng",),
    "arena.game.rules": ("Rules", "load_rules"),
    "arena.notebook": ("Run", "load"),
    "arena.play": ("PlayedGame", "play_game"),
    "arena.players.bot": ("Bot", "GameEnd", "Setup", "TimeLeft"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'arena' has no attribute '{name}'")
    found = globals()[name] = getattr(importlib.import_module(_HOME[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
