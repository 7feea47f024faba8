"""The settings of a tournament: a TOML file, checked strictly into frozen values.

All mistakes of a file are reported together, each with the file, the key, what was expected and the nearest
known name; nothing starts with a mistake in it. `TournamentConfig.canonical` is the part that determines
the results.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from arena.config.validation import Checker, check_limits, read_toml, show
from arena.errors import ArenaError, did_you_mean
from arena.formats.series import NEXT_STARTERS
from arena.players.faults import BotError
from arena.players.spec import display_name, parse_spec
from arena.processes.limits import Limits

FORMATS = ("round-robin", "gauntlet", "swiss", "knockout", "match", "series", "sprt")
MODELS = ("logistic", "normalized")
ISOLATIONS = ("none", "process", "sandbox")
EXECUTORS = ("local", "dask")

Param: TypeAlias = str | int | float | bool
Check: TypeAlias = Callable[[str], str | None]
"""Given a bot's spec or the name of rules: what is wrong with it, or None."""


class ConfigError(ArenaError):
    """The settings have mistakes; one line for each."""


@dataclass(frozen=True)
class BotSetting:
    """A bot of the tournament: what loads it, its name in the tables, parameters, and where it runs."""

    spec: str
    name: str
    params: Mapping[str, Param] = field(default_factory=dict)
    isolation: str | None = None


@dataclass(frozen=True)
class Clock:
    """Thinking time in milliseconds: for each move, and a bank for the whole game. None: no limit."""

    move_ms: int | None = None
    bank_ms: int | None = None


@dataclass(frozen=True)
class GauntletSettings:
    hero: str | None = None


@dataclass(frozen=True)
class SwissSettings:
    rounds: int | None = None


@dataclass(frozen=True)
class KnockoutSettings:
    extra: int = 4


@dataclass(frozen=True)
class SeriesSettings:
    matches: int = 1
    next_starter: str = "winner"
    rounds: int | None = None
    target: int | None = None


@dataclass(frozen=True)
class SprtSettings:
    """A test of two bots: hypotheses in Elo of the `model`, error rates, and the most pairs to play."""

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05
    model: str = "logistic"
    max_pairs: int = 1_000_000


@dataclass(frozen=True)
class TournamentConfig:
    """Everything about a run. `seed` None: to be drawn (and shown) by the caller, see `with_seed`."""

    name: str
    format: str
    bots: tuple[BotSetting, ...]
    games: int = 100
    rules: str = "base"
    seed: int | None = None
    pairs: bool = True
    own_deals: bool = False
    clock: Clock = Clock()
    workers: int | None = None
    executor: str = "local"
    scheduler: str | None = None
    isolation: str = "none"
    limits: Limits = field(default_factory=Limits)
    out: str | None = None
    gauntlet: GauntletSettings = GauntletSettings()
    swiss: SwissSettings = SwissSettings()
    knockout: KnockoutSettings = KnockoutSettings()
    series: SeriesSettings = SeriesSettings()
    sprt: SprtSettings = SprtSettings()

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

    def canonical(self) -> dict[str, Any]:
        """What determines the results, as plain values for JSON.

        Left out is what must make no difference: name, folder, workers, executor, limits. Nor is the most pairs
        of a test among it: with a greater number the same test goes on. Bots in processes of their own are named,
        since the global generators that some bots draw from are seeded otherwise there.
        """
        settings: dict[str, Any] = {
            "format": self.format,
            "bots": [
                {"name": bot.name, "spec": bot.spec, "params": dict(sorted(bot.params.items()))}
                for bot in self.bots
            ],
            "rules": self.rules,
            "seed": self.seed,
            "clock": {"move_ms": self.clock.move_ms, "bank_ms": self.clock.bank_ms},
        }
        isolated = [bot.name for bot, level in zip(self.bots, self.levels) if level != "none"]
        if isolated:
            settings["isolated"] = isolated
        if self.format not in _WITHOUT_GAMES:
            settings |= {"games": self.games, "pairs": self.pairs}
        if self.own_deals:
            settings["own_deals"] = True
        if self.format in _TABLES:
            settings[self.format] = dict(vars(getattr(self, self.format)))
        if self.format == "sprt":
            del settings["sprt"]["max_pairs"]
        return settings

    def to_dict(self) -> dict[str, Any]:
        """All settings as plain values, as a file would give them; read back by `config_from_dict`."""
        plain: dict[str, Any] = {"name": self.name, "format": self.format}
        plain["bots"] = [_without_none(vars(bot) | {"params": dict(bot.params)}) for bot in self.bots]
        for key in (
            "games",
            "rules",
            "seed",
            "pairs",
            "workers",
            "executor",
            "scheduler",
            "isolation",
            "out",
        ):
            if not (key in ("games", "pairs") and self.format in _WITHOUT_GAMES):
                plain[key] = getattr(self, key)
        if self.own_deals:
            plain["own_deals"] = True
        plain["clock"] = _without_none(vars(self.clock))
        usual = vars(Limits())
        plain["limits"] = {key: value for key, value in vars(self.limits).items() if value != usual[key]}
        if self.format in _TABLES:
            plain[self.format] = _without_none(vars(getattr(self, self.format)))
        return _without_none(plain)


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


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
    except BotError:  # said by whoever looks for the bot
        return spec
    return found.name or display_name(found.target, {**found.params, **(params or {})})


