"""Bots and their versions in the league's database. `arena.league.book` moves a version from state to state."""

from __future__ import annotations

from dataclasses import dataclass

from arena.bots.bundle import BundleFile
from arena.errors import did_you_mean
from arena.league.league_settings import LeagueError
from arena.league.store import League
from arena.league.submission import Submission

PENDING, PLACING, ACTIVE, REPLACED, REFUSED = "pending", "placing", "active", "replaced", "refused"
OPEN = (PENDING, PLACING)


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


def waiting(league: League) -> list[Version]:
    """Return the queue: the submissions that are not decided, the one that has waited longest first."""
    return sorted(in_state(league, *OPEN), key=lambda version: (version.submitted, version.id))


def get(league: League, number: int) -> Version:
    """Return a version by its number in the database."""
    return Version(*league.query(f"{_SELECT} WHERE v.version = ?", number)[0])


def with_hash(league: League, digest: str) -> Version | None:
    """Return the version with this content; None if there is none."""
    return next((Version(*row) for row in league.query(f"{_SELECT} WHERE v.hash = ?", digest)), None)


def of_bot(league: League, name: str) -> list[Version]:
    """Return all versions of a bot, oldest first. Raise LeagueError for an unknown bot."""
    rows = league.query(f"{_SELECT} WHERE b.name = ? ORDER BY v.number", name)
    if not rows:
        names = [known for (known,) in league.query("SELECT name FROM names ORDER BY name")]
        raise LeagueError(f"there is no bot '{name}' in {league.name}{did_you_mean(name, names)}")
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
