"""A group of commands that are imported on demand.

`arena --help` must be fast, so the names and help lines of all commands are data, and nothing heavy (numpy, pandas, the
engine) is imported before a command needs it.
"""

from __future__ import annotations

import errno
import importlib
import os
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TextIO

import click
from click.shell_completion import CompletionItem

from arena.compiled import compiled_files
from arena.errors import ArenaError, BotWarning, did_you_mean
from arena.paths import PACKAGE
from arena.text import counted, one_line, printable, quoted

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

WRONG_USE = 2
INTERRUPTED = 130
BROKEN_PIPE = 141
_SHARED = "/dev/shm"  # where multiprocessing has its memory on Linux
_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG)


class Entry(NamedTuple):
    """A command: where it is defined (`module:function`), its help line, its heading in the list, and its extra.

    The extra names the optional dependencies that its module imports, "" for none. `plays`: it plays games.
    """

    target: str
    help: str
    heading: str
    extra: str = ""
    plays: bool = False


def _require_resources(command: str, args: Sequence[str]) -> None:
    """Refuse to play if workers cannot share memory, or if the limits (`ulimit`) are too low for them.

    A limit on open files that may be raised is raised.
    """
    if os.path.isdir(_SHARED) and not os.access(_SHARED, os.W_OK):
        raise Failure(f"{_SHARED} cannot be written, but workers share memory there; mount it so that it can be")
    if resource is None:
        return
    given = re.search(r"--workers[ =](\d{1,6})\b", " ".join(args))
    workers = int(given[1]) if given else 1 if command == "check" else os.cpu_count() or 1
    for limit, least, unit, name in (
        (resource.RLIMIT_NOFILE, 20 + 10 * workers, "open files", "-n"),
        (resource.RLIMIT_AS, (400 + 100 * workers) * 10**6, "bytes of memory", "-v"),
    ):
        allowed, most = resource.getrlimit(limit)
        if limit == resource.RLIMIT_NOFILE and allowed < least and (least <= most or most == resource.RLIM_INFINITY):
            resource.setrlimit(limit, (least, most))  # 1,024 is a shell's default, and nobody's decision
        elif allowed != resource.RLIM_INFINITY and allowed < least:
            few = "; --workers 1 needs less" if workers > 1 else ""
            playing = f"playing with {counted(workers, 'worker')}"
            raise Failure(
                f"{playing} needs {least:,} {unit}, but this process may have {allowed:,} (ulimit {name}){few}"
            )


def _warn_if_uncompiled() -> None:
    """Warn on stderr if the engine runs uncompiled."""
    if not compiled_files(PACKAGE) and not os.environ.get("ARENA_PURE"):
        click.echo(
            "The engine is not compiled: it runs about 50 times slower, without nets and search; "
            "'arena doctor' says what to do.",
            err=True,
        )


NOTES = "arena.notes"
"""The key in a context's `meta` of what was said about the names of bots, for JSON (`options.echo_json`)."""


@contextmanager
def _bot_names_noted(ctx: click.Context) -> Iterator[None]:
    """Say on stderr, once for each bare name of a bot, that a file here also has it, whichever command looks it up."""
    notes: list[str] = ctx.meta.setdefault(NOTES, [])
    show_others = warnings.showwarning

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        note = one_line(str(message))
        if category is not BotWarning:
            show_others(message, category, filename, lineno, file, line)
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


class LazyGroup(click.Group):
    """A group that imports each command on demand."""

    def __init__(self, *args: Any, entries: dict[str, Entry], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.entries = entries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of the help."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command and return it, None for an unknown name."""
        entry = self.entries.get(cmd_name)
        if entry is None:
            return None
        module, _, function = entry.target.partition(":")
        try:
            command = getattr(importlib.import_module(module), function)
        except ModuleNotFoundError as error:
            if not entry.extra:
                raise
            raise Failure(
                f"'{ctx.command_path} {cmd_name}' needs {error.name}, which is not installed:"
                f" pip install 'schotten-arena[{entry.extra}]'"
            ) from None
        assert isinstance(command, click.Command), f"{entry.target} is not a command"
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command to run. Refuses unknown names and, for commands that play, too few resources."""
        name = args[0]
        if name not in self.entries and not name.startswith("-"):
            near = did_you_mean(name, self.entries)
            raise click.UsageError(f"no command '{name}'{near} ('{ctx.command_path} --help' lists the commands)", ctx)
        if name in self.entries and self.entries[name].plays and not {"-h", "--help"} & {*args}:
            _require_resources(name, args)
            _warn_if_uncompiled()
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings without blank lines, so that they fit on one screen."""
        formatter.write_paragraph()
        for heading in dict.fromkeys(entry.heading for entry in self.entries.values()):
            formatter.write(f"{heading}:\n")
            with formatter.indentation():
                for name, entry in self.entries.items():
                    if entry.heading == heading:
                        formatter.write_text(f"{name:<11} {entry.help}")

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Complete the commands and the options of the group without importing the commands."""
        names = [name for name in self.entries if name.startswith(incomplete)]
        commands = [CompletionItem(name, help=self.entries[name].help) for name in names]
        # Group's own method would import every command
        return commands + click.Command.shell_complete(self, ctx, incomplete)

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
