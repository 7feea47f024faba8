"""Says hello otherwise from its second start on."""

import pathlib
import sys

from talk import honest, line, talk, write

started = pathlib.Path(sys.argv[1])


def hello(message):
    write(line(id=message["id"], protocol=3, ask_forced=started.exists()))
    started.touch()


def end(message):
    write(honest(message))
    raise SystemExit(0)


talk(hello=hello, end=end)
