"""Keeps its plan in the class: games that go on at the same time share it."""


class LeakClass:
    plan = 0

    def begin(self, setup):
        LeakClass.plan = 0

    def act(self, view, moves):
        LeakClass.plan += 1
        return moves[LeakClass.plan % len(moves)]
