"""Thinks long at its third decision of a game, in the first games of its process."""

import time


class Slow:
    def __init__(self, ms: int = 5, games: int = 1000):
        self.ms = ms
        self.games = games

    def begin(self, setup):
        self.asked = 0
        self.games -= 1

    def act(self, view, moves):
        self.asked += 1
        if self.asked == 3 and self.games >= 0:
            time.sleep(self.ms / 1000)
        return moves[0]
