"""The sequential test of a run: reads the stored pairs in schedule order and says when it is over."""

from __future__ import annotations

from typing import cast

from arena.match.config import SprtSettings
from arena.match.progress import Status
from arena.match.queries import Reader
from arena.report.sprt import sprt_line
from arena.stats.sprt import ScaleName, Sprt, SprtResult, SprtTest


class Watch:
    """Called with a run, takes note of its new pairs; the number of pairs with which the test is over, or None.

    What it says depends only on the pairs from the first on, not on when it is asked.
    """

    def __init__(self, settings: SprtSettings) -> None:
        model = cast("ScaleName", settings.model)  # SprtTest looks whether it is one
        test = SprtTest(settings.elo0, settings.elo1, settings.alpha, settings.beta, model)
        self.limit = settings.max_pairs
        self._sprt = Sprt(test)
        self._read = 0

    def __call__(self, reader: Reader) -> int | None:
        cells = reader.cells_from(self._read)[: max(self.limit - self._read, 0)]
        self._read += len(cells)
        self._sprt.extend(cells)
        return self._sprt.units if self.decided else None

    @property
    def decided(self) -> bool:
        return self._sprt.verdict != "continue"

    @property
    def planned(self) -> int:
        """Games of the whole test as far as that is known."""
        return 2 * (self._sprt.units if self.decided else self.limit)

    def result(self) -> SprtResult:
        """The state of the test."""
        return self._sprt.result()

    def text(self, status: Status) -> str:
        """Where the test stands, for a line of progress."""
        rate = f"{status.rate:,.0f}" if status.rate >= 10 else f"{status.rate:.2g}"
        return sprt_line(self.result()) + (f", {rate} games/s" if status.rate > 0 else "")


def watched(settings: SprtSettings, reader: Reader) -> Watch:
    """The test of a stored run, as far as it has come."""
    watch = Watch(settings)
    watch(reader)
    return watch
