"""Plays honestly, and fails after the game, when it is decided: in every game, or in those that it has won."""

import os
import signal
import time


class FailsInEnd:
    def __init__(self, how: str = "raises", won: bool = False, honest: str = ""):
        self.how = how
        self.won = won
        self.honest = honest

    def begin(self, setup):
        self.seat = setup.seat

    def act(self, view, moves):
        return moves[0]

    def end(self, result):
        if self.honest or (self.won and result.winner != self.seat):
            return
        if self.how == "raises":
            raise ValueError("on purpose")
        if self.how == "exits":
            os._exit(3)
        if self.how == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.how == "hangs":
            time.sleep(60)
