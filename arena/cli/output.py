"""The options that choose the format of tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from arena.report.formats import FORMATS

Command = TypeVar("Command", bound=Callable[..., Any])


def output(command: Command) -> Command:
    """`--format`, and `--json` as a shortcut for one of them."""
    as_json = click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
    format_ = click.option(
        "--format", "format_", type=click.Choice(tuple(FORMATS)), default=None, help="Default: table."
    )
    return format_(as_json(command))


def chosen(format_: str | None, as_json: bool) -> str:
    """The chosen format. UsageError if two were given."""
    if as_json and format_ not in (None, "json"):
        raise click.UsageError(f"--json and --format {format_} were both given; choose one")
    return "json" if as_json else format_ or "table"
