"""What a check means: answers, and findings with their locations and remedies."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from arena.bots.isolation import audit
from arena.bots.isolation.audit import Attempt
from arena.bots.spec import BotSpec
from arena.league.check import failures
from arena.league.check.compare_games import Divergence
from arena.league.check.metrics import speed
from arena.league.check.report import LINE, NOTE, WARNING, Answer, Finding, Loading, Speed
from arena.league.check.source.model import Hint, HintKind, Nature, Source
from arena.league.check.trials import Trials
from arena.text import counted, one_line
from arena.tournament.config.tournament import Clock

DEFAULT_MS = 1000
"""The default clock of a league: milliseconds for each decision."""
SENTENCE, LINES = 400, 24
"""Characters of a sentence, and lines of details."""
TRIES = "tries "
"""How the code of a finding begins that says what the bot tries."""

_LEAK_MB = 2.0
_LEAK_PER_GAME_MB = 0.02
_SLOW_LOAD_MS = 5000.0
_MUCH_PRINTED = 2000
_MOST = 6
_MOST_FINDINGS = 20
#: Packages that come with the arena.
_INSTALLED = ("numpy", "scipy", "pandas", "click", "tabulate")

_TRIES = {
    audit.FILES: (
        "writes to the file system: {}",
        "In the sandbox nothing can be written, /tmp and /dev/shm included: keep nothing in files.",
    ),
    audit.READS: (
        "reads a file that the sandbox does not show: {}",
        "Put what it needs into its folder and find it with Path(__file__).parent.",
    ),
    audit.FOLDERS: (
        "lists a folder that the sandbox does not show: {}",
        "The bot is given its own folder; look for files there with Path(__file__).parent.",
    ),
    audit.NETWORK: (
        "uses the network: {}",
        "There is no network in the sandbox (EPERM): ship what the bot needs in its folder.",
    ),
    audit.PROCESSES: (
        "starts or signals processes: {}",
        "A sandboxed bot is one process: starting another fails (EPERM).",
    ),
    audit.MEMORY: (
        "maps memory: {}",
        "Shared memory is forbidden in the sandbox; lists, arrays and files in its folder are not.",
    ),
    audit.NATIVE: (
        "calls the system without Python: {}",
        "Calls that the sandbox forbids fail there, however they are made.",
    ),
    audit.SPYING: ("inspects the interpreter: {}", "There is nothing of the opponent in the bot's process."),
}


def nature(trials: Trials, source: Source) -> Nature:
    """What the bot is, with the flags that it had when it was made."""
    if trials.flags is None:
        return source.nature
    return replace(source.nature, auto_claim=trials.flags[0], ask_forced=trials.flags[1])


def speed_of(trials: Trials, rules: str) -> Speed | None:
    """How fast it is, measured where nobody listens."""
    return speed(trials.timed.get(rules) or trials.rows[rules])


# ---------------------------------------------------------------- answers


def repeats(trials: Trials) -> Answer:
    """Are its decisions the same under the same seed?"""
    found = trials.again
    if not found.games:
        return Answer(None, "not checked: there is no rule set without a forfeit")
    if not found.different:
        sets = trials.listened  # a Python bot whose process starts with the seed of hashes that it is given
        how = "in a fresh process" + " with another set iteration order" * sets
        return Answer(True, f"all decisions are the same in {found.games} games replayed {how}")
    return Answer(False, f"decisions differ in {found.different} of {found.games} replayed games")


def forgets(trials: Trials) -> Answer:
    """Does it play a game as if it were the only one?"""
    ways = (
        (trials.order, "in reverse order"),
        (trials.single, "alone in a fresh process"),
        (trials.step, "many at once"),
    )
    checked = [(found, how) for found, how in ways if found.games]
    if not trials.again.games:
        return Answer(None, "not checked: there is no rule set without a forfeit")
    if not trials.repeatable:
        return Answer(None, "not checked: that cannot be told while its decisions do not repeat")
    if not checked:
        return Answer(None, "not checked: out of time")
    different = [f"{how} ({found.different} of {found.games})" for found, how in checked if found.different]
    if different:
        return Answer(False, f"decisions differ when games are played {', '.join(different)}")
    if trials.step_failed:
        return Answer(False, "it fails when many games are under way at once")
    same = [f"{counted(found.games, 'game')} {how}" for found, how in checked]
    return Answer(True, f"all decisions are the same in {', '.join(same)}")


# ---------------------------------------------------------------- findings


def of_games(trials: Trials, source: Source, loading: Loading | None, strays: int) -> list[Finding]:
    """All that the games have shown; `strays` is the number of processes that were left behind."""
    parts: dict[str, Callable[[], list[Finding]]] = {
        "differences between games": lambda: _repeating(trials, source),
        "memory of other games": lambda: _forgetting(trials, source),
        "the time it takes": lambda: _slow(trials, loading),
        "the memory it takes": lambda: _memory(trials, source),
        "what it leaves behind": lambda: _leftovers(trials, strays),
        "what it prints": lambda: _printing(trials, source),
    }
    return failures.forfeits(trials.settings, trials.rows, trials.omissions) + _all(trials, parts)


def of_bot(trials: Trials, source: Source) -> list[Finding]:
    """What the bot has asked the system for, and what its source says; also of a bot that cannot be loaded."""
    parts: dict[str, Callable[[], list[Finding]]] = {
        "what it tries": lambda: tried(trials.attempts),
        "the files that it reads": lambda: own_files(trials.attempts, trials.settings.spec),
        "pitfalls in the source": lambda: pitfalls(source),
    }
    return _all(trials, parts)


def _all(trials: Trials, parts: Mapping[str, Callable[[], list[Finding]]]) -> list[Finding]:
    """The findings of all parts that do not fail."""
    found: list[Finding] = []
    for what, part in parts.items():
        found += trials.omissions.guard(what, part, [])
    return found


def bounded(one: Finding) -> Finding:
    """The finding with printable texts of limited length."""
    return replace(
        one,
        text=one_line(one.text, SENTENCE),
        remedy=one_line(one.remedy, SENTENCE),
        details=tuple(one_line(line, LINE) for line in one.details[:LINES]),
    )


def _generator(trials: Trials) -> str:
    """Where a bot of this kind may draw from."""
    command = trials.settings.spec.command
    return "a generator of your own, seeded with the `seed` of `begin`," if command else "view.rng"


def _repeating(trials: Trials, source: Source) -> list[Finding]:
    found = trials.again
    if found.first is None:
        return []
    if trials.by_hash is None:
        why = "It depends on set iteration order, or on something other than the position and the seed"
        remedy = f"Draw from {_generator(trials)} and nothing else, and sort sets where their order matters."
    elif trials.by_hash:
        why = "It depends on set iteration order (or on hash()), which differs between processes"
        remedy = "Sort sets where their order matters, or use a dict."
    else:
        why = "It depends on something other than the position and the seed: time, another generator, an address"
        remedy = f"Draw from {_generator(trials)} and nothing else, and decide by the position, not by time."
    text = f"makes other decisions under the same seed ({found.different} of {found.games} games). {why}"
    hints = source.of(HintKind.CHANCE) + source.of(HintKind.GLOBAL_CHANCE)
    return [_different(trials, "not repeatable", text, remedy, hints, found.first, "replayed")]


def _forgetting(trials: Trials, source: Source) -> list[Finding]:
    ways = (
        (trials.order, "in reverse order"),
        (trials.single, "alone in a fresh process"),
        (trials.step, "with other games under way"),
    )
    remedy = "Reset in begin whatever act remembers; keep it in self, not in the module or the class."
    hints = source.of(HintKind.LASTING)
    for found, how in ways:
        if found.first is not None:
            text = (
                f"remembers other games: {found.different} of {found.games} games differ when they are played {how}. "
                "Results then depend on how games are spread over processes"
            )
            return [_different(trials, "remembers games", text, remedy, hints, found.first, f"played {how}")]
    if not trials.step_failed:
        return []
    text = "fails when many games are under way at once, each with an object of its own; one by one they work"
    return [_finding(WARNING, "remembers games", text, remedy, hints, details=_reasons(hints, trials))]


def _different(
    trials: Trials, code: str, text: str, remedy: str, hints: Sequence[Hint], first: Divergence, how: str
) -> Finding:
    """A finding with the first decision that differs, and the lines that may be the reason."""
    details = (
        f"First difference: {first.rules}, {first.game}, decision {first.decision}: {first.before}; {how}: "
        f"{first.after}",
        *first.position,
        *_reasons(hints, trials),
    )
    return _finding(WARNING, code, text, remedy, hints, rules=(first.rules,), details=details, record=first.record)


def _finding(level: str, code: str, text: str, remedy: str, hints: Sequence[Hint] = (), **more: Any) -> Finding:
    """A finding at the first of the hints."""
    if hints:
        more |= {"file": hints[0].file, "line": hints[0].line}
    return Finding(level, code, text, remedy, **more)


def _reasons(hints: Sequence[Hint], trials: Trials) -> tuple[str, ...]:
    """Hints for the details of a finding: those in the bot's file without its name."""
    path = trials.settings.spec.path
    folder = f"{os.path.dirname(path)}{os.sep}"
    lines = [
        f"  {'' if one.file == path else f'{one.file.removeprefix(folder)}, '}line {one.line}: {one.text}"
        for one in hints[:_MOST]
    ]
    if len(hints) > _MOST:
        lines.append(f"  and {len(hints) - _MOST} more")
    return ("Possible reasons:", *lines) if lines else ()


