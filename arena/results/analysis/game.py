"""A stored game judged: how the chance to win went, where it turned, which moves gave it away."""

from __future__ import annotations

from dataclasses import dataclass

from arena.results.analysis.judge import Judge, Judgement
from arena.game.record import parse_record
from arena.results.decisions import Decision, decisions
from arena.results.reading.game import StoredGame

BLUNDER = 0.1
"""A move that loses this much of the chance to win, or more, is a blunder."""
TURNS = 3
"""How many turning points are named at most."""
TURN = 0.05
"""A turning point changes the chance by this much or more."""


@dataclass(frozen=True)
class Losses:
    """What a seat's moves lost in a game (or a bot's in many): decisions judged, the sum of their losses, blunders."""

    judged: int = 0
    loss: float = 0.0
    blunders: int = 0

    @property
    def mean(self) -> float:
        """The average loss a move, nan without moves."""
        return self.loss / self.judged if self.judged else float("nan")

    def __add__(self, other: Losses) -> Losses:
        return Losses(self.judged + other.judged, self.loss + other.loss, self.blunders + other.blunders)


@dataclass(frozen=True)
class GameAnalysis:
    """A game judged. Decisions are numbered from 1, seats are 0 (a) and 1 (b).

    made        the decisions, as stored
    judged      a judgement for each
    chances     seat 0's chance to win, at the deal (0.5) and after each decision: the mean of what both seats think,
                each by its own last decision; at the end how the game ended
    nodes       the budget of each judgement; 0: the net alone
    """

    made: tuple[Decision, ...]
    judged: tuple[Judgement, ...]
    chances: tuple[float, ...]
    nodes: int

    @property
    def turning_points(self) -> list[int]:
        """Numbers of the decisions that changed the chance most, in order."""
        change = {n: abs(self.chances[n] - self.chances[n - 1]) for n in range(1, len(self.chances))}
        large = sorted((n for n in change if change[n] >= TURN), key=lambda n: (-change[n], n))
        return sorted(large[:TURNS])

    @property
    def blunders(self) -> list[int]:
        """Numbers of the decisions that gave away BLUNDER or more, in order."""
        return [one.number for one in self.judged if one.loss >= BLUNDER]

    def losses(self, seat: int) -> Losses:
        """What the moves of a seat lost, those with a choice alone."""
        own = [
            one
            for one, made in zip(self.judged, self.made)
            if one.seat == seat and one.chance is not None and len(made.legal) > 1
        ]
        return Losses(len(own), sum(one.loss for one in own), sum(one.loss >= BLUNDER for one in own))


def analyse(game: StoredGame, nodes: int = 0, judge: Judge | None = None) -> GameAnalysis:
    """Judge the moves of a game. The same game and budget give the same numbers.

    `judge` is one for the rules of the game, for callers with many games. RecordError if it does not replay.
    """
    record = parse_record(game.record)
    made = decisions(game.result or record)
    judged = tuple((judge or Judge(record.rules, nodes)).all(made))
    return GameAnalysis(tuple(made), judged, _chances(made, judged), nodes)


def _chances(made: list[Decision], judged: tuple[Judgement, ...]) -> tuple[float, ...]:
    """Seat 0's chance after each decision."""
    thinks = [0.5, 0.5]  # seat 0's chance, as either seat sees it
    chances = [0.5]
    for one in judged:
        if one.chance is not None:
            thinks[one.seat] = 1.0 - one.chance if one.seat else one.chance
        chances.append((thinks[0] + thinks[1]) / 2)
    end = made[-1].after.outcome if made else None
    if end is not None:
        chances[-1] = 0.5 if end.winner is None else float(end.winner == 0)
    return tuple(chances)
