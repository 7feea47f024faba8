"""Cards: numbers, texts, and the names in each edition (RULES.md §1 and §5).

A card is a number in the engine and a short text everywhere else. Clan cards are 0..59, `6 * (value - 1) + colour`; as
text, the colour's letter and the value (`r7`). Tactic cards are 60..68; the two jokers are interchangeable and share
the number 60. The spy is `*7`, in Battle Line `*8`.

In words of 64 bits, a card's bit is its number: a higher bit is a higher card, a value is a group of six neighbouring
bits, and a colour is every sixth bit. In the word of a *side*, the bits 60, 61 and 62 are its joker, spy and
shield-bearer, so the population count is the number of its cards. `cards.pxd` has the same names for C.
"""

from __future__ import annotations

from arena.errors import ArenaError, did_you_mean

COLOURS = "rgbypk"
COLOUR_NAMES = {"r": "red", "g": "green", "b": "blue", "y": "yellow", "p": "purple", "k": "pink"}

JOKER_CARD, SPY_CARD, BEARER_CARD, FOG_CARD, MUD_CARD = 60, 61, 62, 63, 64
SCOUT_CARD = 65  # then redeploy, deserter, traitor
TACTIC_TEXTS = ("*J", "*7", "*123", "fog", "mud", "scout", "redeploy", "deserter", "traitor")
ELITE_TEXTS = ("*J", "*7", "*8", "*123")
TACTIC_DECK = (60, 60, 61, 62, 63, 64, 65, 66, 67, 68)

CARD_TEXTS = tuple(f"{COLOURS[n % 6]}{n // 6 + 1}" for n in range(60)) + TACTIC_TEXTS
CARD_NUMBERS = {text: number for number, text in enumerate(CARD_TEXTS)} | {"*8": SPY_CARD}

#: The names of TACTIC_TEXTS, in their order, by edition.
_NAMES = {
    "iello": "Joker, Spy, Shield-Bearer, Blind-Man's Bluff, Mud Fight, Recruiter, Strategist, Banshee, Traitor",
    "ps-2004": "Leider, Hulptroepen, Schilddragers, Mist, Modder, Verkenner, Hergroeperen, Deserteur, Overloper",
    "battle-line": "Leader, Companion Cavalry, Shield Bearers, Fog, Mud, Scout, Redeploy, Deserter, Traitor",
}
#: The names of the tactic cards, by edition and text.
EDITION_NAMES = {edition: dict(zip(TACTIC_TEXTS, names.split(", "))) for edition, names in _NAMES.items()}
for _names in EDITION_NAMES.values():
    _names["*8"] = _names["*7"]
EDITION_NAMES["bga"] = EDITION_NAMES["iello"]
EDITION_NAMES["ass-1999"] = EDITION_NAMES["iello"]


class CardError(ArenaError):
    """Text that does not name a card, or not one of the edition."""


def card_number(text: str) -> int:
    """Return the number of a card; raise `CardError` if there is no such card.

    >>> card_number("r1"), card_number("k9"), card_number("*J"), card_number("*8")
    (0, 53, 60, 61)
    >>> card_number("x7")
    Traceback (most recent call last):
    arena.game.cards.CardError: 'x7' is not a card; clan cards are a colour r, g, b, y, p or k and a value (r7), \
tactic cards *J, *7, *123, fog, mud, scout, redeploy, deserter, traitor
    """
    number = CARD_NUMBERS.get(text)
    if number is None:
        raise CardError(
            f"'{text}' is not a card; clan cards are a colour r, g, b, y, p or k and a value (r7), tactic cards "
            + ", ".join(TACTIC_TEXTS)
            + did_you_mean(text, CARD_NUMBERS)
        )
    return number


_CLAN_BITS = (1 << 60) - 1


def clan_cards(word: int) -> tuple[str, ...]:
    """Return the texts of the clan cards in a word of bits, lowest first.

    >>> clan_cards(0b1000001)
    ('r1', 'r2')
    """
    word &= _CLAN_BITS
    cards = []
    while word:  # from bit to bit: the word of a hand has only six
        low = word & -word
        cards.append(CARD_TEXTS[low.bit_length() - 1])
        word ^= low
    return tuple(cards)


def card_name(text: str, edition: str = "iello") -> str:
    """Return the name of a card in an edition.

    >>> card_name("*8", "battle-line"), card_name("p3")
    ('Companion Cavalry', 'purple 3')
    """
    if text[0] in COLOUR_NAMES and text[1:].isdigit():
        return f"{COLOUR_NAMES[text[0]]} {text[1:]}"
    return EDITION_NAMES.get(edition, EDITION_NAMES["iello"])[text]


# ---- words of bits, for the uncompiled engine ----------------------------------------------------------------------

ALL54 = (1 << 54) - 1
ALL60 = (1 << 60) - 1
PLANE = 0x0041041041041041  # the cards of colour 0, values 1..10
ONE, JOKER, SPY, BEARER = 1, 1 << 60, 1 << 61, 1 << 62
SUM, RUN, COLOUR, KIND, COLOUR_RUN = range(5)
RANK = 64  # strength = RANK * category + sum of the values


def hib(x: int) -> int:
    """Return the index of the highest set bit of `x > 0`."""
    return x.bit_length() - 1


def ctz(x: int) -> int:
    """Return the index of the lowest set bit of `x > 0`."""
    return (x & -x).bit_length() - 1


def popcount(x: int) -> int:
    """Return the number of set bits."""
    return x.bit_count()


def group(value: int) -> int:
    """Return the six cards of a value."""
    return 63 << 6 * (value - 1)


def nth(m: int, k: int) -> int:
    """Return the index of the `k`-th lowest set bit, counted from 0.

    >>> nth(0b10110, 2)
    4
    """
    for _ in range(k):
        m &= m - 1
    return ctz(m)


def stir(h: int, word: int) -> int:
    """Mix a word of 64 bits into a hash of 64 bits."""
    h = ((h ^ word) * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    h = ((h ^ h >> 32) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    return h ^ h >> 29


def scale(r: int, k: int) -> int:
    """Turn the low 32 bits of `r` into a whole number in `0..k-1`."""
    return (r & 0xFFFFFFFF) * k >> 32
