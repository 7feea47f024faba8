"""Options that several commands share, the completion of names in a shell, and the output of reports.

An option means the same in each command that has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from arena.bots.limits import ISOLATIONS
from arena.cli.group import Decorator, gathered, under
from arena.errors import ArenaError
from arena.game.rules import SHORT_NAMES, preset_names
from arena.paths import LATEST, data_folder, input_name, open_input
from arena.results import REPORT_KINDS
from arena.settings import Setting, number_text, settings_of
from arena.stats import DEFAULT_PRIOR, LEAST_PRIOR, MOST_PRIOR
from arena.text import quoted
from arena.tournament.run_settings import FORMAT_SETTINGS, Clock, RunSettings

_MANY = 10**9
GATHERED = _PLAY_OPTIONS, _GAME_FILTER = ("arena.cli.options:PlayOptions", "arena.results.run_data:GameFilter")
"""What commands get in the place of single options; made when they run."""


class Number(click.ParamType[int | float]):
    """A number within the bounds of a setting; the message about another one names option and bounds."""

    name = "n"  # N in the help, unless an option has a metavar

    def __init__(self, setting: Setting) -> None:
        self.setting = setting

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | float:
        """Return the number that was typed; refuse one outside the bounds."""
        number: int | float
        setting = self.setting
        try:
            number = int(value) if setting.kind == "whole number" else float(value)
        except (ValueError, OverflowError):  # also for thousands of digits
            self.fail(f"expected {setting.expected}, found {quoted(str(value), 30)}", param, ctx)
        if not setting.within(number):
            self.fail(f"expected {setting.expected}, found {number_text(number)}", param, ctx)
        return number


def whole_option(least: int, most: int = _MANY) -> Number:
    """Return the type of a whole number for an option that is not a setting."""
    return Number(Setting("whole number", "", least=least, most=most))


def real_option(least: float, most: float) -> Number:
    """Return the type of a number for an option that is not a setting."""
    return Number(Setting("number", "", least=least, most=most))


def number_option(
    name: str, help: str, least: int, most: int = _MANY, default: int | None = None, metavar: str = "N"
) -> Decorator:
    """Return an option for a whole number that is not a setting; a `default` is shown."""
    type_ = whole_option(least, most)
    return click.option(name, type=type_, default=default, show_default=True, metavar=metavar, help=help)


class PathOption(click.Path):
    """A path; one that is empty, or looks like an option, is a mistake."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path that was typed."""
        if not value or (str(value)[0] == "-" and not (value == "-" and self.allow_dash)):
            self.fail(f"expected a path, found {quoted(str(value))}", param, ctx)
        return super().convert(value, param, ctx)


PATH = PathOption(path_type=Path)
PATH_OR_STDOUT = PathOption(path_type=Path, allow_dash=True)
TEXT_OR_STDOUT = PathOption(allow_dash=True)


def out_option(metavar: str, help: str, kind: PathOption = PATH) -> Decorator:
    """Return the option for the file or the folder to write."""
    return click.option("-o", "--out", type=kind, metavar=metavar, help=help)


def split_variants(texts: Sequence[str], option: str = "--variants") -> list[str]:
    """Split comma-separated rule sets; option=value belongs to the rule set before it.

    >>> split_variants(["base,tactical:hand_size=6,scout_return=top,expert"])
    ['base', 'tactical:hand_size=6,scout_return=top', 'expert']
    """
    variants: list[str] = []
    for text in texts:
        begun = len(variants)
        for part in (part.strip() for part in text.split(",")):
            if not part:
                raise ArenaError(f"{option} {text}: nothing between two commas")
            if re.fullmatch(r"[a-z_]+\s*=[^:]*", part) and not part.endswith(".toml"):
                if len(variants) == begun or ":" not in variants[-1]:
                    raise ArenaError(
                        f"{option} {text}: '{part}' changes an option, but there is no rule set"
                        " before it; write, for example, base:hand_size=7"
                    )
                variants[-1] += f",{part}"
            else:
                variants.append(part)
    return variants


