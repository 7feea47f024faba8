"""Explain what a side is worth, whether a claim holds and why a move is not legal.

The engine's own functions decide; this module reads cards and words the answers (RULES.md §2, §3, §5).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from arena.errors import ArenaError
from arena.game.board import Board, hand_texts
from arena.game.cards import (
    ALL60,
    BEARER,
    BEARER_CARD,
    CARD_TEXTS,
    ELITE_TEXTS,
    JOKER,
    JOKER_CARD,
    RANK,
    SPY,
    SPY_CARD,
    card_number,
    clan_cards,
)
from arena.game.formations import find_refutation, side_strength
from arena.game.moves import MOVES, Move
from arena.game.rules import Rules

#: Categories, weakest first, as data and in words.
_CATEGORIES = ("sum", "run", "color", "kind", "color_run")
CATEGORY_WORDS = ("sum", "run", "colour", "of a kind", "colour run")
MODES = ("mud", "fog")


class PositionError(ArenaError):
    """An impossible position: the message names the card or the key."""


@dataclass(frozen=True, slots=True)
class Side:
    """The cards of one side: a word of bits and the bindings of joker, spy and shield-bearer (-1: free)."""

    texts: tuple[str, ...]
    word: int
    bindings: tuple[int, int, int]

    @property
    def size(self) -> int:
        """The number of cards."""
        return len(self.texts)


@dataclass(frozen=True, slots=True)
class Formation:
    """The value of a complete side of `size` cards: its strength, and the cards that its free wilds stand for."""

    strength: int
    wilds: tuple[tuple[str, str], ...]
    size: int = 3

    @property
    def category(self) -> str:
        """`color_run`, `kind`, `color`, `run` or `sum`."""
        return _CATEGORIES[self.strength // RANK]

    @property
    def sum(self) -> int:
        """The sum of the values."""
        return self.strength % RANK

    @property
    def label(self) -> str:
        """The category and the sum in a few letters, such as `colour run 24`."""
        return f"{CATEGORY_WORDS[self.strength // RANK]} {self.sum}"

    def __str__(self) -> str:
        notes = [f"{wild} as {card}" for wild, card in self.wilds]
        words = CATEGORY_WORDS[self.strength // RANK]
        if self.category == "sum":
            words = f"a sum of {self.sum}"
        else:
            number = "a" if self.category != "kind" else "three" if self.size == 3 else "four"
            words = f"{number} {words}"
            notes.insert(0, f"sum {self.sum}")
        return words + (f" ({', '.join(notes)})" if notes else "")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to a claim: whether it holds, and why.

    `refutation` holds the unseen cards that would make the other side strongest. It is empty if the claim holds, or if
    the other side beats it already.
    """

    holds: bool
    reason: str
    refutation: tuple[str, ...] = ()


def read_side(rules: Rules, cards: Iterable[str]) -> Side:
    """Read the cards of a side, such as `r7`, `*J` or bound `*J=r7`. Raises `PositionError` for a wrong card."""
    word = 0
    bindings = [-1, -1, -1]
    texts = []
    for text in cards:
        card, equals, binding = text.partition("=")
        number = _known(rules, card)
        if number > BEARER_CARD:
            raise PositionError(f"{card} cannot lie on a side; clan cards, *J, *{rules.spy_value} and *123 can")
        if word >> number & 1:
            raise PositionError(f"{card} is twice on one side")
        if equals:
            bindings[number - JOKER_CARD] = _binding(rules, number, binding, text)
        elif number >= JOKER_CARD and rules.wild_binding == "on_play":
            value = rules.spy_value if number == SPY_CARD else 1
            raise PositionError(
                f"in {rules.short_name}, a wild card gets its colour and value when it is played, "
                f"such as {card}=r{value}"
            )
        word |= 1 << number
        texts.append(text)
    return Side(tuple(texts), word, (bindings[0], bindings[1], bindings[2]))


def _known(rules: Rules, card: str) -> int:
    number = card_number(card)
    if number < 60 and number >= 6 * rules.values:
        raise PositionError(f"there is no {card} in {rules.short_name}, the values run to {rules.values}")
    if number >= 60 and not rules.tactics:
        raise PositionError(f"there is no {card} in {rules.short_name}, which has no tactic cards; 'tactical' has them")
    if number == SPY_CARD and card != f"*{rules.spy_value}":
        raise PositionError(f"the spy of {rules.short_name} is *{rules.spy_value}, not {card}")
    return number


def _binding(rules: Rules, wild: int, binding: str, text: str) -> int:
    if wild < JOKER_CARD:
        raise PositionError(f"'{text}': only wild cards stand for another card")
    number = _known(rules, binding)
    value = number // 6 + 1
    fits = {JOKER_CARD: True, SPY_CARD: value == rules.spy_value, BEARER_CARD: value <= 3}[wild]
    if number >= 60 or not fits:
        raise PositionError(f"'{text}': this wild cannot be {binding}")
    return number


