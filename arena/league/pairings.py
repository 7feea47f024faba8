"""The league's games: pairings of versions, deals reserved for them, every game stored exactly once.

A deal has a number that is unique in the league. It is played by one pairing only, twice with the seats swapped, unless
the league's settings (`own_deals`, `pairs`) say otherwise. Numbers are reserved in a transaction and never given out
again, so two processes cannot play the same deal. Deals that a killed process had reserved are never played.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from arena.endings import AFTER, forfeit_of
from arena.league.store import League
from arena.league.versions import Version
from arena.stats.score import Score
from arena.tournament.games import PAIRING_BITS, GameId, PairTask, Row

if TYPE_CHECKING:
    import pandas as pd  # slow to load


@dataclass(frozen=True)
class Fixture:
    """Two versions and the number of deals that they are to play."""

    a: Version
    b: Version
    deals: int


def new_lineup(league: League, session: int) -> int:
    """Create a lineup, a row of the table `lineups`; return its number, which is used only once."""
    with league.change():
        return league.insert("INSERT INTO lineups (session) VALUES (?)", session)


def lineup_seed(secret: str, lineup: int) -> int:
    """Return the seed of all deals that a lineup plays: 128 bits.

    Records show the seed. It is derived from the league's secret, which they do not show, and from a number that is
    used only once and exists only after the lineup's bots have been stored. So no record reveals anything about the
    games that a bot submitted later will play.
    """
    text = f"schotten-arena league\x1f{secret}\x1f{lineup}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=16).digest(), "little")


def reserve_deals(league: League, lineup: int, fixtures: Sequence[Fixture]) -> list[PairTask]:
    """Reserve deals for these fixtures; return units of work, one deal of each fixture in turn.

    Each unit has its own deal. Without `own_deals`, all units of one turn share a deal.
    """
    settings = league.settings
    with league.change():
        number = int(league.meta("deals"))
        columns: list[list[PairTask]] = []
        for fixture in fixtures:
            a, b = sorted((fixture.a, fixture.b), key=lambda version: version.id)
            pairing = _pairing(league, a.id, b.id)
            turn = 0 if settings.pairs else _games_begun(league, pairing)
            begins = [(0, 1) if settings.pairs else ((turn + at) % 2,) for at in range(fixture.deals)]
            columns.append([PairTask(pairing, 0, a.label, b.label, games=who) for who in begins])
        tasks: list[PairTask] = []
        for row in zip_longest(*columns):
            for task in row:
                if task is not None:
                    tasks.append(task._replace(deal=number))
                    number += settings.own_deals
            number += not settings.own_deals
        league.run("UPDATE meta SET value = ? WHERE key = 'deals'", str(number))
        league.run_many(
            "INSERT INTO reserved (deal, pairing, lineup) VALUES (?, ?, ?)",
            [(_held(league, task.deal, task.pairing), task.pairing, lineup) for task in tasks],
        )
    return tasks


def _games_begun(league: League, pairing: int) -> int:
    """Return how many games of a pairing are stored or reserved."""
    tables = ("games", "reserved")
    return sum(int(league.value(f"SELECT count(*) FROM {table} WHERE pairing = ?", pairing)) for table in tables)


def _held(league: League, deal: int, pairing: int) -> int:
    """Return the number under which a deal is reserved, a different one for each pairing that shares it."""
    return deal if league.settings.own_deals else deal << PAIRING_BITS | pairing


def _pairing(league: League, a: int, b: int) -> int:
    known = league.value("SELECT pairing FROM pairings WHERE a = ? AND b = ?", a, b)
    return int(known) if known is not None else league.insert("INSERT INTO pairings (a, b) VALUES (?, ?)", a, b)


def store_rows(league: League, lineup: int, rows: Sequence[Row]) -> int:
    """Store played games, leaving those already there as they are; return how many were new."""
    with league.change():
        new = league.insert_games(rows)
        played = {GameId.from_key(row.id) for row in rows}
        held = {(_held(league, game.deal, game.pairing),) for game in played}
        league.run_many("DELETE FROM reserved WHERE deal = ?", held)
        league.run("UPDATE lineups SET games = games + ? WHERE lineup = ?", new, lineup)
    return new


def reserved_deals(league: League) -> list[tuple[int, int, int]]:
    """Return what lineups have reserved: two versions and a number of deals."""
    return league.query(
        "SELECT p.a, p.b, count(*) FROM reserved r JOIN pairings p ON p.pairing = r.pairing GROUP BY 1, 2"
    )


def head_to_heads(league: League, number: int) -> dict[int, Score]:
    """Return a version's score against each opponent, in the order of the opponents' numbers."""
    # a begins game 0 of a pair and b game 1; `score` has the half points of the bot that began
    rows = league.query(
        "SELECT opponent, sum(points = 2), sum(points = 1), sum(points = 0) FROM (SELECT"
        " CASE WHEN p.a = ?1 THEN p.b ELSE p.a END AS opponent,"
        " CASE WHEN (p.a = ?1) = (g.game = 0) THEN g.score ELSE 2 - g.score END AS points"
        " FROM pairings p CROSS JOIN games g ON g.pairing = p.pairing WHERE ?1 IN (p.a, p.b)) GROUP BY opponent",
        number,
    )
    return {opponent: Score(*counts) for opponent, *counts in rows}


@dataclass(frozen=True)
class ForfeitCount:
    """Games that a version forfeited for one reason, with the last of them as an example.

    The kind `AFTER` stands for failures in `end`, after games whose results stand.
    """

    version: int
    kind: str
    games: int
    detail: str
    record: str


_FAULTS = """
    SELECT f.who, f.forfeit, f.games, g.detail, g.record FROM (
        SELECT CASE WHEN s.side = 1 + g.game THEN p.a ELSE p.b END AS who, g.forfeit,
            count(*) AS games, max(g.id) AS last
        FROM games g JOIN pairings p ON p.pairing = g.pairing JOIN (SELECT 1 AS side UNION SELECT 2) s
        WHERE g.forfeit_by > 0 AND g.forfeit_by & s.side AND (g.forfeit > 0) = ?
        GROUP BY 1, 2) f JOIN games g ON g.id = f.last
    ORDER BY 1, 2"""
"""Forfeits, or failures after games, by version and kind. The bot that began (side 1) is a in game 0, b in game 1."""


def league_forfeits(league: League, only: Container[int] | None = None) -> list[ForfeitCount]:
    """Return all forfeits by version and kind, or only those of some versions."""
    return [
        ForfeitCount(who, forfeit_of(kind) or AFTER, games, detail or "", record)
        for who, kind, games, detail, record in league.query(_FAULTS, True)
        if only is None or who in only
    ]


def failures_after(league: League, only: Container[int]) -> list[ForfeitCount]:
    """Return the failures of some versions after games, which do not count as forfeits."""
    return [
        ForfeitCount(who, AFTER, games, detail or "", record)
        for who, _, games, detail, record in league.query(_FAULTS, False)
        if who in only
    ]


def recent_forfeits(league: League, version: int, last: int) -> tuple[int, int]:
    """Return the number of a version's latest games (by deal, at most `last`), and how many of them it forfeited."""
    games, lost = league.query(
        "SELECT count(*), ifnull(sum(lost), 0) FROM (SELECT"
        " g.forfeit > 0 AND CASE WHEN g.forfeit_by = 1 + g.game THEN p.a ELSE p.b END = ?1 AS lost"
        " FROM games g JOIN pairings p ON p.pairing = g.pairing WHERE ?1 IN (p.a, p.b) ORDER BY g.id DESC LIMIT ?2)",
        version,
        last,
    )[0]
    return games, lost


