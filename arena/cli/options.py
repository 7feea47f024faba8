"""Options that several commands share, and the completion of names in a shell.

An option means the same in each command that has it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from arena.bots.isolation.levels import ISOLATIONS
from arena.errors import ArenaError
from arena.game.rules import SHORT_NAMES, preset_names
from arena.paths import data_folder
from arena.settings import Setting, number_text, settings_of
from arena.text import quoted
from arena.tournament.config.tournament import EXECUTORS, Clock, TournamentConfig
from arena.tournament.match.tasks import DEAL_BITS

Result = TypeVar("Result")
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
MANY = 10**9


class Number(click.ParamType[int | float]):
    """A number within the bounds of a setting; where it is not, the message names option and bounds."""

    name = "n"  # N, where help names the value

    def __init__(self, setting: Setting) -> None:
        self.setting = setting

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | float:
        number: int | float
        setting = self.setting
        try:
            number = int(value) if setting.kind == "whole number" else float(value)
        except (ValueError, OverflowError):  # also for thousands of digits
            self.fail(f"expected {setting.expected}, found {quoted(str(value), 30)}", param, ctx)
        if not setting.within(number):
            self.fail(f"expected {setting.expected}, found {number_text(number)}", param, ctx)
        return number


class NewFolder(click.Path):
    """A folder to be made; its name can be shown on one line."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not str(value):
            self.fail("expected a folder, found an empty text", param, ctx)
        if not str(value).isprintable():
            self.fail(f"expected one line of printable text, found {quoted(str(value))}", param, ctx)
        return super().convert(value, param, ctx)


def as_set(settings: type[Any], name: str) -> Number:
    """A number with the bounds of a setting of a class of settings."""
    return Number(settings_of(settings)[name])


def whole(least: int, most: int = MANY) -> Number:
    """A whole number for an option that is no setting."""
    return Number(Setting("whole number", "", least=least, most=most))


def real(least: float, most: float) -> Number:
    """A number for an option that is no setting."""
    return Number(Setting("number", "", least=least, most=most))


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


