"""Accounts, tokens and sessions, in a database beside the league's.

An organiser makes a token (`arena league people`), which is shown once. Authors sign in with it, and programs send it.
The database holds only hashes of tokens and sessions. A token has 256 random bits, so its hash needs no salt.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.league.league_settings import LeagueError, check_author
from arena.league.store import LeagueStore, open_league
from arena.text import utc_iso
from arena.tournament.store.sqlite import Database

FILE = "web.sqlite"
_PREFIX = "arena_"
_DAY_S = 24 * 3600.0
SESSION_S = 14 * _DAY_S
_SESSIONS = 10  # of a token
DEFAULT_DAYS = 90
MOST_INVITED = 100  # at once: their links fit into a form

WEB = Database(
    what="list of accounts",
    file=FILE,
    statements=(
        """CREATE TABLE accounts (
    account INTEGER PRIMARY KEY, author TEXT NOT NULL UNIQUE COLLATE NOCASE, admin INTEGER NOT NULL,
    created REAL NOT NULL)""",
        """CREATE TABLE tokens (
    token INTEGER PRIMARY KEY, account INTEGER NOT NULL REFERENCES accounts, hash TEXT NOT NULL UNIQUE,
    created REAL NOT NULL, expires REAL NOT NULL, used REAL, revoked REAL)""",
        """CREATE TABLE sessions (
    hash TEXT PRIMARY KEY, token INTEGER NOT NULL REFERENCES tokens, created REAL NOT NULL,
    expires REAL NOT NULL) WITHOUT ROWID""",
    ),
    application=0x53545742,  # "STWB"
    version=4,
    error=LeagueError,
    synchronous="FULL",
    wait_s=30,
    if_read_only="Servers and invitations need to write to it",
    if_older="Move the file away and invite the authors again",
)


class WebStore(LeagueStore):
    """The database of accounts in a league's folder, created if needed."""

    def __init__(self, folder: Path) -> None:
        """Open the database, creating it if needed. Raise LeagueError if it cannot be used."""
        with WEB.guard(folder, "open"):
            (folder / FILE).touch(mode=0o600)  # it holds the rights of accounts
            db = WEB.open_writer(folder)
            try:
                with db.transaction():
                    if not WEB.has_tables(db, folder):
                        WEB.make_tables(db)
            except BaseException:
                db.close()
                raise
        super().__init__(WEB, folder, db)


class Stores:
    """The league and the accounts. Only one thread at a time may use them."""

    def __init__(self, folder: Path, write: bool) -> None:
        self.league = open_league(folder, write)
        self.web = WebStore(folder)

    def close(self) -> None:
        """Close the databases."""
        self.web.close()
        self.league.close()


@dataclass(frozen=True)
class Account:
    """An account: `author` is the author of its bots, `admin` says whether it belongs to an organiser."""

    author: str
    admin: bool


