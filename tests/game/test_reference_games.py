"""Whole games between programs written elsewhere replay in the engine (RULES.md §8)."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from arena.game.deals import deal_from_cards
from arena.game.engine import IllegalMove, State
from arena.game.moves import parse_move
from arena.game.rules import load_rules

GAMES = json.loads(gzip.decompress((Path(__file__).parents[1] / "data" / "games_base.json.gz").read_bytes()))["games"]
BASE = load_rules("iello-base")
WINNERS = {"a": 0, "b": 1, None: None}


def start(game: dict[str, Any]) -> State:
    """The game's deal; cards that were never drawn lie in order under the others."""
    dealt = [card for pair in zip(*game["hands"], strict=True) for card in pair] + game["draws"]
    left = [f"{c}{v}" for v in range(1, 10) for c in "rgbypk" if f"{c}{v}" not in dealt]
    return State(BASE, deal_from_cards(BASE, dealt + left, starter=0))


def replay(game: dict[str, Any]) -> State:
    """Replay a game; the nine stones after every move and the winner must agree."""
    state = start(game)
    for number, (move, owners) in enumerate(zip(game["moves"], game["owners"], strict=True), 1):
        assert not state.is_over, f"over before move {number}"
        state.apply(parse_move(move))
        assert state.owners == owners, f"move {number} ({move})"
    assert state.is_over, "not over after the last move"
    assert state.winner == WINNERS[game["winner"]]
    return state


def test_all_games() -> None:
    assert len(GAMES) == 800
    for number, game in enumerate(GAMES):
        try:
            replay(game)
        except (AssertionError, IllegalMove) as error:
            raise AssertionError(f"game {number}: {error}") from error
