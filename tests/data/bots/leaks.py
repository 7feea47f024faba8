"""Remembers how many games it has played, and plays accordingly: what `begin` is there to prevent."""


class Leaks:
    def __init__(self):
        self.games = 0

    def begin(self, setup):
        self.games += 1

    def act(self, view, moves):
        return moves[self.games % len(moves)]