def fingerprint(secret: str) -> str:
    """Return the hash that the database holds of a token or a session."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


# ---------------------------------------------------------------- invitations


def invite(store: WebStore, author: str, days: float = DEFAULT_DAYS, admin: bool = False) -> str:
    """Make a token for an author, creating the account if needed. Return the token, of which only a hash is stored.

    With `admin`, the account becomes an organiser's, whichever of its tokens is used. Raise LeagueError for a name that
    no author can have.
    """
    name = check_author(author)
    assert name is not None
    token = _PREFIX + secrets.token_urlsafe(32)
    now = time.time()
    with store.change():
        known = store.query("SELECT account, author FROM accounts WHERE author = ?", name)
        if known and known[0][1] != name:
            raise LeagueError(f"there is already an author '{known[0][1]}'; use that spelling")
        if known:
            account = known[0][0]
            if admin:
                store.run("UPDATE accounts SET admin = 1 WHERE account = ?", account)
        else:
            account = store.insert(
                "INSERT INTO accounts (author, admin, created) VALUES (?, ?, ?)", name, int(admin), now
            )
        store.run(
            "INSERT INTO tokens (account, hash, created, expires) VALUES (?, ?, ?, ?)",
            account,
            fingerprint(token),
            now,
            now + days * _DAY_S,
        )
    return token


def invite_all(store: WebStore, names: str) -> tuple[dict[str, str], list[str]]:
    """Invite the authors named in lines of text; return their tokens by author, and why others were not invited.

    Blank lines are skipped. Raise LeagueError, inviting nobody, if the names are too many.
    """
    lines = {number: name for number, line in enumerate(names.splitlines(), start=1) if (name := line.strip())}
    if len(lines) > MOST_INVITED:
        raise LeagueError(f"at most {MOST_INVITED} authors can be invited at once, found {len(lines)}: paste fewer")
    invited = {one["author"] for one in invitations(store) if one["state"] in ("open", "used")}
    tokens, faults = {}, []
    with store.change():
        for number, name in lines.items():
            try:
                if name in tokens:
                    raise LeagueError(f"{name} is in the list twice; two people need two names")
                if name in invited:
                    raise LeagueError(f"{name} already has an invitation; to make another, revoke it first")
                tokens[name] = invite(store, name)
            except LeagueError as error:
                faults.append(f"Line {number}: {error}.")
    return tokens, faults


def sign_in_link(address: str, token: str) -> str:
    """Return the link of an invitation to the server at an address: browsers do not send what follows `#`.

    >>> sign_in_link("https://school.example/league/", "arena_x")
    'https://school.example/league/sign-in#token=arena_x'
    """
    return f"{address.rstrip('/')}/sign-in#token={token}"


def revoke(store: WebStore, author: str) -> int:
    """Revoke all tokens of an author and end all sessions; return the number of tokens.

    Raise LeagueError for an unknown author.
    """
    with store.change():
        account = store.value("SELECT account FROM accounts WHERE author = ?", author)
        if account is None:
            raise LeagueError(f"nobody called '{author}' was invited")
        store.run("DELETE FROM sessions WHERE token IN (SELECT token FROM tokens WHERE account = ?)", account)
        store.run("UPDATE accounts SET admin = 0 WHERE account = ?", account)
        return store.run("UPDATE tokens SET revoked = ? WHERE account = ? AND revoked IS NULL", time.time(), account)


INVITATION = ("token", "author", "admin", "state", "created", "expires", "used", "revoked")


def invitations(store: WebStore) -> list[dict[str, Any]]:
    """Return all tokens that were ever made, oldest first, with the values of INVITATION.

    `state` is `revoked`, `expired`, `used` (and still valid) or `open`; times are None for what has not happened.
    """
    rows = store.query(
        "SELECT t.token, a.author, a.admin, CASE WHEN revoked IS NOT NULL THEN 'revoked' WHEN expires <= ? THEN"
        " 'expired' WHEN used IS NULL THEN 'open' ELSE 'used' END, t.created, t.expires, t.used, t.revoked"
        " FROM tokens t JOIN accounts a ON a.account = t.account ORDER BY t.token",
        time.time(),
    )
    return [
        dict(zip(INVITATION, (token, author, bool(admin), state, *(at and utc_iso(at) for at in times))))
        for token, author, admin, state, *times in rows
    ]


# ---------------------------------------------------------------- signing in


def account_of(store: WebStore, token: str) -> Account | None:
    """Return the account of a token; None if it is not valid."""
    return _valid(store, "t.hash = ?", fingerprint(token))


def session_of(store: WebStore, session: str) -> Account | None:
    """Return the account of the session with this secret; None if there is none or its token is no longer valid."""
    which = "t.token = (SELECT token FROM sessions WHERE hash = ? AND expires > ?)"
    return _valid(store, which, fingerprint(session), time.time())


def _valid(store: WebStore, which: str, *args: object) -> Account | None:
    """Return the account of a token that is chosen by SQL; None if it is not valid."""
    rows = store.query(
        "SELECT a.author, a.admin FROM tokens t JOIN accounts a ON a.account = t.account"
        f" WHERE {which} AND t.expires > ? AND t.revoked IS NULL",
        *args,
        time.time(),
    )
    return Account(rows[0][0], bool(rows[0][1])) if rows else None


def sign_in(store: WebStore, token: str) -> str | None:
    """Begin a session with a token and return its secret, which is always new; None if the token is not valid.

    The oldest sessions of a token end when it has too many.
    """
    if account_of(store, token) is None:
        return None
    session, now = secrets.token_urlsafe(32), time.time()
    with store.change():
        number = store.value("SELECT token FROM tokens WHERE hash = ?", fingerprint(token))
        store.run(
            "DELETE FROM sessions WHERE expires <= ? OR hash IN"
            f" (SELECT hash FROM sessions WHERE token = ? ORDER BY created DESC LIMIT -1 OFFSET {_SESSIONS - 1})",
            now,
            number,
        )
        store.run("UPDATE tokens SET used = ifnull(used, ?) WHERE token = ?", now, number)
        store.run(
            "INSERT INTO sessions (hash, token, created, expires) VALUES (?, ?, ?, ?)",
            fingerprint(session),
            number,
            now,
            now + SESSION_S,
        )
    return session


def sign_out(store: WebStore, session: str) -> None:
    """End a session, given its secret; nothing happens if there is none."""
    with store.change():
        store.run("DELETE FROM sessions WHERE hash = ?", fingerprint(session))
