"""Train a net: `python -m tools.training base --generation 50000:4:5 --search 10000:3:7`.

Each generation plays games (the first: `odds` against itself; each later one: the previous net against itself and
against `odds` in turn), adds their positions to the earlier ones, and fits a net to all positions and the results of
their games. A search starts from the last weights: in games of that net against itself, variants of `odds` and bots of
other families, it selects some decisions, tries several moves of each in the same samples of the hidden cards, lets the
net continue from there, and fits the net to the values of the moves and the differences between them (expert iteration:
Anthony, Tian and Barber 2017). A mean fits the net to the mean of what it and the first packaged net say about such
moves: two nets that were trained apart err differently. `--start base` starts from a packaged net. After each step the
net plays the previous one and `odds`; the log records the gain with its error.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from arena.errors import ArenaError
from arena.game.rules import load_rules
from arena.policy import weights
from arena.policy.evaluator import Evaluator
from arena.policy.net import Net
from arena.policy.selfplay import play_games

try:
    from tools.training.learning import fit, flat, start_weights, weights_of
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    raise SystemExit("Training needs PyTorch: pip install -e '.[train]'") from None
from tools.training.positions import Array, Positions, join, play_out, player, search_out

#: The kinds of steps, each with its learning rate and the weight of differences between moves.
KINDS = {"generation": (2e-3, 40.0), "search": (1e-3, 40.0), "mean": (2e-3, 100.0)}
#: The packaged nets.
NETS = ("base", "tactical")
#: The seed of the first weights and of the order of the positions.
SEED = 1


@dataclass(frozen=True)
class TrainingStep:
    """A step of one of KINDS: games, rounds through the positions, seed of the games."""

    games: int
    epochs: int
    seed: int
    kind: str = "generation"


class StepType(click.ParamType[TrainingStep]):
    """`GAMES:EPOCHS:SEED`."""

    name = "step"

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> TrainingStep:
        parts = str(value).split(":")
        numbers = [int(part) for part in parts if part.isascii() and part.isdecimal() and len(part) < 10]
        if not len(parts) == len(numbers) == 3 or 0 in numbers[:2]:
            self.fail(f"{value!r} is not GAMES:EPOCHS:SEED, such as 50000:6:5", param, ctx)
        return TrainingStep(numbers[0], numbers[1], numbers[2], self.kind)


def duel(one: Evaluator, two: Evaluator, rules: str, deals: int, seed: int) -> tuple[float, float]:
    """Return the share of points of `one` over pairs of games, with its 95% error."""
    scores = np.zeros(deals)
    for seat, pair in enumerate(((one, two), (two, one))):
        results = play_games(load_rules(rules), pair, 0, deals, seed)
        scores += [0.25 if won == 2 else 0.5 * (won == seat) for won, _, _ in results]
    return float(scores.mean()), float(1.96 * scores.std(ddof=1) / deals**0.5)


def train(
    rules: tuple[str, ...],
    steps: tuple[TrainingStep, ...],
    deals: int,
    keep: float,
    out: Path,
    log: Callable[..., None],
    workers: int | None = None,
    start_net: str | None = None,
) -> Path:
    """Train one step after the other; return the file with the last weights, as written by numpy.

    `start_net`: a packaged net to start from. A generation learns from all positions so far, a search from the
    positions of the last two searches, a mean from its own.
    """
    parts: list[Positions] = []
    last = None
    if start_net:
        last = str(out / f"{start_net}.npy")
        np.save(last, np.array(weights.read_weights(weights.WEIGHTS_FOLDER / f"{start_net}.bin"), dtype=np.float32))
    for number, step in enumerate(steps):
        begun = time.monotonic()
        if step.kind == "generation":
            pairs = [(last, last), (last, "odds")] if last else [("odds", "odds")]
            fresh = play_out(rules, pairs, step.games, step.seed, keep, workers)
            start = start_weights(SEED)
        else:
            assert last is not None
            fresh = search_out(rules, last, step.games, step.seed, workers, mean=step.kind == "mean")
            start = weights_of(np.load(last), SEED)
            goes_on = step.kind == "search" and number > 0 and steps[number - 1].kind == "search"
            del parts[1 if goes_on else 0 :]
        parts.insert(0, fresh)
        data = join(parts)
        log(step=number, positions=len(data), decisions=len(data.counts), seconds=round(time.monotonic() - begun))
        held = len(fresh.counts) // 20

        def on_epoch(epoch: int, entropy: float, spread: float, number: int = number) -> None:
            log(step=number, epoch=epoch, loss=round(entropy, 5), spread=round(spread, 6))

        learned = data.cut(held, len(data.counts))
        rate, spread = KINDS[step.kind]
        fitted = fit(learned, fresh.cut(0, held), start, step.epochs, SEED, rate, spread, on_epoch=on_epoch)
        path = out / f"{rules[0]}-{number}.npy"
        np.save(path, flat(fitted))
        for other in ("odds", last) if last else ("odds",):
            for name in rules:
                share, error = duel(Net(flat(fitted)), player(other), name, deals, step.seed + 1)
                stem = Path(other).stem
                log(step=number, rules=name, against=stem, share=round(share, 4), error=round(error, 4), deals=deals)
        log(step=number, seconds_in_all=round(time.monotonic() - begun))
        last = str(path)
    assert last is not None
    return Path(last)


def write_weights(path: Path, numbers: Array, made: dict[str, object]) -> None:
    """Write weights and, to `weights.json` beside them, their hash, how they were made and from which net."""
    data = numbers.astype("<f4").tobytes()
    path.write_bytes(data)
    log = path.parent / "weights.json"
    table = json.loads(log.read_text(encoding="utf-8")) if log.exists() else {}
    begun = {"start": table[path.stem]} if "--start" in str(made["command"]) else {}
    table[path.stem] = {"sha256": hashlib.sha256(data).hexdigest(), **made, **begun}
    lines = [f"{json.dumps(name)}: {json.dumps(one)}" for name, one in table.items()]  # one line each
    log.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def known_rules(ctx: click.Context, param: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the rule sets, or raise an error for an unknown one."""
    for name in names:
        try:
            load_rules(name)
        except ArenaError as error:
            raise click.BadParameter(str(error), ctx, param) from None
    return names


