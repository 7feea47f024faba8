"""The league's games: pairings of versions, their deals, and what the games add up to.

A deal has a number that is unique in the league and grows with each deal, so games with higher numbers are later ones.
It is played by one pairing only, twice with the seats swapped unless the league's settings (`pairs`) say otherwise.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from arena.endings import AFTER, forfeit_of
from arena.league.store import LEAGUE, League
from arena.league.versions import Version
from arena.stats.score import Score
from arena.tournament.games import GameId, PairTask, deal_seed


@dataclass(frozen=True)
class Fixture:
    """Two versions and the number of deals that they are to play."""

    a: Version
    b: Version
    deals: int


def deal_units(league: League, fixtures: Sequence[Fixture]) -> list[PairTask]:
    """Return units of work, one deal of each fixture in turn, each with the next number that no game has.

    New pairings are stored with the seed of their deals, which follows from the league's secret and the labels of the
    two versions. Records show the seed but not the secret, so none reveals what a bot submitted later will play.
    """
    settings, secret = league.settings, secret_seed(league)
    columns: list[list[PairTask]] = []
    with league.change():
        for fixture in fixtures:
            a, b = sorted((fixture.a, fixture.b), key=lambda version: version.id)
            pairing = league.value("SELECT pairing FROM meetings WHERE a = ? AND b = ?", a.id, b.id)
            if pairing is None:
                seed = deal_seed(secret, True, a.label, b.label)
                pairing = league.insert("INSERT INTO meetings (a, b, seed) VALUES (?, ?, ?)", a.id, b.id, seed)
            turn = league.value("SELECT count(*) FROM games WHERE pairing = ?", pairing)
            begins = [(0, 1) if settings.pairs else ((turn + at) % 2,) for at in range(fixture.deals)]
            columns.append([PairTask(pairing, 0, a.label, b.label, games=games) for games in begins])
    last = league.value("SELECT max(id) FROM games")
    first = 0 if last is None else GameId.from_key(last).deal + 1
    tasks = (task for row in zip_longest(*columns) for task in row if task is not None)
    return [task._replace(deal=deal) for deal, task in enumerate(tasks, first)]


def secret_seed(league: League) -> int:
    """Return the seed from which the deals of all pairings follow, together with the labels of their versions."""
    try:
        return int(league.meta("secret"), 16)
    except ValueError as error:
        raise LEAGUE.damaged(league.folder, "its secret cannot be read") from error


def head_to_heads(league: League, number: int) -> dict[int, Score]:
    """Return a version's score against each opponent, in the order of the opponents' numbers."""
    # a begins game 0 of a pair and b game 1; `score` has the half points of the bot that began
    rows = league.query(
        "SELECT opponent, sum(points = 2), sum(points = 1), sum(points = 0) FROM (SELECT"
        " CASE WHEN p.a = ?1 THEN p.b ELSE p.a END AS opponent,"
        " CASE WHEN (p.a = ?1) = (g.game = 0) THEN g.score ELSE 2 - g.score END AS points"
        " FROM meetings p CROSS JOIN games g ON g.pairing = p.pairing WHERE ?1 IN (p.a, p.b)) GROUP BY opponent",
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
        FROM games g JOIN meetings p ON p.pairing = g.pairing JOIN (SELECT 1 AS side UNION SELECT 2) s
        WHERE g.forfeit_by > 0 AND g.forfeit_by & s.side AND (g.forfeit > 0) = ?
        GROUP BY 1, 2) f JOIN games g ON g.id = f.last
    ORDER BY 1, 2"""
"""Forfeits, or failures after games, by version and kind. The bot that began (side 1) is a in game 0, b in game 1."""


def league_forfeits(
    league: League, only: Container[int] | None = None, after_games: bool = False
) -> list[ForfeitCount]:
    """Return all forfeits by version and kind, or only those of some versions.

    With `after_games`, return failures after games instead, which do not count as forfeits.
    """
    return [
        ForfeitCount(who, forfeit_of(kind) or AFTER, games, detail or "", record)
        for who, kind, games, detail, record in league.query(_FAULTS, not after_games)
        if only is None or who in only
    ]


def forfeits_text(forfeits: Sequence[ForfeitCount]) -> str:
    """Return how many games were forfeited, in all and by kind; "" for none.

    >>> forfeits_text([ForfeitCount(1, "exception", 2, "", ""), ForfeitCount(1, "timeout", 1, "", "")])
    '3 (2 exception, 1 timeout)'
    """
    kinds = ", ".join(f"{forfeit.games} {forfeit.kind}" for forfeit in forfeits)
    return f"{sum(forfeit.games for forfeit in forfeits)} ({kinds})" if forfeits else ""


def recent_forfeits(league: League, version: int, last: int) -> tuple[int, int]:
    """Return the number of a version's latest games (by deal, at most `last`), and how many of them it forfeited."""
    games, lost = league.query(
        "SELECT count(*), ifnull(sum(lost), 0) FROM (SELECT"
        " g.forfeit > 0 AND CASE WHEN g.forfeit_by = 1 + g.game THEN p.a ELSE p.b END = ?1 AS lost"
        " FROM games g JOIN meetings p ON p.pairing = g.pairing WHERE ?1 IN (p.a, p.b) ORDER BY g.id DESC LIMIT ?2)",
        version,
        last,
    )[0]
    return games, lost
