"""What happens to a submission: checked, placed among the others, published.

It first meets a sample of the table from top to bottom, then those who tell most about a bot of its rating so
far, until the error of its rating is small enough. All of it is stored as it comes: a process that goes on with
a submission that another has left looks at what is there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arena.errors import ArenaError
from arena.league import admission, events, games, pairing, versions
from arena.league.match_runner import BotsFailed, LeagueSession, MatchRunner
from arena.league.rating import Standings, StandingsRow, standings
from arena.league.settings import LeagueError
from arena.league.store import League
from arena.league.versions import ACTIVE, PENDING, PLACING, Version

OWN_PART = 0.5
"""A placement also ends when its own part of the error is down to this share of the width: what is left is the
table's, and for `play` to make less."""
FORFEITS_ALLOWED = 5
FORFEITS_SHARE = 0.1
"""A bot that forfeits more than so many, and more than this share, of its games is not placed but refused."""


@dataclass(frozen=True)
class SubmissionResult:
    """What has become of a submission. `version` is as it is now; `standing` only if it was accepted; `warnings`
    are what the check says to its author."""

    version: Version
    games: int = 0
    standing: Standings | None = None
    replaced: Version | None = None
    warnings: tuple[str, ...] = ()

    @property
    def accepted(self) -> bool:
        return self.standing is not None

    @property
    def interrupted(self) -> bool:
        """Is it still to be gone on with?"""
        return self.version.state in (PENDING, PLACING)


def handle_submission(session: LeagueSession, one: Version, say: Callable[[str], None]) -> SubmissionResult:
    """Bring a submission that this process has taken in hand to its end, or as far as Ctrl-C lets it."""
    try:
        outcome = _settle(session, one, say)
    except (ArenaError, KeyboardInterrupt):
        versions.release(session.league, one)
        raise
    except (
        BaseException
    ):  # a fault of ours over this bot: it counts as an attempt, of which there are not many
        versions.release(session.league, one, failed=True)
        raise
    if outcome.interrupted:
        versions.release(session.league, one)
    return outcome


def _settle(session: LeagueSession, one: Version, say: Callable[[str], None]) -> SubmissionResult:
    league = session.league
    back = any(e.version == one.id and e.kind == events.ACCEPTED for e in events.events(league))
    warnings: tuple[str, ...] = ()
    if one.state == PENDING:
        say(f"{one.label}: checking")
        for look in (admission.check, admission.trial):
            verdict = look(session, one)
            if verdict is None:
                return SubmissionResult(versions.get(league, one.id))
            warnings += verdict.warnings
            if not verdict.accepted:
                versions.refuse(league, one, verdict.reason)
                return SubmissionResult(versions.get(league, one.id), warnings=warnings)
        versions.accept(league, one)
    say(f"{one.label}: placing")
    before = next((v for v in versions.in_state(league, ACTIVE) if v.bot == one.bot), None)
    if not _place(session, one):
        return SubmissionResult(versions.get(league, one.id), _games(league, one), warnings=warnings)
    found = events.publish(
        league,
        events.BACK if back else events.ACCEPTED,
        lambda: versions.promote(league, one),
        one,
        candidate=one,
        games=_games(league, one),
        process=session.process.number,
    )
    return SubmissionResult(versions.get(league, one.id), _games(league, one), found, before, warnings)


def handle_waiting(session: LeagueSession, say: Callable[[str], None]) -> list[SubmissionResult]:
    """Go on with all submissions that nobody works on: what processes that were stopped have left."""
    outcomes: list[SubmissionResult] = []
    while not session.stopping:
        one = versions.claim(session.league, session.process.number)
        if one is None:
            break
        outcomes.append(handle_submission(session, one, say))
    return outcomes


def _games(league: League, one: Version) -> int:
    return sum(score.games for score in games.head_to_heads(league, one.id))


# ---------------------------------------------------------------- placing


def _place(session: LeagueSession, one: Version) -> bool:
    """Play until the version's rating is sure enough; False if it was refused, or Ctrl-C was pressed."""
    crew: MatchRunner | None = None
    team: list[Version] = []
    try:
        while not session.stopping:
            fixtures = next_fixtures(session.league, one)
            if not fixtures:
                return True
            players = {one.id: one} | {m.b.id: m.b for m in fixtures}
            try:
                if crew is None or not crew.players >= players.keys():
                    if crew is not None:
                        crew.close()
                    team = list(players.values())
                    crew = MatchRunner(session, team)
                crew.play_fixtures(fixtures)
            except BotsFailed as error:
                crew = None
                retire_unloadable(session, team, error)
            if versions.get(session.league, one.id).state != PLACING or _refused(session.league, one):
                return False
        return False
    finally:
        if crew is not None:
            crew.close()


