"""The check of a bot before its submission (`arena check`).

In each rule set the bot plays a run against `random` and against itself. The run is then played again, in reverse
order and with another seed for Python's hashes. A bot whose decisions depend only on the position and its seed decides
the same way again.
"""

from __future__ import annotations

import math
import re
import secrets
import shlex
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tabulate import tabulate

from arena.bots.isolation.process import require_isolation
from arena.bots.limits import ISOLATIONS, Isolation, Limits
from arena.bots.spec import BotSpec, find_bot
from arena.compiled import require_fresh_engine
from arena.errors import ArenaError, did_you_mean
from arena.game.record import parse_record
from arena.game.rules import load_rules
from arena.paths import data_folder
from arena.text import counted, one_line, printable
from arena.tournament.config import TournamentConfig
from arena.tournament.forfeits import reason_line
from arena.tournament.games import FAILED_AFTER, GameResult
from arena.tournament.run_settings import BotSetting, Clock, GauntletSettings
from arena.tournament.runner.play_run import job_of, play_run
from arena.tournament.runner.progress import ProgressListener, RunStatus
from arena.tournament.store.columns import ThinkingTime
from arena.tournament.store.reader import Reader
from arena.tournament.store.sqlite import StoreError

ERROR, WARNING = "error", "warning"
RULES = ("base", "tactical", "expert")
DEFAULT_GAMES = 40
LEAGUE_MS = 1000  # the default clock of a league, per decision

_SEEDS = 1_000_000
_MOST_FORFEITS = 4
_LATE = "because time ran out (--seconds)"
_LINES, _LINE = 24, 300  # of a traceback


# ---------------------------------------------------------------- what is found


@dataclass(frozen=True)
class Finding:
    """A problem that the bot's author should know about.

    `level` is `error` (the bot loses games because of it) or `warning`; `code` is a fixed word for scripts, `text` a
    sentence. `rules` is the rule set in which the problem occurred, `details` are further lines (a traceback), and
    `record` is the record of a game that shows it.
    """

    level: str
    code: str
    text: str
    rules: str | None = None
    details: tuple[str, ...] = ()
    record: str | None = None


@dataclass(frozen=True)
class RulesReport:
    """Results in one rule set: games played and wanted, forfeits by kind.

    `score` is the share of the points won against `random`, `speed` the times of the bot's decisions in milliseconds
    (`ThinkingTime.measures`), None if there are none.
    """

    rules: str
    games: int
    wanted: int
    forfeits: Mapping[str, int] = field(default_factory=dict)
    score: float | None = None
    speed: Mapping[str, float] | None = None


@dataclass(frozen=True)
class CheckReport:
    """Everything that a check found.

    Of the games `played_again`, `different` had other decisions. `left_out` lists what was not checked, and why.
    """

    bot: str
    spec: str
    source_hash: str
    isolation: str
    seed: int
    clock: Mapping[str, int | None]
    loaded: bool
    rules: tuple[RulesReport, ...]
    played_again: int
    different: int
    left_out: tuple[str, ...]
    findings: tuple[Finding, ...]
    seconds: float

    @property
    def errors(self) -> tuple[Finding, ...]:
        """Findings that make a league refuse the bot."""
        return tuple(finding for finding in self.findings if finding.level == ERROR)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Findings that do not keep the bot out of a league."""
        return tuple(finding for finding in self.findings if finding.level == WARNING)

    @property
    def games(self) -> int:
        """Number of games played, not counting those played again."""
        return sum(part.games for part in self.rules)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values for JSON (see `docs/check.md`)."""
        counts = {"accepted": not self.errors, "errors": len(self.errors), "warnings": len(self.warnings)}
        return {**counts, **asdict(self)}


# ---------------------------------------------------------------- checking