def _slow(trials: Trials, loading: Loading | None) -> list[Finding]:
    found: list[Finding] = []
    speeds = {rules: one for rules in trials.rules if (one := speed_of(trials, rules)) and one.max_ms > DEFAULT_MS}
    if speeds and trials.settings.clock == Clock():
        rules, worst = max(speeds.items(), key=lambda item: item[1].max_ms)
        text = (
            f"takes up to {worst.max_ms:,.0f} ms for a decision ({rules}); with the default clock of a league, "
            f"{DEFAULT_MS} ms a decision, it would forfeit by timeout"
        )
        remedy = "Watch view.clock and stop in time; check again with --move-ms."
        found.append(_finding(WARNING, "slow", text, remedy, rules=tuple(speeds)))
    if loading is not None and loading.load_ms + loading.init_ms > _SLOW_LOAD_MS:
        text = (
            f"takes {(loading.load_ms + loading.init_ms) / 1000:.1f} s to load; loading and __init__ may take "
            f"{trials.settings.limits.loading_s:g} s each, and every process of a run has to wait for them"
        )
        remedy = "Compute tables once and ship them as a file in the bot's folder."
        found.append(_finding(WARNING, "slow to load", text, remedy))
    return found


def _memory(trials: Trials, source: Source) -> list[Finding]:
    found: list[Finding] = []
    if not trials.memory:
        return found
    limit = trials.settings.limits.memory_mb
    rules, peak = max(trials.memory.items(), key=lambda item: item[1].peak_mb)
    if peak.peak_mb > limit / 2:
        text = f"takes {peak.peak_mb:,.0f} MB of memory ({rules}); beyond {limit} MB allocations fail"
        found.append(_finding(WARNING, "memory", text, "Keep less in memory.", rules=(rules,)))
    rules, most = max(trials.memory.items(), key=lambda item: item[1].growth_mb)
    if most.growth_mb >= _LEAK_PER_GAME_MB and most.growth_mb * most.games >= _LEAK_MB:
        games = max(int((limit - most.peak_mb) / most.growth_mb), 0)
        text = (
            f"grows by {most.growth_mb:.2g} MB with each game ({rules}); after about {games:,} games it would reach "
            f"its limit of {limit} MB"
        )
        remedy, hints = "Release in begin whatever belonged to the last game.", source.of(HintKind.LASTING)
        details = _reasons(hints, trials)
        found.append(_finding(WARNING, "memory leak", text, remedy, hints, rules=(rules,), details=details))
    return found