def evaluate(rules: Rules, side: Side, modes: Sequence[str] = ()) -> Formation:
    """Return the best formation of a complete side under the stone's modes.

    >>> from arena.game.rules import load_rules
    >>> rules = load_rules("tactical")
    >>> print(evaluate(rules, read_side(rules, ["r1", "r3", "*123"])))
    a colour run (sum 6, *123 as r2)
    """
    n, fog = _stone(rules, modes)
    if side.size != n:
        raise PositionError(
            f"a complete side has {n} cards here, {' '.join(side.texts) or 'an empty side'} has {side.size}"
        )
    best = side_strength(side.word, n, fog, rules.values, rules.spy_value, side.bindings)
    return Formation(best, _wilds_used(rules, side, n, fog, best), n)


def _wilds_used(rules: Rules, side: Side, n: int, fog: bool, best: int) -> tuple[tuple[str, str], ...]:
    """Return cards for the free wilds that reach the best strength. Under Fog only values matter."""
    values, spy = rules.values, rules.spy_value
    ranges = range(6 * values - 1, -1, -1), range(6 * spy - 6, 6 * spy), range(17, -1, -1)
    free = [at for at, bit in enumerate((JOKER, SPY, BEARER)) if side.word & bit and side.bindings[at] < 0]
    for cards in product(*(ranges[at] for at in free)):
        bindings = list(side.bindings)
        for at, card in zip(free, cards):
            bindings[at] = card
        if side_strength(side.word, n, fog, values, spy, (bindings[0], bindings[1], bindings[2])) == best:
            names = ("*J", f"*{spy}", "*123")
            return tuple((names[at], CARD_TEXTS[card]) for at, card in zip(free, cards))
    raise AssertionError("no binding of the wilds reaches the strength of the side")


def _stone(rules: Rules, modes: Sequence[str]) -> tuple[int, bool]:
    for mode in modes:
        if mode not in MODES:
            raise PositionError(f"{mode!r:.60} is not a combat mode; expected mud or fog")
        if not rules.tactics:
            raise PositionError(f"there is no {mode} in {rules.short_name}, which has no tactic cards")
    return (4 if "mud" in modes else 3), "fog" in modes


def judge_claim(
    rules: Rules,
    mine: Side,
    theirs: Side,
    seen: Iterable[str] = (),
    modes: Sequence[str] = (),
    first: str | None = None,
) -> Verdict:
    """Judge a claim of the stone by `mine` against `theirs`.

    `seen` are the clan cards that are face up elsewhere, including discards. `first` is `mine` or `theirs`: the side
    that was completed first, needed if both are complete and exactly equal.

    >>> from arena.game.rules import load_rules
    >>> rules = load_rules("base")
    >>> judge_claim(rules, read_side(rules, ["r1", "r2", "r3"]), read_side(rules, ["b2", "b3"])).refutation
    ('b4',)
    """
    n, _ = _stone(rules, modes)
    visible = face_up(rules, mine, theirs, seen)
    for side in (mine, theirs):
        if side.size > n:
            raise PositionError(f"{' '.join(side.texts)}: a side of this stone has at most {n} cards")
    if mine.size < n:
        return Verdict(False, f"your side is not complete: {n - mine.size} of {n} cards missing")
    own = evaluate(rules, mine, modes)
    if theirs.size == n:
        return _judge_complete(own, evaluate(rules, theirs, modes), first)
    unseen = (1 << 6 * rules.values) - 1 & ~visible

    if answer := strongest(rules, theirs, unseen, modes, own.strength):
        cards, best = answer
        return Verdict(False, f"the other side could still win it with {' '.join(cards)}, {best}", cards)
    if unseen.bit_count() < n - theirs.size:
        return Verdict(True, f"{own}; too few face-down cards are left to complete the other side")
    if own.strength and strongest(rules, theirs, unseen, modes, own.strength - 1):
        return Verdict(
            True, f"{own}; unseen cards can only tie it, and a tie goes to the side that was completed first"
        )
    return Verdict(True, f"{own}; no unseen card can make the other side stronger")


def strongest(
    rules: Rules, side: Side, cards: int, modes: Sequence[str] = (), above: int = 0
) -> tuple[tuple[str, ...], Formation] | None:
    """Return the clan cards that make an incomplete side strongest, and what it becomes.

    `cards` are those to choose from, as a word of bits. None if none of them makes it stronger than `above`.
    """
    n, fog = _stone(rules, modes)
    best: tuple[tuple[str, ...], Formation] | None = None
    strength = above
    while found := find_refutation(cards, side.word, n, fog, strength, rules.values, rules.spy_value, side.bindings):
        added = clan_cards(found)
        best = added, evaluate(rules, read_side(rules, [*side.texts, *added]), modes)
        strength = best[1].strength  # until there is no better one
    return best


