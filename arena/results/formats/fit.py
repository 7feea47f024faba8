"""Tables that fit a terminal: columns are left out before a line would wrap, then long texts are cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wcwidth import wcswidth

from arena.results.table import Table
from arena.text import one_line

_GAP = 2  # blanks between columns; the library tabulate also leaves as many beside a head
_SHORTEST, _USUAL = 8, 24  # a text is not cut below the first; up to the second a column is left out rather
_KEPT = 2  # columns that are never left out: place and name


def fit(table: Table, width: int) -> tuple[Table, int]:
    """The table in at most `width` cells of a terminal, and how many columns were left out for that.

    Those that the table can spare go first, in its order, then the last ones. Texts are cut when a table of those
    that it cannot spare is still too wide.
    """
    rows = [[one_line(cell) for cell in row] for row in table.rows]
    heads = table.heads
    widths = [max([cells(head) + _GAP, *(cells(row[at]) for row in rows)]) for at, head in enumerate(heads)]
    usual, shortest = (
        [
            max(cells(head) + _GAP, min(one, most)) if column.left or not _is_figures(rows, at) else one
            for at, (head, column, one) in enumerate(zip(heads, table.columns, widths))
        ]
        for most in (_USUAL, _SHORTEST)
    )
    spared = [at for head in table.spared for at, other in enumerate(heads) if other == head]
    others = [at for at in reversed(range(_KEPT, len(heads))) if at not in spared]
    kept = set(range(len(heads)))
    for rank, at in enumerate([*spared, *others]):
        need = usual if rank < len(spared) else shortest
        if sum(need[one] + _GAP for one in kept) - _GAP <= width:
            break
        kept.discard(at)
    shown = sorted(kept)
    room = _shared([widths[at] for at in shown], [shortest[at] for at in shown], width - _GAP * (len(shown) - 1))
    fitting = replace(
        table,
        columns=tuple(table.columns[at] for at in shown),
        rows=tuple(tuple(shortened(row[at], most) for at, most in zip(shown, room)) for row in rows),
    )
    return fitting, len(heads) - len(shown)


def cells(text: str) -> int:
    """How many cells of a terminal a line takes: two for emoji and for letters of East Asia, none for accents.

    >>> cells("abc"), cells("日本")
    (3, 4)
    """
    return len(text) if text.isascii() else max(wcswidth(text), 0)


def shortened(text: str, most: int) -> str:
    """The text in at most so many cells.

    >>> shortened("abcdef", 4), shortened("日本語", 5), shortened("abcd", 4)
    ('abc…', '日本…', 'abcd')
    """
    if cells(text) <= most:
        return text
    kept = text[: max(most - 1, 0)]
    while kept and cells(kept) > most - 1:
        kept = kept[:-1]
    return kept + "…"


def _is_figures(rows: Sequence[Sequence[str]], at: int) -> bool:
    """Does a column hold nothing but figures and signs, which must not be cut?"""
    return not any(any(sign.isalpha() for sign in row[at]) for row in rows)


def _shared(widths: list[int], shortest: list[int], room: int) -> list[int]:
    """Widths that add up to at most `room` where the shortest do: the widest is made narrower until they fit.

    Those of the first columns, which name what a row is about, come last.
    """
    given = list(widths)
    for group in (range(_KEPT, len(given)), range(len(given))):
        while sum(given) > room:
            at = max(group, key=lambda one: given[one] - shortest[one], default=None)
            if at is None or given[at] == shortest[at]:
                break
            given[at] -= 1
    return given
