"""Compare the versions of bots that a run holds, against the bots that play in it now: `arena standings --versions`."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arena.endings import AFTER
from arena.results.run_data import RunData
from arena.results.run_standings import rate_run, rating_figures
from arena.results.standings_report import run_report
from arena.results.table import COLUMNS, RATING, SIDES, TALLY, Column, Report, Table, TableRow, columns_of
from arena.stats import other_side
from arena.stats.frames import Floats, Ints, numbered, same_cards
from arena.stats.intervals import FEWEST_DEALS, mean_difference
from arena.stats.ratings import Ratings
from arena.text import one_line
from arena.tournament.forfeits import ForfeitSummary
from arena.tournament.games import stored_deal_seed
from arena.tournament.plan import BEST_OF_MANY, MANY_VERSIONS
from arena.tournament.store.columns import GameColumns
from arena.tournament.store.reader import BotEntry, Reader

_HASH_DIGITS = 8
_NO_DIFFERENCE = {"shared_games": 0, "shared_deals": 0, **dict.fromkeys(("difference", "low", "high"), math.nan)}


@dataclass(frozen=True)
class BotVersion:
    """A version of a bot that has several: its number, 1 for the oldest, and its name in the ratings."""

    entry: BotEntry
    version: int
    plays: bool
    label: str


@dataclass(frozen=True)
class _Played:
    """The games of a version against the field: its score, the cards, and what games of two versions have in common."""

    score: Floats
    cards: Ints
    occasion: Ints


def versions_report(run: RunData, prior: float | None = None) -> Report:
    """Return the versions of the bots in the field, and how much better the one that plays is than each other one.

    All are rated together, from the games of the field and those of the other versions against it, on the deals that
    the run shows.
    """
    with Reader(run.folder) as reader:
        versions, games = _read(reader)
    ratings = None
    if versions and len(games):
        ratings = rate_run(replace(run, centre=run.bots), games.games(), prior)
    played = [_played(version.label, games, len(run.bots)) for version in versions]
    now = {version.entry.name: its for version, its in zip(versions, played) if version.plays}
    rows = [_row(each, its, now[each.entry.name], ratings) for each, its in zip(versions, played)]
    notes = [] if ratings is None else [note for note in (*ratings.notes, ratings.advice) if note]
    report = run_report(run, [_table(rows)], _remarks(rows, notes), prior=run.prior if prior is None else prior)
    return replace(report, forfeits={"": _forfeits(run, games)})


# ---------------------------------------------------------------- reading


def _read(reader: Reader) -> tuple[list[BotVersion], GameColumns]:
    """Return the versions of bots that have several, the newest first, and the games of the field and of these.

    The first bots of the games are the field.
    """
    known, field = reader.entries(), reader.field_numbers()
    labels = {bot: known[bot].name for bot in field}
    versions = []
    for name in [known[bot].name for bot in field]:
        bots = [bot for bot, entry in known.items() if entry.name == name]
        for version, bot in reversed([*enumerate(bots, start=1)]):
            plays = bot in labels
            if len(bots) > 1:
                label = labels.setdefault(bot, f"{name}, version {version}")
                versions.append(BotVersion(known[bot], version, plays, label))
    return versions, reader.columns_of(labels, _pairings(reader, known, {*field}))


def _pairings(reader: Reader, known: Mapping[int, BotEntry], field: Collection[int]) -> dict[int, int]:
    """Return numbers for the pairings that are shown, and for those of other versions that are like them.

    These have the same deals and the same design, and a bot of the field on the other side.
    """
    stored, config = reader.stored_pairings(), reader.config()
    numbers = {pairing: it.number for pairing, it in stored.items() if it.number is not None}
    designs = {stored[pairing].design for pairing in numbers}
    names = {known[bot].name for bot in field}
    free = max(numbers.values(), default=-1) + 1
    for pairing, it in stored.items():
        if pairing in numbers or it.design not in designs or (it.a in field) == (it.b in field):
            continue
        a, b = known[it.a].name, known[it.b].name
        if names >= {a, b} and it.seed == stored_deal_seed(config, a, b):
            numbers[pairing] = free
            free += 1
    return numbers


def _played(label: str, games: GameColumns, field: int) -> _Played:
    """Return the games of a version against the first `field` bots."""
    first, second, place = games["first"], games["second"], games.bots.index(label)
    _, cards = numbered(same_cards(games["deal_seed"], games["deal"]))
    begun = (first == place) & (second < field)
    rows = np.flatnonzero(begun | ((second == place) & (first < field)))
    seat = begun[rows]
    score = np.where(seat, games["score"][rows], other_side(games["score"][rows]))
    opponent = np.where(seat, second[rows], first[rows]).astype(np.int64)
    return _Played(score, cards[rows], (cards[rows] * field + opponent) * 2 + seat)


def _forfeits(run: RunData, games: GameColumns) -> ForfeitSummary:
    """Return who forfeited, also of other versions. `arena replay` shows only games of the bots that play now."""
    shown = {(line.bot, line.kind): line for line in run.forfeits}
    reasons = [
        line._replace(reason=known.reason if known else "", game=known.game if known else "")
        for line in games.forfeits()
        for known in [shown.get((line.bot, line.kind))]
    ]
    after = [line for line in run.forfeits if line.kind == AFTER]
    return ForfeitSummary([*reasons, *after], games.games_by_bot(), run.folder)


# ---------------------------------------------------------------- figures


def _row(version: BotVersion, its: _Played, now: _Played, ratings: Ratings | None) -> dict[str, Any]:
    entry, score = version.entry, its.score
    row: dict[str, Any] = {
        "bot": entry.name,
        "version": version.version,
        "plays": version.plays,
        "source": entry.source,
        "params": json.dumps(entry.params, sort_keys=True),
        "isolation": entry.isolation,
        **rating_figures(ratings, version.label),
        "games": len(score),
        "wins": int((score == 1).sum()),
        "draws": int((score == 0.5).sum()),
        "losses": int((score == 0).sum()),
        "score": float(score.mean()) if len(score) else math.nan,
    }
    return row | (_NO_DIFFERENCE if version.plays else _difference(now, its))


def _difference(now: _Played, then: _Played) -> dict[str, Any]:
    """Compare two versions on the games that both played: same opponent, same cards, same seat."""
    _, here, there = np.intersect1d(now.occasion, then.occasion, assume_unique=True, return_indices=True)
    if not len(here):
        return _NO_DIFFERENCE
    cards = now.cards[here]
    found = mean_difference(now.score[here], cards, then.score[there], cards)
    return {
        "shared_games": len(here),
        "shared_deals": found.shared,
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
    }


# ---------------------------------------------------------------- showing


def _table(rows: Sequence[Mapping[str, Any]]) -> Table:
    columns = [
        *columns_of(["bot", "version"]),
        Column("plays", "text", cell=lambda row: "now" if row["plays"] else ""),
        Column("source", "text", cell=lambda row: row["source"][:_HASH_DIGITS]),
        Column("settings", "text", cell=_settings),
        *RATING,
        COLUMNS["games"],
        TALLY,
        COLUMNS["score"],
        *columns_of(["difference", "low", "high"]),
    ]
    title = "Versions against the bots that play now"
    note = "Difference: the score of the one that plays now minus that of the other, in the games that both played,"
    note += " with its 95% interval by deal."
    if any(0 < row["shared_deals"] < FEWEST_DEALS for row in rows):
        note += f" There is no interval on fewer than {FEWEST_DEALS} deals."
    if not rows:
        return Table("versions", title, (), files=("bot", "version"))
    return Table("versions", title, rows, columns, (*rows[0],), note=note)


def _settings(row: TableRow) -> str:
    params = [f"{key}={value}" for key, value in json.loads(row["params"]).items()]
    return ", ".join([*params, *[f"isolation {row['isolation']}"] * (row["isolation"] != "none")])


def _remarks(rows: Sequence[Mapping[str, Any]], notes: Sequence[str]) -> list[str]:
    """Return the sentences below the table."""
    if not rows:
        return ["No bot of this run has more than one version. Change a bot and play the run again to compare both."]
    lines = []
    for bot in dict.fromkeys(row["bot"] for row in rows):
        if (number := max(row["version"] for row in rows if row["bot"] == bot)) >= MANY_VERSIONS:
            lines.append(f"{number} versions of {one_line(bot)}: {BEST_OF_MANY}.")
    if not all(row["games"] for row in rows):
        lines.append("A version without games met no bot as it is now.")
    if notes:
        about = (
            "Ratings are of the field and the other versions together, relative to the field's average (0), and differ"
            " from those of the standings, which have fewer games; "
            f"{SIDES}."
        )
        lines.append(" ".join([about, *(f"{note[0].upper()}{note[1:]}." for note in notes)]))
    return lines
