"""Extend a stored run: settings with more of what the format grows by, and how the user asks for it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.tournament.config import ConfigError, TournamentConfig, check_config
from arena.tournament.formats.schedule import Format


def grown(config: TournamentConfig, asked: Mapping[str, int], source: str) -> TournamentConfig:
    """Return the settings of a stored run, extended as `asked`; `source` names them in messages.

    `asked` holds numbers by setting, such as {"games": 400}. A longer schedule begins with the units of the shorter
    one, so an extended run is the same as one that was that long from the start. ConfigError for a setting that the
    format cannot grow by.

    >>> from arena.tournament.config import config_from_dict
    >>> config = config_from_dict({"bots": ["a", "b"], "games": 5, "seed": 1})
    >>> grown(config, {"games": 20}, "a run").games
    20
    >>> grown(config, {"rounds": 7}, "a run")
    Traceback (most recent call last):
    arena.tournament.config.ConfigError: a run: --rounds does not go with round-robin, which grows by \
--games (games per pairing)
    """
    grows = config.form.grows
    for key, number in asked.items():
        if grows is None or not (key == grows.key or (key == "games" and grows.games_each)):
            raise ConfigError(f"{source}: {_refusal(key, config.form)}")
        if key != grows.key:
            number = -(-number // grows.games_each)
        more: dict[str, Any] = {grows.key: number}
        if not grows.common:
            more = {"format_settings": replace(config.format_settings, **more)}
        config = replace(config, **more)
    return check_config(config, source)


def _refusal(key: str, form: Format) -> str:
    option = option_of(key)
    if form.grows is None:
        return (
            f"{option}: {form.name} runs cannot be extended, because the games of a pairing decide who meets whom in"
            " the next round, and on which deals; play a new run with more games"
        )
    why = (
        ": the games of a pairing decide who meets whom in the next round" if form.round_view and key == "games" else ""
    )
    return f"{option} does not go with {form.name}, which grows by {option_of(form.grows.key)} ({form.grows.noun}){why}"


def option_of(key: str) -> str:
    """Return the command-line option for a setting.

    >>> option_of("max_pairs")
    '--max-pairs'
    """
    return f"--{key.replace('_', '-')}"


def growing_key(config: TournamentConfig) -> str:
    """Return the full name of the setting that extends a run, such as `swiss.rounds`; "" if there is none."""
    grows = config.form.grows
    if grows is None:
        return ""
    return grows.key if grows.common else f"{config.format}.{grows.key}"


def growth_command(config: TournamentConfig, folder: Path) -> str:
    """Return the command that extends the run in a folder to these settings; their format must grow.

    >>> from arena.tournament.config import config_from_dict
    >>> growth_command(config_from_dict({"bots": ["a", "b"], "games": 5}), Path("results/x"))
    'arena resume results/x --games 5'
    """
    grows = config.form.grows
    assert grows is not None
    number = getattr(config if grows.common else config.format_settings, grows.key)
    return f"arena resume {shlex.quote(str(folder))} {option_of(grows.key)} {number}"


def least_size(config: TournamentConfig, last_deal: int) -> tuple[int, int]:
    """Return the current size and the smallest size that includes `last_deal`, in what the format grows by.

    >>> from arena.tournament.config import config_from_dict
    >>> least_size(config_from_dict({"bots": ["a", "b"], "games": 5, "seed": 1}), 7)
    (6, 16)
    """
    size, each = config.schedule().extent
    grows = config.form.grows
    of_games = 2 if grows is not None and grows.common and config.pairs else 1
    return size * of_games, (last_deal // each + 1) * of_games