def check_bot(
    spec: BotSpec | str,
    *,
    rules: Sequence[str] = RULES,
    level: str = "sandbox",
    games: int = DEFAULT_GAMES,
    seed: int | None = None,
    clock: Clock = Clock(),  # noqa: B008  (frozen)
    limits: Limits = Limits(),  # noqa: B008  (frozen)
    seconds: float | None = None,
    report: Callable[[str], None] = lambda text: None,
) -> CheckReport:
    """Check a bot at an isolation level and return the report, which includes the bot's faults.

    `games` games (rounded up to an even number) are played in each of the `rules`, and then again; with `seconds`, as
    many as fit in that time, at least one. If `seed` is None, a seed is drawn. `report` is called several times a
    second with the current activity; if it raises an exception, the check ends and leaves no process behind.

    Raise ArenaError if the check cannot begin: no such bot, or no sandbox on this machine.
    """
    begun = time.monotonic()
    bot = find_bot(spec) if isinstance(spec, str) else spec
    _can_begin(bot, level, rules)
    seed = secrets.randbelow(_SEEDS) if seed is None else seed
    twin = f"{bot.name}2"
    random = "random-opponent" if "random" in (bot.name, twin) else "random"
    bots = (bot, find_bot(str(data_folder("bots") / "random.py"), name=random), replace(bot, name=twin))
    levels = (level, "none", level)
    config = TournamentConfig(
        name="check",
        format="gauntlet",
        format_settings=GauntletSettings(),
        bots=tuple(BotSetting(bot.spec, bot.name, isolation=level) for bot, level in zip(bots, levels)),
        games=max(math.ceil(games / 2), 1),
        pairs=False,  # so that one process plays all games, and shows what the bot remembers
        seed=seed,
        clock=clock,
        limits=limits,
    )
    parts: list[_Part] = []
    failure: Finding | None = None
    for number, name in enumerate(rules):
        left = math.inf if seconds is None else seconds - (time.monotonic() - begun)
        part = _Part(replace(config, rules=name), bots, report)
        is_slow = any(game.forfeit == "timeout" for other in parts for game in other.forfeits)
        parts.append(part)
        if is_slow or left <= 0:
            why = "because the bot was too slow in another rule set" if is_slow else _LATE
            part.left_out.append(f"{name}: all games, {why}")
            continue
        try:
            part.play(left / (len(rules) - number))
        except StoreError:
            raise
        except ArenaError as error:  # it cannot be loaded, or no worker survives its games
            require_fresh_engine()  # an unfinished build is not the bot's fault
            failure = _failure(str(error), _played(parts))
            break
    loaded = failure is None or _played(parts) > 0
    return CheckReport(
        bot=bot.name,
        spec=bot.spec,
        source_hash=bot.source_hash,
        isolation=level,
        seed=seed,
        clock=dict(vars(clock)),
        loaded=loaded,
        rules=tuple(part.report() for part in parts) if loaded else (),
        played_again=sum(len(part.again) for part in parts),
        different=sum(1 for part in parts for _ in part.differences()),
        left_out=tuple(line for part in parts for line in part.left_out),
        findings=(failure,) if failure is not None else tuple(_findings(parts)),
        seconds=round(time.monotonic() - begun, 2),
    )


def _can_begin(bot: BotSpec, level: str, rules: Sequence[str]) -> None:
    """Raise ArenaError if a check cannot be made as asked."""
    if level not in ISOLATIONS:
        raise ArenaError(f"unknown isolation level '{level}'{did_you_mean(level, ISOLATIONS)}")
    if not rules:
        raise ArenaError("a check needs at least one rule set")
    for name in rules:
        load_rules(name)
    if level == "none" and bot.command:
        raise ArenaError(f"the bot '{bot.target}' is a command and has its own process; use process or sandbox")
    require_isolation(level)


# ---------------------------------------------------------------- playing


class _Listener(ProgressListener):
    """Reports the activity of a check: what is played, and how much of it."""

    def __init__(self, report: Callable[[str], None], rules: str, again: str) -> None:
        self._report, self._rules, self._again = report, rules, again

    def update(self, status: RunStatus) -> None:
        self._report(f"{self._rules}: {status.done} of {status.total} games{self._again}")