def _leftovers(trials: Trials, strays: int) -> list[Finding]:
    found: list[Finding] = []
    if strays:
        text = f"leaves processes running that it has started ({strays} in this check)"
        remedy = "Start none: in the sandbox that fails, and at other levels they are killed."
        found.append(_finding(WARNING, "leaves processes", text, remedy))
    if trials.threads > 1 and not trials.settings.spec.command:
        text = f"has {trials.threads} threads when a game is over"
        found.append(_finding(NOTE, "leaves threads", text, "Stop them in end, or in the act that starts them."))
    return found


def _printing(trials: Trials, source: Source) -> list[Finding]:
    if not trials.printed:
        return []
    each = trials.printed / max(sum(len(rows) for rows in trials.rows.values()), 1)
    level = WARNING if each > _MUCH_PRINTED else NOTE
    text = f"prints about {each:,.0f} characters a game; that takes time from its clock"
    return [_finding(level, "prints", text, "Remove the output before you submit it.", source.of(HintKind.PRINT))]


# ---------------------------------------------------------------- what it tries


def tried(attempts: Iterable[Attempt]) -> list[Finding]:
    """What it has tried that the sandbox forbids: each kind and place once, and not too many."""
    seen: set[tuple[str, str, int]] = set()
    found: list[Finding] = []
    for one in attempts:
        place = (one.kind, one.file, one.line)
        if one.kind == audit.OWN or place in seen or len(seen) >= _MOST_FINDINGS:
            continue
        seen.add(place)
        text, remedy = _TRIES[one.kind]
        text = text.format(f"{one.event}({one.what})" if one.what else one.event)
        if one.importing:
            text += ", during an import"
        harmless = one.importing or one.kind in (audit.MEMORY, audit.NATIVE)
        level = NOTE if harmless else WARNING
        found.append(Finding(level, f"{TRIES}{one.kind}", text, remedy, one.file, one.line))
    return found


