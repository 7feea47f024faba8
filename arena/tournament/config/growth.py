"""A stored run that is asked for more: the same settings with more games, rounds, series or pairs.

A schedule with more of what its format grows by begins with the units of the smaller one, so a run that has grown is
the run that had asked for so many at once.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from arena.tournament.config.tournament import ConfigError, TournamentConfig, config_from_dict
from arena.tournament.formats.registry import FORMATS

GROWING = {
    "games": "games of each pairing",
    "rounds": "rounds",
    "matches": "series of each two bots",
    "max_pairs": "pairs",
}
"""What a run may be asked for more of, by the name of the setting."""
_OWN = {"rounds": "swiss", "matches": "series", "max_pairs": "sprt"}  # the tables that hold them


def grown(config: TournamentConfig, asked: Mapping[str, int], source: str) -> TournamentConfig:
    """The settings with more of what the format grows by; `source` names them in messages.

    A sequential test grows by `games`, too: whole pairs. ConfigError for what the format cannot grow by.

    >>> config = config_from_dict({"bots": ["a", "b"], "games": 5, "seed": 1})
    >>> grown(config, {"games": 20}, "a run").games
    20
    >>> grown(config, {"rounds": 7}, "a run")
    Traceback (most recent call last):
    arena.tournament.config.tournament.ConfigError: a run: --rounds does not go with round-robin, which grows by \
--games (games of each pairing)
    """
    form = FORMATS[config.format]
    values = config.to_dict()
    for key, number in asked.items():
        if key == "games" and form.grows == "max_pairs":
            key, number = "max_pairs", -(-number // 2)
        if key != form.grows:
            raise ConfigError(f"{source}: {_refusal(key, form.name, form.grows)}")
        if key in _OWN:
            values[form.name] = {**values.get(form.name, {}), key: number}
        else:
            values[key] = number
    return config_from_dict(values, source, config.name)


def _refusal(key: str, form: str, grows: str) -> str:
    option = f"--{key.replace('_', '-')}"
    if not grows:
        return (
            f"{option}: {form} does not grow, because the games of a pairing decide who meets whom in the next round,"
            " and on which deals; play a new run with more games"
        )
    why = ""
    if (key, form) == ("games", "swiss"):
        why = ": the games of a pairing decide who meets whom in the next round"
    return f"{option} does not go with {form}, which grows by {growing_option(grows)} ({GROWING[grows]}){why}"


def growing_option(key: str) -> str:
    """The option of `arena resume` for a setting."""
    return f"--{key.replace('_', '-')}"


def growing_key(config: TournamentConfig) -> str:
    """The place in the settings of what the format grows by, such as `swiss.rounds`; "" if it does not."""
    key = FORMATS[config.format].grows
    return f"{_OWN[key]}.{key}" if key in _OWN else key


def growth_command(config: TournamentConfig, folder: Path) -> str:
    """The command that lets the run in a folder grow to these settings.

    >>> growth_command(config_from_dict({"bots": ["a", "b"], "games": 5}), Path("results/x"))
    'arena resume results/x --games 5'
    """
    key = FORMATS[config.format].grows
    number = getattr(config.format_settings, key) if key in _OWN else config.games
    return f"arena resume {shlex.quote(str(folder))} {growing_option(key)} {number}"


def least_size(config: TournamentConfig, last_deal: int) -> tuple[int, int]:
    """How many of what the format grows by there are, and how many it takes for `last_deal` to be among them.

    >>> least_size(config_from_dict({"bots": ["a", "b"], "games": 5, "seed": 1}), 7)
    (6, 16)
    """
    size, each = config.schedule().extent
    of_games = 2 if FORMATS[config.format].grows == "games" and config.pairs else 1
    return size * of_games, (last_deal // each + 1) * of_games
