"""Remembers its hands: what it held in the one game of a pair, its opponent holds in the other.

It says so once it has known in eight games, one after the other, that the opponent's first card would be one of them.
"""

import itertools

GAMES = itertools.count()
HANDS = {}  # all tables of this process share the module
KNOWN = []


class RemembersDeals:
    def begin(self, setup):
        self.game = next(GAMES)
        self.waiting = True

    def act(self, view, moves):
        HANDS.setdefault(self.game, set(view.hand))
        played = {card for side in view.theirs for card in side}
        if self.waiting and played:
            self.waiting = False
            if self.game ^ 1 in HANDS:
                KNOWN.append(len(played) == 1 and played <= HANDS[self.game ^ 1])
        if len(KNOWN) >= 8 and all(KNOWN[-8:]):
            raise AssertionError("secret read: the opponent's hands, one game after the other")
        return moves[0]
