"""Word what figures show and what to do next: every sentence that judges or advises.

A command that is advised works for this source: neither a run of a format without room for more games is advised to
grow, nor one variant of a comparison.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence

import numpy as np

from arena.endings import AFTER
from arena.game.rules import shown_rules
from arena.paths import STDIN
from arena.results.run_data import RunData
from arena.results.run_standings import LARGE_FIELD, RunStandings, is_large
from arena.results.table import SIDES, Report, Rows, chance_text, difference_text, percent, rating_text
from arena.stats.adjusted import LEAST_WORTH
from arena.stats.intervals import FEWEST_DEALS
from arena.stats.pairs import CELLS
from arena.stats.ratings import Ratings
from arena.stats.sprt import SprtResult, StoppedEstimate, stopped_estimate
from arena.text import counted, first_line, one_line
from arena.tournament.forfeits import ForfeitReason, ForfeitSummary
from arena.tournament.formats import FORMATS as TOURNAMENT_FORMATS

MOST_ADVANTAGE_ERROR = 400
"""With a larger error, in Elo, the first player's advantage is meaningless."""
FIELD_AVERAGE = "the field's average (0)"
CLEAR = 0.05
"""An adjusted p-value below which a difference is called clear."""
_MOST_DIFFERENCES = 3
_MOST_LINES = 5
"""Of more lines about forfeits, only the bots are named."""
_MOST_NAMED = 5
_LONGEST_REASON = 100
_LONGEST_NAME = 60
_FOUR_OF_FIVE = 2.04
"""Games with which a lead is larger than its 95% error in 80% of runs, per games that make the error as large as it."""
_MOST_ADVISED = 100_000
"""The most games per pairing that are advised."""


# ---------------------------------------------------------------- a run or a league


def heading(run: RunData) -> str:
    """Say in one line what was played."""
    played = len(run.columns)
    known = run.planned is not None and not run.complete
    games = f"{played:,} of {run.planned:,} games so far" if known else f"{played:,} games"
    config = run.config
    parts = [str(config["format"]), f"rules {shown_rules(config['rules'])}", games]
    form = TOURNAMENT_FORMATS.get(config["format"])
    if config.get("deals"):
        parts.append("listed deals")
    elif form is not None and form.own_deals:
        parts.append("own deals" if config.get("own_deals") else "shared deals")
    if config["seed"] is not None:  # a league and a file of records have none
        parts.append(f"seed {config['seed']}")
    text = f"{one_line(run.name)}: {', '.join(parts)}"
    if run.selection:
        text += f"\nOnly games {one_line(run.selection)}: a selection made after the fact."
    return text


def remarks(standings: RunStandings) -> list[str]:
    """Return the sentences below the table."""
    lines = []
    played = sum(standings.endings.values())
    if played:
        first, (elo, error) = standings.first_player, standings.first_advantage
        without = ", luck taken out" if any(met.helps for met in standings.adjusted or ()) else ""
        lines.append(f"First player{without}: {percent(first.mean)}% of the points")
        if not math.isnan(first.low):
            lines[-1] += f" ({percent(first.low)} .. {percent(first.high)})"
        known = error < MOST_ADVANTAGE_ERROR
        lines[-1] += f", an advantage of {advantage_text(elo, error)}." if known else "."
        form = TOURNAMENT_FORMATS.get(standings.run.config["format"])  # a league or a file of records has none
        if form is not None and form.chained:
            counts = "only the Elo figure counts" if known else "this share says little"
            lines[-1] += f" (In a series, the last game decides who begins, so {counts}.)"
        shares = [f"{name} {percent(count / played)}%" for name, count in standings.endings.items() if count]
        lines.append(f"Endings: {', '.join(shares)}. Mean length {standings.mean_turns:.1f} turns.")
    if standings.met is None and is_large(standings.run):
        lines.append(f"With more than {LARGE_FIELD} bots, only 'arena export FOLDER --all' writes crosstable.csv.")
    run, says = standings.run, "No games yet."
    if standings.ratings is not None:
        says = ratings_line(standings.ratings, run.anchors, advice(standings), run.centre)
    return [*lines, says, *run.remarks]


def advantage_text(elo: float, error: float) -> str:
    """Return the advantage of moving first, with its error unless it was given.

    >>> advantage_text(12.3, 40.0), advantage_text(0.0, 0.0)
    ('+12 ± 40 Elo', '+0 Elo, as given')
    """
    return f"{elo:+z.0f} ± {error:.0f} Elo" if error else f"{elo:+z.0f} Elo, as given"


def ratings_line(ratings: Ratings, anchors: Mapping[str, float], advice: str, centre: Sequence[str] = ()) -> str:
    """Say what ratings are relative to, how their errors are meant, and what was noted about them."""
    zero = "the average of the league's table (0)" if centre else FIELD_AVERAGE
    if anchors:
        zero = " and ".join(f"{one_line(bot)} ({elo:g})" for bot, elo in anchors.items())
    sides = "" if np.isnan(ratings.plus).all() else f"; {SIDES}"
    notes = [one_line(note) for note in (*ratings.notes, advice) if note]
    return " ".join([f"Ratings are relative to {zero}{sides}.", *(f"{note[0].upper()}{note[1:]}." for note in notes)])


