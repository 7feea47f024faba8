"""The book of a league: the course of each version from its submission on, one function for each arrow.

A bot is a name, which belongs to the author who first submitted it. Its versions differ in content. A version moves
through these states:

    enqueue --> pending --accept--> placing --promote--> active --promote of another--> replaced --enqueue--> placing
                   |                   |
                   +------refuse-------+--> refused --enqueue with `again`--> pending

`pending` waits for its check, `placing` plays for its rating, `active` is in the table. A bot has at most one active
version: the accepted one that was submitted last. Pending and placing versions form a queue, which the process that
plays the league works off. A retired bot keeps its versions as they are and leaves the table.

Each function makes its change, the entry in the log, the event and the standings after it together, or nothing.
"""

from __future__ import annotations

import time
from dataclasses import astuple, dataclass

from arena.league import oversight, versions
from arena.league.league_settings import LeagueError
from arena.league.rating import Standings, league_standings
from arena.league.store import League
from arena.league.submission import Submission
from arena.league.versions import ACTIVE, OPEN, PENDING, PLACING, REFUSED, REPLACED, Version
from arena.text import first_line, utc_text

ACCEPTED, BACK, SUBMISSION_REFUSED = "accepted", "back", "refused"
RETIRED, RETURNED, PLAYED = "retired", "returned", "played"
"""Kinds of events, beside `created`."""
MAX_ATTEMPTS = 4  # of this program to handle a submission; if it survived none of them, the submission is refused
_LONGEST_REASON = 4000  # reasons include what bots have printed and raised


@dataclass(frozen=True)
class Receipt:
    """A league's answer to a submission.

    `outcome` is `new` (stored, or to be checked again), `back` (a replaced version returns), `waiting` (already in the
    queue), `known` (already active) or `refused` (earlier).
    """

    outcome: str
    version: Version


# ---------------------------------------------------------------- into the queue


def enqueue(league: League, submission: Submission, again: bool = False) -> Receipt:
    """Put a submission into the queue unless its content is known; return the receipt.

    With `again`, a refused version is checked once more. Log a submission that is not taken, and raise LeagueError: for
    a name that belongs to another author, for another bot's content, for a retired bot, and when a limit is reached.
    """
    try:
        with league.change():
            old = versions.with_hash(league, submission.hash)
            return _new(league, submission) if old is None else _known(league, submission, old, again)
    except LeagueError as error:
        oversight.record(
            league, "receive", "refused", subject=submission.name, author=submission.author, detail=str(error)
        )
        raise


def _new(league: League, submission: Submission) -> Receipt:
    bot = _bot_for(league, submission)
    oversight.check_submission(league, submission.author, submission.name, submission.bytes)
    number = league.value("SELECT ifnull(max(number), 0) + 1 FROM versions WHERE bot = ?", bot)
    new = league.insert(
        "INSERT INTO versions (bot, number, hash, entry, submitted, state) VALUES (?, ?, ?, ?, ?, ?)",
        bot,
        number,
        submission.hash,
        submission.entry,
        time.time(),
        PENDING,
    )
    league.run_many(
        "INSERT INTO files (hash, content) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING",
        [(digest, submission.files[path].content) for path, digest in submission.hashes.items()],
    )
    league.run_many(
        "INSERT INTO version_files (version, path, hash, executable) VALUES (?, ?, ?, ?)",
        [(new, path, digest, submission.files[path].executable) for path, digest in submission.hashes.items()],
    )
    for old in versions.waiting(league):
        if old.bot == bot and old.state == PENDING and old.id != new:
            refuse(league, old, f"withdrawn: v{number} was submitted before it was checked")
    return _received(league, "new", new)


