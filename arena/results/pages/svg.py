"""Plots as SVG: plain shapes with classes for the colours, and figures that show when they are hovered or focused."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from markupsafe import Markup, escape

from arena.results.pages.shapes import Bars, Dots, Lines, Stacks, look, ticks
from arena.results.pages.words import TIPS
from arena.text import one_line

WIDTH = 480
_LEFT, _RIGHT, _LINE = 140, 16, 24
_LONGEST_LABEL = 18


def svg(plot: Dots | Bars | Lines | Stacks) -> Markup:
    """A plot as an element; squares are tables (templates)."""
    if isinstance(plot, Dots):
        return _dots(plot)
    if isinstance(plot, Bars):
        return _bars(plot)
    return _lines(plot) if isinstance(plot, Lines) else _stacks(plot)


def _dots(plot: Dots) -> Markup:
    """A line for each row: a dot with its error bar."""
    rows = plot.rows
    ends = [one for row in rows for one in (row.value, row.low, row.high) if one is not None and math.isfinite(one)]
    shown = ticks(min(ends, default=0.0), max(ends, default=1.0))
    x = _scale(shown[0], shown[-1], _LEFT, WIDTH - _RIGHT)
    bottom = _LINE * len(rows) + 12
    parts = [_grid(x(tick), 6, bottom, number(tick)) for tick in shown]
    if plot.middle is not None and shown[0] <= plot.middle <= shown[-1]:
        parts.append(_path(f"M{x(plot.middle):.1f} 6V{bottom}", "middle"))
    parts.append(_text(x(shown[0]) / 2 + x(shown[-1]) / 2, bottom + 34, plot.axis, "middle"))
    for at, row in enumerate(rows):
        y = _LINE * at + _LINE / 2 + 6
        marks = [_text(_LEFT - 8, y + 4, one_line(row.label, _LONGEST_LABEL), "end")]
        style = f" m{at % plot.group}" if plot.group else ""
        if row.low is not None and row.high is not None:
            marks.append(_path(f"M{x(row.low):.1f} {y:.1f}H{x(row.high):.1f}", f"bar{style}"))
            marks += [_path(f"M{x(end):.1f} {y - 4:.1f}v8", f"bar{style}") for end in (row.low, row.high)]
        if math.isfinite(row.value):
            circle = Markup('<circle class="dot{}" cx="{:.1f}" cy="{:.1f}" r="4.5"/>')
            marks.append(circle.format(style, x(row.value), y))
        parts.append(_mark(marks, row.tip, first=at == 0))
        if plot.group and at and at % plot.group == 0:
            parts.append(_path(f"M0 {_LINE * at + 6}H{WIDTH - _RIGHT}", "grid"))
    return _svg(parts, bottom + 42, plot.axis)


def _bars(plot: Bars, height: int = 150) -> Markup:
    left, top = 46, 10 if not plot.heading else 26
    rows = plot.rows
    shown = ticks(0, max([row.value for row in rows], default=1), 4)
    y = _scale(0, shown[-1], top + height, top)
    step = (WIDTH - left - _RIGHT) / max(len(rows), 1)
    parts = [_level(y(tick), left, number(tick)) for tick in shown]
    if plot.heading:
        parts.append(_text(left, 14, one_line(plot.heading, 40), bold=True))
    every = max(1, math.ceil(len(rows) / 9), math.ceil(8 * max((len(row.label) for row in rows), default=1) / step))
    for at, row in enumerate(rows):
        box = Markup('<rect class="box" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>')
        mark = box.format(left + at * step, y(row.value), max(step - 1, 0.5), top + height - y(row.value))
        parts.append(_mark([mark], row.tip, first=at == 0))
        if at % every == 0:
            parts.append(_text(left + (at + 0.5) * step, top + height + 17, row.label, "middle"))
    parts.append(_text((left + WIDTH - _RIGHT) / 2, top + height + 36, plot.x_axis, "middle"))
    return _svg(parts, top + height + 44, f"{plot.heading or plot.y_axis}: {plot.x_axis}")


def _lines(plot: Lines) -> Markup:
    """Lines are told apart by colour, dash and marks, which stand beside their label at the end, too."""
    left, right, top, height = 50, 156, 10, 220
    at = plot.at
    known = [value for row in plot.values for value in row if math.isfinite(value)]
    levels = ticks(min(known, default=0), max(known, default=1), 5)
    y = _scale(levels[0], levels[-1], top + height, top)
    x = _scale(0, max(at, default=1), left, WIDTH - right)
    parts = [_level(y(tick), left, number(tick), WIDTH - right) for tick in levels]
    parts += [
        _text(x(tick), top + height + 17, number(tick), "middle")
        for tick in ticks(0, max(at, default=1), 5)
        if tick <= max(at, default=1)
    ]
    free = top - 1.0
    ends: list[tuple[float, str, int]] = []
    for number_, (name, row) in enumerate(zip(plot.names, plot.values)):
        points = [(x(one), y(value), one, value) for one, value in zip(at, row) if math.isfinite(value)]
        if not points:
            continue
        parts.append(_line([(px, py) for px, py, _, _ in points], number_))
        for px, py, one, value in points:
            tip = TIPS["progress"].format(bot=name, elo=f"{value:+z.0f}", games=f"{one:.0f}")
            parts.append(_mark([_end(px, py, number_)], tip, first=not ends and one == points[0][2]))
        ends.append((points[-1][1], name, number_))
    for level, name, number_ in sorted(ends):
        free, start = max(level, free + 16), WIDTH - right + 10
        key = [_line([(start, free), (start + 24, free)], number_), _end(start + 12, free, number_)]
        parts += [*key, _text(start + 29, free + 4, one_line(name, 13))]
    parts.append(_text((left + WIDTH - right) / 2, top + height + 36, plot.x_axis, "middle"))
    return _svg(parts, max(top + height + 44, free + 12), f"{plot.y_axis}: {plot.x_axis}")


def _line(points: Sequence[tuple[float, float]], at: int) -> Markup:
    """The line in a place of a plot."""
    colour, dash, _ = look(at)
    return _path("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points), f"line l{colour} d{dash}")


def _end(x: float, y: float, at: int) -> Markup:
    """A mark of such a line."""
    colour, _, square = look(at)
    if square:
        return _path(f"M{x - 3.5:.1f} {y - 3.5:.1f}h7v7h-7z", f"end l{colour}")
    return Markup('<circle class="end l{}" cx="{:.1f}" cy="{:.1f}" r="3.5"/>').format(colour, x, y)


def _stacks(plot: Stacks) -> Markup:
    """Shares as parts of a bar; a legend below it tells them by colour and hatching."""
    x = _scale(0, 1, _LEFT, WIDTH - _RIGHT)
    bottom = _LINE * len(plot.rows) + 12
    parts = [_grid(x(share), 6, bottom, f"{100 * share:.0f} %") for share in (0, 0.25, 0.5, 0.75, 1)]
    box = Markup('<rect class="part p{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>')
    first = True
    for at, (label, counts) in enumerate(plot.rows):
        y, before, total = _LINE * at + 9, 0, sum(counts)
        parts.append(_text(_LEFT - 8, y + 13, one_line(label, _LONGEST_LABEL), "end"))
        for place, (name, count) in enumerate(zip(plot.names, counts)):
            if count:
                start, end = x(before / total), x((before + count) / total)
                tip = TIPS["part"].format(label=label, name=name, share=f"{100 * count / total:.1f}", games=count)
                parts.append(_mark([box.format(place, start, y, max(end - start - 0.5, 0.5), 18)], tip, first=first))
                first = False
            before += count
    left, line = 8.0, bottom + 34
    for place, name in enumerate(plot.names):
        wide = 30 + 8.5 * len(name)
        if left + wide > WIDTH:
            left, line = 8.0, line + 22
        parts += [box.format(place, left, line - 11, 14, 14), _text(left + 20, line + 1, name)]
        left += wide
    return _svg(parts, line + 10, ", ".join(plot.names))


def number(value: float) -> str:
    """A number of an axis.

    >>> number(0.5), number(250.0), number(1500000.0)
    ('0.5', '250', '1,500,000')
    """
    return f"{value:g}" if abs(value) < 10_000 else f"{value:,.0f}"


def _scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    return lambda value: start + (value - low) / ((high - low) or 1) * (end - start)


def _svg(parts: Sequence[Markup], height: float, label: str) -> Markup:
    frame = Markup('<svg viewBox="0 0 {} {:.0f}" role="group" aria-label="{}" data-marks>{}</svg>')
    return frame.format(WIDTH, height, label, Markup("").join(parts))


def _mark(parts: Sequence[Markup], tip: str, first: bool) -> Markup:
    """What shows a figure. One of a plot can be reached with the tabulator, the others from it with the arrows."""
    shown = one_line(tip)
    frame = Markup('<g tabindex="{2}" role="img" aria-label="{0}" data-tip="{0}">{1}</g>')
    return frame.format(shown, Markup("").join(parts), 0 if first else -1)


def _path(way: str, style: str) -> Markup:
    return Markup('<path class="{}" d="{}"/>').format(style, way)


def _text(x: float, y: float, text: str, anchor: str = "start", bold: bool = False) -> Markup:
    style = Markup(' class="bold"') if bold else ""
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}"{}>{}</text>').format(x, y, anchor, style, escape(text))


def _grid(x: float, top: float, bottom: float, label: str) -> Markup:
    return _path(f"M{x:.1f} {top}V{bottom}", "grid") + _text(x, bottom + 17, label, "middle")


def _level(y: float, left: float, label: str, right: float = WIDTH - _RIGHT) -> Markup:
    return _path(f"M{left} {y:.1f}H{right}", "grid") + _text(left - 6, y + 4, label, "end")
