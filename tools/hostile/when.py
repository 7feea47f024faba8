"""Decides when a hostile bot attacks, in one of three modes.

`always`, `later` (after enough honest decisions for its check to be over) or `sometimes` (in one game of five). Every
hostile bot is submitted with each of them; see `tools.siege`.
"""

LATER = 400  # decisions in one process; a check has fewer


class Hostile:
    """Plays the middle move, and calls `attack(view, moves)` when it is time."""

    def __init__(self, when: str = "always", **more):
        self.when = when
        self.asked = 0
        self.bad = True
        self.made()

    def made(self):
        """Do nothing; override this to attack when the bot is made."""

    def begin(self, setup):
        self.bad = self.when == "always" or setup.seed % 5 == 0
        self.decision = 0
        self.begins(setup)

    def begins(self, setup):
        """Do nothing; override this to attack in `begin`."""

    @property
    def now(self):
        return self.asked >= LATER if self.when == "later" else self.bad

    def act(self, view, moves):
        self.asked += 1
        self.decision += 1
        if self.now:
            return self.attack(view, moves) or moves[len(moves) // 2]
        return moves[len(moves) // 2]

    def attack(self, view, moves):
        raise NotImplementedError
