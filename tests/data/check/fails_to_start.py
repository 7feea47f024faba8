"""Fails when it is made."""


class FailsToStart:
    def __init__(self, path: str = "weights.bin"):
        with open(path, "rb") as file:
            self.weights = file.read()

    def act(self, view, moves):
        return moves[0]
