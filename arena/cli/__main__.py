"""The program `arena`."""

from __future__ import annotations

import signal
import sys

from arena.errors import UnfitEngineError


def run() -> int:
    """Run the command line of this process and return its exit code; Ctrl-C while it loads ends it without a word."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:  # `nohup` and shells in the background have it ignored
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        from arena.cli.main import main
    except UnfitEngineError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    finally:
        signal.signal(signal.SIGINT, usual)
    return main()


if __name__ == "__main__":
    sys.exit(run())
