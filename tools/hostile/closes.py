"""Closes all descriptors and continues, or opens as many as possible."""

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
