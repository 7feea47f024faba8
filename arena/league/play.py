"""Games beyond placement: the pairings that tell most about the table, until stopped."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.league import events, games, pairing
from arena.league.match_runner import LeagueSession, MatchRunner
from arena.league.oversight import budget
from arena.league.placement import SubmissionResult, handle_waiting, play_or_retire, suspend
from arena.league.rating import Standings, standings
from arena.league.settings import LeagueError
from arena.league.store import League
from arena.league.versions import Version
from arena.text import one_line

MOST_PLAYERS = 24
"""Bots of one lineup: each worker loads them all."""
RECENT_GAMES = 40
SUSPENDED_SHARE = 0.5  # of the last games: a bot that forfeited more of them leaves the table
_PAIRINGS = 8
_SHARE = 20
"""A stretch of play adds at least a 20th to the games that there are: the ratings between two stretches, whose cost
grows with all games, then take a small part of the time."""


def play_games(
    session: LeagueSession,
    most: int | None = None,
    told: Callable[[SubmissionResult], None] = lambda result: None,
    seen: Callable[[Standings, int], None] = lambda table, played: None,
) -> int:
    """Play the least certain pairings until Ctrl-C, or until `most` games (rounded up to pairs) are stored.

    Submissions that turn up meanwhile, or that were waiting for their authors' time, come first; `told` hears of them.
    `seen` gets the table whenever it was rated, with the number of games by then.
    How many games were stored. LeagueError if there are not two bots in the table.
    """
    league = session.league
    table = standings(league)
    if len(table.rows) < 2:
        number = "one bot" if table.rows else "no bot"
        raise LeagueError(f"{league.name} has {number} in the table; play needs two")
    event: int | None = None
    played = 0
    with MatchRunner(session) as runner:
        while session.wait_while_paused() and (most is None or played < most) and len(table.rows) >= 2:
            seen(table, played)
            budget.check_disk(league)
            results = handle_waiting(session)
            if results:
                for result in results:
                    told(result)
                table = standings(league)
                continue
            fixtures = next_fixtures(session, table, None if most is None else most - played)
            if not fixtures:
                break
            if not runner.can_play(fixtures):
                session.say(f"playing the least certain pairings of {len(table.rows)} bots")
            team = [row.version for row in table.rows]
            if len(team) > MOST_PLAYERS:
                team = list({one.id: one for f in fixtures for one in (f.a, f.b)}.values())
            fresh = play_or_retire(runner, fixtures, team)
            if fresh:
                played += fresh
                event, table = events.note_play(league, event, fresh, session.process.number)
                if _suspend_forfeiters(session, fixtures):
                    table = standings(league)
            else:
                table = standings(league)
    return played


def _suspend_forfeiters(session: LeagueSession, fixtures: Sequence[games.Fixture]) -> bool:
    """Suspend the bots of some fixtures that have forfeited most of their last games; were there any?"""
    suspended = False
    for version in {version.id: version for fixture in fixtures for version in (fixture.a, fixture.b)}.values():
        reason = too_many_forfeits(session.league, version)
        if reason:
            suspend(session, version, reason)
            suspended = True
    return suspended


def too_many_forfeits(league: League, version: Version) -> str:
    """Why a version is suspended for the forfeits among its last games; "" if it is not."""
    recent, lost = games.recent_forfeits(league, version.id, RECENT_GAMES)
    if recent < RECENT_GAMES or lost <= SUSPENDED_SHARE * RECENT_GAMES:
        return ""
    most = max(games.forfeits(league, [version.id]), key=lambda forfeit: forfeit.games)
    detail = one_line(" ".join(most.detail.split()), 200)
    return f"suspended: it forfeited {lost} of its last {RECENT_GAMES} games, most by {most.kind}: {detail}"


def next_fixtures(session: LeagueSession, table: Standings, left: int | None) -> list[games.Fixture]:
    """The next stretch of play, of at most `left` games (and one more, for whole pairs)."""
    league = session.league
    step = max(league.settings.games, table.total // _SHARE // _PAIRINGS // 2 * 2)
    each = league.settings.games_a_deal
    in_hand = [(a, b, each * deals) for a, b, deals in games.reserved_deals(league)]
    pairs = pairing.least_certain(table, _PAIRINGS, step, in_hand)
    by_id = {row.version.id: row.version for row in table.rows}
    deals = step // each
    if left is not None:
        units = (left + each - 1) // each
        pairs = pairs[:units]
        deals = min(deals, max(1, units // max(len(pairs), 1)))
    return [games.Fixture(by_id[a], by_id[b], deals) for a, b in pairs]
