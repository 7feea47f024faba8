"""Deals: the order of both decks and the seat that starts, from a seed or card by card.

Deal `n` of a seed has the same cards in every rule set, as far as the deck allows: one order of all 60 clan cards is
drawn, the tens are left out if the edition has none, and the hands are dealt alternately, so that a hand of six is the
first six cards of a hand of seven.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from arena.errors import ArenaError
from arena.game.cards import CARD_TEXTS, TACTIC_DECK, card_number
from arena.game.rng import Rng, derive_seed
from arena.game.rules import Rules


class DealError(ArenaError):
    """A deal that the rule set does not allow."""


_ORDER = bytes(range(60))
_TENS = bytes(range(54, 60))
_TACTICS = bytes(TACTIC_DECK)


@dataclass(frozen=True)
class Deal:
    """Both decks, first card first, as bytes of card numbers, and the seat (0 or 1) that starts.

    The hands are dealt alternately from the front of the clan deck: seat 0 gets the 1st, 3rd, 5th ... card. `State`
    refuses decks that do not belong to its rule set.
    """

    clan_numbers: bytes
    tactic_numbers: bytes
    starter: int

    @cached_property
    def clan(self) -> tuple[str, ...]:
        """The clan deck as card texts."""
        return tuple(CARD_TEXTS[n] for n in self.clan_numbers)

    @cached_property
    def tactic(self) -> tuple[str, ...]:
        """The tactic deck as card texts (the spy as `*7`)."""
        return tuple(CARD_TEXTS[n] for n in self.tactic_numbers)


def make_deal(rules: Rules, seed: int | str, number: int) -> Deal:
    """Return deal `number` of a seed: BLAKE2b gives the seeds, SplitMix64 and Fisher-Yates the orders.

    >>> from arena.game.rules import load_rules
    >>> make_deal(load_rules("base"), 1, 0).clan[:4] == make_deal(load_rules("tactical"), 1, 0).clan[:4]
    True
    """
    rng = Rng(derive_seed(seed, "deal", number))
    starter = rng.below(2)
    clan = rng.shuffled(_ORDER)
    if rules.values == 9:
        clan = clan.translate(None, _TENS)
    return Deal(clan, rng.shuffled(_TACTICS) if rules.tactics else b"", starter)


def deal_from_cards(rules: Rules, clan: Sequence[str], tactic: Sequence[str] = (), starter: int = 0) -> Deal:
    """Return a deal given card by card.

    Raises `CardError` for text that is not a card, and `DealError`, which names missing, foreign and repeated cards,
    if the cards are not the decks of the rule set.
    """
    numbers = [card_number(card) for card in clan]
    tactics = [card_number(card) for card in tactic]
    for what, given, wanted in (
        ("clan", numbers, list(range(6 * rules.values))),
        ("tactic", tactics, list(TACTIC_DECK) if rules.tactics else []),
    ):
        missing, extra = (Counter(wanted) - Counter(given)), (Counter(given) - Counter(wanted))
        if missing or extra:
            parts = [
                f"{word} {' '.join(CARD_TEXTS[n] for n in cards.elements())}"
                for word, cards in (("missing", missing), ("repeated or foreign", extra))
                if cards
            ]
            raise DealError(f"the {what} deck of {rules.name} has {len(wanted)} cards: {'; '.join(parts)}")
    return Deal(bytes(numbers), bytes(tactics), starter)
