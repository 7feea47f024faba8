"""Games beyond placement: the pairings that tell most about the table, until stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from arena.league import choice, events, games
from arena.league.crew import BotsFailed, Crew, Desk
from arena.league.entries import Version
from arena.league.placement import expel_broken
from arena.league.rating import Standing, standing
from arena.league.settings import LeagueError

MOST_PLAYERS = 24
"""Bots of one crew: each worker loads them all."""
_PAIRINGS = 8
_SHARE = 20
"""A stretch of play adds at least a 20th to the games that there are, so that the ratings between two of them,
whose cost grows with all games, take a small part of the time."""


@dataclass(frozen=True)
class PlayReport:
    """What a call of `fill_up` has done."""

    games: int
    standing: Standing


def fill_up(desk: Desk, most: int | None, say: Callable[[str], None]) -> PlayReport:
    """Play the least certain pairings until Ctrl-C, or until `most` games (rounded up to pairs) are stored."""
    league = desk.league
    found = standing(league)
    if len(found.places) < 2:
        raise LeagueError(f"{league.name} has {_bots(len(found.places))} in the table; play needs two")
    crew: Crew | None = None
    team: list[Version] = []
    event: int | None = None
    played = 0
    try:
        while not desk.stopping and (most is None or played < most):
            left = None if most is None else most - played
            meetings = next_meetings(desk, found, left)
            if not meetings:
                break
            players = {v.id: v for m in meetings for v in (m.a, m.b)}
            fresh = 0
            try:
                if crew is None or not crew.players >= players.keys():
                    if crew is not None:
                        crew.close()
                    team = _team(found, players)
                    say(f"playing the least certain pairings of {len(found.places)} bots")
                    crew = Crew(desk, team)
                fresh = crew.meet(meetings)
                played += fresh
            except BotsFailed as error:
                crew = None
                expel_broken(desk, team, error)
            if fresh:
                event, found = events.note_play(league, event, fresh, desk.process.number)
            else:
                found = standing(league)
            if len(found.places) < 2:
                break
        return PlayReport(played, found)
    finally:
        if crew is not None:
            crew.close()


def next_meetings(desk: Desk, found: Standing, left: int | None) -> list[games.Meeting]:
    """The next stretch of play, of at most `left` games (and one more, for whole pairs)."""
    league = desk.league
    step = max(league.settings.games, found.total // _SHARE // _PAIRINGS // 2 * 2)
    in_hand = [(a, b, 2 * deals) for a, b, deals in games.reserved_deals(league)]
    pairs = choice.least_certain(found, _PAIRINGS, step, in_hand)
    by_id = {place.version.id: place.version for place in found.places}
    deals = step // 2
    if left is not None:
        units = (left + 1) // 2
        pairs = pairs[:units]
        deals = min(deals, max(1, units // max(len(pairs), 1)))
    return [games.Meeting(by_id[a], by_id[b], deals) for a, b in pairs]


def _team(found: Standing, needed: dict[int, Version]) -> list[Version]:
    """All bots of the table if they are few, so that the crew can stay; else those that are needed."""
    everyone = [place.version for place in found.places]
    return everyone if len(everyone) <= MOST_PLAYERS else list(needed.values())


def _bots(number: int) -> str:
    return "no bot" if number == 0 else "one bot"
