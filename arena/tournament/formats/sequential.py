"""The sequential test of two bots (SPRT): play pairs until one of two hypotheses is accepted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from arena.game.rules import load_rules
from arena.stats.sprt import AdjustedSprt, Sprt, SprtResult, SprtTest
from arena.tournament.formats.round_robin import round_robin
from arena.tournament.formats.schedule import Format
from arena.tournament.games import GameId
from arena.tournament.luck import JudgedLuck
from arena.tournament.run_settings import SprtSettings
from arena.tournament.store.reader import Reader


class StoredSprt:
    """Reads the pairs that a run has stored since the last call.

    Its state depends only on the pairs, from the first on without a gap, not on when they are read.
    """

    def __init__(self, settings: SprtSettings) -> None:
        self.max_pairs = settings.max_pairs
        model: Literal["logistic", "normalized"] = "logistic" if settings.model == "logistic" else "normalized"
        test = SprtTest(settings.elo0, settings.elo1, settings.alpha, settings.beta, model)
        self._sprt: Sprt | AdjustedSprt = AdjustedSprt(test) if settings.adjusted else Sprt(test)
        self._luck: JudgedLuck | None = None
        self._read = 0

    def __call__(self, run: Reader) -> int | None:
        """Read new pairs; return the number of pairs that decide the test, None while it is undecided."""
        cells = run.pair_scores_from(self._read)[: max(self.max_pairs - self._read, 0)]
        if isinstance(self._sprt, AdjustedSprt):
            self._sprt.extend(zip(cells, self._luck_from(run)))
        else:
            self._sprt.extend(cells)
        self._read += len(cells)
        if self._luck is not None:
            self._luck.save(often=not (self.decided or self._read == self.max_pairs))
        return self._sprt.units if self.decided else None

    def _luck_from(self, run: Reader) -> Iterator[float]:
        """Yield the luck of the first bot in each of the next pairs; a pair is judged only when it is reached."""
        self._luck = self._luck or JudgedLuck(run.folder)
        games = run.results("id >= ?", GameId(0, self._read, 0).key)
        first, second = (bot.name for bot in run.bots())
        sign = 1 if first < second else -1  # the bot whose name sorts first begins the first game of a pair
        return (sign * luck for luck in self._luck.of_pairs(games, load_rules(run.config()["rules"])))

    @property
    def decided(self) -> bool:
        """Return whether one of the hypotheses was accepted."""
        return self._sprt.verdict != "continue"

    @property
    def planned(self) -> int:
        """Return the number of games of the whole test, as far as it is known."""
        return 2 * (self._sprt.units if self.decided else self.max_pairs)

    def result(self) -> SprtResult:
        """Return the state of the test."""
        return self._sprt.result()


SPRT = Format(
    "sprt",
    "two bots, until one of two hypotheses is accepted",
    lambda given, settings: round_robin(given.bots, 2 * settings.max_pairs),
    games_from="sprt.max_pairs",
    size="max_pairs",
    two_bots=True,
    verdict=StoredSprt,
)
