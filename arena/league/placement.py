"""What happens to a submission, from its check to its place in the table.

A placement first plays a sample of the table from top to bottom, then the opponents that tell most about a bot of its
rating so far, until the error of its rating is small enough. Everything is stored as it comes, so a process that
takes over a submission goes on from there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from arena.errors import ArenaError
from arena.league import admission, events, games, pairing, versions
from arena.league.match_runner import BotsFailed, LeagueSession, MatchRunner
from arena.league.oversight import audit, budget
from arena.league.rating import Standings, StandingsRow, standings
from arena.league.settings import LeagueError
from arena.league.store import League
from arena.league.submission import Submission
from arena.league.versions import ACTIVE, PENDING, PLACING, Receipt, Version

OWN_PART = 0.5
"""A placement also ends when the bot's own part of the error is down to this share of the target: what is left is due
to the rest of the table, and only `play` can reduce it."""
TURN_S = 120.0
"""Seconds after which a placement gives way to other submissions that are waiting."""
FORFEITS_ALLOWED = 5
FORFEITS_SHARE = 0.1
"""A bot that forfeits more games than that, and more than this share of its games, is refused."""


@dataclass(frozen=True)
class SubmissionResult:
    """How far a submission has come.

    `version` is as it is now, `standings` as it was accepted (None if it was not), `replaced` the version that was
    active before, and `warnings` are for its author. `waits` is why it is not decided yet, if that is not Ctrl-C.
    """

    version: Version
    games: int = 0
    standings: Standings | None = None
    replaced: Version | None = None
    warnings: tuple[str, ...] = ()
    waits: str = ""

    @property
    def accepted(self) -> bool:
        return self.standings is not None

    @property
    def interrupted(self) -> bool:
        """Is it still undecided?"""
        return self.version.state in versions.OPEN


def submit(session: LeagueSession, what: Submission, again: bool = False) -> tuple[Receipt, SubmissionResult | None]:
    """Store a submission and handle it, unless it is known or another process holds it (None then).

    `again` and errors as in `versions.submit`.
    """
    try:
        receipt = versions.submit(session.league, session.process.number, what, again)
    except LeagueError as error:
        audit.record(session.league, "receive", "refused", subject=what.name, author=what.author, detail=str(error))
        raise
    if receipt.version.state not in versions.OPEN:
        return receipt, None
    league = session.league
    if session.process.pause is not None:
        versions.release(league, receipt.version)
        return receipt, SubmissionResult(receipt.version, waits=f"{league.name} is paused")
    one = versions.claim(league, session.process.number, receipt.version.id)
    return receipt, None if one is None else handle_submission(session, one)


def handle_waiting(session: LeagueSession) -> list[SubmissionResult]:
    """Handle all submissions that no living process holds, in turns if there are many: how far each has come.

    A turn ends when it has taken TURN_S and others are waiting, so that none of them can hold up the others.
    """
    results: dict[int, SubmissionResult] = {}
    while not session.stopping and session.process.pause is None:
        one = versions.claim(session.league, session.process.number)
        if one is None:
            break
        results[one.id] = handle_submission(session, one, TURN_S)
    return list(results.values())


def handle_submission(session: LeagueSession, one: Version, turn_s: float = math.inf) -> SubmissionResult:
    """Take a claimed submission through to a decision, or as far as Ctrl-C or a pause allow; then let go of
    it. After `turn_s` seconds it gives way to others that wait."""
    try:
        with session.process.working_on(one.id) as work, MatchRunner(session) as runner:
            work.turn_s = turn_s
            result = _handle(runner, one)
    except (ArenaError, KeyboardInterrupt):
        versions.release(session.league, one)
        raise
    except BaseException:  # a fault of ours over this bot counts as an attempt, and there are only a few
        versions.release(session.league, one, failed=True)
        raise
    if result.interrupted:
        versions.release(session.league, one)
    return result


def _handle(runner: MatchRunner, one: Version) -> SubmissionResult:
    session, league = runner.session, runner.session.league
    returning = any(e.version == one.id and e.kind == events.ACCEPTED for e in events.events(league))
    warnings: tuple[str, ...] = ()
    if one.state == PENDING:
        session.say(f"{one.label}: checking")
        admitted = admission.admit(runner, one)
        if admitted is not None:
            warnings = admitted.warnings
            for warning in warnings:
                audit.record(league, "check", "warns", subject=one.label, author=one.author, detail=warning)
            if admitted.accepted:
                versions.accept(league, one)
            else:
                versions.refuse(league, one, admitted.reason)
        if admitted is None or not admitted.accepted:
            return SubmissionResult(versions.get(league, one.id), warnings=warnings)
    session.say(f"{one.label}: placing")
    before = next((v for v in versions.in_state(league, ACTIVE) if v.bot == one.bot), None)
    if not _place(runner, one):
        now = versions.get(league, one.id)
        why = _why_waiting(session, one) if now.state == PLACING and not session.stopping else ""
        return SubmissionResult(now, _games(league, one), warnings=warnings, waits=why)
    after = events.publish(
        league,
        events.BACK if returning else events.ACCEPTED,
        lambda: versions.promote(league, one),
        one,
        candidate=one,
        games=_games(league, one),
        process=session.process.number,
    )
    return SubmissionResult(versions.get(league, one.id), _games(league, one), after, before, warnings)


def _why_waiting(session: LeagueSession, one: Version) -> str:
    """Why a submission that is not decided yet has to wait; "" if it has not."""
    if session.process.pause is not None:
        return f"{session.league.name} is paused"
    return "others have their turn" if _turn_is_over(session, one) else ""


def _games(league: League, one: Version) -> int:
    return sum(record.games for record in games.head_to_heads(league, one.id))


# ---------------------------------------------------------------- placing


def _place(runner: MatchRunner, one: Version) -> bool:
    """Play until the version's rating is certain enough; False if it was refused, or if that has to wait."""
    session, league = runner.session, runner.session.league
    while not session.stopping and not session.process.held:
        budget.check_disk(league)
        fixtures = next_fixtures(league, one)
        if not fixtures:
            return True
        play_or_retire(runner, fixtures, [one, *(fixture.b for fixture in fixtures)])
        if versions.get(league, one.id).state != PLACING or _refused(league, one) or _turn_is_over(session, one):
            return False
    return False


