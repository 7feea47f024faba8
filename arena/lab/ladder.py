"""The ladder of reference bots: its matches, its table by rule set, and where another bot stands on it.

Each rung plays those right below it, a run for each pair in a folder for each rule set. Another bot is placed by
bisection: each rung that it meets is a sequential test of pairs, which ends as soon as the games speak 19 : 1 for one
of two statements: the bot is `EDGE` Elo stronger than the rung, or that much weaker. In between it counts as even.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from arena.bots.spec import find_bot
from arena.errors import ArenaError
from arena.results.run import RunData, read_run
from arena.results.sprt import sprt_line
from arena.results.standings import standings
from arena.results.standings_report import export
from arena.results.table import (
    Code,
    Column,
    Report,
    Table,
    difference_text,
    likelihood,
    ms_text,
    number,
    percent,
    records,
)
from arena.stats.pairs import counts_between, head_to_head
from arena.stats.ratings import rate
from arena.stats.sprt import SprtResult
from arena.text import one_line
from arena.tournament.config import BotSetting, TournamentConfig, check, named_config
from arena.tournament.formats.schedule import FormatSettings
from arena.tournament.formats.sprt import SequentialTest, SprtSettings
from arena.tournament.runner.progress import ProgressListener, progress_for
from arena.tournament.runner.run import play_run
from arena.tournament.store.reader import folder_name, is_begun, marked_folder

NAME = "ladder"
RULES = ("base", "tactical", "expert")
SPAN = 2
"""How many rungs below its own a bot meets: with two, a rating rests on more than one opponent."""


def ladder_config(text: str = NAME) -> TournamentConfig:
    """The ladder in a file, or of a name: its `bots` are the rungs from the lowest up."""
    config = named_config(text)
    if config.seed is None:
        raise ArenaError(f"{text}: a ladder needs a seed, so that it can be resumed; for example seed = 1")
    return config


def matches(config: TournamentConfig, rules: str) -> dict[str, TournamentConfig]:
    """The matches of the ladder in one rule set, by their folders; the lowest rungs first."""
    by_folder = {}
    for rung, upper in enumerate(config.bots):
        for lower in reversed(config.bots[max(rung - SPAN, 0) : rung]):
            name = folder_name(f"{upper.name}-{lower.name}")
            match = replace(
                config,
                name=f"{NAME} {upper.name}-{lower.name}",
                format="match",
                format_settings=FormatSettings(),
                bots=(upper, lower),
                rules=rules,
                out=None,
            )
            by_folder[name] = check(match, "ladder", exist=True)
    return by_folder


def all_matches(config: TournamentConfig, rules: Sequence[str]) -> dict[str, dict[str, TournamentConfig]]:
    """The matches of each rule set. ArenaError if two rule sets would share a folder."""
    if len({folder_name(rule_set) for rule_set in rules}) < len(rules):
        raise ArenaError(f"a rule set is named twice: {', '.join(rules)}")
    return {rule_set: matches(config, rule_set) for rule_set in rules}


def play_ladder(
    wanted: Mapping[str, Mapping[str, TournamentConfig]],
    folder: Path,
    progress: Callable[[], ProgressListener | None],
    tell: Callable[[str], None],
) -> bool:
    """Play what is left of the matches of each rule set, write their tables; return whether all are complete."""
    for rules, configs in wanted.items():
        for match, (name, config) in enumerate(configs.items(), start=1):
            run_folder = folder / folder_name(rules) / name
            tell(f"{rules}, match {match} of {len(configs)}: {' against '.join(config.bot_names)}")
            report = play_run(config, run_folder, progress(), resume=is_begun(run_folder))
            if report.interrupted:
                return False
            if report.played:
                export(standings(read_run(run_folder)), run_folder)
    return True


# ---------------------------------------------------------------- the table

COLUMNS = {
    "rung": "place on the ladder, 1 the lowest",
    "bot": "name of the bot",
    "elo": "rating from all matches of the rule set, mean of the field 0",
    "elo_error95": "half the 95% interval of the rating, clustered by deal",
    "games": "games that the rating rests on",
    "below": "the next rung below that has been met",
    "below_score": "mean points of a game against it",
    "below_elo": "Elo difference to it, from the pairs of the two",
    "below_error95": "half the 95% interval of the difference",
    "below_los": "likelihood of being stronger than it",
    "ms": "mean time of a decision in milliseconds, as a clock measured it",
}


def ladder_report(config: TournamentConfig, rules: Sequence[str], folder: Path) -> Report:
    """What is stored of a ladder, a table for each rule set. ArenaError if nothing is."""
    rated = {rule: frame for rule in rules if (frame := ladder_frame(config, rule, folder)) is not None}
    if not rated:
        raise ArenaError(f"{folder}: no match of this ladder is stored there")
    remarks = [
        "Ratings are relative to the field's average (0); ± is a 95% interval."
        " LOS: likelihood of being stronger than that rung."
    ]
    frames = {rule_set: frame for rule_set, (frame, _) in rated.items()}
    remarks += [f"{rule_set}: {notes}." for rule_set, (_, notes) in rated.items() if notes]
    tables = [_table(rule_set, frame) for rule_set, frame in frames.items()]
    return Report("", tables, remarks, values=lambda: _values(config, frames))


def ladder_frame(config: TournamentConfig, rules: str, folder: Path) -> tuple[pd.DataFrame, str] | None:
    """A row for each rung that has played, the highest first, with COLUMNS, and what to mind; None without a game."""
    runs: dict[tuple[str, ...], RunData] = {}
    for name, match in matches(config, rules).items():
        run_folder = folder / folder_name(rules) / name
        if is_begun(run_folder) and len((run := read_run(run_folder)).games):
            runs[match.bot_names] = run
    if not runs:
        return None
    columns = ["first", "second", "score", "deal"]
    games = pd.concat([run.games[columns].astype({"first": str, "second": str}) for run in runs.values()])
    ratings = rate(games.reset_index(drop=True), disconnected="separate")
    rated = ratings.frame().set_index("bot")
    bots = list(config.bot_names)
    rows = [_row(number, bots, rated.loc[bot].to_dict(), runs) for number, bot in enumerate(bots) if bot in rated.index]
    notes = "; ".join(ratings.notes if int(ratings.group.max()) else ratings.notes[:-1])  # the last: the usual prior
    return pd.DataFrame(rows[::-1], columns=list(COLUMNS)), notes


def _row(
    number: int, bots: Sequence[str], rated: Mapping[Any, Any], runs: Mapping[tuple[str, ...], RunData]
) -> dict[str, Any]:
    bot = bots[number]
    row: dict[str, Any] = dict.fromkeys(COLUMNS, math.nan)
    row |= {"rung": number + 1, "bot": bot, "games": int(rated["games"]), "below": ""}
    row |= {"elo": rated["elo"], "elo_error95": rated["elo_error95"], "ms": _mean_ms(bot, runs)}
    for lower in reversed(bots[:number]):
        if (run := runs.get((bot, lower))) is not None:
            head = head_to_head(counts_between(run.games, bot, lower))
            row |= {"below": lower, "below_score": head.score, "below_los": head.los}
            if not head.flag:
                row |= {"below_elo": head.elo, "below_error95": head.elo_error95}
            break
    return row


def _mean_ms(bot: str, runs: Mapping[tuple[str, ...], RunData]) -> float:
    times = [time for names, run in runs.items() if bot in names for time in run.times if time.bot == bot]
    decisions = sum(time.decisions for time in times)
    return sum(time.us for time in times) / 1000 / decisions if decisions else math.nan


def _table(rules: str, frame: pd.DataFrame) -> Table:
    columns = (
        Column("#", key="rung"),
        Column("bot", "text"),
        Column("Elo", cell=lambda row: f"{row['elo']:+z.0f}"),
        Column("±95%", cell=lambda row: number(row["elo_error95"], 0, "-")),
        Column("games"),
        Column("score% against", "text", cell=_score_below),
        Column("LOS%", cell=lambda row: likelihood(row["below_los"]) if row["below"] else ""),
        Column("ms/move", cell=lambda row: ms_text(row["ms"])),
    )
    return Table(folder_name(rules), rules, columns, frame)


def _score_below(row: Mapping[str, Any]) -> str:
    return f"{percent(row['below_score'])}  {row['below']}" if row["below"] else ""


def _values(config: TournamentConfig, frames: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    return {"seed": config.seed, "rules": {rules: records(frame) for rules, frame in frames.items()}}


# ---------------------------------------------------------------- where a bot stands

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