def head_to_head_line(standings: RunStandings) -> str:
    """Say how much stronger the first of two bots is, and how surely."""
    assert standings.head_to_head is not None
    run, head, (first, second) = standings.run, standings.head_to_head, standings.run.bots
    if run.is_stopped:
        return stop_line(run)
    names = "LL, LD, split, WD, WW" if head.unit == "pairs" else "L, D, W"
    counts = ", ".join(map(str, head.counts))
    bot, opponent = one_line(first), one_line(second)
    difference = f"against {opponent}: {difference_text(head)}"
    if head.flag:
        difference = difference_text(head, opponent)
    stronger = f"chance of being the stronger bot: {chance_text(head.los)}"
    return f"{bot} {difference}; {stronger} ({head.unit} {names}: {counts})."


def stop_line(run: RunData) -> str:
    """Say what a test that was stopped shows; the figures of the tables hold for a number of games that is fixed."""
    assert run.test is not None
    return f"{estimate_line(run.test, *map(one_line, run.bots))} The table does not allow for the stop."


# ---------------------------------------------------------------- who leads, and what to do next


def findings(standings: RunStandings) -> list[str]:
    """Say who leads, and whether this is shown."""
    run = standings.run
    if standings.head_to_head is not None:
        return [] if standings.always_forfeiting else [head_to_head_line(standings)]
    if (lead := standings.lead) is None:
        return []
    first, second = (one_line(row["bot"], _LONGEST_NAME) for row in standings.rows[:2])
    if math.isnan(lead.elo) or math.isnan(lead.minus):
        more = ": play more games" if may_grow(run) and not standings.always_forfeiting else ""
        return [f"There are too few deals to show that {first} is ahead of {second}{more}."]
    if lead.elo <= 0:
        return [f"Not shown (95%): {first} is placed ahead of {second}, but not by the ratings."]
    behind = rating_text(lead.elo, lead.plus, lead.minus).removeprefix("+")
    shown = "Shown" if lead.elo > lead.minus else "Not shown"
    return [f"{shown} (95%): {second} is {behind} Elo behind {first}."]


def may_grow(run: RunData) -> bool:
    """Return whether more games can be played: in a league, or with --games."""
    form = TOURNAMENT_FORMATS.get(run.config["format"])
    grows = form is not None and not (form.size or form.closed or run.config.get("deals"))
    return grows or run.config["format"] == "league"


def next_command(standings: RunStandings, is_variant: bool = False) -> str:
    """Return what to do next, with a command; "" for nothing. A variant of a comparison never grows alone."""
    run, lead = standings.run, standings.lead
    for bot in run.config["bots"]:
        if bot["name"] in standings.always_forfeiting and "spec" in bot:
            name, spec = one_line(bot["name"]), shlex.quote(one_line(bot["spec"]))
            return f"Next, to find out why {name} forfeits: arena check {spec}"
    if not run.folder or run.folder == str(STDIN) or standings.always_forfeiting:
        return ""
    name = shlex.quote(one_line(run.folder))
    if run.planned is not None and not run.complete and not run.selection:
        missing = counted(run.planned - len(run.columns), "game")
        if is_variant:
            return f"Next: the same 'arena compare' again plays what is left, {missing} of it here."
        return f"Next, to play what is left, {missing}: arena run {name}"
    if lead is None or math.isnan(lead.elo) or math.isnan(lead.minus) or run.test is not None:
        return ""
    if lead.elo > lead.minus:
        if not standings.rows[0]["losses"]:
            return ""
        best = shlex.quote(one_line(standings.rows[0]["bot"]))
        return f"Next, to see the games that the first one lost: arena report {name} --bot {best} --lost"
    if is_variant or run.planned is None or lead.elo <= 0 or not may_grow(run):
        return ""
    games = math.ceil(run.config["games"] * _FOUR_OF_FIVE * (lead.minus / lead.elo) ** 2 / 2) * 2
    if games > _MOST_ADVISED:
        return "Next: treat them as equals; telling them apart would take more games than is practical."
    return (
        f"Next: if the lead is really {lead.elo:.0f} Elo (leads tend to shrink), {games:,} games per pairing show it in"
        f" four of five cases: arena run {name} --games {games}"
    )


def advice(standings: RunStandings) -> str:
    """Return what would make errors known, or smaller; "" for nothing."""
    run = standings.run
    if standings.ratings is None or not standings.ratings.advice or standings.always_forfeiting or not may_grow(run):
        return ""
    form = TOURNAMENT_FORMATS.get(str(run.config["format"]))
    shared = form is not None and form.own_deals and not (run.config.get("own_deals") or run.config.get("deals"))
    return standings.ratings.advice + ", or give each pairing its own deals (own_deals)" * shared


def fit_sentence(p_value: float) -> str:
    """Say whether the table is a ranking at all."""
    p = "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"
    if p_value < 0.05:
        return f"One line of ratings does not fit these games ({p})."
    return f"One line of ratings: no misfit shown ({p})."


# ---------------------------------------------------------------- a comparison


