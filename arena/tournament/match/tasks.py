"""What is to be played: games, units of work and chunks of units.

Identity of a game is `(pairing, deal, game)`. `pairing` is the number of a pairing (bot `a` against bot
`b`) in its schedule, `deal` the number of the cards (the same cards for every pairing), and `game` says who
begins: 0 when `a` does, 1 when `b` does. The bot that begins sits on the deal's starting seat, so the two
games of a pair are the same cards with the bots swapped.

Task types are named tuples: they are made and sent by the hundred thousand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, TypeAlias

from arena.text import quoted

PAIRING_BITS = 24
"""Pairings below 2**24 (16 million), deals below 2**38: a game's identity fits into one 63-bit integer."""
DEAL_BITS = 38
_PAIRING_MASK = (1 << PAIRING_BITS) - 1


class GameId(NamedTuple):
    """Identity of a game; sorted by `key`, games stand in the order of the schedule (deal by deal)."""

    pairing: int
    deal: int
    game: int

    @property
    def key(self) -> int:
        """One integer for the identity: `deal`, `pairing`, `game` from high bits to low.

        >>> GameId.from_key(GameId(pairing=3, deal=17, game=1).key)
        GameId(pairing=3, deal=17, game=1)
        """
        return game_key(self.pairing, self.deal, self.game)

    @classmethod
    def from_key(cls, key: int) -> GameId:
        return cls(key >> 1 & _PAIRING_MASK, key >> (PAIRING_BITS + 1), key & 1)

    def __str__(self) -> str:
        """`PAIRING/DEAL/GAME`, read back by `parse`.

        >>> str(GameId(3, 17, 1))
        '3/17/1'
        """
        return f"{self.pairing}/{self.deal}/{self.game}"

    @classmethod
    def parse(cls, text: str) -> GameId:
        """Read `PAIRING/DEAL/GAME`; ValueError for anything else.

        >>> GameId.parse("3/17/1")
        GameId(pairing=3, deal=17, game=1)
        >>> GameId.parse("16777216/0/0")
        Traceback (most recent call last):
        ValueError: a pairing is a number up to 16777215, not '16777216'
        """
        parts = text.strip().split("/")
        digits = all(part.isascii() and part.isdigit() for part in parts)
        if len(parts) == 3 and digits and parts[2] not in ("0", "1"):
            raise ValueError(f"{quoted(text)}: the last number must be 0 or 1")
        if len(parts) != 3 or not digits:
            raise ValueError(f"a game is named PAIRING/DEAL/GAME, such as 0/12/1, not {quoted(text)}")
        numbers = [part.lstrip("0") or "0" for part in parts]  # Python reads no numbers of thousands of digits
        for number, bits, what in zip(numbers, (PAIRING_BITS, DEAL_BITS), ("pairing", "deal")):
            if len(number) > bits or int(number) >> bits:
                raise ValueError(f"a {what} is a number up to {(1 << bits) - 1}, not {quoted(number, 30)}")
        return cls(*map(int, numbers))


def game_key(pairing: int, deal: int, game: int) -> int:
    """The identity as one integer, see `GameId.key`."""
    return deal << (PAIRING_BITS + 1) | pairing << 1 | game


class GameTask(NamedTuple):
    """One game to play. `first` begins and sits on the deal's starting seat (`Deal.starter`)."""

    pairing: int
    deal: int
    game: int
    first: str
    second: str
    round: int

    @property
    def key(self) -> int:
        return game_key(self.pairing, self.deal, self.game)

    @property
    def id(self) -> GameId:
        return GameId(self.pairing, self.deal, self.game)


class Pairing(NamedTuple):
    """Two bots that meet in a round. A bot that has a bye is in no pairing."""

    number: int
    round: int
    a: str
    b: str


class PairTask(NamedTuple):
    """The unit of work: one deal, both bots.

    `games` is (0, 1): `a` begins, then `b`. Unpaired designs have one game.
    """

    pairing: int
    deal: int
    a: str
    b: str
    round: int = 0
    games: tuple[int, ...] = (0, 1)

    def game_tasks(self) -> tuple[GameTask, ...]:
        """
        >>> [(g.first, g.second) for g in PairTask(0, 5, "greedy", "random").game_tasks()]
        [('greedy', 'random'), ('random', 'greedy')]
        """
        pairing, deal, a, b, round_, games = self
        return tuple(
            [
                GameTask(pairing, deal, game, b, a, round_) if game else GameTask(pairing, deal, game, a, b, round_)
                for game in games
            ]
        )


class SeriesRule(NamedTuple):
    """How a series goes (RULES.md §7): who begins the next game, and when it ends (`rounds` or `target`).

    `stride` is the greatest number of games of a series, and the number of deals set apart for each.
    """

    next_starter: str
    rounds: int | None
    target: int | None
    stride: int


class SeriesTask(NamedTuple):
    """A series as a unit of work: its games are played in sequence, on deals `deal`, `deal + 1`, ...

    `starter` is 0 if `a` begins the first game, 1 if `b` does.
    """

    pairing: int
    deal: int
    a: str
    b: str
    round: int
    starter: int
    rule: SeriesRule

    def game_task(self, number: int, starter: int) -> GameTask:
        """Game `number` (from 0) of the series, begun by bot `starter`."""
        first, second = (self.b, self.a) if starter else (self.a, self.b)
        return GameTask(self.pairing, self.deal + number, starter, first, second, self.round)


Task: TypeAlias = PairTask | SeriesTask


@dataclass(frozen=True)
class Chunk:
    """Consecutive units of work, sent to a worker as one. Travels as plain tuples, which pickle fast."""

    number: int
    tasks: tuple[Task, ...]

    def __len__(self) -> int:
        return len(self.tasks)

    def head(self, units: int) -> Chunk:
        """The first `units` units, for a chunk that was broken off: only whole units are stored."""
        return Chunk(self.number, self.tasks[:units])

    def __reduce__(self) -> tuple[Callable[..., Chunk], tuple[object, ...]]:
        # plain tuples pickle three times as fast as named ones
        return _unpack, (self.number, tuple((type(t) is SeriesTask, tuple(t)) for t in self.tasks))


def _unpack(number: int, rows: tuple[tuple[bool, tuple[object, ...]], ...]) -> Chunk:
    return Chunk(number, tuple(SeriesTask(*_rule(t)) if s else PairTask(*t) for s, t in rows))  # type: ignore[arg-type]


def _rule(task: tuple[object, ...]) -> tuple[object, ...]:
    return (*task[:-1], SeriesRule(*task[-1]))  # type: ignore[misc]


def chunks(tasks: Iterable[Task], size: int, start: int = 0) -> Iterator[Chunk]:
    """Cut a stream of units into chunks of `size` units, numbered from `start`; lazily.

    >>> [len(c) for c in chunks((PairTask(0, d, "a", "b") for d in range(5)), 2)]
    [2, 2, 1]
    """
    stream = iter(tasks)
    number = start
    while part := tuple(islice(stream, size)):
        yield Chunk(number, part)
        number += 1
