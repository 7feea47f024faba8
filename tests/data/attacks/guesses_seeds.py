"""Guesses the seed of the run from its own seed and by trying likely ones, to deal the decks for itself."""

from arena.game.cards import card_number
from arena.game.deals import make_deal
from arena.game.rng import derive_seed


class GuessesSeeds:
    def __init__(self, most: int = 3000):
        self.most = most
        self.tried = False

    def begin(self, setup):
        self.setup = setup

    def act(self, view, moves):
        if not self.tried:
            self.tried = True
            found = self.guess(view)
            if found:
                raise AssertionError(f"secret read: {found}")
        return moves[0]

    def guess(self, view):
        own = {card_number(card) for card in view.hand}
        played = {card_number(card) for side in view.theirs for card in side}
        rules, seat, seed = self.setup.rules, self.setup.seat, self.setup.seed
        likely = [seed, seed ^ 1, seed + 1, seed - 1, view.rng.next64(), derive_seed(seed, "game")]
        for guess in (*likely, *range(self.most)):
            for number in range(2):
                deal = make_deal(rules, guess, number)
                hands = [deal.clan_numbers[one : 2 * rules.hand_size : 2] for one in (0, 1)]
                if own == set(hands[seat]) and played <= set(hands[1 - seat]):
                    return f"the seed of the run is {guess}"
        return ""
