"""What a page holds of a game is what the engine says, step by step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.game.engine import State
from arena.game.record import parse_record, replay_steps
from arena.results.pages.game_data import flat, game_data
from arena.tournament.games import GameResult
from arena.tournament.store.reader import Reader
from tests.results.pages.conftest import states


@pytest.fixture(scope="module")
def games(folder: Path) -> list[GameResult]:
    with Reader(folder) as reader:
        return list(reader.results())[::2]


@pytest.fixture(scope="module")
def pages(games: list[GameResult]) -> list[dict[str, Any]]:
    """What the pages of the games hold."""
    return [json.loads(json.dumps(game_data(game, "1"))) for game in games]


def test_each_step_is_the_engines_state(games: list[GameResult], pages: list[dict[str, Any]]) -> None:
    for game, data in zip(games, pages):
        found = states(data)
        record = parse_record(game.record)
        state = State(record.rules, record.deal, record.auto_claim)
        for _ in replay_steps(record, state):
            assert next(found) == flat(state)
        assert next(found) == flat(state)
        assert next(found, None) is None


def test_a_state_is_all_that_lies_on_the_table(pages: list[dict[str, Any]]) -> None:
    """Independent of `flat`: the cards in sight and in the decks are the whole deck."""
    for state in states(pages[0]):
        cards = [
            card
            for seat in "ab"
            for key in (f"h{seat}", f"d{seat}", *(f"{seat}{at}" for at in range(1, 10)))
            for card in state.get(key, "").split()
        ]
        clan = [card for card in cards if card[0] in "rgbypk" and card[1:].isdigit()]
        pending = state.get("pend", " ")
        assert len(set(clan) - {pending}) + state["clan"] + (pending[0] in "rgbypk" and pending[1:].isdigit()) == 54


def test_every_claim_is_explained_by_its_proof(pages: list[dict[str, Any]]) -> None:
    claims = 0
    for data in pages:
        owned = [state["own"] for state in states(data)]
        for at, step in enumerate(data["steps"]):
            told = {claim["stone"] for claim in step.get("claims", ())}
            before = owned[at - 1] if at else "." * 9
            assert told == {stone for stone in range(1, 10) if before[stone - 1] != owned[at][stone - 1]}
            for claim in step.get("claims", ()):
                claims += 1
                proofs = ("no unseen card", "too few face-down", " beats ", "yours was completed first", "can only tie")
                assert any(proof in claim["why"] for proof in proofs), claim
                assert "could still win" not in claim["why"]
    assert claims > 30
    said = [value for data in pages for state in states(data) for key, value in state.items() if key[0] == "w"]
    assert any("could still win" in value for value in said)  # a complete side without a claim
    forfeit = next(data for data in pages if data["forfeit"])
    assert "ValueError" in forfeit["reason"]
    assert not {"\x1b", "\u202e"} & {*forfeit["reason"]}
