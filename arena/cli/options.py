"""Options that several commands share, the completion of names in a shell, and the output of reports.

An option means the same in each command that has it.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from arena.bots.isolation.levels import ISOLATIONS
from arena.cli.group import NOTES
from arena.errors import ArenaError
from arena.game.rules import SHORT_NAMES, preset_names
from arena.paths import LATEST, data_folder, input_name, open_input
from arena.results.data_formats import json_text, write_tables
from arena.results.formats import REPORT_FORMATS, write_report
from arena.results.run_data import GameFilter
from arena.results.table import Report
from arena.settings import Setting, number_text, settings_of
from arena.stats import DEFAULT_PRIOR, LEAST_PRIOR, MOST_PRIOR
from arena.text import counted, one_line, quoted
from arena.tournament.config import Clock, TournamentConfig
from arena.tournament.forfeits import ForfeitSummary
from arena.tournament.games import DEAL_BITS
from arena.whole_file import write_whole

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
_MANY = 10**9
FORFEITED = 1


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


class PathOption(click.Path):
    """A path; one that is empty, or looks like an option, is a mistake."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path that was typed."""
        if not value or (str(value)[0] == "-" and not (value == "-" and self.allow_dash)):
            self.fail(f"expected a path, found {quoted(str(value))}", param, ctx)
        return super().convert(value, param, ctx)


PATH = PathOption(path_type=Path)
PATH_OR_STDOUT = PathOption(path_type=Path, allow_dash=True)


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
complete_configs = completer(_names_of_configs, "file")
complete_configs_and_runs = completer(lambda: [*_names_of_configs(), *_names_of_runs()], "file")
complete_leagues = completer(lambda: (path.parent.name for path in Path("leagues").glob("*/league.sqlite")), "dir")

# ---------------------------------------------------------------- options together


