"""Forgets to reset its list."""


class LeakSelf:
    def __init__(self):
        self.lengths = []

    def act(self, view, moves):
        self.lengths.append(len(moves))
        return moves[sum(self.lengths) % len(moves)]
