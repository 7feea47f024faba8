"""Raises in its fifth decision of every game."""


class MisbehavesIn:
    def begin(self, setup):
        self.decisions = 0

    def act(self, view, moves):
        self.decisions += 1
        if self.decisions == 5:
            raise ValueError("on purpose")
        return moves[len(moves) // 2]
