"""The program `arena`: its streams and its exit codes."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import signal
import sys
from collections.abc import Sequence
from typing import Any

from arena.errors import UnfitEngineError


def run() -> int:
    """Run the command line of this process and return its exit code; Ctrl-C while it loads ends it without a word."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:  # `nohup` and shells in the background have it ignored
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        import arena.cli.commands  # noqa: F401
    except UnfitEngineError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    finally:
        signal.signal(signal.SIGINT, usual)
    return main()


def main(args: Sequence[str] | None = None) -> int:
    """Run a command line, by default the one of this process, and return its exit code."""
    import click

    from arena.cli.commands import cli
    from arena.cli.group import BROKEN_PIPE, INTERRUPTED, WRONG_USE
    from arena.text import printable

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
    sys.exit(run())
