"""Who may sign in: accounts, the tokens that open them, and sessions.

A token is made by the organiser (`arena league invite`) and shown once. It signs in to the pages, and programs send it.
Only its hash is stored, by which it is looked up: how long a look takes tells nothing about the tokens that there are.
It has 256 bits from the system's generator, so it needs no salt and no slow hash.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass

from arena.league.settings import LeagueError, check_author
from arena.web.store import WebStore

PREFIX = "arena_"
DAY_S = 24 * 3600.0
SESSION_S = 14 * DAY_S
USUAL_DAYS = 90


@dataclass(frozen=True)
class Account:
    """Somebody who is signed in: as `author` of bots, or as an organiser (`admin`)."""

    number: int
    author: str
    admin: bool


@dataclass(frozen=True)
class Session:
    """A session: whose it is, and the text that its forms carry against requests from elsewhere."""

    account: Account
    form: str


@dataclass(frozen=True)
class Invitation:
    """What the organiser sees of a token: times in seconds since 1970, None for what has not happened."""

    token: int
    author: str
    admin: bool
    created: float
    expires: float
    used: float | None
    revoked: float | None

    def state(self, now: float) -> str:
        """`revoked`, `expired`, `used` (and valid) or `open`."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires <= now else "open" if self.used is None else "used"


def fingerprint(secret: str) -> str:
    """What is stored of a token or a session."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def form_text(session: str) -> str:
    """The text that the forms of a session carry; it does not tell the session."""
    return hmac.new(session.encode(), b"schotten-arena form", hashlib.sha256).hexdigest()


# ---------------------------------------------------------------- invitations


def invite(store: WebStore, author: str, days: float = USUAL_DAYS, admin: bool = False) -> str:
    """Make a token for an author, who need not be known yet. The token, which cannot be had again.

    `admin` makes the account an organiser's, for this token and all others of it. LeagueError for a name that no author
    can have.
    """
    name = check_author(author)
    assert name is not None
    token = PREFIX + secrets.token_urlsafe(32)
    now = time.time()
    with store.change():
        found = store.query("SELECT account, author FROM accounts WHERE author = ?", name)
        if found and found[0][1] != name:
            raise LeagueError(f"there is an author '{found[0][1]}'; spell the name like that")
        if found:
            account = found[0][0]
            if admin:
                store.run("UPDATE accounts SET admin = 1 WHERE account = ?", account)
        else:
            account = store.insert(
                "INSERT INTO accounts (author, admin, created) VALUES (?, ?, ?)", name, int(admin), now
            )
        store.insert(
            "INSERT INTO tokens (account, hash, created, expires) VALUES (?, ?, ?, ?)",
            account,
            fingerprint(token),
            now,
            now + days * DAY_S,
        )
    return token


def revoke(store: WebStore, author: str) -> int:
    """Revoke all tokens of an author and end all sessions; how many tokens. LeagueError for an unknown author."""
    now = time.time()
    with store.change():
        account = store.one("SELECT account FROM accounts WHERE author = ?", author)
        if account is None:
            raise LeagueError(f"nobody called '{author}' was invited")
        store.run("DELETE FROM sessions WHERE token IN (SELECT token FROM tokens WHERE account = ?)", account)
        store.run("UPDATE accounts SET admin = 0 WHERE account = ?", account)
        return store.run("UPDATE tokens SET revoked = ? WHERE account = ? AND revoked IS NULL", now, account)


def invitations(store: WebStore) -> list[Invitation]:
    """All tokens that were ever made, oldest first."""
    rows = store.query(
        "SELECT t.token, a.author, a.admin, t.created, t.expires, t.used, t.revoked FROM tokens t"
        " JOIN accounts a ON a.account = t.account ORDER BY t.token"
    )
    return [Invitation(row[0], row[1], bool(row[2]), *row[3:]) for row in rows]


# ---------------------------------------------------------------- signing in


def account_of(store: WebStore, token: str, now: float | None = None) -> tuple[int, Account] | None:
    """The number of a valid token, and whose it is."""
    wanted = fingerprint(token)
    rows = store.query(
        "SELECT t.token, t.hash, t.expires, t.revoked, a.account, a.author, a.admin FROM tokens t"
        " JOIN accounts a ON a.account = t.account WHERE t.hash = ?",
        wanted,
    )
    if not rows or not hmac.compare_digest(rows[0][1], wanted):
        return None
    number, _, expires, revoked, account, author, admin = rows[0]
    if revoked is not None or expires <= (time.time() if now is None else now):
        return None
    return number, Account(account, author, bool(admin))


def sign_in(store: WebStore, token: str) -> str | None:
    """Begin a session with a token: the session's secret, always a new one; None for a token that is not valid."""
    found = account_of(store, token)
    if found is None:
        return None
    session = secrets.token_urlsafe(32)
    now = time.time()
    with store.change():
        store.run("DELETE FROM sessions WHERE expires <= ?", now)
        store.run("UPDATE tokens SET used = ifnull(used, ?) WHERE token = ?", now, found[0])
        store.run(
            "INSERT INTO sessions (hash, token, created, expires) VALUES (?, ?, ?, ?)",
            fingerprint(session),
            found[0],
            now,
            now + SESSION_S,
        )
    return session


def session_of(store: WebStore, session: str, now: float | None = None) -> Session | None:
    """The session with a secret, None if there is none, or its token is not valid any more."""
    now = time.time() if now is None else now
    rows = store.query(
        "SELECT a.account, a.author, a.admin FROM sessions s JOIN tokens t ON t.token = s.token"
        " JOIN accounts a ON a.account = t.account"
        " WHERE s.hash = ? AND s.expires > ? AND t.expires > ? AND t.revoked IS NULL",
        fingerprint(session),
        now,
        now,
    )
    if not rows:
        return None
    account, author, admin = rows[0]
    return Session(Account(account, author, bool(admin)), form_text(session))


def sign_out(store: WebStore, session: str) -> None:
    """End a session."""
    store.run("DELETE FROM sessions WHERE hash = ?", fingerprint(session))
