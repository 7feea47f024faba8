"""Closes its output and lives on."""

import os
import time

from talk import talk


def act(message):
    os.close(1)
    time.sleep(60)


talk(act)
