"""Games beyond placement: the pairings that tell most about the table, until stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from arena.league import events, games, pairing
from arena.league.match_runner import BotsFailed, LeagueSession, MatchRunner
from arena.league.placement import retire_unloadable
from arena.league.rating import Standings, standings
from arena.league.settings import LeagueError
from arena.league.versions import Version

MOST_PLAYERS = 24
"""Bots of one crew: each worker loads them all."""
_PAIRINGS = 8
_SHARE = 20
"""A stretch of play adds at least a 20th to the games that there are, so that the ratings between two of them,
whose cost grows with all games, take a small part of the time."""


@dataclass(frozen=True)
class PlayReport:
    """What a call of `play_games` has done."""

    games: int
    standing: Standings


def play_games(session: LeagueSession, most: int | None, say: Callable[[str], None]) -> PlayReport:
    """Play the least certain pairings until Ctrl-C, or until `most` games (rounded up to pairs) are stored."""
    league = session.league
    found = standings(league)
    if len(found.rows) < 2:
        raise LeagueError(f"{league.name} has {_bots(len(found.rows))} in the table; play needs two")
    crew: MatchRunner | None = None
    team: list[Version] = []
    event: int | None = None
    played = 0
    try:
        while not session.stopping and (most is None or played < most):
            left = None if most is None else most - played
            fixtures = next_fixtures(session, found, left)
            if not fixtures:
                break
            players = {v.id: v for m in fixtures for v in (m.a, m.b)}
            fresh = 0
            try:
                if crew is None or not crew.players >= players.keys():
                    if crew is not None:
                        crew.close()
                    team = _team(found, players)
                    say(f"playing the least certain pairings of {len(found.rows)} bots")
                    crew = MatchRunner(session, team)
                fresh = crew.play_fixtures(fixtures)
                played += fresh
            except BotsFailed as error:
                crew = None
                retire_unloadable(session, team, error)
            if fresh:
                event, found = events.note_play(league, event, fresh, session.process.number)
            else:
                found = standings(league)
            if len(found.rows) < 2:
                break
        return PlayReport(played, found)
    finally:
        if crew is not None:
            crew.close()


def next_fixtures(session: LeagueSession, found: Standings, left: int | None) -> list[games.Fixture]:
    """The next stretch of play, of at most `left` games (and one more, for whole pairs)."""
    league = session.league
    step = max(league.settings.games, found.total // _SHARE // _PAIRINGS // 2 * 2)
    in_hand = [(a, b, 2 * deals) for a, b, deals in games.reserved_deals(league)]
    pairs = pairing.least_certain(found, _PAIRINGS, step, in_hand)
    by_id = {place.version.id: place.version for place in found.rows}
    deals = step // 2
    if left is not None:
        units = (left + 1) // 2
        pairs = pairs[:units]
        deals = min(deals, max(1, units // max(len(pairs), 1)))
    return [games.Fixture(by_id[a], by_id[b], deals) for a, b in pairs]


def _team(found: Standings, needed: dict[int, Version]) -> list[Version]:
    """All bots of the table if they are few, so that the crew can stay; else those that are needed."""
    everyone = [place.version for place in found.rows]
    return everyone if len(everyone) <= MOST_PLAYERS else list(needed.values())


def _bots(number: int) -> str:
    return "no bot" if number == 0 else "one bot"
