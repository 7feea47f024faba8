"""Kills the process that asks it, while its opponent thinks: with the rights of its user it can."""

import os
import signal
import threading
import time


class KillsWorkers:
    def begin(self, setup):
        self.asked = 0

    def act(self, view, moves):
        self.asked += 1
        if self.asked == 3:
            threading.Thread(target=self.kill, daemon=True).start()
        return moves[0]

    def end(self, result):
        pass

    def kill(self):
        time.sleep(0.02)
        os.kill(os.getppid(), signal.SIGKILL)
