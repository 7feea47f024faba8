"""Writing a report: the options that choose its format and its CSV folder."""

from __future__ import annotations

import functools
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from arena.cli.options import WIDE, wide
from arena.results.formats import FORMATS, write
from arena.results.whole_file import write_whole
from arena.text import one_line

if TYPE_CHECKING:
    from arena.results.table import Report

Result = TypeVar("Result")

csv_folder = click.option(
    "--csv", "to", type=click.Path(path_type=Path), metavar="DIR", help="Also write all tables as CSV files to DIR."
)


def shown(report: Report, form: str) -> str:
    """A report as text; on a terminal its tables are as wide as that, without `--wide`."""
    narrow = sys.stdout.isatty() and not click.get_current_context().meta.get(WIDE)
    return write(report, form, shutil.get_terminal_size().columns if narrow else None)


def output(command: Callable[..., Result]) -> Callable[..., Result]:
    """`--format`, and `--json` as a shortcut for one of them; the command is given the chosen one as `form`."""

    @click.option("--format", "format_", type=click.Choice(tuple(FORMATS)), default=None, help="Default: table.")
    @click.option("--json", "json_form", is_flag=True, help="The same as --format json.")
    @wide
    @functools.wraps(command)
    def with_form(format_: str | None, json_form: bool, **given: Any) -> Result:
        if json_form and format_ not in (None, "json"):
            raise click.UsageError(f"--json and --format {format_} were both given; choose one")
        return command(form="json" if json_form else format_ or "table", **given)

    return with_form


@contextmanager
def counting(length: int | None, label: str) -> Iterator[Callable[[], object]]:
    """A bar on stderr, if that is a terminal and the `length` is known; what is given is called at each step."""
    if length is None or not sys.stderr.isatty():
        yield lambda: None
        return
    steps = max(length // 200, 1)
    with click.progressbar(length=length, label=label, file=sys.stderr, update_min_steps=steps) as bar:
        yield lambda: bar.update(1)


def print_report(report: Report, form: str, to: Path | None = None) -> None:
    """Print a report, and write its tables to the folder `to`, whose paths go to stderr."""
    click.echo(shown(report, form), nl=False)
    if to is not None:
        from arena.results.export import write_csv  # scipy, which a replay need not wait for

        for path in write_csv(report, to):
            click.echo(path, err=True)


def write_page(page: str, to: Path) -> None:
    """Write a page whole or not at all, and say where; `-` is stdout."""
    if str(to) == "-":
        click.echo(page, nl=False)
        return
    click.echo(f"Written to {one_line(str(write_whole(to, [page])))}", err=True)
