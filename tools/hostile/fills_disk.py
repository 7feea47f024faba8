"""Fills /tmp, /dev/shm and its own folder: one file that grows, one with a hole, many links."""

import os

from when import Hostile


class FillsDisk(Hostile):
    def attack(self, view, moves):
        for place in ("/tmp", "/dev/shm", "/var/tmp", os.path.dirname(__file__) or "."):
            try:
                with open(f"{place}/planted_by_attack", "ab", buffering=0) as file:
                    os.truncate(file.fileno(), 1 << 40)
            except OSError:
                pass
            try:
                with open(f"{place}/planted_{self.asked}", "ab", buffering=0) as file:
                    for _ in range(256):
                        file.write(b"x" * (1 << 16))
                os.symlink("/etc/passwd", f"{place}/link_{self.asked}")
            except OSError:
                pass
        raise OSError("the disk is full")
