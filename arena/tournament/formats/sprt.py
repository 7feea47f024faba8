"""The sequential test of two bots: as many pairs as it takes to tell which hypothesis holds."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from arena.settings import choice, real, whole
from arena.tournament.formats.format import Format, FormatSettings
from arena.tournament.formats.round_robin import round_robin

MODELS = ("logistic", "normalized")
_ELO = {"least": -10_000, "most": 10_000}
_RATE = {"above": 0, "below": 0.5, "noun": "an error rate"}


@dataclass(frozen=True)
class SprtSettings(FormatSettings):
    """Hypotheses in Elo of the `model`, error rates, and the most pairs to play."""

    elo0: float = real(0.0, "H0: the first bot is this much stronger, in Elo", **_ELO)
    elo1: float = real(10.0, "H1: it is this much stronger; the nearer the two, the more pairs it takes", **_ELO)
    alpha: float = real(0.05, "probability of accepting H1 although H0 holds", **_RATE)
    beta: float = real(0.05, "probability of accepting H0 although H1 holds", **_RATE)
    model: str = choice("logistic", MODELS, "the Elo that `elo0` and `elo1` are given in")
    max_pairs: int = whole(  # with a greater number the same test continues
        1_000_000, 1, 10**9, "pairs after which the test is given up", shapes_results=False
    )

    def faults(self, given: Collection[str], bots: Sequence[str]) -> Iterator[tuple[str, str]]:
        if not self.elo0 < self.elo1:
            yield "", f"elo0 ({self.elo0:g}) must be less than elo1 ({self.elo1:g})"


SPRT = Format(
    "sprt",
    "two bots until it is clear which of two hypotheses holds",
    lambda design, settings: round_robin(design.bots, 2 * settings.max_pairs),
    SprtSettings,
    games_from="sprt.max_pairs",
    two_bots=True,
    grows="max_pairs",
)
