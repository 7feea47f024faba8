"""The settings of a league: a TOML file or options, checked strictly and turned into frozen values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena.bots.limits import ISOLATIONS, Limits
from arena.errors import ArenaError
from arena.game.rules import load_rules, written_out
from arena.settings import REQUIRED, choice, flag, merged, real, table, text, whole
from arena.stats import DEFAULT_PRIOR, LEAST_PRIOR
from arena.text import one_line
from arena.tournament.run_settings import Clock
from arena.tournament.validation import Checker, read_toml

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,39}")
_LONGEST_AUTHOR = 80
_USUAL_CLOCK = Clock(move_ms=1000)
_PLACEMENT, _RATING, _BUDGET = {"section": "placement"}, {"section": "rating"}, {"section": "budget"}


class LeagueError(ArenaError):
    """A request that a league cannot fulfil. What the league holds is unharmed."""


@dataclass(frozen=True)
class LeagueSettings:
    """The settings of a league, fixed at its creation except for `[budget]` (see `arena.league.oversight`)."""

    name: str = text(REQUIRED, 40, "name of the league", unset="the name given at its creation")
    rules: str = text("base", 4096, "rule set")
    isolation: str = choice("sandbox", ISOLATIONS, "where bots run")
    clock: Clock = table(Clock, "thinking time; 0: no limit", _USUAL_CLOCK)
    limits: Limits = table(Limits, "what workers and bots may use before they are stopped")
    pairs: bool = flag(True, "play each deal twice with the seats swapped; if false, once; bots take turns to begin")
    error: float = real(
        40.0,
        "Elo; a placement ends when the 95% error of the bot's rating is this small",
        least=1,
        most=1000,
        **_PLACEMENT,
    )
    most_games: int = whole(1000, 2, 1_000_000, "most games of a placement", **_PLACEMENT)
    sample: int = whole(8, 1, 1000, "opponents in each step of a placement", **_PLACEMENT)
    games: int = whole(
        10, 2, 10_000, "games against each of these opponents before ratings are updated, an even number", **_PLACEMENT
    )
    anchor: str | None = text(
        None, 40, "bot whose rating is held at `anchor_elo`", unset="none, and the table's average is 0", **_RATING
    )
    anchor_elo: float = real(0.0, "rating of the anchor", least=-10_000, most=10_000, **_RATING)
    prior: float = real(DEFAULT_PRIOR, "virtual draws per bot", least=LEAST_PRIOR, most=100, **_RATING)
    uploads: int | None = whole(20, 1, 1_000_000, "uploads per author in an hour", **_BUDGET)
    submissions: int | None = whole(
        None, 1, 1_000_000, "new submissions per author in 24 hours", unset="no limit", **_BUDGET
    )
    bots: int | None = whole(5, 1, 1_000_000, "bots of a named author, in the table or on their way there", **_BUDGET)
    author_mb: int | None = whole(100, 1, 10_000_000, "MiB for the files of an author's bots, unpacked", **_BUDGET)
    disk_mb: int | None = whole(10_000, 1, 100_000_000, "MiB for the league's folder", **_BUDGET)

    @property
    def games_a_deal(self) -> int:
        """Number of games that a pairing plays on each of its deals."""
        return 2 if self.pairs else 1


def check_name(text: str, what: str) -> str:
    """Return a name that is safe in a table, a path and a command line; raise LeagueError for any other.

    >>> check_name("deep-2", "bot")
    'deep-2'
    >>> check_name("../x", "bot")
    Traceback (most recent call last):
    arena.league.league_settings.LeagueError: '../x' is not a valid name for a bot: at most 40 \
letters, digits and . _ + -
    """
    if _NAME.fullmatch(text):
        return text
    raise LeagueError(
        f"'{one_line(text, 60)}' is not a valid name for a {what}: at most 40 letters, digits and . _ + -"
    )


def check_author(text: str | None) -> str | None:
    """Return an author's name, one line of printable text, or None; raise LeagueError for anything else."""
    if text is None:
        return None
    text = text.strip()
    if not text or not text.isprintable() or len(text) > _LONGEST_AUTHOR:
        raise LeagueError(f"an author's name is one line of printable text, at most {_LONGEST_AUTHOR} characters")
    return text


def settings_from_dict(data: Mapping[str, Any], name: str, source: str = "settings") -> LeagueSettings:
    """Check plain values, as TOML gives them, and return the settings.

    Raise LeagueError with all mistakes and their keys.

    >>> settings_from_dict({"ruels": "base", "placement": {"error": -1}}, "open", "open.toml")
    Traceback (most recent call last):
    arena.league.league_settings.LeagueError: open.toml: ruels: unknown key; did you mean 'rules'?
    open.toml: placement.error: expected a number from 1 to 1000, found -1
    """
    check = Checker(source)
    clock = data.get("clock")
    if clock == {}:
        data = {key: value for key, value in data.items() if key != "clock"}
    elif isinstance(clock, Mapping):  # 0 means no limit
        data = {**data, "clock": {key: value for key, value in clock.items() if value or type(value) is not int}}
    values = check.read(LeagueSettings, data)
    settings = LeagueSettings(**{**values, "name": check_name(values.get("name", name), "league")})
    try:
        load_rules(settings.rules)
        settings = replace(settings, rules=written_out(settings.rules))
    except ArenaError as error:
        check.fault("rules", str(error))
    if settings.anchor is not None and not _NAME.fullmatch(settings.anchor):
        check.fault("rating.anchor", f"expected the name of a bot, found '{settings.anchor}'")
    if settings.anchor is None and "anchor_elo" in values:
        check.fault("rating.anchor_elo", "needs rating.anchor, the bot with this rating")
    if settings.games % 2 and settings.pairs:
        check.fault("placement.games", f"games come in pairs: expected an even number, found {settings.games}")
    if check.faults:
        raise LeagueError("\n".join(check.faults))
    return settings


def load_settings(path: Path | None, name: str, given: Mapping[str, Any]) -> LeagueSettings:
    """Return the settings of a TOML file, if any, overridden by those `given`. Raise LeagueError for mistakes."""
    data = {} if path is None else read_toml(path, LeagueError)
    return settings_from_dict(merged(data, given), name, "command line" if path is None else str(path))


def stored_settings(values: Mapping[str, Any], source: str = "settings") -> LeagueSettings:
    """Return the settings from their stored values; raise LeagueError if no league could have been created with them.

    >>> from dataclasses import asdict
    >>> stored_settings(asdict(LeagueSettings("open"))) == LeagueSettings("open")
    True
    """
    check = Checker(source)
    tables = {"clock": Clock(**values["clock"]), "limits": Limits(**values["limits"])}
    settings = LeagueSettings(**{**values, **tables, "name": check_name(values["name"], "league")})
    check.verify(settings)
    if check.faults:
        raise LeagueError("\n".join(check.faults))
    return settings
