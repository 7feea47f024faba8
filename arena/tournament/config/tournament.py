"""The settings of a tournament: a TOML file, checked strictly into frozen values.

All mistakes of a file are reported together, each with the file, the key, what was expected and the nearest known
name. `TournamentConfig.canonical` is the part that determines the results.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias
from unicodedata import normalize

from arena.bots.faults import BotError
from arena.bots.isolation.levels import ISOLATIONS
from arena.bots.processes.limits import Limits
from arena.bots.spec import display_name, find_bot, parse_spec
from arena.errors import ArenaError
from arena.game.rules import load_rules
from arena.settings import REQUIRED, as_dict, choice, flag, other, settings_of, table, text, whole
from arena.text import one_line, quoted
from arena.tournament.config.validation import Checker, read_toml, show
from arena.tournament.formats.format import Design, Format, FormatSettings
from arena.tournament.formats.registry import FORMATS
from arena.tournament.formats.schedule import Schedule

EXECUTORS = ("local", "dask")
LARGEST_SEED = 2**63 - 1
"""The largest number that TOML promises."""
MOST_BOTS = 5_000
"""So that all pairings of a round robin have a number; see `arena.tournament.match.tasks.PAIRING_BITS`."""
MOST_WORKERS = 1024
LONGEST_TIME = 10**9  # milliseconds, eleven days
LONGEST_NAME = 255
"""In bytes: what a folder's name may have."""

Param: TypeAlias = str | int | float | bool


class ConfigError(ArenaError):
    """The settings have mistakes; one line for each."""


@dataclass(frozen=True)
class BotSetting:
    """A bot of the tournament."""

    spec: str = text(REQUIRED, 4096, "name of a bot that comes with the program, its file, or package.module:Class")
    name: str = text(REQUIRED, 200, "name in the tables", unset="made from the spec")
    params: Mapping[str, Param] = other(dict, "arguments for the bot's `__init__`, as a table")
    isolation: str | None = choice(None, ISOLATIONS, "where this bot runs", unset="as the others")


@dataclass(frozen=True)
class Clock:
    """Thinking time in milliseconds: for each decision, and a bank for the whole game. None: no limit."""

    move_ms: int | None = whole(None, 1, LONGEST_TIME, "milliseconds for each decision", unset="no limit")
    bank_ms: int | None = whole(
        None,
        0,
        LONGEST_TIME,
        "extra milliseconds for the whole game, used when a decision takes longer than `move_ms`",
        unset="none",
    )


