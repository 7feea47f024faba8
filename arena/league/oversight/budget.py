"""What authors may use of a league: submissions in 24 hours and room on the disk.

All submissions without an author share one budget. Limits can be changed at any time (`change`), since games do not
depend on them.
"""

from __future__ import annotations

import json
import math
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from arena.league.oversight import audit
from arena.league.settings import LeagueError, LeagueSettings
from arena.league.store import WORK, League
from arena.settings import number_text, settings_of
from arena.text import utc_text

DAY_S = 24 * 3600.0
LIMITS = ("submissions", "author_mb", "disk_mb")
RECEIVED = ("new", "back")
"""Outcomes of a submission that count: there is work to be done on it."""
_MIB = 1 << 20


class BudgetSpent(LeagueError):
    """A submission cannot be taken now: its author, or the league, has used up what is allowed."""


@dataclass(frozen=True)
class Use:
    """What an author has used: submissions in the last 24 hours, bytes of all files."""

    author: str | None
    submissions: int
    bytes: int


def limits(league: League) -> LeagueSettings:
    """The settings with the limits as they are now; another process may have changed them."""
    return league.stored_settings()


def change(league: League, new: dict[str, int | None]) -> LeagueSettings:
    """Set some of LIMITS, None for no limit; the new settings. LeagueError for one that is out of bounds."""
    known = settings_of(LeagueSettings)
    for key, value in new.items():
        if value is not None and not known[key].within(value):
            raise LeagueError(f"{key}: expected {known[key].expected}, found {number_text(value)}")
    ours = league.is_ours()
    with league.change():
        found = replace(limits(league), **new)  # type: ignore[arg-type]
        league.run("UPDATE meta SET value = ? WHERE key = 'settings'", json.dumps(asdict(found), sort_keys=True))
        told = ", ".join(f"{key} = {'no limit' if value is None else value}" for key, value in new.items())
        audit.record(league, "budget", "changed", detail=told)
    if ours:
        league.claim()
    league.settings = found
    return found


# ---------------------------------------------------------------- what is used


def use_of(league: League, author: str | None, now: float | None = None) -> Use:
    """What an author has used."""
    since = (time.time() if now is None else now) - DAY_S
    return Use(author, len(_received(league, author, since)), _bytes(league, author))


def _received(league: League, author: str | None, since: float) -> list[float]:
    """When an author's submissions were received, after some time."""
    found = audit.entries(league, since=since, what="receive", author=author)
    return [entry.happened for entry in found if entry.outcome in RECEIVED]


def _bytes(league: League, author: str | None) -> int:
    return int(
        league.one(
            "SELECT ifnull(sum(length(content)), 0) FROM files WHERE hash IN (SELECT f.hash FROM version_files f"
            " JOIN versions v ON v.version = f.version JOIN bots b ON b.bot = v.bot WHERE b.author IS ?)",
            author,
        )
    )


def uses(league: League) -> list[Use]:
    """What each author has used, those with the largest files first."""
    authors = [author for (author,) in league.query("SELECT DISTINCT author FROM bots ORDER BY author")]
    return sorted((use_of(league, author) for author in authors), key=lambda use: -use.bytes)


def folder_bytes(folder: Path) -> int:
    """Bytes of all files in a league's folder."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):  # it has gone meanwhile
            total += path.lstat().st_size
    return total


# ---------------------------------------------------------------- what is left


def check_submission(league: League, author: str | None, size: int) -> None:
    """BudgetSpent if an author may not submit files of `size` bytes now."""
    bounds = limits(league)
    use = use_of(league, author)
    whose = "submissions without an author have" if author is None else f"{author} has"
    if bounds.submissions is not None and use.submissions >= bounds.submissions:
        raise BudgetSpent(
            f"{whose} used {use.submissions} of {bounds.submissions} submissions in 24 hours; the next one is possible"
            f" after {utc_text(_frees(league, author, use.submissions - bounds.submissions) + 59)}"
        )
    if bounds.author_mb is not None and use.bytes + size > bounds.author_mb * _MIB:
        raise BudgetSpent(
            f"{whose} files of {use.bytes / _MIB:.1f} MiB in {league.name}, and these of {size / _MIB:.1f} MiB would be"
            f" more than the {bounds.author_mb} MiB that an author may have (author_mb). Change that:"
            f" arena league people {league.name} --author-mb N"
        )
    check_disk(league, size)


def _frees(league: League, author: str | None, over: int) -> float:
    """When an author who has used all submissions, and `over` more, has one again."""
    return sorted(_received(league, author, time.time() - DAY_S))[over] + DAY_S


def check_disk(league: League, size: int = 0) -> None:
    """BudgetSpent if the league's folder, with `size` bytes more, would be larger than it may be."""
    bound = limits(league).disk_mb
    if bound is None:
        return
    used = folder_bytes(league.folder)
    if used + size > bound * _MIB:
        raise BudgetSpent(
            f"the league in {league.folder} takes {used / _MIB:.1f} MiB of the {bound} MiB that it may take"
            f" (disk_mb). Change that: arena league people {league.name} --disk-mb N"
        )


# ---------------------------------------------------------------- the work itself


class Work:
    """A piece of work on a submission that is going on; `note` records how long it has taken so far.

    After `turn_s` seconds it gives way to others.
    """

    turn_s = math.inf

    def __init__(self, league: League, process: int, version: int) -> None:
        self._league = league
        self._began = time.monotonic()
        with league.change():
            self._number = league.insert(
                "INSERT INTO work (version, process, began, seconds) VALUES (?, ?, ?, 0)",
                version,
                process,
                time.time(),
            )

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def note(self) -> None:
        with self._league.change():
            self._league.run("UPDATE work SET seconds = ? WHERE work = ?", self.seconds, self._number)


def begin_counting(league: League) -> None:
    """Within a change: make the table of a league of an older version."""
    league.have(WORK)


def worked(league: League) -> dict[int, float]:
    """Seconds of work so far on each version that is not decided."""
    found: dict[int, float] = {}
    undecided = "WHERE version IN (SELECT version FROM versions WHERE decided IS NULL)"
    for _, version, _, _, seconds in league.more_rows(WORK, undecided):
        found[version] = found.get(version, 0.0) + seconds
    return found