def games_frame(league: League, among: Iterable[int]) -> pd.DataFrame:
    """Return the games between some versions as a frame for `arena.stats`.

    Its columns are `first` and `second` (version numbers as text), `score` (points of the first: 0, 0.5 or 1) and
    `deal`.
    """
    import pandas as pd  # slow to load

    wanted = set(among)
    sides = {p: (a, b) for p, a, b in league.query("SELECT pairing, a, b FROM pairings")}
    names = sorted(wanted)
    index_of = {number: index for index, number in enumerate(names)}
    table = np.full((max(sides, default=0) + 1, 2), -1, dtype=np.int64)
    for pairing, (a, b) in sides.items():
        if a in wanted and b in wanted:
            table[pairing] = (index_of[a], index_of[b])
    figures = league.figures()
    key = figures.key
    pairing, game = key >> 1 & ((1 << PAIRING_BITS) - 1), key & 1
    # a pairing added since the table was read is not in it
    known = np.where(pairing < len(table), pairing, 0)
    first = np.where(pairing < len(table), table[known, game], -1)
    second = np.where(pairing < len(table), table[known, 1 - game], -1)
    kept = first >= 0
    index = pd.Index([str(number) for number in names])
    return pd.DataFrame(
        {
            "first": pd.Categorical.from_codes(first[kept], index),
            "second": pd.Categorical.from_codes(second[kept], index),
            "score": figures.score[kept] / 2,
            "deal": key[kept] >> (PAIRING_BITS + 1),
        }
    )