def variants_answer(gaps: Rows, rates: Rows) -> list[str]:
    """Say whether the variant matters, with the largest clear differences, and which bot leads where."""
    known = [row for row in gaps if not math.isnan(row["p_holm"])]
    clear = [row for row in known if row["p_holm"] < CLEAR]
    if not known:
        lines = [f"Too few deals to say whether the variant matters ({FEWEST_DEALS} needed). The largest difference:"]
    elif clear:
        lines = [f"Yes, the variant matters: {len(clear)} of {len(known)} differences between win rates are clear"]
        lines[0] += " (if no rule mattered, 5% of comparisons would say so)."
    else:
        most = max((max(-row["low"], row["high"]) for row in known if not math.isnan(row["low"])), default=1.0)
        lines = [f"No effect of the variant is shown; effects up to ±{100 * most:.1f}% remain possible. The largest:"]
    largest = sorted(clear or known or gaps, key=lambda row: -abs(row["difference"]))
    for row in largest[: _MOST_DIFFERENCES if clear else 1]:
        between = "" if math.isnan(row["low"]) else f" ({100 * row['low']:+z.1f} .. {100 * row['high']:+z.1f})"
        lines.append(
            f"  {row['bot']}: {100 * row['difference']:+z.1f}%{between} in {row['variant']} against {row['against']}"
        )
    led: dict[tuple[bool, str], list[str]] = {}
    for variant in dict.fromkeys(row["variant"] for row in rates):
        best, second = sorted((row for row in rates if row["variant"] == variant), key=lambda row: -row["score"])[:2]
        led.setdefault((best["score_low"] > second["score_high"], best["bot"]), []).append(variant)
    shown, bot = next(iter(led))
    if len(led) == 1 and shown:
        return [*lines, f"Best in every variant (95%): {bot}."]
    for is_shown, words in ((True, "Best (95%)"), (False, "Ahead, but not shown to be the best")):
        leaders = [f"{bot} in {', '.join(where)}" for (shown, bot), where in led.items() if shown == is_shown]
        lines += [f"{words}: {'; '.join(leaders)}."] if leaders else []
    return lines


# ---------------------------------------------------------------- forfeits


class Code(str):
    """A part of a line to be shown letter by letter, such as a command."""


def forfeit_alerts(forfeits: ForfeitSummary) -> list[list[str]]:
    """Return a line for each bot and kind of forfeits, first those of bots that forfeited most of their games.

    A line has the number of games, the kind, the commonest reason, and the command that shows the first of these games.
    Of many lines the last names the bots of the others. The first part of a line says it without texts of bots.
    """
    share = {bot: lost / max(forfeits.games[bot], 1) for bot, lost in forfeits.lost.items()}

    def failing(line: ForfeitReason) -> float:
        return share[line.bot] if line.kind != AFTER and share[line.bot] > 0.5 else 0

    lines = sorted(forfeits.reasons, key=failing, reverse=True)
    alerts = [[_item(line, forfeits.games[line.bot]), *_reason(line, forfeits)] for line in lines[:_MOST_LINES]]
    if bots := dict.fromkeys(one_line(line.bot) for line in lines[_MOST_LINES:]):
        alerts.append([f"forfeited or failed as well: {_named([*bots])}"])
        if forfeits.folder:
            alerts[-1] += ["; all of them: ", Code(f"arena standings {shlex.quote(forfeits.folder)} --json")]
    return alerts


def _item(line: ForfeitReason, played: int) -> str:
    games = counted(played, "game")
    share = f"all {games}" if line.games == played else f"{line.games:,} of {games}"
    if line.kind == AFTER:
        return f"{one_line(line.bot)} failed in end after {share} (the results stand)"
    return f"{one_line(line.bot)} forfeited {share} by {line.kind}"


def _reason(line: ForfeitReason, forfeits: ForfeitSummary) -> list[str]:
    """Return the commonest reason of forfeits, and the command that shows the first of these games."""
    reason = first_line(line.reason, _LONGEST_REASON)
    parts = [": ", Code(reason)] if reason else []
    if forfeits.folder and line.game:
        parts += ["; ", Code(f"arena replay {shlex.quote(forfeits.folder)} {shlex.quote(line.game)}")]
    return parts


def _named(names: Sequence[str]) -> str:
    """Join names, only the first of many.

    >>> _named(["a", "b"]), _named(["a", "b", "c", "d", "e", "f", "g"])
    ('a, b', 'a, b, c, d, e and 2 more')
    """
    left = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {left} more" if left > 0 else "")


def alerts(report: Report) -> list[list[str]]:
    """Return lines about forfeits, for below the heading of a report: what must be known before the figures.

    They have parts that may hold texts of bots. The first part says it without them, and pages have no more.
    """
    return [
        [f"{variant}: {first}" if variant else first, *rest]
        for variant, forfeits in report.forfeits.items()
        for first, *rest in forfeit_alerts(forfeits)
    ]


def said_above(report: Report) -> list[str]:
    """Return what pages have of the alerts: sentences without texts of bots."""
    return [f"{alert[0]}." for alert in alerts(report)]


# ---------------------------------------------------------------- a sequential test


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
