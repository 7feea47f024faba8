"""The sequential test (SPRT) of a stored run, read from its pairs in the order of the schedule."""

from __future__ import annotations

from typing import cast

from arena.stats.sprt import ScaleName, Sprt, SprtResult, SprtTest
from arena.tournament.formats.sprt import SprtSettings
from arena.tournament.store.reader import Reader


class SequentialTest:
    """Reads the pairs that a run has stored since it was last called.

    Its state depends only on the pairs, from the first on without a gap, not on when they are read.
    """

    def __init__(self, settings: SprtSettings) -> None:
        model = cast("ScaleName", settings.model)  # SprtTest checks it
        test = SprtTest(settings.elo0, settings.elo1, settings.alpha, settings.beta, model)
        self.max_pairs = settings.max_pairs
        self._sprt = Sprt(test)
        self._read = 0

    def __call__(self, reader: Reader) -> int | None:
        """The number of pairs that decide the test, None while it is undecided: a `Stop` of `run_tournament`."""
        cells = reader.pair_scores_from(self._read)[: max(self.max_pairs - self._read, 0)]
        self._read += len(cells)
        self._sprt.extend(cells)
        return self._sprt.units if self.decided else None

    @property
    def decided(self) -> bool:
        return self._sprt.verdict != "continue"

    @property
    def planned(self) -> int:
        """Games of the whole test as far as that is known."""
        return 2 * (self._sprt.units if self.decided else self.max_pairs)

    def result(self) -> SprtResult:
        """The state of the test."""
        return self._sprt.result()


def sequential_test(settings: SprtSettings, reader: Reader) -> SequentialTest:
    """The test of a stored run, as far as it has come."""
    test = SequentialTest(settings)
    test(reader)
    return test
