"""Who has begun a run: a mark that only this user's programs can make.

The mark is an HMAC-SHA-256 over everything that decides what a run starts (settings, bots, hashes of their sources),
keyed with random bytes in a file of the user's. So a folder that somebody else has written, or changed, has no valid
mark, while one's own may be moved and copied.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import os
import secrets
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

MARK = "mark"
"""Where the mark is among the settings of a run or league."""
_KEY_BYTES = 32


def state_folder() -> Path:
    """Where this program keeps what belongs to the user."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "schotten-arena"
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(home) / "schotten-arena"


def _key(make: bool) -> bytes | None:
    """The user's key, None if there is none or it cannot be kept."""
    try:
        path = state_folder() / "key"
        if not path.exists() and make:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            new = path.with_name(f".key.{os.getpid()}")
            try:
                with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                    file.write(secrets.token_bytes(_KEY_BYTES))
                with contextlib.suppress(FileExistsError):  # another process was quicker; its key holds
                    os.link(new, path)
            finally:
                new.unlink(missing_ok=True)
        key = path.read_bytes() if path.is_file() and path.stat().st_size == _KEY_BYTES else b""
    except (OSError, RuntimeError):  # no home, nowhere to write
        return None
    return key if len(key) == _KEY_BYTES else None


def mark_of(text: str) -> str | None:
    """The mark for what a folder would start, None where no key can be kept."""
    key = _key(make=True)
    return None if key is None else hmac.new(key, text.encode("utf-8", "surrogatepass"), "sha256").hexdigest()


def is_marked(mark: str | None, text: str) -> bool:
    """Is this the mark that this user's programs have made for the text?"""
    key = None if mark is None else _key(make=False)
    if mark is None or key is None:
        return False
    own = hmac.new(key, text.encode("utf-8", "surrogatepass"), "sha256").hexdigest()
    return hmac.compare_digest(own.encode(), mark.encode("utf-8", "surrogatepass"))


def run_text(meta: Mapping[str, str], bots: Sequence[Any]) -> str:
    """What decides what a run starts."""
    played = [[bot.name, bot.spec, bot.source, bot.params] for bot in bots]
    return json.dumps(["run", meta.get("config"), meta.get("settings"), played], sort_keys=True)