# ---------------------------------------------------------------- checking

_KEYS = (
    "name", "format", "bots", "games", "rules", "seed", "pairs", "own_deals", "workers", "executor", "scheduler",
    "isolation", "limits", "out", "clock", "gauntlet", "swiss", "knockout", "series", "sprt",
)  # fmt: skip
_TABLES = {
    "gauntlet": ("hero",),
    "swiss": ("rounds",),
    "knockout": ("extra",),
    "series": ("matches", "next_starter", "rounds", "target"),
    "sprt": ("elo0", "elo1", "alpha", "beta", "model", "max_pairs"),
}
_WITHOUT_GAMES = ("series", "sprt")
_OWN_DEALS = ("round-robin", "gauntlet")  # in the others no bot meets a deal again with another opponent
_BOT_KEYS = ("spec", "name", "params", "isolation")
_LARGEST_SEED = 2**63 - 1  # the largest number TOML promises


def config_from_dict(
    data: Mapping[str, Any],
    source: str = "settings",
    name: str | None = None,
    check_bot: Check | None = None,
    check_rules: Check | None = None,
) -> TournamentConfig:
    """Check plain values, as TOML gives them, into a config. ConfigError with all mistakes.

    `source` names the file in messages; `name` is the default name of the tournament. `check_bot` and
    `check_rules` say what is wrong with a bot's spec or the name of rules, or None.

    >>> config_from_dict({"bots": ["greedy", "random"], "gmaes": 10, "rules": 7}, source="my.toml")
    Traceback (most recent call last):
    arena.config.tournament.ConfigError: my.toml: gmaes: unknown key; did you mean 'games'?
    my.toml: rules: expected a text, found the number 7
    """
    check = Checker(source)
    check.known(data, _KEYS)
    format_ = check.word(data, "format", "round-robin", FORMATS)
    isolation = check.word(data, "isolation", "none", ISOLATIONS)
    bots = _bots(check, data, check_bot)
    clock = check.table(data, "clock", ("move_ms", "bank_ms"))
    tables = {key: check.table(data, key, known) for key, known in _TABLES.items()}
    for key in _TABLES:
        if key in data and key != format_:
            check.fault(key, f'the table [{key}] belongs to format = "{key}", but the format is "{format_}"')
    config = TournamentConfig(
        name=_run_name(check, data, name or Path(source).stem),
        format=format_,
        bots=bots,
        games=check.number(data, "games", 100),
        rules=check.text(data, "rules", "base"),
        seed=check.number(data, "seed", None, least=0, most=_LARGEST_SEED),
        pairs=check.flag(data, "pairs", True),
        own_deals=check.flag(data, "own_deals", False),
        clock=Clock(
            check.number(clock, "move_ms", None, prefix="clock."),
            check.number(clock, "bank_ms", None, least=0, prefix="clock."),
        ),
        workers=check.number(data, "workers", None),
        executor=check.word(data, "executor", "local", EXECUTORS),
        scheduler=check.text(data, "scheduler", None),
        isolation=isolation,
        limits=check_limits(check, data),
        out=check.text(data, "out", None),
        gauntlet=GauntletSettings(check.text(tables["gauntlet"], "hero", None, "gauntlet.")),
        swiss=SwissSettings(check.number(tables["swiss"], "rounds", None, prefix="swiss.")),
        knockout=KnockoutSettings(check.number(tables["knockout"], "extra", 4, least=0, prefix="knockout.")),
        series=_series(check, tables["series"], format_),
        sprt=_sprt(check, tables["sprt"]),
    )
    _check_together(check, data, config)
    if config.clock.bank_ms == 0 and config.clock.move_ms is None:
        check.fault("clock.bank_ms", "0 without move_ms is a clock without any time")
    if check_rules is not None and (wrong := check_rules(config.rules)) is not None:
        check.fault("rules", wrong)
    if check.faults:
        raise ConfigError("\n".join(check.faults))
    return config


def _run_name(check: Checker, data: Mapping[str, Any], default: str) -> str:
    name = str(check.text(data, "name", default))
    if re.search(r"[/\\\0]", name) or name in (".", ".."):
        check.fault("name", f"expected a name that can be a folder's, without slashes, found '{name}'")
    return name


