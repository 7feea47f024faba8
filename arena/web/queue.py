"""Submissions as they are received over the web, and what has become of them.

The queue is that of the league: a submission is stored as pending, held by nobody, in one transaction, and whichever
process of the league comes next takes it up. What this adds is whose upload it was, and limits for authors.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arena.league import versions
from arena.league.oversight import audit, budget
from arena.league.oversight.pause import paused
from arena.league.settings import LeagueError
from arena.league.store import League
from arena.league.submission import Submission
from arena.league.versions import OPEN, PENDING, PLACING, Version
from arena.web.accounts import Account
from arena.web.store import WebStore

HOUR_S = 3600.0
_SHOWN = 50


class LimitReached(LeagueError):
    """An author has used up what is allowed; the text says when there is more."""


@dataclass(frozen=True)
class Limits:
    """What an author may do: uploads an hour, MiB of an upload, bots in the table or on their way there."""

    uploads: int = 20
    mb: int = 8
    bots: int = 5


@dataclass(frozen=True)
class Upload:
    """An upload as its author sees it. `version` is None if nothing was stored; then `text` says why."""

    number: int
    received: float
    file: str
    version: int | None
    outcome: str
    text: str


def begin_upload(store: WebStore, account: Account, limits: Limits, file: str) -> int:
    """Put an upload on record before it is read; its number. LimitReached with the time of the next one."""
    now = time.time()
    with store.change():
        times = store.query(
            "SELECT received FROM uploads WHERE account = ? AND received > ? ORDER BY received",
            account.number,
            now - HOUR_S,
        )
        if len(times) >= limits.uploads:
            wait = times[len(times) - limits.uploads][0] + HOUR_S - now
            raise LimitReached(
                f"{account.author} has used {len(times)} of {limits.uploads} uploads in an hour; the next one is"
                f" possible in {wait / 60:.0f} minutes"
            )
        return store.insert(
            "INSERT INTO uploads (account, received, file, outcome, text) VALUES (?, ?, ?, 'broken off', '')",
            account.number,
            now,
            file[:200],
        )


def end_upload(store: WebStore, number: int, outcome: str, text: str = "", version: int | None = None) -> None:
    """Put on record what came of an upload."""
    store.run(
        "UPDATE uploads SET outcome = ?, text = ?, version = ? WHERE upload = ?", outcome, text[:4000], version, number
    )


def receive(
    league: League, store: WebStore, number: int, submission: Submission, limits: Limits, again: bool
) -> Version:
    """Store a submission in the league's queue; its version. LeagueError if it is not taken, which is put on record."""
    try:
        _check_bots(league, submission, limits)
        receipt = versions.submit(league, None, submission, again)
    except LeagueError as error:
        audit.record(league, "receive", "refused", subject=submission.name, author=submission.author, detail=str(error))
        raise
    end_upload(store, number, receipt.outcome, version=receipt.version.id)
    return receipt.version


def _check_bots(league: League, submission: Submission, limits: Limits) -> None:
    """LimitReached if a bot would be one too many of its author's."""
    bots = {one.name.lower() for one in of_author(league, submission.author) if _counts(one)}
    if submission.name.lower() not in bots and len(bots) >= limits.bots:
        raise LimitReached(
            f"{submission.author} has {len(bots)} bots in the league, and {limits.bots} are allowed: submit a new"
            " version of one of them, or retire one"
        )


def _counts(one: Version) -> bool:
    return one.retired is None and (one.state == versions.ACTIVE or one.state in OPEN)


def of_author(league: League, author: str | None) -> list[Version]:
    """All versions of an author's bots, newest first."""
    found = [one for one in versions.in_state(league, retired=True) if one.author == author]
    return sorted(found, key=lambda one: (-one.submitted, -one.id))


def uploads_of(store: WebStore, account: Account) -> list[Upload]:
    """The last uploads of an author, newest first."""
    rows = store.query(
        "SELECT upload, received, file, version, outcome, text FROM uploads WHERE account = ? ORDER BY upload DESC"
        f" LIMIT {_SHOWN}",
        account.number,
    )
    return [Upload(*row) for row in rows]


# ---------------------------------------------------------------- what has become of it


def progress(league: League, number: int) -> dict[str, Any]:
    """How far a version has come, as plain values.

    `ahead` is how many others are taken up before it (None when it is worked on, or decided), `warnings` are those of
    its check, `waits` why submissions have to wait.
    """
    one = versions.get(league, number)
    found: dict[str, Any] = {
        "id": one.id,
        "bot": one.name,
        "version": one.number,
        "author": one.author,
        "state": one.state,
        "submitted": one.submitted,
        "decided": one.decided,
        "reason": one.reason,
        "retired": one.retired is not None,
        "retired_reason": one.retired_reason,
        "held": _held(league, one),
        "ahead": None,
        "waits": "",
        "warnings": _warnings(league, one),
        "entry": one.entry,
        "hash": one.hash,
    }
    if one.state in OPEN and not found["held"]:
        worked = budget.worked(league)
        waiting = sorted(_open(league), key=lambda other: (worked.get(other.id, 0.0), other.id))
        before = waiting[: next(at for at, other in enumerate(waiting) if other.id == one.id)]
        found["ahead"] = sum(not _held(league, other) for other in before)
        found["waits"] = f"{league.name} is paused" if paused(league) else ""
    return found


def _open(league: League) -> Sequence[Version]:
    return versions.in_state(league, PENDING, PLACING)


def _held(league: League, one: Version) -> bool:
    return bool(league.one("SELECT holder IS NOT NULL FROM versions WHERE version = ?", one.id))


def _warnings(league: League, one: Version) -> list[str]:
    return [entry.detail for entry in audit.entries(league, since=one.submitted, what="check", subject=one.label)]