def _known(league: League, submission: Submission, old: Version, again: bool) -> Receipt:
    """Receive content that the league already has."""
    if old.name.lower() != submission.name.lower():
        raise LeagueError(
            f"{league.name} already has this content, as {old.label}, submitted {utc_text(old.submitted)}"
        )
    _check_author(submission, old.name, old.author)
    _check_retired(old.name, old.retired, old.retired_reason)
    if old.state == REPLACED or (old.state == REFUSED and again):
        oversight.check_submission(league, submission.author, submission.name, 0)
        state = PLACING if old.state == REPLACED else PENDING
        league.run(
            "UPDATE versions SET state = ?, submitted = ?, decided = NULL, reason = '', attempts = 0 WHERE version = ?",
            state,
            time.time(),
            old.id,
        )
        return _received(league, "back" if state == PLACING else "new", old.id)
    _log(league, old, "receive", "known", f"it is {old.state}")
    if old.state in OPEN:
        return Receipt("waiting", old)
    return Receipt("known" if old.state == ACTIVE else "refused", old)


def _received(league: League, outcome: str, number: int) -> Receipt:
    """Log a submission that requires work, and return its receipt."""
    version = versions.get(league, number)
    _log(league, version, "receive", outcome, f"sha256 {version.hash}")
    return Receipt(outcome, version)


def _bot_for(league: League, submission: Submission) -> int:
    """Return the number of the submission's bot, which is created if it is new."""
    rows = league.query("SELECT bot, name, author, retired, reason FROM names WHERE name = ?", submission.name)
    if not rows:
        return league.insert("INSERT INTO names (name, author) VALUES (?, ?)", submission.name, submission.author)
    bot, name, author, retired, reason = rows[0]
    states = {state for (state,) in league.query("SELECT state FROM versions WHERE bot = ?", bot)}
    if name != submission.name:  # deals follow from the name, which therefore never changes
        raise LeagueError(f"{league.name} has a bot '{name}'; use that spelling")
    if states <= {REFUSED}:  # a bot that was never accepted does not reserve its name
        league.run("UPDATE names SET author = ? WHERE bot = ?", submission.author, bot)
        return int(bot)
    _check_author(submission, name, author)
    _check_retired(name, retired, reason)
    return int(bot)


def _check_author(submission: Submission, name: str, author: str | None) -> None:
    if submission.author == author:
        return
    whose = f"by author '{author}'" if author else "submitted without an author"
    raise LeagueError(
        f"the name '{name}' is taken by a bot {whose}: a new version of it needs the same author,"
        " another bot another name"
    )


def _check_retired(name: str, retired: float | None, reason: str) -> None:
    if retired is not None:
        raise LeagueError(
            f"'{name}' was retired {utc_text(retired)}{f': {reason}' if reason else ''}. The organiser can"
            " bring it back: arena league retire NAME BOT --undo"
        )


# ---------------------------------------------------------------- from state to state


def count_attempt(league: League, version: Version, by: int = 1) -> None:
    """Count an attempt to check or place a submission; take it back, with `by` -1, unless this program failed."""
    with league.change():
        league.run("UPDATE versions SET attempts = max(attempts + ?, 0) WHERE version = ?", by, version.id)


def accept(league: League, version: Version) -> bool:
    """Move a submission that has passed its check on to placement; return False if it was withdrawn meanwhile."""
    put = "UPDATE versions SET state = ? WHERE version = ? AND state = ?"
    with league.change():
        return bool(league.run(put, PLACING, version.id, PENDING))


def refuse(league: League, version: Version, reason: str) -> None:
    """Refuse a submission that is not decided; the reason is for its author."""
    reason = reason[:_LONGEST_REASON]
    with league.change():
        if versions.get(league, version.id).state in OPEN:
            _decide(league, version, REFUSED, reason)
            _log(league, version, "decide", "refused", reason)
            _add_event(league, SUBMISSION_REFUSED, version, note=first_line(reason))


def promote(league: League, version: Version, games: int = 0, note: str = "") -> Standings | None:
    """Make a placed version its bot's active one, unless a later version is active already; return the new standings.

    Return None if the version is no longer being placed because it has been withdrawn meanwhile.
    """
    with league.change():
        mine = versions.get(league, version.id)
        if mine.state != PLACING:
            return None
        before = active_version(versions.of_bot(league, mine.name))
        is_late = before is not None and before.submitted > mine.submitted
        if before is not None and not is_late:
            _decide(league, before, REPLACED, f"by v{mine.number}")
        _decide(league, mine, REPLACED if is_late else ACTIVE, "by a later version" if is_late else "")
        _log(league, mine, "decide", "accepted")
        was_here = league.value("SELECT 1 FROM events WHERE version = ? AND kind = ?", mine.id, ACCEPTED)
        return _publish(league, BACK if was_here else ACCEPTED, mine, games, note)


