"""Whatever a stranger's bot answers: a legal move or a decent fault comes out, at once. More: tools/fuzz_wire.py."""

from __future__ import annotations

import json
import random
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools import fuzz_wire
from tools.fuzz_wire import feed_parser, legal, mutated, play_games, positions
from tools.fuzzing import Wrong

KNOWN = positions(20, 3)
KINDS = st.sampled_from(("hello", "begin", "act"))
RANDOM = st.randoms(use_true_random=False)
MOVES = st.sampled_from(("r7@3", "pass", "claim 1", "*J=r7@1", "return b3", "")) | st.text(max_size=30)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)
OBJECTS = st.fixed_dictionaries(
    {"id": st.just(7) | VALUES, "move": st.integers(-2, 60) | MOVES | VALUES},
    optional={flag: st.booleans() | VALUES for flag in ("protocol", "name", "auto_claim", "events")},
)


@settings(max_examples=300)
@given(st.binary(max_size=200), KINDS, st.sampled_from(KNOWN))
def test_any_bytes(line: bytes, kind: str, position: fuzz_wire.Position) -> None:
    assert feed_parser(line, 7, kind, position) in ("protocol", "taken")


@pytest.mark.slow
@settings(max_examples=300)
@given(OBJECTS | VALUES, KINDS, st.sampled_from(KNOWN))
def test_any_json(answer: object, kind: str, position: fuzz_wire.Position) -> None:
    line = json.dumps(answer).encode()
    came = feed_parser(line, 7, kind, position)
    right = isinstance(answer, dict) and type(answer.get("id")) is int and answer["id"] == 7
    assert right or came == "protocol"


@settings(max_examples=100)
@given(RANDOM, KINDS, st.sampled_from(KNOWN))
def test_accidents_of_legal_answers(rng: random.Random, kind: str, position: fuzz_wire.Position) -> None:
    line = legal(rng, 7, kind, position[1])
    assert feed_parser(line, 7, kind, position) == "taken"
    feed_parser(mutated(rng, line, legal(rng, 8, "act", position[1])), 7, kind, position)


@settings(max_examples=100)
@given(st.integers(0, 1 << 32))
def test_games_of_a_bot_that_loses_its_way(seed: int) -> None:
    came, broken = play_games(random.Random(seed), KNOWN, 5)
    assert sum(came.values()) >= 0
    assert broken >= 5


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="needs signals")
def test_the_program() -> None:
    came, slowest = fuzz_wire.fuzz(5, 800)
    assert {"taken", "protocol", "timeout", "crash", "illegal move"} == set(came)
    assert slowest.seconds < fuzz_wire.HANG_S


def test_the_program_notices_what_must_not_come_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        raise RecursionError("too deep")

    monkeypatch.setattr(fuzz_wire, "read_move", broken)
    with pytest.raises(Wrong, match="RecursionError: too deep, on b'"):
        fuzz_wire.fuzz(1, 200)