@dataclass(frozen=True)
class TournamentConfig:
    """Everything about a run. A seed of None is drawn by the caller; `format_settings` is the format's own table."""

    name: str = text(REQUIRED, LONGEST_NAME, "name of the run", unset="the name of the file")
    format: str = choice("round-robin", FORMATS, "which bots meet, and when")
    bots: tuple[BotSetting, ...] = other(tuple, "list of names and files, or tables with settings for one bot")
    games: int = whole(100, 1, 10**9, "games for each two bots, rounded up to whole pairs")
    rules: str = text("base", 4096, "rule set, single options changed after a colon: `tactical:hand_size=6`")
    seed: int | None = whole(None, 0, LARGEST_SEED, "everything random derives from it", unset="drawn and shown")
    pairs: bool = flag(True, "each deal is played twice with the seats swapped; false: once, the bots alternating")
    own_deals: bool = flag(False, "each two bots play deals of their own, for bots that might remember cards")
    clock: Clock = table(Clock, "thinking time; a bot that exceeds it loses the game")
    workers: int | None = whole(None, 1, MOST_WORKERS, "worker processes", unset="one for each core")
    executor: str = choice("local", EXECUTORS, "where the games are played: on this machine or on a Dask cluster")
    scheduler: str | None = text(
        None, 4096, "address of the Dask scheduler, such as tcp://HOST:8786", unset="a cluster on this machine"
    )
    isolation: str = choice(
        "none",
        ISOLATIONS,
        "where bots run: inside the workers; each in a process of its own; or there without network and files",
    )
    limits: Limits = table(Limits, "what workers and bots may use before they are stopped")
    out: str | None = text(None, 4096, "folder of the results", unset="results/NAME")
    format_settings: FormatSettings = other(FormatSettings, "")

    @property
    def bot_names(self) -> tuple[str, ...]:
        return tuple(bot.name for bot in self.bots)

    @property
    def levels(self) -> tuple[str, ...]:
        """The isolation level of each bot."""
        return tuple(bot.isolation or self.isolation for bot in self.bots)

    @property
    def clocked(self) -> bool:
        """Can a clock decide games? Then two plays of one game may differ."""
        return self.clock != Clock()

    def with_seed(self, seed: int) -> TournamentConfig:
        return replace(self, seed=seed)

    def schedule(self) -> Schedule:
        """What is played. The config must have its seed.

        >>> config_from_dict({"bots": ["a", "b", "c"], "games": 5, "seed": 1}).schedule().notes
        ('5 games for each pairing rounded up to 6, for whole pairs',)
        """
        if self.seed is None:
            raise ValueError("the seed must be drawn before the schedule is made")
        design = Design(self.bot_names, self.games, self.pairs, self.own_deals, self.seed)
        return FORMATS[self.format].make(design, self.format_settings)

    def canonical(self) -> dict[str, Any]:
        """What determines the results, as plain values for JSON.

        Left out is what must make no difference: name, folder, workers, executor, limits, and settings declared so.
        Bots in their own processes are named: the global generators that some draw from are seeded differently there.
        """
        settings: dict[str, Any] = {
            "format": self.format,
            "bots": [
                {"name": bot.name, "spec": bot.spec, "params": dict(sorted(bot.params.items()))} for bot in self.bots
            ],
            "rules": self.rules,
            "seed": self.seed,
            "clock": dict(vars(self.clock)),
        }
        isolated = [bot.name for bot, level in zip(self.bots, self.levels) if level != "none"]
        if isolated:
            settings["isolated"] = isolated
        if not FORMATS[self.format].games_from:
            settings |= {"games": self.games, "pairs": self.pairs}
        if self.own_deals:
            settings["own_deals"] = True
        if declared := settings_of(type(self.format_settings)):
            settings[self.format] = {
                key: getattr(self.format_settings, key) for key, one in declared.items() if one.shapes_results
            }
        return settings

    def to_dict(self) -> dict[str, Any]:
        """All settings as plain values, as a file would give them; read back by `config_from_dict`."""
        plain = as_dict(self)
        plain["bots"] = [as_dict(bot) | {"params": dict(bot.params)} for bot in self.bots]
        usual = vars(Limits())
        plain["limits"] = {key: value for key, value in vars(self.limits).items() if value != usual[key]}
        if FORMATS[self.format].games_from:
            del plain["games"], plain["pairs"]
        if not self.own_deals:
            del plain["own_deals"]
        settings = plain.pop("format_settings")
        if settings_of(type(self.format_settings)):
            plain[self.format] = settings
        return plain


# ---------------------------------------------------------------- names of bots


def bot_name(spec: str, params: Mapping[str, Param] | None = None) -> str:
    """The name a bot has in the tables unless it is given one.

    >>> bot_name("greedy"), bot_name("bots/search.py:rollouts=200"), bot_name("package.module:Class")
    ('greedy', 'search:rollouts=200', 'Class')
    >>> bot_name("search", {"rollouts": 50}), bot_name("deep=bots/search.py:rollouts=500")
    ('search:rollouts=50', 'deep')
    """
    try:
        found = parse_spec(spec)
    except BotError:  # reported by whoever looks for the bot
        return spec
    return found.name or display_name(found.target, {**found.params, **(params or {})})


# ---------------------------------------------------------------- checking


def config_from_dict(
    data: Mapping[str, Any],
    source: str = "settings",
    name: str | None = None,
    exist: bool = False,
) -> TournamentConfig:
    """Check plain values, as TOML gives them, into a config. ConfigError with all mistakes.

    `source` names the file in messages; `name` is the default name of the tournament. `exist`: bots and rule set are
    looked up, too.

    >>> config_from_dict({"bots": ["greedy", "random"], "gmaes": 10, "rules": 7}, source="my.toml")
    Traceback (most recent call last):
    arena.tournament.config.tournament.ConfigError: my.toml: gmaes: unknown key; did you mean 'games'?
    my.toml: rules: expected a string, found the number 7
    """
    check = Checker(source)
    tables = [key for key, one in FORMATS.items() if settings_of(one.settings)]
    values: dict[str, Any] = {"name": name or Path(source).stem, "format": "round-robin"}
    values |= check.read(TournamentConfig, data, others=["bots", *tables])
    values["bots"] = _bots(check, data, exist)
    form = FORMATS[values["format"]]
    for key in tables:
        if key in data and key != form.name:
            check.fault(key, f'the table [{key}] belongs to format = "{key}", but the format is "{form.name}"')
    given = check.table(data, form.name, tuple(settings_of(form.settings))) if form.name in tables else {}
    values["format_settings"] = form.settings(**check.read(form.settings, given, f"{form.name}."))
    config = TournamentConfig(**values)
    for key, wrong in config.format_settings.faults(given, config.bot_names):
        check.fault(f"{form.name}.{key}" if key else form.name, wrong)
    _check_together(check, data, config, form)
    if exist:
        check.attempt("rules", load_rules, config.rules)
    if check.faults:
        raise ConfigError("\n".join(check.faults))
    return config


