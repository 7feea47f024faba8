"""Tuning a bot: proposals play the same deals, the best go through a race, the winner is confirmed by fresh games.

1. **Trials.** Each proposal plays pairs against each opponent, all on the same deals, so that much luck cancels out.
2. **Race.** The best of them play on, on fresh deals: four with as many games again, then two with twice as many. What
   chose them was partly luck; these games are new.
3. **Confirmation.** The winner meets the bot as it was, and the opponents, on deals that played no part in the choice.

Each of these is a stored run in the folder, resumed by itself; `tune.json` says what was asked, and in the end what
came out. So an interrupted tuning goes on by the same call, with the same result, whatever the number of workers.

Proposals come from optuna's tree-structured Parzen estimator (Bergstra et al. 2011). SPSA, which fishtest tunes engines
with, needs some ten thousands of games and step sizes chosen by hand, and is not made for choices and whole numbers.
"""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

from arena.bots.loading import load_bot
from arena.bots.spec import find_bot, parse_spec
from arena.errors import ArenaError
from arena.game.rng import derive_seed
from arena.lab.tournament import run_tournament
from arena.stats.pairs import HeadToHead, counts_between, head_to_head
from arena.text import quoted
from arena.whole_file import write_whole

# ---------------------------------------------------------------- what is tuned

Value: TypeAlias = int | float | str
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})")
_STEPS = 1000
_LARGEST = 1e12


