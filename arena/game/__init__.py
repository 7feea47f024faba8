"""The game itself: cards, rules, moves, the engine, views, records. Knows no bots, clocks, files of runs or processes.

Some of its modules are compiled from their own source, see `arena.compiled`.
"""

from arena.compiled import refuse_misfits

refuse_misfits()
