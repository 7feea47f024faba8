"""One `run.log` for a run: its workers and bots log into it, line by line, unharmed.

Each worker has a pipe of its own to the process that writes the file. A queue shared by all workers, as
`multiprocessing_logging.install_mp_handler` makes it, does not survive what bots do: a worker that is killed
while it holds the queue's lock silences all the others. And what a worker writes is in the pipe when `emit`
returns, so the last words of a bot that kills its process are kept.

Where workers are forked, the receiving side is a `MultiProcessingHandler` of multiprocessing-logging, given
that pipe for a queue. Where they are spawned the same pipe goes to the child as an argument, and a thread of
ours receives: the same records come to the same file.
"""

from __future__ import annotations

import contextlib
import logging
import marshal
import os
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from pathlib import Path
from queue import Empty
from typing import Any, TypeAlias

from multiprocessing_logging import MultiProcessingHandler  # type: ignore[import-untyped]

LOG = "run.log"
SPARE = ".1"
LARGEST_LOG = 16 << 20
"""Bytes at which a log is put aside as run.log.1: there are never more than twice as many, however long it grows."""
LOGGER = "arena"
_FORMAT = "%(asctime)s %(levelname)-7s %(process)d %(name)s: %(message)s"

Said: TypeAlias = tuple[str, int, str, float, int]
"""A log record as plain values: logger, level, message, time in seconds since 1970, process."""

Sink: TypeAlias = Callable[[Said], None]


def said(record: logging.LogRecord) -> Said:
    """A record as plain values, its message and traceback put together."""
    text = record.getMessage()
    if record.exc_info:
        text += "\n" + logging.Formatter().formatException(record.exc_info)
    return (record.name, record.levelno, text, record.created, record.process or 0)


def record_of(said: Said) -> logging.LogRecord:
    """The record that `said` was made from."""
    name, level, text, created, process = said
    return logging.makeLogRecord(
        {"name": name, "levelno": level, "levelname": logging.getLevelName(level), "msg": text,
         "created": created, "msecs": created % 1 * 1000, "process": process}
    )  # fmt: skip


class LogFile(logging.FileHandler):
    """The file; takes records from several threads. A full disk loses lines, never the run.

    At LARGEST_LOG bytes it is put aside under a second name, in the place of the one before, and begun anew. Several
    processes may write into one file, as those of a league do: whoever finds it full puts it aside, the others follow.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, encoding="utf-8", errors="backslashreplace", delay=True)
        self.setFormatter(logging.Formatter(_FORMAT))
        self.lost = 0

    def emit(self, record: logging.LogRecord) -> None:
        assert self.lock is not None
        with self.lock:
            try:
                self._make_room()
            except OSError:
                self.handleError(record)
                return
            super().emit(record)

    def _make_room(self) -> None:
        """Let go of a file that is full, or that another process has put aside. OSError if that cannot be done."""
        path = Path(self.baseFilename)
        try:
            there = path.stat()
        except FileNotFoundError:
            there = None
        if self.stream is not None and (
            there is None or not os.path.samestat(os.fstat(self.stream.fileno()), there)
        ):
            self._leave()
        if there is not None and there.st_size >= LARGEST_LOG:
            self._leave()
            with contextlib.suppress(FileNotFoundError):  # another process was quicker
                path.replace(path.with_name(path.name + SPARE))

    def _leave(self) -> None:
        stream, self.stream = self.stream, None  # the next record opens it again
        if stream is not None:
            stream.close()

    def handleError(self, record: logging.LogRecord) -> None:
        self.lost += 1


class RunLog:
    """The log of a run, as a context manager: what is logged below `arena` goes to the file meanwhile."""

    def __init__(self, folder: Path, level: int = logging.INFO) -> None:
        self.path = folder / LOG
        self._file = LogFile(self.path)
        self._level = level
        self._before: tuple[int, bool] = (0, True)

    def __enter__(self) -> RunLog:
        logger = logging.getLogger(LOGGER)
        self._before = logger.level, logger.propagate
        logger.setLevel(self._level)
        logger.propagate = False
        logger.addHandler(self._file)
        return self

    def __exit__(self, *error: object) -> None:
        logger = logging.getLogger(LOGGER)
        logger.removeHandler(self._file)
        logger.setLevel(self._before[0])
        logger.propagate = self._before[1]
        self._file.close()

    def sink(self, said: Said) -> None:
        """Write what a worker said."""
        self._file.handle(record_of(said))


# ---------------------------------------------------------------- pipes


class _Pipe:
    """A pipe with the face of a queue, for one sender and one receiver."""

    def __init__(self, receive: Connection[Any, Any], send: Connection[Any, Any]) -> None:
        self.receiver = receive
        self.sender = send

    def put_nowait(self, record: logging.LogRecord) -> None:
        self.sender.send_bytes(marshal.dumps(said(record)))

    def get(self, timeout: float | None = None) -> logging.LogRecord:
        """The next record; `Empty` after `timeout` seconds, EOFError when the sender has gone."""
        if not self.receiver.poll(timeout):
            raise Empty
        return record_of(marshal.loads(self.receiver.recv_bytes()))

    def qsize(self) -> int:
        """1 while something waits. Also at the end of the pipe, which `get` then reports."""
        return int(self.receiver.poll(0))

    def close(self) -> None:
        self.receiver.close()

    def join_thread(self) -> None:
        """A pipe has no thread; a queue has."""


class _Receiver(MultiProcessingHandler):  # type: ignore[misc]
    """multiprocessing-logging's handler, receiving from a pipe of one worker instead of a shared queue."""

    def __init__(self, name: str, sub_handler: logging.Handler, pipe: _Pipe) -> None:
        self._pipe = pipe
        super().__init__(name, sub_handler)

    @property
    def queue(self) -> _Pipe:
        return self._pipe

    @queue.setter
    def queue(self, shared: object) -> None:
        """The shared queue that the base class offers is not wanted."""


