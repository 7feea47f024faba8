"""The oversight of a league: its log, limits on authors, pauses, and what the process does that plays it.

The log says who did what, when, and with what result; no command changes or removes an entry. Limits can be changed at
any time, because games do not depend on them; all submissions without an author share one allowance. When a league is
paused, its current games are finished; then nothing is checked or played until the pause ends.
"""

from __future__ import annotations

import getpass
import json
import os
import platform
import shlex
import time
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from arena.league.league_settings import LeagueError, LeagueSettings
from arena.league.store import League
from arena.league.versions import ACTIVE, OPEN, in_state
from arena.settings import number_text, settings_of
from arena.text import one_line, utc_iso
from arena.tournament.store.sqlite import is_in_use

_HOUR_S, _DAY_S = 3600.0, 24 * 3600.0
LIMITS = ("uploads", "submissions", "bots", "author_mb", "disk_mb")
RECEIVED = ("new", "back")  # outcomes that count as a submission, because they cause work

_LONGEST_DETAIL, _LONGEST_REASON = 4000, 400  # characters
PLAYER, _PAUSED = "player", "paused"  # keys of the table `meta`
_MIB = 1 << 20


class BudgetSpent(LeagueError):
    """A submission that cannot be taken now, because its author or the league has reached a limit."""


# ---------------------------------------------------------------- the log


def record(
    league: League, what: str, outcome: str = "", *, subject: str = "", author: str | None = None, detail: str = ""
) -> None:
    """Add an entry to the log."""
    with league.change():
        league.run(
            "INSERT INTO audit (happened, who, what, subject, author, outcome, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
            time.time(),
            this_process(),
            what,
            subject,
            author,
            outcome,
            detail[:_LONGEST_DETAIL],
        )


def this_process() -> str:
    """Return the user, the machine and the number of this process."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a user without a name
        user = str(os.getuid()) if hasattr(os, "getuid") else "?"
    return f"{user}@{platform.node()} ({os.getpid()})"


def entries(league: League, last: int | None = None, since: float = 0.0, **fields: str | None) -> list[dict[str, Any]]:
    """Return the log, oldest entry first.

    `who` is the user, the machine and the number of the process; `subject` is a version, a bot or ""; `author` is the
    author of the subject's bot. `outcome` is a word or two, and `detail` the rest.

    Optionally only the `last` entries, those after the time `since` (seconds since 1970), and those whose fields have
    the given values.
    """
    names = ("entry", "happened", "who", "what", "subject", "author", "outcome", "detail")
    sql = f"SELECT {', '.join(names)} FROM audit WHERE happened > ?"
    sql += "".join(f" AND {name} IS ?" for name in fields) + " ORDER BY entry DESC"
    args: list[object] = [since, *fields.values()]
    if last is not None:
        sql += " LIMIT ?"
        args.append(last)
    rows = league.query(sql, *args)[::-1]
    return [dict(zip(names, row)) | {"happened": utc_iso(row[1])} for row in rows]


# ---------------------------------------------------------------- limits


def change_limits(league: League, new: dict[str, int | None]) -> None:
    """Set some of LIMITS (None: no limit). Raise LeagueError for a value out of bounds."""
    known = settings_of(LeagueSettings)
    for key, value in new.items():
        if key not in LIMITS:
            raise LeagueError(f"budget.{one_line(key)}: expected one of {', '.join(LIMITS)}")
        if value is not None and not (isinstance(value, int) and known[key].within(value)):
            raise LeagueError(f"{key}: expected {known[key].expected}, found {number_text(value)}")
    with league.change():
        settings = replace(league.settings, **new)  # type: ignore[arg-type]
        league.run("UPDATE meta SET value = ? WHERE key = 'settings'", json.dumps(asdict(settings), sort_keys=True))
        changed = ", ".join(f"{key} = {'no limit' if value is None else value}" for key, value in new.items())
        record(league, "budget", "changed", detail=changed)


def use_of(league: League, author: str | None) -> dict[str, Any]:
    """Return what an author has used: submissions in the last 24 hours, and bytes of all files."""
    received = entries(league, since=time.time() - _DAY_S, what="receive", author=author)
    size = league.value(
        "SELECT ifnull(sum(length(content)), 0) FROM files WHERE hash IN (SELECT f.hash FROM version_files f"
        " JOIN versions v ON v.version = f.version JOIN names b ON b.bot = v.bot WHERE b.author IS ?)",
        author,
    )
    submissions = sum(entry["outcome"] in RECEIVED for entry in received)
    return {"author": author, "submissions": submissions, "bytes": int(size)}


def uses(league: League) -> list[dict[str, Any]]:
    """Return what each author has used, the author with the largest files first."""
    authors = league.query("SELECT DISTINCT author FROM names ORDER BY author")
    return sorted((use_of(league, author) for (author,) in authors), key=lambda use: -use["bytes"])


def folder_bytes(folder: Path) -> int:
    """Return the size of all files in a league's folder, in bytes. Files that are removed meanwhile do not count."""
    total = 0
    for parent, folders, files in os.walk(folder):
        for name in [*folders, *files]:
            with suppress(OSError):
                total += os.lstat(os.path.join(parent, name)).st_size
    return total


