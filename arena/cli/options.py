"""Options that several commands share, and the completion of names in a shell."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from arena.bots.isolation.levels import ISOLATIONS
from arena.settings import Kind, Setting, number_text, settings_of
from arena.text import quoted
from arena.tournament.match.tasks import DEAL_BITS

Command = TypeVar("Command", bound=Callable[..., Any])
Result = TypeVar("Result")
MANY = 10**9
"""The most of anything that is counted."""
TOURNAMENT, CLOCK = "arena.tournament.config.tournament:TournamentConfig", "arena.tournament.config.tournament:Clock"


class Number(click.ParamType[int | float]):
    """A number within the bounds of a setting; where it is not, the message names option and bounds."""

    name = "n"  # N, where help names the value

    def __init__(self, find: Callable[[], Setting]) -> None:
        self._find = find  # called when it is needed, so that help imports nothing heavy

    @property
    def setting(self) -> Setting:
        return self._find()

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


def as_set(place: str, name: str) -> Number:
    """A number with the bounds of a setting of the class at `place`, such as `arena.bots.processes.limits:Limits`."""

    def find() -> Setting:
        module, _, of = place.partition(":")
        return settings_of(getattr(importlib.import_module(module), of))[name]

    return Number(find)


def _number(kind: Kind, **bounds: Any) -> Number:
    setting = Setting(kind, "", **bounds)
    return Number(lambda: setting)


def whole(least: int, most: int = MANY) -> Number:
    """A whole number for an option that is no setting."""
    return _number("whole number", least=least, most=most)


def real(least: float, most: float) -> Number:
    """A number for an option that is no setting."""
    return _number("number", least=least, most=most)


def complete_bots(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Bots by name, and files."""
    from arena.paths import data_folder

    files = [*Path("bots").glob("*.py"), *data_folder("bots").glob("*.py")]
    return _completed((path.stem for path in files if not path.name.startswith("_")), incomplete, "file")


def complete_rules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Rule sets by name."""
    from arena.game.rules import SHORT_NAMES, preset_names

    return [CompletionItem(n) for n in [*SHORT_NAMES, *preset_names()] if n.startswith(incomplete)]


def complete_runs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Runs and comparisons in results/ by name, `latest`, and folders."""
    found = (path.relative_to("results").parts[0] for path in Path("results").glob("**/games.sqlite"))
    return _completed(["latest", *found], incomplete, "dir")


def complete_configs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Tournaments that come with the program, and files."""
    from arena.paths import data_folder

    return _completed((path.stem for path in data_folder("configs").glob("*.toml")), incomplete, "file")


def complete_leagues(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Leagues in leagues/ by name, and folders."""
    return _completed((path.parent.name for path in Path("leagues").glob("*/league.sqlite")), incomplete, "dir")


def _completed(names: Iterable[str], incomplete: str, type_: str) -> list[CompletionItem]:
    """The names that begin so, sorted, and the paths."""
    found = [CompletionItem(name) for name in sorted(set(names)) if name.startswith(incomplete)]
    return [*found, CompletionItem(incomplete, type=type_)]


GAMES, SEED, WORKERS = (as_set(TOURNAMENT, name) for name in ("games", "seed", "workers"))
MOVE_MS, BANK_MS = as_set(CLOCK, "move_ms"), as_set(CLOCK, "bank_ms")
DEAL = whole(0, (1 << DEAL_BITS) - 1)
ISOLATION = click.Choice(ISOLATIONS)
PRIOR, ERROR = real(0, 1_000_000), _number("number", above=0, most=10_000)

own_deals = click.option(
    "--own-deals",
    is_flag=True,
    default=None,
    help="Give every pairing its own deals, for bots that might remember cards.",
)
workers = click.option("--workers", type=WORKERS, metavar="W", help="Default: one per core.")
trust = click.option("--trust", is_flag=True, help="Run the bots of a folder that somebody else has written.")
isolation_of_play = click.option(
    "--isolation",
    type=ISOLATION,
    help="Where bots run, instead of what the league says. none: in the workers, with your rights.",
)


WIDE, QUIET, VERBOSE = "arena.wide", "arena.quiet", "arena.verbose"
"""Where the context of a command holds whether `--wide`, `--quiet` or `--verbose` was given."""


