"""What a league is begun with: a TOML file or options, checked strictly into frozen values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from arena.config.tournament import ISOLATIONS, Clock
from arena.config.validation import Checker, check_limits, read_toml
from arena.errors import ArenaError
from arena.game.rules import load_rules
from arena.processes.limits import Limits
from arena.text import one_line

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,39}")
_LONGEST_AUTHOR = 80
_USUAL_CLOCK = Clock(move_ms=1000)


class LeagueError(ArenaError):
    """A league cannot be used as asked. What it holds is unharmed."""


@dataclass(frozen=True)
class LeagueSettings:
    """Everything that is fixed when a league is created.

    error       a placement ends when the 95 % error of the bot's rating is no more than so many Elo
    most_games  ... or when it has played so many games
    sample      opponents that a placement meets at a time
    games       games against each of them before the next look at the ratings (an even number)
    anchor      bot whose rating is held at `anchor_elo`; None: the mean of the standing is 0
    prior       virtual draws a bot in the rating
    """

    name: str
    rules: str = "base"
    isolation: str = "sandbox"
    clock: Clock = _USUAL_CLOCK
    limits: Limits = field(default_factory=Limits)
    error: float = 40.0
    most_games: int = 1000
    sample: int = 8
    games: int = 10
    anchor: str | None = None
    anchor_elo: float = 0.0
    prior: float = 2.0

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, read back by `settings_from_dict`."""
        return asdict(self)


_TOP = ("name", "rules", "isolation", "clock", "limits", "placement", "rating")
_PLACEMENT = ("error", "most_games", "sample", "games")
_RATING = ("anchor", "anchor_elo", "prior")


def check_name(text: str, what: str) -> str:
    """A name that is safe in a table, a path and a command line; LeagueError for any other.

    >>> check_name("deep-2", "bot")
    'deep-2'
    >>> check_name("../x", "bot")
    Traceback (most recent call last):
    arena.league.settings.LeagueError: '../x' is no name for a bot: at most 40 letters, digits and . _ + -
    """
    if _NAME.fullmatch(text):
        return text
    raise LeagueError(f"'{one_line(text, 60)}' is no name for a {what}: at most 40 letters, digits and . _ + -")


def check_author(text: str | None) -> str | None:
    """Who a bot is from: one line of printable text, or None; LeagueError for anything else."""
    if text is None:
        return None
    text = text.strip()
    if not text or not text.isprintable() or len(text) > _LONGEST_AUTHOR:
        raise LeagueError(
            f"--author: expected a line of printable text, at most {_LONGEST_AUTHOR} characters"
        )
    return text


def settings_from_dict(data: Mapping[str, Any], name: str, source: str = "settings") -> LeagueSettings:
    """Check plain values, as TOML gives them. LeagueError with all mistakes, each with its key.

    >>> settings_from_dict({"ruels": "base", "placement": {"error": -1}}, "open", "open.toml")
    Traceback (most recent call last):
    arena.league.settings.LeagueError: open.toml: ruels: unknown key; did you mean 'rules'?
    open.toml: placement.error: expected a number from 1 to 1000, found -1
    """
    check = Checker(source)
    check.known(data, _TOP)
    clock = check.table(data, "clock", ("move_ms", "bank_ms"))
    placement = check.table(data, "placement", _PLACEMENT)
    rating = check.table(data, "rating", _RATING)
    usual = LeagueSettings("usual")
    rules = str(check.text(data, "rules", usual.rules))
    try:
        load_rules(rules)
    except ArenaError as error:
        check.fault("rules", str(error))
    anchor = check.text(rating, "anchor", None, "rating.")
    if anchor is not None and not _NAME.fullmatch(anchor):
        check.fault("rating.anchor", f"expected the name of a bot, found '{anchor}'")
    if anchor is None and "anchor_elo" in rating:
        check.fault("rating.anchor_elo", "belongs to rating.anchor, the bot that has this rating")
    found = LeagueSettings(
        name=check_name(str(check.text(data, "name", name)), "league"),
        rules=rules,
        isolation=check.word(data, "isolation", usual.isolation, ISOLATIONS),
        clock=_clock(check, clock, usual.clock),
        limits=check_limits(check, data),
        error=_real(check, placement, "error", usual.error, 1, 1000, "placement."),
        most_games=check.number(placement, "most_games", usual.most_games, 2, "placement.", 1_000_000),
        sample=check.number(placement, "sample", usual.sample, 1, "placement.", 1000),
        games=check.number(placement, "games", usual.games, 2, "placement.", 10_000),
        anchor=anchor,
        anchor_elo=_real(check, rating, "anchor_elo", usual.anchor_elo, -10_000, 10_000, "rating."),
        prior=_real(check, rating, "prior", usual.prior, 0.01, 100, "rating."),
    )
    if found.games % 2:
        check.fault("placement.games", f"games come in pairs: expected an even number, found {found.games}")
    if check.faults:
        raise LeagueError("\n".join(check.faults))
    return found


def _clock(check: Checker, table: Mapping[str, Any], usual: Clock) -> Clock:
    """The clock; a `move_ms` of 0 and no bank mean that there is none."""
    if not table:
        return usual
    move = check.number(table, "move_ms", None, least=0, prefix="clock.")
    bank = check.number(table, "bank_ms", None, least=0, prefix="clock.")
    return Clock(move or None, bank or None)


def _real(
    check: Checker, table: Mapping[str, Any], key: str, usual: float, least: float, most: float, prefix: str
) -> float:
    value = check.real(table, key, usual, prefix)
    if least <= value <= most:
        return value
    check.fault(prefix + key, f"expected a number from {least:g} to {most:g}, found {value:g}")
    return usual


def load_settings(path: Path, name: str, given: Mapping[str, Any] | None = None) -> LeagueSettings:
    """Settings of a TOML file with those `given` before them; LeagueError for what is wrong with it."""
    data = read_toml(path, LeagueError)
    return settings_from_dict(merged(data, given or {}), name, str(path))


def merged(data: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Nested tables, the values `given` before those of `data`.

    >>> merged({"rules": "base", "clock": {"move_ms": 5}}, {"clock": {"bank_ms": 9}})
    {'rules': 'base', 'clock': {'move_ms': 5, 'bank_ms': 9}}
    """
    out = dict(data)
    for key, value in given.items():
        old = out.get(key)
        out[key] = merged(old, value) if isinstance(value, Mapping) and isinstance(old, Mapping) else value
    return out


def stored_settings(values: Mapping[str, Any]) -> LeagueSettings:
    """The settings out of what `to_dict` gave.

    >>> stored_settings(LeagueSettings("open").to_dict()) == LeagueSettings("open")
    True
    """
    known = dict(values)
    clock, limits = Clock(**known.pop("clock")), Limits(**known.pop("limits"))
    return LeagueSettings(**known, clock=clock, limits=limits)
