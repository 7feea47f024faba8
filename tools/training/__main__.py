"""Train a net by self-play: `python -m tools.training base --generation 50000:6:5 --refine 50000:4:21`.

Each generation plays games (the first `odds` against itself, each later one the net of the one before against itself
and against `odds` in turn), adds their positions to those before, and fits a net to all of them and to how the games
ended. A refinement goes on from the last weights: it plays that net against itself, older nets, `odds` of several
tempers and, with `--against barca:500`, bots of other families. It learns from the new positions alone, whose targets
mix the result with what the net thought later in the game. `--start base` goes on from a packaged net. With `--seeds 3`
it learns three times, each from another order of the positions, and keeps the mean of the weights. After each step the
net plays the one before and `odds`: what it gained stands in the log, with its error.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
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
from tools.training.learning import (
    Positions,
    Weights,
    fit,
    flat,
    generate,
    generate_against,
    join,
    loss_of,
    player,
    start_weights,
    weights_of,
    write_weights,
)

#: What a refinement trusts the result, against what the net thought later in the game; and its learning rate.
TRUST, RATE = 0.7, 1e-3
#: Tempers of `odds` that a refinement plays against: hopeful and careful ones beside the usual, one that reckons cards
#: as `barca` does, and one that keeps its tactic cards until they gain much, as `tactician` does.
TEMPERS = (
    "odds",
    "odds:hand=0.7,draw=0.4,theirs=0.5",
    "odds:hand=0.9,draw=0.7,theirs=0.9",
    "odds:hand=0.75,draw=0.95,theirs=0.95",
    "odds:tactic_price=0.2",
)
#: The packaged nets.
NETS = ("base", "tactical")
#: The seed of the first weights and of the order in which positions are learned from.
SEED = 1


@dataclass(frozen=True)
class TrainingStep:
    """A generation or a refinement: games, rounds through the positions, seed of the games."""

    games: int
    epochs: int
    seed: int
    refine: bool = False


class StepType(click.ParamType[TrainingStep]):
    """`GAMES:EPOCHS:SEED`."""

    name = "step"

    def __init__(self, refine: bool) -> None:
        self.refine = refine

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> TrainingStep:
        parts = str(value).split(":")
        numbers = [int(part) for part in parts if part.isascii() and part.isdecimal() and len(part) < 10]
        if not len(parts) == len(numbers) == 3 or 0 in numbers[:2]:
            self.fail(f"{value!r} is not GAMES:EPOCHS:SEED, such as 50000:6:5", param, ctx)
        return TrainingStep(numbers[0], numbers[1], numbers[2], self.refine)


class BotGamesType(click.ParamType[tuple[str, int]]):
    """`BOT:GAMES`."""

    name = "bot"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, int]:
        if isinstance(value, tuple):
            return value
        bot, _, games = str(value).rpartition(":")
        if not bot or not (games.isascii() and games.isdecimal() and 0 < len(games) < 7 and int(games)):
            self.fail(f"{value!r} is not BOT:GAMES, such as barca:500", param, ctx)
        return bot, int(games)


def duel(one: Evaluator, two: Evaluator, rules: str, deals: int, seed: int) -> tuple[float, float]:
    """The share of points of `one` over pairs of games, and its 95% error."""
    scores = np.zeros(deals)
    for seat, pair in enumerate(((one, two), (two, one))):
        results = play_games(load_rules(rules), pair, 0, deals, seed)
        scores += [0.25 if won == 2 else 0.5 * (won == seat) for won, _, _ in results]
    return float(scores.mean()), float(1.96 * scores.std(ddof=1) / deals**0.5)


def opponents(nets: list[str], refine: bool) -> list[tuple[str, str]]:
    """Who plays whom in a step: `odds` itself at first, then the last of the nets against itself and others."""
    if not nets:
        return [("odds", "odds")]
    last = nets[-1]
    if not refine:
        return [(last, last), (last, "odds")]
    pairs = []
    for number, other in enumerate([*TEMPERS, *nets[-3:-1]]):
        pairs += [(last, last), (other, last) if number % 2 else (last, other)]
    return pairs


def train(
    rules: tuple[str, ...],
    steps: tuple[TrainingStep, ...],
    deals: int,
    keep: float,
    out: Path,
    log: Callable[..., None],
    workers: int | None = None,
    seeds: int = 1,
    start_net: str | None = None,
    bots: tuple[tuple[str, int], ...] = (),
) -> Path:
    """Train one step after the other; the file of the last one's weights, as numpy wrote it.

    `start_net`: a packaged net to go on from. `bots`: with how many games a refinement learns from which bots, too.

    `seeds`: how often a refinement learns, each time from another order of the positions. All begin with the same
    weights, so the mean of what comes out is a net, too, and has less of the noise of the last batches (Wortsman et
    al. 2022, "Model soups").
    """
    parts: list[Positions] = []
    nets: list[str] = []
    if start_net:
        nets.append(str(out / f"{start_net}.npy"))
        np.save(nets[0], np.array(weights.read_weights(weights.FOLDER / f"{start_net}.bin"), dtype=np.float32))
    for number, step in enumerate(steps):
        begun = time.monotonic()
        trust = TRUST if step.refine else 1.0
        fresh = generate(
            rules, opponents(nets, step.refine), step.games, step.seed, keep=keep, trust=trust, workers=workers
        )
        if step.refine and bots:
            fresh = join([*generate_against(rules, nets[-1], bots, step.seed, trust, workers), fresh])
        parts.insert(0, fresh)
        data = fresh if step.refine else join(parts)
        log(step=number, positions=len(data), seconds=round(time.monotonic() - begun))
        start, rate = start_weights(SEED), 2e-3
        if step.refine and nets:
            start, rate = weights_of(np.load(nets[-1]), SEED), RATE
        held = len(data) // 20
        learned, kept_back = cut(data, 0, len(data) - held), cut(data, len(data) - held, len(data))
        seeds_now = seeds if step.refine and nets else 1
        found = mean_of(
            [
                fit(learned, kept_back, start, step.epochs, seed, rate, tell=partial(tell, log, number, seed))
                for seed in range(SEED, SEED + seeds_now)
            ]
        )
        tell(log, number, None, step.epochs, loss_of(found, kept_back))
        path = out / f"{rules[0]}-{number}.npy"
        np.save(path, flat(found))
        for other in ("odds", *nets[-1:]):
            for name in rules:
                share, error = duel(Net(flat(found)), player(other), name, deals, step.seed + 1)
                stem = Path(other).stem
                log(step=number, rules=name, against=stem, share=round(share, 4), error=round(error, 4), deals=deals)
        log(step=number, seconds_in_all=round(time.monotonic() - begun))
        nets.append(str(path))
    return Path(nets[-1])


def tell(log: Callable[..., None], step: int, seed: int | None, epoch: int, loss: float) -> None:
    """Log a loss on the positions held back; `seed` None: of the mean."""
    log(step=step, seed=seed or "mean", epoch=epoch, loss=round(loss, 5))


def mean_of(fits: list[Weights]) -> Weights:
    """The mean of several weights that began as the same."""
    return {name: np.stack([weights[name] for weights in fits]).mean(axis=0) for name in fits[0]}


def cut(data: Positions, first: int, end: int) -> Positions:
    """Some of the positions."""
    return Positions(data.x[first:end], data.y[first:end], data.owned[first:end])


def known_rules(ctx: click.Context, param: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    """The rule sets, if they are there."""
    for name in names:
        try:
            load_rules(name)
        except ArenaError as error:
            raise click.BadParameter(str(error), ctx, param) from None
    return names


@click.command(help="Train a net for one or several RULES by self-play; first all generations, then the refinements.")
@click.argument("rules", nargs=-1, required=True, callback=known_rules)
@click.option(
    "--generation",
    "generations",
    type=StepType(False),
    multiple=True,
    metavar="GAMES:EPOCHS:SEED",
    help="Games, rounds of learning, seed; may be repeated.",
)
@click.option(
    "--refine",
    "refinements",
    type=StepType(True),
    multiple=True,
    metavar="GAMES:EPOCHS:SEED",
    help="Go on from the last weights, against a mixture of opponents; may be repeated.",
)
@click.option("--start", type=click.Choice(NETS), help="Go on from a packaged net, without generations before.")
@click.option(
    "--against",
    "bots",
    type=BotGamesType(),
    multiple=True,
    metavar="BOT:GAMES",
    help="A bot that a refinement plays against, too, and for how many games of each rule set; may be repeated.",
)
@click.option(
    "--keep",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.4,
    show_default=True,
    help="The share of the positions to learn from: those of one game are much alike.",
)
@click.option(
    "--seeds",
    type=click.IntRange(1, 20),
    default=1,
    show_default=True,
    help="How often a refinement learns, in different orders; the mean is kept.",
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
    refinements: tuple[TrainingStep, ...],
    start: str | None,
    bots: tuple[tuple[str, int], ...],
    keep: float,
    seeds: int,
    deals: int,
    workers: int | None,
    out: Path,
    install: str | None,
) -> None:
    """The command line."""
    if not generations and not (start and refinements):
        raise click.UsageError("There is nothing to learn: give --generation, or --start and --refine.")
    out.mkdir(parents=True, exist_ok=True)
    lines: list[dict[str, Any]] = []

    def log(**line: Any) -> None:
        lines.append(line)
        click.echo("  ".join(f"{key} {value}" for key, value in line.items()))
        (out / "log.json").write_text(json.dumps(lines, indent=1) + "\n")

    last = train(rules, (*generations, *refinements), deals, keep, out, log, workers, seeds, start, bots)
    if install:
        words = ["python -m tools.training", *rules, *([f"--start {start}"] if start else [])]
        for step in (*generations, *refinements):
            words.append(f"--{'refine' if step.refine else 'generation'} {step.games}:{step.epochs}:{step.seed}")
        words += [f"--against {bot}:{games}" for bot, games in bots]
        words.append(f"--keep {keep:g} --seeds {seeds} --deals {deals}")
        target = weights.FOLDER / f"{install}.bin"
        write_weights(target, np.load(last), {"command": " ".join(words), "log": lines})


if __name__ == "__main__":
    main()
