"""Keeps half a megabyte of each game."""


class Grows:
    def __init__(self):
        self.kept = []

    def begin(self, setup):
        self.remember(setup.seed)

    def remember(self, seed):
        self.kept.append(bytearray(seed.to_bytes(8, "little") * 65536))

    def act(self, view, moves):
        return moves[0]
