"""Where a bot stands on the ladder: sequential tests against its rungs, by bisection.

Each rung it meets is a test of pairs that ends as soon as the games speak 19 : 1 for one of two statements: the bot is
`EDGE` Elo stronger than the rung, or so much weaker. What is between them stays undecided, and counts as even.
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
from arena.lab.ladder.play import NAME
from arena.lab.tournament import marked_folder
from arena.results.sprt import sprt_line
from arena.results.table import Code, Report, Table, difference_text, percent, table_of
from arena.stats.sprt import SprtResult
from arena.text import one_line
from arena.tournament.config.tournament import BotSetting, TournamentConfig, check
from arena.tournament.formats.sprt import SequentialTest, SprtSettings
from arena.tournament.runner.progress import progress_for
from arena.tournament.runner.run import play_run
from arena.tournament.store.folders import is_begun

EDGE = 30.0
MAX_GAMES = 300
Verdict = Literal["beats", "even", "loses"]


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
        return max((one.number for one in self.met if one.verdict == "beats"), default=0)

    def sentence(self) -> str:
        """Where it stands, and what beats it."""
        even = [one.rung for one in self.met if one.verdict == "even"]
        beaten_by = [f"{one.rung} ({percent(1 - _score(one))} %)" for one in self.met[::-1] if one.verdict == "loses"]
        if self.above == len(self.rungs):
            text = f"above the highest rung, {self.rungs[-1]}"
        elif self.above:
            text = f"above rung {self.above}, {self.rungs[self.above - 1]}"
        else:
            text = f"not above the lowest rung, {self.rungs[0]}"
        text += f"; as good as {', '.join(even)}" if even else ""
        return f"{self.rules}: {text}; beaten by {', '.join(beaten_by)}" if beaten_by else f"{self.rules}: {text}"


def _score(one: Met) -> float:
    return one.result.estimate.score if one.result.estimate is not None else 0.5


def candidate(spec: str, rungs: Sequence[BotSetting]) -> tuple[BotSetting, tuple[BotSetting, ...]]:
    """The bot, under a name that no rung has, and the rungs without itself."""
    found = find_bot(spec)
    others = []
    for rung in rungs:
        known = find_bot(rung.spec, rung.params, rung.name)
        if (known.source_hash, known.params) != (found.source_hash, found.params) or known.target != found.target:
            others.append(rung)
    name = found.name
    while name in [rung.name for rung in others]:
        name += "-candidate"
    return BotSetting(found.spec, name), tuple(others)


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

    At most `games` against a rung. With an `isolation` the bot runs there, the rungs where the ladder says.
    """
    bot, rungs = candidate(spec, ladder.bots)
    if not rungs:
        raise ArenaError("the ladder has no rung other than this bot")
    names = tuple(rung.name for rung in rungs)
    met: list[Met] = []
    low, high = -1, len(rungs)
    while high - low > 1:
        at = (low + high) // 2
        config = settings(ladder, bot, rungs[at], rules, games, isolation)
        folder = marked_folder(f"{NAME}-{bot.name}-{rungs[at].name}".replace("/", "-"), config.canonical(), config)
        test = config.verdict()
        assert test is not None
        tell(f"{rules}: {bot.name} against rung {at + 1} of {len(rungs)}, {rungs[at].name}")
        progress = progress_for(text=partial(_line, test))
        report = play_run(config, folder, progress, verdict=test, resume=is_begun(folder))
        if report.interrupted:
            return Standing(bot.name, rules, names, _sorted(met), complete=False)
        met.append(Met(at + 1, rungs[at].name, test.result(), folder))
        if met[-1].verdict == "loses":
            high = at
        else:
            low = at
    return Standing(bot.name, rules, names, _sorted(met))


def _line(test: SequentialTest, status: object) -> str:
    """The line of progress."""
    return sprt_line(test.result())


def _sorted(met: Sequence[Met]) -> tuple[Met, ...]:
    return tuple(sorted(met, key=lambda one: -one.number))


def standing_report(found: Sequence[Standing]) -> Report:
    """Where a bot stands in each rule set: the rungs it met, and a sentence."""
    items = [[one_line(one.sentence())] for one in found]
    items += [
        [f"Its losses to {one_line(met[0].rung)}: ", Code(f"arena replay {met[0].folder} --bot {one.bot} --lost")]
        for one in found
        if (met := [rung for rung in one.met[::-1] if rung.verdict == "loses"])
    ]
    return Report("", [_table(one) for one in found], items=items, values=lambda: standing_values(found))


def _table(found: Standing) -> Table:
    frame = pd.DataFrame(
        [
            {
                "rung": one.number,
                "opponent": one.rung,
                "games": 2 * one.result.units,
                "score": _score(one),
                "verdict": one.verdict,
            }
            for one in found.met
        ]
    )
    people = [
        {
            "#": one.number,
            "opponent": one.rung,
            "games": 2 * one.result.units,
            "score%": percent(_score(one)),
            "remark": f"{one.verdict}: {difference_text(one.result.estimate)}" if one.result.estimate else "",
        }
        for one in found.met
    ]
    return table_of(found.rules, f"{found.bot}, {found.rules}", frame, people=pd.DataFrame(people))


def standing_values(found: Sequence[Standing]) -> dict[str, Any]:
    """The standings for JSON."""
    return {
        "bot": found[0].bot if found else None,
        "standings": [
            {
                "rules": one.rules,
                "above": one.above,
                "rungs": list(one.rungs),
                "complete": one.complete,
                "met": [
                    {
                        "rung": met.number,
                        "bot": met.rung,
                        "verdict": met.verdict,
                        "games": 2 * met.result.units,
                        "score": round(_score(met), 4),
                    }
                    for met in one.met
                ],
            }
            for one in found
        ],
    }
