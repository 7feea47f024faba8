"""Which parameters to try next: optuna's tree-structured Parzen estimator (Bergstra et al. 2011), several at once.

SPSA, which fishtest tunes engines with, was weighed and left: it needs some ten thousands of games and step sizes
chosen by hand, and is not made for choices and small whole numbers. Bots here have few parameters with wide ranges.

Each proposal has a sampler of its own seed, so it follows from the seed and the results so far alone: a tuning that is
interrupted goes on as if it had not been.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from arena.game.rng import derive_seed
from arena.lab.tuning.space import Choice, Parameter, Params, TuneError

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
        found: Params = {}
        for one in self._parameters:
            value = trial.params[one.name]
            found[one.name] = value if isinstance(one, Choice) else one.value(value)
        self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)  # `tell` adds it with its score
        return found

    def _distributions(self) -> dict[str, Any]:
        make = self._optuna.distributions
        found = {}
        for one in self._parameters:
            if isinstance(one, Choice):
                found[one.name] = make.CategoricalDistribution(one.values)
            elif one.whole:
                found[one.name] = make.IntDistribution(int(one.low), int(one.high))
            else:
                found[one.name] = make.FloatDistribution(one.low, one.high)
        return found
