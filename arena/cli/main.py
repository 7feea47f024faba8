"""The command `arena`: a group whose commands are imported on demand.

`arena --help` must be fast, so the names and help lines of all commands are data here, and nothing heavy
(numpy, pandas, the engine) is imported before a command needs it.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import click

from arena.compiled import PACKAGE, compiled_files
from arena.errors import ArenaError, did_you_mean
from arena.text import counted, printable, quoted

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

WRONG_USE = 2
INTERRUPTED = 130
BROKEN_PIPE = 141


class Entry(NamedTuple):
    """A command: where it is defined (`module:function`), its help line, its heading in the list, and its extra.

    The extra names the optional dependencies that its module imports, "" for none.
    """

    target: str
    help: str
    heading: str
    extra: str = ""


PLAY, LOOK, LEAGUE, WRITE, GAME = "Play", "Look at results", "League", "Write bots", "The game"

COMMANDS: dict[str, Entry] = {
    "run": Entry("arena.cli.run:run", "Play the tournament described by a TOML file.", PLAY),
    "match": Entry("arena.cli.run:match", "Play two bots against each other.", PLAY),
    "tournament": Entry("arena.cli.run:tournament", "Play two or more bots, in any format.", PLAY),
    "compare": Entry("arena.cli.compare:compare", "Play the same deals under several rule sets.", PLAY),
    "sprt": Entry("arena.cli.run:sprt", "Play until it is clear whether a bot is stronger.", PLAY),
    "resume": Entry("arena.cli.resume:resume", "Resume an interrupted run, or extend a finished one.", PLAY),
    "play": Entry("arena.cli.play:play", "Play against a bot, or watch two bots play.", PLAY),
    "ladder": Entry("arena.cli.ladder:ladder", "Place a bot on the ladder of reference bots.", PLAY),
    "runs": Entry("arena.cli.runs:runs", "List the stored runs.", LOOK),
    "standings": Entry("arena.cli.standings:standings", "Show the table of a run; with --all, all statistics.", LOOK),
    "replay": Entry("arena.cli.replay:replay", "List, show, watch, judge or debug stored games.", LOOK),
    "report": Entry("arena.cli.export:report", "Write a run as one HTML page.", LOOK),
    "plot": Entry("arena.cli.export:plot", "Draw a figure of a run: SVG, PNG or PDF.", LOOK),
    "export": Entry("arena.cli.export:export", "Write tables, records or moves to files.", LOOK),
    "verify": Entry("arena.cli.runs:verify", "Check a run by replaying its games.", LOOK),
    "rate": Entry("arena.cli.standings:rate", "Rate the bots in any list of games.", LOOK),
    "league": Entry("arena.cli.league:league", "Create and run a standing league of submitted bots.", LEAGUE),
    "submit": Entry("arena.cli.league.submit:submit", "Submit a bot to a league.", LEAGUE),
    "serve": Entry("arena.cli.league.serve:serve", "Serve a league on the web.", LEAGUE, "web"),
    "new": Entry("arena.cli.new:new", "Write a new bot, or set up a folder to work in.", WRITE),
    "check": Entry("arena.cli.check:check", "Check a bot before you submit it.", WRITE),
    "tune": Entry("arena.cli.tune:tune", "Find good parameters for a bot.", WRITE),
    "config": Entry("arena.cli.new:config", "Print a configuration to start from.", WRITE),
    "doctor": Entry("arena.cli.doctor:doctor", "Check the installation.", WRITE),
    "rules": Entry("arena.cli.game:rules", "List, show and compare rule sets.", GAME),
    "explain": Entry("arena.cli.game:explain", "Say whether a stone can be claimed, and why.", GAME),
    "bench": Entry("arena.cli.bench:bench", "Measure the speed of the engine, or count moves (perft).", GAME),
}


FIRST = (
    ("rules --learn", "how the game is played"),
    ("play greedy", "play it against a bot"),
    ("run quick", "three bots play a tournament"),
    ("replay latest 1", "one of its games"),
    ("report latest", "its tables, figures and games as a page"),
    ("new mybot", "write a bot of your own"),
    ("match bots/mybot.py random", "how good is it?"),
    ("sprt bots/mybot.py greedy", "is it stronger? (at most 5% wrong verdicts)"),
    ("ladder bots/mybot.py", "where does it stand among reference bots?"),
    ("check bots/mybot.py", "is it fit for a league?"),
)
"""The commands to start with, and what each is for."""


PLAYING = {name for name, entry in COMMANDS.items() if entry.heading == PLAY}
PLAYING |= {"submit", "serve", "check", "tune", "league play", "league work"}
"""The commands that play games, as they are typed."""

# ---------------------------------------------------------------- the group


def _require_resources(command: str, args: Sequence[str]) -> None:
    """Refuse to play if the limits of this process (`ulimit`) are too low for the requested workers."""
    if resource is None:
        return
    given = re.search(r"--workers[ =](\d{1,6})\b", " ".join(args))
    workers = int(given[1]) if given else 1 if command == "check" else os.cpu_count() or 1
    for limit, least, unit, name in (
        (resource.RLIMIT_NOFILE, 20 + 10 * workers, "open files", "-n"),
        (resource.RLIMIT_AS, (400 + 100 * workers) * 10**6, "bytes of memory", "-v"),
    ):
        allowed = resource.getrlimit(limit)[0]
        if allowed != resource.RLIM_INFINITY and allowed < least:
            few = "; --workers 1 needs less" if workers > 1 else ""
            playing = f"playing with {counted(workers, 'worker')}"
            raise Failure(
                f"{playing} needs {least:,} {unit}, but this process may have {allowed:,} (ulimit {name}){few}"
            )


def _warn_if_uncompiled() -> None:
    """Warn on stderr if the engine runs uncompiled."""
    if not compiled_files(PACKAGE) and not os.environ.get("ARENA_PURE"):
        click.echo(
            "The engine is not compiled and runs about 50 times slower; 'arena doctor' says what to do.", err=True
        )


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
        command = " ".join([*ctx.command_path.split()[1:], name])  # such as "league play"
        if command in PLAYING and not {"-h", "--help"} & {*args}:
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
        from click.shell_completion import CompletionItem

        names = [name for name in self.entries if name.startswith(incomplete)]
        commands = [CompletionItem(name, help=self.entries[name].help) for name in names]
        # Group's own method would import every command
        return commands + click.Command.shell_complete(self, ctx, incomplete)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; report invalid user input without a traceback."""
        try:
            return super().invoke(ctx)
        except ArenaError as error:
            raise Failure(printable(str(error))) from error
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:
                raise
            raise Failure(f"the name is too long: {quoted(str(error.filename))}") from error


