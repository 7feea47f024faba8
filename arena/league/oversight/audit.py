"""The audit log of a league: who did what, when, and what came of it. No command changes or removes an entry."""

from __future__ import annotations

import getpass
import os
import platform
import time
from dataclasses import dataclass

from arena.league.store import AUDIT, League

_LONGEST = 4000


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


def record(
    league: League, what: str, outcome: str = "", *, subject: str = "", author: str | None = None, detail: str = ""
) -> None:
    """Add an entry: within a change as part of it, else in a change of its own."""
    if not league.changing:
        with league.change():
            record(league, what, outcome, subject=subject, author=author, detail=detail)
        return
    league.have(AUDIT)
    league.run(
        "INSERT INTO audit (happened, who, what, subject, author, outcome, detail, hash)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, '')",
        time.time(),
        _who(),
        what,
        subject,
        author,
        outcome,
        detail[:_LONGEST],
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
    return [Entry(*row[:8]) for row in league.more_rows(AUDIT, where, *args)]
