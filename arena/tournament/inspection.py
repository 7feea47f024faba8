"""The check of a bot before its submission (`arena check`).

In each rule set the bot plays against `random` and against itself. New processes then play the same games again, in
reverse order and with another seed for Python's hashes. A bot whose decisions depend only on the position and its seed
decides the same way again.
"""

from __future__ import annotations

import os
import re
import secrets
import shlex
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tabulate import tabulate

from arena.bots.bundle import bundles_folder
from arena.bots.isolation.levels import ISOLATIONS, Isolation
from arena.bots.isolation.process import require_isolation
from arena.bots.limits import Limits
from arena.bots.processes import children, descendants, status_mb
from arena.bots.spec import BotSpec, find_bot
from arena.compiled import require_fresh_engine
from arena.errors import ArenaError, did_you_mean
from arena.game.record import parse_record
from arena.game.rules import load_rules
from arena.paths import data_folder
from arena.text import counted, one_line, printable
from arena.tournament.config import Clock
from arena.tournament.games import FAILED_AFTER, GameResult, PairTask, merge_times, time_quantile
from arena.tournament.runner.job import Job, Played
from arena.tournament.runner.logs import PlainRecord
from arena.tournament.runner.pool import Pool, StopSignals

ERROR, WARNING = "error", "warning"
RULES = ("base", "tactical", "expert")
DEFAULT_GAMES = 40
LEAGUE_MS = 1000  # the default clock of a league, per decision
MUCH_PRINTED = 2000  # characters per game
LEAK_MB, LEAK_PER_GAME_MB = 2.0, 0.02
COMMAND_LEAK_MB = 32.0  # node and Java collect their garbage that late

_AGAINST_RANDOM, _AGAINST_ITSELF = 0, 1  # numbers of the pairings
_GAME_SEED, _OTHER_SEED = "0", "1"  # seeds of Python's hashes: the usual one, and a different one
_SEEDS = 1_000_000
_BRIEF_S = 1.0  # a pair of games this short is played whatever the time
_MOST_FORFEITS = 4
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
class Speed:
    """Times of the bot's decisions in milliseconds, within 10%; the longest is exact.

    `decisions_s` are decisions per second; `games_s` are games per second against `random` on one core.
    """

    decisions: int
    decisions_s: float
    p50_ms: float
    p90_ms: float
    p99_ms: float
    max_ms: float
    games_s: float


@dataclass(frozen=True)
class Memory:
    """Memory of the bot's process in MB: its peak, and its growth per game after the first third of the games."""

    peak_mb: float
    growth_mb: float


@dataclass(frozen=True)
class RulesReport:
    """Results in one rule set: games played and wanted, forfeits by kind, speed and memory.

    `score` is the share of the points won against `random`.
    """

    rules: str
    games: int
    wanted: int
    forfeits: Mapping[str, int] = field(default_factory=dict)
    score: float | None = None
    speed: Speed | None = None
    memory: Memory | None = None


@dataclass(frozen=True)
class CheckAnswer:
    """The answer to a yes-or-no question about the bot.

    `yes` is None if it was not checked; `text` explains the answer.
    """

    yes: bool | None
    text: str


@dataclass(frozen=True)
class CheckReport:
    """Everything that a check found. `printed` counts characters; `left_out` lists what was not checked, and why."""

    bot: str
    spec: str
    source_hash: str
    isolation: str
    seed: int
    clock: Mapping[str, int | None]
    loaded: bool
    rules: tuple[RulesReport, ...]
    repeats: CheckAnswer
    printed: int
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


