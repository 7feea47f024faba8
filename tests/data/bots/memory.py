"""Fills memory, `mb` megabytes a decision, and keeps all of it."""


class Memory:
    def __init__(self, mb: int = 64):
        self.mb = mb
        self.hoard = []

    def act(self, view, moves):
        self.hoard.append(b"x" * (self.mb << 20))
        return moves[0]
