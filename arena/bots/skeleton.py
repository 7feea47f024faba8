"""The skeleton of a bot, from which its author starts."""

from __future__ import annotations

SKELETON = '''"""{name}: a bot for Schotten-Totten. Describe its idea here.

Try it:    arena match bots/{name}.py random --games 200
See it:    arena replay results/... 1
Check it:  arena check bots/{name}.py
"""

from arena import Bot, Move, Setup, View


class {class_name}(Bot):
    """Plays a card where it fits best with the cards already there."""

    def __init__(self, colour: float = 3.0, value: float = 4.0) -> None:
        """Parameters can be set from outside; these annotations give their types: bots/{name}.py:colour=2,value=5"""
        self.colour = colour
        self.value = value

    def begin(self, setup: Setup) -> None:
        """A new game: setup.seat, setup.rules, setup.seed, setup.clock. Forget the last game here."""

    def act(self, view: View, moves: list[Move]) -> Move:
        """Return one of `moves`. Every choice in the game is made here, one at a time.

        view.hand                     your cards, such as ("r7", "b2", "*J")
        view.mine[s], view.theirs[s]  the cards of both sides of stone s + 1, for s in 0..8
        view.owners                   nine letters: a (seat 0), b (seat 1), . (nobody)
        view.unseen                   clan cards neither face up nor in your hand
        view.rng                      the random generator for this game; use no other
        view.phase                    the kind of decision: play, draw, take, ...
        move.kind, move.card, move.stone, str(move)
        """
        mine = view.mine
        worths = [self.worth(mine, move) for move in moves]
        best = max(worths)
        return view.rng.choice([move for move, worth in zip(moves, worths) if worth == best])

    def worth(self, mine: tuple[tuple[str, ...], ...], move: Move) -> float:
        """How good a move looks. Your ideas go here."""
        if move.kind != "place" or move.card is None or move.stone is None:
            return 0.0
        worth = 0.0
        for other in mine[move.stone - 1]:
            worth += self.colour * (other[0] == move.card[0])  # same colour: r7 and r8
            worth += self.value * (other[1:] == move.card[1:])  # same value: r7 and b7
        return worth
'''


def class_name(name: str) -> str:
    """The class of a bot.

    >>> class_name("my_first_bot")
    'MyFirstBot'
    """
    return "".join(part.capitalize() for part in name.split("_"))
