"""Nets, self-play, training and search: each piece against a second way to the same numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arena import ArenaError, State, load_rules, make_deal
from arena.paths import WEIGHTS_FOLDER
from arena.policy import Evaluator, Net, load_net
from arena.policy.inputs import Recorder
from arena.policy.net import WEIGHTS, exponential, logistic
from arena.policy.selfplay import play_games
from arena.policy.weights import read_weights
from tests.game.play import COMPILED
from tests.policy.layers import random_weights

GAMES = 4 if COMPILED else 1


def arrays(room: int) -> tuple[np.ndarray, ...]:
    kinds = np.float32, np.intc, np.int8, np.float32
    return tuple(np.zeros(room * (955 if number == 0 else 1), kind) for number, kind in enumerate(kinds))


def test_exponential() -> None:
    x = np.linspace(-38, 38, 4001)
    assert np.array([exponential(one) for one in x]) == pytest.approx(np.exp(x), rel=1e-15, abs=0)
    assert (logistic(-1e9), logistic(0.0), logistic(1e9)) == (0.0, 0.5, 1.0)
    assert logistic(2.0) == pytest.approx(1 / (1 + np.exp(-2)), rel=1e-15)


def test_self_play_repeats() -> None:
    rules, pair = load_rules("tactical"), (Evaluator(), Net(random_weights(2)))
    once = [play_games(rules, pair, 3, 2, 9, noise) for noise in (0.0, 0.3)]
    assert once == [play_games(rules, pair, 3, 2, 9, noise) for noise in (0.0, 0.3)]
    assert once[0] != once[1]
    assert once[0] == play_games(rules, pair, 3, 1, 9) + play_games(rules, pair, 4, 1, 9)


def test_a_full_recorder_takes_no_more() -> None:
    recorder = Recorder(*arrays(5))
    play_games(load_rules("base"), (Evaluator(), Evaluator()), 0, 1, 1, recorder=recorder)
    assert recorder.count == 5
    with pytest.raises(ValueError, match="same number of positions"):
        Recorder(*arrays(5)[:3], np.zeros(4, np.float32))


def test_wrong_nets(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match=f"a net has {WEIGHTS} weights, not 3"):
        Net([1.0, 2.0, 3.0])
    (tmp_path / "short.bin").write_bytes(b"1234")
    with pytest.raises(ArenaError, match="has 4 bytes"):
        read_weights(tmp_path / "short.bin")
    with pytest.raises(ArenaError, match="cannot read the weights"):
        read_weights(tmp_path / "none.bin")


def test_a_net_of_an_earlier_generation() -> None:
    weights = [list(read_weights(WEIGHTS_FOLDER / f"{name}.bin")) for name in ("base", "base-1")]
    state = State(load_rules("base"), make_deal(load_rules("base"), 1, 0))
    found = [load_net("base").value(state), load_net(state.rules, 1).value(state)]
    assert found == [Net(numbers).value(state) for numbers in weights]
    assert found[0] != found[1]
    with pytest.raises(ArenaError, match="no net of generation 7: there are 1, and 0 for the newest"):
        load_net("expert", 7)
