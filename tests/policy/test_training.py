"""`python -m tools.training`: what it learns from, how a run goes on, and what it says to wrong input."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from arena.policy import weights
from tools.training.__main__ import RATE, TRUST, TrainingStep, main, mean_of, opponents, train
from tools.training.learning import against_bot, flat, player, returns, start_weights, weights_of


def test_returns_mix_the_result_with_later_values() -> None:
    games, seats = np.array([0, 0, 0, 0, 1]), np.array([0, 1, 0, 0, 0])
    values, won = np.array([0.5, 0.4, 0.6, 0.8, 0.1]), np.array([1.0, 0.0, 1.0, 1.0, 0.0])
    assert returns(games, seats, values, won, 1.0).tolist() == won.tolist()
    after = 0.3 * 0.8 + 0.7 * 1.0  # of the third: what seat 0 saw one play later, and the result
    assert returns(games, seats, values, won, 0.7) == pytest.approx([0.3 * 0.6 + 0.7 * after, 0, after, 1, 0])


def test_opponents() -> None:
    assert opponents([], False) == [("odds", "odds")]
    assert opponents(["a"], False) == [("a", "a"), ("a", "odds")]
    mixed = opponents(["a", "b", "c"], True)
    assert {name for pair in mixed for name in pair if not name.startswith("odds")} == {"a", "b", "c"}
    assert all("c" in pair for pair in mixed)
    assert {"odds", "odds:hand=0.7,draw=0.4,theirs=0.5"} < {name for pair in mixed for name in pair}
    assert 0 < TRUST < 1
    assert 0 < RATE < 2e-3
    player("odds:hand=0.7,draw=0.4,theirs=0.5")
    with pytest.raises(ValueError, match="hand is a chance"):
        player("odds:hand=7")


def test_a_net_goes_on_where_it_was() -> None:
    begun = flat(start_weights(3))
    again = weights_of(begun, 5)
    assert (flat(again) == begun).all()
    assert again["wp"].shape == (16,)


def test_the_mean_of_weights_is_a_net() -> None:
    one, two = start_weights(1), start_weights(2)
    mean = mean_of([one, two, two])
    assert mean["w1"] == pytest.approx((one["w1"] + 2 * two["w1"]) / 3, abs=1e-6)
    assert flat(mean).dtype == np.float32
    assert (flat(mean_of([one])) == flat(one)).all()


def test_the_weights_say_how_they_were_made() -> None:
    made = json.loads((weights.FOLDER / "weights.json").read_text(encoding="utf-8"))
    assert set(made) == {path.stem for path in weights.FOLDER.glob("*.bin")}
    for name, one in made.items():
        words = one["command"].split()
        assert words[:4] == ["python", "-m", "tools.training", name]
        assert "--deals" in words
        gains = [line for line in one["log"] if "share" in line]
        assert {"odds", f"{name}-1"} <= {line["against"] for line in gains}
    assert sum(path.stat().st_size for path in weights.FOLDER.iterdir() if path.is_file()) < 1 << 20


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere", "--generation", "1:1:1"], "unknown rule set 'nowhere'"),
        (["base", "--generation", "1:1"], "'1:1' is not GAMES:EPOCHS:SEED, such as 50000:6:5"),
        (["base", "--generation", "0:1:1"], "'0:1:1' is not GAMES:EPOCHS:SEED"),
        (["base", "--generation", "1:1:1", "--refine", "1:one:1"], "'1:one:1' is not GAMES:EPOCHS:SEED"),
        (["base", "--generation", "1:1:1", "--deals", "1"], "1 is not in the range 2<=x<=100000"),
        (["base", "--generation", "1:1:1", "--keep", "0"], "0.0 is not in the range 0<x<=1"),
        (["base"], "There is nothing to learn: give --generation, or --start and --refine."),
        (["base", "--start", "base", "--refine", "1:1:1", "--against", "barca"], "'barca' is not BOT:GAMES, such as"),
        (["base", "--generation", "1:1:1", "--install", "mine"], "'mine' is not one of 'base', 'tactical'"),
    ],
)
def test_wrong_words(words: list[str], told: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(main, [*words, "--out", str(tmp_path / "out")])
    assert done.exit_code == 2
    assert told in " ".join(done.output.replace("│", " ").split())
    assert not (tmp_path / "out").exists()


def test_positions_of_games_against_a_bot() -> None:
    data = against_bot("odds", "greedy", "expert", 3, 2, seed=1, trust=0.7)
    assert 20 < len(data) < 100
    assert data.x.shape == (len(data), 464)
    assert set(np.unique(data.owned)) == {-1, 0, 1}
    assert ((data.y > -0.05) & (data.y <= 1)).all()  # what a net thought, without the price of a tactic card
    again = against_bot("odds", "greedy", "expert", 3, 2, seed=1, trust=0.7)
    assert (data.x == again.x).all()


@pytest.mark.slow
def test_a_run_learns_and_repeats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = (TrainingStep(500, 2, 5), TrainingStep(500, 1, 6), TrainingStep(500, 1, 7, refine=True))
    found = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        lines: list[dict[str, object]] = []
        last = train(("base",), steps, 20, 0.2, tmp_path / name, lambda found=lines, **line: found.append(line), 1)
        gains = [(line["step"], line["against"]) for line in lines if "share" in line]
        assert gains == [(0, "odds"), (1, "odds"), (1, "base-0"), (2, "odds"), (2, "base-1")]
        found.append(np.load(last))
    assert (found[0] == found[1]).all()
    monkeypatch.setattr(weights, "FOLDER", tmp_path)
    words = ["base", "--generation", "500:1:5", "--keep", "0.1", "--deals", "2", "--workers", "1", "--install", "base"]
    assert CliRunner().invoke(main, [*words, "--out", str(tmp_path / "out")]).exit_code == 0
    made = json.loads((tmp_path / "weights.json").read_text())["base"]
    assert made["command"] == "python -m tools.training base --generation 500:1:5 --keep 0.1 --seeds 1 --deals 2"
    assert weights.read_weights(tmp_path / "base.bin")
