"""Checks a bot: plays games with it, again, in another order, alone and together, and says what that shows."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence

from arena.bots.faults import BotError
from arena.bots.isolation.launch import CannotStart
from arena.bots.isolation.levels import ISOLATIONS
from arena.bots.isolation.process import require_isolation
from arena.bots.isolation.sandbox.bubblewrap import SandboxMissing
from arena.bots.isolation.sandbox.files import SandboxRefused, check_folder
from arena.bots.processes.affinity import pinned_to_core
from arena.bots.processes.limits import BotLimits
from arena.bots.spec import BotSpec, find_bot
from arena.errors import ArenaError, did_you_mean
from arena.game.rules import load_rules
from arena.league.check import failures, findings
from arena.league.check.budget import CheckProgress, TimeBudget
from arena.league.check.report import LEVELS, Answer, CheckReport, Finding, Loading, RulesReport
from arena.league.check.sessions import (
    CheckSettings,
    OpenSession,
    minimal_start,
    open_session,
    start_time,
    without_strays,
)
from arena.league.check.source.isolated_reader import read_source
from arena.league.check.source.model import Source
from arena.league.check.trials import Trials
from arena.tournament.config.tournament import Clock

RULES = ("base", "tactical", "expert")
GAMES = 40
SEEDS = 1_000_000
"""One of these is drawn: a bot that knows the games of a check could behave in them alone."""
_MACHINE = (CannotStart, SandboxMissing, SandboxRefused)
"""Faults of this machine, not of the bot."""


def check_bot(
    spec: BotSpec | str,
    *,
    rules: Sequence[str] = RULES,
    level: str = "sandbox",
    games: int = GAMES,
    seed: int | None = None,
    clock: Clock = Clock(),  # noqa: B008  (frozen)
    limits: BotLimits = BotLimits(),  # noqa: B008  (frozen)
    seconds: float | None = None,
    strength: bool = False,
    report: Callable[[CheckProgress], None] = lambda progress: None,
    open_session: OpenSession = open_session,
) -> CheckReport:
    """Check a bot at an isolation level.

    `games` are played in each of the `rules`, and again in other ways; with `seconds` as many of them as fit,
    at least two where there is time. `seed` None: one is drawn, which the report names. `report` hears now and then
    how it goes; what it raises ends the check, and leaves no process behind. `open_session` says where the bot plays.
    ArenaError if the check cannot be begun: no such bot, no sandbox on this machine. Whatever is wrong with the bot
    itself is in the report, and whatever could not be checked is in
    `left_out`.
    """
    begun = time.monotonic()
    found = find_bot(spec) if isinstance(spec, str) else spec
    seed = secrets.randbelow(SEEDS) if seed is None else seed
    settings = CheckSettings(found, level, seed, clock, limits)
    _can_begin(settings, rules)
    budget = TimeBudget(rules, games, seconds, strength, report)
    trials = Trials(settings, rules, games, budget, open_session)
    with pinned_to_core(), without_strays(level) as strays:
        source = read_source(found, level, trials.omissions)
        loading, failure = _loaded(trials, source)
        if failure is None:
            budget.start_s = 0.0 if loading is None else (loading.load_ms + loading.init_ms) / 1000
            failure = _played(trials, strength, source)
    if failure is None:
        all_findings = findings.of_games(trials, source, loading, len(strays))
    else:
        all_findings = [failure]
    all_findings += findings.of_bot(trials, source)
    unknown = Answer(None, "not checked")
    return CheckReport(
        bot=found.name,
        spec=found.spec,
        source_hash=found.source_hash,
        isolation=level,
        seed=seed,
        clock={"move_ms": clock.move_ms, "bank_ms": clock.bank_ms},
        loaded=failure is None,
        nature=findings.nature(trials, source),
        loading=loading,
        rules=tuple(_rules_report(trials, one) for one in rules) if failure is None else (),
        repeats=findings.repeats(trials) if failure is None else unknown,
        forgets=findings.forgets(trials) if failure is None else unknown,
        attempts=findings.count_tried(trials.attempts) if trials.listened else None,
        printed=trials.printed,
        left_out=tuple(trials.omissions.lines),
        findings=tuple(findings.bounded(one) for one in sorted(all_findings, key=lambda one: LEVELS.index(one.level))),
        seconds=round(time.monotonic() - begun, 2),
    )


def _can_begin(settings: CheckSettings, rules: Sequence[str]) -> None:
    """ArenaError if the check cannot be made as asked."""
    level = settings.level
    if level not in ISOLATIONS:
        raise ArenaError(f"unknown isolation level '{level}'{did_you_mean(level, ISOLATIONS)}")
    if not rules:
        raise ArenaError("a check needs at least one rule set")
    for one in rules:
        load_rules(one)
    if level == "none" and settings.spec.command:
        raise ArenaError(
            f"the bot '{settings.spec.target}' is a command and has its own process; use process or sandbox"
        )
    require_isolation(level)
    if level == "sandbox":
        check_folder(settings.folder)


def _loaded(trials: Trials, source: Source) -> tuple[Loading | None, Finding | None]:
    """Start the bot once: how long that took, or what is wrong."""
    settings, rules = trials.settings, load_rules(trials.rules[0])
    try:
        minimal = None if settings.spec.command else minimal_start(settings.level, rules, trials.open_session)
        start = start_time(settings, rules, trials.open_session)
    except _MACHINE:
        raise
    except BotError as error:
        return None, failures.load_failure(settings, str(error), source, trials.omissions)
    except Exception as error:
        trials.omissions.failed("the time to load", error)
        return None, None
    if start is None:
        return None, None
    minimal_ms = None if minimal is None else round(1000 * minimal.load_s, 1)
    return Loading(round(1000 * start.load_s, 1), round(1000 * start.init_s, 2), minimal_ms), None


def _played(trials: Trials, strength: bool, source: Source) -> Finding | None:
    """Play all games; what is wrong if the bot cannot be loaded after all."""
    try:
        trials.play_all(strength)
    except Exception as error:
        if error is trials.budget.stopped_by or isinstance(error, _MACHINE):
            raise
        if isinstance(error, BotError):
            return failures.load_failure(trials.settings, str(error), source, trials.omissions)
        trials.omissions.failed("further games", error)
    return None


def _rules_report(trials: Trials, rules: str) -> RulesReport:
    rows = trials.rows.get(rules, [])
    return RulesReport(
        rules,
        len(rows),
        trials.games,
        failures.kinds(rows),
        trials.omissions.guard("the time it takes", lambda: findings.speed_of(trials, rules), None),
        trials.memory.get(rules),
        trials.scores.get(rules, ()),
    )
