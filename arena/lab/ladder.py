"""Where a bot stands on the ladder of reference bots.

It is placed by bisection: each rung that it meets is a sequential test of pairs, which ends as soon as the games speak
19 : 1 for one of two statements: the bot is `EDGE` Elo stronger than the rung, or that much weaker. In between it
counts as even.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from arena.bots.spec import find_bot
from arena.errors import ArenaError
from arena.results.sprt import sprt_line
from arena.results.table import (
    Code,
    Column,
    Report,
    Table,
    difference_text,
    percent,
)
from arena.stats.sprt import SprtResult
from arena.text import one_line
from arena.tournament.config import BotSetting, TournamentConfig, check, named_config
from arena.tournament.folders import is_begun, marked_folder
from arena.tournament.formats.schedule import SequentialTest
from arena.tournament.formats.sprt import SprtSettings
from arena.tournament.runner.progress import progress_for
from arena.tournament.runner.run import play_run

NAME = "ladder"
EDGE = 30.0
MAX_GAMES = 300
Verdict = Literal["beats", "even", "loses"]


def ladder_config(text: str = NAME) -> TournamentConfig:
    """The ladder in a file, or of a name: its `bots` are the rungs from the lowest up."""
    config = named_config(text)
    if config.seed is None:
        raise ArenaError(f"{text}: a ladder needs a seed, so that it can be resumed; for example seed = 1")
    return config


@dataclass(frozen=True)
class Met:
    """A rung that a bot has met: its number (1 the lowest), the test, and the folder of its games."""

    number: int
    rung: str
    result: SprtResult
    folder: Path

    @property
    def verdict(self) -> Verdict:
        """What the bot does against the rung."""
        return "beats" if self.result.verdict == "H1" else "loses" if self.result.verdict == "H0" else "even"


@dataclass(frozen=True)
class Standing:
    """Where a bot stands in one rule set: the rungs it has met, the highest first; `complete` unless interrupted."""

    bot: str
    rules: str
    rungs: tuple[str, ...]
    met: tuple[Met, ...]
    complete: bool = True

    @property
    def above(self) -> int:
        """How many rungs are below the bot: the number of the highest one that it beats."""
        return max((rung.number for rung in self.met if rung.verdict == "beats"), default=0)

    def sentence(self) -> str:
        """Where it stands, and what beats it."""
        even = [met.rung for met in self.met if met.verdict == "even"]
        beaten_by = [
            f"{rung.rung} ({percent(1 - _score(rung))}%)" for rung in self.met[::-1] if rung.verdict == "loses"
        ]
        if self.above == len(self.rungs):
            text = f"above the highest rung, {self.rungs[-1]}"
        elif self.above:
            text = f"above rung {self.above}, {self.rungs[self.above - 1]}"
        else:
            text = f"not above the lowest rung, {self.rungs[0]}"
        text += f"; as good as {', '.join(even)}" if even else ""
        return f"{self.rules}: {text}; beaten by {', '.join(beaten_by)}" if beaten_by else f"{self.rules}: {text}"


def _score(met: Met) -> float:
    return met.result.estimate.score if met.result.estimate is not None else 0.5


def candidate(spec: str, rungs: Sequence[BotSetting]) -> tuple[BotSetting, tuple[BotSetting, ...]]:
    """The bot, under a name that no rung has, and the rungs without itself."""
    bot = find_bot(spec)
    others = []
    for rung in rungs:
        known = find_bot(rung.spec, rung.params, rung.name)
        if (known.source_hash, known.params) != (
            bot.source_hash,
            bot.params,
        ) or known.target != bot.target:
            others.append(rung)
    name = bot.name
    while name in [rung.name for rung in others]:
        name += "-candidate"
    return BotSetting(bot.spec, name), tuple(others)


def settings(
    ladder: TournamentConfig, bot: BotSetting, rung: BotSetting, rules: str, games: int, isolation: str | None
) -> TournamentConfig:
    """The test of a bot against a rung."""
    config = replace(
        ladder,
        name=f"{NAME} {bot.name}-{rung.name}",
        format="sprt",
        format_settings=SprtSettings(elo0=-EDGE, elo1=EDGE, max_pairs=max(games // 2, 1)),
        bots=(replace(bot, isolation=isolation), rung),
        rules=rules,
        out=None,
    )
    return check(config, "ladder", exist=True)


def stand(
    ladder: TournamentConfig,
    spec: str,
    rules: str,
    games: int = MAX_GAMES,
    isolation: str | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> Standing:
    """Place a bot on the ladder in one rule set; what was played before is not played again.

    At most `games` are played against a rung. `isolation` is for the bot only: the rungs run where the ladder says.
    """
    bot, rungs = candidate(spec, ladder.bots)
    if not rungs:
        raise ArenaError("the ladder has no rung other than this bot")
    names = tuple(rung.name for rung in rungs)
    met: list[Met] = []
    low, high = -1, len(rungs)
    while high - low > 1:
        middle = (low + high) // 2
        config = settings(ladder, bot, rungs[middle], rules, games, isolation)
        folder = marked_folder(f"{NAME}-{bot.name}-{rungs[middle].name}".replace("/", "-"), config.canonical(), config)
        test = config.verdict()
        assert test is not None
        tell(f"{rules}: {bot.name} against rung {middle + 1} of {len(rungs)}, {rungs[middle].name}")
        progress = progress_for(text=partial(_line, test))
        report = play_run(config, folder, progress, verdict=test, resume=is_begun(folder))
        if report.interrupted:
            return Standing(bot.name, rules, names, _sorted(met), complete=False)
        met.append(Met(middle + 1, rungs[middle].name, test.result(), folder))
        if met[-1].verdict == "loses":
            high = middle
        else:
            low = middle
    return Standing(bot.name, rules, names, _sorted(met))


def _line(test: SequentialTest, status: object) -> str:
    """The line of progress."""
    return sprt_line(test.result())


def _sorted(met: Sequence[Met]) -> tuple[Met, ...]:
    return tuple(sorted(met, key=lambda rung: -rung.number))


def standing_report(standings: Sequence[Standing]) -> Report:
    """Where a bot stands in each rule set: the rungs it met, and a sentence."""
    items = [[one_line(standing.sentence())] for standing in standings]
    items += [
        [f"Its losses to {one_line(met[0].rung)}: ", Code(f"arena replay {met[0].folder} --bot {standing.bot} --lost")]
        for standing in standings
        if (met := [rung for rung in standing.met[::-1] if rung.verdict == "loses"])
    ]
    return Report(
        "",
        [_standing_table(standing) for standing in standings],
        items=items,
        values=lambda: standing_values(standings),
    )


def _standing_table(standing: Standing) -> Table:
    frame = pd.DataFrame(
        [
            {
                "rung": rung.number,
                "opponent": rung.rung,
                "games": 2 * rung.result.units,
                "score": _score(rung),
                "verdict": rung.verdict,
            }
            for rung in standing.met
        ]
    )
    remarks = {
        rung.number: f"{rung.verdict}: {difference_text(rung.result.estimate)}" if rung.result.estimate else ""
        for rung in standing.met
    }
    columns = (
        Column("#", key="rung"),
        Column("opponent", "text"),
        Column("games"),
        Column("score%", "share", "score"),
        Column("remark", "text", cell=lambda row: remarks[row["rung"]]),
    )
    return Table(standing.rules, f"{standing.bot}, {standing.rules}", columns, frame)


def standing_values(standings: Sequence[Standing]) -> dict[str, Any]:
    """The standings for JSON."""
    return {
        "bot": standings[0].bot if standings else None,
        "standings": [
            {
                "rules": standing.rules,
                "above": standing.above,
                "rungs": list(standing.rungs),
                "complete": standing.complete,
                "met": [
                    {
                        "rung": met.number,
                        "bot": met.rung,
                        "verdict": met.verdict,
                        "games": 2 * met.result.units,
                        "score": round(_score(met), 4),
                    }
                    for met in standing.met
                ],
            }
            for standing in standings
        ],
    }
