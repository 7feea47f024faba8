"""Plots as SVG: elements of a page, and files that `arena plot` writes.

A plot is a plain value; colours are classes, which a page styles (`static/page.css`) and a file brings along.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from os.path import commonprefix
from pathlib import Path
from typing import TypeAlias

from markupsafe import Markup, escape

from arena.errors import ArenaError
from arena.text import one_line
from arena.whole_file import whole_file

FILE_TYPES = ("svg", "png", "pdf")
MOST_LINES = 6
"""Distinguishable lines of a plot, by colour and by dash."""
_WIDTH = 480
_LEFT, _RIGHT, _ROW = 140, 16, 24
_LONGEST_LABEL = 16
_CELL_WIDTH, _CELL_HEIGHT = 70, 36


# ---------------------------------------------------------------- kinds of plots


@dataclass(frozen=True)
class Drawing:
    """The parts of a plot in a frame of `width` by `height`, and what it shows in words."""

    parts: Sequence[Markup]
    height: float
    label: str
    width: float = _WIDTH


@dataclass(frozen=True)
class Dot:
    """A figure with its interval, a label, and what is shown of it when it is pointed at.

    An interval of which one end is None is open there; without both there is none. A value of nan is not drawn.
    """

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

    def draw(self) -> Drawing:
        """Draw a line for each row: a dot with its error bar."""
        rows = self.rows
        ends = [end for row in rows for end in (row.value, row.low, row.high) if end is not None and math.isfinite(end)]
        shown = ticks(min(ends, default=0.0), max(ends, default=1.0))
        x = _scale(shown[0], shown[-1], _LEFT, _WIDTH - _RIGHT)
        bottom = _ROW * len(rows) + 12
        parts = [_vertical(x(tick), 6, bottom, _number(tick)) for tick in shown]
        if self.middle is not None and shown[0] <= self.middle <= shown[-1]:
            parts.append(_path(f"M{x(self.middle):.1f} 6V{bottom}", "middle"))
        parts.append(_text((_LEFT + _WIDTH - _RIGHT) / 2, bottom + 34, self.axis, "middle"))
        for index, (row, label) in enumerate(zip(rows, short_labels([row.label for row in rows]))):
            y = _ROW * index + _ROW / 2 + 6
            marks = [_text(_LEFT - 8, y + 4, label, "end")]
            style = f" m{index % self.group}" if self.group else ""
            if row.low is not None or row.high is not None:
                left, right = (None if end is None else x(end) for end in (row.low, row.high))
                marks.append(_path(_interval(left, right, y), f"bar{style}"))
            if math.isfinite(row.value):
                circle = Markup('<circle class="dot{}" cx="{:.1f}" cy="{:.1f}" r="4.5"/>')
                marks.append(circle.format(style, x(row.value), y))
            parts.append(_mark(marks, row.tip, first=index == 0))
            if self.group and index and index % self.group == 0:
                parts.append(_path(f"M0 {_ROW * index + 6}H{_WIDTH - _RIGHT}", "grid"))
        return Drawing(parts, bottom + 42, self.axis)


@dataclass(frozen=True)
class Bars:
    """A histogram: for each bar the label below it, its height, and what is shown of it when it is pointed at."""

    rows: Sequence[tuple[str, float, str]]
    x_axis: str
    y_axis: str

    def draw(self) -> Drawing:
        """Draw the bars, with labels as far as there is room."""
        left, top, height = 46, 24, 150
        rows = self.rows
        levels = ticks(0, max([value for _, value, _ in rows], default=1), 4)
        y = _scale(0, levels[-1], top + height, top)
        step = (_WIDTH - left - _RIGHT) / max(len(rows), 1)
        parts = [_horizontal(y(tick), left, _number(tick)) for tick in levels]
        every = max(1, math.ceil(len(rows) / 9))
        for index, (label, value, tip) in enumerate(rows):
            box = Markup('<rect class="box" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>')
            mark = box.format(left + index * step, y(value), max(step - 1, 0.5), top + height - y(value))
            parts.append(_mark([mark], tip, first=index == 0))
            if index % every == 0:
                parts.append(_text(left + (index + 0.5) * step, top + height + 17, label, "middle"))
        parts.append(_text(0, 6, self.y_axis))
        parts.append(_text((left + _WIDTH - _RIGHT) / 2, top + height + 36, self.x_axis, "middle"))
        return Drawing(parts, top + height + 44, f"{self.y_axis}: {self.x_axis}")


@dataclass(frozen=True)
class Lines:
    """A line for each name through figures at the places `x`; nan where nothing is known.

    With `bands`, the two ends of an interval for each figure, each line has a band around it where both are finite.
    """

    names: Sequence[str]
    x: Sequence[float]
    values: Sequence[Sequence[float]]
    x_axis: str
    y_axis: str
    bands: Sequence[Sequence[tuple[float, float]]] = ()

    def draw(self) -> Drawing:
        """Draw lines that differ by colour, dash and marks, also shown beside their labels at the end."""
        left, right, top, height = 50, 156 if len(self.names) > 1 else _RIGHT, 24, 220
        bands = [
            [(games, low, high) for games, (low, high) in zip(self.x, ends) if math.isfinite(high - low)]
            for ends in self.bands or [()] * len(self.names)
        ]
        known = [value for row in self.values for value in row if math.isfinite(value)]
        known += [end for band in bands for _, low, high in band for end in (low, high)]
        levels = ticks(min(known, default=0), max(known, default=1), 5)
        most = max(self.x, default=1)
        x, y = _scale(0, most, left, _WIDTH - right), _scale(levels[0], levels[-1], top + height, top)
        parts = [_horizontal(y(tick), left, _number(tick), _WIDTH - right) for tick in levels]
        parts += [
            _text(x(tick), top + height + 17, _number(tick), "middle") for tick in ticks(0, most, 5) if tick <= most
        ]
        parts.append(_text(0, 6, self.y_axis))
        labels = short_labels(self.names, 13)
        ends: list[tuple[float, str, int]] = []
        for line, (name, row) in enumerate(zip(self.names, self.values)):
            points = [(games, value) for games, value in zip(self.x, row) if math.isfinite(value)]
            if not points:
                continue
            around = [(games, low) for games, low, _ in bands[line]] + [
                (games, up) for games, _, up in bands[line][::-1]
            ]
            if around:
                outline = " ".join(f"{x(games):.1f},{y(value):.1f}" for games, value in around)
                parts.append(Markup('<polygon class="band b{}" points="{}"/>').format(line, outline))
            parts.append(_line([(x(games), y(value)) for games, value in points], line))
            for index, (games, value) in enumerate(points):
                error = next((f" ({low:+z.0f} .. {high:+z.0f})" for at, low, high in bands[line] if at == games), "")
                tip = f"{name}: {value:+z.0f}{error} after {games:.0f} games"
                parts.append(_mark([_end(x(games), y(value), line)], tip, first=not ends and index == 0))
            ends.append((y(points[-1][1]), labels[line], line))
        label_y = top - 1.0
        for end_y, label, line in sorted(ends) if len(self.names) > 1 else ():
            label_y, start = max(end_y, label_y + 16), _WIDTH - right + 10
            parts += [_line([(start, label_y), (start + 24, label_y)], line), _end(start + 12, label_y, line)]
            parts.append(_text(start + 29, label_y + 4, label))
        parts.append(_text((left + _WIDTH - right) / 2, top + height + 36, self.x_axis, "middle"))
        return Drawing(parts, max(top + height + 44, label_y + 12), f"{self.y_axis}: {self.x_axis}")


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

    def draw(self) -> Drawing:
        """Draw a cell for each two bots; the higher its figure, the warmer its colour."""
        labels = short_labels(self.bots)
        size, longest = len(labels), max(map(len, labels), default=0)
        slanted = longest > _CELL_WIDTH // 8
        top = 18 + 5 * longest if slanted else 26
        box = Markup('<rect class="h{}" x="{}" y="{}" width="{}" height="{}"/>')
        small = Markup('<text class="note" x="{}" y="{}" text-anchor="middle">{}</text>')
        turned = Markup('<g transform="translate({} {}) rotate(-35)">{}</g>')
        parts = []
        for column, label in enumerate(labels):
            x = _LEFT + _CELL_WIDTH * column + _CELL_WIDTH / 2
            parts.append(
                turned.format(x, top - 8, _text(0, 0, label)) if slanted else _text(x, top - 8, label, "middle")
            )
        for index, (label, row) in enumerate(zip(labels, self.rows)):
            y = top + _CELL_HEIGHT * index
            parts.append(_text(_LEFT - 8, y + _CELL_HEIGHT / 2 + 5, label, "end"))
            for column, cell in enumerate(row):
                if cell is not None:
                    x = _LEFT + _CELL_WIDTH * column
                    middle = x + _CELL_WIDTH / 2
                    marks = [box.format(cell.heat, x, y, _CELL_WIDTH - 1, _CELL_HEIGHT - 1)]
                    marks.append(_text(middle, y + 16, cell.text, "middle"))
                    marks.append(small.format(middle, y + 29, cell.small))
                    parts.append(_mark(marks, cell.tip, first=index == 0 and column == 1))
        width = _LEFT + _CELL_WIDTH * size + (6 * longest if slanted else _RIGHT)
        return Drawing(parts, top + _CELL_HEIGHT * size + 6, self.caption, width)


Plot: TypeAlias = Dots | Bars | Lines | Square


# ---------------------------------------------------------------- pages and files


def svg(plot: Plot) -> Markup:
    """Return a plot as an element of a page, as wide as the page."""
    drawing = plot.draw()
    frame = Markup('<svg viewBox="0 0 {:.0f} {:.0f}" role="group" aria-label="{}" data-marks>{}</svg>')
    return frame.format(drawing.width, drawing.height, drawing.label, Markup("").join(drawing.parts))


def picture(panels: Mapping[str, Plot]) -> str:
    """Return an SVG file with a panel for each plot, one below the other, each below the lines of its title."""
    content: list[Markup] = []
    width, y = 0.0, 8.0
    for title, plot in panels.items():
        drawing = plot.draw()
        for number_of_line, line in enumerate(title.splitlines()):
            content.append(_text(8, y + 14, one_line(line, 100), bold=number_of_line == 0))
            width = max(width, 7.5 * min(len(line), 100))
            y += 20
        y += 6
        shifted = Markup('<g transform="translate(0 {:.0f})">{}</g>')
        content.append(shifted.format(y, Markup("").join(drawing.parts)))
        width = max(width, drawing.width)
        y += drawing.height + 8
    frame = Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}">'
        '<style>{2}</style><rect width="100%" height="100%" fill="#fff"/>{3}</svg>\n'
    )
    return str(frame.format(width + 8, y, Markup(_style()), Markup("").join(content)))


def save(panels: Mapping[str, Plot], path: Path) -> None:
    """Write plots to a file atomically, in the format of its ending.

    ArenaError for another ending, and for PNG and PDF without CairoSVG; ExportError if the disk refuses.
    """
    form = path.suffix.removeprefix(".").lower()
    if form not in FILE_TYPES:
        raise ArenaError(f"{path}: a plot is written as {', '.join(FILE_TYPES)}; name the file such as plot.svg")
    content = picture(panels).encode()
    if form != "svg":
        content = _converted(content, form)
    with whole_file(path) as file:
        file.write(content)


def _converted(content: bytes, form: str) -> bytes:
    try:
        import cairosvg
    except (ImportError, OSError) as error:  # OSError: the package is installed and the library cairo is not
        raise ArenaError(
            f"{form.upper()} needs CairoSVG and the library cairo ({error}): pip install 'schotten-arena[plot]', or"
            " name a file that ends in .svg"
        ) from error
    if form == "pdf":
        return bytes(cairosvg.svg2pdf(bytestring=content))
    return bytes(cairosvg.svg2png(bytestring=content, scale=3))


def _style() -> str:
    """Return the style rules for plots from the pages, with the colours for light backgrounds."""
    css = files("arena.results.pages").joinpath("static", "page.css").read_text(encoding="utf-8")
    colours = dict(re.findall(r"--([\w-]+): ([^;]+);", css.partition("@media")[0]))
    rules = css.partition("/* plots, also in files */\n")[2].partition("/* end of plots */")[0]
    return re.sub(r"var\(--([\w-]+)\)", lambda name: colours[name[1]], rules)


# ---------------------------------------------------------------- scales and shapes


def ticks(low: float, high: float, about: int = 6) -> list[float]:
    """Round numbers around a range, some `about` of them.

    >>> ticks(-37, 212), ticks(0, 0.9, 3)
    ([-50.0, 0.0, 50.0, 100.0, 150.0, 200.0, 250.0], [0.0, 0.5, 1.0])
    """
    span = (high - low) or abs(high) or 1.0
    power = 10.0 ** math.floor(math.log10(span / about))
    step = next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= about)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(index * step, 10) for index in range(first, max(last, first + 1) + 1)]


def _number(value: float) -> str:
    """Return a number of an axis.

    >>> _number(0.5), _number(250.0), _number(1500000.0)
    ('0.5', '250', '1,500,000')
    """
    return f"{value:g}" if abs(value) < 10_000 else f"{value:,.0f}"


def short_labels(labels: Sequence[str], longest: int = _LONGEST_LABEL) -> list[str]:
    """Return labels in at most `longest` characters, of which those that are too long lack their common beginning.

    >>> short_labels(["greedy", "population-b0-colour-5", "population-b0-colour-6", "population-b0-weight-12345"])
    ['greedy', '…colour-5', '…colour-6', '…weight-12345']
    """
    labels = [one_line(label) for label in labels]
    cut = [label for label in labels if len(label) > longest]
    begin = re.sub(r"[^\W_]*$", "", commonprefix(cut)) if len({*cut}) > 1 else ""  # noqa: RUF071 (as is meant)
    return [one_line(f"…{label[len(begin) :]}" if begin and label in cut else label, longest) for label in labels]


def _line(points: Sequence[tuple[float, float]], line: int) -> Markup:
    return _path("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points), f"line l{line} d{line}")


def _end(x: float, y: float, line: int) -> Markup:
    """Return a mark on a line."""
    return Markup('<circle class="end l{}" cx="{:.1f}" cy="{:.1f}" r="3.5"/>').format(line, x, y)


def _scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    return lambda value: start + (value - low) / ((high - low) or 1) * (end - start)


def _mark(parts: Sequence[Markup], tip: str, first: bool) -> Markup:
    """Return a mark with a tip. The first one of a plot is reached with Tab, the others from it with the arrow keys."""
    frame = Markup('<g tabindex="{2}" role="img" aria-label="{0}" data-tip="{0}">{1}</g>')
    return frame.format(one_line(tip), Markup("").join(parts), 0 if first else -1)


def _path(way: str, style: str) -> Markup:
    return Markup('<path class="{}" d="{}"/>').format(style, way)


def _text(x: float, y: float, text: str, anchor: str = "start", bold: bool = False) -> Markup:
    style = Markup(' class="bold"') if bold else ""
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}"{}>{}</text>').format(x, y, anchor, style, escape(text))


def _interval(left: float | None, right: float | None, y: float) -> str:
    """Return a bar with an end at each side, or for None an arrow that reaches the edge."""
    way = f"M{_LEFT if left is None else left:.1f} {y:.1f}H{_WIDTH - _RIGHT if right is None else right:.1f}"
    for end, edge, inward in ((left, _LEFT, 6), (right, _WIDTH - _RIGHT, -6)):
        if end is None:
            way += f"M{edge + inward:.1f} {y - 4:.1f}L{edge:.1f} {y:.1f}L{edge + inward:.1f} {y + 4:.1f}"
        else:
            way += f"M{end:.1f} {y - 4:.1f}v8"
    return way


def _vertical(x: float, top: float, bottom: float, label: str) -> Markup:
    """Return a line of the grid with its number below."""
    return _path(f"M{x:.1f} {top}V{bottom}", "grid") + _text(x, bottom + 17, label, "middle")


def _horizontal(y: float, left: float, label: str, right: float = _WIDTH - _RIGHT) -> Markup:
    """Return a line of the grid with its number to the left."""
    return _path(f"M{left} {y:.1f}H{right}", "grid") + _text(left - 6, y + 4, label, "end")


# ---------------------------------------------------------------- trends

_TREND_WIDTH, _TREND_HEIGHT = 90, 18


def trend(values: Sequence[float]) -> Markup:
    """Draw a rating over time as a line with a dot at its end; return "" for fewer than two values."""
    if len(values) < 2:
        return Markup("")
    low, step = min(values), (_TREND_WIDTH - 10) / (len(values) - 1)
    scale = (_TREND_HEIGHT - 8) / max(max(values) - low, 30)  # noise of a few Elo is not a slope
    points = [(5 + step * i, _TREND_HEIGHT - 4 - scale * (value - low)) for i, value in enumerate(values)]
    line = Markup('<polyline class="line l0" points="{}"/>').format(" ".join(f"{x:.0f},{y:.1f}" for x, y in points))
    dot = Markup('<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="3"/>').format(*points[-1])
    frame = Markup('<svg class="spark" viewBox="0 0 {} {}" role="img" aria-label="{:+z.0f} Elo">{}</svg>')
    return frame.format(_TREND_WIDTH, _TREND_HEIGHT, values[-1] - values[0], line + dot)
