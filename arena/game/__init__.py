"""The game itself: cards, rules, moves, the engine, views and records.

The package knows nothing of bots, clocks, files of runs or processes. Some of its modules are compiled from their own
source; see `arena.compiled`.
"""

from arena.compiled import use_fitting_engine

use_fitting_engine()
