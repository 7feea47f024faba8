"""Commands that are declared apart from their functions, which are imported when they run.

Help and completion must be fast, so a declaration (`arena.cli.commands`, `arena.cli.league`) needs nothing heavy: no
numpy, no store, no engine.
"""

from __future__ import annotations

import errno
import importlib
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from arena.compiled import compiled_files
from arena.errors import ArenaError, BotWarning, did_you_mean
from arena.paths import PACKAGE
from arena.text import one_line, printable, quoted

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

WRONG_USE = 2
INTERRUPTED = 130
BROKEN_PIPE = 141
_OPEN_FILES = 10_240  # for hundreds of workers; macOS allows no more
_SHARED = "/dev/shm"  # where multiprocessing has its memory on Linux
_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG)


def _require_resources() -> None:
    """Refuse to play if workers cannot share memory. Allow many open files: a shell's default is few."""
    if os.path.isdir(_SHARED) and not os.access(_SHARED, os.W_OK):
        raise Failure(f"{_SHARED} cannot be written, but workers share memory there; mount it so that it can be")
    if resource is not None:
        allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(allowed, min(most, _OPEN_FILES)), most))


def _warn_if_uncompiled() -> None:
    """Warn on stderr if the engine runs uncompiled."""
    if not compiled_files(PACKAGE) and not os.environ.get("ARENA_PURE"):
        click.echo(
            "The engine is not compiled: it runs about 50 times slower, without nets and search; "
            "'arena doctor' says what to do.",
            err=True,
        )


NOTES = "arena.notes"
"""The key in a context's `meta` of what was said about the names of bots, for JSON (`printing.report_text`)."""


@contextmanager
def _bot_names_noted(ctx: click.Context) -> Iterator[None]:
    """Say on stderr, once for each bare name of a bot, that a file here also has it, whichever command looks it up."""
    notes: list[str] = ctx.meta.setdefault(NOTES, [])
    show_others = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *args: Any, **named: Any) -> None:
        note = one_line(str(message))
        if category is not BotWarning:
            show_others(message, category, *args, **named)
        elif note not in notes:
            notes.append(note)
            click.echo(f"Note: {note}.", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", BotWarning)
        warnings.showwarning = show
        yield


class Failure(click.ClickException):
    """A user error: shown without a traceback, exit code 2."""

    exit_code = WRONG_USE


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
_GATHERED = "__gathered__"


def with_options(*options: Decorator) -> Decorator:
    """Add options to a command, in this order."""

    def decorate(declared: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            declared = option(declared)
        return declared

    return decorate


def _added(declared: Callable[..., Any], options: Sequence[Decorator]) -> list[Any]:
    """Add options to a command and return their parameters, as click keeps them."""
    params: list[Any] = vars(declared).setdefault("__click_params__", [])
    before = len(params)
    with_options(*options)(declared)
    return params[before:]


def under(heading: str, *options: Decorator) -> Decorator:
    """Add options to a command, under a heading in its help."""

    def decorate(declared: Callable[..., Any]) -> Callable[..., Any]:
        for param in _added(declared, options):
            param.heading = heading
        return declared

    return decorate


def gathered(kind: str, name: str, *options: Decorator) -> Decorator:
    """Add options whose values the command gets as one value, the parameter `name`: a `kind` (`module:class`)."""

    def decorate(declared: Callable[..., Any]) -> Callable[..., Any]:
        keys = {param.name for param in _added(declared, options)}
        vars(declared).setdefault(_GATHERED, []).append((kind, name, keys))
        return declared

    return decorate


def named(target: str) -> Any:
    """Import what `module:name` says."""
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)


class Deferred(click.Command):
    """A command whose function is imported when it runs: `target`, as `module:function`.

    The `extra` names the optional dependencies that the module imports, "" for none. `plays`: it plays games.
    """

    target = extra = ""
    plays = False
    gathered: Sequence[tuple[str, str, set[str]]] = ()

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for param in self.get_params(ctx):
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)) is not None:
                sections.setdefault(getattr(param, "heading", "Options"), []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)

    def invoke(self, ctx: click.Context) -> Any:
        """Import the function and call it."""
        try:
            function = named(self.target)
        except ModuleNotFoundError as error:
            if not self.extra:
                raise
            raise Failure(
                f"'{ctx.command_path}' needs {error.name}, which is not installed:"
                f" pip install 'schotten-arena[{self.extra}]'"
            ) from None
        values = dict(ctx.params)
        for kind, name, keys in self.gathered:
            values[name] = named(kind)(**{key: values.pop(key) for key in keys & values.keys()})
        return ctx.invoke(function, **values)


class CommandGroup(click.Group):
    """A group of commands, listed under headings in the order in which they were declared."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.headings: dict[str, list[str]] = {}

    def declare(
        self, name: str, heading: str, summary: str, module: str, extra: str = "", plays: bool = False
    ) -> Decorator:
        """Declare the command that `NAME_command` in `module` carries out; the docstring is its help."""

        def decorate(declared: Callable[..., Any]) -> Callable[..., Any]:
            made = click.command(name, cls=Deferred, short_help=summary)(declared)
            made.target, made.extra, made.plays = f"{module}:{name}_command", extra, plays
            made.gathered = vars(declared).get(_GATHERED, ())
            self.add(made, heading)
            return declared

        return decorate

    def add(self, command: click.Command, heading: str) -> None:
        """Add a command, or a group of commands, under a heading."""
        self.add_command(command)
        self.headings.setdefault(heading, []).append(str(command.name))

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of the help."""
        return [name for names in self.headings.values() for name in names]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command to run. Refuses unknown names and, for commands that play, too few resources."""
        name = args[0]
        if name not in self.commands and not name.startswith("-"):
            near = did_you_mean(name, self.commands)
            raise click.UsageError(f"no command '{name}'{near} ('{ctx.command_path} --help' lists the commands)", ctx)
        if getattr(self.commands.get(name), "plays", False) and not {"-h", "--help"} & {*args}:
            _require_resources()
            _warn_if_uncompiled()
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings without blank lines, so that they fit on one screen."""
        formatter.write_paragraph()
        for heading, names in self.headings.items():
            formatter.write(f"{heading}:\n")
            with formatter.indentation():
                for name in names:
                    formatter.write_text(f"{name:<11} {self.commands[name].short_help}")

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; report invalid user input, and what the system refuses, without a traceback."""
        try:
            os.getcwd()
        except FileNotFoundError:
            raise Failure("the current folder has been deleted; change to another one") from None
        try:
            with _bot_names_noted(ctx):
                return super().invoke(ctx)
        except ArenaError as error:
            raise Failure(printable(str(error))) from error
        except OSError as error:
            if error.errno not in _REFUSED or error.filename is None:
                raise
            raise Failure(f"{quoted(str(error.filename))}: {error.strerror}") from error
