"""mybot: a bot for Schotten-Totten. Describe its idea here."""

from arena import Bot, Move, View


class Mybot(Bot):
    """Plays a card where it fits best with the cards already there."""

    def __init__(self, colour: float = 3.0, value: float = 4.0) -> None:
        self.colour, self.value = colour, value  # to try others: bots/mybot.py:colour=2,value=5

    def act(self, view: View, moves: list[Move]) -> Move:
        """Return one of `moves`. Every choice in the game is made here, one at a time."""
        return max(moves, key=lambda move: self.worth(view, move))

    def worth(self, view: View, move: Move) -> float:
        """Rate a move. Your ideas go here."""
        if move.kind != "place" or move.card is None or move.stone is None:
            return 0.0
        worth = view.rng.random() / 10  # so that chance decides between equal moves
        for other in view.mine[move.stone - 1]:  # the cards that lie on your side of that stone
            worth += self.colour * (other[0] == move.card[0])  # r7 beside r8
            worth += self.value * (other[1:] == move.card[1:])  # r7 beside b7
        return worth
