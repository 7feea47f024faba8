"""Train a net by self-play: `python -m arena.training base --generation 50000:6:5 --generation 40000:8:11`.

Each generation plays games (the first `odds` against itself, each later one the net of the one before against itself
and against `odds` in turn), adds their positions to those before, fits a net to all of them, and plays it against the
one before and against `odds`: what a step gained stands in the log, with its error.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import click
import numpy as np

from arena.game.rules import load_rules
from arena.policy.evaluator import Evaluator
from arena.policy.net import Net
from arena.policy.selfplay import play_games
from arena.policy.weights import write_weights
from arena.training.data import generate, join
from arena.training.fit import Positions, fit, flat, start_weights

Generation = tuple[int, int, int]


def generation(text: str) -> Generation:
    """`GAMES:EPOCHS:SEED`.

    >>> generation("50000:6:5")
    (50000, 6, 5)
    """
    parts = text.split(":")
    if len(parts) != 3 or not all(part.isdecimal() and len(part) < 10 for part in parts) or "0" in parts[:2]:
        raise click.BadParameter(f"{text!r} is not GAMES:EPOCHS:SEED, such as 50000:6:5")
    return int(parts[0]), int(parts[1]), int(parts[2])


def duel(one: Evaluator, two: Evaluator, rules: str, deals: int, seed: int) -> tuple[float, float]:
    """The share of points of `one` over pairs of games, and its 95 % error."""
    scores = np.zeros(deals)
    for seat, pair in enumerate(((one, two), (two, one))):
        results = play_games(load_rules(rules), pair, 0, deals, seed)
        scores += [0.25 if won == 2 else 0.5 * (won == seat) for won, _, _ in results]
    return float(scores.mean()), float(1.96 * scores.std(ddof=1) / deals**0.5)


def train(rules: tuple[str, ...], generations: tuple[Generation, ...], deals: int, out: Path, log: Any) -> Path:
    """Train one generation after the other; the file of the last one's weights, as numpy wrote it."""
    parts: list[Positions] = []
    nets = ["odds"]
    for number, (games, epochs, seed) in enumerate(generations):
        begun = time.monotonic()
        last = nets[-1]
        players = [("odds", "odds")] if last == "odds" else [(last, last), (last, "odds")]
        parts.insert(0, generate(rules, players, games, seed))
        data = join(parts)
        held = len(data) // 20
        log(generation=number, positions=len(data), seconds=round(time.monotonic() - begun))
        weights = fit(
            cut(data, 0, len(data) - held), cut(data, len(data) - held, len(data)), start_weights(1), epochs, 1,
            tell=lambda epoch, loss, number=number: log(generation=number, epoch=epoch, loss=round(loss, 5)),  # type: ignore[misc]
        )  # fmt: skip
        path = out / f"{rules[0]}-{number}.npy"
        np.save(path, flat(weights))
        net = Net(flat(weights))
        for other in dict.fromkeys(("odds", last)):
            against = Evaluator() if other == "odds" else Net(np.load(other))
            for name in rules:
                share, error = duel(net, against, name, deals, seed + 1)
                log(
                    generation=number,
                    rules=name,
                    against=Path(other).stem,
                    share=round(share, 4),
                    error=round(error, 4),
                )
        nets.append(str(path))
    return Path(nets[-1])


def cut(data: Positions, first: int, end: int) -> Positions:
    """Some of the positions."""
    return Positions(data.x[first:end], data.y[first:end], data.owned[first:end])


@click.command(help="Train a net for one or several RULES by self-play.")
@click.argument("rules", nargs=-1, required=True)
@click.option(
    "--generation", "generations", multiple=True, required=True, help="GAMES:EPOCHS:SEED, one after the other."
)
@click.option("--deals", default=1000, show_default=True, help="Deals, two games each, to measure what a step gained.")
@click.option("--out", default="results/training", show_default=True, help="The folder for nets and log.")
@click.option("--install", default=None, help="Write the last net into the package under this name (base, tactical).")
def main(rules: tuple[str, ...], generations: tuple[str, ...], deals: int, out: str, install: str | None) -> None:
    """The command line."""
    wanted = tuple(generation(text) for text in generations)
    for name in rules:
        load_rules(name)
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    lines: list[dict[str, Any]] = []

    def log(**line: Any) -> None:
        lines.append(line)
        click.echo("  ".join(f"{key} {value}" for key, value in line.items()))
        (folder / "log.json").write_text(json.dumps(lines, indent=1) + "\n")

    last = train(rules, wanted, deals, folder, log)
    if install:
        command = " ".join(["python -m arena.training", *rules, *(f"--generation {text}" for text in generations)])
        target = Path(__file__).parents[1] / "policy" / "weights" / f"{install}.bin"
        write_weights(target, np.load(last), {"command": command, "log": [line for line in lines if "share" in line]})


if __name__ == "__main__":
    main()
