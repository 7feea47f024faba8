"""Checks a bot: plays games with it, again, in another order, alone and together, and says what that shows."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Callable, Sequence

from arena.check import forfeits, hints, judge
from arena.check.apart import read_source
from arena.check.care import bounded
from arena.check.games import Setting, folder_of, minimal_start, start_time
from arena.check.places import last_line, place_in
from arena.check.plan import Progress, Schedule
from arena.check.processes import without_strays
from arena.check.report import ERROR, LEVELS, Answer, CheckReport, Finding, Loading, RulesReport
from arena.check.source import Source
from arena.check.trials import Trials
from arena.config.tournament import ISOLATIONS, Clock
from arena.errors import ArenaError, did_you_mean
from arena.game.rules import load_rules
from arena.isolation.limits import BotLimits
from arena.isolation.process import CannotStart
from arena.isolation.sandbox.bubblewrap import SandboxMissing, usable
from arena.isolation.sandbox.files import SandboxRefused, check_folder
from arena.players.faults import BotError
from arena.players.spec import BotSpec, find_bot
from arena.processes.affinity import pinned_to_core

RULES = ("base", "tactical", "expert")
GAMES = 40
SEED = 1
_MACHINE = (CannotStart, SandboxMissing, SandboxRefused)
"""Faults of this machine, not of the bot."""


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

    `games` are played in each of the `rules`, and again in other ways; with `seconds` as many of them as fit,
    at least two. `report` is told now and then how it goes; what it raises ends the check, and leaves no process
    behind. ArenaError if it cannot be begun: no such bot, no sandbox on this machine. Whatever is wrong with the bot
    itself is in the report, and whatever this program cannot make of it is in `left_out`.
    """
    begun = time.monotonic()
    found = find_bot(spec) if isinstance(spec, str) else spec
    _can_begin(found, rules, level)
    setting = Setting(found, level, seed, clock, limits)
    listener = _Listener(report)
    schedule = Schedule(rules, games, seconds, strength, listener)
    trials = Trials(setting, rules, games, schedule)
    care = trials.care
    with pinned_to_core(), without_strays(level) as strays:
        source = read_source(found, level, care)
        loading, failure = _loaded(trials, source)
        if failure is None:
            schedule.start_s = 0.0 if loading is None else (loading.load_ms + loading.init_ms) / 1000
            failure = _played(trials, strength, listener, source)
    findings = [failure] if failure is not None else judge.findings(trials, source, loading, len(strays))
    findings += care.look("what it tries", lambda: hints.forbidden(trials.attempts), [])
    findings += care.look("the files that it reads", lambda: hints.beside(trials.attempts, found), [])
    findings += care.look("pitfalls in the source", lambda: hints.pitfalls(source), [])
    reports = [_rules_report(trials, one) for one in rules] if failure is None else []
    unknown = Answer(None, "not looked at")
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
        rules=tuple(reports),
        repeats=judge.repeats(trials) if failure is None else unknown,
        forgets=judge.forgets(trials) if failure is None else unknown,
        attempts=hints.counted(trials.attempts) if trials.listened else None,
        printed=trials.printed,
        left_out=tuple(trials.left_out),
        findings=tuple(bounded(one) for one in sorted(findings, key=lambda one: LEVELS.index(one.level))),
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


class _Listener:
    """Who is told how it goes, and what was raised there: that ends the check, it is no failure over the bot."""

    def __init__(self, tell: Callable[[Progress], None]) -> None:
        self._tell = tell
        self.raised: BaseException | None = None

    def __call__(self, progress: Progress) -> None:
        try:
            self._tell(progress)
        except BaseException as error:
            self.raised = error
            raise


def _played(trials: Trials, strength: bool, listener: _Listener, source: Source) -> Finding | None:
    """Play all games; what is wrong if the bot cannot be loaded after all."""
    try:
        _try_all(trials, strength)
    except Exception as error:
        if error is listener.raised or isinstance(error, _MACHINE):
            raise
        if isinstance(error, BotError):
            return _load_finding(trials, str(error), source)
        trials.care.failed("further games", error)
    return None


def _loaded(trials: Trials, source: Source) -> tuple[Loading | None, Finding | None]:
    """Start the bot once: how long that took, or what is wrong."""
    one = load_rules(trials.rules[0])
    try:
        minimal = minimal_start(trials.setting, one)
        start = start_time(trials.setting, one)
    except _MACHINE:
        raise
    except BotError as error:
        return None, _load_finding(trials, str(error), source)
    except Exception as error:
        trials.care.failed("the time to load", error)
        return None, None
    if start is None:
        return None, None
    minimal_ms = None if minimal is None else round(1000 * minimal.load_s, 1)
    return Loading(round(1000 * start.load_s, 1), round(1000 * start.init_s, 2), minimal_ms), None


def _load_finding(trials: Trials, text: str, source: Source) -> Finding:
    """Why the bot cannot be loaded, with the place."""
    plainly = Finding(ERROR, "load", text.partition("\n")[0])
    return trials.care.look("why it cannot be loaded", lambda: _reason(trials.setting, text, source), plainly)


def _reason(setting: Setting, text: str, source: Source) -> Finding:
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
    named = setting.spec.target if setting.spec.target.endswith(".py") else setting.spec.path
    remedy = f"Try it: python -m py_compile {shlex.quote(named)}" if "not valid Python" in head else ""
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
    rows = trials.rows.get(rules, [])
    return RulesReport(
        rules,
        len(rows),
        trials.games,
        forfeits.kinds(rows),
        trials.care.look("the time it takes", lambda: judge.speed_of(trials, rules), None),
        trials.memory.get(rules),
        trials.scores.get(rules, ()),
    )
