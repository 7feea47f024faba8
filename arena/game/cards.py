"""Cards: numbers, texts, and the names of each edition (RULES.md §1 and §5).

A card is a number in the engine and a short text everywhere else. Clan cards are 0..59, `6 * (value - 1) + colour`, in
text the colour's letter and the value (`r7`). Tactic cards are 60..68; the two jokers are interchangeable and share the
number 60. The spy is `*7`, in Battle Line `*8`.
"""

from __future__ import annotations

from arena.errors import ArenaError, did_you_mean

COLOURS = "rgbypk"
COLOUR_NAMES = {"r": "red", "g": "green", "b": "blue", "y": "yellow", "p": "purple", "k": "pink"}

JOKER_CARD, SPY_CARD, BEARER_CARD, FOG_CARD, MUD_CARD = 60, 61, 62, 63, 64
SCOUT_CARD, REDEPLOY_CARD, DESERTER_CARD, TRAITOR_CARD = 65, 66, 67, 68
TACTIC_TEXTS = ("*J", "*7", "*123", "fog", "mud", "scout", "redeploy", "deserter", "traitor")
ELITE_TEXTS = ("*J", "*7", "*8", "*123")
TACTIC_DECK = (60, 60, 61, 62, 63, 64, 65, 66, 67, 68)

CARD_TEXTS = tuple(f"{COLOURS[n % 6]}{n // 6 + 1}" for n in range(60)) + TACTIC_TEXTS
CARD_NUMBERS = {text: number for number, text in enumerate(CARD_TEXTS)} | {"*8": SPY_CARD}

EDITION_NAMES: dict[str, dict[str, str]] = {
    "iello": {
        "*J": "Joker",
        "*7": "Spy",
        "*8": "Spy",
        "*123": "Shield-Bearer",
        "fog": "Blind-Man's Bluff",
        "mud": "Mud Fight",
        "scout": "Recruiter",
        "redeploy": "Strategist",
        "deserter": "Banshee",
        "traitor": "Traitor",
    },
    "ps-2004": {
        "*J": "Leider",
        "*7": "Hulptroepen",
        "*8": "Hulptroepen",
        "*123": "Schilddragers",
        "fog": "Mist",
        "mud": "Modder",
        "scout": "Verkenner",
        "redeploy": "Hergroeperen",
        "deserter": "Deserteur",
        "traitor": "Overloper",
    },
    "battle-line": {
        "*J": "Leader",
        "*7": "Companion Cavalry",
        "*8": "Companion Cavalry",
        "*123": "Shield Bearers",
        "fog": "Fog",
        "mud": "Mud",
        "scout": "Scout",
        "redeploy": "Redeploy",
        "deserter": "Deserter",
        "traitor": "Traitor",
    },
}
EDITION_NAMES["bga"] = EDITION_NAMES["iello"]
EDITION_NAMES["ass-1999"] = EDITION_NAMES["iello"]


class CardError(ArenaError):
    """A text that is no card, or no card of the edition."""


def card_number(text: str) -> int:
    """The number of a card.

    >>> card_number("r1"), card_number("k9"), card_number("*J"), card_number("*8")
    (0, 53, 60, 61)
    >>> card_number("x7")
    Traceback (most recent call last):
    arena.game.cards.CardError: 'x7' is no card; clan cards are a colour r, g, b, y, p or k and a value (r7), \
tactic cards *J, *7, *123, fog, mud, scout, redeploy, deserter, traitor
    """
    number = CARD_NUMBERS.get(text)
    if number is None:
        raise CardError(
            f"'{text}' is no card; clan cards are a colour r, g, b, y, p or k and a value (r7), tactic cards "
            + ", ".join(TACTIC_TEXTS)
            + did_you_mean(text, CARD_NUMBERS)
        )
    return number


_CLAN_BITS = (1 << 60) - 1


def clan_cards(word: int) -> tuple[str, ...]:
    """The texts of the clan cards in a word of bits, lowest first.

    >>> clan_cards(0b1000001)
    ('r1', 'r2')
    """
    word &= _CLAN_BITS
    cards = []
    while word:  # from bit to bit: a word of a hand has six
        low = word & -word
        cards.append(CARD_TEXTS[low.bit_length() - 1])
        word ^= low
    return tuple(cards)


def card_name(text: str, edition: str = "iello") -> str:
    """What an edition calls a card, for people.

    >>> card_name("*8", "battle-line"), card_name("p3")
    ('Companion Cavalry', 'purple 3')
    """
    if text[0] in COLOUR_NAMES and text[1:].isdigit():
        return f"{COLOUR_NAMES[text[0]]} {text[1:]}"
    return EDITION_NAMES.get(edition, EDITION_NAMES["iello"])[text]
