"""Nothing is wrong with it."""


class Fine:
    def __init__(self, boldness: float = 0.5, label: str = "x"):
        self.boldness = boldness
        self.label = label

    def begin(self, setup):
        self.seen = []

    def act(self, view, moves):
        self.seen.append(len(moves))
        return view.rng.choice(moves) if view.rng.random() < self.boldness else moves[len(self.seen) % len(moves)]