class _To(logging.Handler):
    """Hands records over as plain values."""

    def __init__(self, sink: Sink) -> None:
        super().__init__()
        self._sink = sink

    def emit(self, record: logging.LogRecord) -> None:
        self._sink(said(record))


class WorkerLog:
    """The log of one worker, made by its parent before the worker starts.

    `in_child` is called by the worker, `in_parent` by the parent once the worker runs, and `close` when it
    has ended: it waits until everything that the worker said has come.
    """

    def __init__(self, context: BaseContext, sink: Sink, name: str = "worker") -> None:
        receive, send = context.Pipe(duplex=False)
        self._pipe = _Pipe(receive, send)
        self._name = name
        self._sink = sink
        self._forked = context.get_start_method() == "fork"
        self._thread: threading.Thread | None = None
        self._handler: _Receiver | None = None

    @property
    def sender(self) -> Connection[Any, Any]:
        """The worker's end, to be sent to it where it does not inherit it."""
        return self._pipe.sender

    def in_parent(self) -> None:
        """Let go of the worker's end, so that its death ends the pipe, and begin to receive."""
        self._pipe.sender.close()
        if self._forked:
            # made only now: its thread must not exist while the worker is forked
            self._handler = _Receiver(self._name, _To(self._sink), self._pipe)
            self._thread = self._handler._receive_thread
        else:
            self._thread = threading.Thread(target=self._receive, name=self._name, daemon=True)
            self._thread.start()

    def _receive(self) -> None:
        while True:
            try:
                self._sink(said(self._pipe.get()))
            except (EOFError, OSError):
                break
        self._pipe.close()

    def close(self, seconds: float = 2.0) -> None:
        if self._thread is not None:
            self._thread.join(seconds)  # ends at the end of the pipe
        if self._handler is not None:
            self._handler.close()


class WorkerHandler(logging.Handler):
    """What a worker logs with: everything goes into the pipe at once."""

    def __init__(self, sender: Connection[Any, Any]) -> None:
        super().__init__()
        self._sender = sender

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._sender.send_bytes(marshal.dumps(said(record)))
        except OSError:  # the parent has gone; so will this process, soon
            pass
        except ValueError:  # more than marshal can write
            self._sender.send_bytes(
                marshal.dumps((*said(record)[:2], "a message that cannot be sent", 0.0, 0))
            )


def log_to(sender: Connection[Any, Any], level: int = logging.INFO) -> None:
    """In a worker: send everything that is logged, by whatever logger, to the parent."""
    root = logging.getLogger()
    for logger in (root, logging.getLogger(LOGGER)):
        for handler in list(logger.handlers):
            logger.removeHandler(handler)  # inherited by fork: the parent's business
    root.addHandler(WorkerHandler(sender))
    root.setLevel(logging.WARNING)
    logging.getLogger(LOGGER).setLevel(level)
    logging.getLogger(LOGGER).propagate = True
