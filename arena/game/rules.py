"""Rule sets as data: a frozen set of named options, presets in TOML files (RULES.md §6).

A rule set is named in one of three ways, everywhere in the program:

* a preset or short name: `iello-tactical`, `base`, `tactical`, `expert`;
* the path of a TOML file like those in `configs/rules/`, which names a preset as its `base` and says what differs;
* either of them with overrides: `iello-tactical:hand_size=6,scout_return=top`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, did_you_mean
from arena.game.cards import EDITION_NAMES
from arena.paths import data_folder, read_small_text
from arena.text import one_line

SHORT_NAMES = {"base": "iello-base", "tactical": "iello-tactical", "expert": "iello-expert"}


class RulesError(ArenaError):
    """A rule set or an option that does not exist."""


def _option(default: Any, values: tuple[Any, ...], meaning: str) -> Any:
    return field(default=default, metadata={"values": values, "meaning": meaning})


@dataclass(frozen=True)
class Rules:
    """One rule set: its name, which includes overrides, the edition that names its cards, and the options.

    Options are shown and written into records in the order below. The defaults are IELLO's base game. When an option
    is added, its default keeps the rules as they were without it.
    """

    name: str
    edition: str = "iello"
    tactics: bool = _option(False, (False, True), "whether the ten tactic cards are in the game")
    values: int = _option(9, (9, 10), "clan cards run from 1 to this value")
    hand_size: int = _option(6, tuple(range(1, 13)), "cards in a full hand")
    claim_window: str = _option(
        "after_play",
        ("after_play", "any_before_draw", "turn_start"),
        "when stones are claimed: after the play, also at the start of the turn, or only then",
    )
    spy_value: int = _option(7, (7, 8), "the value of the spy (Companion Cavalry)")
    wild_binding: str = _option(
        "on_claim",
        ("on_claim", "on_play"),
        "when a wild card gets its value: at the claim, or from its player when it is played",
    )
    scout_return: str = _option(
        "bottom", ("top", "bottom"), "where the recruiter's two cards go back: top or bottom of their decks"
    )
    scout_source: str = _option(
        "either", ("either", "single"), "the recruiter draws from either deck, card by card, or all from a single one"
    )
    ruse_targets: str = _option(
        "clan_and_elite", ("clan_and_elite", "clan_only"), "what Strategist and Banshee may take"
    )

    @property
    def options(self) -> dict[str, Any]:
        """The options without the names, in their usual order."""
        return {key: getattr(self, key) for key in OPTIONS}

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The options as small numbers, under the names that they have in the engine."""
        return {
            "values": self.values,
            "hand_size": self.hand_size,
            "spy": self.spy_value,
            "window_start": self.claim_window != "after_play",
            "window_after": self.claim_window != "turn_start",
            "on_play": self.wild_binding == "on_play",
            "clan_only": self.ruse_targets == "clan_only",
            "with_tactics": self.tactics,
            "back_on_top": self.scout_return == "top",
            "single": self.scout_source == "single",
        }

    @cached_property
    def canonical(self) -> str:
        """The nearest preset with overrides (`iello-base:hand_size=7`), of any edition: a name for the options."""
        return self._nearest(lambda preset: False)

    @cached_property
    def text(self) -> str:
        """The nearest preset of its edition with overrides: the name in records, where cards keep their names."""
        return self._nearest(lambda preset: preset.edition != self.edition)

    def _nearest(self, is_last: Callable[[Rules], bool]) -> str:
        def distance(preset: Rules) -> tuple[object, ...]:
            return is_last(preset), len(differences(preset, self)), preset.name != self.name, preset.name

        nearest = min((load_rules(name) for name in preset_names()), key=distance)
        changes = differences(nearest, self)
        shown = ",".join(f"{key}={_shown(new)}" for key, (_, new) in changes.items())
        return f"{nearest.name}:{shown}" if changes else nearest.name

    @property
    def short_name(self) -> str:
        """The name to show, such as `base` for `iello-base`."""
        return shown_rules(self.name)

    def __str__(self) -> str:
        return self.name


OPTIONS: dict[str, tuple[Any, ...]] = {
    option.name: option.metadata["values"] for option in fields(Rules) if option.metadata
}
"""The values that each option takes, in the order in which they are shown."""
MEANINGS: dict[str, str] = {option.name: option.metadata["meaning"] for option in fields(Rules) if option.metadata}


def preset_names() -> list[str]:
    """Return the names of the presets, sorted.

    >>> len(preset_names()), preset_names()[0]
    (18, 'ass-1999-base')
    """
    return sorted(path.stem for path in (data_folder("configs") / "rules").glob("*.toml"))


def shown_rules(names: str) -> str:
    """Return names of rule sets, with a comma and a blank between them, as tables and boards show them.

    >>> shown_rules("iello-base:hand_size=7, bga-tactical")
    'base:hand_size=7, bga-tactical'
    """
    short = {preset: alias for alias, preset in SHORT_NAMES.items()}
    parts = [name.partition(":") for name in names.split(", ")]
    return ", ".join(f"{short.get(preset, preset)}{colon}{changed}" for preset, colon, changed in parts)


_LONGEST, _LONGEST_NAME = 4096, 200  # longest text and longest preset name looked at, in characters
_SHOWN = 60  # longest part of the user's text that a message repeats, in characters


