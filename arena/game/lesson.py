"""The rules of the game for beginners, and how each edition differs, in words: for a terminal and a web page.

Source: RULES.md. Cards are written as everywhere else, such as r7, so that a page can draw them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from arena.game.cards import card_name
from arena.game.explain import judge_claim, read_side
from arena.game.rules import SHORT_NAMES, Rules, differences, load_rules, preset_names

GAME = """\
Nine stones lie in a row between two players. The first to own five of them,
or three side by side, wins.

There are 54 cards, one of each: six colours (red, green, blue, yellow, purple,
pink) with the values 1 to 9. You hold six, with tactic cards seven. On your turn you

1. play a card to your side of a stone, where it stays,
2. claim stones, if you can,
3. draw a card.

A side is full with three cards. When both sides of a stone are full, the better
formation wins it; if they are equal, the side that was full first wins it.

You need not wait for the other side. If you can prove that it can no longer beat
yours, you may claim the stone. A proof counts every card that is not face up,
even those in your own hand, as one that the opponent may still get.

So filling a side first wins ties, and waiting shows you what you have to beat.
Most games are decided by which stones are kept open."""
CODES = """\
Cards are written as colour and value: r red, g green, b blue, y yellow, p purple,
k pink; k7 is pink 7. r7@3 is the move of red 7 to stone 3."""

FORMATIONS = (
    ("colour run", "r4 r5 r6", "one colour, three values in a row"),
    ("of a kind", "r7 g7 b7", "one value"),
    ("colour", "r2 r5 r9", "one colour"),
    ("run", "r4 g5 b6", "three values in a row"),
    ("sum", "r9 g8 b3", "anything else"),
)
"""Name, example and condition of each formation, the strongest first."""
TIE = "Between two formations of one name, the higher sum wins."

EXAMPLE = (
    "schotten/1 base cards:k4b5g4p2b4p3r7p4r8r3r9g3y2k8y5k9g6b8p7g9p8p9r1k7g2b2b3y6k1y7r5g1g7b1b9y1y3p1k6r2p6k2k3r4y4g5"
    "p5k5r6b6b7g8y8y9/:0 11; k4@2,b5@1,g4@2,p2@2,b4@2,p3@2,r7@1,p4@2,r8@1,r3@3,r9@1,g3@3,y2@3,k8@4,y5@3,k9@4,g6@4,b8@5,"
    "p7@5,g9@6,p8@5,p9@6,r1@7,k7@7,g2@7,b2@8,b3@7,y6@9,k1@8,y7@9; * 1-1"
)
HAND = "r5 g7 b9 y3 k6 p6"
"""A game to look at, as a record in which you have seat 0, and your hand."""
BOARD_KEY = (
    "Stone 1 is yours: no three cards beat r7 r8 r9, so you could claim it against a single b5.",
    "Stone 2 is the opponent's: p2 p3 p4 is a colour run, and beats three of a kind.",
    "Stone 7 is open, although your side is full: k7 can still become k5 k6 k7. Holding k6 yourself proves nothing.",
    "At stone 5, p6 would make your side p6 p7 p8. Then only b7 b8 b9 still beats it; as soon as b7 or b9 is face up"
    " elsewhere, the stone is yours.",
)


@dataclass(frozen=True)
class Exercise:
    """A position to answer: one stone, `mine` below and `theirs` above, and answers of which `right` is the right one.

    With `cards` the answers are cards in hand to play there; `older` is `mine` or `theirs`, the side that was complete
    first.
    """

    ask: str
    mine: str
    theirs: str
    answers: tuple[str, ...]
    right: int
    modes: tuple[str, ...] = ()
    older: str | None = None
    cards: bool = False

    def verdict(self, answer: int) -> str:
        """Judge an answer in a sentence: why the claim holds or not, after its card has been played."""
        rules = load_rules("tactical")
        mine = read_side(rules, self.mine.split() + ([self.answers[answer]] if self.cards else []))
        theirs = read_side(rules, self.theirs.split())
        reason = judge_claim(rules, mine, theirs, (), self.modes, self.older).reason
        return f"{'Right' if answer == self.right else 'Not so'}: {reason}."


_YES_NO = ("yes", "no")
EXERCISES = (
    Exercise("Can you claim this stone?", "r7 r8 r9", "b5", _YES_NO, 0, older="mine"),
    Exercise("Can you claim this stone?", "k4 g4 b4", "k8 k9", _YES_NO, 1, older="mine"),
    Exercise("Who wins this stone?", "r8 g8 b8", "y1 y2 y3", ("you", "the opponent"), 1, older="theirs"),
    Exercise("Your side was full first. Who wins?", "r3 g5 y9", "b4 k6 p7", ("you", "the opponent"), 0, older="mine"),
    Exercise("Which card wins the stone at once?", "p7 p8", "b8 b9", ("b7", "p6", "p9"), 2, older="mine", cards=True),
    Exercise(
        "There is Fog: only the sum counts. Who wins?",
        "r1 r2 r3",
        "b9 k8 y7",
        ("you", "the opponent"),
        1,
        ("fog",),
        "mine",
    ),
)
"""Six positions that teach the game; the rules are IELLO's."""

