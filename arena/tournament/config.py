"""The settings of a tournament: a TOML file, checked strictly into frozen values.

All mistakes in a file are reported together, each with the file, the key, what was expected and the nearest known
name. To change settings, use `dataclasses.replace` and then `check`, or `with_settings` for plain values.
`TournamentConfig.canonical` is the part that determines the results.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any
from unicodedata import normalize

from arena.bots.faults import BotError
from arena.bots.limits import Limits
from arena.bots.spec import BotSpec, display_name, find_bot, find_target, parse_spec, version_name
from arena.errors import ArenaError, did_you_mean
from arena.game.deals import Deal
from arena.game.record import parse_deal
from arena.game.rules import RulesError, load_rules, written_out
from arena.paths import LATEST, STDIN, data_folder, input_name
from arena.settings import as_dict, settings_of
from arena.text import one_line, quoted
from arena.tournament.bot_list import FieldBot, find_field
from arena.tournament.formats import FORMATS
from arena.tournament.formats.round_robin import StoredSprt
from arena.tournament.formats.schedule import Format, FormatInput, Schedule
from arena.tournament.run_settings import (
    LONGEST_NAME,
    MOST_BOTS,
    MOST_DEALS,
    BotSetting,
    Clock,
    ParamValue,
    RunSettings,
)
from arena.tournament.validation import Checker, read_toml, toml_value


class ConfigError(ArenaError):
    """Invalid settings: one line for each mistake."""


@dataclass(frozen=True)
class TournamentConfig(RunSettings):
    """The settings of a run, checked. If `seed` is None, the caller chooses one."""

    @property
    def form(self) -> Format:
        """Return the tournament format."""
        return FORMATS[self.format]

    @property
    def bot_names(self) -> tuple[str, ...]:
        """Return the names of the bots, in order."""
        return tuple(bot.name for bot in self.bots)

    def find_bots(self) -> tuple[BotSpec, ...]:
        """Find the bots without running their code; BotError for one that does not exist."""
        return tuple(_found(bot) for bot in self.bots)

    @property
    def levels(self) -> tuple[str, ...]:
        """Return the isolation level of each bot, in order."""
        return tuple(bot.isolation or self.isolation for bot in self.bots)

    @property
    def deals_apart(self) -> bool:
        """Return whether every two bots have deals of their own: as set, else as usual in the format."""
        return self.form.own_deals and not self.deals if self.own_deals is None else self.own_deals

    @property
    def clocked(self) -> bool:
        """Return whether a clock can decide games; if so, two plays of one game may differ."""
        return self.clock != Clock()

    def with_seed(self, seed: int) -> TournamentConfig:
        """Return the config with this seed."""
        return replace(self, seed=seed)

    def verdict(self) -> StoredSprt | None:
        """Make the test that ends the run early; None for formats that play all their games."""
        return None if self.form.verdict is None else self.form.verdict(self.format_settings)

    def schedule(self) -> Schedule:
        """Make the schedule. The config must have a seed.

        >>> from arena.tournament.games import ScheduleProgress
        >>> config_from_dict({"bots": ["a", "b", "c"], "games": 5, "seed": 1}).schedule().planned(ScheduleProgress())
        18
        """
        if self.seed is None:
            raise ValueError("the seed must be chosen before the schedule is made")
        design = FormatInput(self.bot_names, self.games, self.pairs, self.seed)
        return self.form.make(design, self.format_settings)

    def shape(self) -> dict[str, Any]:
        """Return what every game depends on, as plain values: rules with all their options, seed, clock.

        A folder holds games of one shape only. In a format that takes no other bots, who meets whom depends on more,
        and so does the shape: the bots in their order, the number of games, the other settings of the format.
        """
        shape: dict[str, Any] = {"rules": load_rules(self.rules).canonical, "seed": self.seed}
        if self.clocked:
            shape["clock"] = {key: ms for key, ms in vars(self.clock).items() if ms is not None}
        if self.deals:
            digest = blake2b("\n".join(self.deals).encode(), digest_size=8).hexdigest()
            shape["deals"] = f"a list of {len(self.deals)} with the hash {digest}"
        if self.form.closed:
            own = {key: value for key, value in vars(self.format_settings).items() if key != self.form.size}
            shape |= {"format": self.format, "games": self.games, "pairs": self.pairs, "bots": list(self.bot_names)}
            shape |= {self.format: own} if own else {}
        return shape

    def canonical(self) -> dict[str, Any]:
        """Return what determines the results, as plain values for JSON.

        Settings that must make no difference are left out: name, folder, workers, scheduler, limits, and those with
        `shapes_results` off. Bots in processes of their own are listed, because Python's global random generators,
        which some bots use, are seeded differently there.
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
        if not self.form.games_from:
            settings |= {"games": self.games, "pairs": self.pairs}
        if self.form.own_deals:
            settings["own_deals"] = self.deals_apart
        if self.deals:
            settings["deals"] = list(self.deals)
        if declared := settings_of(type(self.format_settings)):
            settings[self.format] = {
                key: _few(value) if isinstance(value, tuple) else value
                for key, setting in declared.items()
                if setting.shapes_results and (value := getattr(self.format_settings, key)) is not False
            }
        return settings

    def to_dict(self) -> dict[str, Any]:
        """Return all settings as the plain values of a file; `config_from_dict` reads them back."""
        plain = as_dict(self)
        del plain["exclude"]
        plain["bots"] = [as_dict(bot) | {"params": dict(bot.params)} for bot in self.bots]
        for bot in plain["bots"]:
            if not bot["labels"]:
                del bot["labels"]
        usual = vars(Limits())
        plain["limits"] = {key: value for key, value in vars(self.limits).items() if value != usual[key]}
        if self.form.games_from:
            del plain["games"], plain["pairs"]
        plain["deals"] = list(self.deals)
        if not self.deals:
            del plain["deals"]
        settings = plain.pop("format_settings")
        if settings_of(type(self.format_settings)):
            plain[self.format] = settings
        return plain


