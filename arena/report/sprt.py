"""A sequential test as text and as values for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.report.table import difference_text, likelihood, percent, plain
from arena.stats.pairs import CELLS, fishtest
from arena.stats.sprt import SprtResult

VERDICTS = {
    "H1": "H1, {bot} is {elo1:+g} Elo (elo1) rather than {elo0:+g} (elo0)",
    "H0": "H0, {bot} is {elo0:+g} Elo (elo0) rather than {elo1:+g} (elo1)",
    "continue": "continue, there is no verdict before more {unit} are counted",
}
_ESTIMATE = ("elo", "elo_error95", "elo_low", "elo_high", "flag", "normalized_elo", "los", "score")


def sprt_values(result: SprtResult) -> dict[str, Any]:
    """The state of a test for JSON; the estimate is null before the first pair."""
    test, estimate = result.test, result.estimate
    unit = unit_of(result)
    return {
        "verdict": result.verdict,
        "llr": plain(result.llr),
        "lower": result.lower,
        "upper": result.upper,
        "model": test.model,
        "elo0": test.elo0,
        "elo1": test.elo1,
        "alpha": test.alpha,
        "beta": test.beta,
        "unit": unit,
        "units": result.units,
        "games": result.units * (2 if unit == "pairs" else 1),
        "counts": list(result.counts),
        **{key: None if estimate is None else plain(getattr(estimate, key)) for key in _ESTIMATE},
        "fishtest": None if estimate is None else _plain_fishtest(result.counts),
        "remark": result.remark,
    }


def _plain_fishtest(counts: Sequence[int]) -> dict[str, Any]:
    """The figures as other programs show them: a normal approximation."""
    return {key: plain(value) for key, value in vars(fishtest(counts)).items()}


def unit_of(result: SprtResult) -> str:
    """What the test counts: pairs or games."""
    return CELLS[len(result.counts)][0]


def sprt_line(result: SprtResult) -> str:
    """The state of a test in one line.

    >>> from arena.stats.sprt import SprtTest, sprt_result
    >>> sprt_line(sprt_result(SprtTest(0, 5), [5, 0, 35, 0, 10]))
    '50 pairs, LLR +0.22 (-2.94 .. +2.94), +34.9 ± 60.4 Elo (95 % -25.3 .. +95.5)'
    """
    text = f"{result.units:,} {unit_of(result)}, LLR {result.llr:+z.2f} ({result.lower:+.2f} .. {result.upper:+.2f})"
    if result.estimate is not None:
        text += f", {difference_text(result.estimate)}"
    return text


def sprt_text(result: SprtResult, bot: str = "the first bot", opponent: str = "the second") -> str:
    """A test in a few lines, with a line end."""
    test, unit = result.test, unit_of(result)
    verdict = VERDICTS[result.verdict].format(bot=bot, elo0=test.elo0, elo1=test.elo1, unit=unit)
    lines = [
        f"Verdict: {verdict}.",
        f"LLR {result.llr:+z.3f}, bounds {result.lower:+.3f} (H0) and {result.upper:+.3f} (H1),"
        f" after {result.units:,} {unit}.",
        f"Hypotheses in {test.model} Elo; wrong with alpha = {test.alpha:g} (H1) and beta = {test.beta:g} (H0).",
    ]
    estimate = result.estimate
    if estimate is not None:
        counts = ", ".join(map(str, result.counts))
        lines.append(
            f"Estimate: {bot} against {opponent} {difference_text(estimate)},"
            f"{'' if estimate.flag else f' normalized {estimate.normalized_elo:+z.1f},'}"
            f" score {percent(estimate.score)} %, better with a likelihood of {likelihood(estimate.los)} %."
        )
        lines.append(f"{unit.capitalize()} {', '.join(CELLS[len(result.counts)][1])}: {counts}.")
    if result.remark:
        lines.append(f"Mind: {result.remark}.")
    return "\n".join(lines) + "\n"