@dataclass
class _Part:
    """A run in one rule set, and the same games played again. The `bots` are the bot, `random` and the bot again."""

    config: TournamentConfig
    bots: tuple[BotSpec, ...]
    report_progress: Callable[[str], None]
    games: list[GameResult] = field(default_factory=list)
    again: list[GameResult] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    thinking: ThinkingTime | None = None

    def __post_init__(self) -> None:
        self.rules = self.config.rules
        self.players = self.bots[0].name, self.bots[2].name
        self.wanted = 2 * self.config.games

    # ------------------------------------------------------------ playing

    def play(self, seconds: float) -> None:
        """Play the games, then play them again; each takes half of the time.

        The starts of processes do not count, so that a quick bot plays whatever it takes to load.
        """
        self.games = self._play_run(self.config, seconds / 2)
        if missing := self.wanted - len(self.games):
            why = "because the bot forfeits" if self.forfeits else _LATE
            self.left_out.append(f"{self.rules}: {missing} of {self.wanted} games, {why}")
        if self.forfeits:
            return
        seconds -= sum(game.duration_ms for game in self.games) / 1e3
        if seconds > 0 and len(self.games) > 1:
            self.again = self._play_run(replace(self.config, games=len(self.games) // 2), seconds, again=True)
        if missing := len(self.games) - len(self.again):
            self.left_out.append(f"{self.rules}: determinism in {missing} of {len(self.games)} games, {_LATE}")

    def _play_run(self, config: TournamentConfig, seconds: float, again: bool = False) -> list[GameResult]:
        """Play a run in a temporary folder and return its games.

        It ends early if its time is up, if the bot gives no answer in time, or after a few other forfeits.
        """

        def is_enough(stored: Reader) -> int | None:
            lost = [game.forfeit for game in self.forfeits_in(stored.results("forfeit_by > 0"))]
            spent_s = sum(row.us for row in stored.rows()) / 1e6
            is_over = len(lost) >= _MOST_FORFEITS or "timeout" in lost or spent_s >= seconds
            return config.games if is_over else None

        job = replace(job_of(config, self.bots), backwards=again)
        with TemporaryDirectory(prefix="arena-") as folder:
            listener = _Listener(self.report_progress, config.rules, " again" if again else "")
            listener.update(RunStatus(0, 2 * config.games))
            report = play_run(config, Path(folder), listener, verdict=is_enough, job=job)
            if report.stopped:
                raise KeyboardInterrupt
            with Reader(folder) as reader:
                if not again:
                    times = {time.bot: time for time in reader.columns().thinking}
                    self.thinking = times[self.players[0]].plus(times[self.players[1]])
                return list(reader.results())

    # ------------------------------------------------------------ what it shows

    @property
    def forfeits(self) -> list[GameResult]:
        """The games that the bot forfeited or after which it failed in `end`: its author should know both."""
        return self.forfeits_in(self.games)

    def forfeits_in(self, games: Iterable[GameResult]) -> list[GameResult]:
        """Return those of some games."""
        return [game for game in map(_with_failure_after, games) if game.forfeit_by in self.players]

    def report(self) -> RulesReport:
        """Return the results."""
        bot, twin = self.players
        forfeits = Counter(str(game.forfeit) for game in self.forfeits)
        scores = [game.score_of(bot) for game in self.games if twin not in _bots(game)]
        score = sum(scores) / len(scores) if scores else None
        speed = self.thinking.measures() if self.thinking is not None and self.thinking.decisions else None
        return RulesReport(self.rules, len(self.games), self.wanted, dict(forfeits), score, speed)

    def differences(self) -> Iterator[tuple[GameResult, int, str, str]]:
        """Yield each game that went differently when played again, with the number of the decision and both moves."""
        before = {game.id: game for game in self.games}
        for game in self.again:
            old, new = parse_record(before[game.id].record), parse_record(game.record)
            moves = [[*map(str, record.moves), f"the end ({record.result})"] for record in (old, new)]
            for number, (was, now) in enumerate(zip(*moves), start=1):
                if was != now:
                    yield before[game.id], number, was, now
                    break

    def describe(self, game: GameResult) -> str:
        """Describe a game: its rule set and deal, the opponent, and which bot began."""
        bot, twin = self.players
        deal = f"{self.rules}, deal {game.id.deal}"
        if twin in _bots(game):
            return f"{deal} against itself"
        return f"{deal} against random, moving {'first' if game.first == bot else 'second'}"


def _played(parts: Sequence[_Part]) -> int:
    return sum(len(part.games) for part in parts)


def _findings(parts: Sequence[_Part]) -> list[Finding]:
    """Return the first forfeit and all warnings."""
    found: list[Finding] = []
    lost = [(part, game) for part in parts for game in part.forfeits]
    for part, game in lost[:1]:
        lines = [one_line(line, _LINE) for line in (game.detail or "").strip().splitlines()[-_LINES:]]
        reason = one_line(reason_line(game.detail), _LINE)
        text = f"forfeit by {game.forfeit}: {reason} ({part.describe(game)})"
        details = tuple(lines) if len(lines) > 1 else ()
        found.append(Finding(ERROR, f"forfeit {game.forfeit}", text, part.rules, details, game.record))
    differences = [(part, *difference) for part in parts for difference in part.differences()]
    for part, game, decision, before, after in differences[:1]:
        text = (
            "makes other decisions when a game is repeated: they depend on more than the position and its seed,"
            " such as a clock, its own random generator, the order of a set, or memory of other games"
        )
        where = f"first difference: {part.describe(game)}, decision {decision}: {before}, then {after}"
        found.append(Finding(WARNING, "not repeatable", text, part.rules, (where,), game.record))
    ms, slowest = max((part.thinking.max_us // 1000 if part.thinking else 0, part.rules) for part in parts)
    if ms > LEAGUE_MS and not parts[0].config.clocked:
        text = f"a decision takes up to {ms:,} ms; the default clock of a league allows {LEAGUE_MS} ms"
        found.append(Finding(WARNING, "slow", text, slowest))
    return found


def _failure(text: str, games: int) -> Finding:
    """Return the error of a bot that cannot be played.

    Its sentence is the first line of the text and the last, which names the exception; the other lines are details.
    """
    head, *rest = [one_line(line, _LINE) for line in text.strip().splitlines()]
    words = f"{head} {rest[-1].strip()}" if rest else head
    return Finding(ERROR, "crash" if games else "load", words, details=tuple(rest[-_LINES:]))


def _bots(game: GameResult) -> tuple[str, str]:
    return game.first, game.second


_AFTER = re.compile(rf"{FAILED_AFTER} ([a-z ]+): (.*)", re.DOTALL)


def _with_failure_after(game: GameResult) -> GameResult:
    """Return the game; if a bot failed after it, in `end`, return it as if that bot had forfeited it."""
    said = _AFTER.search(game.detail or "") if game.failed_after else None
    if said is None:
        return game
    return replace(game, forfeit=said[1], forfeit_by=game.failed_after[0], detail=said[2])


# ---------------------------------------------------------------- in words


def check_text(report: CheckReport) -> str:
    """Return the whole report as text that ends with a newline."""
    parts = [f"{report.spec}: {_verdict(report)}"]
    if report.loaded:
        parts.append(f"Forfeits: {_forfeits(report)}\nDeterminism: {_determinism(report)}")
        parts.append(_table(report))
    parts += [f"{finding.level.upper()}: {finding_text(finding)}" for finding in report.findings]
    if report.left_out:
        parts.append("Not checked:\n" + "\n".join(f"  {line}" for line in report.left_out))
    scores = [part.score for part in report.rules if part.score is not None]
    if scores and not report.errors:
        parts.append(_strength(sum(scores) / len(scores), report.spec))
    where = Isolation(report.isolation).where
    parts.append(f"{counted(report.games, 'game')} {where}, seed {report.seed}, {report.seconds:.1f} s.")
    return "\n\n".join(parts) + "\n"


def _verdict(report: CheckReport) -> str:
    counts = ((len(report.errors), "error"), (len(report.warnings), "warning"))
    found = ", ".join(counted(count, word) for count, word in counts if count) or "no findings"
    if report.errors:
        return f"not ready to submit ({found})"
    wanted = sum(part.wanted for part in report.rules)
    if report.games < wanted / 2:
        return f"only {report.games} of {wanted} games were played ({found} in these)"
    return f"ready to submit ({found})"


def _strength(score: float, spec: str) -> str:
    """Return what the share of the points against `random` means, and what to try next."""
    words = "clearly better" if score >= 0.75 else "little better" if score >= 0.55 else "no better"
    rival = "counter" if "greedy" in spec else "greedy"  # two bots cannot have one name
    next_try = f"arena match {shlex.quote(spec)} {rival} --games 200"
    return f"Strength: {score:.0%} of the points against random, {words}. Next: {next_try}"


def _determinism(report: CheckReport) -> str:
    if not report.played_again:
        return "not checked"
    again = f"{report.played_again} repeated games"
    if report.different:
        return f"no: decisions differ in {report.different} of {again}"
    return f"yes: all decisions are the same in {again}"


def _forfeits(report: CheckReport) -> str:
    kinds = sum((Counter(part.forfeits) for part in report.rules), Counter[str]())
    if not kinds:
        return f"none in {counted(report.games, 'game')}"
    lost = ", ".join(f"{number} by {kind}" for kind, number in kinds.items())
    return f"{lost}, in {counted(report.games, 'game')}"


def _table(report: CheckReport) -> str:
    """Return the most important figures as a table of 80 columns; JSON has the others."""
    heads = ["rules", "games", "forfeits", "ms: 50%", "99%", "longest"]
    rows = []
    for part in report.rules:
        games = str(part.games) if part.games == part.wanted else f"{part.games} of {part.wanted}"
        speed = part.speed
        times = ["-" if speed is None else _figure(speed[name]) for name in ("p50_ms", "p99_ms", "max_ms")]
        rows.append([part.rules, games, str(sum(part.forfeits.values())), *times])
    align = ["left"] + ["right"] * (len(heads) - 1)
    return tabulate(rows, heads, tablefmt="simple", disable_numparse=True, colalign=align)


def _figure(ms: float) -> str:
    return f"{ms:,.0f}" if ms >= 100 else f"{ms:.2g}"


def finding_text(finding: Finding) -> str:
    """Return a finding as lines of text: its sentence, its details, and how to see the game."""
    lines = [finding.text, *(f"  {line}" for line in finding.details)]
    if finding.record:
        lines.append(f"  Replay: arena replay '{finding.record}'")
    return printable("\n".join(lines), keep="\n")
