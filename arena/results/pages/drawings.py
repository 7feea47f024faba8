"""Plots drawn with matplotlib, for papers and notebooks: the extra `plot`. Import this module where it is used only."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.results.pages.shapes import Bars, Dots, Lines, Plot, Square, look
from arena.results.whole_file import whole_file
from arena.text import one_line

try:
    import matplotlib
    from matplotlib.axes import Axes
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure
except ImportError as error:
    raise ArenaError("plots need matplotlib: pip install 'schotten-arena[plot]'") from error

FORMATS = ("png", "svg", "pdf")
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8c7300", "#444444")
"""Okabe and Ito's: apart for colour-blind eyes, as on the pages."""
DASHES = ("-", "--", ":", "-.", (0, (8, 4)), (0, (5, 1.5, 1, 1.5, 1, 1.5)))
_HEATS = ("#e69e66", "#edbc94", "#f5d8c2", "#faebe1", "#f4f5f6", "#e0eff7", "#b8d9ec", "#8fc1df", "#66aad1")
"""From a score of 0 to 1, as on the pages."""
_STYLE: Any = {
    "text.parse_math": False,  # a name may hold a $
    "svg.hashsalt": "arena",  # equal figures, equal bytes
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
}
_UNDATED: Mapping[str, dict[str, Any]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


class Drawing(Figure):
    """A figure of matplotlib that notebooks show as it is, without pyplot."""

    def _repr_png_(self) -> bytes:
        from io import BytesIO

        kept = BytesIO()
        with _styled():
            self.savefig(kept, format="png", dpi=110)
        return kept.getvalue()


def draw(panels: Mapping[str, Plot]) -> Drawing:
    """A figure with a panel for each plot, one below the other, each with its title ("": none)."""
    with _styled():
        heights = [_height(plot) for plot in panels.values()]
        width = max(_width(plot) for plot in panels.values())
        figure = Drawing(figsize=(width, sum(heights)), layout="constrained")
        axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)
        for (title, plot), (axis,) in zip(panels.items(), axes):
            _DRAWN[type(plot)](axis, plot)
            if title:
                axis.set_title(one_line(title, 90), loc="left", fontsize=10, fontweight="bold")
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write a figure whole or not at all, in the format of its ending. ArenaError for another."""
    form = path.suffix.removeprefix(".").lower()
    if form not in FORMATS:
        raise ArenaError(f"{path}: a plot is written as {', '.join(FORMATS)}; name the file such as plot.svg")
    with _styled(), whole_file(path) as file:
        figure.savefig(file, format=form, dpi=200, metadata=_UNDATED[form])


@contextmanager
def _styled() -> Iterator[None]:
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # a name may have signs that no font has
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
        yield


def _height(plot: Plot) -> float:
    """In inches."""
    if isinstance(plot, Dots):
        return 0.9 + 0.26 * len(plot.rows)
    return 1.1 + 0.5 * len(plot.bots) if isinstance(plot, Square) else 3.4


def _width(plot: Plot) -> float:
    return max(4.0, 2.2 + 0.75 * len(plot.bots)) if isinstance(plot, Square) else 6.4


def _dots(axis: Axes, plot: Dots) -> None:
    for at, row in enumerate(plot.rows):
        colour = COLOURS[(at % plot.group if plot.group else 0) % len(COLOURS)]
        if row.low is not None and row.high is not None:
            axis.errorbar(
                row.value, at, xerr=[[row.value - row.low], [row.high - row.value]], fmt="o", color=colour, capsize=3
            )
        elif math.isfinite(row.value):
            axis.plot(row.value, at, "o", color=colour, markerfacecolor="none")
    if plot.middle is not None:
        axis.axvline(plot.middle, color="#999999", linestyle=":", linewidth=1)
    axis.set_yticks(range(len(plot.rows)), [one_line(row.label, 40) for row in plot.rows])
    axis.set_ylim(len(plot.rows) - 0.5, -0.5)
    axis.set_xlabel(plot.axis)
    axis.grid(axis="x", color="#dddddd", linewidth=0.6)


def _bars(axis: Axes, plot: Bars) -> None:
    axis.bar(range(len(plot.rows)), [row.value for row in plot.rows], width=0.9, color=COLOURS[0])
    every = max(1, math.ceil(len(plot.rows) / 14))
    places = range(0, len(plot.rows), every)
    axis.set_xticks(list(places), [plot.rows[at].label for at in places])
    axis.set_xlabel(plot.x_axis)
    axis.set_ylabel(plot.y_axis)
    axis.grid(axis="y", color="#dddddd", linewidth=0.6)


def _lines(axis: Axes, plot: Lines) -> None:
    for at, (name, values) in enumerate(zip(plot.names, plot.values)):
        colour, dash, square = look(at)
        axis.plot(
            plot.at,
            values,
            color=COLOURS[colour],
            linestyle=DASHES[dash],
            marker="s" if square else "o",
            markersize=4,
            markerfacecolor="white",
            label=one_line(name, 30),
        )
    axis.set_xlim(left=0)
    axis.set_xlabel(plot.x_axis)
    axis.set_ylabel(plot.y_axis)
    axis.grid(axis="y", color="#dddddd", linewidth=0.6)
    axis.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize=8, handlelength=4)


def _square(axis: Axes, plot: Square) -> None:
    size = len(plot.bots)
    heats = [[math.nan if cell is None else cell.heat for cell in row] for row in plot.rows]
    axis.imshow(heats, cmap=ListedColormap(_HEATS), vmin=-0.5, vmax=8.5, aspect="auto")
    for y, row in enumerate(plot.rows):
        for x, cell in enumerate(row):
            if cell is not None:
                axis.text(x, y - 0.12, cell.text, ha="center", va="center", fontsize=8)
                axis.text(x, y + 0.24, cell.small, ha="center", va="center", fontsize=5.5)
    names = [f"{at} {one_line(bot, 30)}" for at, bot in enumerate(plot.bots, start=1)]
    axis.set_yticks(range(size), names)
    axis.set_xticks(range(size), [str(at) for at in range(1, size + 1)])
    axis.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    for spine in axis.spines.values():
        spine.set_visible(False)


_DRAWN: Mapping[type, Callable[[Axes, Any], None]] = {Dots: _dots, Bars: _bars, Lines: _lines, Square: _square}
