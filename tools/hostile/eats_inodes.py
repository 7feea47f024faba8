"""Uses up memory by inodes: empty files and folders in all writable places, for half a second per decision."""

import os
import time

from when import Hostile


class EatsInodes(Hostile):
    count = 0

    def attack(self, view, moves):
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            for place in ("/tmp", "/dev/shm"):
                self.count += 1
                try:
                    os.close(os.open(f"{place}/{self.count:x}", os.O_CREAT | os.O_WRONLY))
                    os.mkdir(f"{place}/d{self.count:x}")
                except OSError:
                    time.sleep(0.001)
