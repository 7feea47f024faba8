"""Rule sets, formations and proofs: RULES.md §1, §2, §3 and §6 as plain functions over card texts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from itertools import combinations, product
from typing import Any

SEATS = (0, 1)
STONES = range(9)  # indices; stone 1 of the rules is index 0
LETTERS = "ab"  # of the seats, as owners
COLOURS = "rgbypk"  # RULES.md §1: red, green, blue, yellow, purple, pink
MODES = ("fog", "mud")
RUSES = ("scout", "redeploy", "deserter", "traitor")

# RULES.md §2, strongest first
CATEGORIES = ("color_run", "kind", "color", "run", "sum")

Strength = tuple[str, int]  # category, sum


# ---------------------------------------------------------------------------------------------------------
# RULES.md §6: options and editions


@dataclass(frozen=True)
class Options:
    """A rule set: the named options of RULES.md §6."""

    name: str = ""
    tactics: bool = False
    values: int = 9
    hand_size: int = 6
    claim_window: str = "after_play"  # after_play | any_before_draw | turn_start
    spy_value: int = 7
    wild_binding: str = "on_claim"  # on_claim | on_play
    scout_return: str = "bottom"  # top | bottom
    scout_source: str = "either"  # either | single
    ruse_targets: str = "clan_and_elite"  # clan_and_elite | clan_only

    @classmethod
    def like(cls, rules: Any) -> Options:
        """Copy the options from any object that has attributes of the same names."""
        return cls(**{field.name: getattr(rules, field.name) for field in fields(cls)})

    @property
    def spy(self) -> str:
        return f"*{self.spy_value}"


def _edition(name: str, base_hand: int, tactical_hand: int, window: str, **options: Any) -> list[Options]:
    """Base, tactical and expert game of one edition; the expert rule claims at the start of the turn."""
    return [
        Options(f"{name}-base", False, hand_size=base_hand, claim_window=window, **options),
        Options(f"{name}-tactical", True, hand_size=tactical_hand, claim_window=window, **options),
        Options(f"{name}-expert", True, hand_size=tactical_hand, claim_window="turn_start", **options),
    ]


_ALL = [
    # ass-1999 knows no tactic cards: the options that concern them are idle
    Options("ass-1999-base", False, hand_size=6, claim_window="any_before_draw"),
    *_edition("ps-2004", 6, 6, "any_before_draw", scout_return="top"),
    *_edition("iello", 6, 7, "after_play", scout_return="bottom"),
    *_edition("bga", 6, 7, "after_play", scout_return="bottom", wild_binding="on_play", ruse_targets="clan_only"),
    *_edition("battle-line", 7, 7, "any_before_draw", values=10, spy_value=8, scout_return="top"),
    Options("iello-base-expert", False, hand_size=6, claim_window="turn_start"),
    Options("s2-tactical", True, hand_size=7, claim_window="after_play", scout_return="top"),
    Options("s2-expert", True, hand_size=7, claim_window="turn_start", scout_return="top"),
    Options("s3-tactical", True, hand_size=7, claim_window="after_play", scout_source="single"),
    Options("s3-expert", True, hand_size=7, claim_window="turn_start", scout_source="single"),
]

PRESETS: dict[str, Options] = {options.name: options for options in _ALL}
for _short in ("base", "tactical", "expert"):  # "the short names mean IELLO's"
    PRESETS[_short] = PRESETS[f"iello-{_short}"]


# ---------------------------------------------------------------------------------------------------------
# RULES.md §1: cards


def clan_cards(options: Options) -> list[str]:
    """One card of each colour and value."""
    return [f"{colour}{value}" for colour in COLOURS for value in range(1, options.values + 1)]


def tactic_cards(options: Options) -> list[str]:
    """The ten tactic cards (RULES.md §5); none in a base game."""
    return ["*J", "*J", options.spy, "*123", *MODES, *RUSES] if options.tactics else []


@cache
def is_elite(card: str) -> bool:
    return card.startswith("*")


def is_open(card: str) -> bool:
    """A wild card without a binding."""
    return is_elite(card) and "=" not in card


@cache
def is_clan(card: str) -> bool:
    return card[0] in COLOURS and card[1:].isdigit()


def token(card: str) -> str:
    """The card itself, without the binding that its player fixed: '*J=r7' is the card '*J'."""
    return card.split("=")[0]


def colour_of(card: str) -> str:
    return card[0]


@cache
def value_of(card: str) -> int:
    return int(card[1:])


def capacity(env: Collection[str]) -> int:
    """RULES.md §1: 3 cards a side, or 4 where Mud lies."""
    return 4 if "mud" in env else 3


@cache
def can_be(card: str, values: int) -> tuple[str, ...]:
    """All clan cards that a card on a side may stand for (RULES.md §5)."""
    if "=" in card:  # wild_binding = on_play: "it is this value that counts"
        return (card.split("=")[1],)
    if not is_elite(card):
        return (card,)
    if card == "*J":  # "any colour, any value"
        chosen: Iterable[int] = range(1, values + 1)
    elif card == "*123":  # "value 1, 2 or 3, any colour"
        chosen = (1, 2, 3)
    else:  # "value 7 (BL: 8), any colour"
        chosen = (int(card[1:]),)
    return tuple(f"{colour}{value}" for value in chosen for colour in COLOURS)


# ---------------------------------------------------------------------------------------------------------
# RULES.md §2: formations


def formation(cards: Sequence[str]) -> Strength:
    """Category and sum of clan cards that fill a side.

    >>> formation(["r8", "r9", "r1"])   # "a run does not wrap"
    ('color', 18)
    """
    values = sorted([value_of(card) for card in cards])
    one_colour = len({colour_of(card) for card in cards}) == 1
    consecutive = values == list(range(values[0], values[0] + len(values)))
    if one_colour and consecutive:
        category = "color_run"
    elif len(set(values)) == 1:  # "all one value (under Mud: four of a kind)"
        category = "kind"
    elif one_colour:
        category = "color"
    elif consecutive:
        category = "run"
    else:
        category = "sum"
    return category, sum(values)


def beats(one: Strength, other: Strength) -> bool:
    """RULES.md §2: "Category first, then the sum of the values". An exact tie does not beat."""
    if one[0] != other[0]:
        return CATEGORIES.index(one[0]) < CATEGORIES.index(other[0])
    return one[1] > other[1]


def _strength(cards: Sequence[str], env: Collection[str]) -> Strength:
    if "fog" in env:  # RULES.md §5: "at this stone only sums count"
        return "sum", sum(value_of(card) for card in cards)
    return formation(cards)


@lru_cache(maxsize=300_000)
def _best(cards: tuple[str, ...], env: frozenset[str], values: int) -> Strength:
    named = [can_be(card, values)[0] for card in cards if not is_open(card)]
    colour = colour_of(named[0]) if named else COLOURS[0]
    readings = [
        [as_ for as_ in can_be(card, values) if not is_open(card) or colour_of(as_) == colour] for card in cards
    ]
    strongest: Strength | None = None
    for reading in product(*readings):
        strength = _strength(reading, env)
        if strongest is None or beats(strength, strongest):
            strongest = strength
    assert strongest is not None
    return strongest


def best(cards: Sequence[str], env: Collection[str], options: Options) -> Strength:
    """The best category and sum of a complete side: "Wild cards take the assignment that is best for their owner".

    One shortcut: all wilds take the colour of the first card that has one. Colours matter in one way only, in that
    they may be all the same; another colour never makes a side stronger.

    >>> best(["*J", "*7", "*123"], (), PRESETS["tactical"])
    ('color', 19)
    """
    if len(cards) != capacity(env):
        raise ValueError(f"a complete side has {capacity(env)} cards here, not {len(cards)}: {list(cards)}")
    return _best(tuple(sorted(cards)), frozenset(env), options.values)


# ---------------------------------------------------------------------------------------------------------
# RULES.md §3: proofs


class _Remembered:
    """What earlier proofs found about one question (own strength, opposing side, environment)."""

    refutation: tuple[str, ...] | None = None
    held_with: frozenset[str] | None = None


_memory: dict[tuple[Strength, tuple[str, ...], frozenset[str], int], _Remembered] = {}


def refutation(
    mine: Sequence[str],
    theirs: Sequence[str],
    unseen: Collection[str],
    env: Collection[str],
    options: Options,
) -> tuple[str, ...] | None:
    """The first completion of `theirs` by cards of `unseen` that beats `mine`; None if there is none. With too few
    cards left to complete the side there is no completion, and so the claim holds.

    With a memory: a completion that beat the same strength before does so again while its cards are face down, and a
    claim that held while more cards were face down still holds."""
    strength = best(mine, env, options)
    face_down = frozenset(unseen)
    if len(_memory) > 50_000:
        _memory.clear()
    memory = _memory.setdefault((strength, tuple(sorted(theirs)), frozenset(env), options.values), _Remembered())
    if memory.refutation is not None and face_down.issuperset(memory.refutation):
        return memory.refutation
    if memory.held_with is not None and face_down <= memory.held_with:
        return None
    # high cards first, only because they are found to refute sooner
    order = sorted(face_down, key=lambda card: (-value_of(card), card))
    for extra in combinations(order, capacity(env) - len(theirs)):
        # "A completion that only ties does not beat the claimant, who was complete first"
        if beats(best([*theirs, *extra], env, options), strength):
            memory.refutation = extra
            return extra
    memory.held_with = face_down
    return None


def claim_holds(
    mine: Sequence[str],
    theirs: Sequence[str],
    seen: Iterable[str],
    env: Collection[str],
    first_complete: str | None,
    options: Options,
) -> bool:
    """RULES.md §3: may the owner of `mine` claim this stone?

    `seen`: the clan cards that lie face up on any stone (this one included or not) or in a discard row.
    `first_complete`: 'mine' or 'theirs', the side with the older stamp; it counts only if both are complete.

    >>> pink_but_one = ["p2", "p3", "p4", "p5", "p6", "p7"]
    >>> claim_holds(["r7", "g8", "b9"], ["p9", "p8"], pink_but_one, (), None, PRESETS["base"])
    False
    """
    if len(mine) < capacity(env):  # condition 1: "the own side is complete"
        return False
    if len(theirs) == capacity(env):  # condition 2: "against a complete opposing side, by the order above"
        strength, other = best(mine, env, options), best(theirs, env, options)
        if strength == other:  # §2: "then whichever side was completed first wins"
            if first_complete not in ("mine", "theirs"):
                raise ValueError("an exact tie of two complete sides: say which was complete first")
            return first_complete == "mine"
        return beats(strength, other)
    # "A completion may use any clan cards that are not face up anywhere"; what a wild copies is not face up
    face_up = {card for card in (*seen, *mine, *theirs) if is_clan(card)}
    unseen = [card for card in clan_cards(options) if card not in face_up]
    return refutation(mine, theirs, unseen, env, options) is None


# ---------------------------------------------------------------------------------------------------------
# Ends (§3), the tactic limit (§5), points (§7)


def win_reason(owners: str, letter: str) -> str | None:
    """RULES.md §3, game end: "at once when a player holds 3 adjacent stones or 5 stones".

    >>> win_reason("aabaa....", "a") is None
    True
    """
    if owners.count(letter) >= 5:
        return "five stones"
    if letter * 3 in owners:
        return "three adjacent"
    return None


def may_play_tactic(played_by_me: int, played_by_opponent: int) -> bool:
    """RULES.md §5, limit: "after playing it, a player's number of tactic cards played may be at most one more
    than the opponent's"."""
    return played_by_me + 1 <= played_by_opponent + 1


def match_points(owners: str, winner: int | None) -> tuple[int, int]:
    """RULES.md §7: the winner scores 5, the loser one a stone; in a draw each scores one a stone."""
    a, b = (5 if seat == winner else owners.count(LETTERS[seat]) for seat in SEATS)
    return a, b
