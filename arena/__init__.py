"""Schotten-Totten arena: bots, tournaments and statistics for the card game Schotten-Totten.

`arena.load("results/NAME")` reads a run into pandas frames; it is imported when it is asked for, so that
`import arena` stays light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.notebook import Run as Run
    from arena.notebook import load as load

__all__ = ["Run", "load"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(importlib.import_module("arena.notebook"), name)
    raise AttributeError(f"module 'arena' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