def face_up(rules: Rules, mine: Side, theirs: Side, seen: Iterable[str]) -> int:
    """Return the clan cards that are face up, as a word of bits. Refuses a card in two places."""
    visible = mine.word & ALL60
    if visible & theirs.word:
        raise PositionError(f"{' '.join(clan_cards(visible & theirs.word))} lies on both sides")
    if single := mine.word & theirs.word & (SPY | BEARER):  # there are two jokers
        raise PositionError(f"{f'*{rules.spy_value}' if single & SPY else '*123'} lies on both sides")
    visible |= theirs.word & ALL60
    for card in seen:
        number = _known(rules, card)
        if number >= 60:
            continue  # tactic cards take no clan card out of the pool
        if visible >> number & 1:
            raise PositionError(f"{card} lies in two places")
        visible |= 1 << number
    return visible


def _judge_complete(own: Formation, other: Formation, first: str | None) -> Verdict:
    if own.strength != other.strength:
        holds = own.strength > other.strength
        return Verdict(holds, f"{own} {'beats' if holds else 'loses to'} {other}")
    if first not in ("mine", "theirs"):
        raise PositionError(f"both sides are {own}: say which was completed first (--first mine|theirs)")
    older = "yours" if first == "mine" else "the other"
    return Verdict(first == "mine", f"both sides are {own}, and {older} was completed first")


# ---- moves that are not legal ----------------------------------------------------------------------------------

MADE_BY_HAND = "this Move object was constructed by hand; use a move from legal_moves() or parse_move()"
_MOST_SHOWN = 6
#: What each phase asks for, and the kinds of moves that answer it.
QUESTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "claim": ("this is the claim window: claim a provable stone or decline with 'no claim'", ("claim", "no claim")),
    "play": ("a card must be played now", ("place", "mode", "ruse", "pass")),
    "take": ("the ruse must take its target now", ("take",)),
    "put": ("the card that was taken must be placed now", ("place", "discard")),
    "scout": ("the recruiter draws now: 'draw clan' or 'draw tactic'", ("draw",)),
    "return": ("the recruiter returns cards now: 'return CARD'", ("return",)),
    "draw": ("a card must be drawn now: 'draw clan' or 'draw tactic'", ("draw",)),
    "over": ("the game is over", ()),
}


def why_illegal(board: Board, moves: Sequence[Move], move: Move) -> str:
    """Explain in a sentence why `move` is not legal, given the legal moves; the board has the hand of their seat."""
    return f"{move} is not legal: {_reason(board, moves, move)}"


def _reason(board: Board, moves: Sequence[Move], move: Move) -> str:
    if not any(0 <= move.index < len(table) and table[move.index] is move for table in MOVES.values()):
        return MADE_BY_HAND
    for card in (move.card, move.binding):
        if card and card not in ELITE_TEXTS and card_number(card) < 60 and int(card[1:]) > board.rules.values:
            return f"{board.rules.short_name} has no {card}"
    if move.card in ("*7", "*8") and move.card != f"*{board.rules.spy_value}":
        return f"the spy of {board.rules.short_name} is *{board.rules.spy_value}"
    asks, kinds = QUESTIONS[board.phase]
    if move.kind not in kinds:
        return asks
    if board.phase == "play":
        return _why_not_play(board, move)
    shown = ", ".join(one.text for one in moves[:_MOST_SHOWN])
    more = len(moves) - _MOST_SHOWN
    return f"what is legal now is {shown}" + (f" and {more} more" if more > 0 else "")


def _why_not_play(board: Board, move: Move) -> str:
    seat = board.to_move
    if move.kind == "pass":
        return "passing is only allowed when no clan card can be played"
    assert move.card is not None
    if move.card not in hand_texts(board, seat):
        return f"{move.card} is not in the hand"
    if card_number(move.card) >= 60:
        mine, other = board.tactics_played(seat), board.tactics_played(1 - seat)
        if mine > other:
            return f"the tactic limit: {mine} played, {other} by the opponent; the lead may not exceed one"
        if move.card == "*J" and board.joker_played(seat):
            return "each player may play only one joker per game"
    if move.kind == "ruse":
        return f"there is no card that {move.card} could take or draw now"
    stone = move.stone
    assert stone is not None
    if board.owners[stone - 1] != ".":
        return f"stone {stone} has already been claimed"
    if move.kind == "place" and _full_or_claimed(board, stone):
        return f"this player's side of stone {stone} is full ({board.capacity(stone)} cards)"
    if move.binding is None:
        example = f"{move.card}=r{1 if move.card in ('*J', '*123') else board.rules.spy_value}@{stone}"
        return f"in {board.rules.short_name}, a wild card gets its colour and value when it is played: {example}"
    return f"in {board.rules.short_name}, a wild card gets its colour and value at the claim: {move.card}@{stone}"


def _full_or_claimed(board: Board, stone: int) -> bool:
    return board.owners[stone - 1] != "." or len(board.side(board.to_move, stone)) >= board.capacity(stone)
