"""Bots and their versions in the league's database, and the states of a submission.

A bot is a name, which belongs to the author who first submitted it. Its versions differ in content. A version moves
through these states:

    pending --accept--> placing --promote--> active --a later version--> replaced --submitted again--> placing
       |                   |
       +------refuse-------+--> refused --submitted with `again`--> pending

`pending` waits for its checks, `placing` plays for its rating, `active` is in the table. A bot has at most one active
version: the accepted one that was submitted last. Pending and placing versions form a queue, which the process that
plays the league works off. A retired bot keeps its versions as they are and leaves the table.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from arena.bots.bundle import BundleFile
from arena.errors import did_you_mean
from arena.league import oversight
from arena.league.league_settings import LeagueError
from arena.league.store import League
from arena.league.submission import Submission
from arena.text import utc_text

PENDING, PLACING, ACTIVE, REPLACED, REFUSED = "pending", "placing", "active", "replaced", "refused"
OPEN = (PENDING, PLACING)
MAX_ATTEMPTS = 4  # of this program to handle a submission; if it survived none of them, the submission is refused
_LONGEST_REASON = 4000  # reasons include what bots have printed and raised


@dataclass(frozen=True)
class Version:
    """A version of a bot. `number` counts from 1 for each bot; times are seconds since 1970.

    `decided` is when `state` last became active, replaced or refused, and `reason` says why. `attempts` counts the
    attempts to handle it that this program did not survive, and the present one. `retired` is when the bot was
    retired, None if it was not.
    """

    id: int
    bot: int
    name: str
    author: str | None
    number: int
    hash: str
    entry: str
    submitted: float
    state: str
    decided: float | None
    reason: str
    attempts: int
    retired: float | None
    retired_reason: str

    @property
    def label(self) -> str:
        """The version's name as a player; the space sets it apart from the names of bots."""
        return f"{self.name} v{self.number}"


VERSION_COLUMNS = (
    "v.version, v.bot, b.name, b.author, v.number, v.hash, v.entry, v.submitted, v.state, v.decided,"
    " v.reason, v.attempts, b.retired, b.reason"
)
"""The columns of a Version, from the tables `versions v` and `names b`."""
_SELECT = f"SELECT {VERSION_COLUMNS} FROM versions v JOIN names b ON b.bot = v.bot"


def in_state(league: League, *states: str, retired: bool = False) -> list[Version]:
    """Return all versions in these states (default: any), oldest first; with `retired`, also those of retired bots."""
    known = [Version(*row) for row in league.query(f"{_SELECT} ORDER BY v.version")]
    return [v for v in known if (not states or v.state in states) and (retired or v.retired is None)]


def get(league: League, number: int) -> Version:
    """Return a version by its number in the database."""
    return Version(*league.query(f"{_SELECT} WHERE v.version = ?", number)[0])


def of_bot(league: League, name: str) -> list[Version]:
    """Return all versions of a bot, oldest first. Raise LeagueError for an unknown bot."""
    rows = league.query(f"{_SELECT} WHERE b.name = ? ORDER BY v.number", name)
    if not rows:
        names = [known for (known,) in league.query("SELECT name FROM names ORDER BY name")]
        known = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
        raise LeagueError(
            f"there is no bot '{name}' in {league.name}{did_you_mean(name, names)}"
            + (f" (known bots: {known})" if names else " (nothing has been submitted yet)")
        )
    return [Version(*row) for row in rows]


def files_of(league: League, number: int) -> dict[str, BundleFile]:
    """Return the files of a version by their paths."""
    rows = league.query(
        "SELECT v.path, f.content, v.executable FROM version_files v JOIN files f ON f.hash = v.hash"
        " WHERE v.version = ? ORDER BY v.path",
        number,
    )
    return {path: BundleFile(content, bool(executable)) for path, content, executable in rows}


def submission_of_version(league: League, version: Version) -> Submission:
    """Return a version as it was submitted."""
    return Submission(version.name, version.author, version.entry, files_of(league, version.id))


# ---------------------------------------------------------------- submissions


@dataclass(frozen=True)
class Receipt:
    """A league's answer to a submission.

    `outcome` is `new` (stored, or to be checked again), `back` (a replaced version returns), `waiting` (already in the
    queue), `known` (already active) or `refused` (earlier).
    """

    outcome: str
    version: Version


def enqueue(
    league: League, submission: Submission, again: bool = False, check: Callable[[], None] = lambda: None
) -> Receipt:
    """Put a submission into the queue unless its content is known; return the receipt.

    With `again`, a refused version is checked once more. Log a submission that is not taken, and raise LeagueError: for
    a name that belongs to another author, for another bot's content, for a retired bot, when a limit is reached, or
    what `check` raises.
    """
    try:
        check()
        return _enqueued(league, submission, again)
    except LeagueError as error:
        oversight.record(
            league, "receive", "refused", subject=submission.name, author=submission.author, detail=str(error)
        )
        raise


