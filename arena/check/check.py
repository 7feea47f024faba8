"""Checks a bot: plays games with it, again, in another order, alone and together, and says what that shows."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence

from arena.check import forfeits, hints, judge
from arena.check.games import Setting, folder_of, minimal_start, start_time
from arena.check.places import last_line, place_in
from arena.check.plan import Progress, Schedule
from arena.check.processes import on_one_core, without_strays
from arena.check.report import ERROR, LEVELS, Answer, CheckReport, Finding, Loading, RulesReport
from arena.check.source import Source, read_source
from arena.check.trials import Trials
from arena.errors import ArenaError, did_you_mean
from arena.game.rules import load_rules
from arena.isolation.limits import BotLimits
from arena.isolation.sandbox import usable
from arena.isolation.sandbox_files import check_folder
from arena.match.config import ISOLATIONS, Clock
from arena.players.faults import BotError
from arena.players.finding import BotSpec, find_bot

RULES = ("base", "tactical", "expert")
GAMES = 40
SEED = 1


def _nobody(progress: Progress) -> None:
    """Tell nobody."""


def check_bot(
    spec: BotSpec | str,
    *,
    rules: Sequence[str] = RULES,
    level: str = "sandbox",
    games: int = GAMES,
    seed: int = SEED,
    clock: Clock = Clock(),  # noqa: B008  (frozen)
    limits: BotLimits = BotLimits(),  # noqa: B008  (frozen)
    seconds: float | None = None,
    strength: bool = False,
    report: Callable[[Progress], None] = _nobody,
) -> CheckReport:
    """Check a bot at an isolation level.

    ``games`` are played in each of the ``rules``, and again in other ways; with ``seconds`` as many of them as fit,
    at least two. ``report`` is told now and then how it goes; what it raises ends the check, and leaves no process
    behind. ArenaError if it cannot be begun: no such bot, no sandbox on this machine. Whatever is wrong with the bot
    itself is in the report.
    """
    begun = time.monotonic()
    found = find_bot(spec) if isinstance(spec, str) else spec
    _can_begin(found, rules, level)
    setting = Setting(found, level, seed, clock, limits)
    source = read_source(found)
    schedule = Schedule(rules, games, seconds, strength, report)
    with on_one_core(), without_strays(level) as strays:
        trials = Trials(setting, rules, games, schedule)
        loading, failure = _loaded(setting, rules[0], source)
        if failure is None:
            schedule.start_s = 0.0 if loading is None else (loading.load_ms + loading.init_ms) / 1000
            try:
                _try_all(trials, strength)
            except BotError as error:
                failure = _load_finding(setting, str(error), source)
    findings = [failure] if failure is not None else judge.findings(trials, source, loading, len(strays))
    findings += hints.forbidden(trials.attempts) + hints.pitfalls(source)
    return CheckReport(
        bot=found.name,
        spec=found.spec,
        source_hash=found.source_hash,
        isolation=level,
        seed=seed,
        clock={"move_ms": clock.move_ms, "bank_ms": clock.bank_ms},
        loaded=failure is None,
        nature=judge.nature(trials, source),
        loading=loading,
        rules=tuple(_rules_report(trials, one) for one in rules) if failure is None else (),
        repeats=judge.repeats(trials) if failure is None else Answer(None, "not looked at"),
        forgets=judge.forgets(trials) if failure is None else Answer(None, "not looked at"),
        attempts=hints.counted(trials.attempts) if trials.listened else None,
        printed=trials.printed,
        left_out=tuple(trials.left_out),
        findings=tuple(sorted(findings, key=lambda one: LEVELS.index(one.level))),
        seconds=round(time.monotonic() - begun, 2),
    )


def _can_begin(spec: BotSpec, rules: Sequence[str], level: str) -> None:
    """ArenaError if the check cannot be made as asked."""
    if level not in ISOLATIONS:
        raise ArenaError(f"unknown isolation level '{level}'{did_you_mean(level, ISOLATIONS)}")
    if not rules:
        raise ArenaError("a check needs at least one rule set")
    for one in rules:
        load_rules(one)
    if level == "none" and spec.command:
        raise ArenaError(
            f"the bot '{spec.target}' is a command and has its own process; use process or sandbox"
        )
    if level == "sandbox":
        usable()
        check_folder(folder_of(spec))


def _loaded(setting: Setting, rules: str, source: Source) -> tuple[Loading | None, Finding | None]:
    """Start the bot once: how long that took, or what is wrong."""
    one = load_rules(rules)
    try:
        minimal = minimal_start(setting, one)
        start = start_time(setting, one)
    except BotError as error:
        return None, _load_finding(setting, str(error), source)
    if start is None:
        return None, None
    minimal_ms = None if minimal is None else round(1000 * minimal.load_s, 1)
    return Loading(round(1000 * start.load_s, 1), round(1000 * start.init_s, 2), minimal_ms), None


def _load_finding(setting: Setting, text: str, source: Source) -> Finding:
    """Why the bot cannot be loaded, with the place."""
    head, _, rest = text.partition("\n")
    file, line = place_in(text, setting.spec.path)
    if file is None and "holds" in head and source.entries:
        file, line = source.entries[-1].file, source.entries[-1].line
    words = head.rstrip(":")
    hook = re.match(r"in (\w+): Traceback", head)
    if hook:
        words = f"{hook[1]} raises {last_line(rest)}"
    elif rest:
        words += f": {last_line(rest)}"
    remedy = "Try it: python -m py_compile FILE" if "not valid Python" in head else ""
    details = tuple(rest.splitlines()[-14:])
    return Finding(ERROR, "load", words, remedy, file, line, details=details)


def _try_all(trials: Trials, strength: bool) -> None:
    for rules in trials.rules:
        trials.play(rules)
    for trial in (trials.repeat, trials.reorder, trials.alone, trials.together):
        for rules in trials.clean():
            trial(rules)
    if strength:
        for rules in trials.clean():
            trials.strength(rules)


def _rules_report(trials: Trials, rules: str) -> RulesReport:
    rows = trials.rows[rules]
    return RulesReport(
        rules,
        len(rows),
        trials.games,
        forfeits.kinds(rows),
        judge.speed_of(trials, rules),
        trials.memory.get(rules),
        trials.scores.get(rules, ()),
    )