@click.group(
    cls=LazyGroup,
    entries=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    subcommand_metavar="COMMAND ...",
    options_metavar="",
    invoke_without_command=True,
    epilog="'arena COMMAND --help' explains a command; 'arena --version' shows the version. Exit codes: 0 success,"
    " 1 problems found, or a bot that forfeits every game, 2 usage error, 3 and 4 verdicts of sprt and tune, 130"
    " interrupted.",
)
@click.version_option(package_name="schotten-arena", prog_name="arena", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Bot tournaments and match statistics for the card game Schotten-Totten.

    'arena' alone shows the commands to begin with.
    """
    if ctx.invoked_subcommand is None:
        lines = [f"  arena {command:<27} {what}" for command, what in FIRST]
        text = "Bot tournaments for the card game Schotten-Totten. To begin with:"
        click.echo(
            "\n".join([text, "", *lines, "", "'arena --help' lists all commands, 'arena COMMAND --help' explains one."])
        )


def main(args: Sequence[str] | None = None) -> int:
    """Run a command line, by default the one of this process, and return its exit code."""
    # Matrices of a few thousand bots gain little from more threads, and lose much beside other programs. One thread
    # also keeps the last digits independent of the number of cores. Has no effect once numpy is loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # show paths that are not UTF-8, with escapes
            stream.reconfigure(errors="backslashreplace")
    try:
        result = cli.main(args=None if args is None else list(args), prog_name="arena", standalone_mode=False)
        if sys.stdout is not None:  # None if it was closed
            sys.stdout.flush()
    except click.ClickException as error:
        vars(error)["message"] = printable(error.message)  # it may quote terminal escapes that were typed
        _say(error.show)
        return WRONG_USE
    except (click.Abort, KeyboardInterrupt):
        _say(lambda: click.echo("Interrupted.", err=True))
        return INTERRUPTED
    except SystemExit:  # how click reports a closed pipe (arena ... | head)
        return BROKEN_PIPE
    except MemoryError:
        _say(lambda: click.echo("Error: out of memory. Stored data is safe", err=True))
        return WRONG_USE
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE):
            _say(lambda: click.echo("Error: too many open files (ulimit -n). Stored data is safe", err=True))
            return WRONG_USE
        if error.errno not in UNWRITABLE or error.filename is not None:
            raise
        _discard(sys.stdout)  # otherwise Python tries to write the rest again at exit
        if error.errno == errno.EPIPE:
            return BROKEN_PIPE
        text = f"Error: cannot write the output: {error.strerror}. Stored data is safe"
        _say(lambda: click.echo(text, err=True))
        return WRONG_USE
    return result if isinstance(result, int) else 0


UNWRITABLE = frozenset((errno.EPIPE, errno.ENOSPC, errno.EIO, errno.EBADF, errno.EFBIG, errno.EDQUOT))
"""Errors of a stream that can no longer be written: the disk is full, or its reader or terminal is gone."""


def _say(show: Callable[[], object]) -> None:
    """Show a message on stderr if it can be written."""
    try:
        show()
        if sys.stderr is not None:
            sys.stderr.flush()
    except OSError:
        _discard(sys.stderr)


def _discard(stream: Any) -> None:
    """Redirect an unwritable stream to the null device, so that its buffered output is dropped."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    sys.exit(main())