def _turn_is_over(session: LeagueSession, one: Version) -> bool:
    """Has a placement had its turn, and is another submission waiting for one?"""
    work = session.process.work
    return work is not None and work.seconds >= work.turn_s and versions.others_wait(session.league, one)


def next_fixtures(league: League, one: Version) -> list[games.Fixture]:
    """What a version that is being placed plays next; empty if its rating is certain enough."""
    settings = league.settings
    # the anchor's rating is fixed, but where it stands among the others is not known yet
    table = standings(league, one, anchored=one.name != settings.anchor)
    field = {row.version.id: row for row in table.rows if row.version.id != one.id}
    met = {record.opponent for record in games.head_to_heads(league, one.id)}
    mine = table.row_of(one.id)
    assert mine is not None
    left = settings.most_games - mine.games
    if not field or left <= 0:
        return []
    missing = min(settings.sample, len(field)) - len(met & field.keys())
    if missing > 0 or mine.elo is None or mine.error is None:
        unmet = [v for v in _sample(league, list(field.values())) if v.id not in met][:missing]
        return _fixtures(one, unmet, min(settings.games * len(unmet), left), settings.games_a_deal)
    if mine.error <= settings.error:
        return []
    ratings = {number: row.elo for number, row in field.items() if row.elo is not None}
    nearest = pairing.nearest(mine.elo, ratings, settings.sample)
    if mine.error * pairing.own_share(table, one.id, nearest, mine.games) <= OWN_PART * settings.error:
        return []
    opponents = [field[n].version for n in nearest]
    wanted = pairing.games_needed(mine.error, settings.error, mine.games) - mine.games
    step = settings.games * len(opponents)
    return _fixtures(one, opponents, min(max(wanted, 2 * len(opponents)), 4 * step, left), settings.games_a_deal)


