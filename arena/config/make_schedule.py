"""From the settings of a tournament to its schedule."""

from __future__ import annotations

from arena.config.tournament import TournamentConfig
from arena.errors import ArenaError
from arena.formats.rounds import knockout, swiss
from arena.formats.schedule import Schedule, gauntlet, round_robin, single_match
from arena.formats.series import series


def make_schedule(config: TournamentConfig) -> Schedule:
    """The schedule of a tournament. The config must have its seed.

    >>> from arena.config.tournament import config_from_dict
    >>> schedule = make_schedule(config_from_dict({"bots": ["a", "b", "c"], "games": 5, "seed": 1}))
    >>> schedule.format, schedule.notes
    ('round-robin', ('5 games for each pairing rounded up to 6, for whole pairs',))
    """
    if config.seed is None:
        raise ValueError("the seed must be drawn before the schedule is made")
    bots, games, pairs = config.bot_names, config.games, config.pairs
    match config.format:
        case "round-robin":
            return round_robin(bots, games, pairs, config.own_deals)
        case "gauntlet":
            return gauntlet(bots, games, config.gauntlet.hero, pairs, config.own_deals)
        case "match":
            return single_match(bots, games, pairs)
        case "sprt":
            return single_match(bots, 2 * config.sprt.max_pairs)
        case "swiss":
            return swiss(bots, games, config.swiss.rounds, pairs)
        case "knockout":
            return knockout(bots, games, config.knockout.extra, pairs)
        case "series":
            options = config.series
            return series(
                bots, config.seed, options.matches, options.next_starter, options.rounds, options.target
            )
    raise ArenaError(f"unknown format {config.format!r}")
