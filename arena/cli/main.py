"""The command `arena`: its commands, which are imported on demand, and its exit codes."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from arena.cli.group import BROKEN_PIPE, INTERRUPTED, WRONG_USE, Entry, LazyGroup
from arena.text import printable

PLAY, _LOOK, _LEAGUE, WRITE, _GAME = "Play", "Look at results", "League", "Write bots", "The game"

COMMANDS: dict[str, Entry] = {
    "run": Entry(
        "arena.cli.run:run_command", "Play the tournament of a TOML file, or what is left of a run.", PLAY, plays=True
    ),
    "match": Entry("arena.cli.run:match_command", "Play two bots against each other.", PLAY, plays=True),
    "tournament": Entry("arena.cli.run:tournament_command", "Play two or more bots, in any format.", PLAY, plays=True),
    "compare": Entry(
        "arena.cli.compare:compare_command", "Play the same deals under several rule sets.", PLAY, plays=True
    ),
    "sprt": Entry("arena.cli.run:sprt_command", "Play until it is clear whether a bot is stronger.", PLAY, plays=True),
    "play": Entry("arena.cli.play:play_command", "Play against a bot, or watch two bots play.", PLAY, plays=True),
    "ladder": Entry(
        "arena.cli.ladder:ladder_command", "Place a bot on the ladder of reference bots.", PLAY, plays=True
    ),
    "runs": Entry("arena.cli.runs:runs_command", "List the stored runs.", _LOOK),
    "standings": Entry(
        "arena.cli.standings:standings_command", "Show the table of a run; with --all, all statistics.", _LOOK
    ),
    "replay": Entry("arena.cli.replay:replay_command", "List stored games, or show one.", _LOOK),
    "judge": Entry("arena.cli.judging:judge_command", "Find the turning points and mistakes of a game.", _LOOK),
    "report": Entry("arena.cli.export:report_command", "Write a run as one HTML page.", _LOOK),
    "plot": Entry("arena.cli.export:plot_command", "Draw a figure of a run: SVG, PNG or PDF.", _LOOK),
    "export": Entry("arena.cli.export:export_command", "Write tables, records or moves to files.", _LOOK),
    "verify": Entry("arena.cli.runs:verify_command", "Check a run by replaying its games.", _LOOK),
    "rate": Entry("arena.cli.rate:rate_command", "Rate the bots in any list of games.", _LOOK),
    "league": Entry("arena.cli.league:league", "Create and run a standing league of submitted bots.", _LEAGUE),
    "submit": Entry("arena.cli.league.submit:submit_command", "Submit a bot to a league.", _LEAGUE, plays=True),
    "serve": Entry("arena.cli.league.serve:serve_command", "Serve a league on the web.", _LEAGUE, "web", plays=True),
    "new": Entry("arena.cli.new:new_command", "Write a new bot, or set up a folder to work in.", WRITE),
    "check": Entry("arena.cli.check:check_command", "Check a bot before you submit it.", WRITE, plays=True),
    "debug": Entry("arena.cli.debug:debug_command", "Ask a bot again for its moves in a game.", WRITE),
    "tune": Entry("arena.cli.tune:tune_command", "Find good parameters for a bot.", WRITE, plays=True),
    "config": Entry("arena.cli.new:config_command", "Print a configuration to start from.", WRITE),
    "doctor": Entry("arena.cli.doctor:doctor_command", "Check the installation.", WRITE),
    "rules": Entry("arena.cli.game:rules_command", "List, show and compare rule sets.", _GAME),
    "explain": Entry("arena.cli.game:explain_command", "Say whether a stone can be claimed, and why.", _GAME),
}


_FIRST = (
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
        lines = [f"  arena {command:<27} {what}" for command, what in _FIRST]
        text = "Bot tournaments for the card game Schotten-Totten. To begin with:"
        click.echo(
            "\n".join([text, "", *lines, "", "'arena --help' lists all commands, 'arena COMMAND --help' explains one."])
        )


def main(args: Sequence[str] | None = None) -> int:
    """Run a command line, by default the one of this process, and return its exit code."""
    # Matrices of a few thousand bots gain little from more threads, and lose much beside other programs. One thread
    # also keeps the last digits independent of the number of cores. Has no effect once numpy is loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _open_streams()
    try:
        result = cli.main(args=None if args is None else list(args), prog_name="arena", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        if isinstance(error, click.NoSuchOption) and error.possibilities:
            del error.possibilities[1:]  # click sorts them by name, and the first is the nearest
        vars(error)["message"] = printable(error.message)  # it may quote terminal escapes that were typed
        error.show()
        return int(getattr(error.__cause__, "exit_code", WRONG_USE))
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        return INTERRUPTED
    except SystemExit as error:  # how click reports a closed pipe (arena ... | head), and ends the completion of names
        return BROKEN_PIPE if error.code else 0
    except MemoryError:
        click.echo("Error: out of memory. Stored data is safe", err=True)
        return WRONG_USE
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE):
            click.echo("Error: too many open files (ulimit -n). Stored data is safe", err=True)
            return WRONG_USE
        if error.errno not in UNWRITABLE or error.filename is not None:
            raise
        _discard(sys.stdout)  # otherwise Python tries to write the rest again at exit
        if error.errno == errno.EPIPE:
            return BROKEN_PIPE
        click.echo(f"Error: cannot write the output: {error.strerror}. Stored data is safe", err=True)
        return WRONG_USE
    return result if isinstance(result, int) else 0


UNWRITABLE = frozenset((errno.EPIPE, errno.ENOSPC, errno.EIO, errno.EBADF, errno.EFBIG, errno.EDQUOT))
"""Errors of a stream that can no longer be written: the disk is full, or its reader or terminal is gone."""


def _open_streams() -> None:
    """Open standard streams that are closed on the null device, and let stderr never fail."""
    number = 0
    while number <= 2:  # else a database would get the number of stderr, and be written to
        number = os.open(os.devnull, os.O_RDWR)
        if number <= 2:
            os.set_inheritable(number, True)
    os.close(number)
    sys.stdin, sys.stdout = sys.stdin or os.fdopen(0), sys.stdout or os.fdopen(1, "w")
    if isinstance(sys.stdout, io.TextIOWrapper):  # show paths that are not UTF-8, with escapes
        sys.stdout.reconfigure(errors="backslashreplace")
    if sys.stderr is sys.__stderr__:
        encoding = sys.stderr.encoding if sys.stderr else None
        sys.stderr = _Stderr(os.fdopen(2, "wb", closefd=False), encoding, "backslashreplace", line_buffering=True)


class _Stderr(io.TextIOWrapper):
    """Stderr, which drops what cannot be written: a run and its tables matter more than messages about them."""

    def write(self, text: str, /) -> int:
        """Write text, or drop it."""
        try:
            return super().write(text)
        except OSError:
            _discard(self)
            return len(text)

    def flush(self) -> None:
        """Write what is left, or drop it."""
        try:
            super().flush()
        except OSError:
            _discard(self)


def _discard(stream: Any) -> None:
    """Redirect an unwritable stream to the null device, so that its buffered output is dropped."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    sys.exit(main())