class _CannotPlay(Exception):
    """A bot that cannot be loaded, or whose games no worker survives."""


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

    `games` games are played in each of the `rules`, and then again; with `seconds`, as many as fit in that time, at
    least two. If `seed` is None, a seed is drawn. `report` is called several times a second with the current activity;
    if it raises an exception, the check ends and leaves no process behind.

    Raise ArenaError if the check cannot begin: no such bot, or no sandbox on this machine.
    """
    begun = time.monotonic()
    bot = find_bot(spec) if isinstance(spec, str) else spec
    _can_begin(bot, level, rules)
    seed = secrets.randbelow(_SEEDS) if seed is None else seed
    check = _Check(bot, level, seed, clock, limits, games, report)
    failure: Finding | None = None
    for number, name in enumerate(rules):
        left = None if seconds is None else max(seconds - (time.monotonic() - begun), 0.0) / (len(rules) - number)
        try:
            check.play(name, left)
        except _CannotPlay as error:
            failure = _failure(str(error), check.games_played)
            break
    loaded = failure is None or check.games_played > 0
    return CheckReport(
        bot=bot.name,
        spec=bot.spec,
        source_hash=bot.source_hash,
        isolation=level,
        seed=seed,
        clock={"move_ms": clock.move_ms, "bank_ms": clock.bank_ms},
        loaded=loaded,
        rules=tuple(part.report(games) for part in check.parts) if loaded else (),
        repeats=check.repeats(),
        printed=check.printed,
        left_out=tuple(check.left_out),
        findings=(failure,) if failure is not None else tuple(check.findings()),
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


@dataclass
class _Part:
    """The games played in one rule set, and the same games played again."""

    rules: str
    bot: BotSpec
    rows: list[GameResult] = field(default_factory=list)
    again: list[GameResult] = field(default_factory=list)
    memory: Memory | None = None

    def forfeits(self) -> list[GameResult]:
        """Return the games that the bot forfeited or after which it failed in `end`: its author should know both."""
        names = (self.bot.name, _opponents(self.bot)[_AGAINST_ITSELF].name)
        return [game for game in map(_with_failure_after, self.rows) if game.forfeit_by in names]

    def report(self, wanted: int) -> RulesReport:
        forfeits = Counter(str(game.forfeit) for game in self.forfeits())
        scored = [game.score_of(self.bot.name) for game in self.rows if game.id.pairing == _AGAINST_RANDOM]
        score = sum(scored) / len(scored) if scored else None
        return RulesReport(self.rules, len(self.rows), wanted, dict(forfeits), score, _speed(self.rows), self.memory)


@dataclass
class _Check:
    """A check in progress, played rule set by rule set."""

    bot: BotSpec
    level: str
    seed: int
    clock: Clock
    limits: Limits
    games: int
    tell: Callable[[str], None]
    parts: list[_Part] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    printed: int = 0
    doing: str = ""
    pair_s: float = 0.0  # the last one took, without the start of its process
    start_s: float = 0.0  # the longest that a process took to start
    spent_s: float = 0.0  # on pairs in the current rule set

    def say(self, doing: str) -> None:
        """Set the current activity and report it."""
        self.doing = doing
        self.tick()

    def tick(self) -> None:
        """Report the current activity, as a sign of life."""
        self.tell(self.doing)

    @property
    def games_played(self) -> int:
        return sum(len(part.rows) for part in self.parts)

    def play(self, rules: str, seconds: float | None) -> None:
        """Play the games of a rule set, then play them again; each takes half of the time."""
        self.spent_s = 0.0

        def fits(share: float, least: float = 0.0) -> bool:
            """Return whether another pair ends within a share of the time, or within `least` seconds."""
            return seconds is None or self.pair_s <= max(share * seconds - self.spent_s, least)

        part = _Part(rules, self.bot)
        self.parts.append(part)
        if any(game.forfeit == "timeout" for other in self.parts for game in other.forfeits()):
            self.left_out.append(f"{rules}: all games, because the bot was too slow in another rule set")
            return
        if not fits(1.0, _BRIEF_S):
            self.left_out.append(f"{rules}: all games, {self._late()}")
            return
        opponents = [opponent.name for opponent in _opponents(self.bot)]
        units = [
            PairTask(number % 2, number // 2, self.bot.name, opponents[number % 2])
            for number in range(max((self.games + 1) // 2, 1))
        ]
        with closing(_Session(self, rules, _GAME_SEED)) as session:
            for number, unit in enumerate(units, start=1):
                self.say(f"{rules}: {len(part.rows)} of {self.games} games")
                part.rows += self._pair(session, unit)
                lost = [game.forfeit for game in part.forfeits()]
                why = ""
                if len(lost) >= _MOST_FORFEITS or "timeout" in lost:
                    why = "because the bot forfeits"
                elif not fits(0.5):
                    why = self._late()
                if why and number < len(units):
                    self.left_out.append(f"{rules}: {self.games - len(part.rows)} of {self.games} games, {why}")
                    break
            part.memory = session.memory()
        self.printed += session.printed
        if part.forfeits():
            return
        played = units[: len(part.rows) // 2]
        with closing(_Session(self, rules, _OTHER_SEED)) as session:
            for unit in reversed(played):
                if not fits(1.0, 0.0 if part.again else _BRIEF_S):
                    break
                self.say(f"{rules}: {len(part.again)} of {len(part.rows)} games again")
                part.again += self._pair(session, unit)
        if len(part.again) < len(part.rows):
            self.left_out.append(
                f"{rules}: determinism in {len(part.rows) - len(part.again)} of {len(part.rows)} games, {self._late()}"
            )

    def _pair(self, session: _Session, unit: PairTask) -> list[GameResult]:
        begun = time.monotonic()
        rows = session.play(unit)
        self.pair_s = sum(game.duration_ms for game in rows) / 1e3
        self.start_s = max(self.start_s, time.monotonic() - begun - self.pair_s)
        self.spent_s += self.pair_s
        return rows

    def _late(self) -> str:
        start = f", and a process {self.start_s:.2g} s to start" if self.start_s > self.pair_s else ""
        return f"because time ran out (--seconds): a game takes {self.pair_s / 2:.2g} s{start}"

    # ------------------------------------------------------------ what it shows

    def repeats(self) -> CheckAnswer:
        """Return whether the bot made the same decisions when its games were played again."""
        again = sum(len(part.again) for part in self.parts)
        if not again:
            if any(part.forfeits() for part in self.parts):
                return CheckAnswer(None, "not checked, because the bot forfeited in every rule set")
            return CheckAnswer(None, "not checked")
        different = sum(1 for part in self.parts for _ in _differences(part))
        if different:
            return CheckAnswer(False, f"decisions differ in {different} of {again} repeated games")
        hashes = "" if self.level == "none" or self.bot.command else ", with another hash seed"
        return CheckAnswer(True, f"all decisions are the same in {again} repeated games{hashes}")

    def findings(self) -> list[Finding]:
        """Return the first forfeit and all warnings."""
        found: list[Finding] = []
        lost = [(part, game) for part in self.parts for game in part.forfeits()]
        if lost:
            part, game = lost[0]
            lines = [one_line(line, _LINE) for line in (game.detail or "").strip().splitlines()[-_LINES:]]
            last = lines[-1].strip() if lines else ""
            text = f"forfeit by {game.forfeit}: {last} ({part.rules}, {_game_text(game)})"
            details = tuple(lines) if len(lines) > 1 else ()
            found.append(Finding(ERROR, f"forfeit {game.forfeit}", text, part.rules, details, game.record))
        differences = [(part, *difference) for part in self.parts for difference in _differences(part)]
        if differences:
            part, game, decision, before, after = differences[0]
            text = (
                "makes other decisions when a game is repeated: they depend on more than the position and its seed,"
                " such as a clock, its own random generator, the order of a set, or memory of other games"
            )
            where = f"first difference: {part.rules}, {_game_text(game)}, decision {decision}: {before}, then {after}"
            found.append(Finding(WARNING, "not repeatable", text, part.rules, (where,), game.record))
        slow = [part for part in self.parts if (speed := _speed(part.rows)) and speed.max_ms > LEAGUE_MS]
        if slow and self.clock == Clock():
            ms = max(speed.max_ms for part in slow if (speed := _speed(part.rows)))
            text = f"a decision takes up to {ms:,.0f} ms; the default clock of a league allows {LEAGUE_MS} ms"
            found.append(Finding(WARNING, "slow", text, slow[0].rules))
        found += self._memory()
        if self.printed > MUCH_PRINTED * self.games_played:
            text = f"prints {self.printed // self.games_played:,} characters per game, which takes time"
            found.append(Finding(WARNING, "prints", text))
        return found

    def _memory(self) -> list[Finding]:
        limit = self.limits.memory_mb or Job("base", 0, ()).bot_limits.memory_mb
        least = COMMAND_LEAK_MB if self.bot.command else LEAK_MB
        for part in self.parts:
            memory = part.memory
            if memory is None:
                continue
            if memory.peak_mb > limit / 2:
                text = f"uses {memory.peak_mb:,.0f} of its {limit} MB of memory"
                return [Finding(WARNING, "memory", text, part.rules)]
            if memory.growth_mb > LEAK_PER_GAME_MB and memory.growth_mb * len(part.rows) > least:
                text = f"its memory grows by {memory.growth_mb:.2g} MB per game"
                return [Finding(WARNING, "memory leak", text, part.rules)]
        return []


def _failure(text: str, games: int) -> Finding:
    """Return the error of a bot that cannot be played.

    Its sentence is the first line of the text and the last, which names the exception; the other lines are details.
    """
    head, *rest = [one_line(line, _LINE) for line in text.strip().splitlines()]
    words = f"{head} {rest[-1].strip()}" if rest else head
    return Finding(ERROR, "crash" if games else "load", words, details=tuple(rest[-_LINES:]))


def _opponents(bot: BotSpec) -> tuple[BotSpec, BotSpec]:
    """Return the bots of _AGAINST_RANDOM and _AGAINST_ITSELF, with names that differ from the bot's."""
    twin = replace(bot, name=f"{bot.name}2")
    name = "random-opponent" if "random" in (bot.name, twin.name) else "random"
    return find_bot(str(data_folder("bots") / "random.py"), name=name), twin