def retire(league: League, name: str, reason: str = "") -> None:
    """Take a bot out of the table, or withdraw its submissions if it is not in it yet.

    Raise LeagueError if there is nothing to do.
    """
    with league.change():
        known = versions.of_bot(league, name)
        active, undecided = active_version(known), [version for version in known if version.state in OPEN]
        if active is None and undecided:
            for version in undecided:
                refuse(league, version, reason or "withdrawn")
            return
        if known[-1].retired is not None:
            raise LeagueError(f"'{name}' was already retired {utc_text(known[-1].retired)}. To bring it back: --undo")
        if active is None:
            raise LeagueError(f"'{name}' is not in the table: it has no active version")
        put = "UPDATE names SET retired = ?, reason = ? WHERE bot = ?"
        league.run(put, time.time(), reason[:_LONGEST_REASON], active.bot)
        _log(league, active, "retire", "retired", reason)
        _publish(league, RETIRED, active, note=reason)


def bring_back(league: League, name: str, reason: str = "") -> None:
    """Put a retired bot back into the table. Raise LeagueError if it is not retired."""
    with league.change():
        known = versions.of_bot(league, name)
        version = active_version(known) or known[-1]
        if version.retired is None:
            raise LeagueError(f"'{name}' is not retired")
        league.run("UPDATE names SET retired = NULL, reason = '' WHERE bot = ?", version.bot)
        _log(league, version, "retire", "brought back", reason)
        _publish(league, RETURNED, version, note=reason)


def active_version(of_bot: list[Version]) -> Version | None:
    """Return the active one of a bot's versions; None if there is none."""
    return next((version for version in of_bot if version.state == ACTIVE), None)


def _decide(league: League, version: Version, state: str, reason: str) -> None:
    put = "UPDATE versions SET state = ?, decided = ?, reason = ? WHERE version = ?"
    league.run(put, state, time.time(), reason, version.id)


def _log(league: League, version: Version, what: str, outcome: str, detail: str = "") -> None:
    oversight.record(league, what, outcome, subject=version.label, author=version.author, detail=detail)


# ---------------------------------------------------------------- events


def _add_event(league: League, kind: str, version: Version | None, games: int = 0, note: str = "") -> int:
    """Add an event that leaves the table as it is, within a change; return its number."""
    return league.insert(
        "INSERT INTO events (happened, kind, version, games, total, note) VALUES (?, ?, ?, ?, ?, ?)",
        time.time(),
        kind,
        None if version is None else version.id,
        games,
        league.count_games(),
        note,
    )


def _publish(league: League, kind: str, version: Version, games: int = 0, note: str = "") -> Standings:
    """Store what has changed within a change as an event with the resulting standings, and return these."""
    return _store(league, _add_event(league, kind, version, games, note))


def publish_play(league: League, event: int | None, games: int) -> tuple[int, Standings]:
    """Store the standings after that number of `games` of play; return the number of their event, and the standings.

    If `event`, under which earlier games were counted, is still the last one, it is used again.
    """
    with league.change():
        if event is None or event != league.value("SELECT max(event) FROM events"):
            event = _add_event(league, PLAYED, None, games)
        else:
            put = "UPDATE events SET games = games + ?, total = ?, happened = ? WHERE event = ?"
            league.run(put, games, league.count_games(), time.time(), event)
            league.run("DELETE FROM ratings WHERE event = ?", event)
        return event, _store(league, event)


def _store(league: League, event: int) -> Standings:
    table = league_standings(league)
    league.run_many(
        "INSERT INTO ratings (event, version, rank, elo, minus, plus, games, wins, draws, losses)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(event, p.version.id, p.rank, p.elo, p.minus, p.plus, p.score.games, *astuple(p.score)) for p in table.rows],
    )
    return table