def _found(bot: BotSetting) -> BotSpec:
    """Find a bot. BotError if its file is not any more the version whose name it has."""
    found = find_bot(bot.spec, bot.params, bot.name)
    if bot.labels and not bot.labels.get("commit") and found.bundle is not None:
        version = version_name(found.bundle, {**parse_spec(bot.spec).params, **bot.params})
        if "@" in bot.name and bot.name != version:
            raise BotError(
                f"{bot.spec} has changed since it was {bot.name}, and is {version} now; to play it, give the command"
                " that named it again"
            )
    return found


def _few(texts: tuple[str, ...]) -> str | list[str] | None:
    """Return strings as a file has them: none, one, or a list. The names of folders depend on this form."""
    return list(texts) if len(texts) > 1 else texts[0] if texts else None


# ---------------------------------------------------------------- names of bots


def bot_name(spec: str, params: Mapping[str, ParamValue] | None = None) -> str:
    """Return the name that a bot has in the tables by default.

    >>> bot_name("greedy"), bot_name("bots/search.py:rollouts=200"), bot_name("package.module:Class")
    ('greedy', 'search:rollouts=200', 'Class')
    >>> bot_name("search", {"rollouts": 50}), bot_name("deep=bots/search.py:rollouts=500")
    ('search:rollouts=50', 'deep')
    """
    try:
        parsed = parse_spec(spec)
    except BotError:  # reported when the bot is searched for
        return spec
    return parsed.name or display_name(parsed.target, {**parsed.params, **(params or {})})


# ---------------------------------------------------------------- reading and checking


def load_config(path: Path | str, exist: bool = False) -> TournamentConfig:
    """Read and check a TOML file, or standard input for `-`.

    ConfigError if it cannot be read, is not TOML, or has mistakes.
    """
    path = Path(path)
    name = input_name(path)
    return config_from_dict(read_toml(path, ConfigError), name, Path(name).stem, exist, path.parent)


def _config_folders() -> tuple[Path, Path]:
    return Path("configs"), data_folder("configs")