@click.command(
    help="Train a net for one or several RULES by self-play: first all generations, then the searches, then the means."
)
@click.argument("rules", nargs=-1, required=True, callback=known_rules)
@click.option(
    "--generation",
    "generations",
    type=StepType("generation"),
    multiple=True,
    metavar="GAMES:EPOCHS:SEED",
    help="Learn how games end: games, rounds of learning, seed; may be repeated.",
)
@click.option(
    "--search",
    "searches",
    type=StepType("search"),
    multiple=True,
    metavar="GAMES:EPOCHS:SEED",
    help="Go on from the last weights and learn what moves turn out to be worth; may be repeated.",
)
@click.option(
    "--mean",
    "means",
    type=StepType("mean"),
    multiple=True,
    metavar="GAMES:EPOCHS:SEED",
    help="Go on from the last weights and learn the mean with the first packaged net; may be repeated.",
)
@click.option("--start", type=click.Choice(NETS), help="Go on from a packaged net, without generations before.")
@click.option(
    "--keep",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.4,
    show_default=True,
    help="The share of the positions of a generation to learn from: those of one game are much alike.",
)
@click.option(
    "--deals",
    type=click.IntRange(2, 100_000),
    default=1000,
    show_default=True,
    help="Deals, two games each, to measure what a step gained.",
)
@click.option("--workers", type=click.IntRange(1, 1024), help="Processes that play.  [default: one per core]")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default="results/training",
    show_default=True,
    help="The folder for nets and log.",
)
@click.option("--install", type=click.Choice(NETS), help="Make the last net one of the package's own.")
def main(
    rules: tuple[str, ...],
    generations: tuple[TrainingStep, ...],
    searches: tuple[TrainingStep, ...],
    means: tuple[TrainingStep, ...],
    start: str | None,
    keep: float,
    deals: int,
    workers: int | None,
    out: Path,
    install: str | None,
) -> None:
    """Run the command line."""
    if not generations and not (start and (searches or means)):
        raise click.UsageError("There is nothing to learn: give --generation, or --start and --search or --mean.")
    out.mkdir(parents=True, exist_ok=True)
    lines: list[dict[str, Any]] = []

    def log(**line: Any) -> None:
        lines.append(line)
        click.echo("  ".join(f"{key} {value}" for key, value in line.items()))
        (out / "log.json").write_text(json.dumps(lines, indent=1) + "\n")

    steps = (*generations, *searches, *means)
    last = train(rules, steps, deals, keep, out, log, workers, start)
    if install:
        words = ["python -m tools.training", *rules, *([f"--start {start}"] if start else [])]
        for step in steps:
            words.append(f"--{step.kind} {step.games}:{step.epochs}:{step.seed}")
        words.append(f"--keep {keep:g} --deals {deals}")
        write_weights(
            weights.WEIGHTS_FOLDER / f"{install}.bin", np.load(last), {"command": " ".join(words), "log": lines}
        )


if __name__ == "__main__":
    main()
