"""A fixed numbering of the moves of a rule set, masks over it, and a view as an array of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.adapters.stepping import observe
from arena.errors import ArenaError
from arena.game.board import Board
from arena.game.cards import CARD_NUMBERS
from arena.game.engine import View
from arena.game.moves import Move, moves_by_number
from arena.game.rules import Rules, load_rules

Mask: TypeAlias = NDArray[np.int8]
Numbers: TypeAlias = NDArray[np.float32]

_PHASES = ("claim", "play", "take", "put", "scout", "return", "draw")
_CLAN, _KINDS = 60, 69  # the numbers of clan cards, and of clan and tactic cards
_WILDS = 3


class Actions:
    """The moves that can occur under a rule set, numbered from 0 in the order of the table of moves.

    The numbers of a rule set never change between versions: they follow from `Move.index` and the rules alone.
    Claims have none: the seats claim automatically.

    >>> from arena.game.rules import load_rules
    >>> actions = Actions(load_rules("base"))
    >>> len(actions), str(actions.move(0)), str(actions.move(len(actions) - 1))
    (487, 'r1@1', 'pass')
    """

    def __init__(self, rules: Rules) -> None:
        self.moves: tuple[Move, ...] = tuple(m for m in moves_by_number(rules.spy_value) if _occurs(m, rules))
        self.codes = np.array([move.index for move in self.moves], np.uint16)
        self._numbers = {move: number for number, move in enumerate(self.moves)}

    def __len__(self) -> int:
        return len(self.moves)

    def move(self, number: int) -> Move:
        """Return the move with a number; raise ArenaError if there is none."""
        if not 0 <= int(number) < len(self.moves):
            raise ArenaError(f"{number} is not an action; actions are 0 to {len(self.moves) - 1}")
        return self.moves[int(number)]

    def number(self, move: Move) -> int:
        """Return the number of a move."""
        return self._numbers[move]

    def numbers(self, moves: Iterable[Move]) -> list[int]:
        """Return the numbers of some moves, in ascending order."""
        return sorted(self._numbers[move] for move in moves)

    def mask(self, legal: Sequence[Move]) -> Mask:
        """Return an array with 1 for each of the legal moves and 0 for all others."""
        mask = np.zeros(len(self.moves), dtype=np.int8)
        mask[[self._numbers[move] for move in legal]] = 1
        return mask


def _occurs(move: Move, rules: Rules) -> bool:
    """Return whether a move can occur under the rules."""
    if move.kind in ("claim", "no claim"):
        return False
    if not rules.tactics:
        return move.kind == "pass" or (move.kind == "place" and _clan(move.card, rules) and move.binding is None)
    if move.kind in ("place", "take", "return"):
        wild = move.card is not None and move.card.startswith("*")
        bound = rules.wild_binding == "on_play" and wild and move.kind == "place"
        if bound != (move.binding is not None) or not (wild or move.card in _TACTICS or _clan(move.card, rules)):
            return False
        if move.binding is not None and not _clan(move.binding, rules):
            return False
        return not (move.kind == "take" and wild and rules.ruse_targets == "clan_only")
    return True


_TACTICS = ("fog", "mud", "scout", "redeploy", "deserter", "traitor")


def _clan(card: str | None, rules: Rules) -> bool:
    return card is not None and CARD_NUMBERS[card] < 6 * rules.values


class ViewEncoder:
    """An encoder of everything that a seat knows, as numbers from 0 to 1; `parts` names the slices of the array.

    `hand`, `unseen` and the sides hold a 0 or 1 for each card; a bound wild counts as the wild, and in `bound` as the
    card that it stands for. Of the opponent's hand there is only `known`: cards that the seat's recruiter put back and
    the opponent has drawn.

    >>> from arena.game.rules import load_rules
    >>> observer = ViewEncoder(load_rules("base"))
    >>> observer.size, list(observer.parts)
    (1119, ['hand', 'unseen', 'mine', 'theirs', 'owners', 'first', 'counts'])
    """

    def __init__(self, rules: Rules) -> None:
        clan = 6 * rules.values
        cards = clan + (_KINDS - _CLAN) * rules.tactics
        side = clan + _WILDS * rules.tactics
        sizes = {
            "hand": cards,
            "unseen": clan,
            "mine": 9 * side,
            "theirs": 9 * side,
            "owners": 18,
            "first": 18,
            "counts": 7 if rules.tactics else 3,
        }
        if rules.tactics:
            sizes |= {
                "modes": 18,
                "beside": 2 * cards,
                "pending": side,
                "from": 9,
                "known": cards,
                "ruse": 4,
                "phase": len(_PHASES),
            }
        if rules.wild_binding == "on_play":
            sizes["bound"] = _WILDS * clan
        self.parts: dict[str, slice] = {}
        self.size = 0
        for name, size in sizes.items():
            self.parts[name] = slice(self.size, self.size + size)
            self.size += size

    def observe(self, view: View) -> Numbers:
        """Return a new array for a view."""
        return self.observe_as(view, view.seat)

    def observe_as(self, board: Board, seat: int) -> Numbers:
        """Return a new array for what a seat knows of a state, without making a view."""
        seen = np.empty(self.size, dtype=np.float32)
        observe(board, seat, seen)
        return seen


@lru_cache(maxsize=32)
def spaces_of(rules: Rules) -> tuple[Actions, ViewEncoder]:
    """Return the numbering and the observer of a rule set with automatic claims; they are made once."""
    return Actions(rules), ViewEncoder(rules)


class MissingLibrary(ArenaError, ModuleNotFoundError):
    """An adapter's library that is not installed; the message says how to install it."""

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f"this needs {library}; install it with: pip install 'schotten-arena[{extra}]'")
        self.name = library


def as_rules(rules: Any) -> Rules:
    """Return a rule set, given as rules or by name."""
    return rules if isinstance(rules, Rules) else load_rules(str(rules))
