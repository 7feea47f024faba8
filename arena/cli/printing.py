"""What commands print: reports, JSON, pages, progress bars; and which options were typed."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from arena.cli.group import NOTES
from arena.results.formats import PRINT_WIDE, write_report
from arena.results.table import Report, Table, write_tables
from arena.text import counted, one_line
from arena.tournament.forfeits import ForfeitSummary
from arena.whole_file import write_whole

FORFEITED = 1


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


def echo_json(about: Mapping[str, Any], *tables: Table) -> None:
    """Print JSON of what is shown in another way."""
    print_report(Report("", tables, about=about), "json")


def report_text(report: Report, form: str, wide: str = PRINT_WIDE) -> str:
    """Return a report as text. A table has few columns and fits the terminal (or COLUMNS); `wide` shows the others."""
    if form == "json":
        report = replace(report, remarks=[*report.remarks, *click.get_current_context().meta.get(NOTES, ())])
    narrow = sys.stdout.isatty() or "COLUMNS" in os.environ
    return write_report(report, form, shutil.get_terminal_size().columns if narrow else None, brief=True, wide=wide)


def print_report(report: Report, form: str, to: Path | None = None, wide: str = PRINT_WIDE) -> None:
    """Print a report as `report_text`; with `to`, also write its tables to that folder and their paths to stderr."""
    click.echo(report_text(report, form, wide), nl=False)
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


def write_page(page: str, to: Path, opened: bool) -> None:
    """Write a page atomically and print its path on stderr; `-` means stdout. Open it if `opened`."""
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
