"""Which side played which tactic card, read out of the records of games.

No engine is needed: the players take turns, and every turn has exactly one play (a card to a stone, a mode, a
ruse, or `pass`); what Redeploy or Traitor puts elsewhere afterwards is not another one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from arena.game.rules import Rules
from arena.tournament.match.tasks import GameId
from arena.tournament.store.reader import Reader

if TYPE_CHECKING:
    import pandas as pd

_RUSES = ("scout", "redeploy", "deserter", "traitor")
_MOVE_ON = ("redeploy", "traitor")  # a card that was taken is put somewhere

PLAY_COLUMNS = {
    "pairing": "number of the pairing in the schedule",
    "deal": "number of the deal",
    "game": "0 or 1: which game of the pair",
    "card": "the tactic card",
    "played_by_first": "how often the first player played it (0 included; there are two jokers)",
    "played_by_second": "how often the second player played it (0 included)",
    "score": "1, 0.5 or 0 points of the first player",
}
"""Columns of `plays_frame`."""


class HasRecords(Protocol):
    """A run, or a file of records."""

    def records(self) -> Iterator[tuple[int, int, str]]:
        """Identity, half points of the bot that began, and record of all games."""


def tactic_cards(rules: Rules) -> tuple[str, ...]:
    """The tactic cards of a rule set, each once; empty without tactics.

    >>> from arena.game.rules import load_rules
    >>> tactic_cards(load_rules("tactical"))
    ('*J', '*7', '*123', 'fog', 'mud', 'scout', 'redeploy', 'deserter', 'traitor')
    """
    return ("*J", f"*{rules.spy_value}", "*123", "fog", "mud", *_RUSES) if rules.tactics else ()


def plays(record: str) -> Iterator[tuple[int, str]]:
    """Each play of a tactic card in a record: 0 or 1 for the player that began or the other, and the card.

    >>> list(plays("schotten/1 tactical 1:0 11; r1@1,draw clan,*J@2,draw clan,fog@1; * 0-0"))
    [(1, '*J'), (0, 'fog')]
    """
    turn = -1
    putting = False
    for move in record.split("; ")[1].split(","):
        card, at, _ = move.partition("@")
        if " " in card:
            continue  # take, draw, return, claim: no plays
        if at or move == "pass" or move in _RUSES:
            if putting:
                putting = False
                continue
            turn += 1
            putting = move in _MOVE_ON
            card = card.partition("=")[0]
            if card[0] == "*" or card in ("fog", "mud") or (not at and move != "pass"):
                yield turn & 1, card
        elif move == "discard":
            putting = False


class Spaced:
    """Records of at most so many games of a run, evenly spaced; `games` are its games as `Reader.frame` gives them.

    Of a stored run only these records are read. `note` says what was left out, "" where nothing was.
    """

    def __init__(self, source: HasRecords, games: pd.DataFrame, most: int) -> None:
        self._source, self._games = source, games
        self._step = math.ceil(len(games) / max(most, 1)) or 1
        self._stop = None if most else 0
        read = math.ceil(len(games) / self._step) if most else 0
        self.note = "" if read == len(games) else f"From {read} of {len(games)} games, evenly spaced."

    def records(self) -> Iterator[tuple[int, int, str]]:
        """As `HasRecords.records`."""
        if self._step == 1 or not isinstance(self._source, Reader):
            yield from islice(self._source.records(), 0, self._stop, self._step)
            return
        for one in self._games[["pairing", "deal", "game"]].iloc[: self._stop : self._step].itertuples(index=False):
            game = self._source.result(GameId(*map(int, one)))
            yield game.id.key, int(2 * game.score), game.record


def plays_frame(reader: HasRecords, rules: Rules) -> pd.DataFrame:
    """A row for each game and tactic card of the rule set, with PLAY_COLUMNS, in schedule order."""
    import pandas as pd  # pandas is heavy

    cards = tactic_cards(rules)
    place = {card: at for at, card in enumerate(cards)}
    columns: dict[str, list[float]] = {name: [] for name in PLAY_COLUMNS if name != "card"}
    games = 0
    for key, score, record in reader.records() if cards else ():
        counts = [[0] * len(cards), [0] * len(cards)]
        for side, card in plays(record):
            counts[side][place[card]] += 1
        identity = GameId.from_key(key)
        for name, value in zip(("pairing", "deal", "game", "score"), (*identity, score / 2)):
            columns[name] += [value] * len(cards)
        columns["played_by_first"] += counts[0]
        columns["played_by_second"] += counts[1]
        games += 1
    frame = pd.DataFrame(columns).assign(card=list(cards) * games)
    return frame[list(PLAY_COLUMNS)]
