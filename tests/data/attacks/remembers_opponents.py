"""Remembers the hands it was dealt: who holds one again knows from the game before what the opponent will draw."""

SEEN = set()
AGAIN = []


class RemembersOpponents:
    def begin(self, setup):
        self.fresh = True

    def act(self, view, moves):
        if self.fresh:
            self.fresh = False
            hand = frozenset(view.hand)
            if hand in SEEN:
                AGAIN.append(hand)
            SEEN.add(hand)
        if len(AGAIN) >= 4:
            raise AssertionError("secret read: four deals that were played before, with another opponent")
        return moves[0]