def with_options(*options: Decorator) -> Decorator:
    """Add options to a command, in this order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def gathered(kind: type[Any], name: str, *options: Decorator) -> Decorator:
    """Add options to a command and pass it their values as one dataclass `kind`, in the parameter `name`."""
    keys = {field.name for field in fields(kind)}

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def call(**values: Any) -> Any:
            own = {key: values.pop(key) for key in keys & values.keys()}
            return command(**{name: kind(**own)}, **values)

        return with_options(*options)(call)

    return decorate


# ---------------------------------------------------------------- playing

_CONFIG, _CLOCK = settings_of(TournamentConfig), settings_of(Clock)
_GAMES, SEED, WORKERS = Number(_CONFIG["games"]), Number(_CONFIG["seed"]), Number(_CONFIG["workers"])
_MOVE_MS, BANK_MS = Number(_CLOCK["move_ms"]), Number(_CLOCK["bank_ms"])
DEAL = whole_option(0, (1 << DEAL_BITS) - 1)
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
    own_deals: bool | None = None
    deals: list[str] | None = None
    move_ms: int | None = None
    bank_ms: int | None = None
    error: float | None = None
    rating_of: tuple[str, ...] = ()
    workers: int | None = None
    executor: str | None = None
    scheduler: str | None = None
    isolation: str | None = None
    out: Path | None = None
    dry_run: bool = False
    again: tuple[str, ...] = ()
    as_json: bool = False
    strict: bool = False


rules = click.option("--rules", metavar="R", shell_complete=complete_rules, help="Rule set, such as base (iello-base).")


def option_of(key: str) -> str:
    """Return the command-line option for a setting.

    >>> option_of("max_pairs")
    '--max-pairs'
    """
    return f"--{key.replace('_', '-')}"


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
seed = click.option("--seed", type=SEED, metavar="S", help="If omitted, a seed is chosen and printed.")
games = click.option("--games", type=_GAMES, metavar="N", help="Games per pairing.")
own_deals = click.option(
    "--own-deals/--shared-deals",
    default=None,
    help="Give every pairing its own deals (default in round robins and gauntlets), or all the same.",
)


def _read_deals(ctx: click.Context, param: click.Parameter, file: Path | None) -> list[str] | None:
    """Read a file with one deal per line; # begins a comment."""
    if file is None:
        return None
    name = f"--deals {input_name(file)}"
    try:
        lines = open_input(file).read().decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ArenaError(f"{name}: cannot be read ({error})") from None
    found = [deal for line in lines if (deal := line.partition("#")[0].strip())]
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
CLOCK = (
    click.option("--move-ms", type=_MOVE_MS, metavar="MS", help="Time per decision, in milliseconds."),
    click.option("--bank-ms", type=BANK_MS, metavar="MS", help="Extra time per game, in milliseconds."),
)
UNTIL_ERROR = (
    click.option(
        "--error",
        type=ERROR_TYPE,
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
EXECUTOR = (
    click.option("--executor", metavar="NAME", help="Where to play: local (default), or dask for a Dask cluster."),
    click.option("--scheduler", metavar="ADDRESS", help="Scheduler of a Dask cluster, such as tcp://HOST:8786."),
)
isolation = click.option(
    "--isolation",
    type=ISOLATION,
    help="Where bots run: none (default), in the workers, with your rights; sandbox, for bots you do not trust.",
)
isolation_of_league = click.option(
    "--isolation", type=ISOLATION, help="Where bots run, instead of what the league's settings say."
)


def _not_latest(ctx: click.Context, param: click.Parameter, folder: Path | None) -> Path | None:
    if folder is not None and folder.name == LATEST:
        raise click.BadParameter(f"'{LATEST}' means the run that was played last; choose another name", ctx, param)
    return folder


out_folder = click.option(
    "-o",
    "--out",
    type=PATH,
    callback=_not_latest,
    metavar="DIR",
    help="Where to store the run (default: results/NAME).",
)
UP_TO_DATE = (
    click.option("--dry-run", is_flag=True, help="Say what would be played and why, and stop."),
    click.option("--again", multiple=True, metavar="BOT", help="Play this bot's games again; may be repeated."),
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
strict = click.option("--strict", is_flag=True, help="Exit with code 1 if a bot lost a game by forfeit.")
trust = click.option("--trust", is_flag=True, help="Run bots from a folder you did not create.")

_WIDE, QUIET, VERBOSE = "arena.wide", "arena.quiet", "arena.verbose"


def _noted(key: str, *names: str, help: str) -> Decorator:
    """Return a flag that is kept in the context of the command, for the code that prints."""

    def note(ctx: click.Context, param: click.Parameter, given: bool) -> None:
        ctx.meta[key] = given

    return click.option(*names, is_flag=True, expose_value=False, callback=note, help=help)


wide = _noted(_WIDE, "--wide", help="Show all columns and tables, however wide.")
quiet = _noted(QUIET, "-q", "--quiet", help="Show no progress.")
verbose = _noted(VERBOSE, "-v", "--verbose", help="Show progress as plain lines, with the log.")

WHAT_TO_PLAY = (games, rules, seed, *CLOCK)
HOW_TO_PLAY = (workers, *EXECUTOR)
WHAT_TO_SHOW = (as_json, strict, wide, quiet, verbose)


def play_options(*options: Decorator) -> Decorator:
    """Add options to a command and pass it their values as `options: PlayOptions`."""
    return gathered(PlayOptions, "options", *options)


# ---------------------------------------------------------------- looking


def given_options(*names: str) -> list[str]:
    """Return the options that were typed, of those with these parameters' names."""
    ctx = click.get_current_context()
    found = []
    for name in names:
        if ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            options = [param for param in ctx.command.params if param.name == name]  # --won, --lost: one parameter
            flags = [param for param in options if getattr(param, "flag_value", None) == ctx.params.get(name)]
            found.append(max((flags or options)[0].opts, key=len))
    return found


def refuse_options(reason: str, *names: str) -> None:
    """Refuse options that do not apply here, if they were typed: UsageError, which names the first of them."""
    for option in given_options(*names):
        raise click.UsageError(f"{option} {reason}")


prior = click.option(
    "--prior",
    type=PRIOR,
    metavar="N",
    help=f"Virtual draws per bot in the ratings (default: {DEFAULT_PRIOR:g}, or as a league has it).",
)
chosen_bots = with_options(
    click.option("--without", multiple=True, metavar="BOT", help="Leave out all games of this bot; may be repeated."),
    click.option("--only", multiple=True, metavar="A,B", help="Only games in which two of these bots meet."),
)
"""Options that leave out bots and their games; the command gets the texts as `without` and `only`."""

chosen_games = gathered(
    GameFilter,
    "wanted",
    click.option("--bot", metavar="BOT", help="Only games of this bot."),
    click.option("--against", metavar="BOT", help="With --bot: only its games against this one."),
    click.option("--won", "score", flag_value=1.0, type=float, help="With --bot: only games it won."),
    click.option("--lost", "score", flag_value=0.0, type=float, help="With --bot: only games it lost."),
    click.option("--drawn", "score", flag_value=0.5, type=float, help="With --bot: only games it drew."),
    click.option("--forfeits", is_flag=True, help="Only games decided by a forfeit."),
    click.option("--deal", type=DEAL, metavar="N", help="Only games on this deal."),
)
"""Options that choose among stored games; the command gets a `GameFilter` as `wanted`."""

# ---------------------------------------------------------------- output

csv_folder = click.option("--csv", "to", type=PATH, metavar="DIR", help="Also write all tables as CSV files to DIR.")


output = with_options(
    click.option(
        "--print", "form", type=click.Choice(tuple(REPORT_FORMATS)), default="table", help="Print as (default: table)."
    ),
    click.option("--json", "form", flag_value="json", help="The same as --print json."),
    wide,
)
"""Options for the format of a report; the command gets it as `form`."""


def echo_json(values: Mapping[str, Any]) -> None:
    """Print JSON, with what was said about the names of bots in its `notes`."""
    said = click.get_current_context().meta.get(NOTES)
    click.echo(json_text({**values, "notes": [*values.get("notes", ()), *said]} if said else values), nl=False)


def report_text(report: Report, form: str) -> str:
    """Return a report as text. Without `--wide`, tables have few columns and fit the terminal (or COLUMNS)."""
    if form == "json":
        report = replace(report, remarks=[*report.remarks, *click.get_current_context().meta.get(NOTES, ())])
    if click.get_current_context().meta.get(_WIDE):
        return write_report(report, form)
    narrow = sys.stdout.isatty() or "COLUMNS" in os.environ
    return write_report(report, form, shutil.get_terminal_size().columns if narrow else None, brief=True)


def print_report(report: Report, form: str, to: Path | None = None) -> None:
    """Print a report; with `to`, also write its tables to that folder and their paths to stderr."""
    click.echo(report_text(report, form), nl=False)
    if to is not None:
        for path in write_tables(report, to):
            click.echo(path, err=True)


def forfeit_code(summaries: Collection[ForfeitSummary], strict: bool = False) -> int:
    """Return the exit code for games that were forfeited, and say on stderr why it is not 0.

    It is 1 if a bot forfeited every game of a run, if every game was forfeited, or with `strict` if any was.
    """
    if failing := list(dict.fromkeys(bot for forfeits in summaries for bot in forfeits.always)):
        click.echo(f"{one_line(' and '.join(failing))} forfeited every game.", err=True)
        return FORFEITED
    if any(forfeits.is_all for forfeits in summaries):
        click.echo("Every game was forfeited.", err=True)
        return FORFEITED
    if strict and (lost := sum(sum(forfeits.lost.values()) for forfeits in summaries)):
        click.echo(f"{counted(lost, 'game')} {'was' if lost == 1 else 'were'} lost by forfeit (--strict).", err=True)
        return FORFEITED
    return 0


opened = click.option("--open", "opened", is_flag=True, help="Open the page in the browser as well.")


def write_page(page: str, to: Path, opened: bool) -> None:
    """Write a page whole or not at all and print its path on stderr; `-` means stdout. Open it if `opened`."""
    if str(to) == "-":
        if opened:
            raise click.UsageError("--open needs a file, not '-o -'")
        click.echo(page, nl=False)
        return
    click.echo(f"Written to {one_line(str(write_whole(to, [page])))}", err=True)
    if opened:
        click.launch(to.resolve().as_uri())


@contextmanager
def counting(length: int | None, label: str) -> Iterator[Callable[[], object]]:
    """Show a progress bar on stderr if it is a terminal and `length` is known; yield what to call at each step."""
    if length is None or not sys.stderr.isatty():
        yield lambda: None
        return
    steps = max(length // 200, 1)
    with click.progressbar(length=length, label=label, file=sys.stderr, update_min_steps=steps) as bar:
        yield lambda: bar.update(1)
