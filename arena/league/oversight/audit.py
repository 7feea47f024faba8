"""The audit log of a league: who did what, when, and what came of it; it only grows.

No code of this program changes or removes an entry. Whoever does it with another one is found out by the hashes: each
entry has one over itself and the hash before it, so that the last hash vouches for all of the log. Keep it somewhere
else, and `arena league verify --log-hash HASH` says whether anything before it has changed since.
"""

from __future__ import annotations

import getpass
import hashlib
import json
import os
import platform
import time
from collections.abc import Iterator
from dataclasses import dataclass

from arena.league.store import AUDIT, League

_LONGEST = 4000
_COLUMNS = "entry, happened, who, what, subject, author, outcome, detail, hash"


@dataclass(frozen=True)
class Entry:
    """An entry of the log.

    `who` is the user and machine of the process that did it, with its number; `subject` a version, a bot or "";
    `author` that of the subject's bot. `outcome` is a word or two, and `detail` the rest.
    """

    entry: int
    happened: float
    who: str
    what: str
    subject: str
    author: str | None
    outcome: str
    detail: str
    hash: str

    def sum(self, before: str) -> str:
        """The hash that it must have after an entry with the hash `before`."""
        fields = [
            before,
            self.entry,
            repr(self.happened),
            self.who,
            self.what,
            self.subject,
            self.author,
            self.outcome,
            self.detail,
        ]
        return hashlib.sha256(json.dumps(fields).encode()).hexdigest()


def record(
    league: League, what: str, outcome: str = "", *, subject: str = "", author: str | None = None, detail: str = ""
) -> None:
    """Add an entry: within a change as part of it, else in a change of its own."""
    if not league.changing:
        with league.change():
            record(league, what, outcome, subject=subject, author=author, detail=detail)
        return
    league.have(AUDIT)
    last = league.query("SELECT entry, hash FROM audit ORDER BY entry DESC LIMIT 1")
    number, before = last[0] if last else (0, "")
    new = Entry(number + 1, time.time(), _who(), what, subject, author, outcome, detail[:_LONGEST], "")
    league.run(
        f"INSERT INTO audit ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        new.entry,
        new.happened,
        new.who,
        new.what,
        new.subject,
        new.author,
        new.outcome,
        new.detail,
        new.sum(before),
    )


def _who() -> str:
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a user without a name
        user = str(os.getuid()) if hasattr(os, "getuid") else "?"
    return f"{user}@{platform.node()} ({os.getpid()})"


def entries(league: League, last: int | None = None, since: float = 0.0, **fields: str | None) -> list[Entry]:
    """The log, oldest entry first; or its `last` entries, those after a time, those with given values of fields."""
    asked = ["happened > ?"] * (since > 0) + [f"{name} IS ?" for name in fields]
    where = f"WHERE {' AND '.join(asked)} " if asked else ""
    args: list[object] = [since] * (since > 0) + [*fields.values()]
    if last is not None:
        where += "ORDER BY entry DESC LIMIT ?"
        args.append(last)
    return [Entry(*row) for row in league.more_rows(AUDIT, where, *args)]


def head(league: League) -> str:
    """The hash of the last entry, "" if there is none."""
    found = entries(league, 1)
    return found[0].hash if found else ""


def faults(league: League, known: str | None = None) -> Iterator[str]:
    """What is wrong with the log: entries that are missing or were changed; no entry that has the hash `known`."""
    before, number = "", 0
    hashes = set()
    for entry in entries(league):
        number += 1
        if entry.entry != number:
            yield f"audit log: entry {number} is missing" + f" (up to {entry.entry - 1})" * (entry.entry > number + 1)
            number = entry.entry
        elif entry.hash != entry.sum(before):
            yield f"audit log: entry {entry.entry} is not as it was written"
        before = entry.hash
        hashes.add(before)
    if known is not None and known not in hashes:
        yield f"audit log: no entry has the hash {known[:64]}: entries that were there have been removed or changed"
