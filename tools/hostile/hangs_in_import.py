"""Hangs while its file is run, in some of its processes."""

import time

if time.time_ns() // 1000 % 4 == 0:
    time.sleep(600)

from when import Hostile


class HangsInImport(Hostile):
    def attack(self, view, moves):
        time.sleep(600)