def _enqueued(league: League, submission: Submission, again: bool) -> Receipt:
    with league.change():
        rows = league.query(f"{_SELECT} WHERE v.hash = ?", submission.hash)
        if rows:
            return _known(league, submission, Version(*rows[0]), again)
        bot = _bot_for(league, submission)
        oversight.check_submission(league, submission.author, submission.bytes)
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
        for old in waiting(league):
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
        oversight.check_submission(league, submission.author, 0)
        state = PLACING if old.state == REPLACED else PENDING
        league.run(
            "UPDATE versions SET state = ?, submitted = ?, decided = NULL, reason = '', attempts = 0 WHERE version = ?",
            state,
            time.time(),
            old.id,
        )
        return _received(league, "back" if state == PLACING else "new", old.id)
    if old.state in OPEN:
        return Receipt("waiting", old)
    return Receipt("known" if old.state == ACTIVE else "refused", old)


def _received(league: League, outcome: str, number: int) -> Receipt:
    """Log a submission that requires work, and return its receipt."""
    version = get(league, number)
    oversight.record(
        league, "receive", outcome, subject=version.label, author=version.author, detail=f"sha256 {version.hash}"
    )
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


def waiting(league: League) -> list[Version]:
    """Return the queue: the submissions that are not decided, the one that has waited longest first."""
    sql = f"{_SELECT} WHERE v.state IN (?, ?) AND b.retired IS NULL ORDER BY v.submitted, v.version"
    return [Version(*row) for row in league.query(sql, PENDING, PLACING)]


def count_attempt(league: League, version: Version, by: int = 1) -> None:
    """Count an attempt to check or place a submission; take it back, with `by` -1, unless this program failed."""
    with league.change():
        league.run("UPDATE versions SET attempts = max(attempts + ?, 0) WHERE version = ?", by, version.id)


def accept(league: League, version: Version) -> bool:
    """Move a submission that has passed its checks on to placement; return False if it was withdrawn meanwhile."""
    put = "UPDATE versions SET state = ? WHERE version = ? AND state = ?"
    with league.change():
        return bool(league.run(put, PLACING, version.id, PENDING))


def refuse(league: League, version: Version, reason: str) -> None:
    """Refuse a submission; the reason is for its author."""
    now, reason = time.time(), reason[:_LONGEST_REASON]
    with league.change():
        changed = league.run(
            "UPDATE versions SET state = ?, decided = ?, reason = ? WHERE version = ? AND state IN (?, ?)",
            REFUSED,
            now,
            reason,
            version.id,
            PENDING,
            PLACING,
        )
        if changed:
            oversight.record(league, "decide", "refused", subject=version.label, author=version.author, detail=reason)
            note = reason.splitlines()[0] if reason else ""
            league.insert(
                "INSERT INTO events (happened, kind, version, games, total, note) VALUES (?, 'refused', ?, 0, ?, ?)",
                now,
                version.id,
                league.count_games(),
                note,
            )


def promote(league: League, version: Version) -> bool:
    """Make a placed version its bot's active one, unless a later version is active already; call this within a change.

    Return False if the version is no longer being placed because it has been withdrawn meanwhile.
    """
    rows = league.query("SELECT version, submitted FROM versions WHERE bot = ? AND state = ?", version.bot, ACTIVE)
    mine = league.query("SELECT submitted, state FROM versions WHERE version = ?", version.id)[0]
    if mine[1] != PLACING:
        return False
    now = time.time()
    later = any(submitted > mine[0] for _, submitted in rows)
    put = "UPDATE versions SET state = ?, decided = ?, reason = ? WHERE version = ?"
    for number, _ in [] if later else rows:
        league.run(put, REPLACED, now, f"by v{version.number}", number)
    league.run(put, REPLACED if later else ACTIVE, now, "by a later version" if later else "", version.id)
    oversight.record(league, "decide", "accepted", subject=version.label, author=version.author)
    return True


def retire(league: League, name: str, reason: str = "", undo: bool = False) -> Version:
    """Retire a bot, or with `undo` bring it back, and return its version; call this within a change.

    Raise LeagueError if there is nothing to do.
    """
    known = of_bot(league, name)
    active = next((version for version in known if version.state == ACTIVE), None)
    if undo:
        if known[-1].retired is None:
            raise LeagueError(f"'{name}' is not retired")
        league.run("UPDATE names SET retired = NULL, reason = '' WHERE bot = ?", known[-1].bot)
    else:
        if known[-1].retired is not None:
            raise LeagueError(f"'{name}' was already retired {utc_text(known[-1].retired)}. To bring it back: --undo")
        if active is None:
            raise LeagueError(f"'{name}' is not in the table: it has no active version")
        league.run(
            "UPDATE names SET retired = ?, reason = ? WHERE bot = ?",
            time.time(),
            reason[:_LONGEST_REASON],
            known[-1].bot,
        )
    version = active or known[-1]
    oversight.record(
        league,
        "retire",
        "brought back" if undo else "retired",
        subject=version.label,
        author=version.author,
        detail=reason,
    )
    return version
