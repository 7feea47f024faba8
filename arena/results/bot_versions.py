"""Compare the versions of bots that a run holds, against the bots that play in it now: `arena standings --versions`."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena.results.data_formats import table_values
from arena.results.run_data import RunData
from arena.results.run_standings import rate_run
from arena.results.standings_report import DIGITS, heading
from arena.results.table import WIDE, Column, Report, Table, TableRow, elo_text, error_text, tally_text
from arena.stats.frames import Floats, Ints, numbered, same_cards
from arena.stats.intervals import FEWEST_DEALS, mean_difference
from arena.stats.ratings import DEFAULT_PRIOR, Ratings
from arena.stats.score import other_side
from arena.tournament.games import stored_deal_seed
from arena.tournament.store.columns import GameColumns
from arena.tournament.store.reader import BotEntry, Reader

_HASH_DIGITS = 8
_VERSION_FILES = (
    *("bot", "version", "plays", "source", "params", "isolation"),
    *("elo", "elo_error95", "flag", "elo_bound", "games", "wins", "draws", "losses", "score"),
)
_CHANGE_FILES = (
    *("bot", "version", "against", "games", "deals", "score", "score_against", "difference", "low", "high"),
    *("elo_difference", "elo_difference_error95"),
)
_DIGITS = {
    **DIGITS,
    **dict.fromkeys(("score_against", "difference", "low", "high"), 4),
    **dict.fromkeys(("elo_difference", "elo_difference_error95"), 2),
}


@dataclass(frozen=True)
class BotVersion:
    """A version of a bot that has several.

    version   its number, 1 for the oldest
    plays     whether it is the one in the field
    settings  how it differs from the other versions, apart from its source
    label     its name in the ratings: the bot's own if it plays, else with the number
    """

    entry: BotEntry
    version: int
    plays: bool
    settings: str
    label: str


@dataclass(frozen=True)
class _Played:
    """The games of a version against the field: its score, the cards, and what games of two versions have in common."""

    score: Floats
    cards: Ints
    occasion: Ints


def versions_report(run: RunData, prior: float = DEFAULT_PRIOR) -> Report:
    """Return the versions of the bots in the field, and how much better the one that plays is than each other one.

    All are rated together, from the games of the field and those of the other versions against it, on the deals that
    the run shows.
    """
    with Reader(run.folder) as reader:
        versions, games = _read(reader)
    ratings = rate_run(games.games(), prior) if versions and len(games) else None
    played = _played([version.label for version in versions], games, len(run.bots))
    rows = [_row(version, played[version.label].score, ratings) for version in versions]
    playing = {version.entry.name: version for version in versions if version.plays}
    changes = [_change(playing[then.entry.name], then, played, ratings) for then in versions if not then.plays]
    return _report(run, rows, [row for row in changes if row["games"]], ratings, prior)


# ---------------------------------------------------------------- reading


def _read(reader: Reader) -> tuple[list[BotVersion], GameColumns]:
    """Return the versions of bots that have several, the newest first, and the games of the field and of these.

    The first bots of the games are the field.
    """
    known, field = reader.entries(), reader.field_numbers()
    labels = {bot: known[bot].name for bot in field}
    by_name: dict[str, list[int]] = {name: [] for name in labels.values()}
    for bot, entry in known.items():
        if entry.name in by_name:
            by_name[entry.name].append(bot)
    versions, taken = [], {*by_name}
    for name, bots in by_name.items():
        settings = setting_texts([known[bot] for bot in bots])
        for version, (bot, text) in enumerate(zip(bots, settings), start=1):
            if len(bots) == 1:
                continue
            plays = bot in labels
            if not plays:
                labels[bot] = _unused(f"{name} ({version})", taken)
                taken.add(labels[bot])
            versions.append(BotVersion(known[bot], version, plays, text, labels[bot]))
    places = {name: place for place, name in enumerate(by_name)}
    versions.sort(key=lambda each: (places[each.entry.name], -each.version))
    return versions, reader.columns_of(labels, _pairings(reader, known, {*field}))


def _unused(label: str, taken: Collection[str]) -> str:
    while label in taken:  # a bot may have any name
        label += "'"
    return label


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


def setting_texts(entries: Sequence[BotEntry]) -> list[str]:
    """Return for each version of a bot the parameters and the isolation that not all of them share.

    >>> entries = [BotEntry("a", "a", "0f"), BotEntry("a", "a", "0f", {"depth": 3}), BotEntry("a", "a", "0f")]
    >>> setting_texts(entries)
    ['depth not set', 'depth=3', 'depth not set, played again']
    """
    keys = sorted({key for entry in entries for key in entry.params})
    differing = [key for key in keys if len({json.dumps(entry.params.get(key)) for entry in entries}) > 1]
    apart = len({entry.isolation for entry in entries}) > 1
    texts = []
    for place, entry in enumerate(entries):
        given = {key: value if isinstance(value, str) else json.dumps(value) for key, value in entry.params.items()}
        parts = [f"{key}={given[key]}" if key in given else f"{key} not set" for key in differing]
        parts += [f"isolation {entry.isolation}"] * apart
        parts += ["played again"] * any(entry.identity == earlier.identity for earlier in entries[:place])
        texts.append(", ".join(parts))
    return texts


def _played(labels: Sequence[str], games: GameColumns, field: int) -> dict[str, _Played]:
    """Return the games of some versions against the first `field` bots."""
    first, second = games["first"], games["second"]
    _, cards = numbered(same_cards(games["deal_seed"], games["deal"]))
    places = {label: place for place, label in enumerate(games.bots)}
    found = {}
    for label in labels:
        begun = (first == places[label]) & (second < field)
        rows = np.flatnonzero(begun | ((second == places[label]) & (first < field)))
        seat = begun[rows]
        score = np.where(seat, games["score"][rows], other_side(games["score"][rows]))
        opponent = np.where(seat, second[rows], first[rows]).astype(np.int64)
        found[label] = _Played(score, cards[rows], (cards[rows] * field + opponent) * 2 + seat)
    return found


# ---------------------------------------------------------------- figures


def _row(version: BotVersion, score: Floats, ratings: Ratings | None) -> dict[str, Any]:
    entry = version.entry
    row: dict[str, Any] = {
        "bot": entry.name,
        "version": version.version,
        "plays": version.plays,
        "settings": version.settings,
        "source": entry.source,
        "params": json.dumps(entry.params, sort_keys=True),
        "isolation": entry.isolation,
        "elo": math.nan,
        "elo_error95": math.nan,
        "flag": "?",
        "elo_bound": math.nan,
        "games": len(score),
        "wins": int((score == 1).sum()),
        "draws": int((score == 0.5).sum()),
        "losses": int((score == 0).sum()),
        "score": float(score.mean()) if len(score) else math.nan,
    }
    if ratings is not None and version.label in ratings.bots:
        at = ratings.bots.index(version.label)
        row |= {
            "elo": float(ratings.elo[at]),
            "elo_error95": float(ratings.error95[at]),
            "flag": ratings.flag[at],
            "elo_bound": float(ratings.bound[at]),
        }
    return row


def _change(
    now: BotVersion, then: BotVersion, played: Mapping[str, _Played], ratings: Ratings | None
) -> dict[str, Any]:
    """Compare two versions on the games that both played: same opponent, same cards, same seat."""
    mine, other = played[now.label], played[then.label]
    row: dict[str, Any] = {"bot": now.entry.name, "version": now.version, "against": then.version, "games": 0}
    _, here, there = np.intersect1d(mine.occasion, other.occasion, assume_unique=True, return_indices=True)
    if not len(here) or ratings is None:
        return row
    scores, cards = (mine.score[here], other.score[there]), mine.cards[here]
    found = mean_difference(scores[0], cards, scores[1], cards)
    elo, error = ratings.difference(now.label, then.label)
    return row | {
        "games": len(here),
        "deals": found.shared,
        "score": float(scores[0].mean()),
        "score_against": float(scores[1].mean()),
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "elo_difference": elo,
        "elo_difference_error95": error,
    }


# ---------------------------------------------------------------- showing


def _report(
    run: RunData,
    rows: Sequence[Mapping[str, Any]],
    changes: Sequence[Mapping[str, Any]],
    ratings: Ratings | None,
    prior: float,
) -> Report:
    tables = [_versions_table(rows), _changes_table(changes)]
    notes = [] if ratings is None else [note for note in (*ratings.notes, ratings.advice) if note]
    values = lambda: {"name": run.name, **table_values(tables), "prior": prior, "notes": notes}  # noqa: E731
    return Report(heading(run), tables, _remarks(rows, changes, notes), values=values)


def _versions_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    columns = [
        Column("bot", "text"),
        Column("v", key="version"),
        Column("plays", "text", cell=lambda row: "now" if row["plays"] else ""),
        Column("source", "text", cell=lambda row: row["source"][:_HASH_DIGITS]),
        Column("settings", "text"),
        Column("Elo", cell=elo_text),
        Column("±95%", cell=lambda row: error_text(row["elo_error95"])),
        Column("games"),
        Column("W-D-L", cell=tally_text, where=WIDE),
        Column("score%", "share", "score"),
    ]
    title = "Versions against the bots that play now"
    return Table("versions", title, rows, columns if rows else (), _VERSION_FILES, _DIGITS)


def _changes_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    columns = [
        Column("bot", "text"),
        Column("v", "text", cell=lambda row: f"{row['version']} - {row['against']}"),
        Column("games"),
        Column("deals"),
        Column("score%", "share", "score"),
        Column("other%", "share", "score_against"),
        Column("difference", cell=lambda row: _signed(row["difference"])),
        Column("95%", cell=_interval),
        Column("Elo", "whole elo", "elo_difference"),
        Column("±95%", cell=lambda row: error_text(row["elo_difference_error95"])),
    ]
    title = "The version that plays against each other one, on the games that both played"
    note = "Same opponents, deals and seats; differences of the scores are in points of %, their intervals are by deal."
    if any(row["deals"] < FEWEST_DEALS for row in rows):
        note += f" There is none on fewer than {FEWEST_DEALS} deals."
    return Table("changes", title, rows, columns if rows else (), _CHANGE_FILES, _DIGITS, note=note)


def _signed(share: float) -> str:
    return f"{100 * share:+z.1f}"


def _interval(row: TableRow) -> str:
    return "-" if math.isnan(row["low"]) else f"{_signed(row['low'])} .. {_signed(row['high'])}"


def _remarks(
    rows: Sequence[Mapping[str, Any]], changes: Sequence[Mapping[str, Any]], notes: Sequence[str]
) -> list[str]:
    """Return the sentences below the tables."""
    if not rows:
        return ["No bot of this run has more than one version. Change a bot and play the run again to compare both."]
    lines = []
    if not all(row["games"] for row in rows):
        lines.append("A version without games met no bot as it is now.")
    if not changes:
        lines.append("No two versions have played the same opponents on the same deals.")
    if notes:
        about = (
            "Ratings are of the field and the other versions together, relative to the average of all (0), and differ"
            " from those of the standings; ± is a 95% interval."
        )
        lines.append(" ".join([about, *(f"{note[0].upper()}{note[1:]}." for note in notes)]))
    return lines
