"""What is tuned: ranges and choices for parameters of a bot, as `arena tune --param` takes them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from arena.bots.loading import load_bot
from arena.bots.spec import find_bot, parse_spec
from arena.errors import ArenaError
from arena.text import quoted

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
        raise TuneError("what is to be tuned? Name it, such as --param depth:1..6")
    spec = find_bot(bot)
    if spec.command:
        raise TuneError(f"{bot} is a command; only bots in Python have parameters that can be set")
    raw = [_read(text) for text in texts]
    names = [name for name, _ in raw]
    for name in names:
        if names.count(name) > 1:
            raise TuneError(f"--param {name} was given twice")
        if name in dict(spec.params):
            raise TuneError(f"{name} is fixed in {bot} and is to be tuned, too; leave one of them out")
    typed: list[Mapping[str, object]] = []
    for at in range(max(len(values) for _, values in raw)):
        params = {name: values[min(at, len(values) - 1)] for name, values in raw}
        typed.append(load_bot(find_bot(spec_with(bot, params)), capture=False).params)
    found: list[Parameter] = []
    for name, values in raw:
        if isinstance(values, tuple):
            found.append(Choice(name, values))
            continue
        low, high = map(float, values)
        whole = all(type(one[name]) is int for one in typed)
        step = 1.0 if whole else 10.0 ** math.floor(math.log10((high - low) / _STEPS) + 1e-9)
        found.append(Range(name, low, high, step, whole))
    return found


def _read(text: str) -> tuple[str, list[str] | tuple[str, ...]]:
    """A name with the two bounds of a range (a list), or with choices (a tuple)."""
    wrong = TuneError(f"--param {quoted(text, 60)}: expected NAME:LOW..HIGH or NAME:one|other, such as depth:1..6")
    name, colon, rest = text.partition(":")
    if not colon or not name.isidentifier():
        raise wrong
    bounds = _RANGE.fullmatch(rest)
    if bounds is None:
        values = tuple(rest.split("|"))
        if not 2 <= len(values) == len({*values}) or not all(re.fullmatch(r"[^,=:\s]+", one) for one in values):
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
