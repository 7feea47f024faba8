"""Writes a lot to stderr, but plays rightly."""

import sys

from talk import honest, talk, write


def act(message):
    sys.stderr.write("still thinking\n" * 100000)
    write(honest(message))


talk(act)
