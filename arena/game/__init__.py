"""The game itself: cards, rules, moves, the engine, views, records. Knows no bots, clocks, files of runs or processes."""
