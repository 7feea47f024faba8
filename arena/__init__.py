"""Schotten-Totten arena: bots, tournaments and statistics for the card game Schotten-Totten.

Everything that bots, scripts, tests and notebooks need is imported from here: `from arena import Bot, play_game`.
A name is loaded when it is first used, so that `import arena` stays light, in the processes of bots as well.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.bots.bot import Bot, GameEnd, Setup, TimeLeft
    from arena.errors import ArenaError
    from arena.game.deals import Deal, make_deal
    from arena.game.engine import State, View
    from arena.game.moves import Event, Move, parse_move
    from arena.game.record import parse_record, replay
    from arena.game.rng import Rng
    from arena.game.rules import Rules, load_rules
    from arena.lab.notebook import Run, load
    from arena.lab.single_game import PlayedGame, play_game
    from arena.lab.tournament import run_tournament
    from arena.stats.field import mean_error
    from arena.stats.ratings import rate

    __version__: str

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
    "mean_error",
    "parse_move",
    "parse_record",
    "play_game",
    "rate",
    "replay",
    "run_tournament",
]

MODULES = {
    "ArenaError": "arena.errors",
    "Bot": "arena.bots.bot",
    "Deal": "arena.game.deals",
    "Event": "arena.game.moves",
    "GameEnd": "arena.bots.bot",
    "Move": "arena.game.moves",
    "PlayedGame": "arena.lab.single_game",
    "Rng": "arena.game.rng",
    "Rules": "arena.game.rules",
    "Run": "arena.lab.notebook",
    "Setup": "arena.bots.bot",
    "State": "arena.game.engine",
    "TimeLeft": "arena.bots.bot",
    "View": "arena.game.engine",
    "load": "arena.lab.notebook",
    "load_rules": "arena.game.rules",
    "make_deal": "arena.game.deals",
    "mean_error": "arena.stats.field",
    "parse_move": "arena.game.moves",
    "parse_record": "arena.game.record",
    "play_game": "arena.lab.single_game",
    "rate": "arena.stats.ratings",
    "replay": "arena.game.record",
    "run_tournament": "arena.lab.tournament",
}
"""The module of each public name."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("schotten-arena")
    if name not in MODULES:
        raise AttributeError(f"module 'arena' has no attribute '{name}'")
    value = globals()[name] = getattr(importlib.import_module(MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
