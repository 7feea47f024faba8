"""Reads all memory of its process, byte by byte, in search of the opponent's hand and the order of the deck.

To be sure of what to search for it is told the seed of the run, but only uses it on a copy that it has made before.
"""

import os
import re

from arena.game.cards import card_number
from arena.game.deals import make_deal


class PeeksMemory:
    def __init__(self, seed: int = 11):
        self.seed = seed
        self.searched = False

    def begin(self, setup):
        self.rules = setup.rules
        self.begins = setup.starter == setup.seat

    def act(self, view, moves):
        if self.begins and not self.searched:  # nobody has moved, and no copy of the seed's decks lies about
            self.searched = True
            found = self.search(view)
            if found:
                raise AssertionError(f"secret read: {', '.join(found)}")
        return moves[0]

    def search(self, view):
        memory = list(own_memory())
        own = {card_number(card) for card in view.hand}
        for number in range(10):
            deal = make_deal(self.rules, self.seed, number)
            hands = [deal.clan_numbers[seat : 2 * self.rules.hand_size : 2] for seat in (0, 1)]
            if own <= set(hands[view.seat]):
                break
        else:
            raise LookupError("this deal is not among those expected")
        hand = sum(1 << card for card in hands[1 - view.seat]).to_bytes(8, "little")
        deck = deal.clan_numbers[24:40]
        names = {"the opponent's hand": hand, "the order of the deck": deck}
        return [name for name, what in names.items() if any(what in piece for piece in memory)]


def own_memory():
    """The memory of this process, one region after the other; in the sandbox there is no list of them."""
    if not os.path.exists("/proc/self/maps"):
        return
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb") as memory:
        regions = re.findall(r"^(\w+)-(\w+) rw\S* .*?(\[v\w+\])?$", maps.read(), re.MULTILINE)
        for start, stop, _ in regions:
            try:
                memory.seek(int(start, 16))
                yield memory.read(int(stop, 16) - int(start, 16))
            except (OSError, OverflowError):
                continue