def _sample(league: League, field: Sequence[StandingsRow]) -> list[Version]:
    """The anchor, a sample of the table from top to bottom, then everyone else."""
    order = [row.version for row in field]
    anchor = [v for v in order if v.name == league.settings.anchor]
    sample = [order[at] for at in pairing.spread(len(order), league.settings.sample)]
    return list(dict.fromkeys([*anchor, *sample, *order]))


def _fixtures(one: Version, opponents: Sequence[Version], wanted: int, each: int) -> list[games.Fixture]:
    """About `wanted` games (at least a deal) shared among the opponents in whole deals of `each` games; the first get
    what is left."""
    deals, more = divmod(max(wanted // each, 1), len(opponents))
    shares = [deals + (at < more) for at in range(len(opponents))]
    return [games.Fixture(one, other, share) for other, share in zip(opponents, shares) if share]


def _refused(league: League, one: Version) -> bool:
    """Refuse a bot that forfeits too many games."""
    forfeits = games.forfeits(league, [one.id])
    number = sum(forfeit.games for forfeit in forfeits)
    played = _games(league, one)
    if number <= FORFEITS_ALLOWED or number <= FORFEITS_SHARE * played:
        return False
    most = max(forfeits, key=lambda forfeit: forfeit.games)
    versions.refuse(
        league, one, f"forfeited {number} of its first {played} games, the last by {most.kind}: {most.detail}"
    )
    return True


# ---------------------------------------------------------------- retiring


def play_or_retire(runner: MatchRunner, fixtures: Sequence[games.Fixture], team: Sequence[Version]) -> int:
    """Play fixtures, lining up the `team` if need be; how many games were stored.

    A bot that cannot be loaded is refused or retired, and no game is played then.
    """
    try:
        if not runner.can_play(fixtures):
            runner.line_up(team)
        return runner.play_fixtures(fixtures)
    except BotsFailed as error:
        retire_unloadable(runner.session, runner.lineup, error)
        return 0


def retire_unloadable(session: LeagueSession, lineup: Sequence[Version], error: BotsFailed) -> None:
    """Refuse a bot that could not be loaded if it is being placed, else retire it.

    One that can be loaded by itself is given a second chance, but no third. LeagueError if none is found to be
    broken, or if nothing can be played at all, for then no bot is to blame.
    """
    named = [one for one in lineup if one.id == error.version]
    broken = 0
    for one in named or lineup:
        with MatchRunner(session) as runner:
            tried = admission.trial(runner, one)
        if tried is None:
            return
        session.failures[one.id] += bool(named)
        reason = tried.reason
        if tried.accepted:
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
    """Retire a bot, or with `undo` bring it back, and publish the standings; a bot not in the table yet is refused."""
    known = versions.of_bot(league, name)
    active = next((one for one in known if one.state == ACTIVE), None)
    waiting = [one for one in known if one.state in versions.OPEN]
    if waiting and not undo and active is None:
        for one in waiting:
            versions.refuse(league, one, reason or "withdrawn")
        return standings(league)
    return events.publish(
        league,
        events.RETURNED if undo else events.RETIRED,
        lambda: versions.retire(league, name, reason, undo),
        active or known[-1],
        note=reason,
    )


def suspend(session: LeagueSession, one: Version, why: str) -> None:
    """Take a bot out of the table, or refuse it if it was not in it yet; the history says why."""
    league = session.league
    now = versions.get(league, one.id)
    if now.state in versions.OPEN:
        versions.refuse(league, one, why)
    elif now.state == ACTIVE and now.retired is None:
        retire(league, one.name, why)