def config_file(text: str) -> Path | None:
    """Return the file of a tournament, `-` for standard input; or the one of a name, None if nothing has it."""
    path = Path(text)
    if path.suffix == ".toml" or path.name != text or path == STDIN or path.is_file():
        return path
    return next((file for folder in _config_folders() if (file := folder / f"{text}.toml").is_file()), None)


def named_config(text: str) -> TournamentConfig:
    """Load the settings of a file, `-` for standard input, or of a name in ./configs or that comes with the program."""
    path = config_file(text)
    if path is None:
        names = sorted({file.stem for folder in _config_folders() for file in folder.glob("*.toml")})
        raise ConfigError(
            f"unknown tournament '{text}'{did_you_mean(text, names)}"
            f" (known by name: {', '.join(names)}; others by file, such as configs/mine.toml)"
        )
    return load_config(path, exist=True)


def config_from_dict(
    data: Mapping[str, Any],
    source: str = "settings",
    name: str | None = None,
    exist: bool = False,
    folder: Path | None = None,
) -> TournamentConfig:
    """Turn plain values, as TOML gives them, into a checked config. ConfigError with all mistakes.

    `source` names the file in messages; `name` is the default name of the tournament. `exist` also checks that the bots
    and the rule set exist. Patterns in `bots` are expanded from `folder`, and the file of the rule set is found there;
    without one, as for stored settings, every entry is a single bot.

    >>> config_from_dict({"bots": ["greedy", "random"], "gmaes": 10, "rules": 7}, source="my.toml")
    Traceback (most recent call last):
    arena.tournament.config.ConfigError: my.toml: gmaes: unknown key; did you mean 'games'?
    my.toml: rules: expected a string, found the number 7
    """
    return with_settings(TournamentConfig(name or Path(source).stem), {"bots": None, **data}, source, exist, folder)


def with_settings(
    config: TournamentConfig,
    data: Mapping[str, Any],
    source: str = "settings",
    exist: bool = False,
    folder: Path | None = None,
) -> TournamentConfig:
    """Return the config with the settings in `data`, plain values, replaced. ConfigError with all mistakes.

    Tables are replaced as a whole. If the format changes, the settings of the old one are dropped. Patterns in `bots`
    are expanded from `folder`, as by `config_from_dict`.
    """
    checker = Checker(source)
    tables = [key for key, form in FORMATS.items() if settings_of(form.settings)]
    own = [
        f"{key}.{name}" for key in tables if key == data.get("format") for name in settings_of(FORMATS[key].settings)
    ]
    values = checker.read(TournamentConfig, data, others=["bots", *tables, *own])
    bots = [FieldBot(**vars(bot), number=number) for number, bot in enumerate(config.bots, start=1)]
    if "bots" in data:
        bots = _read_bots(checker, data["bots"])
        if folder is None:
            bots = [replace(bot, name=bot.name or bot_name(bot.spec, bot.params)) for bot in bots]
        else:
            bots = find_field(bots, values.get("exclude", ()), folder, checker.fault)
        if len(bots) > MOST_BOTS:
            checker.fault("bots", f"expected at most {MOST_BOTS} bots, found {len(bots)}")
            bots = []
        values["bots"] = tuple(bot.setting for bot in bots)
    if "exclude" in data and (folder is None or "bots" not in data):
        checker.fault(
            "exclude", "goes with a list of patterns and folders; here the bots are already listed one by one"
        )
    values.pop("exclude", None)
    if "rules" in values:
        values["rules"] = _written_out(values["rules"], folder)
    if "deals" in data:
        values["deals"] = _read_deals(checker, data["deals"])
        values.setdefault("games", max(len(values["deals"]) * (2 if values.get("pairs", config.pairs) else 1), 1))
    form = FORMATS[values.get("format", config.format)]
    for key in tables:
        if key in data and key != form.name:
            checker.fault(key, f'the table [{key}] belongs to format = "{key}", but the format is "{form.name}"')
    faults = len(checker.faults)
    if form.name in tables and form.name in data:
        given = checker.table(data, form.name, tuple(settings_of(form.settings)))
        values["format_settings"] = form.settings(**checker.read(form.settings, given, f"{form.name}."))
    elif form.settings is not type(config.format_settings):
        values["format_settings"] = form.settings()
    config = replace(config, **values)
    for key, remedy in (("games", f"; use {form.games_from} instead"), ("pairs", "")):
        if form.games_from and key in data:
            checker.fault(key, f'not used by format = "{form.name}"{remedy}')
    _check_together(checker, config, bots, exist, format_settings=len(checker.faults) == faults)
    if checker.faults:
        raise ConfigError("\n".join(checker.faults))
    return config