@lru_cache(maxsize=256)
def load_rules(text: str) -> Rules:
    """Return the rule set with a name or path, which may have overrides; raise `RulesError` if it is not valid.

    >>> load_rules("tactical").hand_size, load_rules("tactical:hand_size=6").hand_size
    (7, 6)
    >>> load_rules("ielo-base")
    Traceback (most recent call last):
    arena.game.rules.RulesError: unknown rule set 'ielo-base'; did you mean 'iello-base'? (arena rules lists them)
    """
    if len(text) > _LONGEST:
        raise RulesError(f"unknown rule set: a name of {len(text)} characters (arena rules lists them)")
    base, overrides = _split(text)
    rules = _load_preset(base)
    if not overrides:
        return rules
    changed: dict[str, Any] = {}
    where = f"rule set '{one_line(text, _SHOWN)}'"
    for part in overrides.split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise RulesError(f"'{one_line(part, _SHOWN)}' in {where} is not an override; write option=value")
        if key in changed:
            raise RulesError(f"option '{one_line(key, _SHOWN)}' is given twice in {where}")
        changed[key] = check_option(key, _typed(value), where)
    shown = ",".join(f"{key}={_shown(changed[key])}" for key in OPTIONS if key in changed)
    return replace(rules, name=f"{rules.name}:{shown}", **changed)


def written_out(text: str) -> str:
    """Return the text of a rule set that stays true when files change: what a file says stands in the file's place.

    Raises RulesError if the file cannot be read or is not valid; presets are not checked.

    >>> written_out("tactical:hand_size=6")
    'tactical:hand_size=6'
    """
    return load_rules(text).text if _split(text)[0].endswith(".toml") else text


def check_option(key: str, value: Any, where: str) -> Any:
    """Return the value if the option allows it; else raise `RulesError` with the place and the nearest valid value."""
    if key not in OPTIONS:
        raise RulesError(
            f"unknown option '{one_line(key, _SHOWN)}' in {where}{did_you_mean(key, OPTIONS)} "
            f"(options: {', '.join(OPTIONS)})"
        )
    known = OPTIONS[key]
    if not any(value == allowed and type(value) is type(allowed) for allowed in known):
        near = did_you_mean(str(value), list(map(str, known)))
        raise RulesError(
            f"option '{key}' in {where} is '{one_line(_shown(value), _SHOWN)}'; "
            f"it can be {', '.join(map(_shown, known))}{near}"
        )
    return value


def differences(a: Rules, b: Rules) -> dict[str, tuple[Any, Any]]:
    """Return the options in which two rule sets differ, each with the values of `a` and `b`.

    >>> differences(load_rules("iello-tactical"), load_rules("s2-tactical"))
    {'scout_return': ('bottom', 'top')}
    """
    return {key: (getattr(a, key), getattr(b, key)) for key in OPTIONS if getattr(a, key) != getattr(b, key)}


def _split(text: str) -> tuple[str, str]:
    # a colon may belong to a path (C:\\rules.toml), so only a colon followed by option=... splits
    head, colon, tail = text.rpartition(":")
    return (head, tail) if colon and "=" in tail else (text, "")


def _load_preset(name: str) -> Rules:
    """Load a preset, or the rule set of a file."""
    name = SHORT_NAMES.get(name, name)
    if name.endswith(".toml"):
        return _read(Path(name))
    path = data_folder("configs") / "rules" / f"{name}.toml"
    if "/" in name or len(name) > _LONGEST_NAME or not path.is_file():
        near = did_you_mean(name, [*preset_names(), *SHORT_NAMES])
        raise RulesError(f"unknown rule set '{name}'{near} (arena rules lists them)")
    return _read(path)


def _read(path: Path) -> Rules:
    """Return the rule set of a file: its `base`, a preset, if it has one, changed by what the file says."""
    try:
        table = tomllib.loads(read_small_text(path))
    except OSError as error:
        raise RulesError(f"cannot read the rule set {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # from TOML, from UTF-8, from numbers with thousands of digits
        raise RulesError(f"{path} is not valid TOML: {error}") from None
    known = ["base", *(option.name for option in fields(Rules))]
    for key in table:
        if key not in known:
            raise RulesError(
                f"unknown option '{key}' in {path}{did_you_mean(key, known)} (options: {', '.join(known)})"
            )
    rules = _base(path, table.pop("base")) if "base" in table else Rules("")
    rules = replace(rules, **{"name": path.stem, **table})
    name, edition = rules.name, rules.edition
    if not isinstance(name, str) or not name or set(name) & set(" ;:,=\t\r\n"):
        raise RulesError(f"'name' in {path} must be a word without blanks and without ; : , =")
    if edition not in list(EDITION_NAMES):
        near = did_you_mean(str(edition), EDITION_NAMES)
        raise RulesError(
            f"'edition' in {path} is '{one_line(str(edition), _SHOWN)}'; it can be {', '.join(EDITION_NAMES)}{near}"
        )
    for key in OPTIONS.keys() & table.keys():
        check_option(key, table[key], str(path))
    return rules


def _base(path: Path, base: Any) -> Rules:
    """Return the rule set that the file at `path` starts from."""
    if not isinstance(base, str) or base.endswith(".toml"):
        raise RulesError(f"'base' in {path} must be the name of a rule set (arena rules lists them)")
    try:
        return _load_preset(base)
    except RulesError as error:
        raise RulesError(f"'base' in {path}: {error}") from None


def _typed(value: str) -> Any:
    if value in ("true", "false"):
        return value == "true"
    return int(value) if value.isdecimal() and len(value) < 10 else value


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
