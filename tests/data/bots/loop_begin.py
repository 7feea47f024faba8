"""Never returns from `begin`."""


class LoopBegin:
    def begin(self, setup):
        while True:
            pass

    def act(self, view, moves):
        return moves[0]