def count_tried(attempts: Iterable[Attempt]) -> int:
    """In how many places the bot tries what the sandbox forbids."""
    return len({(one.kind, one.file, one.line) for one in attempts if one.kind != audit.OWN})


def own_files(attempts: Iterable[Attempt], spec: BotSpec) -> list[Finding]:
    """The files of its folder that it reads, which a league must be sent, too."""
    own = [one for one in attempts if one.kind == audit.OWN]
    if not own:
        return []
    folder = os.path.dirname(spec.path)
    names = sorted({os.path.relpath(one.what, folder) for one in own})
    shown = ", ".join(names[:_MOST]) + (f" and {len(names) - _MOST} more" if len(names) > _MOST else "")
    command = f"arena submit {shlex.quote(os.path.basename(spec.path))} --folder {shlex.quote(os.path.relpath(folder))}"
    remedy = f"A league is sent the bot's file alone, unless you give its folder: {command} --league NAME"
    return [Finding(NOTE, "reads own files", f"reads files beside it: {shown}", remedy, own[0].file, own[0].line)]


# ---------------------------------------------------------------- what the source alone says


def pitfalls(source: Source) -> list[Finding]:
    """What can be told from the source alone."""
    found: list[Finding] = []
    for one in source.of(HintKind.IMPORT, HintKind.OPTIONAL_IMPORT)[:_MOST_FINDINGS]:
        level, remedy = WARNING, "Ask the organiser whether it is installed there, or do without it."
        text = f"imports {one.text}, which is not part of Python"
        if one.text in _INSTALLED:
            level, remedy, text = NOTE, "", f"{text}; it is installed with the arena"
        elif one.kind == HintKind.OPTIONAL_IMPORT:
            level, remedy = NOTE, "The bot runs without it, but may then play differently."
        found.append(_finding(level, "imports", text, remedy, [one]))
    for one in source.of(HintKind.RELATIVE_PATH)[:_MOST]:
        text = f"{one.text} is looked up in the working directory, which is not always the bot's folder"
        found.append(_finding(WARNING, "relative path", text, "Write Path(__file__).parent / ...", [one]))
    if draws := source.of(HintKind.GLOBAL_CHANCE):
        text = (
            f"draws from the global generator: {draws[0].text}{_more(draws)}; it is seeded for each game, but such a "
            "bot's games cannot be played in lock step"
        )
        found.append(_finding(NOTE, "global random", text, "Draw from view.rng.", draws))
    if threads := source.of(HintKind.THREADS):
        text = f"imports {threads[0].text}: what runs between its decisions takes processor time from the other bot"
        found.append(_finding(NOTE, "threads", text, "Think in act, and stop there whatever it starts.", threads))
    return found


def _more(hints: Sequence[Hint]) -> str:
    others = sorted({one.line for one in hints[1:]})
    if not others:
        return ""
    shown = ", ".join(map(str, others[:_MOST])) + " ..." * (len(others) > _MOST)
    return f" (and in line{'s' * (len(others) > 1)} {shown})"