def _bots(check: Checker, data: Mapping[str, Any], check_bot: Check | None) -> tuple[BotSetting, ...]:
    entries = data.get("bots")
    if entries is None:
        check.fault("bots", 'missing; expected a list such as ["random", "bots/greedy.py"]')
        return ()
    if not isinstance(entries, list):
        check.fault("bots", f"expected a list of bots, found {show(entries)}")
        return ()
    bots: list[BotSetting] = []
    faults = len(check.faults)
    for at, entry in enumerate(entries, start=1):
        bot = _bot(check, entry, f"bots, entry {at}")
        if bot is None:
            continue
        if check_bot is not None and (wrong := check_bot(bot.spec)) is not None:
            check.fault(f"bots, entry {at}", wrong)
        if any(bot.name == other.name for other in bots):
            remedy = f'{{ spec = "{bot.spec}", name = "..." }}'
            check.fault(
                f"bots, entry {at}", f"a second bot named '{bot.name}'; give it another name: {remedy}"
            )
        bots.append(bot)
    if len(entries) < 2 and len(check.faults) == faults:
        check.fault("bots", f"expected at least two bots, found {len(entries)}")
    return tuple(bots)


def _bot(check: Checker, entry: object, place: str) -> BotSetting | None:
    if isinstance(entry, str):
        if not entry.strip():
            check.fault(place, "expected the name or the file of a bot, found an empty text")
            return None
        return BotSetting(entry, bot_name(entry))
    if not isinstance(entry, Mapping):
        check.fault(
            place, f"expected a bot's name or a table with {', '.join(_BOT_KEYS)}, found {show(entry)}"
        )
        return None
    prefix = f"{place}, "
    check.known(entry, _BOT_KEYS, prefix)
    if "spec" not in entry:
        check.fault(place, "spec is missing: the name or the file of the bot")
        return None
    spec = check.text(entry, "spec", None, prefix)
    params = entry.get("params", {})
    if not isinstance(params, Mapping) or not all(
        isinstance(v, str | int | float | bool) for v in params.values()
    ):
        check.fault(prefix + "params", "expected a table of texts, numbers or truth values")
        params = {}
    isolation = check.word(entry, "isolation", None, ISOLATIONS, prefix)
    if spec is None:
        return None
    name = check.text(entry, "name", bot_name(spec, params), prefix)
    return BotSetting(spec, name, dict(params), isolation)


def _series(check: Checker, table: Mapping[str, Any], format_: str) -> SeriesSettings:
    settings = SeriesSettings(
        matches=check.number(table, "matches", 1, prefix="series."),
        next_starter=check.word(table, "next_starter", "winner", NEXT_STARTERS, "series."),
        rounds=check.number(table, "rounds", None, prefix="series."),
        target=check.number(table, "target", None, prefix="series."),
    )
    if format_ == "series" and ("rounds" in table) == ("target" in table):
        found = "found both" if "rounds" in table else "found neither"
        check.fault(
            "series", f"expected either rounds (games of a series) or target (points to reach), {found}"
        )
    return settings


def _sprt(check: Checker, table: Mapping[str, Any]) -> SprtSettings:
    usual = SprtSettings()
    reals = {key: check.real(table, key, getattr(usual, key), "sprt.") for key in _TABLES["sprt"][:4]}
    settings = SprtSettings(
        **reals,
        model=check.word(table, "model", usual.model, MODELS, "sprt."),
        max_pairs=check.number(table, "max_pairs", usual.max_pairs, prefix="sprt."),
    )
    if not settings.elo0 < settings.elo1:
        check.fault("sprt", f"elo0 ({settings.elo0:g}) must be less than elo1 ({settings.elo1:g})")
    for key in ("alpha", "beta"):
        if not 0 < reals[key] < 0.5:
            check.fault(f"sprt.{key}", f"expected an error rate between 0 and 0.5, found {reals[key]:g}")
    return settings


def _check_together(check: Checker, data: Mapping[str, Any], config: TournamentConfig) -> None:
    """What is wrong only in company of other keys."""
    hero, names = config.gauntlet.hero, config.bot_names
    if config.format == "gauntlet" and hero is not None and names and hero not in names:
        near = did_you_mean(hero, names)
        check.fault("gauntlet.hero", f"expected one of the bots ({', '.join(names)}), found '{hero}'{near}")
    if config.format in ("match", "sprt") and len(config.bots) > 2:
        what = "match" if config.format == "match" else "test"
        check.fault(
            "bots", f"a {what} is between two bots, found {len(config.bots)}; for more use round-robin"
        )
    if config.format in _WITHOUT_GAMES:
        games = {"series": "series.matches and series.rounds", "sprt": "sprt.max_pairs"}[config.format]
        for key, remedy in (("games", games), ("pairs", "no such key")):
            if key in data:
                check.fault(key, f'not used by format = "{config.format}"; use {remedy} instead')
    if config.own_deals and config.format not in _OWN_DEALS:
        check.fault(
            "own_deals",
            f"belongs to {' and '.join(_OWN_DEALS)}; in the format {config.format} no bot meets a deal again anyway",
        )
    if config.scheduler is not None and config.executor != "dask":
        check.fault("scheduler", f'belongs to executor = "dask", but the executor is "{config.executor}"')


def load_config(
    path: Path | str, check_bot: Check | None = None, check_rules: Check | None = None
) -> TournamentConfig:
    """Read and check a TOML file. ConfigError for a file that cannot be read, is no TOML, or has mistakes."""
    path = Path(path)
    data = read_toml(path, ConfigError)
    return config_from_dict(data, str(path), path.stem, check_bot, check_rules)
