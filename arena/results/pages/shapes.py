"""What a plot shows, as plain values: pages draw them as SVG (`svg`), `arena plot` with matplotlib (`drawings`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

KINDS = ("standings", "crosstable", "variants", "progress", "lengths")
"""Plots that one can ask for by name."""
LOOKS = 6
"""Colours of lines, each with a dash of its own."""
MOST_LINES = 2 * LOOKS
"""Lines of a plot that can be told apart: from the seventh on, a colour comes again with another dash and squares."""


def look(at: int) -> tuple[int, int, bool]:
    """How a line of a plot looks, by its place in it: colour, dash (0..5), and whether its marks are squares.

    >>> look(0), look(6)
    ((0, 0, False), (0, 3, True))
    """
    again = at // LOOKS % 2
    return at % LOOKS, (at + again * LOOKS // 2) % LOOKS, bool(again)


@dataclass(frozen=True)
class Dot:
    """A figure with its interval (None: without), a label, and what is shown of it when it is pointed at."""

    label: str
    value: float
    low: float | None
    high: float | None
    tip: str


@dataclass(frozen=True)
class Dots:
    """A line for each figure. `middle`: a figure of the axis to compare with; `group`: rows that belong together."""

    rows: Sequence[Dot]
    axis: str
    middle: float | None = None
    group: int = 0


@dataclass(frozen=True)
class Bar:
    """A bar: the label below it, its height, and what is shown of it."""

    label: str
    value: float
    tip: str


@dataclass(frozen=True)
class Bars:
    """A histogram."""

    rows: Sequence[Bar]
    x_axis: str
    y_axis: str
    heading: str = ""


@dataclass(frozen=True)
class Lines:
    """A line for each name through figures `at` the same places; nan where nothing is known."""

    names: Sequence[str]
    at: Sequence[float]
    values: Sequence[Sequence[float]]
    x_axis: str
    y_axis: str


@dataclass(frozen=True)
class Stacks:
    """A bar of 100 % for each label, in parts: `rows` are a label and as many counts as there are `names`."""

    names: Sequence[str]
    rows: Sequence[tuple[str, Sequence[int]]]


@dataclass(frozen=True)
class Cell:
    """A figure of a square with its heat (0..8, 4: none), a smaller figure below it, and the same in words."""

    text: str
    small: str
    heat: int
    tip: str


@dataclass(frozen=True)
class Square:
    """A row and a column for each bot; None where two did not meet."""

    caption: str
    bots: Sequence[str]
    rows: Sequence[Sequence[Cell | None]]


Plot: TypeAlias = Dots | Bars | Lines | Stacks | Square


def ticks(low: float, high: float, about: int = 6) -> list[float]:
    """Round numbers around a range, some `about` of them.

    >>> ticks(-37, 212), ticks(0, 0.9, 3)
    ([-50.0, 0.0, 50.0, 100.0, 150.0, 200.0, 250.0], [0.0, 0.5, 1.0])
    """
    span = (high - low) or abs(high) or 1.0
    power = 10.0 ** math.floor(math.log10(span / about))
    step = next(power * one for one in (1, 2, 5, 10) if span / (power * one) <= about)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(one * step, 10) for one in range(first, max(last, first + 1) + 1)]
