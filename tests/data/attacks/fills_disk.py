"""Fills the disk: a file that grows, one with a hole, many small ones, wherever it can write; adds up what it gets."""

import os

MOST = 400 << 20  # lest an open door harm the machine that the tests run on
MANY = 5000
NAME = "planted_by_attack"


class FillsDisk:
    def __init__(self, places: str = "", allowed_mb: int = 40):
        self.places = ["/tmp", "/dev/shm", "/var/tmp", os.getcwd(), *filter(None, places.split(":"))]
        self.allowed = allowed_mb << 20

    def act(self, view, moves):
        total = sum(grow(place) + sow(place) for place in self.places)
        if total > self.allowed:
            raise AssertionError(f"not stopped: {total >> 20} MiB written")
        return moves[0]


def grow(place):
    """Bytes written to one file, or those that it seems to have."""
    got = 0
    path = os.path.join(place, NAME)
    try:
        with open(path, "wb", buffering=0) as file:
            file.truncate(1 << 40)
            return 1 << 40
    except OSError:
        pass
    try:
        with open(path, "wb", buffering=0) as file:
            while got < MOST:
                got += file.write(b"x" * (1 << 16))
    except OSError:
        pass
    return got


def sow(place):
    """Bytes written to many small files."""
    got = 0
    try:
        for number in range(MANY):
            with open(os.path.join(place, f"{NAME}_{number}"), "wb", buffering=0) as file:
                got += file.write(b"x" * 4096)
    except OSError:
        pass
    return got
