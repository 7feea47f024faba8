"""Never returns from `end`."""


class LoopEnd:
    def act(self, view, moves):
        return moves[0]

    def end(self, result):
        while True:
            pass
