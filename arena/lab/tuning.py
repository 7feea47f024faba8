"""Tune the parameters of a bot with Optuna: trials on the same deals, then a confirmation on fresh ones.

1. **Trials.** Optuna's tree-structured Parzen estimator (Bergstra et al. 2011) proposes parameters. All proposals play
   the same deals against the same opponents, so that much luck cancels out. Every few games Optuna's median pruner may
   stop a trial that has fallen behind.
2. **Confirmation.** The best proposal meets the bot as it was, and the opponents, on deals that no trial has played.

The study is an Optuna storage in the folder, and each trial is a stored run beside it, which grows. So the same call
continues a study. The sampler is seeded anew for each proposal: proposals depend on the seed and on the finished trials
only, never on an interruption or on the number of workers.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from arena.bots.bundle import bots_held
from arena.bots.loading import load_bot
from arena.bots.spec import find_bot, params_text, parse_spec
from arena.errors import ArenaError
from arena.game.rng import derive_seed
from arena.game.rules import written_out
from arena.lab.notebook import Run
from arena.lab.tournament import run_tournament
from arena.stats.pairs import HeadToHead, counts_between, head_to_head
from arena.text import quoted
from arena.tournament.folders import drawn_seed, folder_name
from arena.tournament.forfeits import ForfeitSummary
from arena.whole_file import make_folder

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.study import Study
    from optuna.trial import FrozenTrial, Trial

Value: TypeAlias = int | float | str
Params: TypeAlias = Mapping[str, Value]


def load_optuna() -> Any:
    """Import optuna. Raises ArenaError with the remedy if it is not installed."""
    try:
        import optuna  # slow to load, and an extra
    except ImportError:
        raise ArenaError("arena tune needs optuna; install it with: pip install 'schotten-arena[tune]'") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


# ---------------------------------------------------------------- parameters

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})")
_STEPS = 1000
_LARGEST = 1e12


def read_parameters(bot: str, texts: Sequence[str]) -> dict[str, BaseDistribution]:
    """Return the distribution of each parameter named by texts such as `depth:1..6`, `boldness:0..1`, `style:a|b`.

    Runs the code of the bot's file: its signature says which ranges are of whole numbers. Raises ArenaError if
    the bot has no such parameter or cannot take one of the values.
    """
    distributions = load_optuna().distributions
    if not texts:
        raise ArenaError("name at least one parameter to tune, such as --param depth:1..6")
    spec = find_bot(bot)
    if spec.command:
        raise ArenaError(f"{bot} is a command; only bots in Python have parameters that can be set")
    parameters = [_read_parameter(text) for text in texts]
    names = [name for name, _, _ in parameters]
    for name in names:
        if names.count(name) > 1:
            raise ArenaError(f"--param {name} was given twice")
        if name in dict(spec.params):
            raise ArenaError(f"{name} is fixed in {bot} and also named by --param; leave one of them out")
    typed: list[Mapping[str, object]] = []
    for number in range(max(len(values) for _, values, _ in parameters)):
        params = {name: values[min(number, len(values) - 1)] for name, values, _ in parameters}
        typed.append(load_bot(find_bot(spec_with(bot, params)), capture=False).params)
    space: dict[str, BaseDistribution] = {}
    for name, values, is_range in parameters:
        if not is_range:
            space[name] = distributions.CategoricalDistribution(values)
        elif all(type(params[name]) is int for params in typed):
            low, high = map(int, values)
            space[name] = distributions.IntDistribution(low, high)
        else:
            lowest, highest = map(Decimal, values)
            step = float((highest - lowest) / _STEPS)
            space[name] = distributions.FloatDistribution(float(lowest), float(highest), step=step)
    return space


def _read_parameter(text: str) -> tuple[str, tuple[str, ...], bool]:
    """Parse a parameter into its name, its bounds or choices, and whether these are bounds."""
    wrong = ArenaError(f"--param {quoted(text, 60)}: expected NAME:LOW..HIGH or NAME:one|other, such as depth:1..6")
    name, colon, rest = text.partition(":")
    if not colon or not name.isidentifier():
        raise wrong
    bounds = _RANGE.fullmatch(rest)
    if bounds is None:
        values = tuple(rest.split("|"))
        if not 2 <= len(values) == len({*values}) or not all(re.fullmatch(r"[^,=:\s]+", value) for value in values):
            raise wrong
        return name, values, False
    low, high = map(float, bounds.groups())
    if not -_LARGEST < low < high < _LARGEST:
        raise ArenaError(f"--param {quoted(text, 60)}: expected a bound and a larger one, both within {_LARGEST:g}")
    return name, bounds.groups(), True


def spec_with(bot: str, params: Params) -> str:
    """Return the spec of a bot with `params` added to those it has.

    >>> spec_with("mine=bots/mine.py:colour=2", {"depth": 3, "boldness": 0.25})
    'bots/mine.py:colour=2,depth=3,boldness=0.25'
    """
    parsed = parse_spec(bot)
    return parsed.target + params_text({**parsed.params, **params})


def params_of(trial: Trial | FrozenTrial) -> dict[str, Value]:
    """Return the parameters of a trial as a spec has them: 0.3, not 0.30000000000000004."""
    return {name: float(f"{value:.12g}") if type(value) is float else value for name, value in trial.params.items()}


# ---------------------------------------------------------------- tuning

STUDY = "study.sqlite"
"""Optuna's storage in the folder of a tuning."""
TUNED, DEFAULT = "tuned", "default"
"""Names of the candidate and of the bot as it was, in all runs."""
RANDOM = 8
"""The first trials, which are drawn at random and never stopped early."""
_STEP = 50
"""Games against each opponent, and as many more, after which a trial may be stopped."""

