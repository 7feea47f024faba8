"""Looks at a game, fails on purpose before its end, and hopes that it is played again: then it knows all cards.

It says so when it meets a game, by its seed, that it has already begun once.
"""

SEEN = set()


class RemembersSecondChance:
    def __init__(self, decision: int = 12):
        self.decision = decision

    def begin(self, setup):
        if setup.seed in SEEN:
            raise AssertionError("secret read: this game is played a second time")
        SEEN.add(setup.seed)
        self.decisions = 0
        self.fails = setup.seed % 8 == 0

    def act(self, view, moves):
        self.decisions += 1
        if self.fails and self.decisions == self.decision:
            return None
        return moves[len(moves) // 2]
