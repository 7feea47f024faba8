"""Playing the ladder: each rung against those right below it, a run for each two, in a folder for each rule set."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from arena.errors import ArenaError
from arena.lab.tournament import named_config
from arena.results.export import export
from arena.results.reading.run import read_run
from arena.results.standings import standings
from arena.tournament.config.tournament import TournamentConfig, check
from arena.tournament.formats.format import FormatSettings
from arena.tournament.runner.progress import ProgressListener
from arena.tournament.runner.run import play_run
from arena.tournament.store.folders import is_begun

NAME = "ladder"
RULES = ("base", "tactical", "expert")
SPAN = 2
"""How many rungs below its own a bot meets: with two, a rating rests on more than one opponent."""


def ladder_config(text: str = NAME) -> TournamentConfig:
    """The ladder in a file, or of a name: its `bots` are the rungs from the lowest up."""
    config = named_config(text)
    if config.seed is None:
        raise ArenaError(f"{text}: a ladder needs a seed, so that it can be resumed; for example seed = 1")
    return config


def matches(config: TournamentConfig, rules: str) -> dict[str, TournamentConfig]:
    """The matches of the ladder in one rule set, by their folders; the lowest rungs first."""
    found = {}
    for at, upper in enumerate(config.bots):
        for lower in reversed(config.bots[max(at - SPAN, 0) : at]):
            name = folder_name(f"{upper.name}-{lower.name}")
            match = replace(
                config,
                name=f"{NAME} {upper.name}-{lower.name}",
                format="match",
                format_settings=FormatSettings(),
                bots=(upper, lower),
                rules=rules,
                out=None,
            )
            found[name] = check(match, "ladder", exist=True)
    return found


def folder_name(text: str) -> str:
    """A text as the name of a folder.

    >>> folder_name("tactical:hand_size=6"), folder_name("net-bots/mine.py")
    ('tactical-hand_size=6', 'net-bots-mine.py')
    """
    return re.sub(r"[^\w.=+-]+", "-", text).strip("-.")


def all_matches(config: TournamentConfig, rules: Sequence[str]) -> dict[str, dict[str, TournamentConfig]]:
    """The matches of each rule set. ArenaError if two rule sets would share a folder."""
    if len({folder_name(one) for one in rules}) < len(rules):
        raise ArenaError(f"a rule set is named twice: {', '.join(rules)}")
    return {one: matches(config, one) for one in rules}


def play_ladder(
    wanted: Mapping[str, Mapping[str, TournamentConfig]],
    folder: Path,
    progress: Callable[[], ProgressListener | None],
    tell: Callable[[str], None],
) -> bool:
    """Play what is left of the matches of each rule set and write their tables; is the ladder complete?"""
    for rules, configs in wanted.items():
        for at, (name, config) in enumerate(configs.items(), start=1):
            place = folder / folder_name(rules) / name
            tell(f"{rules}, match {at} of {len(configs)}: {' against '.join(config.bot_names)}")
            report = play_run(config, place, progress(), resume=is_begun(place))
            if report.interrupted:
                return False
            if report.played:
                export(standings(read_run(place)), place)
    return True
