"""`python -m tools.training`: what it learns from, that it learns, and what it says to wrong input."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from arena.policy import weights
from tests.policy.layers import net_values, random_weights
from tools.training.positions import ended, searched


def test_how_games_ended() -> None:
    data = ended("base", ("odds", "odds"), 1, 0, 0.25, 0.01)
    assert len(data) > 50
    assert set(data.y) == {0.0, 1.0}
    assert set(np.unique(data.owned)) == {-1, 0, 1}
    assert (data.counts == 1).all()


@pytest.mark.parametrize("mean", [False, True])
def test_what_moves_were_worth(mean: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.training.positions.SEARCHED", 3)
    np.save(tmp_path / "net.npy", random_weights(1))
    data = searched("base", str(tmp_path / "net.npy"), 5, 2, mean)
    assert data.counts.sum() == len(data)
    assert 1 < data.counts.mean() <= 6
    assert ((data.y >= 0) & (data.y <= 1)).all()
    assert len(set(data.y)) > len(data) / 2
    again = searched("base", str(tmp_path / "net.npy"), 5, 2, mean)
    assert (data.x == again.x).all()
    assert (data.y == again.y).all()


def test_the_mean_of_two_nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.training.positions.SEARCHED", 3)
    net, first = random_weights(1), np.array(weights.read_weights(weights.WEIGHTS_FOLDER / "tactical-1.bin"))
    np.save(tmp_path / "net.npy", net)
    data = searched("battle-line-expert", str(tmp_path / "net.npy"), 5, 2, mean=True)
    own, other = (np.log(said / (1 - said)) for said in (net_values(one, data.x.astype(float)) for one in (net, first)))
    assert data.y == pytest.approx(1 / (1 + np.exp(-0.7 * own - 0.3 * other)), abs=0.003)  # x is rounded to 16 bits


def test_the_weights_say_how_they_were_made() -> None:
    made = json.loads((weights.WEIGHTS_FOLDER / "weights.json").read_text(encoding="utf-8"))
    assert set(made) == {path.stem for path in weights.WEIGHTS_FOLDER.glob("*.bin")}
    for name, one in made.items():
        words = one["command"].split()
        assert words[:4] == ["python", "-m", "tools.training", name.removesuffix("-1")]
        assert one["sha256"] == hashlib.sha256((weights.WEIGHTS_FOLDER / f"{name}.bin").read_bytes()).hexdigest()
        while "log" in one:  # those of an earlier trainer have none
            steps = sum(word in ("--generation", "--search", "--mean") for word in one["command"].split())
            assert {line["step"] for line in one["log"]} == set(range(steps))
            before = name if "start" in one else f"{name}-{steps - 2}"
            assert {"odds", before} <= {line["against"] for line in one["log"] if "share" in line}
            one = one.get("start", {})
    assert sum(path.stat().st_size for path in weights.WEIGHTS_FOLDER.iterdir() if path.is_file()) < 1 << 20


def test_learning_computes_what_a_net_says() -> None:
    torch = pytest.importorskip("torch")
    from tools.training import learning

    data = ended("battle-line-expert", ("odds", "odds"), 1, 0, 0.25, 0.01)
    begun = learning.start_weights(3)
    values, _ = learning.forward(begun, torch.from_numpy(data.x).float())
    assert torch.sigmoid(values).numpy() == pytest.approx(
        net_values(learning.flat(begun), data.x.astype(float)), abs=1e-4
    )
    again = learning.weights_of(learning.flat(begun), 5)
    assert (learning.flat(again) == learning.flat(begun)).all()
    mirrored = learning.mirrored(torch.from_numpy(data.x))
    assert (mirrored[:, 800:900].numpy() == data.x[:, :100]).all()
    assert (learning.mirrored(mirrored).numpy() == data.x).all()


@pytest.mark.slow
def test_a_run_learns_and_repeats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from tools.training import __main__ as training

    monkeypatch.setattr("tools.training.positions.SEARCHED", 10)
    monkeypatch.setattr(weights, "WEIGHTS_FOLDER", tmp_path)
    command = "base --generation 1000:8:5 --search 20:1:6 --mean 20:1:7 --keep 0.4 --deals 20"
    words = [*command.split(), "--workers", "1"]
    for name in ("one", "two"):
        done = CliRunner().invoke(training.main, [*words, "--out", str(tmp_path / name), "--install", "base"])
        assert done.exit_code == 0, done.output
    assert (np.load(tmp_path / "one" / "base-2.npy") == np.load(tmp_path / "two" / "base-2.npy")).all()
    made = json.loads((tmp_path / "weights.json").read_text())["base"]
    assert made["command"] == f"python -m tools.training {command}"
    losses = [line["loss"] for line in made["log"] if line.get("step") == 0 and "loss" in line]
    assert losses[-1] < 0.68 < losses[0]  # to guess costs 0.693
    assert weights.read_weights(tmp_path / "base.bin")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere", "--generation", "1:1:1"], "unknown rule set 'nowhere'"),
        (["base", "--generation", "1:1"], "'1:1' is not GAMES:EPOCHS:SEED, such as 50000:6:5"),
        (["base", "--generation", "1:1:1", "--deals", "1"], "1 is not in the range 2<=x<=100000"),
        (["base"], "There is nothing to learn: give --generation, or --start and --search or --mean."),
        (["base", "--generation", "1:1:1", "--install", "mine"], "'mine' is not one of 'base', 'tactical'"),
    ],
)
def test_wrong_words(words: list[str], told: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from tools.training import __main__ as training

    done = CliRunner().invoke(training.main, [*words, "--out", str(tmp_path / "out")])
    assert done.exit_code == 2
    assert told in " ".join(done.output.replace("│", " ").split())
    assert not (tmp_path / "out").exists()