def check_uploads(league: League, author: str) -> None:
    """Raise BudgetSpent if an author has made too many uploads; the text says when the next one is possible."""
    bound, now = league.settings.uploads, time.time()
    received = league.query(
        "SELECT happened FROM audit WHERE happened > ? AND what = 'receive' AND author IS ? ORDER BY entry DESC",
        now - _HOUR_S,
        author,
    )
    if bound is not None and len(received) >= bound:
        wait = received[bound - 1][0] + _HOUR_S - now
        raise BudgetSpent(
            f"{author} has used {len(received)} of {bound} uploads per hour; the next one is possible in"
            f" {wait / 60:.0f} minutes"
        )


def check_submission(league: League, author: str | None, name: str, size: int) -> None:
    """Raise BudgetSpent if an author may not submit a bot of this name with files of `size` bytes now."""
    bounds = league.settings
    use = use_of(league, author)
    whose = "bots without an author have" if author is None else f"{author} has"
    if bounds.submissions is not None and use["submissions"] >= bounds.submissions:
        raise BudgetSpent(
            f"{whose} used {use['submissions']} of {bounds.submissions} submissions in 24 hours; wait until the first"
            " of them is a day old"
        )
    bots = {version.name.lower() for version in in_state(league, ACTIVE, *OPEN) if version.author == author}
    if author is not None and bounds.bots is not None and len(bots - {name.lower()}) >= bounds.bots:
        raise BudgetSpent(
            f"{author} already has {len(bots)} of {bounds.bots} bots in the league: submit a new version of one of"
            " them, or retire one"
        )
    if bounds.author_mb is not None and use["bytes"] + size > bounds.author_mb * _MIB:
        raise BudgetSpent(
            f"{whose} files of {use['bytes'] / _MIB:.1f} MiB in {league.name}; {size / _MIB:.1f} MiB more would exceed"
            f" the limit of {bounds.author_mb} MiB per author (author_mb). To change it:"
            f" arena league people {shlex.quote(str(league.folder))} --set budget.author_mb=N"
        )
    check_disk(league, size)


def check_disk(league: League, size: int = 0) -> None:
    """Raise BudgetSpent if the league's folder, with `size` bytes more, would exceed its limit."""
    bound = league.settings.disk_mb
    if bound is None:
        return
    used = folder_bytes(league.folder)
    if used + size > bound * _MIB:
        raise BudgetSpent(
            f"the league in {league.folder} uses {used / _MIB:.1f} of its {bound} MiB (disk_mb). To change the limit:"
            f" arena league people {shlex.quote(str(league.folder))} --set budget.disk_mb=N"
        )


# ---------------------------------------------------------------- pauses


def paused(league: League) -> str:
    """Say that a league is paused, and why; "" if it is not."""
    reason = league.value("SELECT value FROM meta WHERE key = ?", _PAUSED)
    return "" if reason is None else f"{league.name} is paused{f': {reason}' if reason else ''}"


def pause_league(league: League, reason: str = "") -> None:
    """Pause a league. Raise LeagueError if the league is paused already."""
    with league.change():
        if old := paused(league):
            raise LeagueError(f"already: {old}")
        league.run("INSERT INTO meta (key, value) VALUES (?, ?)", _PAUSED, one_line(reason, _LONGEST_REASON))
        record(league, "pause", "paused", detail=reason)


def resume_league(league: League) -> None:
    """End a pause. Raise LeagueError if the league is not paused."""
    with league.change():
        if not league.run("DELETE FROM meta WHERE key = ?", _PAUSED):
            raise LeagueError(f"{league.name} is not paused")
        record(league, "resume", "resumed")


# ---------------------------------------------------------------- who plays


def activity(league: League) -> dict[str, Any]:
    """Return the work of the process that plays the league; empty if there is none.

    `who` is its user, machine and number, `command` what it was started for, `since` when (seconds since 1970).
    `version` is the submission that it checks or places, None if there is none; `fixtures` are the pairings that it
    plays now, each with its two versions and a number of deals.
    """
    text = league.value("SELECT value FROM meta WHERE key = ?", PLAYER)
    return json.loads(text) if text is not None and is_in_use(league.folder) else {}
