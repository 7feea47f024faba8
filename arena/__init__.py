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

_NAMES = {
    "arena.bots.bot": "Bot GameEnd Setup TimeLeft",
    "arena.errors": "ArenaError",
    "arena.game.deals": "Deal make_deal",
    "arena.game.engine": "State View",
    "arena.game.moves": "Event Move parse_move",
    "arena.game.record": "parse_record replay",
    "arena.game.rng": "Rng",
    "arena.game.rules": "Rules load_rules",
    "arena.lab.notebook": "Run load",
    "arena.lab.single_game": "PlayedGame play_game",
    "arena.lab.tournament": "run_tournament",
    "arena.stats.field": "mean_error",
    "arena.stats.ratings": "rate",
}
MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}
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