def _noted(key: str, *names: str, help: str) -> Callable[[Command], Command]:
    """A flag that is left in the context, for what prints."""

    def note(ctx: click.Context, param: click.Parameter, given: bool) -> None:
        ctx.meta[key] = given

    return click.option(*names, is_flag=True, expose_value=False, callback=note, help=help)


wide = _noted(WIDE, "--wide", help="Show all columns of tables, also where they do not fit the terminal.")
quiet = _noted(QUIET, "-q", "--quiet", help="Show nothing while the games are played.")
verbose = _noted(VERBOSE, "-v", "--verbose", help="Show plain lines and the log meanwhile, instead of a table.")


def what_to_play(command: Command) -> Command:
    """Options that determine the games; whoever reads the settings checks the numbers."""
    return _with(
        command,
        click.option("--games", type=GAMES, metavar="N", help="Games per pairing."),
        click.option("--rules", metavar="R", shell_complete=complete_rules, help="Rule set, such as base or tactical."),
        click.option("--seed", type=SEED, metavar="S", help="Default: drawn at random, and shown."),
        click.option("--move-ms", type=MOVE_MS, metavar="MS", help="Time for each decision, in milliseconds."),
        click.option("--bank-ms", type=BANK_MS, metavar="MS", help="Extra time for the whole game, in milliseconds."),
    )


def until_error(command: Command) -> Command:
    """Play on until the errors are small."""
    return _with(
        command,
        click.option(
            "--error",
            type=ERROR,
            metavar="E",
            help="Play until every 95 % error is at most E Elo, or until --games N.  [default: 100,000]",
        ),
        click.option(
            "--bot", "errors_of", multiple=True, metavar="NAME", help="With --error: of this bot only; may be repeated."
        ),
    )


def where_to_play(command: Command) -> Command:
    """Options for the executor; see `executor_of`."""
    return _with(
        command,
        click.option("--executor", metavar="NAME", help="local (default), or dask for a Dask cluster."),
        click.option("--scheduler", metavar="ADDRESS", help="Scheduler of a Dask cluster, such as tcp://HOST:8786."),
    )


def executor_of(executor: str | None, scheduler: str | None) -> tuple[str, str | None]:
    """The executor's name and the scheduler, as given; a scheduler alone means dask."""
    from arena.tournament.config.tournament import EXECUTORS

    name = executor or ("dask" if scheduler else "local")
    if name not in EXECUTORS:
        raise click.UsageError(f"unknown executor '{name}'; there are {' and '.join(EXECUTORS)}")
    if scheduler and name != "dask":
        raise click.UsageError(f"--scheduler belongs to --executor dask, not to {name}")
    return name, scheduler


def how_to_play(command: Command) -> Command:
    """Options that do not change the results."""
    return workers(where_to_play(command))


def what_to_show(command: Command) -> Command:
    """Options for the output."""
    return _with(
        command,
        click.option("--json", "as_json", is_flag=True, help="Print the standings as JSON."),
        click.option("--strict", is_flag=True, help="Exit with code 1 if a bot lost a game by forfeit."),
        wide,
        quiet,
        verbose,
    )


def where(command: Command) -> Command:
    """The folder of results, and the isolation of bots."""
    return _with(
        command,
        click.option("--out", type=NewFolder(), metavar="DIR", help="Default: results/NAME."),
        click.option(
            "--isolation",
            type=ISOLATION,
            help="Where bots run. none (default): in the workers, with your rights; sandbox: for bots of strangers.",
        ),
    )


def chosen_games(command: Callable[..., Result]) -> Callable[..., Result]:
    """Options that choose among stored games; the command is given a `GameFilter` as `wanted`."""

    @click.option("--bot", metavar="BOT", help="Only games of this bot.")
    @click.option("--against", metavar="BOT", help="Only its games against this one.")
    @click.option("--won", is_flag=True, help="Only games that --bot won.")
    @click.option("--lost", is_flag=True, help="Only games that --bot lost.")
    @click.option("--drawn", is_flag=True, help="Only games that --bot drew.")
    @click.option("--forfeits", is_flag=True, help="Only games that were decided by a forfeit.")
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
        from arena.results.reading.game import GameFilter

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


def _with(command: Command, *decorators: Callable[[Command], Command]) -> Command:
    for decorate in reversed(decorators):
        command = decorate(command)
    return command