# ---------------------------------------------------------------- completion in a shell

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def completer(names: Callable[[], Iterable[str]], path: str = "") -> Completer:
    """Return a completer for `names`, and for paths if `path` is "file" or "dir"."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        items = [CompletionItem(name) for name in sorted(set(names())) if name.startswith(incomplete)]
        return [*items, CompletionItem(incomplete, type=path)] if path else items

    return complete


complete_bots = completer(
    lambda: (path.stem for folder in (Path("bots"), data_folder("bots")) for path in folder.glob("[!_]*.py")), "file"
)
complete_rules = completer(lambda: [*SHORT_NAMES, *preset_names()])


def _names_of_runs() -> list[str]:
    return [LATEST, *(path.parts[1] for path in Path("results").glob("**/games.sqlite"))]


def _names_of_configs() -> list[str]:
    return [path.stem for path in data_folder("configs").glob("*.toml")]


complete_runs = completer(_names_of_runs, "dir")
complete_configs_and_runs = completer(lambda: [*_names_of_configs(), *_names_of_runs()], "file")
complete_leagues = completer(lambda: (path.parent.name for path in Path("leagues").glob("*/league.sqlite")), "dir")

# ---------------------------------------------------------------- playing


def option_of(key: str) -> str:
    """Return the command-line option for a setting.

    >>> option_of("max_pairs")
    '--max-pairs'
    """
    return f"--{key.replace('_', '-')}"


def _sentence(setting: Setting, default: str) -> str:
    """Return the help of a setting as that of an option."""
    shown = f" (default: {default})" if default else ""
    return f"{setting.help[0].upper()}{setting.help[1:]}{shown}.".replace("`", "")


def setting_option(key: str, metavar: str | None, *names: str, **more: Any) -> Decorator:
    """Return the option for a setting of a run: its bounds, its choices and its help."""
    setting = settings_of(RunSettings)[key]
    type_ = Number(setting) if setting.kind == "whole number" else click.STRING
    more = {"type": type_, "metavar": metavar, "help": _sentence(setting, setting.unset), **more}
    return click.option(*names, option_of(key), **more)


class ClockOption(click.ParamType[dict[str, int]]):
    """The times of a `Clock`, such as 50, 50+10000 or +10000; `least` milliseconds for a decision."""

    name = "clock"

    def __init__(self, least: int = 1) -> None:
        times = settings_of(Clock)
        self.times = {"move_ms": Number(replace(times["move_ms"], least=least)), "bank_ms": Number(times["bank_ms"])}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, int]:
        """Return the times that were typed, by the names of their settings."""
        typed = dict(zip(self.times, str(value).split("+", 1)))
        if typed["move_ms"] == "" and "bank_ms" in typed:
            del typed["move_ms"]
        return {key: int(self.times[key].convert(text, param, ctx)) for key, text in typed.items()}


ISOLATION = click.Choice(ISOLATIONS)
PRIOR, ERROR_TYPE = real_option(LEAST_PRIOR, MOST_PRIOR), Number(Setting("number", "", above=0, most=10_000))


@dataclass(frozen=True)
class PlayOptions:
    """The options of a command that plays games; None for an option that was not given.

    Each command has some of these options. `rating_of` are the bots named by `--bot`.
    """

    games: int | None = None
    rules: str | None = None
    seed: int | None = None
    deals: list[str] | None = None
    clock: dict[str, int] | None = None
    settings: tuple[str, ...] = ()
    error: float | None = None
    rating_of: tuple[str, ...] = ()
    workers: int | None = None
    scheduler: str | None = None
    isolation: str | None = None
    out: Path | None = None
    dry_run: bool = False
    again: tuple[str, ...] = ()
    as_json: bool = False
    strict: bool = False


rules = setting_option("rules", "R", shell_complete=complete_rules)


def rule_sets(usual: str) -> Decorator:
    """Return `--rules` for several rule sets; the command gets each once, none if the option was not given."""
    return click.option(
        "--rules",
        multiple=True,
        metavar="R",
        callback=lambda ctx, param, texts: tuple(dict.fromkeys(split_variants(texts, "--rules"))),
        shell_complete=complete_rules,
        help=f"Rule sets, separated by commas or given several times (default: {usual}).",
    )


exclude = click.option(
    "--exclude",
    multiple=True,
    metavar="PATTERN",
    help="Leave out these files, such as 'class/helper*.py'; may be repeated.",
)
seed = setting_option("seed", "S")
games = setting_option("games", "N")


class _Line(str):
    """A line of a file; `place` names both."""

    place: str


def _read_deals(ctx: click.Context, param: click.Parameter, file: Path | None) -> list[_Line] | None:
    """Read a file with one deal per line; # begins a comment."""
    if file is None:
        return None
    name = f"--deals {input_name(file)}"
    try:
        with open_input(file) as opened:
            lines = opened.read().decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ArenaError(f"{name}: cannot be read ({error})") from None
    found = []
    for number, line in enumerate(lines, start=1):
        deal = _Line(line.partition("#")[0].strip())
        deal.place = f"{input_name(file)}, line {number}"
        found += [deal] * bool(deal)
    if not found:
        raise ArenaError(f"{name}: no deals in it; expected one per line, such as 42:17 or cards:...")
    return found


