"""Plays the first move of the game again and again."""

auto_claim = True


class Illegal:
    def begin(self, setup):
        self.first = None

    def act(self, view, moves):
        if self.first is None:
            self.first = moves[0]
        return self.first
