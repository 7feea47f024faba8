"""What a check has found, as plain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from arena.league.check.source.model import Nature
from arena.text import one_line

ERROR, WARNING, NOTE = "error", "warning", "note"
LEVELS = (ERROR, WARNING, NOTE)
LINE = 300
"""Characters of a line."""
_MOST_LINES = 40

T = TypeVar("T")


@dataclass(frozen=True)
class Finding:
    """One thing that the author should know.

    `level` is `error` (the bot would be refused, or loses games by it), `warning` or `note`; `code` a fixed
    word for scripts; `text` a sentence, `remedy` what to do. `file` and `line` are the location if it is known.
    `rules` are the rule sets in which it happened, `details` lines that belong to it (a traceback, a position),
    `record` a game in which it happened (`arena replay` shows it), `again` a command that plays it again.
    """

    level: str
    code: str
    text: str
    remedy: str = ""
    file: str | None = None
    line: int | None = None
    rules: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    record: str | None = None
    again: str | None = None


@dataclass(frozen=True)
class Speed:
    """Times of decisions in milliseconds (within 10 %, the longest exactly), with the messages they take.

    `games_s` are games a second of this bot against `random`, one after the other, on one core.
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
    """Memory of the bot's process in MB: the peak, and by how much it grew with each game in the end."""

    peak_mb: float
    growth_mb: float
    games: int


@dataclass(frozen=True)
class OpponentScore:
    """Games against a bot of the program: won, drawn, lost."""

    opponent: str
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True)
class RulesReport:
    """One rule set: games played of those wanted, forfeits by kind, how fast the bot was."""

    rules: str
    games: int
    wanted: int
    forfeits: Mapping[str, int] = field(default_factory=dict)
    speed: Speed | None = None
    memory: Memory | None = None
    scores: tuple[OpponentScore, ...] = ()


@dataclass(frozen=True)
class Loading:
    """Milliseconds that it took to load the bot and to call `__init__`; `minimal_ms` is the `load_ms` of a bot that
    does nothing."""

    load_ms: float
    init_ms: float
    minimal_ms: float | None


@dataclass(frozen=True)
class Answer:
    """Whether the bot has a property: `yes` is None if that was not checked; `text` says how."""

    yes: bool | None
    text: str


@dataclass(frozen=True)
class CheckReport:
    """All that a check has found.

    `attempts` counts the places of the bot that try what the sandbox forbids, None if it was not listened to; `printed`
    is in characters. `left_out` says what was not checked, and why.
    """

    bot: str
    spec: str
    source_hash: str
    isolation: str
    seed: int
    clock: Mapping[str, int | None]
    loaded: bool
    nature: Nature
    loading: Loading | None
    rules: tuple[RulesReport, ...]
    repeats: Answer
    forgets: Answer
    attempts: int | None
    printed: int
    left_out: tuple[str, ...]
    findings: tuple[Finding, ...]
    seconds: float

    @property
    def errors(self) -> tuple[Finding, ...]:
        """What must be fixed."""
        return tuple(one for one in self.findings if one.level == ERROR)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """What should be looked at."""
        return tuple(one for one in self.findings if one.level == WARNING)

    @property
    def accepted(self) -> bool:
        """Has it no errors?"""
        return not self.errors

    @property
    def games(self) -> int:
        """Games that were played to find forfeits."""
        return sum(one.games for one in self.rules)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values for JSON (`docs/check.md`)."""
        counts = {"accepted": self.accepted, "errors": len(self.errors), "warnings": len(self.warnings)}
        return {**counts, **asdict(self)}


class Omissions:
    """Lines that say what was not checked, and why, each once: no bot must be able to prevent its report."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def guard(self, what: str, make: Callable[[], T], otherwise: T) -> T:
        """What `make` returns, or `otherwise` if it fails; `what` names it, as in "the source"."""
        try:
            return make()
        except Exception as error:
            self.failed(what, error)
            return otherwise

    def failed(self, what: str, error: Exception) -> None:
        """Say that it could not be checked, and why."""
        self.add(f"{what} could not be checked: {type(error).__name__}: {error}")

    def add(self, text: str) -> None:
        """Add a line."""
        line = one_line(text.rstrip(": "), LINE)
        if line not in self.lines and len(self.lines) < _MOST_LINES:
            self.lines.append(line)
