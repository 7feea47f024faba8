"""Units of work, identities of games, and what is known of a schedule's progress."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats.schedule import Schedule
from arena.tournament.games import GameId, ScheduleProgress
from tests.tournament.formats.schedules import schedules
from tests.tournament.runner.fake import chunks


@settings(max_examples=30)
@given(schedules, st.integers(1, 5))
def test_chunks_travel_whole(schedule: Schedule, size: int) -> None:
    tasks = list(schedule.tasks(ScheduleProgress()))
    parts = list(chunks(tasks, size, start=3))
    assert [chunk.number for chunk in parts] == list(range(3, 3 + len(parts)))
    assert [task for chunk in parts for task in chunk.tasks] == tasks
    for chunk in parts:
        back = pickle.loads(pickle.dumps(chunk))
        assert back == chunk
        assert [type(task) for task in back.tasks] == [type(task) for task in chunk.tasks]


@given(st.integers(0, 2**24 - 1), st.integers(0, 2**38 - 1), st.integers(0, 1))
def test_identity_as_a_number_and_as_text(pairing: int, deal: int, game: int) -> None:
    identity = GameId(pairing, deal, game)
    assert GameId.from_key(identity.key) == identity == GameId.parse(str(identity))
    assert identity.key < 2**63


@pytest.mark.parametrize("text", ["", "1/2", "1/2/2", "a/1/0", "1/-1/0", "1/2/0/0", "²/1/0"])
def test_bad_names_of_games(text: str) -> None:
    with pytest.raises(ValueError, match=r"PAIRING/DEAL/GAME|the last number must be 0 or 1"):
        GameId.parse(text)


def test_progress_knows_what_is_done() -> None:
    done = ScheduleProgress({3: (2, 4, 7, 8)})
    assert [deal for deal in range(-1, 12) if done.has(3, deal)] == [2, 3, 7]
    assert not done.has(2, 0)