def check_config(config: TournamentConfig, source: str = "settings", exist: bool = False) -> TournamentConfig:
    """Check a config that `dataclasses.replace` has changed, and return it. ConfigError with all mistakes.

    >>> check_config(replace(config_from_dict({"bots": ["a", "b"]}), games=0))
    Traceback (most recent call last):
    arena.tournament.config.ConfigError: settings: games: expected a whole number from 1 to 1000000000, \
found 0
    """
    return with_settings(config, config.to_dict(), source, exist)


def _read_bots(check: Checker, entries: object) -> list[FieldBot]:
    """Read a list of bots; return the valid entries."""
    if entries is None:
        check.fault("bots", 'missing; expected a list such as ["random", "bots/greedy.py"]')
        return []
    if not isinstance(entries, list):
        check.fault("bots", f"expected a list of bots, found {toml_value(entries)}")
        return []
    read = [_read_bot(check, entry, number) for number, entry in enumerate(entries, start=1)]
    return [bot for bot in read if bot is not None]


def _read_deals(check: Checker, entries: object) -> tuple[str, ...]:
    """Read a list of deals. Later checks need the rule set."""
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        found = toml_value(entries) if not isinstance(entries, list) else "a list with other values"
        check.fault("deals", f'expected a list of deals such as ["42:17", "cards:..."], found {found}')
        return ()
    if len(entries) > MOST_DEALS:
        check.fault("deals", f"expected at most {MOST_DEALS} deals, found {len(entries)}")
        return ()
    return tuple(entry if entry == (bare := entry.strip()) else bare for entry in entries)  # lines keep their places


def _read_bot(check: Checker, entry: object, number: int) -> FieldBot | None:
    key = f"bots, entry {number}"
    if isinstance(entry, str):
        if not entry.strip():
            check.fault(key, "expected the name or the file of a bot, found an empty string")
            return None
        return FieldBot(entry, "", number=number)
    if not isinstance(entry, Mapping):
        known = ", ".join(settings_of(BotSetting))
        check.fault(key, f"expected a bot's name or a table with {known}, found {toml_value(entry)}")
        return None
    labels = entry.get("labels")  # of a stored run
    values = check.read(BotSetting, {key: value for key, value in entry.items() if key != "labels"}, f"{key}, ")
    if "spec" not in entry:
        check.fault(key, "spec is missing: the name or the file of the bot")
    params = entry.get("params", {})
    if not isinstance(params, Mapping) or not all(isinstance(v, ParamValue) for v in params.values()):
        check.fault(f"{key}, params", "expected a table of strings, numbers or booleans")
        params = {}
    if "spec" not in values:
        return None
    labels = dict(labels) if isinstance(labels, Mapping) else {}
    return FieldBot(**{"name": "", **values}, params=dict(params), labels=labels, number=number)


def _written_out(rules: str, folder: Path | None) -> str:
    """Return a rule set with its options in the place of a file, which may be changed or removed during the run.

    The file is looked up like a bot's: in the working directory, then in `folder`.
    """
    file, ending, changes = rules.rpartition(".toml")
    if folder is not None and ending and not Path(file + ending).is_file() and (folder / (file + ending)).is_file():
        rules = (folder / file).as_posix() + ending + changes
    try:
        return written_out(rules)
    except RulesError:  # reported with `exist`
        return rules


