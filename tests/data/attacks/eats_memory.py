"""Takes memory without end, from Python or mapped."""

import mmap


class EatsMemory:
    def __init__(self, how: str = "bytes"):
        self.take = {"bytes": lambda: b"x" * (8 << 20), "maps": mapped}[how]

    def act(self, view, moves):
        kept = []
        while True:
            kept.append(self.take())


def mapped():
    found = mmap.mmap(-1, 8 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    found.write(b"x" * len(found))
    return found
