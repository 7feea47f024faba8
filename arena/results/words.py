"""Word what figures show and what to do next: every sentence that judges or advises.

A command that is advised works for this source: neither a run of a format without room for more games is advised to
grow, nor one variant of a comparison. A sequential test is worded in `sprt_report`, forfeits in `forfeit_lines`.
"""

from __future__ import annotations

import math
import shlex
import warnings
from collections.abc import Mapping, Sequence

import numpy as np

from arena.errors import BotWarning
from arena.game.rules import shown_rules
from arena.paths import STDIN, data_folder
from arena.results.run_data import RunData
from arena.results.run_standings import LARGE_FIELD, RunStandings, is_large
from arena.results.sprt_report import estimate_line
from arena.results.table import SIDES, Rows, chance_text, difference_text, percent, rating_text
from arena.stats.intervals import FEWEST_DEALS
from arena.stats.ratings import Ratings
from arena.text import counted, one_line
from arena.tournament.config import load_config
from arena.tournament.formats import FORMATS as TOURNAMENT_FORMATS

MOST_ADVANTAGE_ERROR = 400
"""With a larger error, in Elo, the first player's advantage is meaningless."""
FIELD_AVERAGE = "the field's average (0)"
CLEAR = 0.05
"""An adjusted p-value below which a difference is called clear."""
_MOST_NAMED = 3
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
        text += f"\nOnly games where {one_line(run.selection)}: a selection made after the fact."
    return text


def remarks(standings: RunStandings) -> list[str]:
    """Return the sentences below the table."""
    lines = []
    played = sum(standings.endings.values())
    if played:
        first, (elo, error) = standings.first_player, standings.first_advantage
        without = ", luck taken out" if any(met.helps for met in standings.adjusted or ()) else ""
        lines.append(f"First player{without}: {percent(first['score'])}% of the points")
        if not math.isnan(first["score_low"]):
            lines[-1] += f" ({percent(first['score_low'])} .. {percent(first['score_high'])})"
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


def findings(standings: RunStandings, chance: float = math.nan) -> list[str]:
    """Say who leads, and whether this is shown; `chance`: that the first bot is stronger than the second."""
    run = standings.run
    if standings.head_to_head is not None:
        return [] if standings.always_forfeiting else [head_to_head_line(standings)]
    if (lead := standings.lead) is None:
        return []
    first, second = (one_line(row["bot"], _LONGEST_NAME) for row in standings.rows[:2])
    if math.isnan(lead.elo) or math.isnan(lead.minus):
        more = ": play more games" if may_grow(run) and not standings.always_forfeiting else ""
        return [f"There are too few deals to show that {first} is ahead of {second}{more}."]
    likely = "" if math.isnan(chance) else f"; chance that {first} is the stronger bot: {chance_text(chance)}"
    if lead.elo <= 0:
        return [f"Not shown (95%): {first} is placed ahead of {second}, but not by the ratings{likely}."]
    behind = rating_text(lead.elo, lead.plus, lead.minus).removeprefix("+")
    shown = "Shown" if lead.elo > lead.minus else "Not shown"
    return [f"{shown} (95%): {second} is {behind} Elo behind {first}{likely}."]


def may_grow(run: RunData) -> bool:
    """Return whether more games can be played: in a league, or with --games."""
    form = TOURNAMENT_FORMATS.get(run.config["format"])
    grows = form is not None and not (form.size or form.closed or run.config.get("deals"))
    return grows or run.config["format"] == "league"


def next_command(standings: RunStandings, is_variant: bool = False) -> str:
    """Return what to do next, with a command; "" for nothing. A variant of a comparison never grows alone."""
    run, lead = standings.run, standings.lead
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


def next_step(table: RunStandings, folder: str) -> str:
    """Return what a match against a bot of the ladder says about the user's bot, and what to try next; else "".

    If a bot forfeited every game, the results say nothing, and only that is worth a look.
    """
    run = table.run
    if failing := table.always_forfeiting:
        spec = next(bot["spec"] for bot in run.config["bots"] if bot["name"] == failing[0])
        return f"Find out why {one_line(failing[0])} forfeits: arena check {shlex.quote(spec)}"
    if (head := table.head_to_head) is None:
        return ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BotWarning)  # the user has named none of these
        ladder = load_config(data_folder("configs") / "ladder.toml").find_bots()
    rungs = [bot.name for bot in ladder]
    numbers = {bot.source_hash: number for number, bot in enumerate(ladder, 1)}  # another bot may have its name
    places = [
        0 if bot.get("params") else numbers.get(run.sources.get(bot["name"], ""), 0) for bot in run.config["bots"]
    ]
    own = [bot for bot, place in zip(run.config["bots"], places) if not place]
    if len(own) != 1:
        return ""
    name, spec = one_line(own[0]["name"]), shlex.quote(own[0]["spec"])
    number = max(places)
    rung = f"{rungs[number - 1]}, rung {number} of {len(rungs)} on the ladder of reference bots"
    if head.elo_low <= 0 <= head.elo_high:
        text = f"{name} may be better or worse than {rung}."
        if may_grow(run):
            text += f" To find out, play more games: arena run {folder} --games {4 * head.games}"
        return (
            f"{text}\nTo look again and again makes false alarms likelier; a test that allows for it:"
            f" arena sprt {spec} {rungs[number - 1]}"
        )
    if (head.elo > 0) != (run.bots[0] == own[0]["name"]):
        return f"{name} is weaker than {rung}. Its lost games: arena replay {folder} --bot {name} --lost"
    if number == len(rungs):
        return f"{name} is stronger than {rung}, the highest. Submit it to a league: arena submit {spec}"
    return f"{name} is stronger than {rung}. Next: arena match {spec} {rungs[number]}"


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
    for row in largest[: _MOST_NAMED if clear else 1]:
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