def _check_together(
    check: Checker, config: TournamentConfig, bots: Iterable[FieldBot], exist: bool, format_settings: bool
) -> None:
    """Check settings that conflict with each other, and the bots."""
    _check_bots(check, bots, exist)
    if len(config.bots) < 2 and not any(": bots" in fault for fault in check.faults):
        check.fault("bots", f"expected at least two bots, found {len(config.bots)}")
    if format_settings:
        for key, wrong in config.format_settings.faults(config.bot_names):
            check.fault(f"{config.format}.{key}" if key else config.format, wrong)
    _check_name(check, config.name)
    _check_format(check, config)
    if config.clock.bank_ms == 0 and config.clock.move_ms is None:
        check.fault("clock.bank_ms", "0 without move_ms leaves no time at all")
    if exist:
        check.attempt("rules", load_rules, config.rules)
    if config.deals and not check.faults:
        _check_deals(check, config, exist)


def _check_bots(check: Checker, bots: Iterable[FieldBot], exist: bool) -> None:
    """Check that no two bots have the same name, and with `exist` that they can be found."""
    names: set[str] = set()
    for bot in bots:
        if exist:
            check.attempt(f"bots, entry {bot.number}", find_target, bot.spec)
        if len(bot.name) > (most := settings_of(BotSetting)["name"].longest):  # made from the spec
            found = f"found {len(bot.name)} in '{one_line(bot.name, 40)}'"
            check.fault(f"bots, entry {bot.number}", f"expected a name of at most {most} characters, {found}")
        name = normalize("NFC", bot.name)  # an accent can be encoded in two ways that look the same
        if name in names:
            remedy = f'{{ spec = "{bot.spec}", name = "..." }}'
            check.fault(f"bots, entry {bot.number}", f"a second bot named '{bot.name}'; give it another name: {remedy}")
        names.add(name)


def _check_deals(check: Checker, config: TournamentConfig, exist: bool) -> None:
    """Check that the listed deals are enough, and with `exist` that the rule set has them, each once."""
    if config.own_deals:
        check.fault("own_deals", "every pairing plays the listed deals; leave out own_deals or deals")
    needed = config.with_seed(0).schedule().deal_count
    if needed > len(config.deals):
        wanted = "list more deals, or ask for fewer games"
        check.fault("deals", f"these settings need {needed:,} deals, found {len(config.deals):,} in the list; {wanted}")
    if not exist:
        return
    rules, known = load_rules(config.rules), dict[Deal, str]()
    for number, written in enumerate(config.deals, start=1):
        place = getattr(written, "place", f"entry {number}")  # the line of a file
        try:
            deal = parse_deal(rules, written)
        except ArenaError as error:
            check.fault(f"deals, {place}", str(error))
            continue
        if (first := known.setdefault(deal, place)) != place:
            check.fault(f"deals, {place}", f"the same deal as {first}; leave one of them out")


def _check_name(check: Checker, name: str) -> None:
    """Check that a folder can have the name of the run, and that it can be shown on one line."""
    is_folder = not re.search(r"[/\\\0]", name) and name not in (".", "..")
    if not is_folder or name == LATEST or name.startswith("-") or one_line(name) != name:
        check.fault("name", f"expected a line without slashes that can name a folder and a run, found {quoted(name)}")
    elif (size := len(name.encode(errors="replace"))) > LONGEST_NAME:
        check.fault("name", f"expected at most {LONGEST_NAME} bytes in UTF-8, found {size}")


def _check_format(check: Checker, config: TournamentConfig) -> None:
    """Check that the format allows the number of bots and `own_deals`."""
    form = config.form
    if form.two_bots and len(config.bots) > 2:
        expected = f'format = "{form.name}" is for two bots, found {len(config.bots)}'
        check.fault("bots", f"{expected}; for more use round-robin")
    if config.own_deals and not form.own_deals:
        known = " and ".join(key for key, entry in FORMATS.items() if entry.own_deals)
        check.fault("own_deals", f"belongs to {known}, not to {form.name}")