class _Session:
    """A worker in which the bot plays until `close`."""

    def __init__(self, check: _Check, rules: str, hash_seed: str) -> None:
        self._check = check
        random, twin = _opponents(check.bot)
        bots = (check.bot, twin, random)
        self._names = {check.bot.name, twin.name}
        self._known = set(children(os.getpid()))
        levels = (check.level, check.level, "none")
        job = Job(rules, check.seed, bots, check.clock, check.limits, levels=levels, hash_seed=hash_seed)
        self._ending = ExitStack()
        parent = Path(self._ending.enter_context(TemporaryDirectory(prefix="arena-")))
        job = job.placed(self._ending.enter_context(bundles_folder(parent)))
        # a bot inside a forked worker would have this process's hash seed, the same in both sessions
        method = "spawn" if check.level == "none" else None
        self._pool = Pool(job, None, self._hear, method)
        self.printed = 0
        self._peak_mb = 0.0
        self._sizes_mb: list[float] = []  # after each deal

    def _hear(self, record: PlainRecord) -> None:
        """Count the characters that the bot prints, which workers log line by line."""
        logger, _, text, _, _ = record
        head, _, line = text.partition(": ")
        bot, _, _ = head.partition(" (game ")
        if logger == "arena.bots" and bot in self._names:
            self.printed += len(line) + 1

    def play(self, unit: PairTask) -> list[GameResult]:
        """Play both games of a deal, or the first if no answer comes. _CannotPlay if the bot cannot be loaded.

        They are given out as two units, because a pair would get a fresh process for its second game. One process plays
        all games, so that it shows what the bot remembers and how its memory grows.
        """
        tasks = [unit._replace(games=(game,)) for game in unit.games]
        rows: list[GameResult] = []

        def keep(deliveries: Sequence[Played]) -> bool:
            rows.extend(GameResult.from_row(row, unit.a, unit.b) for one in deliveries for row in one.named_rows())
            return any(row.forfeit == "timeout" for row in rows)

        try:
            self._pool.play(iter(tasks), 1, keep, StopSignals(), lost=lambda event: None, tick=self._check.tick)
        except ArenaError as error:
            require_fresh_engine()  # an unfinished build is not the bot's fault
            raise _CannotPlay(str(error)) from error
        self._measure()
        return rows

    def _measure(self) -> None:
        """Record the memory of the largest process below the worker, which is the bot's."""
        workers = set(children(os.getpid())) - self._known
        processes = [pid for worker in workers for pid in descendants(worker)]
        self._peak_mb = max([self._peak_mb, *(status_mb(pid, "VmHWM") or 0.0 for pid in processes)])
        self._sizes_mb.append(max((status_mb(pid, "VmRSS") or 0.0 for pid in processes), default=0.0))

    def memory(self) -> Memory | None:
        """Return the bot's memory; None at the level `none`, and where the system does not report it."""
        if not self._peak_mb:
            return None
        settled = self._sizes_mb[len(self._sizes_mb) // 3 :]
        games = 2 * (len(settled) - 1)
        growth = max(settled[-1] - settled[0], 0.0) / games if games else 0.0
        return Memory(round(self._peak_mb, 1), round(growth, 4))

    def close(self) -> None:
        self._pool.close()
        self._ending.close()


# ---------------------------------------------------------------- reading games


def _game_text(game: GameResult) -> str:
    """Return a description of a game: its deal, the opponent, and which bot began."""
    if game.id.pairing == _AGAINST_ITSELF:
        return f"deal {game.id.deal} against itself"
    return f"deal {game.id.deal} against random, moving {'second' if game.id.game else 'first'}"


_AFTER = re.compile(rf"{FAILED_AFTER} ([a-z ]+): (.*)", re.DOTALL)


def _with_failure_after(game: GameResult) -> GameResult:
    """Return the game; if a bot failed after it, in `end`, return it as if that bot had forfeited it."""
    said = _AFTER.search(game.detail or "") if game.failed_after else None
    if said is None:
        return game
    return replace(game, forfeit=said[1], forfeit_by=game.failed_after[0], detail=said[2])


def _differences(part: _Part) -> Iterable[tuple[GameResult, int, str, str]]:
    """Yield each game that went differently when played again, with the number of the decision and both moves."""
    before = {game.id: game for game in part.rows}
    for game in part.again:
        old, new = parse_record(before[game.id].record), parse_record(game.record)
        moves = [[*map(str, record.moves), f"the end ({record.result})"] for record in (old, new)]
        for number, (was, now) in enumerate(zip(*moves), start=1):
            if was != now:
                yield before[game.id], number, was, now
                break


def _speed(games: Iterable[GameResult]) -> Speed | None:
    """Return the times of all decisions of the bot (of both sides in games against itself); None if none was timed."""
    times: list[bytes] = []
    decisions = played = 0
    ms = longest_ms = all_ms = 0.0
    for game in games:
        seats = (0, 1) if game.id.pairing == _AGAINST_ITSELF else (game.id.game,)
        for seat in seats:
            times.append(game.times[seat])
            decisions += game.decisions[seat]
            ms += game.ms[seat]
            longest_ms = max(longest_ms, game.max_ms[seat])
        if game.id.pairing == _AGAINST_RANDOM:
            played += 1
            all_ms += game.duration_ms
    counts = merge_times(times)
    if not decisions or not sum(counts):
        return None
    p50, p90, p99 = (min(time_quantile(counts, share), longest_ms) for share in (0.5, 0.9, 0.99))
    return Speed(
        decisions=decisions,
        decisions_s=decisions * 1e3 / ms if ms else 0.0,
        p50_ms=p50,
        p90_ms=p90,
        p99_ms=p99,
        max_ms=longest_ms,
        games_s=played * 1e3 / all_ms if all_ms else 0.0,
    )


# ---------------------------------------------------------------- in words


def check_text(report: CheckReport) -> str:
    """Return the whole report as text that ends with a newline."""
    parts = [f"{report.spec}: {_verdict(report)}"]
    if report.loaded:
        printed = f"{report.printed:,} characters" if report.printed else "nothing"
        parts.append(f"Forfeits: {_forfeits(report)}\nDeterminism: {_answer(report.repeats)}\nPrints: {printed}")
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


def _answer(answer: CheckAnswer) -> str:
    return answer.text if answer.yes is None else f"{'yes' if answer.yes else 'no'}: {answer.text}"


def _forfeits(report: CheckReport) -> str:
    kinds: Counter[str] = Counter()
    for part in report.rules:
        kinds.update(part.forfeits)
    if not kinds:
        return f"none in {counted(report.games, 'game')}"
    lost = ", ".join(f"{number} by {kind}" for kind, number in kinds.items())
    return f"{lost}, in {counted(report.games, 'game')}"


def _table(report: CheckReport) -> str:
    """Return the most important figures as a table of 80 columns; JSON has the others."""
    heads = ["rules", "games", "forfeits", "ms: 50%", "99%", "longest", "memory MB"]
    rows = []
    for part in report.rules:
        games = str(part.games) if part.games == part.wanted else f"{part.games} of {part.wanted}"
        row = [part.rules, games, str(sum(part.forfeits.values()))]
        if part.speed is None:
            row += ["-"] * 3
        else:
            row += [_figure(ms) for ms in (part.speed.p50_ms, part.speed.p99_ms, part.speed.max_ms)]
        row.append("-" if part.memory is None else f"{part.memory.peak_mb:.0f}")
        rows.append(row)
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
