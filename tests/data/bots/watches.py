"""Checks the protocol from inside: what it is told and shown must agree. Plays at random."""

from arena.bots.bot import Bot


class Watches(Bot):
    def begin(self, setup):
        self.setup = setup
        self.events = []
        self.over = False

    def act(self, view, moves):
        assert not self.over
        assert view.seat == self.setup.seat == view.to_move
        assert view.first_seat == self.setup.starter
        assert view.rules is self.setup.rules or view.rules == self.setup.rules
        assert len(moves) > 1, "a decision with one legal move is not asked"
        assert tuple(self.events) == view.history
        return view.rng.choice(moves)

    def observe(self, event):
        self.events.append(event)

    def end(self, result):
        self.over = True
        assert result.winner in (0, 1, None)
        assert len(self.events) > 10
