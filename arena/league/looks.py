"""The league looks again at bots that it has admitted: at random, while games are played.

A bot that has behaved in its check may have known that it was one. So a look is made of games that it has played in
the league: they are played once more, exactly as the league plays, and compared move by move; nothing in the bot's
process is different. Then its process is measured and listened to in games as a check has them, but more of them, on
deals that nobody can foresee. Its times and its forfeits are read from the games that are stored. What is noticed goes
into the history, and each look into the audit log. A bot that forfeits most of its games is suspended.
"""

from __future__ import annotations

import contextlib
import random
import secrets
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from arena.errors import ArenaError
from arena.game.engine import State
from arena.game.record import Record, parse_record
from arena.game.rules import load_rules
from arena.league import admission, events, games, versions
from arena.league.check.findings import tried
from arena.league.check.metrics import MemoryMeter
from arena.league.check.sessions import AGAINST, CheckSettings, open_session
from arena.league.match_runner import BotsFailed, LeagueSession, MatchRunner, PairsFailed
from arena.league.oversight import audit
from arena.league.placement import retire_unloadable
from arena.league.store import League
from arena.league.versions import Version
from arena.stats.frames import Ints
from arena.text import one_line
from arena.tournament.match.results import GameResult, Row
from arena.tournament.match.tasks import PAIRING_BITS, GameId, PairTask

UNITS = 3
"""Deals that are played again in a look."""
RECENT = 40
"""Games that say how a bot behaves now."""
SLOWER, SLOWER_MS = 4.0, 20.0
"""A bot is slow if a decision takes so many times as long as in its first games, and so much longer."""
MUCH_MEMORY = 0.5
"""A bot takes much if its process needs more than this share of what it may have, ..."""
GROWS_MB = 1.0
"""... or grows by so much in each game."""
MANY_THREADS = 8
SUSPENDED_SHARE = 0.5
"""A bot that has forfeited more than this share of its last games is suspended."""
LOOK_S, MOST_DEALS = 5.0, 60
"""A bot is measured for so long, or in so many deals."""
UNSTEADY, SLOW, HOG, BROKEN, TRIES = "unsteady", "slow", "hog", "cannot be played", events.TRIES
_FIRST_COST_S = 5.0


@dataclass(frozen=True)
class Remark:
    """Something that was noticed about a version: in a word, and in a sentence."""

    kind: str
    text: str


class Watch:
    """Looks at bots from time to time, so that it takes the share of the time of play that the settings say."""

    def __init__(self, session: LeagueSession) -> None:
        self._session = session
        self._begun = time.monotonic()
        self._looking = 0.0
        self._cost = _FIRST_COST_S
        self._random = random.Random(secrets.randbits(64))

    def is_due(self) -> bool:
        """Is there time for a look?"""
        share = self._session.league.settings.watch
        return self._looking + self._cost < share * (time.monotonic() - self._begun)

    def look(self, team: Sequence[Version]) -> list[Remark]:
        """Look at one of the bots that were looked at least often, and put on record what is noticed."""
        begun = time.monotonic()
        looks = Counter(entry.subject for entry in audit.entries(self._session.league, what="look"))
        least = min(looks[one.label] for one in team)
        one = self._random.choice([one for one in team if looks[one.label] == least])
        remarks = look_again(self._session, one, self._random)
        self._cost = time.monotonic() - begun
        self._looking += self._cost
        return remarks


def look_again(session: LeagueSession, one: Version, rng: random.Random) -> list[Remark]:
    """Look at a version once, and put on record what is noticed; the history tells of each kind once."""
    league = session.league
    session.say(f"{one.label}: looking again")
    remarks = [remark for remark in (slowness(league, one),) if remark]
    try:
        remarks += _in_play(session, one, rng)
        if session.isolation != "none" and not session.stopping:
            remarks += _measured(session, one, rng)
    except PairsFailed as error:
        retire_unloadable(session, (), error)
    except BotsFailed as error:
        remarks.append(Remark(BROKEN, str(error)))
    except ArenaError as error:  # what cannot be looked at is no fault of the bot
        audit.record(league, "look", "failed", subject=one.label, author=one.author, detail=str(error))
        return remarks
    told = "; ".join(f"{remark.kind}: {remark.text}" for remark in remarks)
    audit.record(
        league, "look", "noticed" if remarks else "as before", subject=one.label, author=one.author, detail=told
    )
    known = {(event.version, event.note.partition(":")[0]) for event in events.events(league)}
    for remark in remarks:
        if (one.id, remark.kind) not in known:
            events.note_remark(league, one, f"{remark.kind}: {remark.text}", session.process.number)
    return remarks


# ---------------------------------------------------------------- games played again


def _in_play(session: LeagueSession, one: Version, rng: random.Random) -> Iterator[Remark]:
    """Play some of its games again as they were played."""
    league = session.league
    by_id = {each.id: each for each in versions.in_state(league, retired=True)}
    sides = {p: (a, b) for p, a, b in league.query("SELECT pairing, a, b FROM pairings NOT INDEXED")}
    keys = _keys(league, one)
    for key in rng.sample(keys.tolist(), min(UNITS, len(keys))):
        if session.stopping:
            return
        game = GameId.from_key(key)
        (before,) = league.games("WHERE id = ?", key)
        record = parse_record(before[18])
        a, b = (by_id[number] for number in sides[game.pairing])
        again = _played_again(session, PairTask(game.pairing, game.deal, a.label, b.label), record, (a, b))
        after = next((row for row in again if row[0] == key), None)
        if after is None:  # interrupted
            return
        found = difference(record, parse_record(after[18]))
        first, second = (b, a) if game.game else (a, b)
        if found is None:
            continue
        at, seat, was, now = found
        if one.id == (first if seat == record.deal.starter else second).id:
            yield Remark(UNSTEADY, f"game {game} again: decision {at} was {was}, now {now}")
            return