deals = click.option(
    "--deals",
    type=PATH_OR_STDOUT,
    metavar="FILE",
    callback=_read_deals,
    help="Play the deals in FILE, one per line as records write them: 42:17 or cards:..., each twice (see --games).",
)
clock = click.option(
    "--move-ms",
    "clock",
    type=ClockOption(),
    metavar="MS[+BANK]",
    help="Milliseconds per decision, and for each game a bank of extra ones: 50 or 50+10000 (default: no limit).",
)
set_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Any setting of a TOML file, such as clock.bank_ms=9000 or limits.memory_mb=2048; may be repeated.",
)
error = click.option(
    "--error",
    type=ERROR_TYPE,
    metavar="E",
    help="Keep playing until every rating's 95% error is at most E Elo (or --games is reached; default: 100000).",
)
rating_of = click.option(
    "--bot", "rating_of", multiple=True, metavar="BOT", help="With --error: only this bot's rating; may be repeated."
)
workers = setting_option("workers", "W")
scheduler = setting_option("scheduler", "ADDRESS", help="Play on this Dask scheduler's cluster; local: here.")
isolation = setting_option("isolation", None, type=ISOLATION)
isolation_of_league = click.option(
    "--isolation", type=ISOLATION, help="Where bots run, instead of what the league's settings say."
)


def _not_latest(ctx: click.Context, param: click.Parameter, folder: Path | None) -> Path | None:
    if folder is not None and folder.name == LATEST:
        raise click.BadParameter(f"'{LATEST}' means the run that was played last; choose another name", ctx, param)
    return folder


