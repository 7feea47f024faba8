"""Tuning a bot: proposals play the same deals, the best go through a race, the winner is confirmed by fresh games.

1. **Trials.** Each proposal plays pairs against each opponent, all on the same deals, so that much luck cancels out.
2. **Race.** The best of them play on, on fresh deals: four with as many games again, then two with twice as many. What
   chose them was partly luck; these games are new.
3. **Confirmation.** The winner meets the bot as it was, and the opponents, on deals that played no part in the choice.

Each of these is a stored run in the folder, resumed by itself; `tune.json` says what was asked, and in the end what
came out. So an interrupted tuning goes on by the same call, with the same result, whatever the number of workers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from arena.bots.spec import find_bot
from arena.game.rng import derive_seed
from arena.lab.tournament import run_tournament
from arena.lab.tuning.proposals import Proposals
from arena.lab.tuning.space import Parameter, Params, TuneError, spec_with
from arena.results.whole_file import write_whole
from arena.stats.pairs import HeadToHead, counts_between, head_to_head

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
        sources = [find_bot(one).source_hash for one in (self.bot, *self.against)]
        values = {**asdict(self), "parameters": [str(one) for one in self.parameters], "sources": sources}
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
        """Is the winner shown to be stronger than the bot as it was? (Likelihood above 95 %.)"""
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
        one = next((old for old in tried if old.params == params), None)
        if one is None:
            one = Candidate(params)
            field_.play(one, f"trials/{number:03}", "trial", task.games)
            tried.append(one)
            tell(f"trial {number + 1} of {task.trials}: {_text(params)}  {one.score:.1%}")
        proposals.tell(params, one.score)
    best = _ranked(tried)
    for stage, (count, times) in enumerate(RACES):
        best = _ranked(best)[:count]
        for one in best if len(best) > 1 else ():
            field_.play(one, f"race/{stage}-{tried.index(one):03}", f"race {stage}", task.games * times)
            tell(f"race {stage + 1}: {_text(one.params)}  {one.score:.1%} of {one.games} games")
    winner = _ranked(best)[0]
    found = Result(tried, winner, field_.confirm(winner.params))
    write_whole(folder / FILE, [_json(task.values() | {"result": result_values(found)})], follow=False)
    return found


def result_values(found: Result) -> dict[str, Any]:
    """A result for JSON."""
    return {
        "params": found.winner.params,
        "better": found.better,
        "confirmed": {name: _figures(head) for name, head in found.confirmed.items()},
        "trials": [asdict(one) | {"score": round(one.score, 6)} for one in found.trials],
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

    def play(self, one: Candidate, place: str, purpose: str, games: int) -> None:
        """Further games of a candidate, on the deals of a purpose."""
        opponents = self._opponents or [self._default]
        run = self._run(one.params, opponents, place, purpose, games)
        won = run.games["score"].where(run.games["first"] == TUNED, 1 - run.games["score"])
        one.add(len(run.games), float(won.sum()), int((run.games["forfeit_by"] == TUNED).sum()))

    def confirm(self, params: Params) -> dict[str, HeadToHead]:
        """The candidate against the bot as it was, then the opponents by their specs."""
        opponents = [self._default, *self._opponents]
        run = self._run(params, opponents, "confirm", "confirm", self._task.confirm)
        names = (DEFAULT, *self._task.against)
        return {
            name: head_to_head(counts_between(run.games, TUNED, one["name"])) for name, one in zip(names, opponents)
        }

    def _run(self, params: Params, opponents: list[dict[str, str]], place: str, purpose: str, games: int) -> Any:
        task = self._task
        return run_tournament(
            [{"spec": spec_with(task.bot, params), "name": TUNED}, *opponents],
            format="gauntlet",
            rules=task.rules,
            games=games,
            seed=derive_seed(task.seed, "tune", purpose) % (1 << 62),
            workers=self._workers,
            out=self._folder / place,
            **({"clock": task.clock} if task.clock else {}),  # type: ignore[arg-type]
        )


def _ranked(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The best first; of equals the one tried first."""
    return sorted(candidates, key=lambda one: -one.score)


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
            raise TuneError(f"{folder} is not empty, and holds no tuning; choose another folder") from None
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, [_json(values)], follow=False)
        return
    except (ValueError, AttributeError, TypeError, OSError) as error:
        raise TuneError(f"cannot read {path}: {error}; choose another folder") from None
    differing = [name for name in values if stored.get(name) != json.loads(_json(values[name]))]
    if differing:
        raise TuneError(
            f"{folder} holds another tuning: {', '.join(differing)} differ; choose another folder with --out, or say"
            " the same as then"
        )


def stored_seed(folder: Path) -> int | None:
    """The seed of a tuning that was begun in a folder, None if none was."""
    try:
        seed = json.loads((folder / FILE).read_text(encoding="utf-8"))["seed"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return seed if type(seed) is int else None
