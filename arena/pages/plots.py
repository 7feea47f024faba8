"""Plots as SVG: plain shapes with classes for the colours, and figures that show when they are hovered or focused."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from arena.text import one_line

WIDTH = 560
_LEFT, _RIGHT, _LINE = 150, 16, 24
_LONGEST_LABEL = 20
LINES = 6
"""Lines that can be told apart by colour and dash."""


@dataclass(frozen=True)
class Dot:
    """A figure with its interval (None: without), a label, and what is shown of it when it is pointed at."""

    label: str
    value: float
    low: float | None
    high: float | None
    tip: str


@dataclass(frozen=True)
class Bar:
    """A bar: the label below it, its height, and what is shown of it."""

    label: str
    value: float
    tip: str


def dots(rows: Sequence[Dot], axis: str) -> Markup:
    """A line for each row: a dot with its error bar."""
    ends = [one for row in rows for one in (row.value, row.low, row.high) if one is not None and math.isfinite(one)]
    shown = ticks(min(ends, default=0.0), max(ends, default=1.0))
    x = _scale(shown[0], shown[-1], _LEFT, WIDTH - _RIGHT)
    bottom = _LINE * len(rows) + 12
    parts = [_grid(x(tick), 6, bottom, number(tick)) for tick in shown]
    parts.append(_text(x(shown[0]) / 2 + x(shown[-1]) / 2, bottom + 32, axis, "middle"))
    for at, row in enumerate(rows):
        y = _LINE * at + _LINE / 2 + 6
        marks = [_text(_LEFT - 8, y + 4, one_line(row.label, _LONGEST_LABEL), "end")]
        if row.low is not None and row.high is not None:
            marks.append(_path(f"M{x(row.low):.1f} {y:.1f}H{x(row.high):.1f}", "bar"))
            marks += [_path(f"M{x(end):.1f} {y - 4:.1f}v8", "bar") for end in (row.low, row.high)]
        if math.isfinite(row.value):
            marks.append(Markup('<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="4.5"/>').format(x(row.value), y))
        parts.append(_mark(marks, row.tip))
    return _svg(parts, bottom + 40, axis)


def bars(rows: Sequence[Bar], x_axis: str, y_axis: str, height: int = 150) -> Markup:
    """A histogram."""
    left, top = 50, 10
    shown = ticks(0, max([row.value for row in rows], default=1), 4)
    y = _scale(0, shown[-1], top + height, top)
    step = (WIDTH - left - _RIGHT) / max(len(rows), 1)
    parts = [_level(y(tick), left, number(tick)) for tick in shown]
    every = max(1, math.ceil(len(rows) / 12))
    for at, row in enumerate(rows):
        box = Markup('<rect class="box" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>')
        mark = box.format(left + at * step, y(row.value), max(step - 1, 0.5), top + height - y(row.value))
        parts.append(_mark([mark], row.tip))
        if at % every == 0:
            parts.append(_text(left + (at + 0.5) * step, top + height + 16, row.label, "middle"))
    parts.append(_text(WIDTH / 2, top + height + 34, x_axis, "middle"))
    return _svg(parts, top + height + 42, f"{y_axis}: {x_axis}")


def lines(
    names: Sequence[str], at: Sequence[float], values: Sequence[Sequence[float]], x_axis: str, y_axis: str
) -> Markup:
    """A line for each name; nan where nothing is known. Lines are told by colour, dash and their label at the end."""
    left, right, top, height = 50, 120, 10, 220
    known = [value for row in values for value in row if math.isfinite(value)]
    levels = ticks(min(known, default=0), max(known, default=1), 5)
    y = _scale(levels[0], levels[-1], top + height, top)
    x = _scale(0, max(at, default=1), left, WIDTH - right)
    parts = [_level(y(tick), left, number(tick), WIDTH - right) for tick in levels]
    parts += [
        _text(x(tick), top + height + 16, number(tick), "middle")
        for tick in ticks(0, max(at, default=1), 4)
        if tick <= max(at, default=1)
    ]
    free = top - 1.0
    ends = []
    for number_, (name, row) in enumerate(zip(names, values)):
        points = [(x(one), y(value), one, value) for one, value in zip(at, row) if math.isfinite(value)]
        if not points:
            continue
        style = f"line l{number_ % LINES}"
        way = "L".join(f"{px:.1f} {py:.1f}" for px, py, _, _ in points)
        parts.append(_path(f"M{way}", style))
        dot = Markup('<circle class="end l{}" cx="{:.1f}" cy="{:.1f}" r="3.5"/>')
        for px, py, one, value in points:
            tip = f"{one_line(name)}: {value:+z.0f} after {one:.0f} {x_axis}"
            parts.append(_mark([dot.format(number_ % LINES, px, py)], tip))
        ends.append((points[-1][1], name))
    for level, name in sorted(ends):
        free = max(level, free + 15)
        parts.append(_text(WIDTH - right + 8, free + 4, one_line(name, 16)))
    parts.append(_text((left + WIDTH - right) / 2, top + height + 34, x_axis, "middle"))
    return _svg(parts, max(top + height + 42, free + 12), f"{y_axis}: {x_axis}")


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


def number(value: float) -> str:
    """A number of an axis."""
    return f"{value:g}"


def _scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    return lambda value: start + (value - low) / ((high - low) or 1) * (end - start)


def _svg(parts: Sequence[Markup], height: float, label: str) -> Markup:
    frame = Markup('<svg viewBox="0 0 {} {:.0f}" role="group" aria-label="{}">{}</svg>')
    return frame.format(WIDTH, height, label, Markup("").join(parts))


def _mark(parts: Sequence[Markup], tip: str) -> Markup:
    shown = one_line(tip)
    frame = Markup('<g tabindex="0" role="img" aria-label="{0}" data-tip="{0}">{1}</g>')
    return frame.format(shown, Markup("").join(parts))


def _path(way: str, style: str) -> Markup:
    return Markup('<path class="{}" d="{}"/>').format(style, way)


def _text(x: float, y: float, text: str, anchor: str = "start") -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(x, y, anchor, escape(text))


def _grid(x: float, top: float, bottom: float, label: str) -> Markup:
    return _path(f"M{x:.1f} {top}V{bottom}", "grid") + _text(x, bottom + 16, label, "middle")


def _level(y: float, left: float, label: str, right: float = WIDTH - _RIGHT) -> Markup:
    return _path(f"M{left} {y:.1f}H{right}", "grid") + _text(left - 6, y + 4, label, "end")
