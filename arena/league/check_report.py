"""What a check has found: plain values, and the same in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from tabulate import tabulate

from arena.bots.isolation.levels import Isolation
from arena.text import counted, printable

ERROR, WARNING = "error", "warning"


@dataclass(frozen=True)
class Finding:
    """Something that the author should know.

    `level` is `error` (the bot loses games by it) or `warning`, `code` a fixed word for scripts, `text` a sentence.
    `rules` is the rule set in which it happened, `details` are further lines (a traceback), and `record` is the record
    of a game in which it happened.
    """

    level: str
    code: str
    text: str
    rules: str | None = None
    details: tuple[str, ...] = ()
    record: str | None = None


@dataclass(frozen=True)
class Speed:
    """Times of the bot's decisions in milliseconds (within 10%, the longest exactly).

    `decisions_s` are decisions per second, `games_s` games per second against `random` on one core.
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
    """Memory of the bot's process in MB: its peak, and by how much it grew with each game in the end."""

    peak_mb: float
    growth_mb: float


@dataclass(frozen=True)
class OpponentScore:
    """Games against a bot of the program: won, drawn, lost."""

    opponent: str
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True)
class RulesReport:
    """One rule set: games played of those wanted, forfeits by kind, speed, memory and scores."""

    rules: str
    games: int
    wanted: int
    forfeits: Mapping[str, int] = field(default_factory=dict)
    speed: Speed | None = None
    memory: Memory | None = None
    scores: tuple[OpponentScore, ...] = ()


@dataclass(frozen=True)
class CheckAnswer:
    """Whether the bot has a property: `yes` is None if that was not checked, and `text` says how it was or why not."""

    yes: bool | None
    text: str


@dataclass(frozen=True)
class CheckReport:
    """All that a check has found. `printed` counts characters; `left_out` says what was not checked, and why."""

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
        """Findings that a league accepts."""
        return tuple(finding for finding in self.findings if finding.level == WARNING)

    @property
    def games(self) -> int:
        """Games played, not counting those played again."""
        return sum(part.games for part in self.rules)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values for JSON (`docs/check.md`)."""
        counts = {"accepted": not self.errors, "errors": len(self.errors), "warnings": len(self.warnings)}
        return {**counts, **asdict(self)}


def report_text(report: CheckReport) -> str:
    """The whole report in words, with a newline at its end. It begins with what was not checked."""
    parts = []
    if report.left_out:
        parts.append("Not checked:\n" + "\n".join(f"  {line}" for line in report.left_out))
    parts.append(f"{report.spec}: {_verdict(report)}")
    if report.loaded:
        printed = f"{report.printed:,} characters" if report.printed else "nothing"
        parts.append(f"Forfeits: {_forfeits(report)}\nDeterminism: {_answer(report.repeats)}\nPrints: {printed}")
        parts.append(_table(report))
    parts += [f"{finding.level.upper()}: {finding_text(finding)}" for finding in report.findings]
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
    heads = ["rules", "games", "forfeits", "ms: 50%", "90%", "99%", "longest", "decisions/s", "games/s", "memory MB"]
    opponents = list(dict.fromkeys(score.opponent for part in report.rules for score in part.scores))
    rows = []
    for part in report.rules:
        games = str(part.games) if part.games == part.wanted else f"{part.games} of {part.wanted}"
        row = [part.rules, games, str(sum(part.forfeits.values()))]
        if part.speed is None:
            row += ["-"] * 6
        else:
            speed = part.speed
            row += [_figure(ms, 100) for ms in (speed.p50_ms, speed.p90_ms, speed.p99_ms, speed.max_ms)]
            row += [_figure(speed.decisions_s, 10), _figure(speed.games_s, 10)]
        row.append("-" if part.memory is None else f"{part.memory.peak_mb:.0f}")
        scores = {score.opponent: f"{score.wins}-{score.draws}-{score.losses}" for score in part.scores}
        rows.append(row + [scores.get(opponent, "-") for opponent in opponents])
    heads += [f"against {opponent}" for opponent in opponents]
    align = ["left"] + ["right"] * (len(heads) - 1)
    return tabulate(rows, heads, tablefmt="simple", disable_numparse=True, colalign=align)


def _figure(value: float, whole_from: float) -> str:
    return f"{value:,.0f}" if value >= whole_from else f"{value:.2g}"


def finding_text(finding: Finding) -> str:
    """A finding in some lines: its sentence, details, and how to see the game."""
    lines = [finding.text, *(f"  {line}" for line in finding.details)]
    if finding.record:
        lines.append(f"  Replay: arena replay '{finding.record}'")
    return printable("\n".join(lines), keep="\n")
