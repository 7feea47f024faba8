"""Read and write the folder of a comparison: a run for each rule set, and its settings in `comparison.json`.

With these, a comparison can be played on without its command, and its variants keep their order.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, did_you_mean
from arena.game.rules import load_rules
from arena.paths import read_small_text
from arena.text import plain_json
from arena.tournament.config import TournamentConfig, config_from_dict
from arena.tournament.folders import COMPARISON, is_begun
from arena.tournament.store.reader import is_own_file
from arena.whole_file import write_whole

_VERSION = 2


class ComparisonError(ArenaError):
    """A comparison cannot be read or played as asked."""


@dataclass(frozen=True)
class ComparisonConfig:
    """The settings of a comparison.

    settings   of every variant, as a file would give them, without name and rules
    variants   rule sets by the folders of their runs, in the order in which they were given
    baseline   the variant that all others are compared with, None: each with each
    is_own     whether it belongs to this user
    """

    settings: Mapping[str, Any]
    variants: Mapping[str, str]
    baseline: str | None
    is_own: bool = True

    def configs(self) -> dict[str, TournamentConfig]:
        """Return the settings of each variant's run, by its folder."""
        return {
            name: config_from_dict({**self.settings, "rules": rules}, COMPARISON, name)
            for name, rules in self.variants.items()
        }

    @property
    def seed(self) -> int | None:
        """The seed of all deals, None if it is not chosen yet."""
        return self.settings.get("seed")

    def with_games(self, games: int) -> ComparisonConfig:
        """Return the comparison with another number of games per pairing."""
        return replace(self, settings={**self.settings, "games": games})


def common_settings(config: TournamentConfig) -> dict[str, Any]:
    """Return the settings that all variants have in common."""
    return {key: value for key, value in config.to_dict().items() if key not in ("name", "rules", "out")}


def find_variant(rules: str, variants: Sequence[str]) -> str:
    """Return the variant with these rules; raise ComparisonError if there is none."""
    wanted = load_rules(rules).canonical
    for name in variants:
        if load_rules(name).canonical == wanted:
            return name
    raise ComparisonError(f"--baseline {rules}: no such variant{did_you_mean(rules, variants)} ({', '.join(variants)})")


def variant_folders(folder: Path) -> dict[str, Path]:
    """Return the runs of a comparison that have begun, by their rule sets. Raise ComparisonError if there is none."""
    variants = read_comparison(folder).variants
    begun = {rules: folder / name for name, rules in variants.items() if is_begun(folder / name)}
    if not begun:
        raise ComparisonError(f"no variant of {folder} has begun yet; arena run {folder} plays them")
    return begun


def write_comparison(comparison: ComparisonConfig, folder: Path) -> None:
    """Write the file, whole or not at all."""
    values = {
        "comparison": _VERSION,
        "variants": [{"folder": name, "rules": rules} for name, rules in comparison.variants.items()],
        "baseline": comparison.baseline,
        "settings": dict(comparison.settings),
    }
    write_whole(folder / COMPARISON, [plain_json(values) + "\n"], follow=False)


def known_comparison(folder: Path) -> ComparisonConfig | None:
    """Read the comparison in a folder that may hold none. Raise ComparisonError for an invalid file."""
    return read_comparison(folder) if (folder / COMPARISON).is_file() else None


def read_comparison(folder: Path) -> ComparisonConfig:
    """Read the comparison in a folder. Raise ComparisonError for an invalid file."""
    path = folder / COMPARISON
    try:
        values = json.loads(read_small_text(path))
        if values["comparison"] > _VERSION:
            raise ComparisonError(f"{path} was written by a newer version of arena; use that one")
        variants = {str(variant["folder"]): str(variant["rules"]) for variant in values["variants"]}
        if any(Path(name).name != name or name in ("", "..") for name in variants):
            raise ValueError("a variant has its run in a folder elsewhere")
        is_own = is_own_file(path)
        comparison = ComparisonConfig(dict(values["settings"]), variants, values["baseline"], is_own)
    except (OSError, AttributeError, RecursionError, ValueError, KeyError, TypeError) as error:
        raise ComparisonError(f"{path} cannot be read ({error!r}); each variant is a run: {folder}/NAME") from error
    comparison.configs()
    return comparison