def complete_bots(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Bots by name, and files."""
    files = [*Path("bots").glob("*.py"), *data_folder("bots").glob("*.py")]
    return _completed((path.stem for path in files if not path.name.startswith("_")), incomplete, "file")


def complete_rules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Rule sets by name."""
    return [CompletionItem(n) for n in [*SHORT_NAMES, *preset_names()] if n.startswith(incomplete)]


def complete_runs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Runs and comparisons in results/ by name, `latest`, and folders."""
    names = (path.relative_to("results").parts[0] for path in Path("results").glob("**/games.sqlite"))
    return _completed(["latest", *names], incomplete, "dir")


def complete_configs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Tournaments that come with the program, and files."""
    return _completed((path.stem for path in data_folder("configs").glob("*.toml")), incomplete, "file")


def complete_leagues(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Leagues in leagues/ by name, and folders."""
    return _completed((path.parent.name for path in Path("leagues").glob("*/league.sqlite")), incomplete, "dir")


def _completed(names: Iterable[str], incomplete: str, type_: str) -> list[CompletionItem]:
    """Names that start with what was typed, sorted, and a path."""
    items = [CompletionItem(name) for name in sorted(set(names)) if name.startswith(incomplete)]
    return [*items, CompletionItem(incomplete, type=type_)]


GAMES, SEED, WORKERS = (as_set(TournamentConfig, name) for name in ("games", "seed", "workers"))
MOVE_MS, BANK_MS = as_set(Clock, "move_ms"), as_set(Clock, "bank_ms")
DEAL = whole(0, (1 << DEAL_BITS) - 1)
ISOLATION = click.Choice(ISOLATIONS)
PRIOR, ERROR = real(0, 1_000_000), Number(Setting("number", "", above=0, most=10_000))


def gathered(
    kind: type[Any], name: str, *options: Decorator
) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Add options to a command, whose parameter `name` gets their values together, as the dataclass `kind`."""
    keys = {field.name for field in fields(kind)}

    def decorate(command: Callable[..., Result]) -> Callable[..., Result]:
        @functools.wraps(command)
        def call(**values: Any) -> Result:
            own = {key: values.pop(key) for key in keys & values.keys()}
            return command(**{name: kind(**own)}, **values)

        with_options: Callable[..., Result] = call
        for option in reversed(options):
            with_options = option(with_options)
        return with_options

    return decorate


# ---------------------------------------------------------------- playing


@dataclass(frozen=True)
class PlayOptions:
    """What the options of a command that plays games say; None for an option that was not given.

    Each command has some of these options. `rating_of` are the bots named by `--bot`.
    """

    games: int | None = None
    rules: str | None = None
    seed: int | None = None
    own_deals: bool | None = None
    move_ms: int | None = None
    bank_ms: int | None = None
    error: float | None = None
    rating_of: tuple[str, ...] = ()
    workers: int | None = None
    executor: str | None = None
    scheduler: str | None = None
    isolation: str | None = None
    out: Path | None = None
    as_json: bool = False
    strict: bool = False


rules = click.option("--rules", metavar="R", shell_complete=complete_rules, help="Rule set, such as base or tactical.")
seed = click.option("--seed", type=SEED, metavar="S", help="If omitted, a seed is chosen and printed.")
games = click.option("--games", type=GAMES, metavar="N", help="Games per pairing.")
own_deals = click.option(
    "--own-deals",
    is_flag=True,
    default=None,
    help="Give every pairing its own deals, for bots that might remember cards.",
)
CLOCK_OPTIONS = (
    click.option("--move-ms", type=MOVE_MS, metavar="MS", help="Time per decision, in milliseconds."),
    click.option("--bank-ms", type=BANK_MS, metavar="MS", help="Extra time per game, in milliseconds."),
)
UNTIL_ERROR = (
    click.option(
        "--error",
        type=ERROR,
        metavar="E",
        help="Keep playing until every rating's 95% error is at most E Elo (or --games is reached; default: 100000).",
    ),
    click.option(
        "--bot",
        "rating_of",
        multiple=True,
        metavar="BOT",
        help="With --error: only this bot's rating; may be repeated.",
    ),
)
workers = click.option("--workers", type=WORKERS, metavar="W", help="Worker processes (default: one per core).")
EXECUTOR_OPTIONS = (
    click.option("--executor", metavar="NAME", help="local (default), or dask for a Dask cluster."),
    click.option("--scheduler", metavar="ADDRESS", help="Scheduler of a Dask cluster, such as tcp://HOST:8786."),
)
isolation = click.option(
    "--isolation",
    type=ISOLATION,
    help="Where bots run: none (default), in the workers, with your rights; sandbox, for bots you do not trust.",
)
out_folder = click.option(
    "-o", "--out", type=NewFolder(), metavar="DIR", help="Where to store the run (default: results/NAME)."
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
strict = click.option("--strict", is_flag=True, help="Exit with code 1 if a bot lost a game by forfeit.")
trust = click.option("--trust", is_flag=True, help="Run bots from a folder you did not create.")
isolation_of_play = click.option(
    "--isolation", type=ISOLATION, help="Where bots run, instead of what the league's settings say."
)

WIDE, QUIET, VERBOSE = "arena.wide", "arena.quiet", "arena.verbose"


def _noted(key: str, *names: str, help: str) -> Decorator:
    """A flag that is kept in the context of the command, for the code that prints."""

    def note(ctx: click.Context, param: click.Parameter, given: bool) -> None:
        ctx.meta[key] = given

    return click.option(*names, is_flag=True, expose_value=False, callback=note, help=help)


wide = _noted(WIDE, "--wide", help="Show all columns, even if the table is wider than the terminal.")
quiet = _noted(QUIET, "-q", "--quiet", help="Show no progress.")
verbose = _noted(VERBOSE, "-v", "--verbose", help="Show progress as plain lines, with the log.")

WHAT_TO_PLAY = (games, rules, seed, *CLOCK_OPTIONS)
HOW_TO_PLAY = (workers, *EXECUTOR_OPTIONS)
WHAT_TO_SHOW = (as_json, strict, wide, quiet, verbose)


def play_options(*options: Decorator) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Add options to a command, which gets their values as `options: PlayOptions`."""
    return gathered(PlayOptions, "options", *options)


def clock(command: Callable[..., Result]) -> Callable[..., Result]:
    """Add `--move-ms` and `--bank-ms` to a command."""
    for option in reversed(CLOCK_OPTIONS):
        command = option(command)
    return command


def where_to_play(command: Callable[..., Result]) -> Callable[..., Result]:
    """Add `--executor` and `--scheduler` to a command; see `executor_of`."""
    for option in reversed(EXECUTOR_OPTIONS):
        command = option(command)
    return command


def executor_of(executor: str | None, scheduler: str | None) -> tuple[str, str | None]:
    """The name of the executor and the address of its scheduler; a scheduler alone means dask."""
    name = executor or ("dask" if scheduler else "local")
    if name not in EXECUTORS:
        raise click.UsageError(f"unknown executor '{name}'; there are {' and '.join(EXECUTORS)}")
    if scheduler and name != "dask":
        raise click.UsageError(f"--scheduler belongs to --executor dask, not to {name}")
    return name, scheduler


# ---------------------------------------------------------------- looking

prior = click.option("--prior", type=PRIOR, metavar="N", help="Virtual draws per bot in the ratings (default: 2).")


def chosen_games(command: Callable[..., Result]) -> Callable[..., Result]:
    """Options that choose among stored games; the command is given a `GameFilter` as `wanted`."""

    @click.option("--bot", metavar="BOT", help="Only games of this bot.")
    @click.option("--against", metavar="BOT", help="With --bot: only its games against this one.")
    @click.option("--won", is_flag=True, help="With --bot: only games it won.")
    @click.option("--lost", is_flag=True, help="With --bot: only games it lost.")
    @click.option("--drawn", is_flag=True, help="With --bot: only games it drew.")
    @click.option("--forfeits", is_flag=True, help="Only games decided by a forfeit.")
    @click.option("--deal", type=DEAL, metavar="N", help="Only games on this deal.")
    @functools.wraps(command)
    def with_filter(
        bot: str | None,
        against: str | None,
        won: bool,
        lost: bool,
        drawn: bool,
        forfeits: bool,
        deal: int | None,
        **given: Any,
    ) -> Result:
        from arena.results.sources import GameFilter

        scores = {"--won": won, "--lost": lost, "--drawn": drawn}
        asked = [option for option, wanted in scores.items() if wanted]
        if len(asked) > 1:
            raise click.UsageError(f"{' and '.join(asked)} were given together; choose one")
        needing = [*asked, *(["--against"] if against is not None else [])]
        if bot is None and needing:
            raise click.UsageError(f"{needing[0]} is about one bot; name it with --bot")
        score = {"--won": 1.0, "--lost": 0.0, "--drawn": 0.5}[asked[0]] if asked else None
        return command(wanted=GameFilter(bot, against, score, forfeits, deal), **given)

    return with_filter