def _played_again(
    session: LeagueSession, task: PairTask, record: Record, players: tuple[Version, Version]
) -> list[Row]:
    seed = int(record.deal_text.partition(":")[0])
    rows: list[Row] = []

    def keep(more: Sequence[Row]) -> int:
        rows.extend(more)
        return 0

    with MatchRunner(session) as runner:
        runner.line_up(players, seed=seed)
        runner.play([task], keep)
    return rows


def difference(one: Record, two: Record) -> tuple[int, int, str, str] | None:
    """The first decision in which two plays of a deal differ: its number, the seat that made it, and both moves.

    None if there is none, or if one of them merely ends where the other goes on: that was not the bot's decision.
    """
    state = State(one.rules, one.deal, one.auto_claim)
    for at, (was, now) in enumerate(zip(one.moves, two.moves), start=1):
        if was is not now:
            return at, state.turn, str(was), str(now)
        state.apply(was)
    return None


def _keys(league: League, one: Version, forfeited: bool = False) -> Ints:
    """The identities of a version's games, oldest first, with or without those that were forfeited."""
    figures = league.figures()
    rows = league.query("SELECT pairing FROM pairings NOT INDEXED WHERE ? IN (a, b)", one.id)
    pairing = figures.key >> 1 & ((1 << PAIRING_BITS) - 1)
    own = np.isin(pairing, np.array([number for (number,) in rows], dtype=np.int64))
    return figures.key[own if forfeited else own & (figures.forfeit == 0)]


# ---------------------------------------------------------------- measures


def slowness(league: League, one: Version) -> Remark | None:
    """Is it much slower than it was at first?"""
    keys = _keys(league, one)
    if len(keys) < 2 * RECENT:
        return None
    before, now = (_ms_a_decision(league, one, part.tolist()) for part in (keys[:RECENT], keys[-RECENT:]))
    if now < SLOWER * before or now < before + SLOWER_MS:
        return None
    return Remark(SLOW, f"{now:.3g} ms a decision in its last {RECENT} games, {before:.3g} ms in its first")


def _ms_a_decision(league: League, one: Version, keys: Sequence[int]) -> float:
    sides = dict(league.query("SELECT pairing, a FROM pairings NOT INDEXED"))
    decisions, ms = 0, 0.0
    for key in keys:
        for row in league.games("WHERE id = ?", key):
            game = GameId.from_key(key)
            place = int((sides[game.pairing] == one.id) == bool(game.game))  # 0 if it began
            result = GameResult.from_row(row, "", "")
            decisions += result.decisions[place]
            ms += result.ms[place]
    return ms / max(decisions, 1)


def _measured(session: LeagueSession, one: Version, rng: random.Random) -> Iterator[Remark]:
    """What its process takes in some games of the kind that a check plays, on deals that nobody knows."""
    with MatchRunner(session) as runner:
        runner.line_up([one])
        limits = runner.job.bot_limits
        settings = CheckSettings(runner.job.bots[0], session.isolation, rng.getrandbits(63), runner.job.clock, limits)
        with contextlib.closing(open_session(settings, load_rules(runner.job.rules), audit=True)) as check:
            check.ready()
            meter = MemoryMeter(check)
            begun = time.monotonic()
            for deal in range(MOST_DEALS):
                memory = meter.memory()
                much = memory is not None and memory.peak_mb > MUCH_MEMORY * limits.memory_mb
                if deal >= 2 * UNITS and (much or time.monotonic() > begun + LOOK_S):
                    break
                for task in settings.unit(AGAINST, deal).game_tasks():
                    if session.stopping:
                        return
                    check.game(task)
                meter.measure(2)
        told = admission.attempts(runner, tried(check.attempts))  # the last of it comes when its process ends
        if told:
            yield Remark(TRIES, told)
    memory = meter.memory()
    if memory is None:
        return
    if memory.peak_mb > MUCH_MEMORY * limits.memory_mb or memory.growth_mb > GROWS_MB:
        grows = f", and grows by {memory.growth_mb:.3g} MB a game" if memory.growth_mb > GROWS_MB else ""
        yield Remark(HOG, f"its process took {memory.peak_mb:.0f} of {limits.memory_mb} MB{grows}")
    elif meter.threads > MANY_THREADS:
        yield Remark(HOG, f"its process has {meter.threads} threads")


# ---------------------------------------------------------------- forfeits


def too_many_forfeits(league: League, one: Version) -> str:
    """Why a version is to be suspended for the games that it has forfeited lately; "" if it is not."""
    recent = _keys(league, one, forfeited=True)[-RECENT:]
    if len(recent) < RECENT:
        return ""
    figures = league.figures()
    at = np.searchsorted(figures.key, recent)
    starts = dict(league.query("SELECT pairing, a FROM pairings NOT INDEXED"))
    lost = 0
    for key, by in zip(recent.tolist(), np.where(figures.forfeit[at], figures.forfeit_by[at], 0).tolist()):
        game = GameId.from_key(key)
        place = 1 + int((starts[game.pairing] == one.id) == bool(game.game))
        lost += by == place
    if lost <= SUSPENDED_SHARE * RECENT:
        return ""
    most = max(games.forfeits(league, [one.id]), key=lambda forfeit: forfeit.games)
    detail = one_line(" ".join(most.detail.split()), 200)
    return f"suspended: it forfeited {lost} of its last {RECENT} games, most by {most.kind}: {detail}"