TACTICS = {
    "*J": "any card you like; there are two, one per player",
    "*7": "a card of any colour with the value {spy}",
    "*123": "a 1, 2 or 3 of any colour",
    "fog": "at this stone only the sum counts",
    "mud": "at this stone a side takes four cards",
    "scout": "draw three cards from either deck, then put two back",
    "redeploy": "move one of your cards to another stone, or discard it",
    "deserter": "discard one of the opponent's cards",
    "traitor": "move one of the opponent's clan cards to your side",
}
LIMIT = "You may have played at most one tactic card more than the opponent."

_WORDS: Mapping[str, Mapping[object, str]] = {
    "tactics": {True: "ten tactic cards in a deck of their own", False: "no tactic cards"},
    "values": {9: "clan cards from 1 to 9", 10: "clan cards from 1 to 10"},
    "claim_window": {
        "after_play": "you claim after you have played a card",
        "any_before_draw": "you may also claim before you play a card",
        "turn_start": "you claim only before you play, so the opponent can answer what you have just completed",
    },
    "spy_value": {7: "the spy is a 7", 8: "the spy is an 8"},
    "wild_binding": {
        "on_claim": "a wild card gets its colour and value at the claim",
        "on_play": "a wild card gets its colour and value when it is played",
    },
    "scout_return": {
        "top": "the recruiter's two cards go back on top of their decks",
        "bottom": "the recruiter's two cards go back under their decks",
    },
    "scout_source": {
        "either": "the recruiter draws from both decks",
        "single": "the recruiter draws all three cards from one deck",
    },
    "ruse_targets": {
        "clan_and_elite": "Strategist and Banshee may also take wild cards",
        "clan_only": "Strategist and Banshee take clan cards only",
    },
}
_OF_TACTICS = ("spy_value", "wild_binding", "scout_return", "scout_source", "ruse_targets")


def tactic_cards(rules: Rules) -> Iterator[tuple[str, str, str]]:
    """Yield the sign of each tactic card, its name in the edition, and its effect."""
    for sign, effect in TACTICS.items():
        card = f"*{rules.spy_value}" if sign == "*7" else sign
        yield card, card_name(card, rules.edition), effect.format(spy=rules.spy_value)


def changes(rules: Rules, known: Rules) -> list[str]:
    """Return a clause for each noticeable difference between `rules` and the rules that a player knows."""
    clauses = []
    for option, (_, new) in differences(known, rules).items():
        if option == "hand_size":
            clauses.append(f"a hand of {new} cards")
        elif rules.tactics or option not in _OF_TACTICS:
            clauses.append(_WORDS[option][new])
    return clauses


def editions() -> Iterator[tuple[str, str]]:
    """Yield each rule set's name, and a sentence that describes it."""
    short = {name: alias for alias, name in SHORT_NAMES.items()}
    for name in [*short, *(name for name in preset_names() if name not in short)]:
        yield short.get(name, name), sentence(load_rules(name))


def sentence(rules: Rules) -> str:
    """Describe a rule set: IELLO's against one another, all others against the nearest of IELLO's.

    >>> sentence(load_rules("battle-line-base"))
    'Like base, but clan cards from 1 to 10; a hand of 7 cards; you may also claim before you play a card.'
    """
    if rules == load_rules("base"):
        return "The basic game, without tactic cards."
    known = "base"
    if rules.tactics and rules.name != "iello-tactical":
        known = "expert" if rules.claim_window == "turn_start" and rules.name != "iello-expert" else "tactical"
    clauses = changes(rules, load_rules(known))
    return f"Like {known}, but {'; '.join(clauses)}." if clauses else f"The same as {known}."
