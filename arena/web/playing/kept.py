"""Records of games that authors keep, in the database of the web; for nobody else to see."""

from __future__ import annotations

import time
from dataclasses import dataclass

from arena.league.settings import LeagueError
from arena.web.accounts import Account
from arena.web.store import WebStore

MOST = 50


@dataclass(frozen=True)
class KeptGame:
    """A game that somebody keeps: when it was kept, against whom, how it ended, and its line in a file of records."""

    number: int
    at: float
    bot: str
    result: str
    record: str


def keep(store: WebStore, account: Account, bot: str, result: str, record: str) -> int:
    """Keep a record; its number. LeagueError if there are too many."""
    with store.change():
        if len(kept_games(store, account)) >= MOST:
            raise LeagueError(f"you keep {MOST} games, which is as many as one can: remove one, or download this one")
        return store.insert(
            "INSERT INTO kept_games (account, kept, bot, result, record) VALUES (?, ?, ?, ?, ?)",
            account.number,
            time.time(),
            bot,
            result,
            record,
        )


def kept_games(store: WebStore, account: Account) -> list[KeptGame]:
    """The games that an author keeps, newest first."""
    rows = store.query(
        "SELECT game, kept, bot, result, record FROM kept_games WHERE account = ? ORDER BY game DESC", account.number
    )
    return [KeptGame(*row) for row in rows]


def kept_game(store: WebStore, account: Account, number: int) -> KeptGame | None:
    """A game that an author keeps; None if there is none of that number, or it is another's."""
    return next((one for one in kept_games(store, account) if one.number == number), None)


def remove(store: WebStore, account: Account, number: int) -> None:
    """Keep a game no longer."""
    store.run("DELETE FROM kept_games WHERE game = ? AND account = ?", number, account.number)
