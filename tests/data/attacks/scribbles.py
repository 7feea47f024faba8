"""Writes to each descriptor that it finds in its process, as a program with a wrong number would."""

import os
import stat


def act(view, moves):
    for number in range(3, 100):
        try:
            if stat.S_ISREG(os.fstat(number).st_mode):
                os.pwrite(number, b"planted_by_attack" * 100, 0)
            else:
                os.set_blocking(number, False)
                os.write(number, b"planted_by_attack")
        except OSError:
            pass
    return moves[0]