OnStatus: TypeAlias = Callable[[str], object]


@dataclass(frozen=True)
class TuningTask:
    """What to tune and how.

    params    such as `depth:1..6`
    against   specs of the opponents; none: the bot as it is
    seed      None: that of the tuning in the folder, or a new one
    games     of a trial against each opponent
    confirm   games of the confirmation against each opponent
    move_ms   time for a move; bank_ms: for a game
    """

    bot: str
    params: tuple[str, ...]
    against: tuple[str, ...] = ()
    rules: str = "base"
    seed: int | None = None
    trials: int = 24
    games: int = 200
    confirm: int = 400
    move_ms: int | None = None
    bank_ms: int | None = None

    @property
    def default(self) -> dict[str, str]:
        """The bot as it was, for `run_tournament`."""
        return {"spec": spec_with(self.bot, {}), "name": DEFAULT}

    @property
    def opponents(self) -> list[dict[str, str]]:
        """The opponents, for `run_tournament`."""
        return [
            {"spec": spec, "name": f"against{number}"} for number, spec in enumerate(dict.fromkeys(self.against), 1)
        ]


@dataclass(frozen=True)
class Result:
    """The winner of a tuning and its confirmation.

    spec        the bot with the winning parameters
    confirmed   the winner against the bot as it was (DEFAULT), then against each opponent
    forfeits    who forfeited games of the confirmation; its bots are TUNED, DEFAULT, against1, ...
    folder      where the confirmation is stored
    """

    spec: str
    params: Params
    confirmed: Mapping[str, HeadToHead]
    forfeits: ForfeitSummary
    folder: Path

    @property
    def better(self) -> bool:
        """Whether the winner is stronger than the bot as it was, with a likelihood above 95%."""
        return self.confirmed[DEFAULT].los > 0.95


@bots_held()
def tune(task: TuningTask, folder: Path, workers: int | None = None, on_status: OnStatus = lambda line: None) -> Result:
    """Tune a bot. The same task gives the same result; a task with more trials continues the study in the folder.

    `on_status` is called with a line about each step. Raises KeyboardInterrupt after Ctrl-C (the same call continues),
    ArenaError if the folder holds another tuning, or for bots or rules that do not exist.
    """
    optuna = load_optuna()
    space = read_parameters(task.bot, task.params)
    study = _open_study(folder)
    task = _agreed(study, task)
    assert task.seed is not None
    on_status(f"tuning in {folder}, seed {task.seed}")
    complete, pruned = optuna.trial.TrialState.COMPLETE, optuna.trial.TrialState.PRUNED
    while (number := len(study.get_trials(states=[complete, pruned]))) < task.trials:
        seed = derive_seed(task.seed, "proposal", number) % (1 << 32)
        study.sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=RANDOM)
        trial = study.ask(space)
        score, games = _score(trial, task, folder, workers)
        if games == task.games:
            study.tell(trial, score)
            early = ""
        else:
            study.tell(trial, state=pruned)
            early = f" of {games} games, stopped early"
        on_status(f"trial {number + 1} of {task.trials}: {_text(trial)}  {score:.1%}{early}")
    winner = max(study.get_trials(states=[complete]), key=lambda trial: trial.value or 0.0)  # the first of equals
    return _confirm(winner, task, folder, workers)


