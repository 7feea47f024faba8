"""Two bots in one file."""


class One:
    def act(self, view, moves):
        return moves[0]


class Two(One):
    def act(self, view, moves):
        return moves[-1]
