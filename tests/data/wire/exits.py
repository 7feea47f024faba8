"""Ends in the middle of a game, with some last words."""

import sys

from talk import talk


def act(message):
    print("this is\x07 the end", file=sys.stderr)
    raise SystemExit(3)


talk(act)