def _bots(check: Checker, data: Mapping[str, Any], exist: bool) -> tuple[BotSetting, ...]:
    entries = data.get("bots")
    if entries is None:
        check.fault("bots", 'missing; expected a list such as ["random", "bots/greedy.py"]')
        return ()
    if not isinstance(entries, list):
        check.fault("bots", f"expected a list of bots, found {show(entries)}")
        return ()
    if len(entries) > MOST_BOTS:
        check.fault("bots", f"expected at most {MOST_BOTS} bots, found {len(entries)}")
        return ()
    bots: list[BotSetting] = []
    names: set[str] = set()
    faults = len(check.faults)
    for at, entry in enumerate(entries, start=1):
        bot = _bot(check, entry, f"bots, entry {at}")
        if bot is None:
            continue
        if exist:
            check.attempt(f"bots, entry {at}", find_bot, bot.spec)
        name = normalize("NFC", bot.name)  # two ways to write an accent look the same
        if name in names:
            remedy = f'{{ spec = "{bot.spec}", name = "..." }}'
            check.fault(f"bots, entry {at}", f"a second bot named '{bot.name}'; give it another name: {remedy}")
        bots.append(bot)
        names.add(name)
    if len(entries) < 2 and len(check.faults) == faults:
        check.fault("bots", f"expected at least two bots, found {len(entries)}")
    return tuple(bots)


def _bot(check: Checker, entry: object, place: str) -> BotSetting | None:
    if isinstance(entry, str):
        if not entry.strip():
            check.fault(place, "expected the name or the file of a bot, found an empty string")
            return None
        return BotSetting(entry, bot_name(entry))
    if not isinstance(entry, Mapping):
        known = ", ".join(settings_of(BotSetting))
        check.fault(place, f"expected a bot's name or a table with {known}, found {show(entry)}")
        return None
    values = check.read(BotSetting, entry, f"{place}, ")
    if "spec" not in entry:
        check.fault(place, "spec is missing: the name or the file of the bot")
    params = entry.get("params", {})
    if not isinstance(params, Mapping) or not all(isinstance(v, Param) for v in params.values()):
        check.fault(f"{place}, params", "expected a table of strings, numbers or booleans")
        params = {}
    if "spec" not in values:
        return None
    values = {"name": bot_name(values["spec"], params), **values}
    return BotSetting(**values, params=dict(params))


def _check_together(check: Checker, data: Mapping[str, Any], config: TournamentConfig, form: Format) -> None:
    """What is wrong only in the company of other keys."""
    if re.search(r"[/\\\0]", config.name) or config.name in (".", ".."):
        check.fault("name", f"expected a name that a folder can have, without slashes, found {quoted(config.name)}")
    elif one_line(config.name) != config.name:
        check.fault("name", f"expected one line of printable text, found {quoted(config.name)}")
    elif (size := len(config.name.encode(errors="replace"))) > LONGEST_NAME:
        check.fault("name", f"expected at most {LONGEST_NAME} bytes in UTF-8, found {size}")
    if form.two_bots and len(config.bots) > 2:
        expected = f'format = "{form.name}" is for two bots, found {len(config.bots)}'
        check.fault("bots", f"{expected}; for more use round-robin")
    for key, remedy in (("games", f"; use {form.games_from} instead"), ("pairs", "")):
        if form.games_from and key in data:
            check.fault(key, f'not used by format = "{form.name}"{remedy}')
    if config.own_deals and not form.own_deals:
        known = " and ".join(key for key, one in FORMATS.items() if one.own_deals)
        check.fault("own_deals", f"belongs to {known}; in the format {form.name} no bot meets a deal again anyway")
    if config.scheduler is not None and config.executor != "dask":
        check.fault("scheduler", f'belongs to executor = "dask", but the executor is "{config.executor}"')
    if config.clock.bank_ms == 0 and config.clock.move_ms is None:
        check.fault("clock.bank_ms", "0 without move_ms is a clock without any time")


def load_config(path: Path | str, exist: bool = False) -> TournamentConfig:
    """Read and check a TOML file. ConfigError for a file that cannot be read, is not TOML, or has mistakes."""
    path = Path(path)
    return config_from_dict(read_toml(path, ConfigError), str(path), path.stem, exist)