out_folder = setting_option("out", "DIR", "-o", type=PATH, callback=_not_latest)
UP_TO_DATE = (
    click.option("--dry-run", is_flag=True, help="Say what would be played and why, and stop."),
    click.option("--again", multiple=True, metavar="BOT", help="Play this bot's games again; may be repeated."),
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
json_form = click.option("--json", "form", flag_value="json", default="table", help="Print JSON.")
strict = click.option("--strict", is_flag=True, help="Exit with code 1 if a bot lost a game by forfeit.")
trust = click.option("--trust", is_flag=True, help="Run bots from a folder you did not create.")

QUIET = "arena.quiet"


def _note_quiet(ctx: click.Context, param: click.Parameter, given: bool) -> None:
    """Keep the flag in the context of the command, for the code that prints."""
    ctx.meta[QUIET] = given


quiet = click.option("-q", "--quiet", is_flag=True, expose_value=False, callback=_note_quiet, help="Show no progress.")

_PLAYED = (games, rules, seed, clock, deals, error)
_HOW = (isolation, workers, scheduler, out_folder, set_option, *UP_TO_DATE)
WHAT_TO_PLAY = under("What to play", *_PLAYED)
WHAT_TO_PLAY_IN_A_FIELD = under("What to play", *_PLAYED, rating_of)
HOW_TO_PLAY, WHAT_TO_SHOW = under("How to play", *_HOW), under("What to show", as_json, strict, quiet)


def play_options(*options: Decorator) -> Decorator:
    """Add options to a command and pass it their values as `options: PlayOptions`."""
    return gathered(_PLAY_OPTIONS, "options", *options)


# ---------------------------------------------------------------- formats with settings of their own


def format_settings(key: str) -> dict[str, Setting]:
    """Return the settings with this name by the formats that have one."""
    found = {name: settings_of(form) for name, form in FORMAT_SETTINGS.items()}
    return {name: settings[key] for name, settings in found.items() if key in settings}


def format_option(key: str, metavar: str = "N") -> Decorator:
    """Return the option for a setting that some formats have; its bounds are the widest of these."""
    forms = format_settings(key)
    setting = max(forms.values(), key=lambda each: each.most or 0)
    helps = [f"{'' if name == 'sprt' else f'{name}: '}{_sentence(each, each.usual)}" for name, each in forms.items()]
    is_flag = setting.kind == "boolean"
    return click.option(
        option_of(key),
        type=Number(setting) if setting.kind in ("whole number", "number") else None,
        is_flag=is_flag,
        multiple=setting.kind == "strings",
        default=None,
        metavar=None if is_flag else metavar,
        help=" ".join(helps),
    )


# ---------------------------------------------------------------- looking

prior = click.option(
    "--prior",
    type=PRIOR,
    metavar="N",
    help=f"Virtual draws per bot in the ratings (default: {DEFAULT_PRIOR:g}, or as a league has it).",
)
chosen_bots = under(
    "Which bots",
    click.option("--without", multiple=True, metavar="BOT", help="Leave out all games of this bot; may be repeated."),
    click.option("--only", multiple=True, metavar="A,B", help="Only games in which two of these bots meet."),
)
"""Options that leave out bots and their games; the command gets the texts as `without` and `only`."""

chosen_games = gathered(
    _GAME_FILTER,
    "wanted",
    under(
        "Which games",
        click.option("--bot", metavar="BOT", help="Only games of this bot."),
        click.option("--against", metavar="BOT", help="With --bot: only its games against this one."),
        click.option("--won", "score", flag_value=1.0, type=float, help="With --bot: only games it won."),
        click.option("--lost", "score", flag_value=0.0, type=float, help="With --bot: only games it lost."),
        click.option("--forfeits", is_flag=True, help="Only games decided by a forfeit."),
        click.option("--deal", type=whole_option(0), metavar="N", help="Only games on this deal."),
    ),
)
"""Options that choose among stored games; the command gets a `GameFilter` as `wanted`."""

# ---------------------------------------------------------------- leagues

league_argument = click.argument("name", metavar="[LEAGUE]", required=False, shell_complete=complete_leagues)
league_before = click.argument("name", metavar="[LEAGUE]", nargs=-1, shell_complete=complete_leagues)
"""The same before another argument, to which the last word belongs."""
play_too = click.option("--play", is_flag=True, help="Play more games while no submission waits, to narrow the errors.")

# ---------------------------------------------------------------- output

csv_folder = under(
    "What to show",
    click.option("--csv", "to", type=PATH, metavar="DIR", help="Also write all tables as CSV files to DIR."),
)


output = under(
    "What to show",
    click.option(
        "--print", "form", type=click.Choice(REPORT_KINDS), default="table", help="Print as (default: table)."
    ),
    click.option("--json", "form", flag_value="json", help="The same as --print json."),
)
"""Options for the format of a report; the command gets it as `form`."""


opened = click.option("--open", "opened", is_flag=True, help="Open the page in the browser as well.")