def next_fixtures(league: League, one: Version) -> list[games.Fixture]:
    """Whom a version that is being placed meets next, empty if its place is sure enough."""
    settings = league.settings
    # the anchor's own rating is given, but its place among the others is to be found
    found = standings(league, one, anchored=one.name != settings.anchor)
    field = {p.version.id: p for p in found.rows if p.version.id != one.id}
    met = {score.opponent for score in games.head_to_heads(league, one.id)}
    mine = found.row_of(one.id)
    assert mine is not None
    left = settings.most_games - mine.games
    if not field or left <= 0:
        return []
    missing = min(settings.sample, len(field)) - len(met & field.keys())
    if missing > 0 or mine.elo is None or mine.error is None:
        unmet = [v for v in _sample(league, list(field.values())) if v.id not in met][:missing]
        return _fixtures(one, unmet, min(settings.games * len(unmet), left))
    if mine.error <= settings.error:
        return []
    ratings = {number: place.elo for number, place in field.items() if place.elo is not None}
    nearest = pairing.nearest(mine.elo, ratings, settings.sample)
    if mine.error * pairing.own_share(found, one.id, nearest, mine.games) <= OWN_PART * settings.error:
        return []
    opponents = [field[n].version for n in nearest]
    wanted = pairing.games_needed(mine.error, settings.error, mine.games) - mine.games
    step = settings.games * len(opponents)
    return _fixtures(one, opponents, min(max(wanted, 2 * len(opponents)), 4 * step, left))


def _sample(league: League, field: Sequence[StandingsRow]) -> list[Version]:
    """A part of the table from top to bottom, the anchor first, then the rest."""
    order = [place.version for place in field]
    anchor = [v for v in order if v.name == league.settings.anchor]
    sample = [order[at] for at in pairing.spread(len(order), league.settings.sample)]
    return list(dict.fromkeys([*anchor, *sample, *order]))


def _fixtures(one: Version, opponents: Sequence[Version], wanted: int) -> list[games.Fixture]:
    """So many games (a pair at least) shared by these opponents, in whole deals; the first ones get what is over."""
    deals, more = divmod(max(wanted // 2, 1), len(opponents))
    shares = [deals + (at < more) for at in range(len(opponents))]
    return [games.Fixture(one, other, share) for other, share in zip(opponents, shares) if share]


def _refused(league: League, one: Version) -> bool:
    """Refuse a bot that forfeits again and again."""
    faults = games.forfeits(league, [one.id])
    number = sum(fault.games for fault in faults)
    played = _games(league, one)
    if number <= FORFEITS_ALLOWED or number <= FORFEITS_SHARE * played:
        return False
    worst = max(faults, key=lambda fault: fault.games)
    versions.refuse(
        league,
        one,
        f"forfeited {number} of its first {played} games, the last by {worst.kind}: {worst.detail}",
    )
    return True


# ---------------------------------------------------------------- bots that cannot play any more


def retire_unloadable(session: LeagueSession, players: Sequence[Version], error: BotsFailed) -> None:
    """After a crew could not load a bot: refuse it if it was being placed, else retire it.

    One that can be loaded when it is looked at is given a second chance, and no third. LeagueError if none can be
    found, or none can be played at all: then the fault is not a bot's.
    """
    named = [one for one in players if one.id == error.version]
    broken = 0
    for one in named or players:
        verdict = admission.trial(session, one)
        if verdict is None:
            return
        session.failures[one.id] += bool(named)
        reason = verdict.reason
        if verdict.accepted:
            if session.failures[one.id] < 2:
                continue
            reason = f"it cannot be loaded each time: {error}"
        broken += 1
        if one.state in (PENDING, PLACING):
            versions.refuse(session.league, one, reason)
        else:
            retire(session.league, one.name, f"it cannot play any more: {reason}")
    if not broken and not named:
        raise LeagueError(f"nothing can be played: {error}")


def retire(league: League, name: str, reason: str = "", undo: bool = False) -> Standings:
    """Take a bot out of the table, or bring it back, and publish the standing.

    One that is not in the table yet is refused.
    """
    every = versions.of_bot(league, name)
    waiting = [one for one in every if one.state in versions.OPEN]
    if waiting and not undo and not any(one.state == ACTIVE for one in every):
        for one in waiting:
            versions.refuse(league, one, reason or "withdrawn")
        return standings(league)
    found: list[Version] = []

    def change() -> None:
        found.append(versions.retire(league, name, reason, undo))

    newest = versions.of_bot(league, name)
    active = next((v for v in newest if v.state == ACTIVE), newest[-1])
    kind = events.RETURNED if undo else events.RETIRED
    return events.publish(league, kind, change, active, note=reason)
