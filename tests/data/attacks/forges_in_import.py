"""Writes into the pipe to the runner while its file is run. A file in its folder says what."""

import fcntl
import os
import struct
import time
from pathlib import Path

DONE, MADE, ANSWER = 11, 12, 13


def frame(kind, body=b""):
    return struct.pack("<IB", len(body), kind) + body


def answers():
    """The first descriptor beyond stderr that can only be written to."""
    for number in range(3, 256):
        try:
            if fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY:
                return number
        except OSError:
            continue
    return 2


FORGED = {
    "loaded_and_made": [frame(DONE), frame(MADE, b"\0")],
    "answers": [frame(ANSWER, struct.pack("<IH", 1, 0))],
    "pickle": [b"\x80\x04cos\nsystem\n(S'touch planted_by_attack'\ntR."],
}
how, seconds = (Path(__file__).parent / "how").read_text().split()
for piece in FORGED[how]:
    os.write(answers(), piece)
    time.sleep(float(seconds))


def act(view, moves):
    return moves[0]
