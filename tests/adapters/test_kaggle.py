"""Kaggle-style agents play here."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.adapters.kaggle import kaggle_bot
from arena.lab.single_game import play_game
from tests.cli.conftest import Arena, arena  # noqa: F401


def test_an_agent_by_text_and_by_place_plays_the_same_game() -> None:
    records = set()
    for agent in (
        lambda observation, configuration: observation.moves[-1],
        lambda observation: len(observation["moves"]) - 1,
        lambda *given: given[0].moves[-1],
    ):
        records.add(play_game(kaggle_bot(agent), "greedy", rules="tactical", seed=2, errors="raise").record)
    records.add(play_game(lambda view, moves: moves[-1], "greedy", rules="tactical", seed=2).record)
    assert len(records) == 1


def test_what_it_is_given_is_plain() -> None:
    """All of it is JSON; nothing of it is a state."""
    seen = []

    def agent(observation: Any, configuration: Any) -> int:
        seen.append(json.loads(json.dumps([observation, configuration])))
        assert observation.player in (0, 1)
        with pytest.raises(AttributeError, match="there is no foo; there are step, player"):
            observation.foo  # noqa: B018
        return 0

    play_game(kaggle_bot(agent), "random", rules="expert", seed=1, clock=(500, 2000), errors="raise")
    first, last = seen[0][0], seen[-1][0]
    assert first["step"] == 0
    assert len(first["hand"]) == 7
    assert first["mine"] == [[]] * 9
    assert first["remainingOverageTime"] == 2
    assert seen[0][1]["actTimeout"] == 0.5
    assert seen[0][1]["tactics"] is True
    assert last["step"] > 20
    assert set(last["owners"]) <= {"mine", "theirs", None}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("x9@1", "'x9@1', which is not one of"),
        (99, "the places in observation.moves are 0 to"),
        (None, "returned a NoneType; return the text of a move"),
    ],
)
def test_a_wrong_answer_is_said_to_its_author(answer: Any, said: str) -> None:
    game = play_game(kaggle_bot(lambda observation: answer), "random", seed=1, names=("agent", "random"))
    assert (game.forfeit, game.forfeit_by) == ("exception", "agent")
    assert said in (game.detail or "")
