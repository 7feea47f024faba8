"""Uploads: a file or an archive as a submission, and the outcome.

Nothing in an upload is run here; a bot's modules are compiled, in a process of its own. The sizes that an archive
claims are not trusted, links and special files are refused, no path may lead out of the folder, and unpacking stops at
a limit. A submission waits in the league's queue until a process of the league takes it up.
"""

from __future__ import annotations

import io
import re
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from arena.bots.bundle import BundleFile
from arena.league import book, oversight, versions
from arena.league.league_settings import LeagueError
from arena.league.oversight import LogEntry
from arena.league.player import activity
from arena.league.store import League
from arena.league.submission import (
    MOST_BYTES,
    MOST_FILES,
    Submission,
    check_path,
    check_syntax,
    named_bot,
    submission_of,
)
from arena.league.versions import OPEN, Version
from arena.results.table import rating_text
from arena.text import one_line, ordinal

_LISTED_UPLOADS = 50
_MAX_ENTRIES = 4 * MOST_FILES  # of an archive, folders included
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    ValueError,
    OSError,
    NotImplementedError,
    RuntimeError,
    OverflowError,
    KeyError,
)


# ---------------------------------------------------------------- reading


def read_upload(
    file: str, content: bytes, author: str, name: str | None = None, entry: str | None = None
) -> Submission:
    """Return the submission that was uploaded as `file`.

    `name` is the bot's name (default: the file's). `entry` names the bot in an archive, with any parameters after a
    colon. Raise LeagueError for what cannot be submitted, such as a bot that is not Python.
    """
    file = re.split(r"[/\\]", file)[-1] or "bot.py"
    if content[:4] in (b"PK\3\4", b"PK\5\6"):
        try:
            files = _without_common_folder(dict(_unpacked(content)))
        except _UNREADABLE as error:
            raise LeagueError(f"the archive cannot be read: {one_line(str(error), 200)}") from error
        entry = entry or _likely_entry(files, file)
    elif b"\0" in content[:4096] or content[:2] == b"\x1f\x8b":
        raise LeagueError(f"'{one_line(file, 60)}' is neither a Python file nor a zip archive")
    else:
        check_path(file)
        files = {file: BundleFile(content)}
        entry = entry or file
    submission = submission_of(files, named_bot(entry), name or None, author)
    check_syntax(submission)
    return submission


def _unpacked(content: bytes) -> Iterator[tuple[str, BundleFile]]:
    """Yield the files of a zip archive by their paths."""
    if content.count(b"PK\1\2") > _MAX_ENTRIES:  # counted before they become objects
        raise _too_many()
    left = MOST_BYTES
    seen: set[str] = set()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for info in archive.infolist():
            path, mode = info.orig_filename, info.external_attr >> 16
            if info.is_dir() or info.filename.startswith("__MACOSX/"):
                continue
            check_path(path)
            name = unicodedata.normalize("NFC", path).casefold()  # as a Mac or Windows compares names
            if name in seen:
                raise LeagueError(f"the archive has {path!a} twice; names must differ in more than case")
            seen.add(name)
            if len(seen) > MOST_FILES:
                raise _too_many()
            if mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode):
                raise LeagueError(f"{path!a} is a link or a special file; put the file itself into the archive")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise LeagueError("the archive's compression method is not supported; use the usual one (deflate)")
            with archive.open(info) as packed:
                data = packed.read(left + 1)
            left -= len(data)
            if left < 0:
                raise LeagueError(f"the archive unpacks to more than {MOST_BYTES >> 20} MiB, the most a bot may have")
            yield path, BundleFile(data, bool(mode & stat.S_IXUSR))


def _too_many() -> LeagueError:
    return LeagueError(f"the archive has more than {MOST_FILES} files, the most a bot may have")


def _without_common_folder(files: dict[str, BundleFile]) -> dict[str, BundleFile]:
    """Return the files without the folder that contains all of them, if there is one."""
    if len({path.partition("/")[0] for path in files}) > 1 or any("/" not in path for path in files):
        return files
    return {path.partition("/")[2]: file for path, file in files.items()}


def _likely_entry(files: Iterable[str], archive: str) -> str:
    """Return a guess at which file is the bot; raise LeagueError if there is no likely one."""
    top = [path for path in files if path.endswith(".py") and "/" not in path]
    for name in ("bot.py", "main.py", f"{archive.partition('.')[0]}.py"):
        if name in top:
            return name
    if len(top) == 1:
        return top[0]
    raise LeagueError("name the bot's file in the archive, such as bot.py, or 'cmd:./mybot' for a program")


# ---------------------------------------------------------------- storing


def receive(league: League, submission: Submission, again: bool) -> dict[str, Any]:
    """Put a submission into the league's queue and return its progress. Raise LeagueError if it is not taken."""
    return progress(league, book.enqueue(league, submission, again).version.id)


def versions_of(league: League, author: str | None) -> list[Version]:
    """Return all versions of an author's bots, newest first."""
    found = [version for version in versions.in_state(league, retired=True) if version.author == author]
    return sorted(found, key=lambda version: (-version.submitted, -version.id))


def not_taken(league: League, author: str) -> list[LogEntry]:
    """Return the last submissions of an author that were not taken, newest first."""
    return oversight.entries(league, _LISTED_UPLOADS, what="receive", author=author, outcome="refused")[::-1]


# ---------------------------------------------------------------- outcomes


def outcome_text(league: League, version: Version) -> str:
    """Return the outcome for a version in words: `placed 2nd of 7, +88 (+61 -58)`, as it was then."""
    if version.state in OPEN:
        return "being placed" if version.state == versions.PLACING else "waiting to be checked"
    if version.state == versions.REFUSED:
        return "refused"
    later = f", replaced {version.reason}" if version.state == versions.REPLACED else ""
    later += ", retired" if version.retired else ""
    for rank, elo, minus, plus, bots in league.query(
        "SELECT rank, elo, minus, plus, (SELECT count(*) FROM ratings o WHERE o.event = r.event) FROM ratings r"
        " WHERE version = ? ORDER BY event LIMIT 1",
        version.id,
    ):
        rating = "" if elo is None else f", {rating_text(elo, plus, minus)}"
        return f"placed {ordinal(rank)} of {bots}{rating}{later}"
    return f"placed{later}"


def progress(league: League, number: int) -> dict[str, Any]:
    """Return the progress of a version as plain values.

    `ahead` is the number of submissions taken up before it (None once it is worked on or decided), `warnings` are from
    its check, `waits` says why submissions have to wait.
    """
    version = versions.get(league, number)
    values: dict[str, Any] = {
        "id": version.id,
        "bot": version.name,
        "version": version.number,
        "author": version.author,
        "state": version.state,
        "outcome": outcome_text(league, version),
        "submitted": version.submitted,
        "decided": version.decided,
        "reason": version.reason,
        "retired": version.retired is not None,
        "retired_reason": version.retired_reason,
        "held": False,
        "ahead": None,
        "waits": "",
        "warnings": [
            entry.detail
            for entry in oversight.entries(league, since=version.submitted, what="check", subject=version.label)
        ],
        "entry": version.entry,
        "hash": version.hash,
    }
    if version.state in OPEN:
        now = activity(league)
        held = None if now is None else now.version
        values["held"] = version.id == held
        if not values["held"]:
            queue = [other.id for other in versions.waiting(league) if other.id != held]
            values["ahead"] = queue.index(version.id) if version.id in queue else 0
            values["waits"] = f"{league.name} is paused" if oversight.paused(league) else ""
    return values
