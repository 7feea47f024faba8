"""One `run.log` for a run: its workers and bots log whole lines into it.

Records travel by multiprocessing-logging: its `MultiProcessingHandler` receives them in a thread of the run's
process. It reads a pipe of each worker instead of the one queue that `install_mp_handler` shares among all
processes, for two reasons. A worker that is killed while it holds the lock of a shared queue silences all the
others, and bots do get their workers killed. And what a worker writes into a pipe is there when `emit` returns,
so the last output of a bot that kills its process is kept. A pipe can also be passed to a process that is spawned.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from logging.handlers import WatchedFileHandler
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from pathlib import Path
from queue import Empty
from typing import Any, TypeAlias

from multiprocessing_logging import MultiProcessingHandler  # type: ignore[import-untyped]

from arena.bots.faults import shorten

LOG = "run.log"
SPARE = ".1"
LARGEST_LOG = 16 << 20
"""Bytes at which a log is rotated to run.log.1: there are at most twice as many."""
_LONGEST_TEXT = 20_000
"""Characters of a line that a worker sends: a bot that lives there may log as well."""
_MOST_BYTES = 1 << 20  # of a line in a pipe
LOGGER = "arena"
_FORMAT = "%(asctime)s %(levelname)-7s %(process)d %(name)s: %(message)s"

Sink: TypeAlias = Callable[[str], None]
"""Takes the lines that workers log, in any thread."""


class LogFile(WatchedFileHandler):
    """The file; takes records from several threads and processes. A full disk loses lines, never the run.

    At `LARGEST_LOG` bytes it is renamed, in place of the one renamed before, and started again. Other processes that
    write to it, as those of a league do, notice that and open the new one.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, encoding="utf-8", errors="backslashreplace", delay=True)
        self.setFormatter(logging.Formatter(_FORMAT))

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record; that of a worker is one already, of no logger here."""
        return super().format(record) if record.name else str(record.msg)

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record; rotate the file first if it is large."""
        path = Path(self.baseFilename)
        try:
            with contextlib.suppress(FileNotFoundError):  # not begun, or another process has rotated it
                if path.stat().st_size >= LARGEST_LOG:
                    path.replace(path.with_name(path.name + SPARE))
            super().emit(record)
        except OSError:
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """Do without a record that could not be written."""


class RunLog:
    """The log of a run: while it is entered, what is logged below `arena` goes to the file."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / LOG
        self._file = LogFile(self.path)
        self._before: tuple[int, bool] = (0, True)

    def __enter__(self) -> RunLog:
        logger = logging.getLogger(LOGGER)
        self._before = logger.level, logger.propagate
        logger.setLevel(logging.INFO)
        logger.propagate = False
        logger.addHandler(self._file)
        return self

    def __exit__(self, *error: object) -> None:
        logger = logging.getLogger(LOGGER)
        logger.removeHandler(self._file)
        logger.setLevel(self._before[0])
        logger.propagate = self._before[1]
        self._file.close()

    def sink(self, line: str) -> None:
        """Write what a worker has logged."""
        self._file.handle(logging.makeLogRecord({"name": "", "msg": line}))


# ---------------------------------------------------------------- the run's end


class _PipeQueue:
    """The receiving end of a pipe, with what `MultiProcessingHandler` uses of a queue."""

    def __init__(self, receiver: Connection[Any, Any]) -> None:
        self._receiver = receiver
        self._garbled = False

    def get(self, timeout: float | None = None) -> str:
        """Return the next line; `Empty` after `timeout` seconds, EOFError if the sender has ended or sent no text.

        A bot that lives in the worker may have written to this pipe as well.
        """
        if self._garbled:
            raise EOFError
        if not self._receiver.poll(timeout):
            raise Empty
        try:
            return self._receiver.recv_bytes(_MOST_BYTES).decode()
        except OSError:
            if not self._receiver.closed:  # it ended within a line; an impossible length closes it
                raise EOFError from None
        except UnicodeDecodeError:
            pass
        self._garbled = True
        return "a bot has written to the pipe of its worker's log; what this worker has to log is lost"

    def qsize(self) -> int:
        """Return 1 while something waits, also at the end of the pipe, which `get` then reports."""
        return int(self._receiver.poll(0))

    def close(self) -> None:
        """Close the pipe."""
        self._receiver.close()

    def join_thread(self) -> None:
        """Do nothing: a pipe has no thread, unlike a queue."""


class _Receiver(MultiProcessingHandler):  # type: ignore[misc]
    """multiprocessing-logging's handler, on the pipe of one worker instead of a shared queue."""

    def __init__(self, receiver: Connection[Any, Any], sink: Sink) -> None:
        self._pipe_queue = _PipeQueue(receiver)
        handler = logging.Handler()
        handler.emit = sink  # type: ignore[method-assign, assignment]
        super().__init__("worker log", handler)

    @property
    def queue(self) -> _PipeQueue:
        return self._pipe_queue

    @queue.setter
    def queue(self, shared: object) -> None:
        """Ignore the shared queue that the base class makes."""

    def wait(self, seconds: float) -> None:
        """Wait until everything has arrived: for the end of the pipe, but not longer than `seconds`."""
        self._receive_thread.join(seconds)


class WorkerLog:
    """The log of one worker, made by its parent before the worker starts.

    `sender` is the worker's end, for `log_to`. The parent calls `receive` once the worker runs, and `close` when it
    has ended.
    """

    def __init__(self, context: BaseContext, sink: Sink) -> None:
        self._receiver_end, self.sender = context.Pipe(duplex=False)
        self._sink = sink
        self._receiver: _Receiver | None = None

    def receive(self) -> None:
        """Close our copy of the worker's end, so that its death ends the pipe, and begin to receive."""
        self.sender.close()
        # only now: its thread must not exist while the worker is forked
        self._receiver = _Receiver(self._receiver_end, self._sink)

    def close(self, seconds: float = 2.0) -> None:
        """Wait until everything that the worker logged has arrived, unless something else holds its end open."""
        if self._receiver is not None:
            self._receiver.wait(seconds)
            self._receiver.close()


# ---------------------------------------------------------------- the worker's end


class _WorkerHandler(logging.Handler):
    """Logs for a worker: every record goes into the pipe at once, as a line of the log."""

    def __init__(self, sender: Connection[Any, Any]) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter(_FORMAT))
        self._sender = sender

    def emit(self, record: logging.LogRecord) -> None:
        line = shorten(self.format(record), _LONGEST_TEXT)
        with contextlib.suppress(OSError):  # the parent has ended, and so will this process
            self._sender.send_bytes(line.encode(errors="backslashreplace"))


def log_to(sender: Connection[Any, Any]) -> None:
    """Send what the arena logs to the parent; called in a worker.

    The arena's loggers leave the hierarchy of `logging`, so bots have that to themselves, with an empty root: what they
    log is output like any other, and what they configure or disable is their own.
    """
    root, own = logging.getLogger(), logging.getLogger(LOGGER)
    for logger in (root, own):
        for handler in list(logger.handlers):
            logger.removeHandler(handler)  # inherited by fork: the parent's business
    root.setLevel(logging.WARNING)
    known, manager = root.manager.loggerDict, logging.Manager(logging.RootLogger(logging.INFO))
    for name in [name for name in known if name.partition(".")[0] == LOGGER]:
        ours = known.pop(name)
        if isinstance(ours, logging.Logger):
            ours.manager, manager.loggerDict[name] = manager, ours
    own.addHandler(_WorkerHandler(sender))
    own.setLevel(logging.INFO)
    own.propagate = False
