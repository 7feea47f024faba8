"""Show a sequential test as text and as values for JSON."""

from __future__ import annotations

import math
from typing import Any

from arena.results.table import Table, chance_text, difference_text, percent
from arena.stats.adjusted import LEAST_WORTH
from arena.stats.pairs import CELLS, fishtest
from arena.stats.sprt import SprtResult, StoppedEstimate, stopped_estimate

_ESTIMATE = ("elo", "elo_error95", "elo_low", "elo_high", "flag", "normalized_elo", "score")


def sprt_table(result: SprtResult, bot: str) -> Table:
    """Return the state of a test as a row for files; no estimate before the first pair, no `los` after the stop.

    `fishtest` has the figures as other programs show them, a normal approximation.
    """
    test, estimate, unbiased = result.test, result.estimate, stopped_estimate(result)
    unit = unit_of(result)
    row: dict[str, Any] = {
        "verdict": result.verdict,
        "meaning": verdict_text(result, bot),
        "llr": result.llr,
        **{name: getattr(test, name) for name in ("lower", "upper", "model", "elo0", "elo1", "alpha", "beta")},
        "unit": unit,
        "units": result.units,
        "games": result.units * (2 if unit == "pairs" else 1),
        **{name: None if estimate is None else getattr(estimate, name) for name in _ESTIMATE},
        "los": None if estimate is None or unbiased is not None else estimate.los,
        "unbiased": None if unbiased is None else vars(unbiased),
        "fishtest": None if estimate is None else vars(fishtest(result.counts)),
        "luck": None if result.luck is None else vars(result.luck),
        "remark": result.remark,
    }
    return Table("test", "", [row], files=(*row,))


def unit_of(result: SprtResult) -> str:
    """Return what the test counts: pairs or games."""
    return CELLS[len(result.counts)][0]


def verdict_text(result: SprtResult, bot: str = "the first bot") -> str:
    """Explain the verdict. That H0 is accepted does not show that it holds.

    >>> from arena.stats.sprt import SprtTest, sprt_result
    >>> for counts in ([30, 0, 40, 0, 30], [99, 0, 40, 0, 90], [10, 0, 40, 0, 50]):
    ...     print(verdict_text(sprt_result(SprtTest(0, 50), counts), "new"))
    undecided, no bound is crossed; more pairs may decide
    H0 accepted, new is not shown to be stronger by +50 Elo (elo1)
    H1 accepted, new is shown to be stronger than +0 Elo (elo0)
    """
    test = result.test
    unit = "Elo" if test.model == "logistic" else "normalized Elo"
    if result.verdict == "H1":
        return f"H1 accepted, {bot} is shown to be stronger than {test.elo0:+g} {unit} (elo0)"
    if result.verdict == "H0":
        by = "stronger by" if test.elo1 > 0 else "as strong as"
        return f"H0 accepted, {bot} is not shown to be {by} {test.elo1:+g} {unit} (elo1)"
    return f"undecided, no bound is crossed; more {unit_of(result)} may decide"


def sprt_line(result: SprtResult) -> str:
    """Return the state of a test in one line.

    >>> from arena.stats.sprt import SprtTest, sprt_result
    >>> sprt_line(sprt_result(SprtTest(0, 5), [5, 0, 35, 0, 10]))
    '50 pairs, LLR +0.22 (-2.94 .. +2.94), +34.9 ± 60.4 Elo (95% -25.3 .. +95.5)'
    """
    bounds = f"{result.test.lower:+.2f} .. {result.test.upper:+.2f}"
    text = f"{result.units:,} {unit_of(result)}, LLR {result.llr:+z.2f} ({bounds})"
    if result.estimate is not None and result.verdict == "continue":
        text += f", {difference_text(result.estimate)}"
    return text


def stopped_text(estimate: StoppedEstimate) -> str:
    """Return an estimate that allows for the stop of its test; an end that has no limit is said in words.

    >>> stopped_text(StoppedEstimate(45.3, -4.1, 91.9)), stopped_text(StoppedEstimate(45.3, math.nan, math.nan))
    ('+45.3 Elo (95% -4.1 .. +91.9)', '+45.3 Elo')
    >>> stopped_text(StoppedEstimate(math.inf, 38.9, math.inf)), stopped_text(StoppedEstimate(-90.0, -math.inf, -38.9))
    ('no upper limit; at least +39 Elo (95%)', '-90.0 Elo (no lower limit; at most -39 Elo (95%))')
    """
    low, high = estimate.elo_low, estimate.elo_high
    ends = f"95% {low:+z.1f} .. {high:+z.1f}"
    if math.inf in (estimate.elo, high):
        ends = "no upper limit" + (f"; at least {low:+z.0f} Elo (95%)" if math.isfinite(low) else "")
    elif -math.inf in (estimate.elo, low):
        ends = "no lower limit" + (f"; at most {high:+z.0f} Elo (95%)" if math.isfinite(high) else "")
    if math.isinf(estimate.elo):
        return ends
    return f"{estimate.elo:+z.1f} Elo" + ("" if math.isnan(low) else f" ({ends})")


def estimate_line(result: SprtResult, bot: str, opponent: str) -> str:
    """Say how much stronger a bot is, from one pair on: of a stopped test with all that allows for the stop."""
    estimate, unbiased = result.estimate, stopped_estimate(result)
    assert estimate is not None
    says = f"{bot} against {opponent} {difference_text(estimate)}, normalized {estimate.normalized_elo:+z.1f}"
    known = "" if math.isnan(estimate.los) else f"; chance of being the stronger bot: {chance_text(estimate.los)}"
    if estimate.flag:
        says = f"{bot} {difference_text(estimate, opponent)}"
    elif unbiased is not None:
        says = f"{bot} against {opponent} {stopped_text(unbiased)}, which allows for the stop"
    heading = "Estimate" if result.luck is None else "Estimate, luck taken out"
    return f"{heading}: {says}; score {percent(estimate.score)}%{known if unbiased is None else ''}."


def sprt_text(result: SprtResult, bot: str = "the first bot", opponent: str = "the second") -> str:
    """Return a test in a few lines, with a line end."""
    test, unit = result.test, unit_of(result)
    lines = [
        f"Verdict: {verdict_text(result, bot)}.",
        f"LLR {result.llr:+z.3f}, bounds {result.test.lower:+.3f} (H0) and {result.test.upper:+.3f} (H1),"
        f" after {result.units:,} {unit}.",
        f"Hypotheses in {test.model} Elo: H0 {test.elo0:+g} (elo0), H1 {test.elo1:+g} (elo1). H1 is accepted wrongly in"
        f" {100 * test.alpha:g}% of tests if H0 holds, H0 in {100 * test.beta:g}% if H1 holds.",
    ]
    if result.estimate is not None:
        lines.append(estimate_line(result, bot, opponent))
        lines.append(
            f"{unit.capitalize()} {', '.join(CELLS[len(result.counts)][1])}: {', '.join(map(str, result.counts))}."
        )
    if (luck := result.luck) is not None:
        helps = "" if luck.worth >= LEAST_WORTH else ", so this does not help"
        lines.append(
            f"As counted, the score is {percent(luck.counted)}%. With luck taken out, a pair is worth {luck.worth:.2f}"
            f" pairs as counted{helps}."
        )
    return "\n".join(lines) + "\n"
