"""Never comes back from its fourth decision."""


class Hangs:
    def begin(self, setup):
        self.asked = 0

    def act(self, view, moves):
        self.asked += 1
        while self.asked > 3:
            pass
        return moves[0]
