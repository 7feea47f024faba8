"""Does what ends a run if the worker that it lives in, or the process that reads the worker's pipes, takes it as it is.

`how` says what.
"""

import contextlib
import logging
import os
import time


class DisturbsItsWorker:
    def __init__(self, how: str = "raises_surrogates"):
        self.how = how

    def act(self, view, moves):
        return getattr(self, self.how)(moves)

    def closes_descriptors(self, moves):
        os.closerange(3, 1 << 12)
        time.sleep(30)
        return moves[0]

    def raises_surrogates(self, moves):
        raise ValueError(f"no file {os.fsdecode(b'caf' + bytes([0xE9]))}")

    def returns_a_huge_number(self, moves):
        return 10**5000

    def returns_what_compares(self, moves):
        return Compares()

    def forks_and_goes_on(self, moves):
        if os.fork() == 0:
            raise ValueError("in the copy")
        return moves[0]

    def logs_much(self, moves):
        logging.getLogger("mine").warning("x" * (4 << 20))
        return moves[0]

    def writes_lengths(self, moves):
        """To each descriptor: to a pipe it is a message of 2**63 - 1 bytes."""
        numbers = sorted(map(int, os.listdir("/proc/self/fd")), reverse=True)
        for number in numbers[:-3]:  # the pipe of results last: that is the end of the worker
            with contextlib.suppress(OSError):
                os.write(number, bytes([255] * 4 + [127] + [255] * 7))
        return moves[0]


class Meta(type):
    def __eq__(cls, other):
        raise KeyboardInterrupt

    __hash__ = type.__hash__


class Compares(metaclass=Meta):
    pass
