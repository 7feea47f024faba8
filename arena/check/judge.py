"""What the games of a check mean: answers, and findings with their places and remedies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from arena.check import forfeits
from arena.check.hints import lines_of
from arena.check.measures import speed
from arena.check.report import NOTE, WARNING, Answer, Finding, Loading, Nature, Speed
from arena.check.same import Difference
from arena.check.source import Source, Use
from arena.check.trials import Comparison, Trials
from arena.config.tournament import Clock

USUAL_MS = 1000
"""The clock of a league that says nothing else: milliseconds for each decision."""

_LEAK_MB = 2.0
_LEAK_PER_GAME_MB = 0.02
_SLOW_LOAD_MS = 5000.0
_MUCH_PRINTED = 2000


def nature(trials: Trials, source: Source) -> Nature:
    """What the bot is, with what it said of itself when it was made."""
    if trials.flags is None:
        return source.nature
    return replace(source.nature, auto_claim=trials.flags[0], ask_forced=trials.flags[1])


def speed_of(trials: Trials, rules: str) -> Speed | None:
    """How quick it is, measured where nobody listens."""
    return speed(trials.timed.get(rules) or trials.rows[rules])


# ---------------------------------------------------------------- answers


def repeats(trials: Trials) -> Answer:
    """Are its decisions the same under the same seed?"""
    found = trials.again
    if not found.games:
        return Answer(None, "not looked at: no rule set in which it loses no game by forfeit")
    if not found.different:
        sets = trials.listened  # a Python bot whose process starts with the seed of hashes that it is given
        how = "in a fresh process" + " with another order of sets" * sets
        return Answer(True, f"all decisions the same in {found.games} games played again {how}")
    return Answer(False, f"other decisions in {found.different} of {found.games} games played again")


def forgets(trials: Trials) -> Answer:
    """Does it play a game as if it were the only one?"""
    ways = (
        (trials.order, "in another order"),
        (trials.single, "alone in a fresh process"),
        (trials.step, "many at once"),
    )
    looked = [(found, how) for found, how in ways if found.games]
    if not trials.again.games:
        return Answer(None, "not looked at: no rule set in which it loses no game by forfeit")
    if not trials.repeatable:
        return Answer(None, "not looked at: it cannot be told while its decisions do not repeat")
    if not looked:
        return Answer(None, "not looked at, for want of time")
    different = [f"{found.different} of {found.games} {how}" for found, how in looked if found.different]
    if different:
        return Answer(False, f"other decisions in games played {', '.join(different)}")
    if trials.step_failed:
        return Answer(False, "it fails when many games are under way at once")
    same = [f"{found.games} game{'s' * (found.games != 1)} {how}" for found, how in looked]
    return Answer(True, f"all decisions the same in {', '.join(same)}")


# ---------------------------------------------------------------- findings


def findings(trials: Trials, source: Source, loading: Loading | None, strays: int) -> list[Finding]:
    """All that the games have shown. What cannot be told is left out, and the rest told all the same."""
    parts: dict[str, Callable[[], list[Finding]]] = {
        "differences between games": lambda: _repeating(trials, source),
        "memory of other games": lambda: _forgetting(trials, source),
        "the time it takes": lambda: _slow(trials, loading),
        "the memory it takes": lambda: _heavy(trials, source),
        "what it leaves behind": lambda: _leftovers(trials, strays),
        "what it prints": lambda: _printing(trials, source),
    }
    found = forfeits.findings(trials.setting, trials.rows, trials.care)
    for what, part in parts.items():
        found += trials.care.look(what, part, [])
    return found


def _repeating(trials: Trials, source: Source) -> list[Finding]:
    found = trials.again
    if found.first is None:
        return []
    uses = source.chance + source.global_chance
    if trials.by_hash is None:
        why = "It hangs on the order of sets, or on something else than the position and the seed"
        remedy = "Draw from view.rng and nothing else, and sort what comes out of a set before the order matters."
    elif trials.by_hash:
        why = "It hangs on the order of sets (or on hash()), which is another in each process"
        remedy = "Sort what comes out of a set, or use a dict, before the order matters."
    else:
        why = "It hangs on something else than the position and the seed: the time, another generator, an address"
        remedy = "Draw from view.rng and nothing else, and decide by positions, not by time."
    text = (
        f"does not repeat its decisions under the same seed ({found.different} of {found.games} games). {why}"
    )
    return [_shown(trials, "not repeatable", text, remedy, found.first, uses, "played again", source)]


def _forgetting(trials: Trials, source: Source) -> list[Finding]:
    ways = (
        (trials.order, "in another order", "in another order"),
        (trials.single, "alone in a fresh process", "played alone"),
        (trials.step, "with other games under way", "with other games under way"),
    )
    remedy = "Reset in begin whatever act remembers; keep it in self, not in the module or the class."
    for found, how, label in ways:
        if found.first is not None:
            text = (
                f"remembers other games: {found.different} of {found.games} games go otherwise {how}. "
                "Results then hang on how games are spread over processes"
            )
            return [_shown(trials, "remembers games", text, remedy, found.first, source.state, label, source)]
    if trials.step_failed:
        text = (
            "fails when many games are under way at once, each with an object of its own; one by one it plays"
        )
        first = source.state[0] if source.state else None
        return [
            Finding(
                WARNING,
                "remembers games",
                text,
                remedy,
                *_at(first),
                details=lines_of(source.state, trials.setting.spec),
            )
        ]
    return []


def _shown(
    trials: Trials,
    code: str,
    text: str,
    remedy: str,
    first: Difference,
    uses: Sequence[Use],
    label: str,
    source: Source,
) -> Finding:
    """A finding with the first decision that differs, and the lines that may be the reason."""
    moves = f"{first.before}; {label}: {first.after}"
    details = [
        f"First difference: {first.rules}, {first.game}, decision {first.decision}: {moves}",
        *first.position,
    ]
    if uses:
        details += ["The reason may be:", *(f"  {line}" for line in lines_of(uses, trials.setting.spec))]
    file, line = _at(uses[0] if uses else None)
    return Finding(WARNING, code, text, remedy, file, line, (first.rules,), tuple(details), first.record)


def _at(use: Use | None) -> tuple[str | None, int | None]:
    return (None, None) if use is None else (use.file, use.line)


def _slow(trials: Trials, loading: Loading | None) -> list[Finding]:
    found: list[Finding] = []
    if trials.setting.clock == Clock():
        slow = {
            rules: one for rules in trials.rules if (one := speed_of(trials, rules)) and one.max_ms > USUAL_MS
        }
        if slow:
            worst = max(slow.items(), key=lambda item: item[1].max_ms)
            found.append(
                Finding(
                    WARNING,
                    "slow",
                    f"takes up to {worst[1].max_ms:,.0f} ms for a decision ({worst[0]}); with the usual clock of a "
                    f"league, {USUAL_MS} ms a decision, it would lose by timeout",
                    "Look at view.clock and stop in time; check again with --move-ms.",
                    rules=tuple(slow),
                )
            )
    if loading is not None and loading.load_ms + loading.init_ms > _SLOW_LOAD_MS:
        found.append(
            Finding(
                WARNING,
                "slow to load",
                f"takes {(loading.load_ms + loading.init_ms) / 1000:.1f} s to load; each of the two may take "
                f"{trials.setting.limits.loading_s:g} s, and every process of a run has to wait for it",
                "Compute tables once and ship them as a file in the bot's folder.",
            )
        )
    return found


def _heavy(trials: Trials, source: Source) -> list[Finding]:
    found: list[Finding] = []
    limit = trials.setting.limits.memory_mb
    if not trials.memory:
        return found
    rules, peak = max(trials.memory.items(), key=lambda item: item[1].peak_mb)
    if peak.peak_mb > limit / 2:
        text = f"takes {peak.peak_mb:,.0f} MB of memory ({rules}); beyond {limit} MB allocations fail"
        found.append(Finding(WARNING, "memory", text, "Keep less in memory.", rules=(rules,)))
    rules, most = max(trials.memory.items(), key=lambda item: item[1].growth_mb)
    if most.growth_mb >= _LEAK_PER_GAME_MB and most.growth_mb * most.games >= _LEAK_MB:
        games = int((limit - most.peak_mb) / most.growth_mb)
        text = (
            f"grows by {most.growth_mb:.2g} MB in each game ({rules}); after about {max(games, 0):,} games it would "
            f"have used up its {limit} MB"
        )
        uses = source.state
        found.append(
            Finding(
                WARNING,
                "memory leak",
                text,
                "Let go in begin of what belonged to the last game.",
                *_at(uses[0] if uses else None),
                rules=(rules,),
                details=("The reason may be:", *(f"  {one}" for one in lines_of(uses, trials.setting.spec)))
                if uses
                else (),
            )
        )
    return found


def _leftovers(trials: Trials, strays: int) -> list[Finding]:
    found: list[Finding] = []
    if strays:
        text = f"leaves processes running that it has started ({strays} in this check)"
        remedy = "Start none; in the sandbox that fails, and at other levels they are ended."
        found.append(Finding(WARNING, "leaves processes", text, remedy))
    if trials.threads > 1 and not trials.setting.spec.command:
        text = f"has {trials.threads} threads when a game is over"
        found.append(Finding(NOTE, "leaves threads", text, "End in end, or in act, what was started there."))
    return found


def _printing(trials: Trials, source: Source) -> list[Finding]:
    if not trials.printed:
        return []
    games = max(sum(len(rows) for rows in trials.rows.values()), 1)
    each = trials.printed / games
    level = WARNING if each > _MUCH_PRINTED else NOTE
    text = f"prints about {each:,.0f} characters a game; that takes time from its clock"
    uses = source.prints
    return [
        Finding(level, "prints", text, "Leave it out of what you submit.", *_at(uses[0] if uses else None))
    ]


__all__ = ["Comparison", "findings", "forgets", "nature", "repeats", "speed_of"]