class TuneError(ArenaError):
    """A bot cannot be tuned as asked."""


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`; whole ones, or multiples of `step` above `low`."""

    name: str
    low: float
    high: float
    step: float
    whole: bool

    def value(self, number: float) -> Value:
        """A number as it stands in a spec: without what rounding adds."""
        if self.whole:
            return int(number)
        near = float(Decimal(repr(number)).quantize(Decimal(repr(self.step)).normalize()))
        return min(max(near, self.low), self.high)

    def __str__(self) -> str:
        return f"{self.name}:{self.low:g}..{self.high:g}"


@dataclass(frozen=True)
class Choice:
    """One of several texts."""

    name: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}:{'|'.join(self.values)}"


Parameter: TypeAlias = Range | Choice
Params: TypeAlias = dict[str, Value]


def read_parameters(bot: str, texts: Sequence[str]) -> list[Parameter]:
    """The parameters of a bot that are to be tuned, from texts such as `depth:1..6`, `boldness:0..1`, `style:a|b`.

    Whether a range is of whole numbers is what the bot's signature says. TuneError, or BotError if the bot has no such
    parameter or cannot take a bound. Runs the code of the bot's file.
    """
    if not texts:
        raise TuneError("name at least one parameter to tune, such as --param depth:1..6")
    spec = find_bot(bot)
    if spec.command:
        raise TuneError(f"{bot} is a command; only bots in Python have parameters that can be set")
    raw = [_read(text) for text in texts]
    names = [name for name, _ in raw]
    for name in names:
        if names.count(name) > 1:
            raise TuneError(f"--param {name} was given twice")
        if name in dict(spec.params):
            raise TuneError(f"{name} is fixed in {bot} and also named by --param; leave one of them out")
    typed: list[Mapping[str, object]] = []
    for number in range(max(len(values) for _, values in raw)):
        params = {name: values[min(number, len(values) - 1)] for name, values in raw}
        typed.append(load_bot(find_bot(spec_with(bot, params)), capture=False).params)
    parameters: list[Parameter] = []
    for name, values in raw:
        if isinstance(values, tuple):
            parameters.append(Choice(name, values))
            continue
        low, high = map(float, values)
        whole = all(type(params[name]) is int for params in typed)
        step = 1.0 if whole else 10.0 ** math.floor(math.log10((high - low) / _STEPS) + 1e-9)
        parameters.append(Range(name, low, high, step, whole))
    return parameters


def _read(text: str) -> tuple[str, list[str] | tuple[str, ...]]:
    """A name with the two bounds of a range (a list), or with choices (a tuple)."""
    wrong = TuneError(f"--param {quoted(text, 60)}: expected NAME:LOW..HIGH or NAME:one|other, such as depth:1..6")
    name, colon, rest = text.partition(":")
    if not colon or not name.isidentifier():
        raise wrong
    bounds = _RANGE.fullmatch(rest)
    if bounds is None:
        values = tuple(rest.split("|"))
        if not 2 <= len(values) == len({*values}) or not all(re.fullmatch(r"[^,=:\s]+", value) for value in values):
            raise wrong
        return name, values
    low, high = map(float, bounds.groups())
    if not -_LARGEST < low < high < _LARGEST:
        raise TuneError(f"--param {quoted(text, 60)}: expected a bound and a larger one, both within {_LARGEST:g}")
    return name, list(bounds.groups())


def spec_with(bot: str, params: Mapping[str, Value]) -> str:
    """The spec of a bot with parameters, in addition to those that it has.

    >>> spec_with("mine=bots/mine.py:colour=2", {"depth": 3, "boldness": 0.25})
    'bots/mine.py:colour=2,depth=3,boldness=0.25'
    """
    parsed = parse_spec(bot)
    words = [f"{name}={value}" for name, value in {**parsed.params, **params}.items()]
    return f"{parsed.target}:{','.join(words)}" if words else parsed.target


# ---------------------------------------------------------------- which parameters to try next

RANDOM = 8
"""The first proposals are drawn at random."""


class Proposals:
    """Proposals for parameters; each is to be told its score before the next is asked for."""

    def __init__(self, parameters: Sequence[Parameter], seed: int) -> None:
        try:
            import optuna
        except ImportError:
            raise TuneError("arena tune needs optuna; install it with: pip install 'schotten-arena[tune]'") from None
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._optuna: Any = optuna
        self._parameters = parameters
        self._seed = seed
        self._study = optuna.create_study(direction="maximize")
        self._made = 0

    def tell(self, params: Params, score: float) -> None:
        """The score of parameters that were proposed, or are known from elsewhere: 0 to 1."""
        trial = self._optuna.trial.create_trial(params=params, distributions=self._distributions(), value=score)
        self._study.add_trial(trial)
        self._made += 1

    def ask(self) -> Params:
        """The next parameters to try."""
        seed = derive_seed(self._seed, "proposal", self._made) % (1 << 32)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "experimental"
            sampler = self._optuna.samplers.TPESampler(seed=seed, multivariate=True, n_startup_trials=RANDOM)
            self._study.sampler = sampler
            trial = self._study.ask(self._distributions())
        params: Params = {}
        for parameter in self._parameters:
            value = trial.params[parameter.name]
            params[parameter.name] = value if isinstance(parameter, Choice) else parameter.value(value)
        self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)  # `tell` adds it with its score
        return params

    def _distributions(self) -> dict[str, Any]:
        make = self._optuna.distributions
        distributions = {}
        for parameter in self._parameters:
            if isinstance(parameter, Choice):
                distributions[parameter.name] = make.CategoricalDistribution(parameter.values)
            elif parameter.whole:
                distributions[parameter.name] = make.IntDistribution(int(parameter.low), int(parameter.high))
            else:
                distributions[parameter.name] = make.FloatDistribution(parameter.low, parameter.high)
        return distributions


# ---------------------------------------------------------------- tuning

FILE = "tune.json"
TUNED, DEFAULT = "tuned", "default"
"""Names of the candidate and of the bot as it was, in all runs."""
RACES = ((4, 1), (2, 2))
"""How many go through each stage of the race, and how many times the games of a trial they play there."""


@dataclass(frozen=True)
class Task:
    """What is asked. `against`: specs; none: the bot as it is. Games are those of a trial against each opponent."""

    bot: str
    parameters: tuple[Parameter, ...]
    against: tuple[str, ...] = ()
    rules: str = "base"
    seed: int = 0
    trials: int = 24
    games: int = 100
    confirm: int = 400
    clock: dict[str, float] | None = None

    def values(self) -> dict[str, Any]:
        """What determines the result, as it is stored: sources of bots by their hashes."""
        sources = [find_bot(entry).source_hash for entry in (self.bot, *self.against)]
        values = {**asdict(self), "parameters": [str(entry) for entry in self.parameters], "sources": sources}
        return values | {"against": list(self.against)}


@dataclass
class Candidate:
    """Parameters with the games they have played, and the points they got."""

    params: Params
    games: int = 0
    points: float = 0.0
    forfeits: int = 0

    @property
    def score(self) -> float:
        return self.points / self.games if self.games else 0.0

    def add(self, games: int, points: float, forfeits: int) -> None:
        """Further games."""
        self.games += games
        self.points += points
        self.forfeits += forfeits


@dataclass
class Result:
    """What came out: all candidates in the order of their trials, the winner, and how it did in fresh games."""

    trials: list[Candidate]
    winner: Candidate
    confirmed: dict[str, HeadToHead] = field(default_factory=dict)

    @property
    def better(self) -> bool:
        """Whether the winner is stronger than the bot as it was, with a likelihood above 95%."""
        return self.confirmed[DEFAULT].los > 0.95


Tell = Callable[[str], object]


def tune(task: Task, folder: Path, workers: int | None = None, tell: Tell = lambda line: None) -> Result:
    """Tune a bot; the same task gives the same result. `tell` is given a line about each step.

    Raises KeyboardInterrupt after Ctrl-C (the same call goes on), TuneError for a folder of another tuning, ArenaError
    for bots or rules that do not exist.
    """
    _claim(task, folder)
    field_ = _Field(task, folder, workers)
    proposals = Proposals(task.parameters, task.seed)
    tried: list[Candidate] = []
    for number in range(task.trials):
        params = proposals.ask()
        candidate = next((old for old in tried if old.params == params), None)
        if candidate is None:
            candidate = Candidate(params)
            field_.play(candidate, f"trials/{number:03}", "trial", task.games)
            tried.append(candidate)
            tell(f"trial {number + 1} of {task.trials}: {_text(params)}  {candidate.score:.1%}")
        proposals.tell(params, candidate.score)
    best = _ranked(tried)
    for stage, (count, times) in enumerate(RACES):
        best = _ranked(best)[:count]
        for candidate in best if len(best) > 1 else ():
            field_.play(candidate, f"race/{stage}-{tried.index(candidate):03}", f"race {stage}", task.games * times)
            tell(f"race {stage + 1}: {_text(candidate.params)}  {candidate.score:.1%} of {candidate.games} games")
    winner = _ranked(best)[0]
    result = Result(tried, winner, field_.confirm(winner.params))
    write_whole(folder / FILE, [_json(task.values() | {"result": result_values(result)})], follow=False)
    return result


def result_values(result: Result) -> dict[str, Any]:
    """A result for JSON."""
    return {
        "params": result.winner.params,
        "better": result.better,
        "confirmed": {name: _figures(head) for name, head in result.confirmed.items()},
        "trials": [asdict(candidate) | {"score": round(candidate.score, 6)} for candidate in result.trials],
    }


def _figures(head: HeadToHead) -> dict[str, Any]:
    names = ("elo", "elo_error95", "elo_low", "elo_high", "los")
    values = {name: float(f"{getattr(head, name):.6g}") for name in names}
    return {"games": head.games, "score": head.score} | {k: v if abs(v) < 1e9 else None for k, v in values.items()}


class _Field:
    """Plays candidates against the opponents, each time as a run of its own."""

    def __init__(self, task: Task, folder: Path, workers: int | None) -> None:
        self._task = task
        self._folder = folder
        self._workers = workers
        names = [f"against{number}" for number in range(1, len(task.against) + 1)]
        self._opponents = [{"spec": spec, "name": name} for spec, name in zip(task.against, names)]
        self._default = {"spec": spec_with(task.bot, {}), "name": DEFAULT}

    def play(self, candidate: Candidate, folder: str, purpose: str, games: int) -> None:
        """Further games of a candidate, on the deals of a purpose."""
        opponents = self._opponents or [self._default]
        run = self._run(candidate.params, opponents, folder, purpose, games)
        won = run.games["score"].where(run.games["first"] == TUNED, 1 - run.games["score"])
        candidate.add(len(run.games), float(won.sum()), int((run.games["forfeit_by"] == TUNED).sum()))

    def confirm(self, params: Params) -> dict[str, HeadToHead]:
        """The candidate against the bot as it was, then the opponents by their specs."""
        opponents = [self._default, *self._opponents]
        run = self._run(params, opponents, "confirm", "confirm", self._task.confirm)
        names = (DEFAULT, *self._task.against)
        return {
            name: head_to_head(counts_between(run.games, TUNED, opponent["name"]))
            for name, opponent in zip(names, opponents)
        }

    def _run(self, params: Params, opponents: list[dict[str, str]], folder: str, purpose: str, games: int) -> Any:
        task = self._task
        return run_tournament(
            [{"spec": spec_with(task.bot, params), "name": TUNED}, *opponents],
            format="gauntlet",
            rules=task.rules,
            games=games,
            seed=derive_seed(task.seed, "tune", purpose) % (1 << 62),
            workers=self._workers,
            out=self._folder / folder,
            **({"clock": task.clock} if task.clock else {}),  # type: ignore[arg-type]
        )


def _ranked(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The best first; of equals the one tried first."""
    return sorted(candidates, key=lambda candidate: -candidate.score)


def _text(params: Params) -> str:
    return ",".join(f"{name}={value}" for name, value in params.items())


def _json(values: object) -> str:
    return json.dumps(values, indent=1) + "\n"


def _claim(task: Task, folder: Path) -> None:
    """The folder is that of this task, from now on. TuneError if it is that of another."""
    path, values = folder / FILE, task.values()
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        stored.pop("result", None)
    except FileNotFoundError:
        if folder.exists() and any(folder.iterdir()):
            raise TuneError(f"{folder} is not empty and holds no tuning; choose another folder") from None
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, [_json(values)], follow=False)
        return
    except (ValueError, AttributeError, TypeError, OSError) as error:
        raise TuneError(f"cannot read {path}: {error}; choose another folder") from None
    differing = [name for name in values if stored.get(name) != json.loads(_json(values[name]))]
    if differing:
        raise TuneError(
            f"{folder} holds a tuning with other settings ({', '.join(differing)}); choose another folder with --out,"
            " or repeat the settings of that tuning"
        )


def stored_seed(folder: Path) -> int | None:
    """The seed of a tuning that was begun in a folder, None if none was."""
    try:
        seed = json.loads((folder / FILE).read_text(encoding="utf-8"))["seed"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return seed if type(seed) is int else None
