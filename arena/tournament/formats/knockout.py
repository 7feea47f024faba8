"""Knockout: the loser of a pairing is out.

Each round has its own deals: round r begins at deal r times the deals of a round, extra ones included. The next
round is computed only from the scores of the previous rounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from arena.tournament.formats.schedule import (
    Format,
    GamesPerPairing,
    Meeting,
    Place,
    Schedule,
    deal_tasks,
    deals_for,
    margin,
    taking_turns,
)
from arena.tournament.games import GameResult, Pairing, PairingScore, ScheduleProgress, Task


@dataclass(frozen=True)
class Knockout(Schedule):
    """Bots are seeded in the order they were named; the first ones get the byes.

    A drawn pairing is extended by one deal at a time, up to `extra`; then the difference of match points decides
    (5 for a win, else one per stone), then the seed.
    """

    bots: tuple[str, ...]
    deals: GamesPerPairing
    extra: int

    @property
    def deal_count(self) -> int:
        """Return the number of deals of all rounds, extra ones included."""
        return (len(self.bots) - 1).bit_length() * (self.deals.units + self.extra)

    @property
    def design(self) -> str:
        """Return whether both games of a deal are played."""
        return self.deals.design

    def _winner(self, first: int, second: int, score: PairingScore) -> int | None:
        """Return the bot that advances, None while the pairing is undecided."""
        if score.games < self.deals.games:
            return None
        if margin(score):
            return first if margin(score) > 0 else second
        if score.games < self._most:
            return None
        if score.points_a != score.points_b:
            return first if score.points_a > score.points_b else second
        return min(first, second)

    @property
    def _most(self) -> int:
        return (self.deals.units + self.extra) * self._unit

    @property
    def _unit(self) -> int:
        return 2 if self.deals.paired else 1

    def _replay(self, done: ScheduleProgress) -> tuple[list[list[tuple[Pairing, int | None]]], int | None]:
        """Return all rounds known so far, each pairing with its winner, and the winner of the tournament."""
        left: list[int | None] = [seed if seed < len(self.bots) else None for seed in bracket(len(self.bots))]
        rounds: list[list[tuple[Pairing, int | None]]] = []
        base = 0
        while len(left) > 1:
            following: list[int | None] = []
            played: list[tuple[Pairing, int | None]] = []
            for slot in range(0, len(left), 2):
                first, second = left[slot], left[slot + 1]
                if first is None or second is None:
                    following.append(second if first is None else first)
                    continue
                first, second = min(first, second), max(first, second)
                pairing = Pairing(base + slot // 2, len(rounds), self.bots[first], self.bots[second])
                winner = self._winner(first, second, done.result(pairing, self._most))
                played.append((pairing, winner))
                following.append(winner)
            rounds.append(played)
            if any(winner is None for _, winner in played):
                return rounds, None
            base += len(left) // 2
            left = following
        return rounds, left[0]

    def pairings(self, done: ScheduleProgress) -> Sequence[Pairing]:
        """Return the pairings known so far, by number."""
        return [pairing for played in self._replay(done)[0] for pairing, _ in played]

    def tasks(self, done: ScheduleProgress) -> Iterator[Task]:
        """Yield the units left in the current round."""
        open_pairings = [pairing for pairing, winner in self._replay(done)[0][-1] if winner is None]
        if not open_pairings:
            return
        begin = open_pairings[0].round * (self.deals.units + self.extra)
        regular = range(begin, begin + self.deals.units)
        begins = taking_turns(open_pairings, self.bots, begin)
        yield from deal_tasks(open_pairings, regular, self.deals.paired, begins, done)
        for pairing in open_pairings:
            games = done.score(pairing.number).games
            if games >= self.deals.games:  # drawn so far
                deal = begin + games // self._unit
                begins = taking_turns([pairing], self.bots, deal)
                yield from deal_tasks([pairing], range(deal, deal + 1), self.deals.paired, begins, done)

    def planned(self, done: ScheduleProgress) -> int:
        """Return the number of games without the extra ones of pairings that are not drawn yet."""
        games = (len(self.bots) - 1) * self.deals.games
        for played in self._replay(done)[0]:
            for pairing, winner in played:
                extra = done.score(pairing.number).games - self.deals.games
                if done.is_walkover(pairing):
                    games -= self.deals.games
                elif extra >= 0:
                    games += extra + (self._unit if winner is None else 0)
        return games

    def ranking(self, done: ScheduleProgress, games: Iterable[GameResult] = ()) -> list[Place]:
        """Rank by the round in which a bot went out; bots of the same round share a rank.

        Points are the rounds a bot survived (by a win or a bye); for a bot still in, they include the current round.
        """
        rounds, champion = self._replay(done)
        lost: dict[str, tuple[int, str]] = {}
        for number, played in enumerate(rounds):
            for pairing, winner in played:
                if winner is not None:
                    loser = pairing.b if self.bots[winner] == pairing.a else pairing.a
                    lost[loser] = (number, f"lost to {self.bots[winner]} in round {number + 1}")
        staying = (len(rounds), "still in" if champion is None else "winner")
        fates = [(bot, *lost.get(bot, staying)) for bot in self.bots]
        rounds_begun = [survived for _, survived, _ in fates]
        return sorted(
            (
                Place(1 + sum(other > survived for other in rounds_begun), bot, float(survived), (), remark)
                for bot, survived, remark in fates
            ),
            key=lambda line: line.rank,
        )

    def round_results(self, done: ScheduleProgress) -> list[list[Meeting]]:
        """Return the bracket from top to bottom, round by round up to the final, including rounds not known yet.

        Meeting i of a round is between the winners of the meetings 2i (`a`) and 2i + 1 (`b`) of the round before.
        """
        played = {pairing.number: (pairing, winner) for first in self._replay(done)[0] for pairing, winner in first}
        seeds = bracket(len(self.bots))
        left: list[str | None] = [self.bots[seed] if seed < len(self.bots) else None for seed in seeds]
        shown: list[list[Meeting]] = []
        base = 0
        while len(left) > 1:
            meetings = []
            for slot in range(len(left) // 2):
                number, (first, second) = base + slot, left[2 * slot : 2 * slot + 2]
                if number in played:
                    pairing, winner = played[number]
                    meetings.append(self._meeting(pairing, winner, done, flipped=pairing.a != first))
                elif not shown and (first is None or second is None):
                    meetings.append(Meeting(0, first or second, None, PairingScore(), first or second, "bye"))
                else:
                    meetings.append(Meeting(len(shown), first, second, PairingScore(), None, ""))
            shown.append(meetings)
            base += len(left) // 2
            left = [meeting.winner for meeting in meetings]
        return shown

    def _meeting(self, pairing: Pairing, winner: int | None, done: ScheduleProgress, flipped: bool) -> Meeting:
        decided_by, score = "", done.score(pairing.number)
        if done.is_walkover(pairing):
            decided_by = "walkover"
        elif winner is not None:
            decided_by = "games" if margin(score) else "match points" if score.points_a != score.points_b else "seed"
        bot = None if winner is None else self.bots[winner]
        if flipped:
            return Meeting(pairing.round, pairing.b, pairing.a, ~score, bot, decided_by)
        return Meeting(pairing.round, pairing.a, pairing.b, score, bot, decided_by)


def bracket(size: int) -> list[int]:
    """Return seeds (from 0) in bracket order, filled up to a power of two: the best two can only meet in the final.

    >>> bracket(4), bracket(6)
    ([0, 3, 1, 2], [0, 7, 3, 4, 1, 6, 2, 5])
    """
    seeds = [0]
    while len(seeds) < size:
        last = 2 * len(seeds) - 1
        seeds = [seed for upper in seeds for seed in (upper, last - upper)]
    return seeds


def knockout(bots: Sequence[str], games: int, extra: int = 4, paired: bool = True) -> Knockout:
    """Make a knockout with `games` games per pairing, and up to `extra` more deals after a draw."""
    return Knockout(tuple(bots), deals_for(games, paired), extra)


KNOCKOUT = Format(
    "knockout",
    "the loser of a pairing is out",
    lambda given, settings: knockout(given.bots, given.games, settings.extra, given.paired),
    closed="the results of a round decide who goes on to the next",
)