def _open_study(folder: Path) -> Study:
    """Open or create the study of a folder."""
    optuna = load_optuna()
    make_folder(folder)
    try:
        with closing(sqlite3.connect(folder / STUDY)) as database:
            database.execute("BEGIN IMMEDIATE")  # the errors of Optuna's storage are not for users
    except sqlite3.Error as error:
        raise ArenaError(f"cannot write to {folder / STUDY}: {error}; choose another folder with --out") from error
    study: Study = optuna.create_study(
        storage=f"sqlite:///{folder / STUDY}",
        study_name="tune",
        direction="maximize",
        pruner=optuna.pruners.MedianPruner(n_startup_trials=RANDOM),
        load_if_exists=True,
    )
    return study


def _agreed(study: Study, task: TuningTask) -> TuningTask:
    """Return the task with the rules and the seed of the study, whose attributes then hold the settings.

    Raises ArenaError if they hold others. The numbers of trials and of games to confirm may differ.
    """
    stored = study.user_attrs
    seed = stored.get("seed", drawn_seed()) if task.seed is None else task.seed
    task = replace(task, rules=written_out(task.rules), seed=seed)
    sources = [find_bot(spec).source_hash for spec in (task.bot, *task.against)]
    settings = json.loads(json.dumps(asdict(task) | {"sources": sources}))
    del settings["trials"], settings["confirm"]
    if differing := [name for name, value in settings.items() if stored.get(name, value) != value]:
        raise ArenaError(
            f"the folder holds a tuning with other settings ({', '.join(differing)}); choose another folder with"
            " --out, or repeat the settings of that tuning"
        )
    for name, value in settings.items():
        study.set_user_attr(name, value)
    return task


def _score(trial: Trial, task: TuningTask, folder: Path, workers: int | None) -> tuple[float, int]:
    """Play a trial to its end, or until the pruner stops it; return its score and its games against each opponent."""
    place = folder / "trials" / folder_name(_text(trial))
    opponents = task.opponents or [task.default]
    for size in (*range(_STEP, task.games, _STEP), task.games):
        games = _play(task, params_of(trial), opponents, size, place, workers, "trial").games
        score = float(games["score"].where(games["first"] == TUNED, 1 - games["score"]).mean())
        trial.report(score, size)
        if size < task.games and trial.should_prune():
            break
    return score, size


def _confirm(winner: FrozenTrial, task: TuningTask, folder: Path, workers: int | None) -> Result:
    """Play the best trial against the bot as it was and the opponents, on fresh deals."""
    params = params_of(winner)
    place = folder / "confirm" / folder_name(_text(winner))
    run = _play(task, params, [task.default, *task.opponents], task.confirm, place, workers, "confirm")
    names = {DEFAULT: DEFAULT} | {bot["spec"]: bot["name"] for bot in task.opponents}
    return Result(
        spec=spec_with(task.bot, params),
        params=params,
        confirmed={spec: head_to_head(counts_between(run.games, TUNED, name)) for spec, name in names.items()},
        forfeits=run.forfeit_summary,
        folder=place,
    )


def _play(
    task: TuningTask,
    params: Params,
    opponents: Sequence[Mapping[str, str]],
    games: int,
    folder: Path,
    workers: int | None,
    purpose: str,
) -> Run:
    """Play the bot with parameters against opponents, on the deals of a purpose; return the run."""
    assert task.seed is not None
    return run_tournament(
        [{"spec": spec_with(task.bot, params), "name": TUNED}, *opponents],
        format="gauntlet",
        rules=task.rules,
        games=games,
        seed=derive_seed(task.seed, "tune", purpose) % (1 << 62),
        clock=(task.move_ms, task.bank_ms),
        workers=workers,
        out=folder,
    )


def _text(trial: Trial | FrozenTrial) -> str:
    """Return the parameters of a trial as one text."""
    return ",".join(f"{name}={value}" for name, value in params_of(trial).items())
