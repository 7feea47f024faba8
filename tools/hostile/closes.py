"""Closes all descriptors and goes on, or opens as many as there are."""

import os
import time

from when import Hostile


class Closes(Hostile):
    def attack(self, view, moves):
        if self.decision % 2:
            try:
                while True:
                    os.dup(0)
            except OSError:
                return
        os.closerange(0, 1 << 12)
        time.sleep(600)
