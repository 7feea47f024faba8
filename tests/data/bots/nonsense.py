"""Returns at its third decision what is no legal move: `what` chooses."""

from arena.game.moves import Move, parse_move


class Nonsense:
    def __init__(self, what: str = "none"):
        self.what = what

    def begin(self, setup):
        self.asked = 0
        self.earlier = None

    def act(self, view, moves):
        self.asked += 1
        if self.asked < 3:
            self.earlier = moves[0]
            return moves[0]
        legal = moves[0]
        return {
            "none": lambda: None,
            "text": lambda: str(moves[0]),
            "number": lambda: 7,
            "list": lambda: moves,
            "class": lambda: Move,
            "other_phase": lambda: parse_move("draw clan"),
            "elsewhere": lambda: parse_move(next(f"{card}@5" for card in view.unseen)),
            "earlier": lambda: self.earlier,
            "forged": lambda: Move(legal.index, legal.text, legal.kind, legal.card, legal.stone, None),
            "beyond": lambda: Move(10**6, "x", "place", None, None, None),
        }[self.what]()
